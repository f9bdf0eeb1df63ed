"""A counterexample as a table: inputs that matter and what both sides make of them; for people and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from dmt_dialect.word_values import WordValue, word_values

if TYPE_CHECKING:
    from dmt_dialect.verdict import Bit, Counterexample

ROWS = 20
"""Rows of one kind on the terminal; all are in the CSV."""
WIDE = 16
"""Words of more bits, some of which do not matter, are shown by the ranges that do."""


def counterexample_table(counterexample: Counterexample) -> list[str]:
    """Lines for the terminal: inputs and latches that matter, then functions whose values differ.

    Ports `a[0]`, `a[1]`... are words: decimal and hexadecimal, or bits where some do not matter (x).
    """
    lines: list[str] = []
    for title, bits in (("inputs", counterexample.inputs), ("latches", counterexample.latches)):
        needed = [word for word in word_values(bits) if set(word.bits) - {"x"}]
        if needed:
            rows = [(word.name, _width(word), value_text(word)) for word in needed]
            lines += _columns((title, "", "value"), rows, len(needed))
    both = _words_of_both(counterexample.left, counterexample.right)
    differing = [(left, right) for left, right in both if _differ(left, right)]
    rows = [(left.name, _width(left), value_text(left), value_text(right)) for left, right in differing]
    lines += _columns(("outputs that differ", "", "left", "right"), rows, len(differing))
    return lines


def counterexample_csv(counterexample: Counterexample) -> str:
    """All words as CSV: kind, name, width, then hexadecimal (empty if bits do not matter) and bits.

    Inputs and latches have their value in the columns of both sides.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["kind", "name", "width", "left_hex", "left_bits", "right_hex", "right_bits", "differs"])
    for kind, left, right in (
        ("input", counterexample.inputs, counterexample.inputs),
        ("latch", counterexample.latches, counterexample.latches),
        ("output", counterexample.left, counterexample.right),
    ):
        for one, other in _words_of_both(left, right):
            sides = [text for word in (one, other) for text in (_hex(word), word.bits)]
            writer.writerow([kind, one.name, one.width, *sides, int(_differ(one, other))])
    return stream.getvalue()


def value_text(word: WordValue) -> str:
    """The value of a word; a wide one with bits that do not matter by the ranges of bits that do."""
    if word.value is not None or word.width <= WIDE:
        return word.text
    ranges: list[str] = []
    at = word.width
    for unknown, run in groupby(word.bits, lambda bit: bit == "x"):
        bits = "".join(run)
        at -= len(bits)
        if not unknown:
            place = f"[{at + len(bits) - 1}:{at}]" if len(bits) > 1 else f"[{at}]"
            ranges.append(f"{place}={f'0b{bits}' if len(bits) > 1 else bits}")
    return " ".join(ranges) or "x"


def _words_of_both(left: Mapping[str, Bit], right: Mapping[str, Bit]) -> list[tuple[WordValue, WordValue]]:
    return list(zip(word_values(left), word_values(right), strict=True))


def _differ(left: WordValue, right: WordValue) -> bool:
    return any({a, b} == {"0", "1"} for a, b in zip(left.bits, right.bits, strict=True))


def _width(word: WordValue) -> str:
    return str(word.width)


def _hex(word: WordValue) -> str:
    return "" if word.value is None else f"0x{word.value:0{(word.width + 3) // 4}x}"


def _columns(titles: tuple[str, ...], rows: list[tuple[str, ...]], total: int) -> list[str]:
    """Rows under their titles, aligned, no more than `ROWS` of them."""
    shown = [titles, *((f"  {row[0]}", *row[1:]) for row in rows[:ROWS])]
    widths = [max(len(row[k]) for row in shown) for k in range(len(titles))]
    lines: list[str] = []
    for row in shown:
        cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        lines.append("  ".join(cells).rstrip())
    if total > ROWS:
        lines.append(f"  ... and {total - ROWS} more")
    return lines
