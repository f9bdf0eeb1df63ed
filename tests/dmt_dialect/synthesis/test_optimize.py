"""Running pipelines: loops, records, limits, interruption; what `optimize` gives back."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import dynomite
from dmt_dialect.synthesis import PassResult, StepRecord, SynthPass, known_passes, optimize, passes, proving
from dmt_dialect.synthesis.passes import Param, Value, register_pass
from dmt_dialect.verdict import Verdict
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite.errors import LimitError, ParseError, UsageError, VerifyError
from dynomite.progress import Progress
from tests.support.circuit_pairs import differing_outputs
from tests.support.generators import random_aig


def chain(ands: int) -> Aig:
    """A conjunction of `ands` + 1 inputs, as deep as it has gates."""
    aig = Aig()
    lits = aig.add_inputs(ands + 1)
    result = lits[0]
    for lit in lits[1:]:
        result &= lit
    aig.add_output(result)
    return aig


Change = Callable[[Aig, Mapping[str, Value], Stop], Aig]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Registers passes for one test."""
    monkeypatch.setattr(passes, "_passes", dict(known_passes()))

    def add(name: str, change: Change, *params: Param) -> None:
        def run(aig: Aig, given: Mapping[str, Value], stop: Stop, threads: int, seed: int) -> PassResult:
            del threads, seed
            return PassResult(change(aig, given, stop))

        register_pass(SynthPass(name, run, "For a test.", params))

    return add


def shrinking(aig: Aig, *_: object) -> Aig:
    """One AND less, down to three. No synthesis: the function changes."""
    return chain(max(aig.num_ands - 1, 3))


def growing(aig: Aig, *_: object) -> Aig:
    return chain(aig.num_ands + 5)


@pytest.mark.parametrize(
    ("pipeline", "sizes"),
    [
        ("", []),
        ("shrink; shrink", [9, 8]),
        ("repeat(3){shrink}", [9, 8, 7]),
        ("until-converge(2){shrink}", [9, 8]),
        # The last round gains nothing and ends the loop.
        ("until-converge(100){shrink}", [9, 8, 7, 6, 5, 4, 3, 3]),
        ("until-converge{shrink; shrink}; shrink", [9, 8, 7, 6, 5, 4, 3, 3, 3, 3, 3]),
        # A round that makes it larger is taken back.
        ("until-converge{grow}; shrink", [15, 9]),
        ("best{shrink; grow}; shrink", [9, 14, 8]),
        ("best{grow; shrink}; shrink", [15, 14, 9]),
        ("repeat(2){best{grow}; shrink}", [15, 9, 14, 8]),
    ],
)
def test_loops(pipeline: str, sizes: list[int], register: Callable[..., None]) -> None:
    register("shrink", shrinking)
    register("grow", growing)
    result = optimize(chain(10), pipeline)
    assert [step.after.ands for step in result.steps] == sizes
    assert result.stop == "done"
    last = 3 if "100" in pipeline else sizes[-1] if sizes else 10
    assert result.aig.num_ands == result.after.ands == last
    assert result.before.ands == 10


def test_records(register: Callable[..., None]) -> None:
    register("shrink", shrinking, Param("k", 3, "K."))
    seen: list[StepRecord] = []
    told: list[Progress] = []
    result = optimize(
        chain(10), "clean-up; repeat(2){shrink(k=4)}", on_step=seen.append, progress=told.append
    )
    assert tuple(seen) == result.steps
    assert [(step.step, step.within) for step in seen[-2:]] == [
        ("shrink(k=4)", ("repeat 1",)),
        ("shrink(k=4)", ("repeat 2",)),
    ]
    assert seen[0].within == ("clean-up",)
    assert [step.gain for step in seen[-2:]] == [1, 1]
    assert all(step.seconds >= 0 and step.stop == "none" for step in seen)
    assert [state.doing for state in told][-2:] == ["shrink(k=4): 10 ANDs", "shrink(k=4): 9 ANDs"]
    assert result.gains[0].name == "shrink"
    assert (result.gains[0].runs, result.gains[0].ands, result.gains[0].levels) == (2, 2, 2)
    data = json.loads(result.to_json())
    assert data["ands_before"] == 10
    assert data["ands_after"] == 8
    assert data["pipeline"] == "clean-up; repeat(2){ shrink(k=4) }"
    assert [step["ands_after"] for step in data["steps"]][-1] == 8
    assert data["gains"][0]["ands"] == 2
    assert str(result).startswith("10 ANDs -> 8, 10 levels -> 8, ")


def test_conflicts_hold_where_the_pipeline_says_nothing(register: Callable[..., None]) -> None:
    seen: list[Value] = []

    def note(aig: Aig, given: Mapping[str, Value], stop: Stop) -> Aig:
        del stop
        seen.append(given["conflicts"])
        return aig

    register("note", note, Param("conflicts", 5, "Conflicts."))
    optimize(chain(3), "note; note(conflicts=5); note(conflicts=6)", conflicts=9)
    optimize(chain(3), "note")
    assert seen == [9, 5, 6, 5]


def test_a_stopped_run_gives_the_smallest_circuit(register: Callable[..., None]) -> None:
    stop = Stop()

    def raising(aig: Aig, given: Mapping[str, Value], polled: Stop) -> Aig:
        del aig, given
        polled.cancel()
        raise LimitError("stopped")

    register("shrink", shrinking)
    register("grow", growing)
    register("stopped", raising)
    result = optimize(chain(10), "shrink; grow; stopped; shrink", cancel=stop)
    assert result.stop == "cancelled"
    assert [(step.name, step.stop, step.after.ands) for step in result.steps] == [
        ("shrink", "none", 9),
        ("grow", "none", 14),
        ("stopped", "stopped", 14),
    ]
    assert result.aig.num_ands == 9


def test_what_a_stopped_pass_gives_counts(register: Callable[..., None]) -> None:
    def partial(aig: Aig, given: Mapping[str, Value], polled: Stop) -> Aig:
        del given
        polled.cancel()
        return shrinking(aig)

    register("partial", partial)
    result = optimize(chain(10), "until-converge{best{partial}}; partial")
    assert result.stop == "cancelled"
    assert len(result.steps) == 1
    assert result.aig.num_ands == 9


def test_a_limit_that_is_not_the_stop_is_an_error(register: Callable[..., None]) -> None:
    def too_large(aig: Aig, given: Mapping[str, Value], stop: Stop) -> Aig:
        raise LimitError("too many nodes")

    register("large", too_large)
    with pytest.raises(LimitError, match="too many nodes"):
        optimize(chain(3), "large")


def test_timeout(rng: random.Random) -> None:
    aig = random_aig(rng, 12, 500, 20)
    result = optimize(aig, "repeat(1000000){sweep}", timeout=0.2)
    assert result.stop == "timeout"
    assert not differing_outputs(aig, result.aig)
    assert optimize(aig, "sweep", timeout=0.0).stop == "timeout"


def test_verify(register: Callable[..., None], tmp_path: Path) -> None:
    path = tmp_path / "chain.aig"
    dynomite.write(chain(10), path)
    assert optimize(path, "sweep", verify=True).verified
    assert not optimize(path, "sweep").verified
    register("wrong", wrong)
    with pytest.raises(AssertionError, match="a pass is wrong"):
        optimize(path, "wrong", verify=True)
    result = optimize(path, "wrong")
    assert result.prove().different
    stop = Stop()
    stop.cancel()
    assert result.prove(cancel=stop).undecided


def wrong(aig: Aig, *_: object) -> Aig:
    changed = aig.copy()
    changed.set_output(0, ~changed.outputs[0])
    return changed


def test_an_undecided_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubtful(*_: object, **__: object) -> Verdict:
        return Verdict("undecided", (), reason="timeout")

    monkeypatch.setattr(proving, "lec", doubtful)
    with pytest.raises(VerifyError, match="not proved equal"):
        optimize(chain(3), "strash", verify=True)


def test_the_given_circuit_stays(rng: random.Random) -> None:
    aig = random_aig(rng, 6, 60, 4, raw=True)
    before = aig.copy()
    result = dynomite.optimize(aig, "clean-up")
    assert result.aig is not aig
    assert aig.fanins.tolist() == before.fanins.tolist()


def test_usage() -> None:
    for options, message in (
        ({"timeout": -1.0}, "timeout must not be negative"),
        ({"conflicts": 0}, "conflicts must be at least 1"),
        ({"threads": 0}, "threads must be at least 1"),
    ):
        with pytest.raises(UsageError, match=message):
            optimize(chain(3), "strash", **options)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(ParseError):
        optimize(chain(3), "no-such-pass")
