"""Code blocks of Markdown documents, and how to run them."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.shared_data import REPOSITORY

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_PROGRAM = "import sys; from dynomite.tools.cli import main; sys.exit(main())"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line it starts at."""

    document: Path
    language: str
    text: str
    line: int

    @property
    def place(self) -> str:
        """For messages."""
        return f"{self.document.name}:{self.line}"


def documents() -> list[Path]:
    """Every document whose code has to work."""
    return [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]


def blocks(document: Path) -> Iterator[Block]:
    """The fenced blocks of a document, in order."""
    text = document.read_text("utf-8")
    for match in _FENCE.finditer(text):
        yield Block(document, match.group(1), match.group(2), text.count("\n", 0, match.start()) + 1)


def run_block(block: Block, folder: Path, namespace: dict[str, object]) -> None:
    """Runs one block in `folder`; fails when it raises or prints something else than it shows.

    `python` blocks are executed, `pycon` blocks are doctests, both in one namespace a document; in `console`
    blocks the lines that start with `$ dynomite` are run and the lines below them are the expected output
    (standard output, then standard error), with `...` for anything. Other languages are left alone.
    """
    if block.language == "python":
        exec(compile(block.text, block.place, "exec"), namespace)
    elif block.language == "pycon":
        _run_doctest(block, namespace)
    elif block.language == "console":
        for command, expected in _commands(block):
            _run_command(block, command, expected, folder)


def _run_doctest(block: Block, namespace: dict[str, object]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, {}, block.place, str(block.document), block.line)
    test.globs = namespace
    lines: list[str] = []
    failures = doctest.DocTestRunner(optionflags=_OPTIONS).run(test, out=lines.append, clear_globs=False)
    assert failures.failed == 0, "".join(lines)


def _commands(block: Block) -> list[tuple[str, str]]:
    commands: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        else:
            assert commands, f"{block.place}: output before the first command"
            commands[-1][1].append(line)
    return [(command, "".join(f"{line}\n" for line in lines)) for command, lines in commands]


def _run_command(block: Block, command: str, expected: str, folder: Path) -> None:
    words = shlex.split(command, comments=True)
    assert words[0] == "dynomite", f"{block.place}: only dynomite commands can be shown: {command}"
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *words[1:]],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
        check=False,
    )
    shown = done.stdout + done.stderr
    assert "Traceback" not in shown, f"{block.place}: {command}\n{shown}"
    matches = doctest.OutputChecker().check_output(expected, shown, _OPTIONS)
    assert matches, f"{block.place}: {command}\nexpected:\n{expected}\ngot:\n{shown}"
