"""Pairing by function finds the permutation that was made, and never gives a wrong answer."""

from __future__ import annotations

import random

import numpy as np
import pytest

import dynomite
from dmt_dialect.aig import Aig
from dmt_dialect.function_matching import match_by_function
from dynomite._native.base import Stop
from dynomite._native.sweep import append
from dynomite.errors import LimitError, UsageError
from tests.support.generators import random_aig
from tests.support.shared_data import ABSENT, shared_folder


def permuted(aig: Aig, rng: random.Random, *, keep_names: bool = False, turned: bool = False) -> Aig:
    """The same circuit with inputs, latches and outputs in another order."""
    inputs, latches, outputs = (
        rng.sample(range(count), count) for count in (aig.num_inputs, aig.num_latches, aig.num_outputs)
    )
    made = Aig()
    new_inputs = [made.add_input(aig.get_name("inputs", old) if keep_names else None) for old in inputs]
    new_latches = [made.add_latch(aig.resets[old]) for old in latches]
    ci_map = np.zeros(aig.num_inputs + aig.num_latches, dtype=np.uint32)
    for old, lit in zip(inputs, new_inputs, strict=True):
        ci_map[old] = lit.raw
    for old, lit in zip(latches, new_latches, strict=True):
        ci_map[aig.num_inputs + old] = lit.raw
    moved = append(made, aig, ci_map)

    def lead(raw: int, flip: int = 0) -> dynomite.Lit:
        return made.lit(int(moved[raw >> 1]) ^ (raw & 1) ^ flip)

    for old in outputs:
        made.add_output(lead(int(aig.literals("outputs")[old]), int(turned and rng.random() < 0.5)))
    for old, latch in zip(latches, new_latches, strict=True):
        made.set_next(latch, lead(int(aig.literals("next_states")[old])))
    return made


def without_names(aig: Aig) -> Aig:
    made = aig.copy()
    for section in ("inputs", "latches", "outputs"):
        made.set_names(section, [None] * len(made.names(section)))
    return made


@pytest.mark.parametrize("turned", [False, True])
def test_random_circuits(turned: bool, rng: random.Random) -> None:
    for _ in range(60):
        aig = random_aig(rng, rng.randint(1, 7), rng.randint(0, 50), rng.randint(1, 5), rng.choice([0, 0, 3]))
        other = permuted(aig, rng, turned=turned)
        verdict = dynomite.lec(aig, other, match="function", complements=turned)
        assert verdict.equivalent, verdict
        assert verdict.matching is not None
        assert verdict.matching.inputs.how == "function"
        assert any("paired by function" in note for note in verdict.assumptions)


def test_other_functions_are_never_paired_as_equal(rng: random.Random) -> None:
    """Exhaustively: whatever it answers for two small circuits is right for the pairing it shows."""
    different = refused = 0
    for _ in range(150):
        inputs = rng.randint(2, 4)
        left, right = (random_aig(rng, inputs, rng.randint(3, 12), 2) for _ in range(2))
        try:
            found = match_by_function(left, right, stop=Stop())
        except UsageError:
            refused += 1
            continue
        verdict = dynomite.lec(left, right, match="function")
        inputs_order = found.pairings["inputs"].right
        outputs_order = found.pairings["outputs"].right
        left_rows, right_rows = values(left), values(right)
        expected = all(
            left_rows[assignment][i] == right_rows[_moved(assignment, inputs_order)][j]
            for assignment in range(1 << inputs)
            for i, j in enumerate(outputs_order)
        )
        assert verdict.equivalent == expected
        different += verdict.different
    assert refused > 100


def values(aig: Aig) -> list[list[bool]]:
    """Values of the outputs for each assignment of the inputs."""
    return [
        aig.evaluate(aig.outputs, {lit: bool((assignment >> i) & 1) for i, lit in enumerate(aig.inputs)})
        for assignment in range(1 << aig.num_inputs)
    ]


def _moved(assignment: int, order: tuple[int, ...]) -> int:
    """The right design's assignment when its input order[i] is input i of the left one."""
    return sum(((assignment >> i) & 1) << j for i, j in enumerate(order))


def test_names_that_both_have_are_kept(rng: random.Random) -> None:
    """A xor-free comparison of two words: names tell which word is which."""
    left, right = Aig(), Aig()
    for aig, order in ((left, "ab"), (right, "ba")):
        lits = {name: aig.add_input(name) for name in order}
        aig.add_output(lits["a"] & ~lits["b"], "y" if aig is left else "z")
    verdict = dynomite.lec(left, right, match="function")
    assert verdict.equivalent
    assert verdict.matching is not None
    assert verdict.matching.inputs.pairs == (("a", "a"), ("b", "b"))
    assert verdict.matching.outputs.pairs == (("y", "z"),)
    assert "2 by a common name" in verdict.assumptions[-1]


def test_what_cannot_be_paired_is_refused() -> None:
    left, right = Aig(), Aig()
    for aig in (left, right):
        aig.add_inputs(2)
    left.add_output(left.inputs[0] & left.inputs[1])
    right.add_output(right.inputs[0] ^ right.inputs[1])
    with pytest.raises(UsageError, match="simulation excludes every one"):
        dynomite.lec(left, right, match="function")
    right.add_output(right.inputs[0])
    with pytest.raises(UsageError, match="1 outputs left, 2 right"):
        dynomite.lec(left, right, match="function")
    with pytest.raises(UsageError, match="match='function'"):
        dynomite.lec(left, left, complements=True)


def test_complemented_outputs_only_when_asked_for() -> None:
    left, right = Aig(), Aig()
    for aig in (left, right):
        aig.add_inputs(2)
    left.add_output(left.inputs[0] & left.inputs[1])
    right.add_output(~(right.inputs[0] & right.inputs[1]), "n")
    with pytest.raises(UsageError):
        dynomite.lec(left, right, match="function")
    verdict = dynomite.lec(left, right, match="function", complements=True)
    assert verdict.equivalent
    assert "complemented: n" in verdict.assumptions[-1]


def test_it_can_be_stopped(rng: random.Random) -> None:
    aig = random_aig(rng, 12, 100, 5)
    stop = Stop()
    stop.cancel()
    with pytest.raises(LimitError):
        match_by_function(aig, permuted(aig, rng), stop=stop)
    assert dynomite.lec(aig, permuted(aig, rng), match="function", timeout=0).undecided


@pytest.mark.skipif(shared_folder() is None, reason=ABSENT)
@pytest.mark.parametrize(
    "name",
    [
        "epfl/adder.aig",
        "epfl/bar.aig",
        "epfl/max.aig",
        "epfl/i2c.aig",
        "epfl/priority.aig",
        "epfl/arbiter.aig",
        "iscas85/c499.blif",
        "iscas85/c6288.blif",
        "iscas85/c5315.blif",
        "iscas89/s5378.blif",
    ],
)
def test_shared_circuits_after_optimisation(name: str, rng: random.Random) -> None:
    folder = shared_folder()
    assert folder is not None
    aig = without_names(dynomite.read(folder / "circuits" / name))
    other = permuted(dynomite.optimize(aig, "balance; rewrite").aig, rng)
    verdict = dynomite.lec(aig, other, match="function", timeout=60)
    assert verdict.equivalent, verdict


def test_unnamed_ports_are_shown_by_their_left_positions(rng: random.Random) -> None:
    """Each name once, and the same as in the pairing, however the right ports are permuted."""
    aig = random_aig(rng, 6, 40, 5, 2)
    verdict = dynomite.lec(aig, permuted(aig, rng), match="function")
    assert verdict.matching is not None
    names = [output.name for output in verdict.outputs if output.kind == "output"]
    assert names == [left for left, _ in verdict.matching.outputs.pairs]
    assert len(set(names)) == len(names)
