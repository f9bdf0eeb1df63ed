"""Passes as steps of execution graphs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dmt_dialect.synthesis import SynthPass, known_passes
from dynomite.errors import DynomiteError
from dynomite.exec import Options, graph_context, known_steps, plan_graph, run_plan
from dynomite.ir import parse
from tests.support.shared_data import REPOSITORY

SOURCE = REPOSITORY / "examples" / "adder_checked.aig"
PASSES = [entry for entry in known_passes().values() if not entry.last]


def run(steps: str) -> dict[str, object]:
    text = f'let g = ExecutionGraph {{\n  core.exec.read def(%a) "{SOURCE}"\n{steps}\n}}'
    return run_plan(plan_graph(parse(text, graph_context()), "g"), Options(jobs=2)).results


@pytest.mark.parametrize("entry", PASSES, ids=lambda entry: entry.name)
def test_every_pass_is_a_step(entry: SynthPass) -> None:
    if entry.name in ("rewrite", "sweep"):  # AIG_REWRITE runs pipelines, AIG_SWEEP has parameters of its own
        return
    kind = known_steps()[f"dmt.{entry.step}"]
    assert dict(kind.defaults) == {**entry.defaults, "threads": 1, "seed": 1}
    results = run(f"  dmt.{entry.step} def(%b) %a\n  dmt.exec.lec def(%v) %a %b")
    assert results["v"].equivalent  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]


def test_pipelines() -> None:
    results = run('  dmt.exec.AIG_REWRITE def(%b) %a {pipeline = "strash; sweep", verify = true}')
    assert results["b"].num_ands == 63  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("dmt.exec.AIG_SCL def(%b) %a {constants = 3}", "is true or false"),
        ("dmt.exec.AIG_SCL def(%b) %a {depth = 3}", "no parameter 'depth'"),
        ('dmt.exec.AIG_REWRITE def(%b) %a {pipeline = "sweep(conflicts=0)"}', "'conflicts' is at least 1"),
        ('dmt.exec.AIG_REWRITE def(%b) %a {pipeline = "lutmap(k=4)"}', "gives look-up tables"),
        ("dmt.exec.AIG_LUTMAP def(%b) %a", "AIG_LUTMAP"),
    ],
)
def test_wrong_parameters(step: str, message: str) -> None:
    with pytest.raises(DynomiteError, match=message):
        run(f"  {step}")


def test_a_stopped_step_is_not_kept(tmp_path: Path) -> None:
    """A result that ran out of time is not taken from the cache later."""
    from dynomite.exec import Cache

    text = (
        f'let g = ExecutionGraph {{\n  core.exec.read def(%a) "{SOURCE}"\n'
        '  dmt.exec.AIG_REWRITE def(%b) %a {pipeline = "repeat(1000000){sweep}", timeout = 1}\n}'
    )
    for _ in range(2):
        report = run_plan(plan_graph(parse(text, graph_context()), "g"), Options(cache=Cache(str(tmp_path))))
        assert [record.state for record in report.records] == ["done", "done"]
        assert report.records[1].stats["ended"] == "timeout"
