"""Folding of sums, products and quotients."""

from __future__ import annotations

from typing import cast

from dmt_dialect import ops as op
from dmt_dialect.folding.words import (
    Fold,
    Word,
    definer,
    is_constant,
    merged,
    rebuilt,
    words_of,
)
from dynomite.ir import Const


def fold_add(fold: Fold) -> Word | None:
    """ADD."""
    words, total = merged(fold, fold.zero)
    if total.value or not words:
        words.append(total)
    return rebuilt(fold, words)


def fold_sub(fold: Fold) -> Word | None:
    """SUB."""
    a, b = fold.words
    if a == b:
        return fold.zero
    if is_constant(b, 0):
        return a
    if is_constant(a, 0):
        return fold.make(op.NEG, b)
    if isinstance(b, Const):
        return fold.make(op.ADD, a, fold.constant(-b.value))
    return None


def fold_neg(fold: Fold) -> Word | None:
    """NEG."""
    instr = definer(fold.words[0], op.NEG)
    if instr is not None:
        return words_of(instr)[0]
    return fold.words[0] if fold.width == 1 else None


def fold_mul(fold: Fold) -> Word | None:
    """MUL."""
    words, total = merged(fold, fold.constant(1))
    if total.value == 0:
        return fold.zero
    if total.value != 1 or not words:
        words.append(total)
    return rebuilt(fold, words)


def shift_of(word: Word) -> int | None:
    """K of the constant 2^k."""
    if isinstance(word, Const) and word.value.bit_count() == 1:
        return word.value.bit_length() - 1
    return None


def fold_udiv(fold: Fold) -> Word | None:
    """UDIV."""
    a, b = fold.words
    if is_constant(b, 0):
        return fold.ones
    shift = shift_of(b)
    return None if shift is None else fold.make(op.LSHR, a, Const(shift, fold.width.bit_length() + 1))


def fold_urem(fold: Fold) -> Word | None:
    """UREM."""
    a, b = fold.words
    if is_constant(b, 0):
        return a
    return (
        fold.make(op.AND, a, fold.constant(cast("Const", b).value - 1)) if shift_of(b) is not None else None
    )


def fold_signed_division(fold: Fold) -> Word | None:
    """SDIV, SREM, SMOD."""
    a, b = fold.words
    if fold.width > 1 and is_constant(b, 1):
        return a if fold.op is op.SDIV else fold.zero
    if fold.op is not op.SDIV and is_constant(b, 0):
        return a
    return None
