"""Folding of shifts, of what only wires, and of choices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from dmt_dialect import ops as op
from dmt_dialect.constants import evaluate
from dmt_dialect.folding.words import (
    Fold,
    Word,
    complement_of,
    definer,
    is_constant,
    rebuilt,
    width_of,
    words_of,
)
from dynomite.ir import Const, InstrRef


def fold_shift(fold: Fold) -> Word | None:
    """Shifts and rotations."""
    a, amount = fold.words
    if is_constant(a, 0):
        return a
    if not isinstance(amount, Const):
        return None
    width, by = fold.width, amount.value
    if fold.op in (op.ROL, op.ROR):
        left = by % width if fold.op is op.ROL else -by % width
        return (
            a
            if left == 0
            else fold.concat(fold.slice(a, width - left - 1, 0), fold.slice(a, width - 1, width - left))
        )
    if by == 0:
        return a
    if fold.op is op.ASHR:
        return fold.make(op.SEXT, fold.slice(a, width - 1, min(by, width - 1)))
    if by >= width:
        return fold.zero
    if fold.op is op.SHL:
        return fold.concat(fold.slice(a, width - 1 - by, 0), Const(0, by))
    return fold.make(op.ZEXT, fold.slice(a, width - 1, by))


def bounds_of(instr: InstrRef) -> tuple[int, int]:
    """Highest and lowest bit of a SLICE."""
    high, low = instr.uses[1:3]
    return cast("Const", high).value, cast("Const", low).value


def _pieces(words: list[Word]) -> Iterator[Word]:
    """The operands of a concatenation, nested ones included."""
    for word in words:
        instr = definer(word, op.CONCAT)
        if instr is not None:
            yield from words_of(instr)
        else:
            yield word


def fold_concat(fold: Fold) -> Word | None:
    """CONCAT."""
    words: list[Word] = []
    for word in _pieces(fold.words):
        joined = _joined(fold, words[-1], word) if words else None
        if joined is not None:
            words[-1] = joined
        else:
            words.append(word)
    return rebuilt(fold, words)


def _joined(fold: Fold, high: Word, low: Word) -> Word | None:
    """Two neighbours of a concatenation as one word, if they are."""
    if isinstance(high, Const) and isinstance(low, Const):
        return Const(high.value << low.width | low.value, high.width + low.width)
    upper, lower = definer(high, op.SLICE), definer(low, op.SLICE)
    if upper is None or lower is None or upper.uses[0] != lower.uses[0]:
        return None
    top, middle = bounds_of(upper)
    below, bottom = bounds_of(lower)
    return fold.slice(words_of(upper)[0], top, bottom) if middle == below + 1 else None


def fold_slice(fold: Fold) -> Word | None:
    """SLICE."""
    word, high, low = fold.words[0], *(cast("Const", w).value for w in fold.words[1:3])
    if high - low + 1 == width_of(word):
        return word
    if isinstance(word, Const):
        return fold.constant(word.value >> low)
    inner = definer(word, op.SLICE)
    if inner is not None:
        base = bounds_of(inner)[1]
        return fold.slice(words_of(inner)[0], high + base, low + base)
    inner = definer(word, op.CONCAT)
    if inner is not None:
        parts: list[Word] = []
        base = width_of(word)
        for part in words_of(inner):
            base -= width_of(part)
            top, bottom = min(high - base, width_of(part) - 1), max(low - base, 0)
            if top >= bottom:
                parts.append(fold.slice(part, top, bottom))
        return fold.concat(*parts)
    for extension in (op.ZEXT, op.SEXT):
        inner = definer(word, extension)
        if inner is None:
            continue
        inside = words_of(inner)[0]
        if high < width_of(inside):
            return fold.slice(inside, high, low)
        if low >= width_of(inside) and extension is op.ZEXT:
            return fold.zero
    return None


def fold_index(fold: Fold) -> Word | None:
    """INDEX."""
    word, index = fold.words
    if not isinstance(index, Const):
        return None
    return fold.slice(word, index.value, index.value) if index.value < width_of(word) else fold.zero


def fold_extend(fold: Fold) -> Word | None:
    """REPEAT, ZEXT, SEXT."""
    word = fold.words[0]
    if width_of(word) == fold.width:
        return word
    if fold.op is not op.REPEAT:
        inner = definer(word, fold.op)
        if inner is not None:
            return fold.make(fold.op, words_of(inner)[0])
    return None


def fold_mux(fold: Fold) -> Word | None:
    """MUX."""
    select, then, otherwise = fold.words
    if isinstance(select, Const):
        return then if select.value else otherwise
    if then == otherwise:
        return then
    inverted = complement_of(select)
    if inverted is not None:
        return fold.make(op.MUX, inverted, otherwise, then)
    if fold.width == 1:
        if is_constant(then, 1) and is_constant(otherwise, 0):
            return select
        if is_constant(then, 0) and is_constant(otherwise, 1):
            return fold.make(op.NOT, select)
    inner = definer(then, op.MUX)
    if inner is not None and inner.uses[0] == select:
        return fold.make(op.MUX, select, words_of(inner)[1], otherwise)
    inner = definer(otherwise, op.MUX)
    if inner is not None and inner.uses[0] == select:
        return fold.make(op.MUX, select, then, words_of(inner)[2])
    return None


def fold_lut(fold: Fold) -> Word | None:
    """LUT."""
    index, table = fold.words
    if not isinstance(table, Const):
        return None
    mask = (1 << fold.width) - 1
    if isinstance(index, Const):
        return fold.constant(table.value >> (index.value * fold.width))
    first = table.value & mask
    if evaluate(op.REPEAT.name, Const(first, fold.width), number=1 << width_of(index)) == table:
        return Const(first, fold.width)
    return None
