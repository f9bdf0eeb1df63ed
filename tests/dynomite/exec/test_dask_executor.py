"""Dask: the same results as on threads, and what cannot be shipped is refused before anything runs."""

from __future__ import annotations

import os
import subprocess
import sys
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
    here = run("g")
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
