"""Dividers and roots against exhaustion: the divider put before a miter, recognition, verdicts, mutations."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from numpy.typing import NDArray

from dmt_dialect.bitblast import Architecture, blast, word_inputs, word_outputs
from dmt_dialect.engines.dividers import Operands, bridge, find_operands
from dmt_dialect.matching import match_ports
from dmt_dialect.miter import build_miter
from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.simulate import port_names
from dmt_dialect.synthesis import optimize
from dynomite._native.aig import Aig, Lit
from dynomite._native.base import Stop
from dynomite._native.dividers import build_bridge
from dynomite._native.sim import node_values
from dynomite._native.sweep import Sweeper
from dynomite.errors import UsageError
from tests.support.circuit_pairs import differing_outputs, mutated, shows_difference


def divider(width: int, kind: str, adder: str = "ripple") -> Aig:
    aig = Aig()
    a, b = word_inputs(aig, "a", width), word_inputs(aig, "b", width)
    architecture = Architecture.parse(f"divider={kind},adder={adder}")
    word_outputs(aig, "q", blast(aig, "UDIV", a, b, architecture=architecture))
    word_outputs(aig, "r", blast(aig, "UREM", a, b, architecture=architecture))
    return aig


def unnamed(aig: Aig) -> Aig:
    result = Aig.from_fanins(np.array(aig.fanins))
    for lit in aig.literals("outputs").tolist():
        result.add_output(result.lit(lit))
    return result


def root(width: int, *, restoring: bool) -> Aig:
    """A square root as in textbooks, remainders two or three bits wider than the root."""
    aig = Aig()
    radicand = list(aig.add_inputs(width))
    bits = width // 2 + (2 if restoring else 3)
    rest: list[Lit] = [aig.false] * bits
    result: list[Lit] = []

    def add(x: list[Lit], y: list[Lit], carry: Lit) -> tuple[list[Lit], Lit]:
        total: list[Lit] = []
        for p, q in zip(x, y, strict=True):
            total.append(p ^ q ^ carry)
            carry = (p & q) | (carry & (p ^ q))
        return total, carry

    for place in range(width - 2, -1, -2):
        sign = rest[-1]
        rest = [*radicand[place : place + 2], *rest][:bits]
        low = [aig.true, aig.false if restoring else sign]
        operand = [*low, *result, *[aig.false] * bits][:bits]
        if restoring:
            difference, digit = add(rest, [~bit for bit in operand], aig.true)
            rest = [(digit & d) | (~digit & r) for d, r in zip(difference, rest, strict=True)]
        else:
            rest, _ = add(rest, [bit ^ ~sign for bit in operand], ~sign)
            digit = ~rest[-1]
        result = [digit, *result]
    if not restoring:
        back = [aig.true, *result, *[aig.false] * bits][:bits]
        rest, _ = add(rest, [bit & rest[-1] for bit in back], aig.false)
    for bit in (*result, *rest[: width // 2 + 1]):
        aig.add_output(bit)
    return aig


def all_inputs(count: int) -> NDArray[np.uint64]:
    """Row i: bit i of all numbers of `count` bits, padded to 64 patterns."""
    numbers = np.arange(max(64, 1 << count)) % (1 << count)
    bits = (numbers[None, :] >> np.arange(count)[:, None]) & 1
    return np.packbits(bits.astype(np.uint8), axis=1, bitorder="little").view(np.uint64)


def literal_rows(values: NDArray[np.uint64], lits: NDArray[np.uint32]) -> NDArray[np.uint64]:
    return values[lits >> 1] ^ np.where(lits & 1, np.uint64(2**64 - 1), np.uint64(0))[:, None]


CASES = [*((False, width) for width in range(1, 7)), *((True, width) for width in range(2, 15, 2))]


@pytest.mark.parametrize(("is_root", "width"), CASES)
def test_what_is_known_holds_for_all_inputs(is_root: bool, width: int) -> None:
    aig = Aig()
    aig.add_inputs(width if is_root else 2 * width)
    inputs = np.asarray(aig.literals("inputs"), dtype=np.uint32)
    built = build_bridge(aig, inputs[:width], None if is_root else inputs[width:])
    assert built is not None
    bridged, _, known, kept = built
    rows = all_inputs(len(inputs))
    values = node_values(bridged, rows.shape[1] * 64, values=rows)
    assert values is not None
    assert np.array_equal(literal_rows(values, known[:, 0]), literal_rows(values, known[:, 1]))
    # The quotient or root is among the words.
    numbers = np.arange(max(64, 1 << len(inputs))) % (1 << len(inputs))
    top = (1 << width) - 1
    results = [
        math.isqrt(n) if is_root else (n & top) // (n >> width) if n >> width else top
        for n in numbers.tolist()
    ]
    words = {row.tobytes() for row in literal_rows(values, np.concatenate([kept, kept ^ np.uint32(1)]))}
    for bit in range(width // 2 if is_root else width):
        digit = np.packbits((np.array(results) >> bit & 1).astype(np.uint8), bitorder="little")
        assert digit.tobytes() in words, bit


@pytest.mark.parametrize("adder", ["ripple", "kogge-stone"])
def test_dividers_of_both_kinds_are_equal(adder: str) -> None:
    verdict = lec(divider(20, "restoring"), divider(20, "non-restoring", adder), timeout=60)
    assert verdict.equivalent
    assert any(run.stats.get("divider_known") for run in verdict.engines)


def test_roots_of_both_kinds_are_equal() -> None:
    verdict = lec(root(40, restoring=True), root(40, restoring=False), match="order", timeout=60)
    assert verdict.equivalent
    assert any(run.stats.get("divider_known") for run in verdict.engines)


def test_an_optimised_side() -> None:
    small = optimize(divider(14, "non-restoring"), "resyn2").aig
    assert lec(divider(14, "restoring"), small, timeout=60).equivalent


@pytest.mark.parametrize("is_root", [False, True])
def test_one_wrong_gate_is_found(is_root: bool) -> None:
    rng = random.Random(5)
    left = root(10, restoring=True) if is_root else divider(5, "restoring")
    right = root(10, restoring=False) if is_root else divider(5, "non-restoring")
    operands = Operands(tuple(range(10))) if is_root else Operands((0, 1, 2, 3, 4), (5, 6, 7, 8, 9))
    for _ in range(20):
        wrong = mutated(right, rng)
        expected = differing_outputs(left, wrong)
        # Behind the divider without simulating all patterns first: by a sweeper of its own.
        matched = match_ports(left, wrong, mode="order", free_inputs=False, names=("l", "r"), given=None)
        miter = build_miter(left, wrong, matched)
        bridged = bridge(miter.aig, miter.pairs, operands, seed=1, stop=Stop())
        assert bridged is not None
        sweeper = Sweeper(bridged.aig, bridged.pairs)
        sweeper.help(bridged.known, bridged.kept, bridged.patterns)
        limit = 10
        while sweeper.run(limit, Stop()) == "limit":
            limit *= 3
        found = {pair for pair, status in enumerate(sweeper.statuses().tolist()) if status == 2}
        assert found == expected
    wide_left = root(28, restoring=True) if is_root else unnamed(divider(14, "restoring"))
    wide = root(28, restoring=False) if is_root else divider(14, "non-restoring")
    for _ in range(4):
        wrong = mutated(wide, rng)
        verdict = lec(wide_left, wrong, match="order", timeout=60)
        if verdict.different:
            cex = verdict.counterexample
            assert cex is not None
            assert shows_difference(wide_left, wrong, cex, rng)
        else:  # an edge that makes no difference: the pair without it is equal as well
            assert verdict.equivalent
            assert lec(wide, wrong, match="order", timeout=60, engine="sat").equivalent


def recognised(aig: Aig) -> Operands | None:
    return find_operands(aig, port_names(aig, "inputs"), seed=3, stop=Stop())


def test_operands_are_found_by_name_and_by_order() -> None:
    low, high = tuple(range(8)), tuple(range(8, 16))
    named = divider(8, "restoring")
    assert recognised(named) == Operands(low, high)
    assert recognised(root(16, restoring=False)) == Operands((*low, *high))
    turned = Aig()
    b, a = word_inputs(turned, "y", 8), word_inputs(turned, "x", 8)
    word_outputs(turned, "q", blast(turned, "UDIV", a, b))
    assert recognised(turned) == Operands(high, low)


def test_other_circuits_are_no_dividers() -> None:
    aig = Aig()
    a, b = word_inputs(aig, "a", 16), word_inputs(aig, "b", 16)
    word_outputs(aig, "p", blast(aig, "UMULW", a, b))
    assert recognised(aig) is None
    empty = Aig()
    empty.add_inputs(3)
    assert recognised(empty) is None


def test_a_wrong_guess_changes_no_answer() -> None:
    left, right = divider(4, "restoring"), divider(4, "non-restoring")
    matched = match_ports(left, right, mode="order", free_inputs=False, names=("l", "r"), given=None)
    miter = build_miter(left, right, matched)
    bridged = bridge(miter.aig, miter.pairs, Operands((7, 1, 2, 0), (3, 4, 6, 5)), seed=1, stop=Stop())
    assert bridged is not None
    sweeper = Sweeper(bridged.aig, bridged.pairs)
    sweeper.help(bridged.known, bridged.kept, bridged.patterns)
    assert sweeper.run(1000, Stop()) == "done"
    assert set(sweeper.statuses().tolist()) == {1}


def test_misuse_is_refused() -> None:
    aig = Aig()
    aig.add_inputs(4)
    lits = np.asarray(aig.literals("inputs"), dtype=np.uint32)
    constant = np.zeros(1, dtype=np.uint32)
    for dividend, divisor in ((2, 1), (3, None), (0, 0)):
        with pytest.raises(UsageError, match="build_bridge"):
            build_bridge(aig, lits[:dividend].copy(), None if divisor is None else lits[:divisor].copy())
    with pytest.raises(UsageError, match="no input"):
        build_bridge(aig, constant, lits[:1].copy())
    none = np.zeros((0, 2), dtype=np.uint32)
    words = np.zeros((1, 4), dtype=np.uint64)
    sweeper = Sweeper(aig, np.array([[2, 4]], dtype=np.uint32))
    with pytest.raises(UsageError, match="not in the AIG"):
        sweeper.help(none, np.array([99], dtype=np.uint32), words)
    with pytest.raises(UsageError, match="a word for each input"):
        sweeper.help(none, lits, words[:, :2].copy())
    sweeper.run(10, Stop())
    with pytest.raises(UsageError, match="before the first run"):
        sweeper.help(none, lits, words)
    stopped = Stop()
    stopped.cancel()
    assert build_bridge(aig, lits, None, stop=stopped) is None
