"""Steps on netlists of words: what they change, and that the function stays."""

from __future__ import annotations

import pytest

from dynomite.errors import ExecutionError
from dynomite.exec import Options, Report, graph_context, plan_graph, run_plan
from dynomite.ir import parse

CODE = """
using op
using hw
MODULE @half {
  IN %a:def(wire(4))
  IN %b:def(wire(4))
  ADD %s:def(wire(4)) %a %b
  OUT "s" %s
}
MODULE @top {
  IN %a:def(wire(4))
  IN %b:def(wire(4))
  INSTANCE @half "u1" "a" %a "b" %b "s" %t:def(wire(4))
  MUL %z:def(wire(4)) %t constant(1, 4)
  OUT "y" %z
}
"""


def run(steps: str, jobs: int = 1) -> Report:
    module = parse(f"{CODE}let test = ExecutionGraph {{\n{steps}\n}}\n", graph_context(), path="t.dyno")
    return run_plan(plan_graph(module, "test"), Options(jobs=jobs))


@pytest.mark.parametrize("jobs", [1, 4])
def test_flattening_and_simplifying_keep_the_function(jobs: int) -> None:
    steps = """
      hw.exec.circuit def(%before) @top
      core.exec.count def(%instances) @top "hw.INSTANCE"
      hw.exec.inline def(%a) @top
      hw.exec.simplify def(%b) %a
      core.exec.count def(%none) %b "hw.INSTANCE"
      core.exec.count def(%products) %b "op.MUL"
      hw.exec.circuit def(%after) %b
      dmt.exec.lec def(%v) %before %after
    """
    results = run(steps, jobs).results
    assert (results["instances"], results["none"], results["products"]) == (1, 0, 0)
    assert results["v"].equivalent
    assert results["after"].num_inputs == 8


def test_architectures_of_one_operator_agree() -> None:
    steps = """
      hw.exec.circuit def(%ripple) @half {architecture = "adder=ripple"}
      hw.exec.circuit def(%prefix) @half {architecture = "adder=kogge-stone"}
      dmt.exec.lec def(%v) %ripple %prefix
    """
    results = run(steps).results
    assert results["v"].equivalent
    assert results["ripple"].num_ands != results["prefix"].num_ands


def test_the_whole_module_by_its_top() -> None:
    results = run('hw.exec.circuit def(%a) {top = "top"}\nhw.exec.circuit def(%b)').results
    assert results["a"].num_ands == results["b"].num_ands > 0


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ('hw.exec.circuit def(%a) @top {top = "half"}', "goes with the whole module"),
        ('hw.exec.circuit def(%a) @top {architecture = "adder=best"}', "adder"),
        ("hw.exec.inline def(%a) @top {limit = 0}", "more than 0 instructions"),
    ],
)
def test_bad_parameters(step: str, message: str) -> None:
    with pytest.raises(ExecutionError, match=message):
        run(step)
