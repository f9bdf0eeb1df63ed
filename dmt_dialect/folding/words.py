"""What rules of folding work with: words, and an operation that is about to be built."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

from dmt_dialect import ops as op
from dmt_dialect.constants import evaluate
from dynomite.ir import Builder, Const, InstrRef, Op, Type, ValueRef
from dynomite.ir.operands import Operand

Word: TypeAlias = ValueRef | Const
"""What stands for a word: a value or a constant."""
Rule: TypeAlias = "Callable[[Fold], Word | None]"


def width_of(word: Operand) -> int:
    """Bits of a value or constant."""
    if isinstance(word, Const):
        return word.width
    assert isinstance(word, ValueRef)
    assert word.type is not None
    return width_of_type(word.type)


def width_of_type(kind: Type) -> int:
    """Bits of a type that is a row of bits."""
    width = kind.params[0]
    assert isinstance(width, Const)
    return width.value


def definer(word: Operand, wanted: Op) -> InstrRef | None:
    """The operation that defines a value, if it is `wanted`."""
    if isinstance(word, ValueRef):
        instr = word.instr
        if instr.is_op(wanted):
            return instr
    return None


def words_of(instr: InstrRef) -> list[Word]:
    """The values and constants an operator uses."""
    return [use for use in instr.uses if isinstance(use, ValueRef | Const)]


class Fold:
    """One operation about to be built: its operands and means to build others."""

    def __init__(self, builder: Builder, kind: Type, operation: Op, words: list[Word]) -> None:
        self.builder = builder
        self.type = kind
        self.op = operation
        self.words = words
        self.width = width_of_type(kind)

    def constant(self, value: int) -> Const:
        """A constant of the result's width, modulo it."""
        return Const(value & ((1 << self.width) - 1), self.width)

    @property
    def zero(self) -> Const:
        """0, of the result's width."""
        return Const(0, self.width)

    @property
    def ones(self) -> Const:
        """All ones, of the result's width."""
        return self.constant(-1)

    def type_of(self, width: int) -> Type:
        """The result's type with another width."""
        return self.builder.module.type(self.type.kind, width)

    def make(self, operation: Op, *words: Operand, width: int | None = None) -> Word:
        """Another operation; of the result's width if none is given."""
        kind = self.type if width is None else self.type_of(width)
        return cast("Word", self.builder.value(operation, kind, *words))

    def slice(self, word: Word, high: int, low: int) -> Word:
        """Bits of a word."""
        if high - low + 1 == width_of(word):
            return word
        return self.make(op.SLICE, word, high, low, width=high - low + 1)

    def concat(self, *words: Word) -> Word:
        """Words side by side, the first one highest."""
        return words[0] if len(words) == 1 else self.make(op.CONCAT, *words, width=sum(map(width_of, words)))


def is_constant(word: Word, value: int) -> bool:
    """Whether a word is this constant; -1 is all ones."""
    return isinstance(word, Const) and word.value == value & ((1 << word.width) - 1)


def complement_of(word: Word) -> Word | None:
    """What a word is the NOT of."""
    instr = definer(word, op.NOT)
    return words_of(instr)[0] if instr is not None else None


def complementary(a: Word, b: Word) -> bool:
    """Whether one word is the NOT of the other."""
    inside_a, inside_b = complement_of(a), complement_of(b)
    return (inside_a is not None and inside_a == b) or (inside_b is not None and inside_b == a)


def merged(fold: Fold, neutral: Const) -> tuple[list[Word], Const]:
    """The operands of a variadic operation that are no constants, and all constants in one."""
    words: list[Word] = []
    total = neutral
    for word in fold.words:
        if isinstance(word, Const):
            total = evaluate(fold.op.name, total, word)
        else:
            words.append(word)
    return words, total


def rebuilt(fold: Fold, words: list[Word]) -> Word | None:
    """The operation on these operands, None if they are what it has already."""
    if len(words) == 1:
        return words[0]
    return fold.make(fold.op, *words) if words != fold.words else None
