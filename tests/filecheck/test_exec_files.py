"""File tests of execution graphs: `exec/*.dyno` next to this file, each with a RUN line.

`// RUN: dyno-cli ARGUMENTS %s | FileCheck %s` is run on one thread and on four; the output has to be the same
and to pass the `// CHECK` lines. `// STATUS: N` is the exit status, 0 without; `// ERRORS: TEXT` has to be in
standard error, where `[[@LINE+N]]` is the line that many lines below.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dynomite.tools.dyno_cli import main

FOLDER = Path(__file__).parent / "exec"
FILES = sorted(FOLDER.glob("*.dyno"))


def file_check() -> str | None:
    """The program of the package `filecheck`, beside Python or on the path."""
    beside = Path(sys.executable).parent / "filecheck"
    return str(beside) if beside.exists() else shutil.which("filecheck")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = path.read_text("utf-8")
    run = re.search(r"^// RUN: dyno-cli (.*%s.*) \| FileCheck %s$", text, re.MULTILINE)
    assert run is not None, "no RUN line"
    arguments = [word.replace("%s", str(path)) for word in shlex.split(run.group(1))]
    status = re.search(r"^// STATUS: (\d+)$", text, re.MULTILINE)
    outputs: list[str] = []
    for jobs in ("1", "4"):
        assert main([*arguments, "-j", jobs]) == (int(status.group(1)) if status else 0)
        done = capsys.readouterr()
        outputs.append(done.out)
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("// ERRORS: "):
                wanted = re.sub(r"\[\[@LINE\+(\d+)\]\]", lambda m: str(number + int(m[1])), line[11:])  # noqa: B023
                assert wanted in done.err
    assert outputs[0] == outputs[1]
    if "// CHECK" not in text:
        return
    program = file_check()
    if program is None:
        pytest.skip("the package filecheck is not installed")
    checked = subprocess.run(
        [program, str(path)], input=outputs[0], text=True, capture_output=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_there_are_files() -> None:
    assert len(FILES) >= 7
