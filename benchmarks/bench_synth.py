"""Synthesis against Berkeley ABC and aigverse, on the twenty EPFL circuits.

    python -m benchmarks.bench_synth --json                    all figures
    python -m benchmarks.bench_synth --parts compress2rs,fast  only some parts
    python -m benchmarks.bench_synth --circuits "sin|div"      only circuits whose names match
    python -m benchmarks.bench_synth --smoke                   seconds, to see that it works

Method. Ours: wall-clock time of the pipeline in this process, reading left out, the least of three runs if one
takes less than half a second. Theirs: `benchmarks.synth_rivals`. A ratio is ours over theirs, a figure their geometric
mean; below 1 means fewer ANDs, less time. Each result of ours is proved equal to its circuit with a limit of `--prove`
seconds; "different" anywhere is a wrong result and exit status 1. A line a circuit goes to standard error.

| part | figures |
| --- | --- |
| compress2rs | `size_vs_abc`, `size_worst`, `time_vs_abc`: recipe against script of the same name; `processor_time_vs_abc` |
| fast | `fast_size`, `fast_time`, `processor_fast_time`: recipe `fast` against `dc2` |
| deep | `deep_size`, `deep_worst`: recipe `deep`, stopped after 3 x the time of ABC's `compress2rs`, against its size; `deep_vs_best`, `deep_vs_best_worst`: against the smaller of `compress2rs` and `&syn4` |
| lut | `lut_size`, `lut_levels`, `lut_time`: `benchmarks.lut_bench` |
| aigverse | each of our passes against its counterpart: `aigverse_time_PASS`, `_size_`, `_levels_`; `aigverse_time` is the largest of the first |
| growth | `growth_exponent`: of `fast`, copies of `sin` beside each other, 10^4 to 2*10^6 ANDs |
"""  # noqa: E501 - a table

from __future__ import annotations

import argparse
import importlib
import json
import math
import re
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import abc_program, geometric_mean, has_module, machine, revision, shared_circuits
from benchmarks.synth_rivals import AIGVERSE, Made, abc_script, aigverse_pass
from dmt_dialect.synthesis import Optimized, known_passes, known_recipes, optimize
from dynomite._native.aig import Aig
from dynomite._native.sweep import append
from dynomite.formats import read_circuit

EPFL = (
    *("ctrl", "router", "int2float", "dec", "cavlc", "priority", "i2c", "adder", "bar", "max"),
    *("sin", "arbiter", "voter", "square", "sqrt", "multiplier", "log2", "mem_ctrl", "div", "hyp"),
)
"""By size, about."""
SMOKE = ("ctrl", "router", "int2float")
PARTS = ("compress2rs", "fast", "deep", "lut", "aigverse", "growth")
COPIES = (2, 8, 32, 128, 370)
SHORT, REPEATS = 0.5, 3


@dataclass
class Row:
    """One of our runs beside a rival's."""

    part: str
    circuit: str
    ours: Made
    rival: Made
    rival_name: str
    verdict: str
    more: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def size(self) -> float:
        """ANDs, ours over theirs; circuits of no ANDs count one."""
        return max(self.ours.ands, 1) / max(self.rival.ands, 1)

    @property
    def seconds(self) -> float:
        """Time, ours over theirs."""
        return self.ours.seconds / self.rival.seconds

    @property
    def processor(self) -> float:
        """Processor time of our first run over theirs: of use where other work slows both down."""
        return float(self.more["processor_seconds"]) / self.rival.seconds

    def line(self) -> str:
        """For the table on standard error."""
        ours, rival = self.ours, self.rival
        return (
            f"{self.part:12} {self.circuit:10} ANDs {ours.ands:7} / {rival.ands:7} = {self.size:5.3f}   "
            f"levels {ours.levels:5} / {rival.levels:5}   "
            f"s {ours.seconds:8.3f} / {rival.seconds:8.3f} = {self.seconds:5.2f}   "
            f"{self.rival_name}  {self.verdict}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        ratios = {"size": self.size, "time": self.seconds}
        return {**asdict(self), **ratios}


@dataclass
class Bench:
    """What all parts share."""

    circuits: dict[str, Path]
    prove: float
    rows: list[Row] = field(default_factory=list[Row])
    processor_seconds: float = 0.0

    def ours(self, aig: Aig, pipeline: str, timeout: float | None = None) -> Optimized:
        """The fastest of some runs; one run if there is a time limit or it takes longer."""
        start = time.process_time()
        best = optimize(aig, pipeline, timeout=timeout)
        self.processor_seconds = time.process_time() - start
        for _ in range(REPEATS - 1 if timeout is None and best.seconds < SHORT else 0):
            best = min(best, optimize(aig, pipeline), key=lambda run: run.seconds)
        return best

    def add(self, part: str, circuit: str, run: Optimized, rival: Made, rival_name: str, **more: Any) -> Row:
        """Proves a run and writes it down."""
        verdict = run.prove(timeout=self.prove).status if self.prove > 0 else "not checked"
        ours = Made(run.after.ands, run.after.levels, run.seconds)
        more["processor_seconds"] = self.processor_seconds
        self.rows.append(Row(part, circuit, ours, rival, rival_name, verdict, more))
        print(self.rows[-1].line(), file=sys.stderr, flush=True)
        return self.rows[-1]


def recipe_part(bench: Bench, recipe: str, script: str) -> list[Row]:
    """A recipe against a script of ABC on all circuits."""
    rows: list[Row] = []
    for name, path in bench.circuits.items():
        run = bench.ours(read_circuit(path), recipe)
        rows.append(bench.add(recipe, name, run, abc_script(path, script), script))
    return rows


def compress2rs_part(bench: Bench) -> dict[str, Any]:
    """The main recipe."""
    rows = recipe_part(bench, "compress2rs", "compress2rs")
    return {
        "size_vs_abc": geometric_mean(row.size for row in rows),
        "size_worst": max((row.size for row in rows), default=None),
        "time_vs_abc": geometric_mean(row.seconds for row in rows),
        "processor_time_vs_abc": geometric_mean(row.processor for row in rows),
    }


def fast_part(bench: Bench) -> dict[str, Any]:
    """The fast recipe."""
    rows = recipe_part(bench, "fast", "dc2")
    return {
        "fast_size": geometric_mean(row.size for row in rows),
        "fast_time": geometric_mean(row.seconds for row in rows),
        "processor_fast_time": geometric_mean(row.processor for row in rows),
    }


def deep_part(bench: Bench) -> dict[str, Any]:
    """The deep recipe, by time."""
    rows: list[Row] = []
    best: list[float] = []
    for name, path in bench.circuits.items():
        script, other = abc_script(path, "compress2rs"), abc_script(path, "&syn4")
        run = bench.ours(read_circuit(path), "deep", timeout=3 * script.seconds)
        least = min(script.ands, other.ands or script.ands)
        best.append(max(run.after.ands, 1) / max(least, 1))
        row = bench.add("deep", name, run, script, "compress2rs", best_rival=least, vs_best=best[-1])
        print(f"{'':23} best rival {least}, ratio {best[-1]:.3f}", file=sys.stderr)
        rows.append(row)
    return {
        "deep_size": geometric_mean(row.size for row in rows),
        "deep_worst": max((row.size for row in rows), default=None),
        "deep_vs_best": geometric_mean(best),
        "deep_vs_best_worst": max(best, default=None),
    }


def lut_part(bench: Bench) -> dict[str, Any]:
    """Mapping, measured by its own benchmark."""
    try:
        lut_bench: Any = importlib.import_module("benchmarks.lut_bench")
    except ModuleNotFoundError:
        print("benchmarks.lut_bench is not there: no figures of mapping", file=sys.stderr)
        return {}
    return dict(lut_bench.summary(lut_bench.compare(list(bench.circuits.values())))) if bench.circuits else {}


def aigverse_part(bench: Bench) -> dict[str, Any]:
    """Each pass against its counterpart."""
    if not has_module("aigverse"):
        print("aigverse is not installed", file=sys.stderr)
        return {}
    data: dict[str, Any] = {}
    rows: list[Row] = []
    for name, counterpart in AIGVERSE.items():
        if name not in known_passes():
            print(f"there is no pass {name}", file=sys.stderr)
            continue
        mine: list[Row] = []
        for circuit, path in bench.circuits.items():
            rival = aigverse_pass(path, name)
            run = bench.ours(read_circuit(path), name)
            if rival.ands:
                mine.append(bench.add(name, circuit, run, rival, counterpart))
        data[f"aigverse_time_{name}"] = geometric_mean(row.seconds for row in mine)
        data[f"aigverse_size_{name}"] = geometric_mean(row.size for row in mine)
        data[f"aigverse_levels_{name}"] = geometric_mean(
            max(row.ours.levels, 1) / max(row.rival.levels, 1) for row in mine
        )
        rows += mine
    times = [data[f"aigverse_time_{name}"] for name in AIGVERSE if data.get(f"aigverse_time_{name}")]
    data["aigverse_time"] = max(times, default=None)
    data["aigverse_size"] = geometric_mean(row.size for row in rows)
    return data


def beside(aig: Aig, copies: int) -> Aig:
    """Independent copies of a combinational circuit side by side, names dropped."""
    result = Aig()
    inputs = np.array([lit.raw for lit in result.add_inputs(copies * aig.num_inputs)], dtype=np.uint32)
    outputs = aig.literals("outputs")
    for part in np.split(inputs, copies):
        image = append(result, aig, part, hashed=False)
        result.add_outputs((image[outputs >> 1] ^ (outputs & 1)).astype(np.uint32))
    return result


def growth_part(bench: Bench, copies: tuple[int, ...] = COPIES) -> dict[str, Any]:
    """The slope of time over size, both as logarithms."""
    path = bench.circuits.get("sin") or next(iter(bench.circuits.values()), None)
    if path is None:
        return {}
    base = read_circuit(path)
    points: list[tuple[float, float]] = []
    for count in copies:
        aig = beside(base, count)
        start = time.perf_counter()
        made = optimize(aig, "fast")
        seconds = time.perf_counter() - start
        points.append((math.log(aig.num_ands), math.log(seconds)))
        line = f"growth       {count:4} copies, {aig.num_ands} ANDs -> {made.after.ands}, {seconds:.3f} s"
        print(line, file=sys.stderr, flush=True)
    slope = np.polynomial.Polynomial.fit(*zip(*points, strict=True), deg=1).convert().coef[1]
    return {"growth_exponent": float(slope)}


RUN: dict[str, Callable[[Bench], dict[str, Any]]] = {
    "compress2rs": compress2rs_part,
    "fast": fast_part,
    "deep": deep_part,
    "lut": lut_part,
    "aigverse": aigverse_part,
    "growth": growth_part,
}


def figures(parts: Iterable[str], circuits: dict[str, Path], *, prove: float, smoke: bool) -> dict[str, Any]:
    """The figures of some parts, and all rows."""
    bench = Bench(circuits, prove)
    data: dict[str, Any] = {}
    for part in parts:
        recipe = "fast" if part == "growth" else part
        if recipe in ("compress2rs", "fast", "deep") and recipe not in known_recipes():
            print(f"there is no recipe {recipe}", file=sys.stderr)
            continue
        if part == "growth" and smoke:
            data |= growth_part(bench, (2, 8))
        else:
            data |= RUN[part](bench)
    wrong = [f"{row.part} {row.circuit}" for row in bench.rows if row.verdict == "different"]
    here = {"revision": revision(), "machine": machine()}
    return {**data, "wrong": wrong, **here, "rows": [row.to_dict() for row in bench.rows]}


def chosen_circuits(pattern: str, smoke: bool) -> dict[str, Path]:
    """Paths of the EPFL circuits by name, none where the shared circuits are absent."""
    folder = shared_circuits()
    if folder is None:
        print("the folder `shared` is absent: no circuits", file=sys.stderr)
        return {}
    names = SMOKE if smoke and not pattern else EPFL
    return {name: folder / "epfl" / f"{name}.aig" for name in names if re.search(pattern, name)}


def main() -> int:
    """Entry point; exit status 1 after a wrong result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--smoke", action="store_true", help="three small circuits, a short time")
    parser.add_argument("--parts", default=",".join(PARTS), metavar="NAMES", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--circuits", default="", metavar="REGEX", help="only circuits whose name matches")
    parser.add_argument("--prove", type=float, default=20.0, metavar="S", help="seconds a proof, 0 for none")
    options = parser.parse_args()
    parts = [part for part in options.parts.split(",") if part]
    unknown = set(parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown parts {', '.join(sorted(unknown))} (there are: {', '.join(PARTS)})")
    if abc_program() is None:
        print("berkeley-abc is not installed: only aigverse and growth", file=sys.stderr)
        parts = [part for part in parts if part in ("aigverse", "growth")]
    circuits = chosen_circuits(options.circuits, options.smoke)
    data = figures(parts, circuits, prove=options.prove, smoke=options.smoke)
    if options.json:
        print(json.dumps(data, indent=1))
    else:
        for key, value in data.items():
            if key != "rows":
                print(f"{key:28} {value:.4f}" if isinstance(value, float) else f"{key:28} {value}")
    return 1 if data["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
