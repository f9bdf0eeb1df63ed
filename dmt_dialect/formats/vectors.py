r"""Vectors files: input values for simulation, one vector a line.

    # half adder, all vectors            a comment, up to the end of the line
    .inputs b a                          optional: the order of the columns by port names
    00
    1 0                                  blanks and _ between the characters do not count
    0x                                   x: unknown, for three-valued simulation

A vector holds one character an input: 0, 1 or x. Without `.inputs` the columns are the inputs in the order of
the circuit; an input without a name is called i0, i1 ... by its position. Names that hold blanks, `#`, `"`
or `\` are written in double quotes with `\` before `"` and `\`. For a circuit without inputs, `-` is a
vector. For a circuit with latches each vector is one clock cycle.

An AIGER witness is read too: its status, properties and initial state come before the vectors, `.` ends it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from dmt_dialect.bit_rows import Characters
from dynomite.errors import ParseError

_WORD = re.compile(rb'\s*(?:"((?:[^"\\]|\\["\\])*)"|([^\s"]+))')
_PROPERTIES = re.compile(rb"(?:[bj]\d+\s*)+")
_SHOWN = 120


@dataclass(frozen=True)
class Vectors:
    """What a vectors file says.

    Attributes:
        table: One line a vector, one column an input in the order of the circuit: codes of 0, 1, x.
        state: Initial values of the latches from a witness, codes of 0, 1, x; None if the file has none.
    """

    table: Characters
    state: Characters | None = None


def read_vectors(data: bytes, inputs: Sequence[str], *, latches: int = 0, path: str = "<bytes>") -> Vectors:
    """Parses the text of a vectors file or an AIGER witness.

    Args:
        data: The file's bytes.
        inputs: Names of the circuit's inputs, in order.
        latches: Number of latches, for the state line of a witness.
        path: The file's name, for messages.

    Raises:
        ParseError: Anything that is not as above; with line and column.
    """
    return _Reader(data, list(inputs), latches, path).read()


def format_vectors(names: Sequence[str], lines: Iterable[str]) -> str:
    """The text of a vectors file with a header line; `lines` hold one character a name."""
    rows = [".inputs " + " ".join(map(quoted, names))] if names else []
    rows += lines if names else ["-" for _ in lines]
    return "\n".join(rows) + "\n"


def quoted(name: str) -> str:
    """A port name as the header writes it."""
    if name and not re.search(r'[\s#"\\]', name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Reader:
    def __init__(self, data: bytes, inputs: list[str], latches: int, path: str) -> None:
        self.lines = data.replace(b"\r\n", b"\n").split(b"\n")
        if self.lines[-1] == b"":
            self.lines.pop()
        self.inputs = inputs
        self.latches = latches
        self.path = path

    def fail(self, number: int, column: int, message: str) -> NoReturn:
        text = self.lines[number][:_SHOWN].decode("utf-8", "backslashreplace")
        raise ParseError(message, self.path, number + 1, column + 1, 0, text)

    def read(self) -> Vectors:
        first = self.content_lines()
        if len(first) >= 2 and _PROPERTIES.fullmatch(self.lines[first[1]].strip()):
            return self.read_witness(first)
        order: list[int] | None = None
        vectors: list[bytes] = []
        ended = False
        for number, line in enumerate(self.lines):
            # The common case first: a plain vector in the right length.
            if len(line) == len(self.inputs) and not line.strip(b"01") and line and not ended:
                vectors.append(line)
                continue
            text = self.without_comment(line)
            stripped = text.strip()
            if not stripped:
                continue
            if ended:
                self.fail(number, _indent(text), "text after the line '.', which ends the vectors")
            if stripped == b".":
                ended = True
            elif stripped.startswith(b"."):
                if order is not None or vectors:
                    self.fail(number, _indent(text), "'.inputs' must stand once, before the first vector")
                order = self.read_header(number, line)
            else:
                vectors.append(self.read_vector(number, text, len(self.inputs), "input"))
        table = self.table(vectors, len(self.inputs))
        if order is not None:
            table = table[:, np.argsort(np.array(order, dtype=np.intp))]
        return Vectors(np.ascontiguousarray(table))

    def content_lines(self) -> list[int]:
        """Numbers of the first two lines that hold anything but a comment."""
        found: list[int] = []
        for number, line in enumerate(self.lines):
            if self.without_comment(line).strip():
                found.append(number)
                if len(found) == 2:
                    break
        return found

    @staticmethod
    def without_comment(line: bytes) -> bytes:
        return line if b"#" not in line or line.lstrip().startswith(b".") else line[: line.index(b"#")]

    @staticmethod
    def table(vectors: list[bytes], width: int) -> Characters:
        return np.frombuffer(b"".join(vectors), dtype=np.uint8).reshape(len(vectors), width)

    def read_vector(self, number: int, text: bytes, width: int, what: str) -> bytes:
        if width == 0 and text.strip() == b"-":
            return b""
        packed = text.translate(None, b" \t_").lower()
        if packed.strip(b"01x"):
            column = next(i for i, c in enumerate(text) if c not in b" \t_01xX")
            shown = text[column : column + 1].decode("latin-1")
            self.fail(number, column, f"{shown!r} in a vector; only 0, 1 and x mean something")
        if len(packed) != width:
            plural = "" if width == 1 else "s" if what == "input" else "es"
            self.fail(
                number,
                _indent(text),
                f"a vector of {len(packed)} characters for a circuit with {width} {what}{plural}",
            )
        return packed

    def read_header(self, number: int, line: bytes) -> list[int]:
        """The input of each column."""
        start = _indent(line)
        keyword = line[start:].split(None, 1)[0]
        if keyword != b".inputs":
            shown = keyword.decode("utf-8", "backslashreplace")
            self.fail(number, start, f"unknown line {shown!r}; a header is '.inputs NAME ...'")
        positions: dict[str, list[int]] = {}
        for index, name in enumerate(self.inputs):
            positions.setdefault(name, []).append(index)
        order: list[int] = []
        at = start + len(keyword)
        while line[at:].strip() and not line[at:].lstrip().startswith(b"#"):
            match = _WORD.match(line, at)
            if match is None:
                self.fail(number, at + _indent(line[at:]), "a quoted name does not end")
            raw = match[2] if match[1] is None else re.sub(rb"\\(.)", rb"\1", match[1])
            name = raw.decode("utf-8", "surrogateescape")
            column = at + _indent(line[at:])
            places = positions.get(name)
            if places is None:
                self.fail(number, column, f"the circuit has no input {name!r}")
            if len(places) > 1:
                self.fail(number, column, f"{len(places)} inputs are called {name!r}; leave out the header")
            if places[0] in order:
                self.fail(number, column, f"input {name!r} is named twice")
            order.append(places[0])
            at = match.end()
        missing = [name for index, name in enumerate(self.inputs) if index not in set(order)]
        if missing:
            shown = ", ".join(missing[:10]) + (" ..." if len(missing) > 10 else "")
            self.fail(number, start, f"the header leaves out {len(missing)} inputs: {shown}")
        return order

    def read_witness(self, first: list[int]) -> Vectors:
        status = self.lines[first[0]].strip()
        if status != b"1":
            shown = status.decode("utf-8", "backslashreplace")
            self.fail(first[0], 0, f"a witness whose status is {shown!r}, not 1, has no trace")
        start = first[1] + 1
        if start >= len(self.lines):
            self.fail(first[1], 0, "the witness ends before its initial state")
        state = self.read_vector(start, self.lines[start], self.latches, "latch")
        vectors: list[bytes] = []
        end = start + 1
        while end < len(self.lines) and self.lines[end].strip() != b".":
            # In a witness even an empty line is a vector, that of a circuit without inputs.
            vectors.append(self.read_vector(end, self.lines[end], len(self.inputs), "input"))
            end += 1
        if end == len(self.lines):
            self.fail(end - 1, 0, "the witness ends without its last line '.'")
        for number in range(end + 1, len(self.lines)):
            if self.lines[number].strip() and not self.lines[number].startswith((b"c", b"#")):
                self.fail(number, 0, "more than one witness in the file")
        return Vectors(self.table(vectors, len(self.inputs)), np.frombuffer(state, dtype=np.uint8))


def _indent(text: bytes) -> int:
    return len(text) - len(text.lstrip())
