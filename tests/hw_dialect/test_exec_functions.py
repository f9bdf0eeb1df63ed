"""Steps on netlists of words: what they change, and that the function stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynomite.errors import ExecutionError
from dynomite.exec import Options, Report, graph_context, plan_graph, run_plan
from dynomite.ir import parse, print_module, write_bytecode
from tests.support.exec_runs import printed

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


HIERARCHY = (
    CODE
    + """
MODULE @four {
  IN %x:def(wire(4))
  INSTANCE @top "v1" "a" %x "b" %x "y" %s:def(wire(4))
  INSTANCE @top "v2" "a" %s "b" %x "y" %t:def(wire(4))
  INSTANCE @half "v3" "a" %t "b" %s "s" %u:def(wire(4))
  OUT "y" %u
}
"""
)


@pytest.mark.parametrize("jobs", [1, 8])
@pytest.mark.parametrize("limit", range(12))
def test_a_step_that_fails_half_way_leaves_the_code_untouched(limit: int, jobs: int) -> None:
    """Inlining stops at each possible instruction."""
    steps = f"hw.exec.inline def(%a) @four {{limit = {limit}}}\nhw.exec.simplify def(%b) %a"
    module = parse(f"{HIERARCHY}let test = ExecutionGraph {{\n{steps}\n}}\n", graph_context(), path="t.dyno")
    before, code = print_module(module), write_bytecode(module)
    plan = plan_graph(module, "test")
    with pytest.raises(ExecutionError, match=f"more than {limit} instructions"):
        run_plan(plan, Options(jobs=jobs))
    assert print_module(module) == before
    assert write_bytecode(module) == code
    assert [step.is_done for step in plan.steps] == [False, False]


def test_any_number_of_threads_makes_the_same(tmp_path: Path) -> None:
    """Code, circuits and what is printed, of steps that depend on each other and steps that do not."""
    outcomes: list[tuple[str, str, list[bytes]]] = []
    for jobs in (1, 8, 8):
        paths = [tmp_path / f"{name}.aag" for name in ("ripple", "prefix", "swept")]
        steps = f"""
          hw.exec.circuit def(%ripple) @four {{architecture = "adder=ripple"}}
          hw.exec.circuit def(%prefix) @four {{architecture = "adder=kogge-stone"}}
          hw.exec.circuit def(%half) @half
          dmt.exec.AIG_SWEEP def(%swept) %prefix
          dmt.exec.AIG_REWRITE def(%small) %ripple
          dmt.exec.lec def(%v) %ripple %swept
          dmt.exec.lec def(%w) %small %prefix
          core.exec.write %ripple "{paths[0]}"
          core.exec.write %prefix "{paths[1]}"
          core.exec.write %swept "{paths[2]}"
          hw.exec.inline def(%a) @four
          hw.exec.simplify def(%b) %a
          hw.exec.inline def(%c) @top
          core.exec.print %v
          core.exec.print %b
          core.exec.print %w
          core.exec.print %c
        """
        module = parse(f"{HIERARCHY}let test = ExecutionGraph {{\n{steps}\n}}\n", graph_context(), path="t")
        report = run_plan(plan_graph(module, "test"), Options(jobs=jobs))
        outcomes.append(
            (printed(report), print_module(module), [path.read_bytes() for path in paths]),
        )
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert outcomes[0][0].count("equivalent: 4 outputs") == 2
