from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import bench_synth
from benchmarks.harness import abc_program, has_module
from benchmarks.synth_rivals import abc_script, aigverse_pass
from dmt_dialect.synthesis import known_passes, known_recipes
from dynomite import Aig, lec

NEEDS_ABC = pytest.mark.skipif(abc_program() is None, reason="no berkeley-abc")


def small(circuits: Path) -> dict[str, Path]:
    return {"ctrl": circuits / "epfl" / "ctrl.aig"}


def test_copies_beside_each_other() -> None:
    aig = Aig()
    a, b = aig.add_inputs(2)
    aig.add_output(a ^ b)
    aig.add_output(~a)
    twice = bench_synth.beside(aig, 2)
    expected = Aig()
    c, d, e, f = expected.add_inputs(4)
    for lit in (c ^ d, ~c, e ^ f, ~e):
        expected.add_output(lit)
    assert lec(twice, expected).equivalent
    assert twice.num_ands == 2 * aig.num_ands


@NEEDS_ABC
def test_abc_is_run_once(circuits: Path) -> None:
    made = abc_script(small(circuits)["ctrl"], "compress2rs")
    assert 0 < made.ands < 174
    assert made.seconds > 0
    assert abc_script(small(circuits)["ctrl"], "compress2rs") is made
    assert abc_script(small(circuits)["ctrl"], "&syn4").ands > 0


@pytest.mark.skipif(not has_module("aigverse"), reason="no aigverse")
def test_aigverse(circuits: Path) -> None:
    made = aigverse_pass(small(circuits)["ctrl"], "rewrite")
    assert 0 < made.ands <= 174
    assert made.levels > 0


@NEEDS_ABC
def test_smoke_figures(circuits: Path) -> None:
    data = bench_synth.figures(("compress2rs", "fast"), small(circuits), prove=10, smoke=True)
    assert data["wrong"] == []
    for recipe, key in (("compress2rs", "size_vs_abc"), ("fast", "fast_size")):
        assert (key in data) is (recipe in known_recipes())
    assert all(row["verdict"] == "equivalent" for row in data["rows"])


def test_a_wrong_result_is_told(circuits: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.synth_rivals import Made
    from dmt_dialect.synthesis import PassResult, SynthPass, passes
    from dmt_dialect.synthesis.passes import register_pass

    monkeypatch.setattr(passes, "_passes", dict(known_passes()))

    def wrong(aig: Aig, *_: object) -> PassResult:
        changed = aig.copy()
        changed.set_output(0, ~changed.outputs[0])
        return PassResult(changed)

    register_pass(SynthPass("wrong", wrong, "Wrong."))
    bench = bench_synth.Bench(small(circuits), prove=10)
    run = bench.ours(bench_synth.read_circuit(small(circuits)["ctrl"]), "wrong")
    assert bench.add("wrong", "ctrl", run, Made(1, 1, 1.0), "nobody").verdict == "different"
