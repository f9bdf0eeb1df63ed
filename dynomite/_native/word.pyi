"""Words: values, operators, bit-blasting."""

from collections.abc import Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray

import dynomite._native.aig
import dynomite._native.base


class BitVec:
    """
    A constant word: a number of bits of fixed width.

    Immutable. Words know no sign: operators are modulo 2^width and, where it matters, unsigned; `evaluate` has all others. Both operands have one width; an integer takes the word's. Equal words have equal width and bits. `word[3]` is a bit, `word[7:4]` are bits 7 to 4, both as words.

    >>> BitVec(-3, 8)
    BitVec(0xfd, width=8)
    """

    def __init__(self, value: int, width: int) -> None:
        """
        Args:
            value: Its value, signed or unsigned.
            width: The number of bits, at least 1.

        Raises:
            UsageError: The value needs more bits, or the width is 0.
            LimitError: More than 2^24 bits.
        """

    @property
    def width(self) -> int:
        """Number of bits."""

    @property
    def unsigned(self) -> int:
        """The value, 0 to 2^width - 1."""

    @property
    def signed(self) -> int:
        """The value, -2^(width - 1) to 2^(width - 1) - 1."""

    @property
    def hex(self) -> str:
        """All hexadecimal digits, with 0x in front."""

    @property
    def binary(self) -> str:
        """All bits, the top one first, without a prefix."""

    def __int__(self) -> int:
        """The unsigned value."""

    def __index__(self) -> int:
        """The unsigned value."""

    def __len__(self) -> int:
        """Number of bits."""

    def __bool__(self) -> bool:
        """Some bit is set."""

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __getitem__(self, key: int | slice) -> BitVec:
        """
        A bit, or bits [high:low], both included; negative numbers count from the top.
        """

    def __getstate__(self) -> tuple[int, int]: ...

    def __setstate__(self, arg: tuple[int, int], /) -> None: ...

    def __add__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __radd__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __sub__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __rsub__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __mul__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __rmul__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __floordiv__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __rfloordiv__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __mod__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __rmod__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __and__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __rand__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __or__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __ror__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __xor__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __rxor__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __lshift__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __rshift__(self, other: BitVec | int) -> BitVec:
        """Unsigned; an integer takes the width of the word."""

    def __lt__(self, other: BitVec | int) -> bool:
        """Unsigned; an integer takes the width of the word."""

    def __le__(self, other: BitVec | int) -> bool:
        """Unsigned; an integer takes the width of the word."""

    def __gt__(self, other: BitVec | int) -> bool:
        """Unsigned; an integer takes the width of the word."""

    def __ge__(self, other: BitVec | int) -> bool:
        """Unsigned; an integer takes the width of the word."""

    def __neg__(self) -> BitVec: ...

    def __invert__(self) -> BitVec: ...

class ArithReport:
    """
    Adder cells, adder trees and multipliers found in an AIG.

    Arrays hold AIGER numbers of literals. Independent of the AIG once made.
    """

    @property
    def complete(self) -> bool:
        """False if `stop` ended the search."""

    @property
    def xor3s(self) -> int:
        """Nodes that are the parity of three others."""

    @property
    def majorities(self) -> int:
        """Nodes that are the majority of three others."""

    @property
    def conflicts(self) -> int:
        """Sums and carries that fit no tree twice."""

    @property
    def cells(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C')]:
        """
        One row a cell: three inputs (the last of a half adder is constant), sum, carry, tree, weight.
        """

    @property
    def tree_count(self) -> int:
        """Number of trees."""

    @property
    def multiplier_count(self) -> int:
        """Number of multipliers."""

    def tree_sizes(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C')]:
        """
        One row a tree: cells, parities on top, columns, leaves, whether it adds two words.
        """

    def leaves(self, tree: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C')]:
        """Rows of weight and literal: what a tree adds up."""

    def outputs(self, tree: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C')]:
        """Rows of weight and literal: what comes out of a tree."""

    def constants(self, tree: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """Weights of constant ones a tree adds."""

    def tops(self, tree: int) -> list[tuple[int, int, NDArray[numpy.uint32]]]:
        """Parities whose carry nobody needs: weight, sum, inputs."""

    def product(self, multiplier: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """
        Literals of the product from bit 0 on, found by their values; empty if it is not there as a whole.
        """

    @property
    def prefix_adder_count(self) -> int:
        """Number of adders whose carries are not those of cells."""

    def prefix_adder(self, index: int) -> tuple[NDArray[numpy.uint32], NDArray[numpy.uint32], int, NDArray[numpy.uint32], int]:
        """
        Literals of both operands, carry in, sum, carry out; 0 for a carry that is not there.
        """

    def operand_a(self, multiplier: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """Literals of the first operand, bit 0 first."""

    def operand_b(self, multiplier: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """Literals of the second operand, bit 0 first."""

    def multiplier(self, multiplier: int) -> tuple[int, int, bool, bool, bool, bool]:
        """
        Tree, weight in the product of the tree's weight 0, signed, square, Booth, inverted.
        """

def find_arithmetic(aig: dynomite._native.aig.Aig, *, stop: dynomite._native.base.Stop | None = None) -> ArithReport:
    """Finds adders and multipliers in an AIG."""

class WordShape(enum.Enum):
    """Rules for the widths of operands and result."""

    UNARY = 0
    """One operand; the result is as wide."""

    BINARY = 1
    """Two operands of one width; the result is as wide."""

    COMPARE = 2
    """Two operands of one width; one bit."""

    REDUCE = 3
    """One operand; one bit."""

    WIDEN = 4
    """Two operands; the result is as wide as both together."""

    SHIFT = 5
    """A word and an amount of any width; as wide as the word."""

    INDEX = 6
    """A word and an index of any width; one bit."""

    CONCAT = 7
    """One or more operands, the first the high part."""

    ATTRIBUTE = 8
    """One operand; the attribute gives the width."""

    MUX = 9
    """One bit, then two operands of the result's width."""

class WordAttr(enum.Enum):
    """What an operator needs beside its operands."""

    NONE = 0
    """Nothing."""

    RANGE = 1
    """`hi` and `lo`, both included."""

    COUNT = 2
    """`number` copies."""

    WIDTH = 3
    """`number` bits in the result."""

    TABLE = 4
    """`table`, one entry for each value of the operand."""

class WordOp(enum.Enum):
    """An operator on words, with the meaning SMT-LIB's QF_BV gives it."""

    ADD = 0
    """sum"""

    SUB = 1
    """difference"""

    NEG = 2
    """two's complement"""

    ABS = 3
    """magnitude of a signed word"""

    MUL = 4
    """product, as wide as one operand"""

    SMULW = 5
    """whole product of signed words"""

    UMULW = 6
    """whole product of unsigned words"""

    UDIV = 7
    """unsigned quotient; by 0: all ones"""

    UREM = 8
    """unsigned remainder; by 0: the dividend"""

    SDIV = 9
    """signed quotient, rounded to zero; by 0: 1 if negative else -1"""

    SREM = 10
    """signed remainder with the dividend's sign"""

    SMOD = 11
    """signed remainder with the divisor's sign"""

    AND = 12
    """bitwise and"""

    OR = 13
    """bitwise or"""

    XOR = 14
    """bitwise exclusive or"""

    NAND = 15
    """complement of AND"""

    NOR = 16
    """complement of OR"""

    XNOR = 17
    """complement of XOR"""

    NOT = 18
    """bitwise complement"""

    REDAND = 19
    """all bits are set"""

    REDOR = 20
    """some bit is set"""

    REDXOR = 21
    """the number of bits set is odd"""

    EQ = 22
    """equal"""

    NE = 23
    """different"""

    ULT = 24
    """less, unsigned"""

    ULE = 25
    """at most, unsigned"""

    UGT = 26
    """greater, unsigned"""

    UGE = 27
    """at least, unsigned"""

    SLT = 28
    """less, signed"""

    SLE = 29
    """at most, signed"""

    SGT = 30
    """greater, signed"""

    SGE = 31
    """at least, signed"""

    SHL = 32
    """shifted towards the top bit, zeros in"""

    LSHR = 33
    """shifted towards bit 0, zeros in"""

    ASHR = 34
    """shifted towards bit 0, copies of the sign in"""

    ROL = 35
    """rotated towards the top bit, modulo the width"""

    ROR = 36
    """rotated towards bit 0, modulo the width"""

    CONCAT = 37
    """side by side, the first operand on top"""

    SLICE = 38
    """bits hi to lo, both included"""

    INDEX = 39
    """the bit with this number; 0 beyond the word"""

    REPEAT = 40
    """copies side by side"""

    ZEXT = 41
    """zeros in front"""

    SEXT = 42
    """copies of the sign in front"""

    MUX = 43
    """the second operand if the first is 1, else the third"""

    LUT = 44
    """the table's entry with this number"""

    UADDO = 45
    """ADD overflows, unsigned"""

    SADDO = 46
    """ADD overflows, signed"""

    USUBO = 47
    """SUB overflows, unsigned"""

    SSUBO = 48
    """SUB overflows, signed"""

    UMULO = 49
    """MUL overflows, unsigned"""

    SMULO = 50
    """MUL overflows, signed"""

    NEGO = 51
    """NEG overflows"""

    SDIVO = 52
    """SDIV overflows"""

class WordOpInfo:
    """What the table of operators says of one."""

    @property
    def op(self) -> WordOp:
        """The operator."""

    @property
    def name(self) -> str:
        """Its name, upper case."""

    @property
    def shape(self) -> WordShape:
        """The rule for widths."""

    @property
    def attr(self) -> WordAttr:
        """The attribute it needs."""

    @property
    def arity(self) -> int | None:
        """Number of operands; None for one or more."""

    @property
    def commutative(self) -> bool:
        """Operands may be exchanged."""

    @property
    def summary(self) -> str:
        """One line for people."""

def info(op: WordOp) -> WordOpInfo:
    """The table's row of an operator."""

def find_word_op(name: str) -> WordOp | None:
    """
    The operator of this name, in upper or lower case; None if there is none.
    """

def result_width(op: WordOp, widths: Sequence[int], *, hi: int = 0, lo: int = 0, number: int = 0, table: BitVec | None = None) -> int:
    """
    Checks operand widths and attributes, and gives the width of the result.
    """

def evaluate(op: WordOp, operands: Sequence[BitVec], *, hi: int = 0, lo: int = 0, number: int = 0, table: BitVec | None = None) -> BitVec:
    """The value of an operator."""

def blast(aig: dynomite._native.aig.Aig, op: WordOp, operands: Sequence[object], *, hi: int = 0, lo: int = 0, number: int = 0, table: BitVec | None = None, architecture: str = '', stop: dynomite._native.base.Stop | None = None) -> tuple[dynomite._native.aig.Lit, ...]:
    """
    Builds the gates of an operator; the literals of the result, bit 0 first; none if `stop` ended it.
    """

def blast_array(aig: dynomite._native.aig.Aig, op: WordOp, operands: Sequence[object], *, hi: int = 0, lo: int = 0, number: int = 0, table: BitVec | None = None, architecture: str = '', stop: dynomite._native.base.Stop | None = None) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
    """As `blast`, as an array of AIGER numbers."""

def architecture_text(text: str) -> str:
    """Checks the text of an architecture and gives it in full."""
