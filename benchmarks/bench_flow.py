"""The figures of the flow: execution graphs, bit-blasting, word-level modules, BDDs.

    python -m benchmarks.bench_flow [--json] [--smoke]

* `step_us`: microseconds a step costs in a graph of 10,000 steps that do nothing, planning and running, CPU
  time, the least of five; on one thread, and on two (`step_2_threads_us`).
* `parallel_s`: wall time of two independent sweeps of a circuit on two threads, relative to one alone
  (`alone_s`, about a second): 1 if they run side by side, 2 if one after the other. The least ratio of three.
* `cold_s`: from the start of a process to the verdict of a tiny `.dyno` file, wall time, the least of
  seven; `cold_cpu_s` is its CPU time.
* `bitblast_mnodes_s`, `module_s`, `bdd_vs_best`: see `bench_bitblast`, `bench_words`, `bench_bdd`.

On a machine that is busy otherwise wall times say little; the CPU times beside them do.
"""

from __future__ import annotations

import importlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.harness import REPOSITORY, figures_main
from benchmarks.workloads import random_circuit
from dynomite.exec import Options, Plan, graph_context, plan_graph, run_plan
from dynomite.formats import write_circuit
from dynomite.ir import parse

STEPS = 10_000
ANDS = 38_000
TINY = """using op
using hw
MODULE @mul {
  IN %a:def(wire(4))
  MUL %y:def(wire(4)) %a constant(3, 4)
  OUT "y" %y
}
MODULE @add {
  IN %a:def(wire(4))
  ADD %y:def(wire(4)) %a %a %a
  OUT "y" %y
}
let test = ExecutionGraph {
  dmt.exec.lec def(%r) @mul @add
  core.exec.print %r
}
"""


def plan_of(steps: str) -> Plan:
    """A plan of steps written as text."""
    text = f"let prog = CFG {{}}\nlet test = ExecutionGraph {{\n{steps}\n}}\n"
    return plan_graph(parse(text, graph_context(), locations=True), "test")


def step_us(jobs: int, count: int) -> float:
    """CPU time of planning and running a step that does nothing, in microseconds."""
    text = "\n".join(f"core.exec.join def(%v{n}) %prog" for n in range(count))
    text = f"let prog = CFG {{}}\nlet test = ExecutionGraph {{\n{text}\n}}\n"
    module = parse(text, graph_context(), locations=True)
    times: list[float] = []
    for _ in range(5):
        start = time.process_time()
        run_plan(plan_graph(module, "test"), Options(jobs=jobs))
        times.append(time.process_time() - start)
    return min(times) / count * 1e6


def parallel(ands: int) -> dict[str, float]:
    """Two sweeps beside each other, relative to one alone."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.aig" for name in "ab"]
        for path in paths:
            write_circuit(random_circuit(ands, seed=1), path)
        reads = [f'core.exec.read def(%{path.stem}) "{path}"' for path in paths]
        sweeps = [f"dmt.exec.AIG_SWEEP def(%s_{path.stem}) %{path.stem}" for path in paths]

        def seconds(jobs: int, number: int) -> float:
            report = run_plan(plan_of("\n".join(reads[:number] + sweeps[:number])), Options(jobs=jobs))
            return report.seconds - sum(record.seconds for record in report.records[:number]) / number

        rows: list[tuple[float, float]] = []
        for _ in range(3):
            alone = seconds(1, 1)
            rows.append((seconds(2, 2) / alone, alone))
        ratio, alone = min(rows)
        return {"parallel_s": ratio, "alone_s": alone}


def cold(repeats: int) -> dict[str, float]:
    """A process from its start to the verdict of a tiny file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.dyno"
        path.write_text(TINY)
        command = [sys.executable, "-m", "dynomite", "exec", str(path), "-q"]
        paths = [str(REPOSITORY), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        rows: list[tuple[float, float]] = []
        for _ in range(repeats):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.perf_counter()
            done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
            wall = time.perf_counter() - start
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            assert done.stdout.startswith("equivalent"), done.stdout
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            rows.append((wall, cpu))
        return {"cold_s": min(wall for wall, _ in rows), "cold_cpu_s": min(cpu for _, cpu in rows)}


def others(*, smoke: bool) -> dict[str, Any]:
    """Figures of the parts that have benchmarks of their own."""
    found: dict[str, Any] = {}
    bitblast: Any = importlib.import_module("benchmarks.bench_bitblast")
    found["bitblast_mnodes_s"] = bitblast.figures(smoke=smoke)["bitblast_mnodes_s"]
    words: Any = importlib.import_module("benchmarks.bench_words")
    found["module_s"] = words.measure(1_000 if smoke else 100_000)["module_s"]
    diagrams: Any = importlib.import_module("benchmarks.bench_bdd")
    figures = diagrams.figures(smoke=smoke)
    found |= {key: figures[key] for key in figures if key.startswith("bdd_")}
    return found


def figures(*, smoke: bool = False) -> Mapping[str, Any]:
    """All figures."""
    count = 1_000 if smoke else STEPS
    result: dict[str, Any] = {"step_us": step_us(1, count), "step_2_threads_us": step_us(2, count)}
    result |= parallel(1_000 if smoke else ANDS)
    result |= cold(1 if smoke else 7)
    return result | others(smoke=smoke)


if __name__ == "__main__":
    sys.exit(figures_main(__doc__ or "", figures))
