"""Reading code that asks a question: variables, operators, statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from dmt_dialect.bitblast import WordOp, word_op
from dmt_dialect.dmt_aig import only_block
from dynomite.errors import VerifyError
from dynomite.ir import Const, InstrRef, Module, ValueRef
from dynomite.ir.operands import Operand

STATEMENTS = ("op.ASSERT", "op.ASSUME")
"""What is said about words of one bit."""


class Statement(NamedTuple):
    """`op.ASSERT` or `op.ASSUME`."""

    assumed: bool
    name: str
    word: Operand


class Code:
    """Reads code: calls back for each variable and operator, gives the statements."""

    def __init__(self, module: Module, within: InstrRef | None) -> None:
        self.block = only_block(module, within)
        self._numbers = dict.fromkeys(STATEMENTS, 0)

    def statements(
        self, variable: Callable[[InstrRef, str], None], operator: Callable[[InstrRef], None]
    ) -> Iterator[Statement]:
        """What is asserted and assumed, in order; variables and operators in front of it come first."""
        names: set[str] = set()
        for instr in self.block:
            if instr.name == "dmt.VAR":
                name = _name(instr, instr.result.name or f"v{len(names)}")
                if name in names:
                    raise VerifyError(f"two variables are called {name!r}")
                names.add(name)
                variable(instr, name)
            elif instr.name in STATEMENTS:
                number = self._numbers[instr.name]
                self._numbers[instr.name] += 1
                default = f"{instr.name.removeprefix('op.').lower()}{number}"
                yield Statement(instr.name == "op.ASSUME", _name(instr, default), instr.uses[0])
            elif instr.name.startswith("op."):
                operator(instr)
            else:
                raise VerifyError(f"{instr.name} has no place in a question for solvers")


def _name(instr: InstrRef, default: str) -> str:
    name = instr.attributes.get("name")
    return name if isinstance(name, str) and name else default


def width_of_value(value: ValueRef) -> int:
    """Bits of a word."""
    params = () if value.type is None else value.type.params
    if len(params) != 1 or not isinstance(params[0], Const):
        raise VerifyError(f"{value!r} is no row of bits")
    return params[0].value


class Shape(NamedTuple):
    """An operator as the tables have it: its words, and its attributes."""

    operation: WordOp
    words: list[Operand]
    hi: int
    lo: int
    number: int


def shape_of(instr: InstrRef) -> Shape:
    """An instruction of the dialect `op` as the tables have it."""
    operation, uses = word_op(instr.name.removeprefix("op.")), list(instr.uses)
    hi = lo = number = 0
    if operation is WordOp.SLICE:
        high, low = uses[1:3]
        assert isinstance(high, Const)
        assert isinstance(low, Const)
        hi, lo, uses = high.value, low.value, uses[:1]
    elif operation in (WordOp.ZEXT, WordOp.SEXT):
        number = width_of_value(instr.result)
    elif operation is WordOp.REPEAT:
        word = uses[0]
        number = width_of_value(instr.result) // (word.width if isinstance(word, Const) else _width_of(word))
    return Shape(operation, uses, hi, lo, number)


def _width_of(word: Operand) -> int:
    if isinstance(word, Const):
        return word.width
    assert isinstance(word, ValueRef)
    return width_of_value(word)


CHAINS = (WordOp.ADD, WordOp.MUL, WordOp.AND, WordOp.OR, WordOp.XOR)
"""Operators that take more than two words in code."""
