"""Signals: words of a module under construction, with Python's operators.

    s = a + b              wraps around, as wide as both
    a[7:4]  a[0]  a[i]     bits high to low, one bit, the bit at a signal's value
    a.slt(b)  a.ult(b)     comparisons say their sign; a == b and a != b need none
    mux(s, a, b)  cat(high, low)  a.zext(16)  a.sext(16)  a.repeat(3)

Whole numbers stand for constants of the other operand's width. Operations on constants give constants, and
what folds is not built (`dmt_dialect.folding`). docs/hardware.md has the whole list.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, NoReturn, TypeAlias, Union, cast

from dmt_dialect import ops as op
from dynomite.errors import UsageError
from dynomite.ir import Const, Op, Origin, ValueRef

if TYPE_CHECKING:
    from dmt_dialect.folding import Word
    from hw_dialect.builder import ModuleBuilder

SignalLike: TypeAlias = Union["Signal", int]
"""A signal, or a whole number for a constant."""

_OWN = (__file__, __file__.replace("signals", "builder"))


def caller() -> Origin | None:
    """The line of the program that called into this package."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename in _OWN:
        frame = frame.f_back
    return None if frame is None else Origin(frame.f_code.co_filename, frame.f_lineno)


class Signal:
    """A word of a module: a value or a constant."""

    __slots__ = ("module", "width", "word")

    def __init__(self, module: ModuleBuilder, word: Word) -> None:
        self.module = module
        self.word = word
        if isinstance(word, Const):
            self.width: int = word.width
        else:
            assert word.type is not None
            self.width = cast("Const", word.type.params[0]).value

    @property
    def value(self) -> ValueRef | None:
        """The value in the IR; None if the signal is a constant."""
        return self.word if isinstance(self.word, ValueRef) else None

    def __len__(self) -> int:
        """Number of bits."""
        return self.width

    def __repr__(self) -> str:
        if isinstance(self.word, Const):
            return f"<Signal constant {self.word.value}: {self.width}>"
        return f"<Signal %{self.word.name or int(self.word.id)}: {self.width}>"

    def __bool__(self) -> NoReturn:
        raise TypeError("a signal has no truth value while the module is built; use mux, or `&` and `|`")

    def __iter__(self) -> NoReturn:
        raise TypeError("a signal is no sequence; take bits as in a[0]")

    def _build(self, operation: Op, width: int, *others: Signal | int) -> Signal:
        return self.module.build(operation, width, self, *others)

    def _other(self, other: SignalLike) -> Signal:
        return self.module.signal(other, self.width)

    def _same(self, operation: Op, other: SignalLike) -> Signal:
        return self._build(operation, self.width, self._other(other))

    def _compare(self, operation: Op, other: SignalLike) -> Signal:
        return self._build(operation, 1, self._other(other))

    def _shift(self, operation: Op, amount: SignalLike) -> Signal:
        if isinstance(amount, int):
            if amount < 0:
                raise UsageError(f"{operation.name}: the amount is negative")
            amount = self.module.constant(amount, max(amount.bit_length(), 1))
        return self._build(operation, self.width, amount)

    # Arithmetic.
    def __add__(self, other: SignalLike) -> Signal:
        return self._same(op.ADD, other)

    __radd__ = __add__

    def __sub__(self, other: SignalLike) -> Signal:
        return self._same(op.SUB, other)

    def __rsub__(self, other: SignalLike) -> Signal:
        return self._other(other) - self

    def __mul__(self, other: SignalLike) -> Signal:
        return self._same(op.MUL, other)

    __rmul__ = __mul__

    def __neg__(self) -> Signal:
        return self._build(op.NEG, self.width)

    def __abs__(self) -> Signal:
        return self._build(op.ABS, self.width)

    def udiv(self, other: SignalLike) -> Signal:
        """Unsigned quotient; all ones if `other` is 0."""
        return self._same(op.UDIV, other)

    def urem(self, other: SignalLike) -> Signal:
        """Unsigned remainder; this word if `other` is 0."""
        return self._same(op.UREM, other)

    def sdiv(self, other: SignalLike) -> Signal:
        """Signed quotient, rounded to zero."""
        return self._same(op.SDIV, other)

    def srem(self, other: SignalLike) -> Signal:
        """Signed remainder with the sign of this word."""
        return self._same(op.SREM, other)

    def smod(self, other: SignalLike) -> Signal:
        """Signed remainder with the sign of `other`."""
        return self._same(op.SMOD, other)

    def umul_wide(self, other: Signal) -> Signal:
        """The whole unsigned product, as wide as both words together."""
        return self._build(op.UMULW, self.width + other.width, other)

    def smul_wide(self, other: Signal) -> Signal:
        """The whole signed product, as wide as both words together."""
        return self._build(op.SMULW, self.width + other.width, other)

    # Bit by bit.
    def __and__(self, other: SignalLike) -> Signal:
        return self._same(op.AND, other)

    __rand__ = __and__

    def __or__(self, other: SignalLike) -> Signal:
        return self._same(op.OR, other)

    __ror__ = __or__

    def __xor__(self, other: SignalLike) -> Signal:
        return self._same(op.XOR, other)

    __rxor__ = __xor__

    def __invert__(self) -> Signal:
        return self._build(op.NOT, self.width)

    def nand(self, other: SignalLike) -> Signal:
        """Complement of `&`."""
        return self._same(op.NAND, other)

    def nor(self, other: SignalLike) -> Signal:
        """Complement of `|`."""
        return self._same(op.NOR, other)

    def xnor(self, other: SignalLike) -> Signal:
        """Complement of `^`."""
        return self._same(op.XNOR, other)

    # Reductions.
    def all(self) -> Signal:
        """1 if all bits are 1."""
        return self._build(op.REDAND, 1)

    def any(self) -> Signal:
        """1 if some bit is 1."""
        return self._build(op.REDOR, 1)

    def parity(self) -> Signal:
        """1 if the number of bits that are 1 is odd."""
        return self._build(op.REDXOR, 1)

    # Comparisons.
    def __eq__(self, other: SignalLike) -> Signal:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compare(op.EQ, other)

    def __ne__(self, other: SignalLike) -> Signal:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compare(op.NE, other)

    __hash__ = None  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]

    def ult(self, other: SignalLike) -> Signal:
        """Unsigned less."""
        return self._compare(op.ULT, other)

    def ule(self, other: SignalLike) -> Signal:
        """Unsigned less or equal."""
        return self._compare(op.ULE, other)

    def ugt(self, other: SignalLike) -> Signal:
        """Unsigned greater."""
        return self._compare(op.UGT, other)

    def uge(self, other: SignalLike) -> Signal:
        """Unsigned greater or equal."""
        return self._compare(op.UGE, other)

    def slt(self, other: SignalLike) -> Signal:
        """Signed less."""
        return self._compare(op.SLT, other)

    def sle(self, other: SignalLike) -> Signal:
        """Signed less or equal."""
        return self._compare(op.SLE, other)

    def sgt(self, other: SignalLike) -> Signal:
        """Signed greater."""
        return self._compare(op.SGT, other)

    def sge(self, other: SignalLike) -> Signal:
        """Signed greater or equal."""
        return self._compare(op.SGE, other)

    # Shifts.
    def __lshift__(self, amount: SignalLike) -> Signal:
        return self._shift(op.SHL, amount)

    def __rshift__(self, amount: SignalLike) -> Signal:
        """Zeros come in; `ashr` keeps the sign."""
        return self._shift(op.LSHR, amount)

    def ashr(self, amount: SignalLike) -> Signal:
        """Shift to the right, the sign comes in."""
        return self._shift(op.ASHR, amount)

    def rol(self, amount: SignalLike) -> Signal:
        """Rotation to the left."""
        return self._shift(op.ROL, amount)

    def ror(self, amount: SignalLike) -> Signal:
        """Rotation to the right."""
        return self._shift(op.ROR, amount)

    # Wiring.
    def __getitem__(self, key: int | slice | Signal) -> Signal:
        """Bits: `a[7:4]` 7 to 4, `a[0]` bit 0, `a[-1]` the top bit, `a[i]` the bit at a signal's value."""
        if isinstance(key, Signal):
            return self._build(op.INDEX, 1, key)
        high, low = bounds(key, self.width)
        return self.module.slice(self, high, low)

    def zext(self, width: int) -> Signal:
        """With zeros in front."""
        return self._build(op.ZEXT, width)

    def sext(self, width: int) -> Signal:
        """With copies of the sign in front."""
        return self._build(op.SEXT, width)

    def repeat(self, count: int) -> Signal:
        """Copies side by side."""
        return self._build(op.REPEAT, self.width * count)

    def named(self, name: str) -> Signal:
        """This signal, called so in the text, in waveforms and in messages."""
        if isinstance(self.word, ValueRef):
            self.module.builder.set_value_name(self.word, name)
        return self


def bounds(key: int | slice, width: int) -> tuple[int, int]:
    """High and low bit of an index as in `a[7:4]`; a missing bound is the end.

    Raises:
        UsageError: It is out of the word, or empty.
    """
    if isinstance(key, int):
        bit = key + width if key < 0 else key
        high, low = bit, bit
    else:
        if key.step is not None:
            raise UsageError("bits are taken as in a[high:low]")
        high = width - 1 if key.start is None else cast("int", key.start)
        low = 0 if key.stop is None else cast("int", key.stop)
    if not width > high >= low >= 0:
        raise UsageError(f"bits {high} to {low} of a word of {width} bits")
    return high, low


def mux(select: Signal, then: SignalLike, otherwise: SignalLike) -> Signal:
    """`then` if `select` (one bit) is 1, else `otherwise`; one of them may be a whole number."""
    sized = then if isinstance(then, Signal) else otherwise
    if not isinstance(sized, Signal):
        raise UsageError("mux: at least one choice must be a signal")
    module = select.module
    return module.build(
        op.MUX, sized.width, select, module.signal(then, sized.width), module.signal(otherwise, sized.width)
    )


def cat(*signals: Signal) -> Signal:
    """Signals side by side, the first one highest."""
    if not signals:
        raise UsageError("cat: no signals")
    return signals[0].module.build(op.CONCAT, sum(s.width for s in signals), *signals)


def lut(index: Signal, table: list[int], width: int) -> Signal:
    """The entry of a table of constants at an index; one entry for every value of the index."""
    module = index.module
    bits = 0
    for position, entry in enumerate(table):
        word = module.constant(entry, width).word
        assert isinstance(word, Const)
        bits |= word.value << (position * width)
    return module.build(op.LUT, width, index, module.constant(bits, width * len(table)))
