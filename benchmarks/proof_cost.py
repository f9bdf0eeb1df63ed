"""What writing a proof costs; part of `bench_lec --hard`.

    python -m benchmarks.proof_cost             a line a pair, and the figure

`proof_cost` is the geometric mean, over circuits of the EPFL suite against their `resyn2` forms, of the
processor seconds of `lec --engine sweep --proof FILE` over those of `lec --engine sweep`: reading and writing
included, all threads, in this process, the median of three runs. One engine, so that the work is alike;
still a run with a proof does without rewriting the miter and without exhaustive simulation, which counts as
its cost.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import dynomite
from benchmarks.harness import geometric_mean, shared_circuits

CIRCUITS = ("sin", "log2", "sqrt", "square", "voter", "mem_ctrl", "multiplier", "max")
SMOKE_CIRCUITS = ("ctrl",)
REPEATS = 3


def seconds(left: Path, right: Path, proof: str | None) -> float:
    """Processor seconds of one run. Raises RuntimeError if the pair is not proved equal."""
    start = time.process_time()
    verdict = dynomite.lec(left, right, match="order", engine="sweep", proof=proof)
    taken = time.process_time() - start
    if not verdict.equivalent or (proof is not None and not verdict.proof):
        raise RuntimeError(f"{right}: {verdict.status}, proof {verdict.proof}")
    return taken


def figures(*, smoke: bool = False) -> dict[str, Any]:
    """The figure and its rows; nothing without the shared circuits."""
    circuits = shared_circuits()
    if circuits is None:
        return {}
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in SMOKE_CIRCUITS if smoke else CIRCUITS:
            left = circuits / "epfl" / f"{name}.aig"
            right = circuits / "epfl_opt" / f"{name}_resyn2.aig"
            times: dict[str | None, list[float]] = {None: [], str(Path(folder) / "proof.drat"): []}
            for _ in range(REPEATS):
                for proof, taken in times.items():
                    taken.append(seconds(left, right, proof))
            plain, logged = (statistics.median(taken) for taken in times.values())
            rows.append({"name": name, "plain_s": plain, "proof_s": logged, "ratio": logged / plain})
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    return {"proof_cost": geometric_mean([row["ratio"] for row in rows]), "proof_rows": rows}


if __name__ == "__main__":
    print(json.dumps({key: value for key, value in figures().items() if key == "proof_cost"}))
