"""The native simulator against a plain model: all instruction sets, block sizes and pattern counts."""

from __future__ import annotations

import itertools
import os
import random
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dynomite._native import sim
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite.errors import LimitError, UsageError
from tests.support.generators import random_aig
from tests.support.oracles import bit, evaluate, evaluate_cycles, evaluate_nodes, lit_value

WIDTHS = (0, 1, 8, 16, 32, 64, 128)
VARIANTS = sim.simd_variants()

Words = NDArray[np.uint64]


def roots_of(aig: Aig) -> NDArray[np.uint32]:
    return np.concatenate([aig.literals("outputs"), np.array([n.raw for n in aig.next_states], np.uint32)])


def run(schedule: sim.Schedule, patterns: int, **options: object) -> Words:
    result = schedule.run(patterns, **options)  # type: ignore[arg-type]
    assert result is not None
    assert result[1] is None
    return np.asarray(result[0])


def test_baseline_is_always_there() -> None:
    assert VARIANTS[0] == "baseline"
    assert set(VARIANTS) <= {"baseline", "avx2", "avx512"}


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    inputs=st.integers(0, 8),
    ands=st.integers(0, 60),
    outputs=st.integers(0, 5),
    raw=st.booleans(),
)
def test_exhaustive_equals_the_plain_model(
    seed: int, inputs: int, ands: int, outputs: int, raw: bool
) -> None:
    aig = random_aig(random.Random(seed), inputs, ands, outputs, raw=raw)
    schedule = sim.Schedule(aig)
    assert schedule.root_count == outputs
    expected = [evaluate(aig, [bool(k >> i & 1) for i in range(inputs)]) for k in range(1 << inputs)]
    for simd in VARIANTS:
        rows = run(schedule, 1 << inputs, simd=simd)[0]
        for k, column in enumerate(expected):
            assert [bit(row, k) for row in rows] == column
        if (1 << inputs) % 64:
            assert all(int(row[-1]) >> ((1 << inputs) % 64) == 0 for row in rows)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    patterns=st.integers(0, 64 * 150),
    ands=st.integers(0, 200),
    inputs=st.integers(0, 30),
    raw=st.booleans(),
)
def test_every_variant_block_and_pattern_count_agrees(
    seed: int, patterns: int, ands: int, inputs: int, raw: bool
) -> None:
    rng = random.Random(seed)
    aig = random_aig(rng, inputs, ands, rng.randrange(6), latches=rng.randrange(4), raw=raw)
    schedule = sim.Schedule(aig, roots_of(aig))
    sources = sim.source_words(schedule.source_count, patterns, seed=seed)
    first = run(schedule, patterns, seed=seed)
    assert first.shape == (1, schedule.root_count, (patterns + 63) // 64)
    for simd, width in itertools.product(VARIANTS, WIDTHS):
        assert np.array_equal(first, run(schedule, patterns, seed=seed, simd=simd, block_words=width))
        assert np.array_equal(first, run(schedule, patterns, values=sources, simd=simd, block_words=width))
    for k in {0, patterns // 2, patterns - 1}:
        if 0 <= k < patterns:
            bits = [bit(row, k) for row in sources[0]]
            values = evaluate_nodes(aig, bits[:inputs], bits[inputs:])
            assert [bit(row, k) for row in first[0]] == [lit_value(values, r) for r in roots_of(aig).tolist()]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), patterns=st.integers(1, 700), raw=st.booleans())
def test_values_of_all_nodes(seed: int, patterns: int, raw: bool) -> None:
    rng = random.Random(seed)
    aig = random_aig(rng, rng.randrange(6), rng.randrange(100), 2, latches=rng.randrange(3), raw=raw)
    schedule = sim.Schedule(aig, np.arange(0, 2 * aig.num_nodes, 2, dtype=np.uint32))
    expected = run(schedule, patterns, seed=seed)[0]
    for simd in VARIANTS:
        found = sim.node_values(aig, patterns, seed=seed, simd=simd)
        assert found is not None
        assert np.array_equal(np.asarray(found), expected)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), patterns=st.integers(1, 150), cycles=st.integers(0, 6), raw=st.booleans())
def test_cycles_two_and_three_valued(seed: int, patterns: int, cycles: int, raw: bool) -> None:
    rng = random.Random(seed)
    inputs, latches = rng.randrange(5), rng.randrange(1, 5)
    aig = random_aig(rng, inputs, rng.randrange(60), rng.randrange(4), latches=latches, raw=raw)
    schedule = sim.Schedule(aig, roots_of(aig))
    words = (patterns + 63) // 64
    npr = np.random.default_rng(seed)

    def draw(*shape: int) -> Words:
        return npr.integers(0, 2**64, shape, dtype=np.uint64)

    values, start = draw(cycles, inputs, words), draw(latches, words)
    unknown, start_unknown = draw(cycles, inputs, words), draw(latches, words)
    samples = sorted({0, patterns // 3, patterns - 1})
    for ternary, simd, width in itertools.product((False, True), VARIANTS, (0, 1, 8, 128)):
        state, state_unknown = start.copy(), start_unknown.copy()
        result = schedule.run(
            patterns,
            cycles=cycles,
            values=values,
            unknown=unknown if ternary else None,
            state=state,
            state_unknown=state_unknown if ternary else None,
            ternary=ternary,
            simd=simd,
            block_words=width,
        )
        assert result is not None
        out, x = np.asarray(result[0]), result[1]
        assert (x is None) == (not ternary)

        def decode(value: Words, unknown_row: Words | None, k: int) -> bool | None:
            return None if unknown_row is not None and bit(unknown_row, k) else bit(value, k)

        for k in samples:
            trace = [
                [decode(v, u if ternary else None, k) for v, u in zip(vs, us, strict=True)]
                for vs, us in zip(values, unknown, strict=True)
            ]
            begin = [decode(v, u if ternary else None, k) for v, u in zip(start, start_unknown, strict=True)]
            rows, final = evaluate_cycles(aig, trace, begin)
            for cycle, row in enumerate(rows):
                found = [
                    decode(out[cycle, o], np.asarray(x)[cycle, o] if x is not None else None, k)
                    for o in range(out.shape[1])
                ]
                assert found == row
            end = [decode(v, u if ternary else None, k) for v, u in zip(state, state_unknown, strict=True)]
            if cycles:
                assert end == final


def test_short_runs_are_the_beginning_of_long_ones() -> None:
    aig = random_aig(random.Random(3), 9, 80, 4)
    schedule = sim.Schedule(aig)
    long = run(schedule, 64 * 33, seed=7)
    for patterns in (64, 128, 64 * 17):
        assert np.array_equal(run(schedule, patterns, seed=7)[0], long[0, :, : patterns // 64])
    assert not np.array_equal(long, run(schedule, 64 * 33, seed=8))


def test_random_patterns_look_random() -> None:
    words = sim.source_words(50, 64 * 200, seed=1)[0]
    ones = np.bitwise_count(words).sum(axis=1) if hasattr(np, "bitwise_count") else None
    assert len({row.tobytes() for row in np.asarray(words)}) == 50
    if ones is not None:
        assert np.all(np.abs(ones / 12800 - 0.5) < 0.03)


def test_a_chain_of_a_million_levels_needs_few_slots() -> None:
    aig = Aig()
    aig.add_inputs(4)
    count = 1_000_000
    ids = np.arange(5, 5 + count, dtype=np.uint32)
    fanins = np.concatenate([aig.fanins, np.stack([2 * ids - 1, 2 * (1 + ids % 4)], axis=1)], dtype=np.uint32)
    deep = Aig.from_fanins(fanins)
    deep.add_output(deep.lit(2 * (deep.num_nodes - 1)))
    schedule = sim.Schedule(deep)
    assert schedule.op_count == count
    assert schedule.slot_count <= 6
    out = int(run(schedule, 16)[0, 0, 0])
    for k in (0, 11, 15):
        bits = [bool(k >> i & 1) for i in range(4)]
        value = bits[3]
        for node in range(5, 5 + count):
            value = not value and bits[node % 4]
        assert bool(out >> k & 1) == value


def test_slots_stay_few_when_the_nodes_are_sorted_by_level() -> None:
    # 4,000 chains side by side, stored level by level: in this order all chains are alive at once.
    chains, length = 4_000, 20
    aig = Aig()
    aig.add_inputs(chains + 1)
    rows = [aig.fanins]
    for level in range(length):
        base = 2 if level == 0 else 2 + chains + (level - 1) * chains
        nodes = np.arange(base, base + chains, dtype=np.uint32)
        rows.append(np.stack([2 * nodes + 1, np.full(chains, 2, np.uint32)], axis=1))
    wide = Aig.from_fanins(np.concatenate(rows, dtype=np.uint32))
    for i in range(chains):
        wide.add_output(wide.lit(2 * (wide.num_nodes - chains + i)))
    schedule = sim.Schedule(wide)
    assert schedule.op_count == chains * length
    assert schedule.slot_count < 10
    found = run(schedule, 64, seed=5)[0]
    all_nodes = sim.node_values(wide, 64, seed=5)
    assert all_nodes is not None
    assert np.array_equal(found, np.asarray(all_nodes)[-chains:])


def test_stop_ends_a_run() -> None:
    aig = random_aig(random.Random(1), 50, 20_000, 10)
    schedule = sim.Schedule(aig)
    stop = Stop()
    stop.set_timeout(0.05)
    begin = time.monotonic()
    assert schedule.run(64 * 10, cycles=100_000, seed=1, stop=stop) is None
    assert time.monotonic() - begin < 5
    assert stop.reason == "deadline"
    stop = Stop()
    timer = threading.Timer(0.05, stop.cancel)
    timer.start()
    assert schedule.run(64 * 10, cycles=100_000, seed=1, stop=stop) is None
    assert stop.reason == "cancelled"
    stop = Stop()
    stop.cancel()
    assert sim.node_values(aig, 6400, seed=1, stop=stop) is None


def test_ctrl_c_ends_a_run() -> None:
    schedule = sim.Schedule(random_aig(random.Random(1), 50, 20_000, 10))
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        schedule.run(64 * 10, cycles=100_000, seed=1)
    assert time.monotonic() - begin < 5


def test_other_threads_run_meanwhile() -> None:
    schedule = sim.Schedule(random_aig(random.Random(1), 50, 20_000, 10))
    stop = Stop()
    worker = threading.Thread(target=lambda: schedule.run(64 * 10, cycles=100_000, seed=1, stop=stop))
    worker.start()
    # Only possible if the run does not hold the interpreter's lock.
    assert worker.is_alive()
    stop.cancel()
    worker.join(timeout=10)
    assert not worker.is_alive()


def test_the_circuit_may_change_after_compilation() -> None:
    aig = random_aig(random.Random(4), 6, 50, 3)
    schedule = sim.Schedule(aig)
    before = run(schedule, 64)
    aig.add_output(aig.add_input() & aig.inputs[0])
    del aig
    assert np.array_equal(before, run(schedule, 64))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"values": np.zeros((1, 2, 1), np.uint64)}, "inputs"),
        ({"values": np.zeros((2, 3, 1), np.uint64)}, "cycles"),
        ({"values": np.zeros((1, 3, 2), np.uint64)}, "words"),
        ({"values": np.zeros((1, 3, 1), np.uint64), "seed": 1}, "exclude"),
        ({"unknown": np.zeros((1, 3, 1), np.uint64)}, "ternary"),
        ({"unknown": np.zeros((1, 3, 1), np.uint64), "ternary": True}, "needs values"),
        ({"state": np.zeros((9, 1), np.uint64)}, "more rows of state"),
        ({"state": np.zeros((1, 2), np.uint64)}, "words"),
        ({"state": np.zeros((1, 1), np.uint64), "ternary": True}, "go together"),
        ({"simd": "sse9"}, "baseline, avx2"),
    ],
)
def test_misuse_is_named(options: dict[str, object], message: str) -> None:
    schedule = sim.Schedule(random_aig(random.Random(1), 3, 10, 2))
    with pytest.raises(UsageError, match=message):
        schedule.run(64, **options)  # type: ignore[arg-type]


def test_state_is_changed_in_place_or_refused() -> None:
    schedule = sim.Schedule(random_aig(random.Random(1), 3, 10, 2))
    with pytest.raises(TypeError):
        schedule.run(64, state=np.zeros((2, 2), np.uint64)[:, :1])
    with pytest.raises(TypeError):
        schedule.run(64, state=np.zeros((1, 1), np.int32))  # type: ignore[arg-type]


def test_roots_must_be_literals_of_the_circuit() -> None:
    aig = random_aig(random.Random(1), 3, 10, 2)
    with pytest.raises(UsageError, match="root 1"):
        sim.Schedule(aig, np.array([2, 2 * aig.num_nodes], np.uint32))


def test_absurd_sizes_are_a_limit_not_a_crash() -> None:
    schedule = sim.Schedule(random_aig(random.Random(1), 3, 10, 2))
    with pytest.raises((LimitError, MemoryError)):
        schedule.run(2**62, cycles=2**40, seed=1)
