"""File tests of the IR's text: `ir/*.dyn` next to this file.

`// CHECK` lines are for FileCheck over the printed module; `// ERROR: LINE:COLUMN: MESSAGE` and `// NOTE:`
lines are all that the parser must report. Every file begins with the declarations in `dialects.dyn.inc`; they
do not count in line numbers.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dynomite.errors import ParseError
from dynomite.ir import Context, parse, print_module, read_bytecode, same_module, write_bytecode

FOLDER = Path(__file__).parent / "ir"
FILES = sorted(FOLDER.glob("*.dyn"))
DIALECTS = (FOLDER / "dialects.dyn.inc").read_text("utf-8")


def file_check() -> str | None:
    """The program of the package `filecheck`, beside Python or on the path."""
    beside = Path(sys.executable).parent / "filecheck"
    return str(beside) if beside.exists() else shutil.which("filecheck")


def reported(error: ParseError, skipped: int) -> list[str]:
    lines: list[str] = []
    for one in (error, *error.others):
        lines.append(f"// ERROR: {one.line - skipped}:{one.column}: {one.message}")
        for note in one.notes:
            message, _, place = note.message.rpartition(": ")
            line, _, column = place.partition(":")
            lines.append(
                f"// NOTE: {note.line - skipped}:{note.column}: {message}: {int(line) - skipped}:{column}"
            )
    return lines


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file(path: Path) -> None:
    text = path.read_text("utf-8")
    wanted = [line for line in text.splitlines() if line.startswith(("// ERROR", "// NOTE"))]
    context = Context()
    if wanted:
        with pytest.raises(ParseError) as caught:
            parse(DIALECTS + text, context, path=path.name)
        assert reported(caught.value, DIALECTS.count("\n")) == wanted
        return
    module = parse(DIALECTS + text, context, path=path.name)
    printed = print_module(module, declarations=False)
    assert print_module(parse(printed, context), declarations=False) == printed
    assert same_module(module, parse(print_module(module), Context()))
    assert same_module(module, read_bytecode(write_bytecode(module), Context()))
    program = file_check()
    if program is None:
        pytest.skip("the package filecheck is not installed")
    run = subprocess.run([program, str(path)], input=printed, text=True, capture_output=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_there_are_files() -> None:
    assert len(FILES) >= 15
