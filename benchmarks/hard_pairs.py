"""Optimised and best published circuits against the fastest of three ways of ABC; part of `bench_lec --hard`.

ABC's ways are `cec`, `&cec` and sweeping of the miter (`miter -n; strash; &get -n; &fraig -x; &put`). The
last usually is the fastest and goes first; the others are given up as soon as they take longer than the
fastest so far. Ours: from two paths to the verdict in this process; theirs: processes, less the median time
of one that only quits. The median of three runs below three seconds.

| figure | meaning |
| --- | --- |
| `undecided` | pairs that we do not decide in 60 s |
| `lec_vs_abc_geomean` | geometric mean of ours over the fastest of ABC, on those that ABC decides |
| `worst_ratio` | the largest of these; less than 20 ms of ABC count as 20 ms |
| `million_ratio` | the same for a circuit and its `resyn2` form, doubled to a million ANDs, as processes |
| `million_memory_ratio` | peak memory there, ours over that way's |
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.harness import SHORT_SECONDS, abc_program, geometric_mean, shared_circuits
from benchmarks.rivals import Answer, abc_start_seconds

if TYPE_CHECKING:
    from benchmarks.bench_lec import Pair

LIMIT_SECONDS = 60.0
LEAST_SECONDS = 0.02
MILLION = ("sin", 8)
"""Circuit, and how often it is doubled: 1.4 million ANDs on each side."""


@dataclass(frozen=True)
class Run:
    """One process: its output, wall-clock seconds and peak memory."""

    text: str
    seconds: float
    peak_bytes: int


def run_process(command: Sequence[str], limit: float) -> Run | None:
    """Runs a command; None at the limit, or if it fails to start."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        while True:
            pid, _, usage = os.wait4(process.pid, os.WNOHANG)
            seconds = time.perf_counter() - start
            if pid:
                process.returncode = 0
                break
            if seconds > limit:
                os.kill(process.pid, signal.SIGKILL)  # Popen.kill may wait for a process that has just ended
                os.wait4(process.pid, 0)
                process.returncode = -9
                return None
            time.sleep(min(0.002 + seconds / 100, 0.05))
        out.seek(0)
        return Run(out.read().decode("utf-8", "replace"), seconds, usage.ru_maxrss * 1024)


def abc_ways(left: Path, right: Path) -> dict[str, str]:
    """Scripts of ABC for a pair, the usually fastest first."""
    read = f"read {right}; strash; &get -n" if right.suffix == ".blif" else f"&r {right}"
    return {
        "fraig": f"miter -n {left} {right}; strash; &get -n; &fraig -x; &put; print_stats",
        "&cec": f"{read}; &cec {left}",
        "cec": f"cec -n {left} {right}",
    }


def decided(way: str, text: str) -> bool:
    """Whether ABC's output says that the pair is equivalent."""
    if way == "fraig":
        return "and =      0" in text
    return "are equivalent" in text


def fastest_of_abc(left: Path, right: Path, limit: float) -> tuple[str, float, int] | None:
    """The way that proves the pair first: its name, seconds and peak memory; None if none does."""
    abc = abc_program()
    if abc is None:
        return None
    best: tuple[str, float, int] | None = None
    for way, script in abc_ways(left, right).items():
        times: list[float] = []
        while True:
            run = run_process([abc, "-q", script], limit if best is None else best[1])
            if run is None or not decided(way, run.text):
                break
            times.append(run.seconds)
            if times[0] > SHORT_SECONDS or len(times) >= 3:
                break
        if times and run is not None and (best is None or statistics.median(times) < best[1]):
            best = (way, statistics.median(times), run.peak_bytes)
    return best


def figures(
    pairs: Sequence[Pair], unpack: Any, ours: Any, folder: Path, *, million: bool = True
) -> dict[str, Any]:
    """All figures of this file; a line a pair goes to standard error.

    Raises:
        RuntimeError: A wrong answer of ours.
    """
    circuits = shared_circuits()
    start = abc_start_seconds() if abc_program() else 0.0
    rows: list[dict[str, Any]] = []
    ratios: list[float] = []
    for pair in pairs:
        assert circuits is not None
        left, right = (unpack(circuits / name, folder) for name in (pair.left, pair.right))
        own: Answer = ours(left, right, pair.match)
        if own.verdict not in (pair.expected, "undecided"):
            raise RuntimeError(f"{pair.name}: {own.verdict}, but it is {pair.expected}")
        rival = fastest_of_abc(left, right, LIMIT_SECONDS)
        row: dict[str, Any] = {"name": pair.name, "verdict": own.verdict, "ours_s": own.seconds}
        if rival is not None:
            theirs = max(rival[1] - start, LEAST_SECONDS)
            row |= {"abc": rival[0], "abc_s": rival[1], "ratio": own.seconds / theirs}
            ratios.append(row["ratio"])
        rows.append(row)
        print(json.dumps(row), file=sys.stderr, flush=True)
    result: dict[str, Any] = {
        "undecided": sum(row["verdict"] == "undecided" for row in rows),
        "lec_vs_abc_geomean": geometric_mean(ratios) if ratios else None,
        "worst_ratio": max(ratios, default=None),
    }
    if million and circuits is not None and abc_program() is not None:
        result |= million_figures(circuits, folder)
    return {**result, "rows": rows}


def million_figures(circuits: Path, folder: Path) -> dict[str, Any]:
    """A pair of a million ANDs a side, everybody as a process."""
    abc = abc_program()
    assert abc is not None
    name, doublings = MILLION
    sides = [folder / "million_left.aig", folder / "million_right.aig"]
    for source, target in zip((f"epfl/{name}.aig", f"epfl_opt/{name}_resyn2.aig"), sides, strict=True):
        doubled = "; ".join(["double"] * doublings)
        script = f"read {circuits / source}; logic; {doubled}; strash; write {target}"
        subprocess.run([abc, "-q", script], capture_output=True, check=True)
    rival = fastest_of_abc(*sides, limit=10 * LIMIT_SECONDS)
    command = [sys.executable, "-m", "dynomite", "lec", str(sides[0]), str(sides[1]), "--match", "order"]
    own = run_process(command, 10 * LIMIT_SECONDS)
    found: dict[str, Any] = {
        "million_s": None if own is None or "equivalent" not in own.text else own.seconds,
        "million_abc_s": None if rival is None else rival[1],
    }
    if own is not None and "equivalent" in own.text and rival is not None:
        found["million_ratio"] = own.seconds / rival[1]
        found["million_memory_ratio"] = own.peak_bytes / rival[2]
    print(json.dumps(found), file=sys.stderr, flush=True)
    return found
