r"""Value change dump (IEEE 1364-2005, chapter 18): waveforms for viewers such as GTKWave.

One time unit a pattern, or a clock cycle of a sequential circuit. Each section (inputs, latches, outputs ...)
is a scope of its own below the circuit, so that an input and an output of one name stay apart. Names like
`a[3]` are grouped to a vector `a [7:0]` when their indices have no gap. Names that are no Verilog identifier
are written escaped (`\name`), with blanks, `%` and what is not printable as %XX (UTF-8 bytes).

The text depends on the values only: there is no date unless the caller gives one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.bit_rows import Characters
from dynomite.errors import UsageError

_PORTION = 4096
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_BUS_BIT = re.compile(r"(.+)\[(0|[1-9][0-9]{0,8})\]")


@dataclass(frozen=True)
class Section:
    """Signals that go into one scope: one name a column of `table`, one line a step."""

    names: Sequence[str]
    table: Characters


@dataclass(frozen=True)
class _Variable:
    """A scalar, or a vector: columns from its highest bit to its lowest."""

    reference: str
    columns: tuple[int, ...]


def write_vcd(
    sections: Mapping[str, Section], *, module: str = "top", date: str | None = None
) -> Iterator[str]:
    """The lines of a VCD file, without line ends.

    Args:
        sections: Scope names with their signals; all tables have the same number of lines.
        module: Name of the outer scope.
        date: Text of the $date section; none by default, so that equal runs give equal files.

    Raises:
        UsageError: The tables differ in length.
    """
    counts = {section.table.shape[0] for section in sections.values()}
    if len(counts) > 1:
        raise UsageError(f"write_vcd: sections of different lengths: {sorted(counts)}")
    steps = counts.pop() if counts else 0
    if date is not None:
        yield f"$date {date} $end"
    yield "$version dynomite $end"
    yield "$timescale 1 ns $end"
    yield f"$scope module {escape(module)} $end"
    columns: list[NDArray[np.uint8]] = []
    codes: list[str] = []
    for scope, section in sections.items():
        if not section.names:
            continue
        yield f"$scope module {escape(scope)} $end"
        for variable in _variables(section.names):
            code = _code(len(codes))
            yield f"$var wire {len(variable.columns)} {code} {variable.reference} $end"
            codes.append(code)
            columns.append(section.table[:, variable.columns])
        yield "$upscope $end"
    yield "$upscope $end"
    yield "$enddefinitions $end"
    if steps:
        yield from _changes(columns, codes, steps)


def _changes(columns: list[NDArray[np.uint8]], codes: list[str], steps: int) -> Iterator[str]:
    yield "#0"
    yield "$dumpvars"
    for table, code in zip(columns, codes, strict=True):
        yield _value(table[0], code)
    yield "$end"
    # Changes from step `before` to the next, a portion of steps at a time, in the order of time.
    for first in range(0, steps - 1, _PORTION):
        last = min(first + _PORTION, steps - 1)
        changed = np.zeros((last - first, len(columns)), dtype=np.bool_)
        for index, table in enumerate(columns):
            changed[:, index] = np.any(table[first + 1 : last + 1] != table[first:last], axis=1)
        time = first
        for before, variable in np.argwhere(changed).tolist():
            if first + before + 1 != time:
                time = first + before + 1
                yield f"#{time}"
            yield _value(columns[variable][time], codes[variable])
    # The last values last one unit too.
    yield f"#{steps}"


def _value(bits: NDArray[np.uint8], code: str) -> str:
    text = bits.tobytes().decode("ascii")
    return text + code if len(text) == 1 else f"b{text} {code}"


def _code(index: int) -> str:
    """Identifier codes: the printable characters ! to ~ as digits, shortest first."""
    digits = ""
    index += 1
    while index:
        index, digit = divmod(index - 1, 94)
        digits += chr(33 + digit)
    return digits


def escape(name: str) -> str:
    """A name as one VCD word, different for different names."""
    if _IDENTIFIER.fullmatch(name):
        return name
    octets = name.encode("utf-8", "surrogateescape")
    return "\\" + "".join(chr(c) if 33 <= c <= 126 and c != 37 else f"%{c:02X}" for c in octets)


def _variables(names: Sequence[str]) -> list[_Variable]:
    """Scalars and vectors in the order of their first columns."""
    buses: dict[str, dict[int, int]] = {}
    repeated: set[str] = set()
    for column, name in enumerate(names):
        match = _BUS_BIT.fullmatch(name)
        if match is None:
            continue
        bits = buses.setdefault(match[1], {})
        if int(match[2]) in bits:
            repeated.add(match[1])
        bits[int(match[2])] = column
    taken = set(names)
    grouped: dict[int, _Variable] = {}
    members: set[int] = set()
    for base, bits in buses.items():
        low, high = min(bits), max(bits)
        if base in repeated or base in taken or len(bits) < 2 or high - low + 1 != len(bits):
            continue
        grouped[min(bits.values())] = _Variable(
            f"{escape(base)} [{high}:{low}]", tuple(bits[i] for i in range(high, low - 1, -1))
        )
        members.update(bits.values())
    result: list[_Variable] = []
    used: dict[str, int] = {}
    for column, name in enumerate(names):
        if column in grouped:
            result.append(grouped[column])
        elif column not in members:
            # Ports of one name are told apart by a suffix no escaped name has: %% and a number.
            used[name] = used.get(name, 0) + 1
            suffix = f"%%{used[name]}" if used[name] > 1 else ""
            reference = escape(name)
            if suffix and not reference.startswith("\\"):
                reference = "\\" + reference
            result.append(_Variable(reference + suffix, (column,)))
    return result
