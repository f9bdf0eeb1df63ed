"""The judge of verdicts on mutated pairs: right ones pass, wrong ones of every kind are told."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dynomite
from benchmarks import mutate_pairs
from benchmarks.mutations import (
    CHANGES,
    NEUTRAL_CHANGES,
    RARE_CHANGES,
    changed_gates,
    mutated,
    shuffled_ports,
)
from benchmarks.plain_circuit import PlainCircuit, all_patterns, miter, plain, random_patterns
from dynomite.formats.base import read_circuit
from tests.support.generators import random_aig
from tests.support.oracles import evaluate

CASES = 40


def circuit(rng: random.Random) -> PlainCircuit:
    return plain(random_aig(rng, rng.randrange(3, 9), rng.randrange(10, 50), rng.randrange(1, 4), raw=True))


def test_a_few_cases(shared: object) -> None:
    """More by `python -m benchmarks.mutate_pairs --count 10000`."""
    data = mutate_pairs.run(1, range(CASES))
    assert data["failures"] == []
    statuses = {name.split()[-1] for name in data["by_kind"]}
    assert {"equivalent", "different"} <= statuses


@pytest.mark.slow
def test_many_cases(shared: object) -> None:
    assert mutate_pairs.run(2, range(1000))["failures"] == []


def test_plain_circuits_say_the_same_as_the_product(rng: random.Random, tmp_path: Any) -> None:
    for _ in range(20):
        own = circuit(rng)
        values = own.evaluate(all_patterns(own.inputs))
        (tmp_path / "c.aag").write_text(own.aiger())
        for aig in (own.aig(), read_circuit(tmp_path / "c.aag")):
            for number in range(1 << own.inputs):
                inputs = [bool(number >> i & 1) for i in range(own.inputs)]
                bits = [bool(int(row[number >> 6]) >> (number & 63) & 1) for row in values]
                assert evaluate(aig, inputs) == bits


def test_latches_are_cut(rng: random.Random) -> None:
    aig = random_aig(rng, 4, 30, 2, latches=3)
    own = plain(aig)
    assert own.inputs == 7
    assert len(own.outputs) == 5


@pytest.mark.parametrize("changes", [NEUTRAL_CHANGES, CHANGES, RARE_CHANGES])
def test_changes_change_what_they_should(changes: Any, rng: random.Random) -> None:
    different = 0
    for _ in range(40):
        own = circuit(rng)
        other = changed_gates(own, changes, 3, rng)
        found = mutate_pairs.differences(own, other)
        assert found.complete
        different += bool(found.outputs)
        pairs = [(k, k) for k in range(len(own.outputs))]
        assert mutate_pairs.is_satisfiable(miter(own, other, pairs)) == bool(found.outputs)
    assert (different == 0) == (changes is NEUTRAL_CHANGES)


def test_shuffled_ports_belong_together(rng: random.Random) -> None:
    own = circuit(rng)
    other, inputs, outputs = shuffled_ports(own, rng)
    patterns = random_patterns(own.inputs, 4, 1)
    assert (other.evaluate(patterns[list(inputs)]) == own.evaluate(patterns)[list(outputs)]).all()


class Liar:
    """Gives the verdict of other circuits, or a damaged one."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __call__(self, *_designs: Any, **_options: Any) -> Any:
        return self.answer


def judged(left: PlainCircuit, right: PlainCircuit, verdict: Any, patch: pytest.MonkeyPatch) -> list[str]:
    """What the judge finds wrong with a verdict."""
    with patch.context() as patched:
        patched.setattr(dynomite, "lec", Liar(verdict))
        case = mutate_pairs.Case(0, "pair", "any", "auto", left, right, right)
        return mutate_pairs.judge(case).wrong


def test_wrong_verdicts_are_told(rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("any", "rare"):
        own = circuit(rng)
        other = own
        while not mutate_pairs.differences(own, other).outputs:
            other = mutated(own, kind, rng)
        equal = dynomite.lec(own.aig(), own.aig())
        different = dynomite.lec(own.aig(), other.aig())
        assert judged(own, own, equal, monkeypatch) == []
        assert judged(own, other, different, monkeypatch) == []
        assert "said to be equal" in judged(own, other, equal, monkeypatch)[0]
        assert "does not hold" in judged(own, own, different, monkeypatch)[0]
        silent = replace(
            different, outputs=tuple(replace(output, counterexample=None) for output in different.outputs)
        )
        assert "no counterexample" in judged(own, other, silent, monkeypatch)[0]
        assert (
            "though the outputs are"
            in judged(own, other, replace(different, status="equivalent"), monkeypatch)[0]
        )


def test_rare_differences_are_told_by_sat(rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    """One assignment of 40 inputs: no random pattern meets it."""
    gates = [(2, 4)]
    gates += [(2 * (40 + k), 2 * k + 4 + (k & 1)) for k in range(1, 39)]
    left = PlainCircuit(40, tuple(gates), (2,))
    right = PlainCircuit(40, (*gates, (2, 2 * (40 + 39) ^ 1)), (2 * (40 + 40),))
    assert mutate_pairs.differences(left, right).outputs == frozenset()
    equal = dynomite.lec(left.aig(), left.aig())
    assert "by SAT" in judged(left, right, equal, monkeypatch)[0]
    assert not dynomite.lec(left.aig(), right.aig()).equivalent


def test_patterns_are_all_there() -> None:
    rows = all_patterns(8)
    bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
    assert {tuple(column) for column in bits.T.tolist()} == {
        tuple(number >> i & 1 for i in range(8)) for number in range(256)
    }
