"""Building AIGs from Python: one gate a call, in bulk, and the memory they take, beside aigverse.

    python -m benchmarks.bench_aig [--json] [--smoke]

    and_call_us            microseconds of `aig.and_(a, b)` above the loop around it: a chain of ANDs, each a
                           new node that is simplified and hashed
    bulk_mands_s           million ANDs a second that `Aig.from_arrays` simplifies and hashes
    adopt_mands_s          the same for `Aig.from_fanins`, which checks but neither copies nor hashes
    bytes_per_node         growth of resident memory by reading a big AIGER file
    bytes_per_node_hashed  bytes held when the hash table is there too, by the AIG's own count

Times are CPU times, so that a busy machine counts less.
"""

from __future__ import annotations

import importlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness import REPOSITORY, figures_main, has_module
from benchmarks.workloads import big_circuit
from dmt_dialect.aig import Aig
from dynomite.formats.base import read_circuit

CALLS = 300_000
REPEATS = 5

OURS = "from dynomite.formats.base import read_circuit as read; import numpy, dmt_dialect.formats.aiger"
AIGVERSE = "from aigverse.io import read_aiger_into_aig as read"
RESIDENT = """
import gc, os, sys
{imports}
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
read(sys.argv[1])
gc.collect()
before = resident()
aig = read(sys.argv[2])
gc.collect()
print(resident() - before)
"""


def cpu_seconds(call: Callable[[], object], repeats: int = REPEATS) -> float:
    """Median CPU time of a call."""
    times: list[float] = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times)


def call_microseconds(
    make: Callable[[int], tuple[Sequence[Any], Callable[[Any, Any], Any]]], calls: int
) -> float:
    """Time of one AND above the loop. `make` gives as many inputs of a fresh AIG, and its AND."""

    def chain(gates: bool) -> float:
        inputs, and_ = make(calls + 1)
        result = inputs[0]
        start = time.process_time()
        if gates:
            for lit in inputs:
                result = and_(result, lit)
        else:
            for lit in inputs:
                result = lit
        return time.process_time() - start

    loop = statistics.median(chain(False) for _ in range(REPEATS))
    return (statistics.median(chain(True) for _ in range(REPEATS)) - loop) / calls * 1e6


def our_gates(count: int) -> tuple[Sequence[Any], Callable[[Any, Any], Any]]:
    """Inputs of a fresh AIG of ours, and its AND."""
    aig = Aig()
    return aig.add_inputs(count), aig.and_


def aigverse_gates(count: int) -> tuple[Sequence[Any], Callable[[Any, Any], Any]]:
    """Inputs of a fresh AIG of aigverse, and its AND."""
    aig: Any = importlib.import_module("aigverse.networks").Aig()
    return [aig.create_pi() for _ in range(count)], aig.create_and


def resident_bytes(imports: str, path: Path, warm: Path) -> int | None:
    """Growth of a fresh process's memory by reading `path`, after `warm`; None where there is no /proc."""
    if not Path("/proc/self/statm").exists():
        return None
    command = [sys.executable, "-c", RESIDENT.format(imports=imports), str(warm), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=REPOSITORY)
    return int(done.stdout)


def figures(*, smoke: bool = False) -> dict[str, Any]:
    """Ours and the rival's figures."""
    calls = CALLS // 10 if smoke else CALLS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = big_circuit(folder, smoke=smoke)
        warm = folder / "warm.aig"
        warm.write_bytes(b"aig 1 1 0 1 0\n2\n")
        aig = read_circuit(path)
        mands = aig.num_ands / 1e6
        ands = aig.fanins[aig.num_nodes - aig.num_ands :]
        outputs = aig.literals("outputs")
        bulk = cpu_seconds(lambda: Aig.from_arrays(aig.num_inputs, ands, outputs))
        rows = aig.fanins.copy()
        adopt = cpu_seconds(lambda: Aig.from_fanins(rows, outputs))
        hashed = Aig.from_arrays(aig.num_inputs, ands, outputs)
        resident = resident_bytes(OURS, path, warm)
        data: dict[str, Any] = {
            "and_call_us": call_microseconds(our_gates, calls),
            "bulk_mands_s": mands / bulk,
            "adopt_mands_s": mands / adopt,
            "bytes_per_node": (aig.memory()["total"] if resident is None else resident) / aig.num_nodes,
            "bytes_per_node_hashed": hashed.memory()["total"] / hashed.num_nodes,
        }
        if not smoke and has_module("aigverse"):
            data["aigverse_and_call_us"] = call_microseconds(aigverse_gates, calls)
            resident = resident_bytes(AIGVERSE, path, warm)
            if resident is not None:
                data["aigverse_bytes_per_node"] = resident / aig.num_nodes
    return data


if __name__ == "__main__":
    sys.exit(figures_main("Building AIGs from Python.", figures))
