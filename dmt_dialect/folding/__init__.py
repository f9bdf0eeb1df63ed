"""Folding of word operators: what a builder returns instead of a new operation, and what canonicalising does.

    x + 0 -> x          mux(s, x, x) -> x          x << 9 -> constant(0, 8), for 8 bits
    x & x -> x          ~~x -> x                   concat(x[7:4], x[3:0]) -> x

`FOLDING` is an interface for `dynomite.ir.set_folding`. A rule returns a value, a constant, or None where it
knows nothing; what it builds goes through the builder and is folded itself. Rules only go towards constants,
fewer or cheaper operators: bits in place of shifts, so they end. Constants are computed by the table of
operators (`_native.word`).
"""

from __future__ import annotations

from typing import cast

from dmt_dialect import ops as op
from dmt_dialect.constants import evaluate
from dmt_dialect.folding.arithmetic import (
    fold_add,
    fold_mul,
    fold_neg,
    fold_signed_division,
    fold_sub,
    fold_udiv,
    fold_urem,
)
from dmt_dialect.folding.logic import (
    complemented_rule,
    fold_and_or,
    fold_equal,
    fold_less,
    fold_not,
    fold_reduce,
    fold_xor,
)
from dmt_dialect.folding.wiring import (
    fold_concat,
    fold_extend,
    fold_index,
    fold_lut,
    fold_mux,
    fold_shift,
    fold_slice,
)
from dmt_dialect.folding.words import Fold, Rule, Word
from dynomite.ir import Builder, Const, FoldFunction, Interface, Op, Type, ValueRef, fold_interface
from dynomite.ir.operands import Operand

__all__ = ["FOLDING", "Word"]

FOLDING: Interface[FoldFunction | None] = fold_interface()
"""Folding of all operators of the dialect `op`."""


def _nothing(fold: Fold) -> Word | None:
    del fold
    return None


_RULES: dict[str, Rule] = {
    "ADD": fold_add,
    "SUB": fold_sub,
    "NEG": fold_neg,
    "MUL": fold_mul,
    "UDIV": fold_udiv,
    "UREM": fold_urem,
    "AND": fold_and_or,
    "OR": fold_and_or,
    "XOR": fold_xor,
    "NAND": complemented_rule(op.AND),
    "NOR": complemented_rule(op.OR),
    "XNOR": complemented_rule(op.XOR),
    "NOT": fold_not,
    "CONCAT": fold_concat,
    "SLICE": fold_slice,
    "INDEX": fold_index,
    "MUX": fold_mux,
    "LUT": fold_lut,
    "EQ": fold_equal,
    "NE": fold_equal,
    **dict.fromkeys(("SDIV", "SREM", "SMOD"), fold_signed_division),
    **dict.fromkeys(("REDAND", "REDOR", "REDXOR"), fold_reduce),
    **dict.fromkeys(("ULT", "ULE", "UGT", "UGE", "SLT", "SLE", "SGT", "SGE"), fold_less),
    **dict.fromkeys(("SHL", "LSHR", "ASHR", "ROL", "ROR"), fold_shift),
    **dict.fromkeys(("REPEAT", "ZEXT", "SEXT"), fold_extend),
}


def _entry(operation: Op, rule: Rule) -> FoldFunction:
    def fold(builder: Builder, kind: Type | None, operands: tuple[Operand, ...]) -> Word | None:
        words = [word for word in operands if isinstance(word, ValueRef | Const)]
        if kind is None or not kind.params or len(words) < operation.uses:
            return None
        it = Fold(builder, kind, operation, words)
        if all(isinstance(word, Const) for word in words):
            return _constant(it)
        return rule(it)

    return fold


def _constant(fold: Fold) -> Const:
    """All operands are constants."""
    words = cast("list[Const]", fold.words)
    name = fold.op.name
    if fold.op is op.SLICE:
        return fold.constant(words[0].value >> words[2].value)
    if fold.op is op.LUT:
        return fold.constant(words[1].value >> (words[0].value * fold.width))
    if fold.op in (op.REPEAT, op.ZEXT, op.SEXT):
        number = fold.width // words[0].width if fold.op is op.REPEAT else fold.width
        return evaluate(name, words[0], number=number)
    if fold.op in (op.ADD, op.MUL, op.AND, op.OR, op.XOR):
        total = words[0]
        for word in words[1:]:
            total = evaluate(name, total, word)
        return total
    return evaluate(name, *words)


for _operation in op.OP.ops:
    if _operation.defs == 1:
        FOLDING.set(_operation, _entry(_operation, _RULES.get(_operation.name, _nothing)))
