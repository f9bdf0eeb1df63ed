"""Every exception the project raises on purpose, each with its data.

Bad input raises `ParseError` with a place, a broken rule of an API raises `UsageError`, a broken invariant of
an IR raises `VerifyError`, a handle to something deleted raises `StaleRefError`, a documented size limit
raises `LimitError`. Anything else is a bug in dynomite.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class DynomiteError(Exception):
    """Base of all errors raised on purpose."""


class ParseNote(NamedTuple):
    """A remark that explains an error, at a place of its own in the same file."""

    message: str
    line: int
    column: int
    text: str


def _with_caret(head: str, text: str, column: int) -> list[str]:
    """`head`, then the source line and a caret, as far as they are known."""
    if not text:
        return [head]
    lines = [head, f"    {text}"]
    if column:
        pad = "".join("\t" if c == "\t" else " " for c in text[: column - 1])
        lines.append(f"    {pad}^")
    return lines


class ParseError(DynomiteError):
    """An input file is not what its format says.

    Attributes:
        message: What is wrong, and where it helps, what to do about it.
        path: File name as given by the caller; "<stdin>" or "<bytes>" for other sources.
        line: Line number from 1, or 0 where lines mean nothing (binary data).
        column: Column in bytes from 1, or 0 if unknown.
        offset: Byte offset from 0 in the (decompressed) data.
        text: The offending line, cut to a printable length; empty for binary data.
        notes: Remarks at other places, such as "first defined here".
        others: More errors of the same input, where a reader goes on behind the first one.
    """

    def __init__(
        self,
        message: str,
        path: str = "<bytes>",
        line: int = 0,
        column: int = 0,
        offset: int = 0,
        text: str = "",
        notes: tuple[ParseNote, ...] = (),
        others: tuple[ParseError, ...] = (),
    ) -> None:
        super().__init__(message, path, line, column, offset, text, notes, others)
        self.message = message
        self.path = path
        self.line = line
        self.column = column
        self.offset = offset
        self.text = text
        self.notes = notes
        self.others = others

    def __str__(self) -> str:
        """`FILE:LINE:COL: error: message`, then the line with a caret; notes and others likewise."""
        if self.line:
            place = f"{self.path}:{self.line}:{self.column}" if self.column else f"{self.path}:{self.line}"
        else:
            place = f"{self.path}: byte {self.offset}"
        lines = _with_caret(f"{place}: error: {self.message}", self.text, self.column)
        for note in self.notes:
            head = f"{self.path}:{note.line}:{note.column}: note: {note.message}"
            lines += _with_caret(head, note.text, note.column)
        lines += [str(other) for other in self.others]
        return "\n".join(lines)


class UsageError(DynomiteError):
    """A call or a command line breaks a documented rule."""


class VerifyError(DynomiteError):
    """An IR breaks an invariant; all violations are collected before this is raised.

    As text: one `FILE:LINE:COL: error: message` for each violation, its notes indented below.
    """


class StaleRefError(DynomiteError):
    """A handle was used after its object was deleted."""


class LimitError(DynomiteError):
    """A documented size limit was met."""


class ExecutionError(DynomiteError):
    """An execution graph could not be planned, or one of its steps failed.

    Attributes:
        stage: "building", "scheduling" or "running".
        graph: Name of the graph.
        step: Number and operation of the step, such as "3: core.exec.cse"; empty if it is about the whole.
        message: What is wrong.
        place: Where the step is written, "FILE:LINE:COLUMN"; empty if unknown.
        cause: The exception of the step that failed.
        plan: The `dynomite.exec.Plan` whose step failed, for a reproducer.
    """

    def __init__(
        self,
        stage: str,
        graph: str,
        message: str,
        *,
        step: str = "",
        place: str = "",
        cause: BaseException | None = None,
    ) -> None:
        super().__init__(stage, graph, message, step, place)
        self.stage = stage
        self.graph = graph
        self.message = message
        self.step = step
        self.place = place
        self.cause = cause
        self.plan: Any = None

    def __str__(self) -> str:
        """`FILE:LINE:COL: error: STAGE @GRAPH, step N: OP: message`."""
        head = f"{self.place}: error: " if self.place else "error: "
        step = f", step {self.step}" if self.step else ""
        return f"{head}{self.stage} @{self.graph}{step}: {self.message}"
