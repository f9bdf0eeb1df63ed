"""Bit-parallel simulation on one core, beside Berkeley ABC and aigverse; 10^9 nodes x patterns a second.

    python -m benchmarks.bench_sim [--json] [--smoke]

Ours and ABC (`sim`) simulate random patterns on a big circuit; aigverse only makes truth tables, so it and
ours do all patterns of a circuit with 16 inputs. All times are CPU times, so that a busy machine does not
count: ours with system time, of ABC the user time only, less that of reading the file.
"""

from __future__ import annotations

import importlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness import abc_program, figures_main, has_module
from benchmarks.workloads import big_circuit, random_circuit
from dynomite._native import sim
from dynomite.formats.base import read_circuit, write_circuit

PATTERNS = 65_536
ABC_WORDS = 256
ABC_PATTERNS = 32 * ABC_WORDS


def cpu_seconds(call: Callable[[], object], *, repeats: int = 3) -> float:
    """Median CPU time of a call in this process."""
    times: list[float] = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times)


def child_seconds(command: list[str], *, repeats: int = 3) -> float:
    """Median user CPU time of a command."""
    times: list[float] = []
    for _ in range(repeats):
        start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(command, capture_output=True, check=True)
        times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start)
    return statistics.median(times)


def figures(*, smoke: bool = False) -> dict[str, Any]:
    """Ours and the rivals' figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = big_circuit(folder, smoke=smoke)
        aig = read_circuit(path)
        compile_seconds = cpu_seconds(lambda: sim.Schedule(aig))
        schedule = sim.Schedule(aig)
        giga = schedule.op_count * PATTERNS / 1e9
        seconds = cpu_seconds(lambda: schedule.run(PATTERNS, seed=1), repeats=5)
        data: dict[str, Any] = {
            "sim_g_s": giga / seconds,
            "sim_with_compilation_g_s": giga / (seconds + compile_seconds),
            "sim_compile_mands_s": schedule.op_count / compile_seconds / 1e6,
            "sim_mands": schedule.op_count / 1e6,
            "sim_live_values": schedule.slot_count,
            "sim_variant": sim.simd_variants()[-1],
        }
        for variant in sim.simd_variants():
            run = cpu_seconds(lambda simd=variant: schedule.run(PATTERNS, seed=1, simd=simd))
            data[f"sim_{variant}_g_s"] = giga / run
        if not smoke:
            data |= _abc_figures(path, schedule.op_count) | _aigverse_figures(folder)
    return data


def _abc_figures(path: Path, ands: int) -> dict[str, float]:
    abc = abc_program()
    if abc is None:
        return {}
    read = child_seconds([abc, "-q", f"read {path}"])
    both = child_seconds([abc, "-q", f"read {path}; sim -m -F 1 -W {ABC_WORDS}"])
    return {"abc_sim_g_s": ands * ABC_PATTERNS / 1e9 / max(both - read, 1e-3)}


def _aigverse_figures(folder: Path) -> dict[str, float]:
    if not has_module("aigverse"):
        return {}
    path = folder / "sixteen.aig"
    write_circuit(random_circuit(20_000, seed=1, inputs=16), path)
    aig = read_circuit(path)
    giga = aig.num_ands * 2.0**16 / 1e9
    schedule = sim.Schedule(aig)
    simulate: Any = importlib.import_module("aigverse.algorithms").simulate
    rival: Any = importlib.import_module("aigverse.io").read_aiger_into_aig(str(path))
    return {
        "sim_16_inputs_g_s": giga / cpu_seconds(lambda: schedule.run(1 << 16)),
        "aigverse_sim_g_s": giga / cpu_seconds(lambda: simulate(rival)),
    }


if __name__ == "__main__":
    sys.exit(figures_main("Bit-parallel simulation of a big circuit.", figures))
