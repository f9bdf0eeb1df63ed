"""`sweep` against exhaustion; what it must keep and what it must not use."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmt_dialect.engines.sweep_team import CONFLICT_LIMIT_GROWTH, FIRST_CONFLICT_LIMIT
from dmt_dialect.passes import sweep as sweep_module
from dmt_dialect.passes.sweep import sweep
from dmt_dialect.verdict import Verdict
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite.errors import VerifyError
from tests.support.circuit_pairs import copied, differing_outputs, gates, multiplier, restructured
from tests.support.generators import random_aig


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), inputs=st.integers(0, 6), ands=st.integers(0, 60), raw=st.booleans())
def test_functions_stay(seed: int, inputs: int, ands: int, raw: bool) -> None:
    aig = random_aig(random.Random(seed), inputs, ands, 5, raw=raw)
    before = aig.copy()
    result, stats = sweep(aig, seed=seed)
    assert not differing_outputs(aig, result)
    assert aig.fanins.tolist() == before.fanins.tolist()
    assert stats.ands_before == aig.num_ands
    assert stats.ands_after == result.num_ands <= aig.num_ands
    assert stats.changed is (result.num_ands < aig.num_ands)
    again, _ = sweep(result)
    assert again.num_ands == result.num_ands


def test_redundancy_goes(rng: random.Random) -> None:
    """Two forms of the same functions in one circuit become one."""
    plain = random_aig(rng, 8, 60, 4)
    other = restructured(plain, rng)
    aig = Aig()
    inputs = aig.add_inputs(8)
    for design in (plain, other):
        lits = [aig.false, *inputs]
        for a, b in gates(design):
            lits.append(copied(lits, a) & copied(lits, b))
        for lit in design.literals("outputs").tolist():
            aig.add_output(copied(lits, lit))
    result, stats = sweep(aig, verify=True)
    assert stats.verified
    outputs = result.literals("outputs").tolist()
    assert outputs[:4] == outputs[4:]


def everything() -> Aig:
    aig = Aig()
    aig.name = "all"
    a, b = aig.add_inputs(["a", "b"])
    q = aig.add_latch(1, "q")
    r = aig.add_latch(None, "r")
    aig.set_next(q, a & b)
    aig.set_next(r, ~(~(a & b) | ~a))
    aig.add_output(~(~(a & b) | ~b), "y")
    aig.add_output(a & b, "z")
    aig.add_output(aig.true)
    aig.add_bad(q & r, "wrong")
    aig.add_constraint(a, "given")
    aig.add_justice([q, r], "live")
    aig.add_fairness(b, "fair")
    aig.comments = ["a comment"]
    return aig


def test_all_that_is_no_gate_is_kept() -> None:
    aig = everything()
    result, _ = sweep(aig, verify=True)
    for section in ("inputs", "latches", "outputs", "bad", "constraints", "justice", "fairness"):
        assert result.names(section) == aig.names(section)
    assert result.resets == [1, None]
    assert result.comments == ["a comment"]
    assert result.name == "all"
    assert result.num_ands == 2
    assert result.next_states[0] == result.next_states[1] == result.outputs[0] == result.outputs[1]


def test_latches_are_cut_and_constraints_not_used() -> None:
    aig = Aig()
    a, b = aig.add_inputs(2)
    # Twins from the same reset: equal in every reachable state, not in every state.
    q, r = aig.add_latch(0), aig.add_latch(0)
    aig.set_next(q, a)
    aig.set_next(r, a)
    aig.add_output(q & ~r)
    # Equal only where the constraint holds.
    aig.add_constraint(~(a ^ b))
    aig.add_output(a)
    aig.add_output(b)
    result, _ = sweep(aig)
    assert result.outputs[0].raw > 1
    assert result.outputs[1] != result.outputs[2]


def test_a_wrong_result_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubtful(*_: object, **__: object) -> Verdict:
        return Verdict(status="undecided", outputs=(), reason="timeout")

    monkeypatch.setattr(sweep_module, "lec", doubtful)
    with pytest.raises(VerifyError, match="not proved equal"):
        sweep(everything(), verify=True)

    def differs(*_: object, **__: object) -> Verdict:
        return Verdict(status="different", outputs=())

    monkeypatch.setattr(sweep_module, "lec", differs)
    with pytest.raises(AssertionError, match="differs from the given one"):
        sweep(everything(), verify=True)
    assert sweep(everything())[1].verified is False


def test_limits_and_cancelling(rng: random.Random) -> None:
    aig = random_aig(rng, 12, 500, 20)
    for options in ({"conflict_limit": 1}, {"timeout": 0.0}):
        result, stats = sweep(aig, **options)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        assert stats.stop in ("done", "limit", "stopped")
        assert not differing_outputs(aig, result)
    stop = Stop()
    stop.cancel()
    result, stats = sweep(aig, cancel=stop)
    assert not differing_outputs(aig, result)


def test_limits_rise(rng: random.Random) -> None:
    """A hard candidate is tried with more and more conflicts, up to the limit."""
    aig = Aig()
    inputs = aig.add_inputs(20)
    for columns_first in (True, False):
        design = multiplier(10, columns_first=columns_first)
        lits = [aig.false, *inputs]
        for a, b in gates(design):
            lits.append(copied(lits, a) & copied(lits, b))
        for lit in design.literals("outputs").tolist():
            aig.add_output(copied(lits, lit))
    few, low = sweep(aig, conflict_limit=FIRST_CONFLICT_LIMIT // 2)
    more, high = sweep(aig, conflict_limit=FIRST_CONFLICT_LIMIT * CONFLICT_LIMIT_GROWTH + 1)
    assert low.stop == high.stop == "limit"
    assert low.counters["passes"] == 1
    assert high.counters["passes"] == 3
    assert more.num_ands <= few.num_ands < aig.num_ands


def test_the_figures_as_data() -> None:
    _, stats = sweep(everything())
    data = stats.to_dict()
    assert list(data) == ["changed", "stop", "ands_before", "ands_after", "seconds", "verified", "counters"]
