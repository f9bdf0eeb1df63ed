"""Mapping to LUTs beside Berkeley ABC's `if`, on the EPFL circuits.

    python -m benchmarks.lut_bench [--json] [--smoke]

    lut_size      geometric mean of our LUTs of 6 inputs over those of `if -K 6`
    lut_levels    largest ratio of levels of a circuit
    lut_time      geometric mean of our time over that of `if`
    lut_growth    exponent of the time from 10^4 to 2 * 10^6 ANDs
    lut_ns_node   nanoseconds a node of the largest of them

Times are CPU times of the mapping alone. ABC's is the difference between a script that maps many times and
one that only reads as often, so that starting and reading do not count; each takes the least of a few runs.
"""

from __future__ import annotations

import math
import re
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import dynomite
from benchmarks.harness import abc_program, figures_main, geometric_mean, shared_circuits
from dmt_dialect.aig import Aig
from dmt_dialect.bitblast import Architecture, blast_array, word_inputs
from dmt_dialect.synthesis.lut_mapping import map_luts

REPEATS = 3
MOST_CALLS = 50
SMALL, LARGE = 38, 535
"""Widths of array multipliers of 10^4 and 2 * 10^6 ANDs."""


@dataclass(frozen=True)
class Mapped:
    """One circuit mapped by one program."""

    luts: int
    levels: int
    seconds: float


def ours(aig: Aig, k: int = 6, repeats: int = REPEATS) -> Mapped:
    """Our mapping: LUTs, levels, least CPU time of a call."""
    best = math.inf
    while True:
        start = time.process_time()
        network = map_luts(aig, k=k)
        best = min(best, time.process_time() - start)
        repeats -= 1
        if repeats <= 0:
            return Mapped(network.num_luts, network.num_levels, best)


def abc(path: Path, k: int = 6, repeats: int = REPEATS) -> Mapped:
    """ABC's `if -K k`: nodes, levels, least CPU time of a call without starting and reading."""
    text, first = _abc_run(f"read {path}; if -K {k}; print_stats")
    found = re.search(r"nd =\s*(\d+).*lev =\s*(\d+)", re.sub(r"\x1b\[[0-9;]*m", "", text))
    assert found is not None, text
    calls = max(1, min(MOST_CALLS, round(0.5 / first)))
    mapping = min(_abc_run(f"read {path}; if -K {k}; " * calls)[1] for _ in range(repeats))
    reading = min(_abc_run(f"read {path}; " * calls)[1] for _ in range(repeats))
    return Mapped(int(found[1]), int(found[2]), max(mapping - reading, 1e-6) / calls)


def _abc_run(script: str) -> tuple[str, float]:
    program = abc_program()
    assert program is not None
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, "-q", script], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def product(width: int) -> Aig:
    """An array multiplier."""
    aig = Aig()
    words = [np.array([lit.raw for lit in word_inputs(aig, name, width)], np.uint32) for name in "ab"]
    for raw in blast_array(aig, "UMULW", *words, architecture=Architecture()).tolist():
        aig.add_output(aig.lit(raw))
    return aig


def growth(smoke: bool = False) -> tuple[float, float]:
    """Exponent of the time from small to large products of words, and nanoseconds a node of the largest."""
    seconds: dict[int, float] = {}
    for width in (SMALL, 4 * SMALL if smoke else LARGE):
        aig = product(width)
        seconds[aig.num_ands] = ours(aig, repeats=3 if width < LARGE else 1).seconds
    (few, fast), (many, slow) = seconds.items()
    return math.log(slow / fast) / math.log(many / few), slow / many * 1e9


def compare(paths: list[Path], k: int = 6) -> dict[str, tuple[Mapped, Mapped]]:
    """Ours and ABC's of each circuit, by its name."""
    return {path.stem: (ours(dynomite.read(path), k), abc(path, k)) for path in paths}


def summary(rows: dict[str, tuple[Mapped, Mapped]]) -> dict[str, Any]:
    """The figures of a comparison."""
    return {
        "lut_size": geometric_mean(a.luts / b.luts for a, b in rows.values()),
        "lut_levels": max(a.levels / b.levels for a, b in rows.values()),
        "lut_time": geometric_mean(a.seconds / b.seconds for a, b in rows.values()),
    }


def _text(mapped: Mapped) -> str:
    return f"{mapped.luts} LUTs, {mapped.levels} levels, {mapped.seconds:.4f} s"


def figures(*, smoke: bool = False) -> dict[str, Any]:
    """All figures; those beside ABC where it and the circuits are there."""
    data: dict[str, Any] = {}
    folder = shared_circuits()
    if not smoke and folder is not None and abc_program() is not None:
        rows = compare(sorted((folder / "epfl").glob("*.aig")))
        data |= summary(rows)
        for name, (a, b) in rows.items():
            data[f"lut_{name}"] = f"{_text(a)}; ABC: {_text(b)}"
    data["lut_growth"], data["lut_ns_node"] = growth(smoke)
    return data


if __name__ == "__main__":
    sys.exit(figures_main("Mapping to LUTs.", figures))
