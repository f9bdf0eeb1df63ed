"""Dask: the same results as on threads, and what cannot be shipped is refused before anything runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dynomite.errors import ExecutionError
from dynomite.exec import Options, plan_graph, run_plan
from dynomite.exec.dask_executor import DaskExecutor
from tests.support.exec_probes import calls
from tests.support.exec_runs import module_of, plan_of
from tests.support.shared_data import REPOSITORY

# Not through Client: nothing of Dask is needed for planning.
UNSTARTED = DaskExecutor.__new__(DaskExecutor)


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("probe.exec.unshippable def(%u)", "not declared with ships=True"),
        ("probe.exec.unnamed def(%u)", "its function has no name"),
    ],
)
def test_a_step_that_cannot_be_shipped_says_so(step: str, why: str) -> None:
    module = module_of(f'probe.exec.shipped def(%a) "before"\ncore.exec.if %a {{\n{step}\n}}')
    calls.clear()
    with pytest.raises(ExecutionError, match=why) as caught:
        run_plan(plan_graph(module, "test"), Options(executor=UNSTARTED))
    assert caught.value.stage == "scheduling"
    assert not calls


def test_steps_on_code_stay() -> None:
    UNSTARTED.check(
        plan_of(
            "probe.exec.mark def(%a) %prog\ncore.exec.until_converge def(%b) %a 3 {\n"
            "core.exec.cse def(%c) %a\n}\ncore.exec.print %b\nprobe.exec.edit %prog"
        )
    )


PROGRAM = """
from dynomite.exec import Cache, Options, graph_context, plan_graph, run_plan
from dynomite.exec.dask_executor import DaskExecutor
from dynomite.errors import ExecutionError
from dynomite.ir import parse
import tests.support.exec_probes as probes

TEXT = '''let g = ExecutionGraph {
  core.exec.read def(%a) "examples/adder_ripple.aag"
  core.exec.read def(%b) "examples/adder_kogge_stone.blif"
  core.exec.read def(%c) "examples/adder_buggy.blif"
  dmt.exec.AIG_SWEEP def(%s) %b
  dmt.exec.lec def(%r) %a %s
  dmt.exec.lec def(%q) %a %c
  probe.exec.shipped def(%n) "some text"
  core.exec.print %r
  core.exec.print %q
  core.exec.print %n
}
let bad = ExecutionGraph {
  core.exec.read def(%a) "examples/adder_ripple.aag"
  dmt.exec.lec def(%r) %a %a {match = "no"}
}'''

def run(name, **options):
    plan = plan_graph(parse(TEXT, graph_context()), name)
    return [record.text for record in run_plan(plan, Options(**options)).records]

if __name__ == "__main__":
    here = run("g", jobs=1)
    assert run("g", jobs=8) == here
    probes.calls.clear()
    executor = DaskExecutor(modules=["tests.support.exec_probes"], workers=2)
    assert run("g", executor=executor, cache=Cache()) == here
    assert not probes.calls, "it ran here"
    try:
        run("bad", executor=executor)
    except ExecutionError as error:
        assert "match must be one of" in str(error) and error.step == "2: dmt.exec.lec", error
    else:
        raise AssertionError("no error")
    executor.close()
    print("same")
"""


def test_the_same_results_as_on_threads(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="dask[distributed] is not installed")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, str(program)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "same\n", done.stderr


SLOW = """
from dynomite.exec import StepKind, Task, register_dialect, register_step
from dynomite.ir import Dialect

def wait(task: Task) -> str:
    with open(task.inputs[0], "w") as file:
        file.write("started")
    while not task.stop.poll():
        pass
    return "stopped"

slow = register_dialect(Dialect("slow"))
register_step(StepKind(slow.op("exec.wait", defs=1, uses=1), "slow_steps:wait", result="data",
                       operands=(1, 1), ships=True))
"""


@pytest.mark.parametrize("to_group", [False, True])
def test_ctrl_c_ends_the_workers_quietly(tmp_path: Path, to_group: bool) -> None:
    """Of a terminal all processes get the signal."""
    pytest.importorskip("distributed", reason="dask[distributed] is not installed")
    (tmp_path / "slow_steps.py").write_text(SLOW)
    started = tmp_path / "started"
    graph = tmp_path / "graph.dyno"
    graph.write_text(f'let g = ExecutionGraph {{\n  slow.exec.wait def(%a) "{started}"\n}}\n')
    command = [sys.executable, "-m", "dynomite", "exec", str(graph), "--executor", "dask"]
    process = subprocess.Popen(
        [*command, "--load", "slow_steps"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(tmp_path), *sys.path])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 90
        while not started.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        assert started.exists(), process.communicate()
        (os.killpg if to_group else os.kill)(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=60)
        assert (process.returncode, out, error) == (130, "", "")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
