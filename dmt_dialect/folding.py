"""Folding of word operators: what a builder returns instead of a new operation, and what canonicalising does.

    x + 0 -> x          mux(s, x, x) -> x          x << 9 -> constant(0, 8), for 8 bits
    x & x -> x          ~~x -> x                   concat(x[7:4], x[3:0]) -> x

`FOLDING` is an interface for `dynomite.ir.set_folding`. A rule returns a value, a constant, or None where it
knows nothing; what it builds goes through the builder and is folded itself. Rules only go towards constants,
fewer or cheaper operators: bits in place of shifts, so they end. Constants are computed by the table of
operators (`_native.word`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, cast

from dmt_dialect import ops as op
from dmt_dialect.constants import evaluate
from dynomite.ir import Builder, Const, FoldFunction, InstrRef, Interface, Op, Type, ValueRef, fold_interface
from dynomite.ir.operands import Operand

Word: TypeAlias = ValueRef | Const
"""What stands for a word: a value or a constant."""
Rule: TypeAlias = "Callable[[_Fold], Word | None]"

FOLDING: Interface[FoldFunction | None] = fold_interface()
"""Folding of all operators of the dialect `op`."""


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


class _Fold:
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
        return Const(0, self.width)

    @property
    def ones(self) -> Const:
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


def _is(word: Word, value: int) -> bool:
    """Whether a word is this constant; -1 is all ones."""
    return isinstance(word, Const) and word.value == value & ((1 << word.width) - 1)


def _complement_of(word: Word) -> Word | None:
    instr = definer(word, op.NOT)
    return words_of(instr)[0] if instr is not None else None


def _complementary(a: Word, b: Word) -> bool:
    inside_a, inside_b = _complement_of(a), _complement_of(b)
    return (inside_a is not None and inside_a == b) or (inside_b is not None and inside_b == a)


def _merged(fold: _Fold, neutral: Const) -> tuple[list[Word], Const]:
    """The operands of a variadic operation that are no constants, and all constants in one."""
    words: list[Word] = []
    total = neutral
    for word in fold.words:
        if isinstance(word, Const):
            total = evaluate(fold.op.name, total, word)
        else:
            words.append(word)
    return words, total


def _rebuilt(fold: _Fold, words: list[Word]) -> Word | None:
    """The operation on these operands, None if they are what it has already."""
    if len(words) == 1:
        return words[0]
    return fold.make(fold.op, *words) if words != fold.words else None


def _add(fold: _Fold) -> Word | None:
    words, total = _merged(fold, fold.zero)
    if total.value or not words:
        words.append(total)
    return _rebuilt(fold, words)


def _sub(fold: _Fold) -> Word | None:
    a, b = fold.words
    if a == b:
        return fold.zero
    if _is(b, 0):
        return a
    if _is(a, 0):
        return fold.make(op.NEG, b)
    if isinstance(b, Const):
        return fold.make(op.ADD, a, fold.constant(-b.value))
    return None


def _neg(fold: _Fold) -> Word | None:
    instr = definer(fold.words[0], op.NEG)
    if instr is not None:
        return words_of(instr)[0]
    return fold.words[0] if fold.width == 1 else None


def _mul(fold: _Fold) -> Word | None:
    words, total = _merged(fold, fold.constant(1))
    if total.value == 0:
        return fold.zero
    if total.value != 1 or not words:
        words.append(total)
    return _rebuilt(fold, words)


def _shift_of(word: Word) -> int | None:
    """K of the constant 2^k."""
    if isinstance(word, Const) and word.value.bit_count() == 1:
        return word.value.bit_length() - 1
    return None


def _udiv(fold: _Fold) -> Word | None:
    a, b = fold.words
    if _is(b, 0):
        return fold.ones
    shift = _shift_of(b)
    return None if shift is None else fold.make(op.LSHR, a, Const(shift, fold.width.bit_length() + 1))


def _urem(fold: _Fold) -> Word | None:
    a, b = fold.words
    if _is(b, 0):
        return a
    return (
        fold.make(op.AND, a, fold.constant(cast("Const", b).value - 1)) if _shift_of(b) is not None else None
    )


def _signed_division(fold: _Fold) -> Word | None:
    a, b = fold.words
    if fold.width > 1 and _is(b, 1):
        return a if fold.op is op.SDIV else fold.zero
    if fold.op is not op.SDIV and _is(b, 0):
        return a
    return None


def _and_or(fold: _Fold) -> Word | None:
    neutral, absorbing = (fold.ones, fold.zero) if fold.op is op.AND else (fold.zero, fold.ones)
    words, total = _merged(fold, neutral)
    if total == absorbing:
        return absorbing
    words = list(dict.fromkeys(words))
    seen = set(words)
    if any(_complement_of(word) in seen for word in words):
        return absorbing
    if total != neutral or not words:
        words.append(total)
    return _rebuilt(fold, words)


def _xor(fold: _Fold) -> Word | None:
    words, total = _merged(fold, fold.zero)
    once: dict[Word, None] = {}
    for word in words:
        # Pairs cancel; a word and its complement give all ones.
        other = (
            next((known for known in once if _complementary(word, known)), None) if len(words) <= 8 else None
        )
        if word in once:
            del once[word]
        elif other is not None:
            del once[other]
            total = fold.constant(~total.value)
        else:
            once[word] = None
    words = list(once)
    if words and total == fold.ones:
        rest = words[0] if len(words) == 1 else fold.make(op.XOR, *words)
        return fold.make(op.NOT, rest)
    if total.value or not words:
        words.append(total)
    return _rebuilt(fold, words)


def _complemented(plain: Op) -> Rule:
    """NAND, NOR, XNOR where the plain operation folds."""

    def rule(fold: _Fold) -> Word | None:
        a, b = fold.words
        extreme = any(_is(word, 0) or _is(word, -1) for word in (a, b))
        if a != b and not extreme and not _complementary(a, b):
            return None
        return fold.make(op.NOT, fold.make(plain, a, b))

    return rule


_INVERSE = {
    op.EQ.name: op.NE,
    op.NE.name: op.EQ,
    op.ULT.name: op.UGE,
    op.UGE.name: op.ULT,
    op.ULE.name: op.UGT,
    op.UGT.name: op.ULE,
    op.SLT.name: op.SGE,
    op.SGE.name: op.SLT,
    op.SLE.name: op.SGT,
    op.SGT.name: op.SLE,
}


def _not(fold: _Fold) -> Word | None:
    word = fold.words[0]
    inner = _complement_of(word)
    if inner is not None:
        return inner
    if isinstance(word, ValueRef):
        instr = word.instr
        inverse = _INVERSE.get(instr.name.removeprefix("op.")) if instr.name.startswith("op.") else None
        if inverse is not None:
            return fold.make(inverse, *words_of(instr))
    return None


def _reduce(fold: _Fold) -> Word | None:
    return fold.words[0] if width_of(fold.words[0]) == 1 else None


def _equal(fold: _Fold) -> Word | None:
    a, b = fold.words
    equal = fold.op is op.EQ
    if a == b:
        return fold.constant(equal)
    if _complementary(a, b):
        return fold.constant(not equal)
    if isinstance(a, Const):
        a, b = b, a
    if width_of(a) == 1 and isinstance(b, Const):
        return a if bool(b.value) == equal else fold.make(op.NOT, a)
    return None


def _less(fold: _Fold) -> Word | None:
    a, b = fold.words
    name = fold.op.name
    strict = name.endswith("T")
    if a == b:
        return fold.constant(not strict)
    if name[1] == "G":
        a, b = b, a
    # Now a < b or a <= b.
    top = 1 << (width_of(a) - 1)
    least, most = (0, -1) if name[0] == "U" else (top, top - 1)
    if strict and (_is(a, most) or _is(b, least)):
        return fold.zero
    if not strict and (_is(a, least) or _is(b, most)):
        return fold.ones
    if strict and name[0] == "U" and (_is(b, 1) or _is(a, 0)):
        return fold.make(op.EQ, a, Const(0, width_of(a))) if _is(b, 1) else fold.make(op.NE, b, a)
    if not strict and name[0] == "U" and _is(b, 0):
        return fold.make(op.EQ, a, b)
    return None


def _shift(fold: _Fold) -> Word | None:
    a, amount = fold.words
    if _is(a, 0):
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


def _bounds(instr: InstrRef) -> tuple[int, int]:
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


def _concat(fold: _Fold) -> Word | None:
    words: list[Word] = []
    for word in _pieces(fold.words):
        joined = _joined(fold, words[-1], word) if words else None
        if joined is not None:
            words[-1] = joined
        else:
            words.append(word)
    return _rebuilt(fold, words)


def _joined(fold: _Fold, high: Word, low: Word) -> Word | None:
    """Two neighbours of a concatenation as one word, if they are."""
    if isinstance(high, Const) and isinstance(low, Const):
        return Const(high.value << low.width | low.value, high.width + low.width)
    upper, lower = definer(high, op.SLICE), definer(low, op.SLICE)
    if upper is None or lower is None or upper.uses[0] != lower.uses[0]:
        return None
    top, middle = _bounds(upper)
    below, bottom = _bounds(lower)
    return fold.slice(words_of(upper)[0], top, bottom) if middle == below + 1 else None


def _slice(fold: _Fold) -> Word | None:
    word, high, low = fold.words[0], *(cast("Const", w).value for w in fold.words[1:3])
    if high - low + 1 == width_of(word):
        return word
    if isinstance(word, Const):
        return fold.constant(word.value >> low)
    inner = definer(word, op.SLICE)
    if inner is not None:
        base = _bounds(inner)[1]
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


def _index(fold: _Fold) -> Word | None:
    word, index = fold.words
    if not isinstance(index, Const):
        return None
    return fold.slice(word, index.value, index.value) if index.value < width_of(word) else fold.zero


def _extend(fold: _Fold) -> Word | None:
    word = fold.words[0]
    if width_of(word) == fold.width:
        return word
    if fold.op is not op.REPEAT:
        inner = definer(word, fold.op)
        if inner is not None:
            return fold.make(fold.op, words_of(inner)[0])
    return None


def _mux(fold: _Fold) -> Word | None:
    select, then, otherwise = fold.words
    if isinstance(select, Const):
        return then if select.value else otherwise
    if then == otherwise:
        return then
    inverted = _complement_of(select)
    if inverted is not None:
        return fold.make(op.MUX, inverted, otherwise, then)
    if fold.width == 1:
        if _is(then, 1) and _is(otherwise, 0):
            return select
        if _is(then, 0) and _is(otherwise, 1):
            return fold.make(op.NOT, select)
    inner = definer(then, op.MUX)
    if inner is not None and inner.uses[0] == select:
        return fold.make(op.MUX, select, words_of(inner)[1], otherwise)
    inner = definer(otherwise, op.MUX)
    if inner is not None and inner.uses[0] == select:
        return fold.make(op.MUX, select, then, words_of(inner)[2])
    return None


def _lut(fold: _Fold) -> Word | None:
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


def _nothing(fold: _Fold) -> Word | None:
    del fold
    return None


_RULES: dict[str, Rule] = {
    "ADD": _add,
    "SUB": _sub,
    "NEG": _neg,
    "MUL": _mul,
    "UDIV": _udiv,
    "UREM": _urem,
    "AND": _and_or,
    "OR": _and_or,
    "XOR": _xor,
    "NAND": _complemented(op.AND),
    "NOR": _complemented(op.OR),
    "XNOR": _complemented(op.XOR),
    "NOT": _not,
    "CONCAT": _concat,
    "SLICE": _slice,
    "INDEX": _index,
    "MUX": _mux,
    "LUT": _lut,
    "EQ": _equal,
    "NE": _equal,
    **dict.fromkeys(("SDIV", "SREM", "SMOD"), _signed_division),
    **dict.fromkeys(("REDAND", "REDOR", "REDXOR"), _reduce),
    **dict.fromkeys(("ULT", "ULE", "UGT", "UGE", "SLT", "SLE", "SGT", "SGE"), _less),
    **dict.fromkeys(("SHL", "LSHR", "ASHR", "ROL", "ROR"), _shift),
    **dict.fromkeys(("REPEAT", "ZEXT", "SEXT"), _extend),
}


def _entry(operation: Op, rule: Rule) -> FoldFunction:
    def fold(builder: Builder, kind: Type | None, operands: tuple[Operand, ...]) -> Word | None:
        words = [word for word in operands if isinstance(word, ValueRef | Const)]
        if kind is None or not kind.params or len(words) < operation.uses:
            return None
        it = _Fold(builder, kind, operation, words)
        if all(isinstance(word, Const) for word in words):
            return _constant(it)
        return rule(it)

    return fold


def _constant(fold: _Fold) -> Const:
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
