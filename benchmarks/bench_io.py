"""Reading and writing a big binary AIGER file, beside Berkeley ABC and aigverse.

    python -m benchmarks.bench_io [--json] [--smoke]

The file is read from the page cache. Ours and aigverse are timed around the call, ABC as a process less an
ABC process that only quits (`&r`), and `&r; &w` less `&r` (`&w`).
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.harness import abc_program, figures_main, has_module, measure
from benchmarks.workloads import big_circuit
from dynomite.formats import read_circuit, write_circuit


def figures(*, smoke: bool = False) -> dict[str, Any]:
    """Million ANDs a second, ours and the rivals'."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = big_circuit(folder, smoke=smoke)
        read = measure(lambda: read_circuit(path), repeats=5)
        aig = read.result
        mands = aig.num_ands / 1e6
        target = folder / "written.aig"
        write = measure(lambda: write_circuit(aig, target), repeats=5)
        assert read_circuit(target).num_ands == aig.num_ands
        data: dict[str, Any] = {
            "io_mands": mands,
            "read_mands_s": mands / read.seconds,
            "write_mands_s": mands / write.seconds,
        }
        if not smoke:
            data |= rival_figures(path, folder, mands)
    return data


def rival_figures(path: Path, folder: Path, mands: float) -> dict[str, float]:
    """The same of ABC and aigverse, as far as they are installed."""
    data: dict[str, float] = {}
    abc = abc_program()
    if abc is not None:

        def run(script: str) -> float:
            command = [abc, "-q", script]
            return measure(lambda: subprocess.run(command, capture_output=True, check=True)).seconds

        start, read = run("quit"), run(f"&r {path}")
        write = run(f"&r {path}; &w {folder / 'abc.aig'}")
        data["abc_read_mands_s"] = mands / (read - start)
        data["abc_write_mands_s"] = mands / max(write - read, 1e-3)
    if has_module("aigverse"):
        io: Any = importlib.import_module("aigverse.io")
        read_aigverse = measure(lambda: io.read_aiger_into_aig(str(path)))
        target = str(folder / "aigverse.aig")
        write_aigverse = measure(lambda: io.write_aiger(read_aigverse.result, target))
        data["aigverse_read_mands_s"] = mands / read_aigverse.seconds
        data["aigverse_write_mands_s"] = mands / write_aigverse.seconds
    return data


if __name__ == "__main__":
    sys.exit(figures_main("Reading and writing of a big AIGER file.", figures))
