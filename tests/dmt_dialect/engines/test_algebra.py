"""Algebra against exhaustion: multipliers of all architectures, other arithmetic, mutations, random gates."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from functools import reduce

import numpy as np
import pytest
from numpy.typing import NDArray

from dmt_dialect.bitblast import Architecture, blast, word_inputs, word_outputs
from dmt_dialect.engines.algebra import words_of
from dmt_dialect.matching import match_ports
from dmt_dialect.miter import build_miter
from dmt_dialect.passes.check_equiv import EngineChoice, lec
from dmt_dialect.synthesis import optimize
from dynomite._native.aig import Aig, Lit
from dynomite._native.algebra import compare_words, count_cells
from dynomite._native.base import Stop
from dynomite._native.sim import node_values
from dynomite.errors import UsageError
from tests.support.circuit_pairs import differing_outputs, mutated, restructured
from tests.support.generators import random_aig

ADDERS = ("ripple", "kogge-stone", "brent-kung")
MULTIPLIERS = ("array", "wallace", "dadda", "booth")
ARCHITECTURES = [
    Architecture.parse(f"multiplier={multiplier},adder={adder}")
    for multiplier in MULTIPLIERS
    for adder in ADDERS
]


def product(op: str, width: int, architecture: Architecture) -> Aig:
    aig = Aig()
    a, b = word_inputs(aig, "a", width), word_inputs(aig, "b", width)
    word_outputs(aig, "y", blast(aig, op, a, b, architecture=architecture))
    return aig


def wrong_bits(left: Aig, right: Aig) -> set[int]:
    """Outputs that differ under some input, by simulation of all."""

    def values(aig: Aig) -> NDArray[np.uint64]:
        nodes = node_values(aig, 1 << aig.num_inputs)
        assert nodes is not None
        lits = aig.literals("outputs")
        used = np.uint64((1 << min(64, 1 << aig.num_inputs)) - 1)
        return (nodes[lits >> 1] ^ np.where(lits & 1, ~np.uint64(0), np.uint64(0))[:, None]) & used

    return set(np.nonzero((values(left) != values(right)).any(axis=1))[0].tolist())


def by_algebra(left: Aig, right: Aig) -> str:
    """The status by algebra alone, which must not contradict exhaustion or sweeping."""
    return lec(left, right, engine="algebra").status


@pytest.mark.parametrize("op", ["UMULW", "SMULW", "MUL"])
@pytest.mark.parametrize("width", [2, 3, 4, 5, 6])
def test_all_pairs_of_architectures(op: str, width: int, rng: random.Random) -> None:
    circuits = [product(op, width, architecture) for architecture in ARCHITECTURES]
    for left, right in itertools.combinations(circuits, 2):
        assert by_algebra(left, right) == "equivalent"
    for left in circuits:
        assert not wrong_bits(circuits[0], left)
        wrong = mutated(left, rng)
        differing = wrong_bits(left, wrong)
        found = compare_words(*paired(left, wrong), most_terms=20_000)
        assert found.status in ("different" if differing else "equal", "undecided")
        assert set(found.differing) <= differing


@pytest.mark.parametrize("width", [16, 33, 64])
@pytest.mark.parametrize("op", ["UMULW", "SMULW"])
def test_wide_products(op: str, width: int) -> None:
    simple = product(op, width, ARCHITECTURES[0])
    for architecture in ARCHITECTURES[1:]:
        verdict = lec(simple, product(op, width, architecture), engine="algebra")
        assert verdict.equivalent, str(architecture)
        assert {output.engine for output in verdict.outputs} <= {"algebra", "structure"}


@pytest.mark.parametrize("adder", ADDERS)
def test_sums_of_products(adder: str) -> None:
    """a * b + c * d and a * (b + c) against other orders and architectures; a square; a difference."""

    def build(kind: str, *, other: bool) -> Aig:
        architecture = Architecture.parse(f"adder={adder},multiplier={'booth' if other else 'array'}")
        aig = Aig()
        a, b, c = (word_inputs(aig, name, 5) for name in "abc")

        def op(name: str, x: Sequence[Lit], y: Sequence[Lit]) -> tuple[Lit, ...]:
            return blast(aig, name, x, y, architecture=architecture)

        zero = (aig.false,) * 5
        if kind == "factored" and other:
            result = op("ADD", op("UMULW", a, b), op("UMULW", a, c))
        elif kind == "factored":
            result = op("UMULW", (*a, aig.false), op("ADD", (*b, aig.false), (*c, aig.false)))[:10]
        elif kind == "fused":
            factors = (op("UMULW", b, a), (*c, *zero)) if other else ((*c, *zero), op("UMULW", a, b))
            result = op("ADD", *factors)
        elif kind == "square":
            result = op("UMULW", a, a)
        else:
            result = op("SUB", op("UMULW", a, b), (*c, *zero))
        word_outputs(aig, "y", result)
        return aig

    for kind in ("factored", "fused", "square", "difference"):
        left, right = build(kind, other=False), build(kind, other=True)
        assert lec(left, right, engine="sweep").equivalent
        assert by_algebra(left, right) == "equivalent", kind


@pytest.mark.parametrize("recipe", ["resyn2", "compress2rs"])
def test_optimised_circuits(recipe: str, rng: random.Random) -> None:
    """One side optimised: where its adders cannot be rewritten, a sum like it is built and proved equal."""
    simple = product("UMULW", 10, ARCHITECTURES[0])
    rebuilt = 0
    for architecture in ARCHITECTURES:
        if str(architecture).startswith("adder=ripple") or "booth" not in str(architecture):
            circuit = optimize(product("UMULW", 10, architecture), recipe).aig
            found = compare_words(*paired(simple, circuit), most_terms=5_000)
            assert found.status == "equal", str(architecture)
            rebuilt += found.stats()["right_rebuilt_by_gates"] > 0
            wrong = mutated(circuit, rng)
            if wrong_bits(circuit, wrong):
                assert compare_words(*paired(simple, wrong), most_terms=5_000).status != "equal"
    assert rebuilt, "a prefix adder that was optimised is not rewritten"


def test_mutations_of_wide_multipliers(rng: random.Random) -> None:
    """Changed gates are never overlooked: the sweeper says the same."""
    for architecture in ARCHITECTURES:
        left = product("UMULW", 12, architecture)
        for _ in range(3):
            wrong = mutated(left, rng)
            expected = "equal" if lec(left, wrong, engine="sweep").equivalent else "different"
            assert compare_words(*paired(left, wrong), most_terms=20_000).status in (expected, "undecided")


def test_random_circuits(rng: random.Random) -> None:
    """Words of random gates against exhaustion: complete, as there are few inputs."""
    for kind in range(60):
        left = random_aig(rng, 6, 50, 6)
        right = (restructured, mutated)[kind % 2](left, rng)
        pairs = paired(left, right)
        found = compare_words(*pairs)
        wrong = differing_outputs(left, right)
        assert found.status == ("different" if wrong else "equal")
        assert set(found.differing) <= wrong
        assert bool(found.differing) == bool(wrong)


def paired(left: Aig, right: Aig) -> tuple[Aig, NDArray[np.uint32]]:
    miter = build_miter(left, right, match_ports(left, right))
    return miter.aig, miter.pairs


def test_limits_and_stopping() -> None:
    circuit, pairs = paired(product("UMULW", 24, ARCHITECTURES[0]), product("UMULW", 24, ARCHITECTURES[-1]))
    assert compare_words(circuit, pairs).status == "equal"
    assert compare_words(circuit, pairs, most_terms=100).status == "undecided"
    assert compare_words(circuit, pairs, most_monomials=100).status == "undecided"
    stop = Stop()
    stop.cancel()
    assert compare_words(circuit, pairs, stop=stop).status == "undecided"
    # Without its low bits it is no word: nothing cancels, but nothing wrong is said either.
    assert compare_words(circuit, pairs[20:]).status == "undecided"


def test_usage() -> None:
    circuit, pairs = paired(product("UMULW", 3, ARCHITECTURES[0]), product("UMULW", 3, ARCHITECTURES[1]))
    with pytest.raises(UsageError, match="1 to 1024 bits"):
        compare_words(circuit, pairs[:0])
    with pytest.raises(UsageError, match="bit 1 is not in the AIG"):
        compare_words(circuit, np.array([[2, 2], [2, 10**6]], dtype=np.uint32))


def test_adders_are_counted() -> None:
    adders, xors = count_cells(product("UMULW", 8, ARCHITECTURES[0]))
    assert adders == 48
    assert xors >= 2 * adders
    assert count_cells(Aig()) == (0, 0)


@pytest.mark.parametrize("engine", ["algebra", "auto"])
def test_products_of_polynomials(engine: EngineChoice, rng: random.Random) -> None:
    """Products over GF(2): nothing is carried, every bit is a sum modulo 2."""

    def circuit(*, shuffled: bool, width: int = 24) -> Aig:
        aig = Aig()
        a, b = word_inputs(aig, "a", width), word_inputs(aig, "b", width)
        bits: list[Lit] = []
        for k in range(2 * width - 1):
            terms = [a[i] & b[k - i] for i in range(width) if 0 <= k - i < width]
            if shuffled:
                rng.shuffle(terms)
            bits.append(reduce(lambda x, y: x ^ y, terms))
        word_outputs(aig, "y", bits)
        return aig

    left, right = circuit(shuffled=False), circuit(shuffled=True)
    verdict = lec(left, right, engine=engine, timeout=60)
    assert verdict.equivalent
    wrong = mutated(left, rng)
    verdict = lec(left, wrong, engine=engine, match="order", timeout=60)
    assert verdict.status == ("equivalent" if lec(left, wrong, match="order").equivalent else "different")


def test_words_of_names() -> None:
    assert words_of([]) == ()
    assert words_of(["x", "y"]) == ((0, 1), (1, 0))
    assert words_of(["y[1]", "y[0]", "z"]) == ((1, 0), (2,), (0, 1, 2), (2, 1, 0))
    assert words_of(["o0", "o1", "o2"]) == ((0, 1, 2), (2, 1, 0))
