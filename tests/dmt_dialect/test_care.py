"""Care sets, constraints and external don't-cares: against enumeration of all inputs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import dynomite
from dmt_dialect.aig import Aig
from dynomite.errors import UsageError
from tests.support.command import run_command
from tests.support.generators import random_aig

BLIF = """.model m
.inputs a b
.outputs y z
.names a b y
11 1
.names a z
0 1
.exdc
.inputs a b
.outputs y
.names a b y
10 1
01 1
.end
"""


def values(aig: Aig, assignment: int, lits: tuple[dynomite.Lit, ...]) -> list[bool]:
    return aig.evaluate(lits, {lit: bool((assignment >> i) & 1) for i, lit in enumerate(aig.inputs)})


def test_care_sets_against_enumeration(rng: random.Random) -> None:
    equal = different = 0
    for _ in range(200):
        inputs = rng.randint(1, 4)
        left, right = (random_aig(rng, inputs, rng.randint(1, 6), 2) for _ in range(2))
        care = random_aig(rng, inputs, rng.randint(0, 6), 1)
        where = [values(care, x, care.outputs)[0] for x in range(1 << inputs)]
        expected = all(
            values(left, x, left.outputs) == values(right, x, right.outputs)
            for x in range(1 << inputs)
            if where[x]
        )
        verdict = dynomite.lec(left, right, care=care)
        assert verdict.equivalent == expected
        assert any("may be vacuous" in note for note in verdict.assumptions) == (not any(where))
        equal += expected
        if verdict.different:
            different += 1
            _check_counterexample(verdict, left, right, where)
    assert equal > 10
    assert different > 50


def _check_counterexample(verdict: dynomite.Verdict, left: Aig, right: Aig, where: list[bool]) -> None:
    """It lies in the care set whatever its free inputs are, and shows a real difference."""
    example = verdict.counterexample
    assert example is not None
    bits = list(example.inputs.values())
    position = list(example.left).index(example.output)
    for x in range(1 << len(bits)):
        if any(bit is not None and bit != (x >> i) & 1 for i, bit in enumerate(bits)):
            continue
        assert where[x]
        a = values(left, x, left.outputs)[position]
        b = values(right, x, right.outputs)[position]
        assert (a, b) == (example.left[example.output], example.right[example.output])
        assert a != b


def test_constraints_of_both_sides(rng: random.Random) -> None:
    outcomes: set[bool] = set()
    for _ in range(150):
        inputs = rng.randint(1, 4)
        left, right = (random_aig(rng, inputs, rng.randint(1, 8), 3) for _ in range(2))
        held = [
            values(left, x, left.outputs)[2] and not values(right, x, right.outputs)[2]
            for x in range(1 << inputs)
        ]
        expected = all(
            values(left, x, left.outputs) == values(right, x, right.outputs)
            for x in range(1 << inputs)
            if held[x]
        )
        left.add_constraint(left.outputs[2])
        right.add_constraint(~right.outputs[2])
        verdict = dynomite.lec(left, right, assume_constraints=True)
        assert verdict.equivalent == expected
        assert [output.kind for output in verdict.outputs] == ["output"] * 3
        outcomes.add(expected)
        assert dynomite.lec(left, left, assume_constraints=True).equivalent
    assert outcomes == {True, False}


def test_latches_and_names_in_another_order() -> None:
    left, right = Aig(), Aig()
    for aig, order in ((left, "pq"), (right, "qp")):
        lits = {name: aig.add_latch(0, name) for name in order}
        go = aig.add_input("go")
        same = aig is left
        aig.set_next(lits["p"], lits["p"] ^ go)
        aig.set_next(lits["q"], lits["q"] if same else lits["q"] & ~lits["p"])
        aig.add_output(lits["p"] & lits["q"] if same else aig.false, "y")
    care = Aig()
    p, q = care.add_inputs(["p", "q"])
    care.add_output(~(p & q))
    assert dynomite.lec(left, right).different
    assert dynomite.lec(left, right, care=care).equivalent


def test_external_dont_cares(tmp_path: Path) -> None:
    golden, other = tmp_path / "golden.blif", tmp_path / "other.blif"
    golden.write_text(BLIF)
    other.write_text(BLIF.partition(".exdc")[0].replace("11 1", "11 1\n01 1") + ".end\n")
    assert dynomite.lec(golden, other).different
    verdict = dynomite.lec(golden, other, dont_cares=True)
    assert verdict.equivalent
    assert any("1 outputs" in note for note in verdict.assumptions)
    other.write_text(other.read_text().replace("0 1\n.end", "1 1\n.end"))
    verdict = dynomite.lec(golden, other, dont_cares=True)
    assert [output.status for output in verdict.outputs] == ["equivalent", "different"]
    with pytest.raises(UsageError, match="has no external don't-cares"):
        dynomite.lec(other, golden, dont_cares=True)
    with pytest.raises(UsageError, match="BLIF file"):
        dynomite.lec(dynomite.read(golden), other, dont_cares=True)
    result = run_command("lec", golden, other, "--dont-cares", folder=tmp_path)
    assert (result.status, "z" in result.out) == (1, True)


def test_what_does_not_fit_is_refused() -> None:
    aig = Aig()
    a, b = aig.add_inputs(["a", "b"])
    aig.add_output(a & b, "y")
    care = Aig()
    care.add_output(care.add_input("c"))
    with pytest.raises(UsageError, match="does not have: c"):
        dynomite.lec(aig, aig, care=care)
    care.add_output(care.true)
    with pytest.raises(UsageError, match="one output"):
        dynomite.lec(aig, aig, care=care)
    more = Aig()
    x, y, _ = more.add_inputs(["a", "b", "c"])
    more.add_output(x & y, "y")
    with pytest.raises(UsageError, match="both sides have"):
        dynomite.lec(aig, more, free_inputs=True, assume_constraints=True)
