"""Sequential clean-up: against simulation of every run, and by proof; what it finds and what it must not."""

from __future__ import annotations

import itertools
import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmt_dialect.synthesis import optimize
from dmt_dialect.synthesis.latch_map import LatchMap
from dmt_dialect.synthesis.proving import prove
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite._native.seq import scl
from tests.support.generators import random_aig
from tests.support.oracles import evaluate_cycles
from tests.support.patience import patience


def runs_alike(left: Aig, right: Aig, kept: list[int], rng: random.Random, cycles: int = 12) -> bool:
    """Whether outputs agree in random runs from every reset state of `left`."""
    free = [i for i, reset in enumerate(left.resets) if reset is None]
    for values in itertools.islice(itertools.product([False, True], repeat=len(free)), 16):
        state = [bool(reset) for reset in left.resets]
        for latch, value in zip(free, values, strict=True):
            state[latch] = value
        inputs = [[rng.random() < 0.5 for _ in range(left.num_inputs)] for _ in range(cycles)]
        first, _ = evaluate_cycles(left, inputs, state)
        second, _ = evaluate_cycles(right, inputs, [state[k] for k in kept])
        if first != second:
            return False
    return True


def redundant(rng: random.Random, inputs: int, ands: int, latches: int) -> Aig:
    """A random circuit with latches, some of them copied, complemented or stuck on purpose."""
    aig = random_aig(rng, inputs, ands, 3, latches)
    originals = list(zip(aig.latches, aig.next_states, aig.resets, strict=True))
    for latch, following, reset in originals:
        kind = rng.randrange(4)
        if kind == 0:
            twin = aig.add_latch(reset)
            aig.set_next(twin, following)
            aig.add_output(twin ^ (latch if rng.random() < 0.5 else aig.inputs[0]))
        elif kind == 1 and reset is not None:
            opposite = aig.add_latch(1 - reset)
            aig.set_next(opposite, ~following)
            aig.add_output(opposite)
        elif kind == 2:
            stuck = aig.add_latch(0)
            aig.set_next(stuck, stuck & latch)
            aig.add_output(stuck | aig.inputs[0])
    return aig


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    inputs=st.integers(1, 4),
    ands=st.integers(0, 30),
    latches=st.integers(0, 6),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_runs_stay(seed: int, inputs: int, ands: int, latches: int, flags: tuple[bool, bool, bool]) -> None:
    rng = random.Random(seed)
    aig = redundant(rng, inputs, ands, latches)
    constants, duplicates, unused = flags
    result, counts, codes, kept = scl(
        aig, constants=constants, duplicates=duplicates, unused=unused, seed=seed
    )
    assert runs_alike(aig, result, kept, rng)
    assert prove(aig, result, LatchMap.of(codes, kept)).equivalent
    assert [result.resets[i] for i in range(len(kept))] == [aig.resets[k] for k in kept]
    assert sum(counts[name] for name in ("constant", "duplicate", "unused")) + len(kept) == aig.num_latches
    if not unused:
        assert counts["unused"] == 0
    again, _, _, left = scl(result)
    assert again.num_latches <= result.num_latches
    if all(flags):
        assert len(left) == result.num_latches


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_in_pipelines(seed: int) -> None:
    """Claims of several runs are composed."""
    aig = redundant(random.Random(seed), 3, 25, 6)
    pipeline = "scl(duplicates=false); strash; scl(constants=false, unused=false); sweep; scl; clean"
    result = optimize(aig, pipeline, verify=True, seed=seed)
    assert result.verified
    assert result.after.latches == result.aig.num_latches


def counters(width: int, *, second_reset: int = 0, second_step: bool = True) -> Aig:
    """Two equal counters; a property says that they never differ."""
    aig = Aig()
    step = aig.add_input("step")
    banks = [
        [aig.add_latch(0, f"a{i}") for i in range(width)],
        [aig.add_latch(second_reset, f"b{i}") for i in range(width)],
    ]
    for bank, carry in zip(banks, (step, step if second_step else aig.true), strict=True):
        for latch in bank:
            aig.set_next(latch, latch ^ carry)
            carry &= latch
    aig.add_bad(aig.or_all([a ^ b for a, b in zip(*banks, strict=True)]), "differ")
    return aig


def test_twins_become_one() -> None:
    aig = counters(8)
    result = optimize(aig, "scl", verify=True)
    assert result.aig.bad[0] == result.aig.false
    assert result.aig.num_latches == 0
    assert result.steps[0].stats["duplicate"] == 8


@pytest.mark.parametrize(("reset", "step"), [(1, True), (0, False)])
def test_what_is_no_twin_stays(reset: int, step: bool) -> None:
    aig = counters(4, second_reset=reset, second_step=step)
    result = optimize(aig, "scl", verify=True)
    assert result.aig.num_latches == 8


def test_constants() -> None:
    aig = Aig()
    a = aig.add_input("a")
    zero, one, free = aig.add_latch(0, "zero"), aig.add_latch(1, "one"), aig.add_latch(None, "free")
    aig.set_next(zero, zero & a)
    aig.set_next(one, ~zero)
    aig.set_next(free, free)
    aig.add_output(zero, "z")
    aig.add_output(one, "o")
    aig.add_output(free, "f")
    result = optimize(aig, "scl", verify=True).aig
    assert result.outputs[:2] == (result.false, result.true)
    assert result.names("latches") == ["free"]
    assert result.names("outputs") == ["z", "o", "f"]
    assert result.resets == [None]


def test_uninitialised_latches_are_no_twins() -> None:
    aig = Aig()
    a = aig.add_input()
    one, two = aig.add_latch(None), aig.add_latch(None)
    aig.set_next(one, a)
    aig.set_next(two, a)
    aig.add_output(one ^ two)
    assert optimize(aig, "scl", verify=True).aig.num_latches == 2


def test_twins_that_need_each_other() -> None:
    """Equal only because the others are: no pair can be shown equal alone."""
    aig = Aig()
    a = aig.add_input()
    banks = [[aig.add_latch(reset) for reset in (0, 1, 0, 0, 1)] for _ in range(2)]
    for bank in banks:
        for i, latch in enumerate(bank):
            aig.set_next(latch, ~(~bank[(i + 1) % 5] & ~(a & bank[(i + 2) % 5])) ^ (a & ~latch))
    for one, two in zip(*banks, strict=True):
        aig.add_output(one & ~two)
        aig.add_output(one)
    result = optimize(aig, "scl", verify=True)
    assert result.aig.num_latches == 5
    assert all(lit == result.aig.false for lit in result.aig.outputs[::2])


def test_ports_names_and_properties() -> None:
    aig = Aig()
    aig.name = "all"
    a, b = aig.add_inputs(["a", "unused"])
    q, twin, dead = aig.add_latch(1, "q"), aig.add_latch(1, "twin"), aig.add_latch(0, "dead")
    for latch in (q, twin):
        aig.set_next(latch, a & q)
    aig.set_next(dead, ~dead)
    aig.add_output(twin, "y")
    aig.add_output(twin, "again")
    aig.add_output(aig.true)
    aig.add_bad(q & a, "wrong")
    aig.add_constraint(a, "given")
    aig.add_justice([q, twin], "live")
    aig.add_fairness(a, "fair")
    aig.add_net_name(q & a, "net")
    aig.comments = ["a comment"]
    result = optimize(aig, "scl", verify=True).aig
    for section in ("inputs", "outputs", "bad", "constraints", "justice", "fairness"):
        assert result.names(section) == aig.names(section)
    assert result.names("latches") == ["q"]
    assert (result.name, result.comments, result.resets) == ("all", ["a comment"], [1])
    assert result.net_names == [(result.latches[0] & result.inputs[0], "net"), (result.latches[0], "twin")]
    assert result.outputs[0] == result.outputs[1] == result.latches[0]
    assert b.raw == result.inputs[1].raw


def shift_registers(length: int, count: int) -> Aig:
    """Shift registers behind one input; only the first and the last bits are seen."""
    aig = Aig()
    value = aig.add_input()
    ends = [value] * count
    for _ in range(length):
        states = [aig.add_latch(0) for _ in range(count)]
        for state, end in zip(states, ends, strict=True):
            aig.set_next(state, end)
        ends = states
    aig.add_output(aig.xor_all(ends[:2]))
    aig.add_output(ends[0])
    return aig


def test_long_shift_registers() -> None:
    """As many cycles of simulation as there are stages tell them apart."""
    result = optimize(shift_registers(2_000, 2), "scl", verify=True)
    assert result.aig.num_latches == 2_000
    assert result.aig.outputs[0] == result.aig.false


def test_thirty_thousand_stages_end() -> None:
    """Not enough simulation: what has not settled is given up, in bounded time, and nothing is wrong."""
    aig = shift_registers(30_000, 1)
    start = time.perf_counter()
    result, _, codes, kept = scl(aig)
    assert time.perf_counter() - start < patience(20)
    assert result.num_latches == 30_000
    assert prove(aig, result, LatchMap.of(codes, kept)).equivalent


def test_a_million_levels() -> None:
    rows = np.empty((1_000_003, 2), dtype=np.uint32)
    rows[:3] = [[0xFFFFFFFF, 0], [0xFFFFFFFF, 0], [0xFFFFFFFF, 1]]
    rows[3:, 0] = np.arange(4, 2 * 1_000_002, 2) ^ 1
    rows[3:, 1] = np.where(np.arange(1_000_000) % 2, 2, 5)
    rows[3] = [2, 4]
    aig = Aig.from_fanins(rows)
    latch = aig.add_latch(0)
    aig.set_next(latch, aig.lit(2 * 1_000_002))
    aig.add_output(latch)
    result, *_ = scl(aig)
    assert result.num_latches == 1


def test_stopped_at_once() -> None:
    stop = Stop()
    stop.cancel()
    aig = counters(8)
    result, counts, codes, kept = scl(aig, stop=stop)
    assert (result.num_latches, counts["duplicate"]) == (16, 0)
    assert prove(aig, result, LatchMap.of(codes, kept)).equivalent


def test_false_claims_are_not_proved() -> None:
    """Every single lie about the latches of a right result is found."""
    aig = counters(2)
    result, _, codes, kept = scl(aig, unused=False)
    truth = LatchMap.of(codes, kept)
    assert truth.codes == (2, 4, 2, 4)
    assert prove(aig, result, truth).equivalent
    for latch, code in itertools.product((2, 3), range(6)):
        if code != truth.codes[latch]:
            lie = LatchMap((*truth.codes[:latch], code, *truth.codes[latch + 1 :]), truth.kept)
            assert prove(aig, result, lie).different, (latch, code)
    for other in (counters(2, second_reset=1), counters(2, second_step=False)):
        assert prove(other, result, truth).different
    uninitialised = counters(2)
    uninitialised.set_reset(uninitialised.latches[2], None)
    assert prove(uninitialised, result, truth).different
    wrong = result.copy()
    wrong.set_reset(wrong.latches[0], 1)
    assert prove(aig, wrong, truth).different
    wrong = result.copy()
    wrong.set_next(wrong.latches[1], wrong.latches[1])
    assert prove(aig, wrong, truth).different


def test_composition() -> None:
    first = LatchMap.of([2, 3, 0, 8, 8], [0, 3])
    second = LatchMap.of([2, 3], [0])
    # Latch 3 of the start is the second one between, which opposes the first one.
    assert first.then(second) == LatchMap((2, 3, 0, 3, 3), (0,))
    assert LatchMap.identity(5).then(first) == first
    assert first.then(LatchMap.identity(2)) == first
    assert LatchMap.identity(3).is_identity
    assert list(first.claims()) == [(1, 3), (2, 0), (4, 8)]
