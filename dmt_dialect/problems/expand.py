"""Operators of code as terms that SMT-LIB has functions for.

SMT-LIB shifts by words of one width only, rotates by constants only, and has no function for some operators:
those are written by others. All that is left is as it was.
"""

from __future__ import annotations

from dmt_dialect.bitblast import BitVec, WordOp
from dmt_dialect.problems.code import CHAINS, Shape
from dynomite._native.smt import Sort, Term, Terms

_SHIFTS = (WordOp.SHL, WordOp.LSHR, WordOp.ASHR)


class Expander:
    """Makes terms in a store."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    def operator(self, shape: Shape, words: list[Term], width: int) -> Term:
        """The term of an operator over its words, as a bit-vector."""
        operation = shape.operation
        if operation in CHAINS:
            return self._chain(operation, words)
        if operation in _SHIFTS:
            return self._shift(operation, words[0], words[1])
        match operation:
            case WordOp.LUT:
                return self._table(words[0], words[1], width)
            case WordOp.INDEX:
                return self._slice(self._shift(WordOp.LSHR, words[0], words[1]), 0, 0)
            case WordOp.ROL | WordOp.ROR:
                return self._rotation(operation, words[0], words[1])
            case WordOp.ABS:
                negative = self.terms.op(WordOp.SLT, [words[0], self._constant(0, width)])
                return self.terms.op(WordOp.MUX, [negative, self.terms.op(WordOp.NEG, words), words[0]])
            case WordOp.UMULW | WordOp.SMULW:
                extend = WordOp.ZEXT if operation is WordOp.UMULW else WordOp.SEXT
                return self._chain(WordOp.MUL, [self._extended(word, width, extend) for word in words])
            case WordOp.REDXOR:
                (word,) = words
                return self._chain(WordOp.XOR, [self._slice(word, i, i) for i in range(word.sort.width)])
            case WordOp.MUX:
                chosen = self.terms.op(WordOp.EQ, [words[0], self._constant(1, 1)])
                return self.terms.op(WordOp.MUX, [chosen, *words[1:]])
            case _:
                attributes = {"hi": shape.hi, "lo": shape.lo, "number": shape.number}
                return self.terms.op(operation, words, sort=Sort.bits(width), **attributes)

    def _chain(self, operation: WordOp, words: list[Term]) -> Term:
        term = words[0]
        for word in words[1:]:
            term = self.terms.op(operation, [term, word])
        return term

    def _constant(self, value: int, width: int) -> Term:
        return self.terms.constant(BitVec(value, width))

    def _slice(self, word: Term, high: int, low: int) -> Term:
        if high - low + 1 == word.sort.width:
            return word
        return self.terms.op(WordOp.SLICE, [word], hi=high, lo=low)

    def _extended(self, word: Term, width: int, extend: WordOp = WordOp.ZEXT) -> Term:
        return word if word.sort.width == width else self.terms.op(extend, [word], number=width)

    def _shift(self, operation: WordOp, word: Term, amount: Term) -> Term:
        """Both as wide as the wider one; of the result the lower part."""
        width = word.sort.width
        wide = max(width, amount.sort.width)
        extend = WordOp.SEXT if operation is WordOp.ASHR else WordOp.ZEXT
        operands = [self._extended(word, wide, extend), self._extended(amount, wide)]
        return self._slice(self.terms.op(operation, operands), width - 1, 0)

    def _rotation(self, operation: WordOp, word: Term, amount: Term) -> Term:
        """Two shifts: by the amount modulo the width, and by what is left."""
        width = word.sort.width
        wide = max(amount.sort.width, width.bit_length() + 1)
        whole = self._constant(width, wide)
        by = self.terms.op(WordOp.UREM, [self._extended(amount, wide), whole])
        rest = self.terms.op(WordOp.SUB, [whole, by])
        first, second = WordOp.SHL, WordOp.LSHR
        if operation is WordOp.ROR:
            first, second = second, first
        return self.terms.op(WordOp.OR, [self._shift(first, word, by), self._shift(second, word, rest)])

    def _table(self, index: Term, table: Term, width: int) -> Term:
        """A table is a word; its entries come down by a shift."""
        wide = max(table.sort.width, index.sort.width + width.bit_length() + 1)
        at = self._chain(WordOp.MUL, [self._extended(index, wide), self._constant(width, wide)])
        shifted = self.terms.op(WordOp.LSHR, [self._extended(table, wide), at])
        return self._slice(shifted, width - 1, 0)
