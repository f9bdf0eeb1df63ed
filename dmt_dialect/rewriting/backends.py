"""What words are made of while a rule is proved: gates, terms of z3, or values."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar

from dmt_dialect.aig import Aig, Lit
from dmt_dialect.bitblast import BitVec, blast, evaluate, word_inputs

W = TypeVar("W")

VARIADIC = ("ADD", "MUL", "AND", "OR", "XOR")
"""Operators of two words that take more, one after the other."""


class Backend(Protocol[W]):
    """Makes words."""

    def constant(self, value: int, width: int) -> W:
        """A constant, modulo 2^width."""
        ...

    def input(self, name: str, width: int) -> W:
        """A free word; the same one for the same name."""
        ...

    def apply(self, op: str, words: Sequence[W], width: int, high: int = 0, low: int = 0) -> W:
        """An operator with a result of this width; the bounds are those of SLICE."""
        ...


Bits: TypeAlias = "tuple[Lit, ...] | BitVec"


@dataclass
class Gates:
    """Words as literals of an AIG."""

    aig: Aig = field(default_factory=Aig)
    inputs: dict[str, tuple[Lit, ...]] = field(default_factory=dict[str, tuple[Lit, ...]])

    def constant(self, value: int, width: int) -> Bits:
        """See `Backend`."""
        return BitVec(value & ((1 << width) - 1), width)

    def input(self, name: str, width: int) -> Bits:
        """See `Backend`."""
        if name not in self.inputs:
            self.inputs[name] = word_inputs(self.aig, name, width)
        return self.inputs[name]

    def apply(self, op: str, words: Sequence[Bits], width: int, high: int = 0, low: int = 0) -> Bits:
        """See `Backend`."""
        if op in VARIADIC:
            total = words[0]
            for word in words[1:]:
                total = blast(self.aig, op, total, word)
            return total
        number = _number(op, width, len(words[0]))
        return blast(self.aig, op, *words, hi=high, lo=low, number=number)


@dataclass
class Values:
    """Words as values, inputs given."""

    inputs: dict[str, int]

    def constant(self, value: int, width: int) -> BitVec:
        """See `Backend`."""
        return BitVec(value & ((1 << width) - 1), width)

    def input(self, name: str, width: int) -> BitVec:
        """See `Backend`."""
        return BitVec(self.inputs.get(name, 0), width)

    def apply(self, op: str, words: Sequence[BitVec], width: int, high: int = 0, low: int = 0) -> BitVec:
        """See `Backend`."""
        if op in VARIADIC:
            total = words[0]
            for word in words[1:]:
                total = evaluate(op, total, word)
            return total
        return evaluate(op, *words, hi=high, lo=low, number=_number(op, width, len(words[0])))


def _number(op: str, width: int, operand: int) -> int:
    """The attribute of operators whose result may have several widths."""
    if op == "REPEAT":
        return width // operand
    return width if op in ("ZEXT", "SEXT") else 0


class Terms:
    """Words as terms of z3."""

    def __init__(self) -> None:
        self.z3: Any = importlib.import_module("z3")
        self.inputs: dict[str, Any] = {}
        self.table = _operators(self.z3)

    def constant(self, value: int, width: int) -> Any:
        """See `Backend`."""
        return self.z3.BitVecVal(value, width)

    def input(self, name: str, width: int) -> Any:
        """See `Backend`."""
        if name not in self.inputs:
            self.inputs[name] = self.z3.BitVec(name, width)
        return self.inputs[name]

    def apply(self, op: str, words: Sequence[Any], width: int, high: int = 0, low: int = 0) -> Any:
        """See `Backend`."""
        z = self.z3
        match op:
            case "SLICE":
                return z.Extract(high, low, words[0])
            case "ZEXT":
                return z.ZeroExt(width - words[0].size(), words[0])
            case "SEXT":
                return z.SignExt(width - words[0].size(), words[0])
            case "REPEAT":
                return z.RepeatBitVec(width // words[0].size(), words[0])
            case "SHL" | "LSHR" | "ASHR" | "ROL" | "ROR" | "INDEX":
                return self._shift(op, words[0], words[1], width)
            case _:
                return self.table[op](*words)

    def _shift(self, op: str, a: Any, amount: Any, width: int) -> Any:
        z = self.z3
        if op in ("ROL", "ROR"):
            wide = max(amount.size(), a.size().bit_length())
            amount = z.ZeroExt(wide - amount.size(), amount)
            amount = z.URem(amount, z.BitVecVal(a.size(), wide))
        wide = max(a.size(), amount.size())
        amount = z.ZeroExt(wide - amount.size(), amount)
        word = z.SignExt(wide - a.size(), a) if op == "ASHR" else z.ZeroExt(wide - a.size(), a)
        size = z.BitVecVal(a.size(), wide)
        match op:
            case "SHL":
                found = word << amount
            case "LSHR" | "INDEX":
                found = z.LShR(word, amount)
            case "ASHR":
                found = word >> amount
            case "ROL":
                found = (word << amount) | z.LShR(word, size - amount)
            case _:
                found = z.LShR(word, amount) | (word << (size - amount))
        return z.Extract(width - 1, 0, found)


def _operators(z: Any) -> dict[str, Callable[..., Any]]:
    """Operators of z3 by the names of ours; rows of bits throughout."""

    def bit(truth: Any) -> Any:
        return z.If(truth, z.BitVecVal(1, 1), z.BitVecVal(0, 1))

    def chain(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
        def applied(*words: Any) -> Any:
            total = words[0]
            for word in words[1:]:
                total = function(total, word)
            return total

        return applied

    def wide(extend: Callable[..., Any]) -> Callable[[Any, Any], Any]:
        def applied(a: Any, b: Any) -> Any:
            return extend(b.size(), a) * extend(a.size(), b)

        return applied

    def overflow(extend: Callable[..., Any], function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
        def applied(a: Any, b: Any) -> Any:
            size = a.size()
            exact = function(extend(size, a), extend(size, b))
            return bit(exact != extend(size, z.Extract(size - 1, 0, exact)))

        return applied

    def least(a: Any) -> Any:
        return z.BitVecVal(1 << (a.size() - 1), a.size())

    def parity(a: Any) -> Any:
        total = z.Extract(0, 0, a)
        for index in range(1, a.size()):
            total = total ^ z.Extract(index, index, a)
        return total

    def concat(*words: Any) -> Any:
        return words[0] if len(words) == 1 else z.Concat(*words)

    def mux(select: Any, then: Any, otherwise: Any) -> Any:
        return z.If(select == 1, then, otherwise)

    one: dict[str, Callable[[Any], Any]] = {
        "NEG": lambda a: -a,
        "ABS": lambda a: z.If(a < 0, -a, a),
        "NOT": lambda a: ~a,
        "REDAND": lambda a: bit(a == z.BitVecVal(-1, a.size())),
        "REDOR": lambda a: bit(a != 0),
        "REDXOR": parity,
        "NEGO": lambda a: bit(a == least(a)),
    }
    two: dict[str, Callable[[Any, Any], Any]] = {
        "SUB": lambda a, b: a - b,
        "UDIV": z.UDiv,
        "UREM": z.URem,
        "SDIV": lambda a, b: a / b,
        "SREM": z.SRem,
        "SMOD": lambda a, b: a % b,
        "SMULW": wide(z.SignExt),
        "UMULW": wide(z.ZeroExt),
        "NAND": lambda a, b: ~(a & b),
        "NOR": lambda a, b: ~(a | b),
        "XNOR": lambda a, b: ~(a ^ b),
        "EQ": lambda a, b: bit(a == b),
        "NE": lambda a, b: bit(a != b),
        "ULT": lambda a, b: bit(z.ULT(a, b)),
        "ULE": lambda a, b: bit(z.ULE(a, b)),
        "UGT": lambda a, b: bit(z.UGT(a, b)),
        "UGE": lambda a, b: bit(z.UGE(a, b)),
        "SLT": lambda a, b: bit(a < b),
        "SLE": lambda a, b: bit(a <= b),
        "SGT": lambda a, b: bit(a > b),
        "SGE": lambda a, b: bit(a >= b),
        "UADDO": overflow(z.ZeroExt, lambda a, b: a + b),
        "SADDO": overflow(z.SignExt, lambda a, b: a + b),
        "USUBO": lambda a, b: bit(z.ULT(a, b)),
        "SSUBO": overflow(z.SignExt, lambda a, b: a - b),
        "UMULO": overflow(z.ZeroExt, lambda a, b: a * b),
        "SMULO": overflow(z.SignExt, lambda a, b: a * b),
        "SDIVO": lambda a, b: bit(z.And(a == least(a), b == z.BitVecVal(-1, b.size()))),
    }
    more: dict[str, Callable[..., Any]] = {
        "ADD": chain(lambda a, b: a + b),
        "MUL": chain(lambda a, b: a * b),
        "AND": chain(lambda a, b: a & b),
        "OR": chain(lambda a, b: a | b),
        "XOR": chain(lambda a, b: a ^ b),
        "CONCAT": concat,
        "MUX": mux,
    }
    return {**one, **two, **more}
