"""Bits packed in rows of words, and the same as characters.

A row of words holds one signal: pattern p is bit p % 64 of word p // 64. A table of characters holds one
pattern a line: `table[p, s]` is b"0", b"1" or b"x" of signal s.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dynomite.errors import UsageError

Words: TypeAlias = NDArray[np.uint64]
"""Rows of 64-bit words."""

Characters: TypeAlias = NDArray[np.uint8]
"""A table of the ASCII codes of 0, 1 and x."""

ZERO, ONE, X = b"01x"


def words_of(patterns: int) -> int:
    """Words of a row of `patterns` bits."""
    return (patterns + 63) // 64


def characters_of(lines: Sequence[str], width: int) -> Characters:
    """Lines of 0, 1 and x, all `width` characters long, as a table.

    Raises:
        UsageError: A line has another length or another character; the message names it.
    """
    for number, line in enumerate(lines):
        if len(line) != width:
            raise UsageError(f"vector {number} has {len(line)} characters, not {width}: {line[:80]!r}")
        if line.strip("01xX"):
            wrong = next(c for c in line if c not in "01xX")
            raise UsageError(f"vector {number} has the character {wrong!r}; only 0, 1 and x mean something")
    text = "".join(lines).lower().encode("ascii")
    return np.frombuffer(text, dtype=np.uint8).reshape(len(lines), width)


def _pack(bits: NDArray[np.bool_]) -> Words:
    """Bits (patterns x signals) to rows of words (signals x words)."""
    patterns, signals = bits.shape
    rows = np.zeros((signals, 8 * words_of(patterns)), dtype=np.uint8)
    if patterns and signals:
        packed = np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little")
        rows[:, : packed.shape[1]] = packed
    words = rows.view(np.uint64)
    return words.byteswap() if sys.byteorder == "big" else words


def pack(table: Characters) -> tuple[Words, Words | None]:
    """Rows of words for a table, and the rows that mark the x, None without any."""
    unknown = table == X
    return _pack(table == ONE), _pack(unknown) if unknown.any() else None


def unpack(values: Words, unknown: Words | None, start: int, stop: int) -> Characters:
    """Patterns [start, stop) of rows of words (signals x words) as a table."""

    def bits(rows: Words) -> NDArray[np.uint8]:
        part = np.ascontiguousarray(rows[:, start // 64 : words_of(stop)])
        if sys.byteorder == "big":
            part = part.byteswap()
        first = start % 64
        octets = part.view(np.uint8).reshape(rows.shape[0], 8 * part.shape[1])
        return np.unpackbits(octets, axis=1, bitorder="little")[:, first : first + stop - start]

    table = bits(values).T + np.uint8(ZERO)
    if unknown is not None:
        table[bits(unknown).T != 0] = X
    return np.ascontiguousarray(table)


def lines_of(table: Characters) -> list[str]:
    """The lines of a table as strings."""
    text = table.tobytes().decode("ascii")
    count, width = table.shape
    return [text[i * width : (i + 1) * width] for i in range(count)]
