"""A step of the engines that was not proved is caught by the check of the proof.

The sweeper has a hook that takes one refuted pair, or one that met its limit, for equal; algebra is made
wrong by giving its certificate to circuits that it does not hold for, and by changing its steps.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dynomite._native.sweep as native
from dmt_dialect.bitblast import Architecture, blast, word_inputs, word_outputs
from dmt_dialect.matching import match_ports
from dmt_dialect.miter import build_miter
from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.proof import ProofCheck, check_proof
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite._native.sweep import Sweeper
from dynomite.errors import UsageError
from dynomite.tools.cli import Exit, main
from tests.support.certificates import words_are_equal
from tests.support.circuit_pairs import copied, gates, miter_is_satisfiable, multiplier, restructured
from tests.support.generators import random_aig

Pair = tuple[Aig, Aig]


@dataclass(frozen=True)
class Swept:
    """One run with a falsified answer: None for the check where the run did not end with all pairs equal."""

    fired: bool
    check: ProofCheck | None


def swept(pair: Pair, proof: Path, answer: str, number: int, limit: int, seed: int = 1) -> Swept:
    """Sweeps a pair with its `number`th answer of a kind falsified, and checks the proof if there is one."""
    matched = match_ports(*pair, mode="order", free_inputs=False, names=("left", "right"))
    miter = build_miter(*pair, matched, hashed=False)
    sweeper = Sweeper(miter.aig, miter.pairs, seed=seed)
    sweeper.falsify_for_tests(answer, number)
    sweeper.log_proof(str(proof), f"{proof}.cnf")
    try:
        while sweeper.run(limit, Stop()) == "limit":
            limit = 3 * limit + 1
    except RuntimeError as error:
        # A merge that does not hold may contradict a later counterexample.
        if "fails in simulation" not in str(error):
            raise
        return Swept(fired=True, check=None)
    fired = bool(sweeper.stats().get("falsified", 0))
    if (sweeper.statuses() != 1).any():
        return Swept(fired, None)
    sweeper.finish_proof()
    return Swept(fired, check_proof(proof))


INPUTS = 28
"""More inputs; random patterns do not meet a single value of all of them."""


def random_pair(rng: random.Random) -> Pair:
    aig = random_aig(rng, rng.randrange(4, 9), rng.randrange(20, 100), rng.randrange(1, 5))
    return aig, restructured(aig, rng)


def product_pair(rng: random.Random) -> Pair:
    width = rng.randrange(3, 5)
    return multiplier(width, columns_first=False), multiplier(width, columns_first=True)


def with_rare_case(pair: Pair, rng: random.Random, *, wrong: bool, hard: bool = False) -> Pair:
    """Equal circuits with more inputs; one output of the right one is complemented in a rare case.

    The case is a chain of ANDs of literals of these inputs: its upper part seems constant to simulation, is
    refuted gate by gate, and one gate taken for constant makes both sides equal. If not `wrong` the case is
    a contradiction besides: the circuits are equal, and that step is still not proved. If `hard` the literals
    are sums of inputs, and a solver has to search for the case.
    """
    sides: list[Aig] = []
    for side in pair:
        aig = Aig()
        lits = [aig.false, *aig.add_inputs(side.num_inputs)]
        more = list(aig.add_inputs(INPUTS))
        for a, b in gates(side):
            lits.append(copied(lits, a) & copied(lits, b))
        outputs = [copied(lits, lit) for lit in side.literals("outputs").tolist()]
        if sides:
            rng.shuffle(more)
            if hard:
                more = [a ^ b ^ c for a, b, c in (rng.sample(more, 3) for _ in range(INPUTS - 6))]
            case = more[0]
            for lit in more[1:]:
                case = case & (lit ^ rng.choice([True, False]))
            if not wrong:
                a, b, c = lits[1:4]
                case = case & (a ^ b) & (b ^ c) & (a ^ c)
            place = rng.randrange(len(outputs))
            outputs[place] = outputs[place] ^ case
        for output in outputs:
            aig.add_output(output)
        sides.append(aig)
    return sides[0], sides[1]


@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.parametrize("make", [random_pair, product_pair])
@pytest.mark.parametrize("block", range(4))
def test_a_refuted_pair_that_is_merged_is_caught(
    make: Callable[..., Pair], wrong: bool, block: int, tmp_path: Path, rng: random.Random
) -> None:
    """With the position of the wrong step from one of the first queries to one after the last."""
    caught = sound = 0
    for _ in range(3):
        pair, seed = with_rare_case(make(rng), rng, wrong=wrong), rng.getrandbits(30)
        number, fired = block, True
        while fired:
            found = swept(pair, tmp_path / "p", "refuted", number, 1000, seed)
            fired = found.fired
            if found.check is not None:
                # Of equal circuits a wrong step may follow all the same: the clauses say that they differ,
                # and of a contradiction that is found already everything follows.
                assert not (wrong and found.check.verified), (number, found.check)
                assert fired or found.check.verified
                caught += not found.check.verified
                sound += not fired
            number += rng.randrange(1, 4)
    assert caught > 0
    assert wrong or sound == 3


@pytest.mark.parametrize(("wrong", "limit"), [(False, 0), (False, 1), (True, 0)])
def test_a_pair_that_met_its_limit_and_is_merged_is_caught(
    wrong: bool, limit: int, tmp_path: Path, rng: random.Random
) -> None:
    """What met its limit may be true, and then even follow by propagation: only a true proof is accepted."""
    caught = 0
    for _ in range(40 if wrong else 8):
        pair = with_rare_case(product_pair(rng), rng, wrong=wrong, hard=True)
        while miter_is_satisfiable(*pair) != wrong:
            pair = with_rare_case(product_pair(rng), rng, wrong=wrong, hard=True)
        for number in range(0, 60, rng.randrange(3, 9)):
            found = swept(pair, tmp_path / "p", "limit", number, limit, rng.getrandbits(30))
            if not found.fired:
                break
            if found.check is not None:
                assert not (wrong and found.check.verified)
                caught += not found.check.verified
    assert caught > 0


def test_a_wrong_verdict_is_caught_by_the_command(
    tmp_path: Path, rng: random.Random, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All the way: `lec` believes its sweeper that different circuits are equal, `check-proof` does not."""
    made = native.Sweeper
    proof = str(tmp_path / "p")
    wrong = 0
    for number in range(200):
        pair = with_rare_case(random_pair(rng), rng, wrong=True)

        def unsound(*args: Any, number: int = number, **options: Any) -> Sweeper:
            sweeper = made(*args, **options)
            sweeper.falsify_for_tests("refuted", number % 40)
            return sweeper

        with monkeypatch.context() as patch:
            patch.setattr(native, "Sweeper", unsound)
            try:
                verdict = lec(*pair, proof=proof, engine="sweep")
            except RuntimeError:
                continue
        if verdict.equivalent:
            wrong += 1
            assert check_proof(proof).result == "rejected"
            assert main(["check-proof", proof]) == Exit.DIFFERENT
            assert "does not follow" in capsys.readouterr().out
        if wrong == 10:
            break
    assert wrong == 10


def test_the_hook_knows_two_kinds_of_answers() -> None:
    sweeper = Sweeper(Aig(), np.zeros((0, 2), dtype=np.uint32))
    with pytest.raises(UsageError, match="'refuted' or 'limit'"):
        sweeper.falsify_for_tests("equal", 0)


def product(width: int, architecture: str) -> Aig:
    aig = Aig()
    a, b = word_inputs(aig, "a", width), word_inputs(aig, "b", width)
    word_outputs(aig, "y", blast(aig, "UMULW", a, b, architecture=Architecture.parse(architecture)))
    return aig


ARCHITECTURES = ("multiplier=array", "multiplier=booth", "multiplier=wallace,adder=kogge-stone")


class CertificateText:
    """The lines of a certificate, in parts that a test can change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = path.read_text().splitlines()

    def places(self, kind: str) -> list[int]:
        """Where the lines of a kind are."""
        return [at for at, line in enumerate(self.lines) if line.split()[0] == kind]

    def rejected(self, lines: list[str]) -> bool:
        """Whether the check rejects these lines."""
        self.path.write_text("\n".join(lines) + "\n")
        check = check_proof(self.path)
        assert check.verified or check.reason
        return not check.verified

    def exchanged(self, at: int, to: int) -> list[str]:
        """With two lines exchanged."""
        lines = list(self.lines)
        lines[at], lines[to] = lines[to], lines[at]
        return lines


def certified(tmp_path: Path, architecture: str, width: int = 4) -> CertificateText:
    proof = tmp_path / "p"
    verdict = lec(
        product(width, ARCHITECTURES[0]), product(width, architecture), engine="algebra", proof=proof
    )
    assert verdict.proof
    assert check_proof(proof).verified
    return CertificateText(proof)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_wrong_gates_are_caught(architecture: str, tmp_path: Path, rng: random.Random) -> None:
    """The engine believed that a wrong circuit has the polynomial of the right one."""
    text = certified(tmp_path, architecture)
    cases = 0
    for at in text.places("g"):
        kind, *numbers = text.lines[at].split()
        place = rng.randrange(2)
        numbers[place] = str(int(numbers[place]) ^ 1)
        lines = [*text.lines[:at], " ".join([kind, *numbers]), *text.lines[at + 1 :]]
        if words_are_equal(lines):
            continue  # the gate does not matter: the certificate may still hold
        cases += 1
        assert text.rejected(lines), lines[at]
    assert cases > 20


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_wrong_columns_are_caught(architecture: str, tmp_path: Path) -> None:
    """Bits of other weights, one bit twice, complemented, or left out: another specification."""
    text = certified(tmp_path, architecture)
    bits = text.places("w")
    for at, to in pairwise(bits):
        for side in (1, 2):
            lines, one, other = list(text.lines), text.lines[at].split(), text.lines[to].split()
            one[side], other[side] = other[side], one[side]
            lines[at], lines[to] = " ".join(one), " ".join(other)
            assert text.rejected(lines)
            twice = text.lines[at].split()
            twice[side] = text.lines[to].split()[side]
            assert text.rejected([*text.lines[:at], " ".join(twice), *text.lines[at + 1 :]])
            turned = text.lines[at].split()
            turned[side] = str(int(turned[side]) ^ 1)
            assert text.rejected([*text.lines[:at], " ".join(turned), *text.lines[at + 1 :]])
        assert text.rejected([*text.lines[:at], *text.lines[at + 1 :]])
    for at in text.places("s"):
        kind, *weights = text.lines[at].split()
        for bit in range(len(weights) - 1):
            changed = list(weights)
            changed[bit], changed[bit + 1] = changed[bit + 1], changed[bit]
            assert text.rejected([*text.lines[:at], " ".join([kind, *changed]), *text.lines[at + 1 :]])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_wrong_adders_are_caught(architecture: str, tmp_path: Path) -> None:
    """A cell with sum and carry exchanged, an operand complemented or doubled, or another node for one."""
    text = certified(tmp_path, architecture)
    cells = text.places("c")
    assert len(cells) > 10
    for at in cells:
        kind, *cell = text.lines[at].split()
        variants = [[cell[1], cell[0], *cell[2:]]]
        for place in range(5):
            variants.append([*cell[:place], str(int(cell[place]) ^ 1), *cell[place + 1 :]])
            variants.append([*cell[:place], str(int(cell[place]) + 2), *cell[place + 1 :]])
        if cell[2] != cell[3]:
            variants.append([*cell[:3], cell[2], *cell[4:]])
        for variant in variants:
            lines = [*text.lines[:at], " ".join([kind, *variant]), *text.lines[at + 1 :]]
            assert text.rejected(lines), (text.lines[at], variant)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_dropped_terms_are_caught(architecture: str, tmp_path: Path) -> None:
    """A step left out leaves a node in the polynomial, or loses what it stands for."""
    text = certified(tmp_path, architecture)
    for kind in "axc":
        for at in text.places(kind):
            assert text.rejected([*text.lines[:at], *text.lines[at + 1 :]]), text.lines[at]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_steps_in_another_order_are_caught_or_true(
    architecture: str, tmp_path: Path, rng: random.Random
) -> None:
    """Independent steps may be exchanged; nothing else is accepted, whatever the order."""
    text = certified(tmp_path, architecture)
    steps = [at for kind in "axcs" for at in text.places(kind)]
    rejected = 0
    for _ in range(100):
        rejected += text.rejected(text.exchanged(*rng.sample(steps, 2)))
    assert rejected > 20
