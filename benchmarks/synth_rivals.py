"""The rival synthesisers: scripts of Berkeley ABC, passes of aigverse, each in a process of its own.

ABC's time is what its command `time` says (processor time) for the commands of the script alone, reading left
out; a script that takes less than half a second is run several times in one process, and the time of as many
readings is taken off. A result is kept for the run. aigverse is timed after its imports and its reading.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.harness import REPOSITORY, abc_program

ABC_SCRIPTS = {
    "resyn2": "balance; rewrite; refactor; balance; rewrite; rewrite -z; balance; refactor -z; "
    "rewrite -z; balance",
    "compress2rs": "balance -l; resub -K 6 -l; rewrite -l; resub -K 6 -N 2 -l; refactor -l; resub -K 8 -l; "
    "balance -l; resub -K 8 -N 2 -l; rewrite -l; resub -K 10 -l; rewrite -z -l; resub -K 10 -N 2 -l; "
    "balance -l; resub -K 12 -l; refactor -z -l; resub -K 12 -N 2 -l; rewrite -z -l; balance -l",
    "dc2": "dc2",
    "&syn4": "&get -n; &syn4; &put",
}
"""The scripts by name, without aliases: what `abc.rc` of ABC's distribution makes of these names."""

SHORT, REPEATS = 0.5, 5


@dataclass(frozen=True)
class Made:
    """What a rival made: ANDs, levels, seconds. `ands` is 0 if it did not end in time."""

    ands: int
    levels: int
    seconds: float


@cache
def abc_script(path: Path, name: str, limit: float = 900.0) -> Made:
    """Runs one of `ABC_SCRIPTS` on a circuit; the second call for the same gives the first one's result."""
    script = ABC_SCRIPTS[name]
    read = f"read {path}; strash"
    done = _abc(f"{read}; time; {script}; time; print_stats", limit)
    if done is None:
        return Made(0, 0, limit)
    sizes = re.search(r"and =\s*(\d+)\s+lev =\s*(\d+)", done)
    assert sizes is not None, done
    seconds = _elapsed(done)[1]
    if seconds < SHORT:
        many, reads = f"{read}; {script}; " * REPEATS, f"{read}; " * REPEATS
        done = _abc(f"{read}; time; {many}time; {reads}time", limit)
        assert done is not None
        _, whole, reading = _elapsed(done)
        seconds = max(whole - reading, 0.005) / REPEATS
    return Made(int(sizes[1]), int(sizes[2]), seconds)


def _abc(command: str, limit: float) -> str | None:
    program = abc_program()
    assert program is not None
    try:
        done = subprocess.run(
            [program, "-q", command], capture_output=True, text=True, timeout=limit, check=True
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout


def _elapsed(text: str) -> list[float]:
    """Seconds between one `time` and the one before it."""
    return [float(found) for found in re.findall(r"elapse: ([0-9.]+) seconds", text)]


AIGVERSE = {
    "rewrite": "aig_cut_rewriting",
    "resub": "aig_resubstitution",
    "refactor": "sop_refactoring",
    "balance": "balancing",
}
"""Our pass, aigverse's counterpart."""


@cache
def aigverse_pass(path: Path, name: str, limit: float = 60.0) -> Made:
    """Runs the counterpart of one of our passes, once after its imports."""
    command = [sys.executable, "-m", "benchmarks.synth_rivals", str(path), AIGVERSE[name]]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=limit + 10, check=True, cwd=REPOSITORY
        )
    except subprocess.TimeoutExpired:
        return Made(0, 0, limit)
    return Made(**json.loads(done.stdout))


def _aigverse_child(path: str, function: str) -> None:
    # Imported by name: the package is optional, and only this child needs it.
    run: Any = getattr(importlib.import_module("aigverse.algorithms"), function)
    networks: Any = importlib.import_module("aigverse.networks")
    aig: Any = importlib.import_module("aigverse.io").read_aiger_into_aig(path)
    times: list[float] = []
    while True:
        start = time.perf_counter()
        made = run(aig)
        times.append(time.perf_counter() - start)
        if sum(times) > SHORT or len(times) == REPEATS:
            break
    levels = networks.DepthAig(made).num_levels
    print(json.dumps({"ands": made.num_gates, "levels": levels, "seconds": min(times)}))


if __name__ == "__main__":
    _aigverse_child(sys.argv[1], sys.argv[2])
