"""The dialect `op`: word operators, on values of any type that is a row of bits.

    using op
    ADD %s:def(op.bits(8)) %a %b
    SLICE %h:def(op.bits(4)) %s 7 4
    EQ %z:def(op.bits(1)) %h constant(0, 4)

A row of bits is a value of a type with the single parameter `width`: `op.bits(8)` here, `hw.wire(8)` in
netlists. Operands of one operation have one such type but for the width; integer constants stand for
values anywhere. Semantics are those of SMT-LIB's QF_BV: division by 0 gives all ones, the remainder of it the
dividend, a shift by the width or more 0 or the sign. Widths are at least 1 and at most 2^20.

The rules of widths are in `native/op/op_rules.cpp`, what the operators mean in `native/word`;
`dmt_dialect.folding` simplifies them.
"""

from __future__ import annotations

from dynomite.ir import Dialect, Op

OP = Dialect("op")
"""The dialect, to be loaded into contexts."""

BITS = OP.type("bits", params=("width",), doc="A row of bits, bit 0 the lowest.")


def _same(name: str, doc: str, *, uses: int = 2, commutative: bool = False, variadic: bool = False) -> Op:
    return OP.op(
        name,
        defs=1,
        uses=uses,
        doc=doc,
        pure=True,
        same_type=True,
        commutative=commutative,
        variadic=variadic,
    )


def _other(name: str, doc: str, *, uses: int = 2, commutative: bool = False, variadic: bool = False) -> Op:
    return OP.op(name, defs=1, uses=uses, doc=doc, pure=True, commutative=commutative, variadic=variadic)


# Arithmetic: all of one width.
ADD = _same("ADD", "Sum, of two or more.", commutative=True, variadic=True)
SUB = _same("SUB", "Difference.")
NEG = _same("NEG", "Negation.", uses=1)
ABS = _same("ABS", "Absolute value as a signed number; that of the smallest number is itself.", uses=1)
MUL = _same("MUL", "Product, of two or more.", commutative=True, variadic=True)
UDIV = _same("UDIV", "Unsigned quotient; all ones if the divisor is 0.")
UREM = _same("UREM", "Unsigned remainder; the dividend if the divisor is 0.")
SDIV = _same("SDIV", "Signed quotient, rounded to 0; by 0, 1 for a negative dividend and else -1.")
SREM = _same("SREM", "Signed remainder with the sign of the dividend; the dividend if the divisor is 0.")
SMOD = _same("SMOD", "Signed remainder with the sign of the divisor; the dividend if the divisor is 0.")
SMULW = _other("SMULW", "Signed product as wide as both operands together.", commutative=True)
UMULW = _other("UMULW", "Unsigned product as wide as both operands together.", commutative=True)

# Bit by bit.
AND = _same("AND", "AND of two or more.", commutative=True, variadic=True)
OR = _same("OR", "OR of two or more.", commutative=True, variadic=True)
XOR = _same("XOR", "XOR of two or more.", commutative=True, variadic=True)
NAND = _same("NAND", "Complement of AND.", commutative=True)
NOR = _same("NOR", "Complement of OR.", commutative=True)
XNOR = _same("XNOR", "Complement of XOR.", commutative=True)
NOT = _same("NOT", "Complement.", uses=1)

# Reductions: one bit.
REDAND = _other("REDAND", "1 if all bits are 1.", uses=1)
REDOR = _other("REDOR", "1 if some bit is 1.", uses=1)
REDXOR = _other("REDXOR", "1 if the number of bits that are 1 is odd.", uses=1)

# Comparisons of two of one width: one bit.
EQ = _other("EQ", "Equal.", commutative=True)
NE = _other("NE", "Not equal.", commutative=True)
ULT = _other("ULT", "Unsigned less.")
ULE = _other("ULE", "Unsigned less or equal.")
UGT = _other("UGT", "Unsigned greater.")
UGE = _other("UGE", "Unsigned greater or equal.")
SLT = _other("SLT", "Signed less.")
SLE = _other("SLE", "Signed less or equal.")
SGT = _other("SGT", "Signed greater.")
SGE = _other("SGE", "Signed greater or equal.")

# Overflow of arithmetic on two of one width: one bit.
UADDO = _other("UADDO", "The unsigned sum does not fit.", commutative=True)
SADDO = _other("SADDO", "The signed sum does not fit.", commutative=True)
USUBO = _other("USUBO", "The unsigned difference does not fit.")
SSUBO = _other("SSUBO", "The signed difference does not fit.")
UMULO = _other("UMULO", "The unsigned product does not fit.", commutative=True)
SMULO = _other("SMULO", "The signed product does not fit.", commutative=True)
SDIVO = _other("SDIVO", "The signed quotient does not fit.")
NEGO = _other("NEGO", "The negation does not fit.", uses=1)

# Shifts by an unsigned amount of any width; the result is as wide as the first operand.
SHL = _other("SHL", "Shift to the left, zeros come in.")
LSHR = _other("LSHR", "Shift to the right, zeros come in.")
ASHR = _other("ASHR", "Shift to the right, the sign comes in.")
ROL = _other("ROL", "Rotation to the left, by the amount modulo the width.")
ROR = _other("ROR", "Rotation to the right, by the amount modulo the width.")

# Wiring.
CONCAT = _other("CONCAT", "The operands side by side, the first one highest.", uses=1, variadic=True)
SLICE = _other("SLICE", "Bits `high` to `low`, two numbers, of the first operand.", uses=3)
INDEX = _other("INDEX", "The bit of the first operand at an unsigned index; 0 beyond its width.")
REPEAT = _other("REPEAT", "Copies of the operand side by side, as many as the result is wide.", uses=1)
ZEXT = _other("ZEXT", "The operand with zeros in front.", uses=1)
SEXT = _other("SEXT", "The operand with copies of its sign in front.", uses=1)

# Choice.
MUX = _other("MUX", "The second operand if the first, one bit, is 1, else the third.", uses=3)
LUT = _other(
    "LUT",
    "A table of constants: entry i, of the result's width, is at bit i * width of the second operand.",
)

# Statements about values of one bit.
ASSERT = OP.op("ASSERT", uses=1, doc="The operand has to be 1: its complement is a bad state.")
ASSUME = OP.op("ASSUME", uses=1, doc="The operand is taken to be 1.")
