"""The rival equivalence checkers, each in a process that can be killed at its limit.

ABC runs as it is meant to be used: `&r A; &cec B` on AIGER files, `read; strash; &get -n` for BLIF. Its time
is that of the process, from which the caller may subtract the median time of a process that does nothing.
aigverse runs in a Python process of its own that times reading and checking after its imports.
"""

from __future__ import annotations

import importlib
import json
import re
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness import REPOSITORY, SHORT_SECONDS, abc_program


@dataclass(frozen=True)
class Answer:
    """A rival's verdict and time; at a timeout the verdict is "timeout" and the time is the limit."""

    verdict: str
    seconds: float
    repeats: int = 1


def abc_start_seconds(repeats: int = 5) -> float:
    """Median time of an ABC process that only quits."""
    abc = abc_program()
    assert abc is not None
    times: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run([abc, "-q", "quit"], capture_output=True, check=False)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def abc_cec(left: Path, right: Path, *, limit: float, repeats: int = 3) -> Answer:
    """`&cec` of Berkeley ABC, process time."""
    abc = abc_program()
    assert abc is not None
    script = f"{_abc_read(left)}; &cec {right}"
    if right.suffix == ".blif":
        # `&cec` takes AIGER files only, so the netlist goes to the side that `&get` fills.
        script = f"{_abc_read(right)}; &cec {left}"
    times: list[float] = []
    while True:
        start = time.perf_counter()
        try:
            done = subprocess.run(
                [abc, "-q", script], capture_output=True, text=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired:
            return Answer("timeout", limit)
        times.append(time.perf_counter() - start)
        if times[0] > SHORT_SECONDS or len(times) >= repeats:
            return Answer(_abc_verdict(done.stdout), statistics.median(times), len(times))


def _abc_read(path: Path) -> str:
    return f"read {path}; strash; &get -n" if path.suffix == ".blif" else f"&r {path}"


def _abc_verdict(text: str) -> str:
    if re.search(r"Networks are equivalent", text):
        return "equivalent"
    if re.search(r"Networks are NOT EQUIVALENT", text, re.IGNORECASE):
        return "different"
    return "undecided"


def aigverse_cec(left: Path, right: Path, *, limit: float, repeats: int = 3) -> Answer:
    """`equivalence_checking` of aigverse on two AIGER files, reading included."""
    command = [sys.executable, "-m", "benchmarks.rivals", str(left), str(right), str(repeats)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=limit + 5, check=False, cwd=REPOSITORY
        )
    except subprocess.TimeoutExpired:
        return Answer("timeout", limit)
    if done.returncode != 0:
        return Answer(f"failed with status {done.returncode}", limit)
    data = json.loads(done.stdout)
    if data["seconds"] > limit:
        return Answer("timeout", limit)
    return Answer(data["verdict"], data["seconds"], data["repeats"])


def _aigverse_child(left: str, right: str, repeats: int) -> None:
    # Imported by name: the package is optional, and only this child needs it.
    equivalence_checking: Any = importlib.import_module("aigverse.algorithms").equivalence_checking
    read: Any = importlib.import_module("aigverse.io").read_aiger_into_aig

    times: list[float] = []
    while True:
        start = time.perf_counter()
        answer = equivalence_checking(read(left), read(right))
        times.append(time.perf_counter() - start)
        if times[0] > SHORT_SECONDS or len(times) >= repeats:
            break
    verdict = {True: "equivalent", False: "different", None: "undecided"}[answer]
    print(json.dumps({"verdict": verdict, "seconds": statistics.median(times), "repeats": len(times)}))


if __name__ == "__main__":
    _aigverse_child(sys.argv[1], sys.argv[2], int(sys.argv[3]))
