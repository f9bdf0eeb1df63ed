"""Runs the command line in a child process of its own and measures it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tests.support.shared_data import REPOSITORY

# The peak is read inside the child: the rusage of a child process contains the size of its parent.
_PROGRAM = """
import atexit, os, sys
def note():
    with open("/proc/self/status") as status:
        peak = [line for line in status if line.startswith("VmHWM")]
    with open(os.environ["DYNOMITE_PEAK_FILE"], "w") as out:
        out.write(peak[0].split()[1])
atexit.register(note)
from dynomite.tools.cli import main
sys.exit(main())
"""


@dataclass(frozen=True)
class Outcome:
    """What a run of the command line did."""

    status: int
    out: str
    err: str
    seconds: float
    peak_bytes: int

    def json(self) -> dict[str, Any]:
        """Standard output as a JSON object."""
        return cast("dict[str, Any]", json.loads(self.out))


def run_command(*arguments: str | Path, timeout: float = 120.0, folder: Path, stdin: bytes = b"") -> Outcome:
    """Runs `dynomite ARGUMENTS`; `folder` takes the file with the peak memory.

    Fails the test when the command prints a traceback, reports an internal error or dies by a signal: none
    of these is ever right.
    """
    peak_file = folder / "peak_kib.txt"
    environment = dict(
        os.environ, DYNOMITE_PEAK_FILE=str(peak_file), PYTHONIOENCODING="utf-8:surrogateescape"
    )
    paths = [str(REPOSITORY), *filter(None, [environment.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    command: Sequence[str] = [sys.executable, "-c", _PROGRAM, *map(str, arguments)]
    start = time.perf_counter()
    done = subprocess.run(
        command, input=stdin, capture_output=True, timeout=timeout, env=environment, check=False
    )
    seconds = time.perf_counter() - start
    err = done.stderr.decode("utf-8", "backslashreplace")
    assert "Traceback" not in err, err
    assert done.returncode >= 0, f"killed by signal {-done.returncode}: {err}"
    assert done.returncode != 70, f"internal error: {err}"
    peak = int(peak_file.read_text()) * 1024 if peak_file.exists() else 0
    return Outcome(done.returncode, done.stdout.decode("utf-8", "surrogateescape"), err, seconds, peak)
