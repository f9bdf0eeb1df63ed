"""Words and bit-blasting: word operators as gates of an AIG.

    >>> from dmt_dialect.aig import Aig
    >>> from dmt_dialect.bitblast import Architecture, BitVec, blast, word_inputs, word_outputs
    >>> aig = Aig()
    >>> a, b = word_inputs(aig, "a", 8), word_inputs(aig, "b", 8)
    >>> word_outputs(aig, "product", blast(aig, "MUL", a, b, architecture=Architecture(multiplier="booth")))
    >>> word_outputs(aig, "next", blast(aig, "ADD", a, BitVec(1, width=8)))

A word is a sequence of literals, bit 0 first, or a constant `BitVec`. Operators are those of SMT-LIB's QF_BV
and a few more: `operators()` lists them, `evaluate` gives their values. One native table describes them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.aig import Aig, Lit
from dynomite._native import word as _word
from dynomite._native.base import Stop
from dynomite._native.word import BitVec, WordAttr, WordOp, WordOpInfo, WordShape
from dynomite.errors import UsageError

__all__ = [
    "Architecture",
    "BitVec",
    "Word",
    "WordAttr",
    "WordOp",
    "WordOpInfo",
    "WordShape",
    "blast",
    "blast_array",
    "evaluate",
    "operators",
    "result_width",
    "word_inputs",
    "word_op",
    "word_outputs",
]

Word = Sequence[Lit] | BitVec
"""Literals, bit 0 first, or a constant."""

LitArray = NDArray[np.uint32]
"""AIGER numbers of literals (`Lit.raw`), bit 0 first."""


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """The structure chosen for each class of operators. The default is smallest, and easiest to prove.

    Attributes:
        adder: How carries run: one after the other, or through a prefix network of logarithmic depth. Also
            the last addition of a product.
        multiplier: How partial products are added: row by row, by Wallace's or Dadda's tree, or with Booth's
            radix-4 recoding and a Dadda tree.
        divider: Whether a remainder that turned negative is put back at once or in the next step.
        shifter: One stage of multiplexers for each bit of the amount.
    """

    adder: Literal["ripple", "kogge-stone", "brent-kung"] = "ripple"
    multiplier: Literal["array", "wallace", "dadda", "booth"] = "array"
    divider: Literal["restoring", "non-restoring"] = "restoring"
    shifter: Literal["logarithmic"] = "logarithmic"

    def __post_init__(self) -> None:
        _word.architecture_text(str(self))

    def __str__(self) -> str:
        """The text that `parse` reads: `adder=ripple,multiplier=array,...`."""
        return (
            f"adder={self.adder},multiplier={self.multiplier},divider={self.divider},shifter={self.shifter}"
        )

    @classmethod
    def parse(cls, text: str) -> Architecture:
        """Reads "adder=kogge-stone,multiplier=booth": parts in any order, missing ones as in the default.

        Raises:
            UsageError: No such part or choice; the message lists what there is.
        """
        full = _word.architecture_text(text)
        parts: dict[str, Any] = dict(part.split("=") for part in full.split(","))
        return cls(**parts)


DEFAULT_ARCHITECTURE = Architecture()


def operators() -> tuple[WordOpInfo, ...]:
    """The table of all operators: name, rule for widths, attribute, summary."""
    return tuple(_word.info(op) for op in WordOp)


def word_op(name: str | WordOp) -> WordOp:
    """The operator of this name, in upper or lower case.

    Raises:
        UsageError: There is none.
    """
    if isinstance(name, WordOp):
        return name
    op = _word.find_word_op(name)
    if op is None:
        raise UsageError(
            f"no word operator is named {name!r}; there are {', '.join(op.name for op in WordOp)}"
        )
    return op


def result_width(
    op: str | WordOp,
    *widths: int,
    hi: int = 0,
    lo: int = 0,
    number: int = 0,
    table: BitVec | None = None,
) -> int:
    """The width of the result for these operand widths; attributes as in `blast`.

    Raises:
        UsageError: Widths, the number of operands or an attribute do not fit the operator.
    """
    return _word.result_width(word_op(op), widths, hi=hi, lo=lo, number=number, table=table)


def evaluate(
    op: str | WordOp,
    *operands: BitVec,
    hi: int = 0,
    lo: int = 0,
    number: int = 0,
    table: BitVec | None = None,
) -> BitVec:
    """The value of an operator, the reference for its gates; attributes as in `blast`.

    >>> evaluate("SDIV", BitVec(-7, 8), BitVec(2, 8)).signed
    -3
    """
    return _word.evaluate(word_op(op), operands, hi=hi, lo=lo, number=number, table=table)


class BlastOptions(TypedDict, total=False):
    """What `blast` and `blast_array` take by keyword.

    Attributes:
        hi: Highest bit of a SLICE.
        lo: Lowest bit of a SLICE.
        number: Copies made by REPEAT; width of the result of ZEXT, SEXT.
        table: Entries of a LUT side by side, entry 0 lowest.
        architecture: The structure to build.
        stop: Ends the call early.
    """

    hi: int
    lo: int
    number: int
    table: BitVec | None
    architecture: Architecture
    stop: Stop | None


class _NativeOptions(TypedDict, total=False):
    hi: int
    lo: int
    number: int
    table: BitVec | None
    architecture: str
    stop: Stop | None


def _native(options: BlastOptions) -> _NativeOptions:
    chosen = str(options.get("architecture", DEFAULT_ARCHITECTURE))
    return cast("_NativeOptions", {**options, "architecture": chosen})


def blast(aig: Aig, op: str | WordOp, *operands: Word, **options: Unpack[BlastOptions]) -> tuple[Lit, ...]:
    """Builds the gates of an operator in `aig`.

    Args:
        aig: Where the operands' literals are, and the gates go.
        op: The operator, or its name.
        operands: Words; constants are made use of.
        options: The operator's attributes, the architecture, a `Stop`: see `BlastOptions`.

    Returns:
        The literals of the result, bit 0 first; none if `stop` ended the call (gates made stay).

    Raises:
        UsageError: Widths, the number of operands or an attribute do not fit the operator; a word of width 0;
            literals of another AIG.
    """
    return _word.blast(aig, word_op(op), operands, **_native(options))


def blast_array(
    aig: Aig, op: str | WordOp, *operands: LitArray | Word, **options: Unpack[BlastOptions]
) -> LitArray:
    """As `blast`, with arrays of AIGER numbers: for wide words and many operators."""
    return _word.blast_array(aig, word_op(op), operands, **_native(options))


def word_inputs(aig: Aig, name: str, width: int) -> tuple[Lit, ...]:
    """Adds inputs `name[0]`, `name[1]`... (`name` alone for one bit) and returns them, bit 0 first."""
    if width < 1:
        raise UsageError(f"word_inputs: a word has at least one bit, not {width}")
    return tuple(aig.add_inputs(_bit_names(name, width)))


def word_outputs(aig: Aig, name: str, word: Word) -> None:
    """Adds outputs `name[0]`, `name[1]`... (`name` alone for one bit)."""
    lits: Sequence[Lit]
    if isinstance(word, BitVec):
        lits = [aig.true if bit == "1" else aig.false for bit in reversed(word.binary)]
    else:
        lits = word
    for lit, bit_name in zip(lits, _bit_names(name, len(lits)), strict=True):
        aig.add_output(lit, bit_name)


def _bit_names(name: str, width: int) -> list[str]:
    return [name] if width == 1 else [f"{name}[{index}]" for index in range(width)]
