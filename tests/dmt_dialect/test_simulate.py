"""simulate, simulate_cycles and truth tables."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmt_dialect.bit_rows import characters_of, lines_of, pack, unpack, words_of
from dmt_dialect.simulate import simulate, simulate_cycles, truth_table, truth_tables
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite.errors import LimitError, UsageError
from dynomite.formats.base import read_circuit
from tests.support import oracles
from tests.support.generators import random_aig
from tests.support.shared_data import Case, read_cases

CASES = [c for c in read_cases() if ("truth" in c.data or "outputs" in c.data)]


def half_adder() -> Aig:
    aig = Aig()
    a, b = aig.add_input("a"), aig.add_input("b")
    aig.add_output(a ^ b, "sum")
    aig.add_output(a & b)
    return aig


def toggler() -> Aig:
    """Latches: t toggles from 0 while enabled, u is uninitialised and holds, l2 falls from 1 to 0."""
    aig = Aig()
    enable = aig.add_input("enable")
    t, u, one = aig.add_latch(0, "t"), aig.add_latch(None, "u"), aig.add_latch(1)
    aig.set_next(t, t ^ enable)
    aig.set_next(u, u)
    aig.add_output(t, "q")
    aig.add_output(u)
    aig.add_bad(t & ~one, "reached")
    aig.add_constraint(one, "holds")
    return aig


def bits(lines: list[str]) -> list[list[bool | None]]:
    return [[None if c == "x" else c == "1" for c in line] for line in lines]


# Characters and words


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_pack_and_unpack(data: st.DataObject) -> None:
    width, count = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 200))
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    alphabet = data.draw(st.sampled_from(["01", "01x"]))
    lines = ["".join(rng.choice(alphabet) for _ in range(width)) for _ in range(count)]
    table = characters_of(lines, width)
    values, unknown = pack(table)
    assert values.shape == (width, words_of(count))
    assert (unknown is not None) == any("x" in line for line in lines)
    start = data.draw(st.integers(0, count))
    stop = data.draw(st.integers(start, count))
    assert lines_of(unpack(values, unknown, start, stop)) == lines[start:stop]


@pytest.mark.parametrize(
    ("line", "message"), [("01", "vector 1 has 2"), ("0a1", "character 'a'"), ("01٣", "'٣'")]
)
def test_wrong_lines_are_named(line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        characters_of(["010", line], 3)


# Combinational


def test_half_adder() -> None:
    run = simulate(half_adder(), ["00", "10", "01", "11", "1x", "0x"])
    assert run.outputs.names == ("sum", "o1")
    assert run.outputs.lines() == ["00", "10", "10", "01", "xx", "x0"]
    assert run.inputs.lines() == ["00", "10", "01", "11", "1x", "0x"]
    assert int(run.outputs["sum"][0]) == 0b000110
    assert run.outputs.unknown is not None
    assert int(run.outputs.unknown[0, 0]) == 0b110000
    assert [name for name, _ in run.sections()] == ["inputs", "outputs"]
    assert run.steps == 6
    assert run.seed is None


def test_without_x_it_is_two_valued_unless_asked() -> None:
    assert simulate(half_adder(), ["00"]).outputs.unknown is None
    assert simulate(half_adder(), ["00"], ternary=True).outputs.unknown is not None


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 150))
def test_random_patterns(seed: int, count: int) -> None:
    rng = random.Random(seed)
    aig = random_aig(rng, rng.randrange(6), rng.randrange(50), rng.randrange(4), raw=True)
    run = simulate(aig, random=count, seed=seed)
    ins, outs = run.inputs.lines(), run.outputs.lines()
    assert len(ins) == len(outs) == count
    for k in range(0, count, 17):
        assert bits(outs[k : k + 1])[0] == oracles.evaluate(aig, bits(ins[k : k + 1])[0])
    again = simulate(aig, np.asarray(run.inputs.values), count=count)
    assert np.array_equal(again.outputs.values, run.outputs.values)
    assert simulate(aig, ins).outputs.lines() == outs


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
def test_truth_tables(seed: int) -> None:
    rng = random.Random(seed)
    aig = random_aig(rng, rng.randrange(8), rng.randrange(40), 3)
    tables = truth_tables(aig)
    assert tables == oracles.truth_tables(aig)
    assert [truth_table(aig, i) for i in range(3)] == tables


def test_truth_table_by_name_and_its_limits() -> None:
    aig = half_adder()
    assert truth_table(aig, "sum") == "0110"
    assert truth_table(aig, "o1") == "0001"
    with pytest.raises(UsageError, match="no output 'z'"):
        truth_table(aig, "z")
    with pytest.raises(UsageError, match="no output 2"):
        truth_table(aig, 2)
    with pytest.raises(LimitError, match="17 inputs"):
        truth_tables(random_aig(random.Random(1), 17, 5, 1))
    assert len(truth_table(random_aig(random.Random(1), 16, 50, 1))) == 65536
    with pytest.raises(UsageError, match="latches"):
        truth_tables(toggler())
    with pytest.raises(LimitError, match="25 inputs"):
        simulate(random_aig(random.Random(1), 25, 5, 1), exhaustive=True)


def test_cut_latches() -> None:
    run = simulate(toggler(), ["0100", "1011", "1x10"], cut_latches=True)
    assert run.inputs.names == ("enable", "t", "u", "l2")
    assert run.outputs.lines() == ["10", "01", "x1"]
    assert run.next_states.names == ("t", "u", "l2")
    assert run.next_states.lines() == ["100", "110", "x10"]
    assert run.bad.lines() == ["1", "0", "x"]
    assert run.constraints.lines() == ["0", "1", "0"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "exactly one"),
        ({"random": 1, "exhaustive": True}, "exactly one"),
        ({"random": -1}, "negative"),
        ({"patterns": ["0"]}, "vector 0 has 1"),
        ({"patterns": np.zeros((3, 1), np.uint64)}, "values for 3 inputs"),
        ({"patterns": np.zeros((2, 1), np.int64)}, "uint64"),
        ({"patterns": np.zeros((2, 2), np.uint64), "count": 64}, "don't fill"),
        ({"patterns": np.zeros((2, 2), np.uint64), "unknown": np.zeros((2, 1), np.uint64)}, "shape"),
        ({"patterns": ["00"], "count": 1}, "packed words only"),
    ],
)
def test_misuse_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        simulate(half_adder(), **arguments)


def test_stop_is_an_error_not_a_result() -> None:
    stop = Stop()
    stop.cancel()
    with pytest.raises(LimitError, match="cancelled"):
        simulate(half_adder(), random=64, stop=stop)


# Sequential


def test_cycles_from_reset() -> None:
    run = simulate_cycles(toggler(), ["1", "1", "0", "1"])
    assert run.outputs.lines() == ["00", "10", "00", "00"]
    assert run.latches.names == ("t", "u", "l2")
    assert run.latches.lines() == ["001", "100", "000", "000"]
    assert run.bad.lines() == ["0", "1", "0", "0"]
    assert run.constraints.lines() == ["1", "0", "0", "0"]
    assert run.final_state.lines() == ["100"]
    assert [name for name, _ in run.sections()] == ["inputs", "latches", "outputs", "bad", "constraints"]
    assert run.steps == run.cycles == 4


@pytest.mark.parametrize(("choice", "line"), [("0", "00"), ("1", "01"), ("x", "0x")])
def test_uninitialised_latches(choice: Any, line: str) -> None:
    run = simulate_cycles(toggler(), ["0", "0"], uninitialised=choice)
    assert run.outputs.lines() == [line, line]


def test_uninitialised_latches_at_random_differ_between_traces_only() -> None:
    run = simulate_cycles(toggler(), random=5, traces=200, seed=3, uninitialised="random")
    starts = {t: run.outputs.lines(t) for t in range(200)}
    values = [lines[0][1] for lines in starts.values()]
    assert 60 < values.count("1") < 140
    assert all(line[1] == lines[0][1] for lines in starts.values() for line in lines)
    again = simulate_cycles(toggler(), random=5, traces=200, seed=3, uninitialised="random")
    assert np.array_equal(run.outputs.values, again.outputs.values)


def test_a_given_state() -> None:
    run = simulate_cycles(toggler(), ["0"], state="1x0", uninitialised="1")
    assert run.latches.lines() == ["110"]


def test_x_stays_x_until_it_does_not_matter() -> None:
    run = simulate_cycles(toggler(), ["0", "x", "1", "0"])
    assert run.outputs.lines() == ["00", "00", "x0", "x0"]
    assert run.bad.lines() == ["0", "0", "x", "x"]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 12), st.booleans())
def test_cycles_equal_the_plain_model(seed: int, cycles: int, ternary: bool) -> None:
    rng = random.Random(seed)
    inputs, latches = rng.randrange(4), rng.randrange(1, 5)
    aig = random_aig(rng, inputs, rng.randrange(50), rng.randrange(4), latches=latches)
    lines = ["".join(rng.choice("01x" if ternary else "01") for _ in range(inputs)) for _ in range(cycles)]
    run = simulate_cycles(aig, lines, uninitialised="x" if ternary else "1")
    start = [{0: False, 1: True, None: None if ternary else True}[reset] for reset in aig.resets]
    rows, final = oracles.evaluate_cycles(aig, bits(lines), start)
    assert bits(run.outputs.lines()) == rows
    assert bits(run.final_state.lines())[0] == final


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 130))
def test_traces_side_by_side(seed: int, traces: int) -> None:
    rng = random.Random(seed)
    aig = random_aig(rng, 3, 40, 2, latches=3)
    run = simulate_cycles(aig, random=6, traces=traces, seed=seed)
    for trace in {0, traces // 2, traces - 1}:
        one = simulate_cycles(aig, run.inputs.lines(trace))
        assert one.outputs.lines() == run.outputs.lines(trace)
        assert one.latches.lines() == run.latches.lines(trace)
    packed = simulate_cycles(aig, np.asarray(run.inputs.values), traces=traces)
    assert np.array_equal(packed.outputs.values, run.outputs.values)
    with pytest.raises(UsageError, match="no trace"):
        run.outputs.lines(traces)


def test_a_circuit_without_latches_has_cycles_too() -> None:
    run = simulate_cycles(half_adder(), ["11", "10"])
    assert run.outputs.lines() == ["01", "10"]
    assert run.sequential


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "exactly one"),
        ({"random": 1, "traces": 0}, "positive"),
        ({"random": 1, "uninitialised": "z"}, "0, 1, random or x"),
        ({"random": 1, "state": "01"}, "2 characters, not 3"),
        ({"vectors": np.zeros((4, 2, 1), np.uint64)}, "values for 2 inputs"),
        ({"vectors": ["0"], "traces": 2}, "packed words only"),
    ],
)
def test_misuse_of_cycles_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        simulate_cycles(toggler(), **arguments)


# Shared cases


@pytest.mark.parametrize("folder", ["iscas89", "mc", "aiger", "logic"])
def test_circuits_equal_the_plain_model(folder: str, circuits: Path, rng: random.Random) -> None:
    """Ten small real circuits a folder, a few cycles of random inputs."""
    paths = [p for p in sorted((circuits / folder).glob("*.a?g")) if p.stat().st_size < 30_000]
    assert paths
    for path in rng.sample(paths, min(10, len(paths))):
        aig = read_circuit(path)
        run = simulate_cycles(aig, random=4, seed=5, uninitialised="x")
        start = [{0: False, 1: True, None: None}[reset] for reset in aig.resets]
        rows, final = oracles.evaluate_cycles(aig, bits(run.inputs.lines()), start)
        assert bits(run.outputs.lines()) == rows, path
        if aig.num_latches:
            assert bits(run.final_state.lines())[0] == final, path


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_cases(case: Case, shared: Path) -> None:
    if not case.files[0].removesuffix(".xz").endswith((".aag", ".aig", ".blif")) or case.expected == "error":
        pytest.skip("no circuit that has to be read")
    aig = read_circuit(shared / "cases" / case.files[0])
    if "outputs" in case.data and "inputs" in case.data:
        run = simulate_cycles(aig, case.data["inputs"])
        assert run.outputs.lines() == case.data["outputs"]
    if "truth" in case.data:
        assert truth_tables(aig) == case.data["truth"]
