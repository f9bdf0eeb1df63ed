"""The operations of the dialect `rewrite`, which every context knows: see `native/ir/rewrite_ops.hpp`."""

from __future__ import annotations

from dynomite.ir import Dialect, InstrRef, Op

REWRITE = Dialect("rewrite")
"""Always known in every context."""

_SYMBOLS = ("PATTERN", "RULES")
_NAMES = (
    "PATTERN RULES INCLUDE DOC MATCH IF EMIT DO ANY TYPE CONST INSTR SAME NAMED STAR PLUS SEQ "
    "ALT UNORDERED DEF USE NUMBER VALUE WIDTH COUNT ARITH ONE_USE POWER_OF_TWO IS_CONSTANT "
    "COMPARE SAME_OBJECT SAME_TYPE NOT ANY_OF CALL BUILD BUILD_AS OLD_DEF NEW_DEF TYPE_OF "
    "TYPE_EXPR OPERAND CONSTANT PLAIN_NUMBER REPLACE_USES REPLACE_ALL DELETE"
)


def _declare(name: str) -> Op:
    if name in _SYMBOLS:
        return REWRITE.op(name, symbol=True, isolated=True, graph_region=True)
    return REWRITE.op(name, variadic=True)


OPS: dict[str, Op] = {name: _declare(name) for name in _NAMES.split()}
"""By name, in the order of their numbers."""


def uses_of(instr: InstrRef) -> list[object]:
    """What an instruction uses, without its dictionary."""
    found: list[object] = list(instr.uses)
    if instr.attributes:
        found.pop()
    return found
