"""Views by gates: the circuit stays the same, known structures are found, nothing recurses."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import dynomite
from dmt_dialect.aig import Aig
from dmt_dialect.bitblast import blast, word_inputs, word_outputs
from dmt_dialect.synthesis import optimize
from dmt_dialect.synthesis.gate_views import KINDS, GateView, gate_view, mig, xag
from dynomite._native.base import Stop
from dynomite.errors import LimitError
from tests.support.function_tables import tables
from tests.support.generators import random_aig


def adder(width: int) -> Aig:
    aig = Aig()
    a, b = word_inputs(aig, "a", width), word_inputs(aig, "b", width)
    word_outputs(aig, "s", blast(aig, "ADD", a, b))
    return aig


@pytest.mark.parametrize("raw", [False, True])
def test_random_circuits_exhaustively(raw: bool, rng: random.Random) -> None:
    for _ in range(200):
        aig = random_aig(rng, rng.randint(1, 6), rng.randint(0, 60), 3, rng.choice([0, 2]), raw=raw)
        xor, mux, majority, xor3 = (rng.random() < 0.5 for _ in range(4))
        view = gate_view(aig, xor=xor, mux=mux, majority=majority, xor3=xor3)
        assert tables(view.to_aig()) == tables(aig)
        assert "other" not in view.counts
        assert sum(view.counts.values()) == view.network.num_luts == len(view.kinds)
        assert set(view.kinds) <= set(KINDS)


def test_an_adder_is_a_row_of_full_adders() -> None:
    view = mig(adder(32), xor3=True)
    # Bit 0 has no carry in, and the last carry goes nowhere.
    assert view.counts == {"and": 1, "xor": 1, "majority": 30, "xor3": 31}
    assert dynomite.lec(adder(32), view.to_aig()).status == "equivalent"


def test_larger_gates_take_the_place_of_ands() -> None:
    aig = Aig()
    s, a, b = aig.add_inputs(3)
    aig.add_output(aig.mux(s, a, b))
    aig.add_output(s ^ a)
    assert gate_view(aig, xor=True, mux=True).counts == {"xor": 1, "mux": 1}
    assert xag(aig).counts == {"and": 3, "xor": 1}
    assert gate_view(aig).counts == {"and": 5}


def test_no_larger_gate_where_its_parts_are_needed() -> None:
    aig = Aig()
    a, b = aig.add_inputs(2)
    both, neither = a & b, ~a & ~b
    for lit in (both, neither, ~both & ~neither):
        aig.add_output(lit)
    assert xag(aig).counts == {"and": 3}


def test_constants_and_inputs_as_outputs() -> None:
    aig = Aig()
    (a,) = aig.add_inputs(1)
    for lit in (aig.true, aig.false, a, ~a):
        aig.add_output(lit)
    view = xag(aig)
    assert (view.num_gates, view.counts) == (0, {"constant": 2, "inverter": 1})
    assert tables(view.to_aig()) == tables(aig)
    assert repr(GateView(xag(Aig()).network)) == "<GateView: no gates; 0 levels>"


def test_a_million_levels() -> None:
    aig = Aig()
    a, b = aig.add_inputs(2)
    lit = a
    for index in range(250_000):
        lit = (lit ^ b) if index % 2 else (lit & a) ^ a
    aig.add_output(lit)
    assert xag(aig).num_levels <= aig.stats()["levels"]


def test_it_can_be_stopped() -> None:
    stop = Stop()
    stop.cancel()
    with pytest.raises(LimitError):
        xag(adder(3_000), stop=stop)


def test_as_the_last_step_of_a_pipeline(tmp_path: Path) -> None:
    result = optimize(adder(8), "balance; gates(majority=true, xor3=true)", verify=True)
    assert result.extra is not None
    assert result.extra.num_luts < 20
    source, target = tmp_path / "adder.aig", tmp_path / "adder.blif"
    dynomite.write(adder(8), source)
    dynomite.write(result.extra, target)
    assert dynomite.lec(source, target).status == "equivalent"
