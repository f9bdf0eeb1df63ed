"""Bit-parallel simulation: combinational patterns and clock cycles, two- and three-valued.

    from dmt_dialect.simulate import simulate, simulate_cycles, truth_table

    result = simulate("adder.aig", random=4096, seed=7)
    result.outputs["s[3]"]               # uint64 words: pattern p is bit p % 64 of word p // 64
    simulate(aig, ["011", "10x"]).outputs.lines()          # one string a pattern, one character an output
    trace = simulate_cycles("counter.aag", random=20)      # 20 clock cycles from reset
    trace.outputs.lines()                # one string a cycle, taken before the clock edge

Random patterns depend on the seed, the input's position and the pattern's number only: a shorter run gives
the beginning of a longer one, on every machine.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.bit_rows import Words, characters_of, lines_of, pack, words_of
from dmt_dialect.simulation import PatternSource, Signals, Simulation
from dynomite._native import sim as native
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite.errors import LimitError, UsageError

Uninitialised: TypeAlias = Literal["0", "1", "random", "x"]
"""What a latch without a reset value starts with."""

Patterns: TypeAlias = Sequence[str] | Words
"""Input values: one string a pattern (characters 0, 1, x in the order of the inputs), or packed words."""

EXHAUSTIVE_INPUTS = 24
"""`simulate(exhaustive=True)` refuses circuits with more inputs."""

TRUTH_TABLE_INPUTS = 16
"""`truth_table` refuses circuits with more inputs."""

_SEEDS = 0xFFFFFFFFFFFFFFFF
_LETTERS = {"inputs": "i", "latches": "l", "outputs": "o", "bad": "b", "constraints": "c"}


def port_names(aig: Aig, section: str) -> tuple[str, ...]:
    """Names of a section's ports; ports without one get the section's letter and their position."""
    letter = _LETTERS[section]
    return tuple(name or f"{letter}{i}" for i, name in enumerate(aig.names(section)))


def load(circuit: Aig | str | os.PathLike[str], fmt: str | None = None) -> Aig:
    """The circuit itself, or the one in a file: of the format `fmt`, or of the one its suffix says."""
    if isinstance(circuit, Aig):
        return circuit
    from dynomite.formats.base import read_circuit

    return read_circuit(circuit, fmt)


def simulate(
    circuit: Aig | str | os.PathLike[str],
    patterns: Patterns | None = None,
    *,
    random: int | None = None,
    exhaustive: bool = False,
    seed: int = 1,
    count: int | None = None,
    unknown: Words | None = None,
    ternary: bool = False,
    cut_latches: bool = False,
    stop: Stop | None = None,
) -> Simulation:
    """Simulates a combinational circuit for many patterns at once.

    Exactly one of `patterns`, `random` and `exhaustive` says what to simulate.

    Args:
        circuit: An AIG, or the path of a circuit file.
        patterns: One string a pattern; or packed words, inputs x words (uint64; pattern p is bit p % 64 of
            word p // 64).
        random: So many random patterns.
        exhaustive: All combinations: input i is bit i of the pattern's number. At most 24 inputs.
        seed: Seed of random patterns.
        count: Number of patterns in packed words; default: all bits of the words.
        unknown: Packed words of the shape of `patterns` that mark bits that are X.
        ternary: Three-valued simulation; implied by an x in `patterns` and by `unknown`.
        cut_latches: For a circuit with latches: their outputs are further inputs (after the real ones) and
            their next states are computed; without this a circuit with latches is an error.
        stop: Ends the run early.

    Returns:
        The values of all outputs and properties.

    Raises:
        UsageError: The arguments don't fit the circuit or each other.
        LimitError: Too many inputs for all combinations, or `stop` ended the run.
    """
    if [patterns is not None, random is not None, exhaustive].count(True) != 1:
        raise UsageError("simulate: give exactly one of patterns, random and exhaustive")
    aig = load(circuit)
    if aig.num_latches and not cut_latches:
        raise UsageError(
            f"simulate: the circuit has {aig.num_latches} latches; use simulate_cycles, or cut_latches=True"
        )
    names = port_names(aig, "inputs") + port_names(aig, "latches")
    if patterns is not None:
        source = _packed_source(names, patterns, count, unknown)
    elif random is not None:
        source = PatternSource(names, None, None, _natural("random", random), 1)
    else:
        if len(names) > EXHAUSTIVE_INPUTS:
            raise LimitError(
                f"simulate: all combinations of {len(names)} inputs: at most {EXHAUSTIVE_INPUTS} inputs"
            )
        source = PatternSource(names, None, None, 1 << len(names), 1)
    drawn = seed & _SEEDS if random is not None else None
    return _run(aig, source, drawn, ternary or source.unknown is not None, None, stop, latch_values=False)


def simulate_cycles(
    circuit: Aig | str | os.PathLike[str],
    vectors: Sequence[str] | Words | None = None,
    *,
    random: int | None = None,
    traces: int | None = None,
    seed: int = 1,
    uninitialised: Uninitialised = "0",
    state: str | None = None,
    unknown: Words | None = None,
    ternary: bool = False,
    latch_values: bool = True,
    stop: Stop | None = None,
) -> Simulation:
    """Simulates a circuit with latches clock cycle by clock cycle, from reset.

    Exactly one of `vectors` and `random` says what to simulate.

    Args:
        circuit: An AIG, or the path of a circuit file.
        vectors: One string a cycle (characters 0, 1, x in the order of the inputs); or packed words, cycles x
            inputs x words (uint64; trace t is bit t % 64 of word t // 64).
        random: So many cycles with random inputs.
        traces: Number of traces simulated side by side; default 1, with packed words all their bits.
        seed: Seed of random inputs and random initial values.
        uninitialised: What latches without a reset value start with: "0" (default), "1", "random" (from the
            seed, differing between traces) or "x" (three-valued simulation).
        state: Initial values of all latches instead of their reset values, one character a latch; at an x the
            reset value stays.
        unknown: Packed words of the shape of `vectors` that mark bits that are X.
        ternary: Three-valued simulation; implied by an x in `vectors`, by `unknown` and by
            `uninitialised="x"`. X means: either value, not known which; a pessimistic approximation.
        latch_values: Whether the result tells the latches' values in each cycle.
        stop: Ends the run early.

    Returns:
        The values of all outputs and properties in every cycle, before its clock edge.

    Raises:
        UsageError: The arguments don't fit the circuit or each other.
        LimitError: `stop` ended the run.
    """
    if (vectors is None) == (random is None):
        raise UsageError("simulate_cycles: give exactly one of vectors and random")
    if uninitialised not in ("0", "1", "random", "x"):
        raise UsageError(f"simulate_cycles: uninitialised must be 0, 1, random or x, not {uninitialised!r}")
    aig = load(circuit)
    names = port_names(aig, "inputs")
    if random is not None:
        count = 1 if traces is None else traces
        if count < 1:
            raise UsageError("simulate_cycles: traces must be positive")
        source = PatternSource(names, None, None, count, _natural("random", random))
    else:
        assert vectors is not None
        source = _cycle_source(names, vectors, traces, unknown)
    ternary = ternary or source.unknown is not None or uninitialised == "x"
    seed &= _SEEDS
    start = _initial_state(aig, source.patterns, seed, uninitialised, state)
    drawn = seed if random is not None or uninitialised == "random" else None
    return _run(aig, source, drawn, ternary, start, stop, latch_values=latch_values)


def truth_tables(circuit: Aig | str | os.PathLike[str]) -> list[str]:
    """Truth tables of all outputs: character k is the value for input number k, input 0 being its lowest bit.

    Raises:
        LimitError: More than 16 inputs.
        UsageError: The circuit has latches.
    """
    aig = load(circuit)
    if aig.num_inputs > TRUTH_TABLE_INPUTS:
        raise LimitError(f"truth table: {aig.num_inputs} inputs are too many (at most {TRUTH_TABLE_INPUTS})")
    outputs = simulate(aig, exhaustive=True).outputs
    return lines_of(np.ascontiguousarray(outputs.table().T))


def truth_table(circuit: Aig | str | os.PathLike[str], output: int | str = 0) -> str:
    """Truth table of one output, by position or name; as `truth_tables`."""
    aig = load(circuit)
    if isinstance(output, str):
        names = port_names(aig, "outputs")
        if output not in names:
            raise UsageError(f"truth_table: no output {output!r}")
        output = names.index(output)
    if not 0 <= output < aig.num_outputs:
        raise UsageError(f"truth_table: no output {output}; there are {aig.num_outputs}")
    return truth_tables(aig)[output]


def _natural(name: str, value: int) -> int:
    if value < 0:
        raise UsageError(f"simulate: {name} must not be negative")
    return value


def _words(array: Words, name: str, dimensions: int) -> Words:
    if array.dtype != np.uint64 or array.ndim != dimensions:
        raise UsageError(f"simulate: {name} must be a uint64 array of {dimensions} dimensions")
    return np.ascontiguousarray(array)


def _packed_source(
    names: tuple[str, ...], patterns: Patterns, count: int | None, unknown: Words | None
) -> PatternSource:
    if isinstance(patterns, np.ndarray):
        values = _words(patterns, "patterns", 2)
        marks = None if unknown is None else _words(unknown, "unknown", 2)[None]
        number = 64 * values.shape[1] if count is None else _natural("count", count)
        if words_of(number) != values.shape[1]:
            raise UsageError(f"simulate: {number} patterns don't fill rows of {values.shape[1]} words")
        source = PatternSource(names, values[None], marks, number, 1)
    else:
        if unknown is not None or count is not None:
            raise UsageError("simulate: unknown and count go with packed words only")
        packed, marks = pack(characters_of(patterns, len(names)))
        source = PatternSource(names, packed[None], None if marks is None else marks[None], len(patterns), 1)
    return _checked(source)


def _cycle_source(
    names: tuple[str, ...], vectors: Sequence[str] | Words, traces: int | None, unknown: Words | None
) -> PatternSource:
    if isinstance(vectors, np.ndarray):
        values = _words(vectors, "vectors", 3)
        marks = None if unknown is None else _words(unknown, "unknown", 3)
        number = 64 * values.shape[2] if traces is None else _natural("traces", traces)
        if words_of(number) != values.shape[2]:
            raise UsageError(f"simulate: {number} traces don't fill rows of {values.shape[2]} words")
        return _checked(PatternSource(names, values, marks, number, values.shape[0]))
    if unknown is not None or traces not in (None, 1):
        raise UsageError("simulate_cycles: unknown and traces go with packed words only")
    table = characters_of(vectors, len(names))
    bits = (table == ord("1")).astype(np.uint64)[:, :, None]
    x = (table == ord("x")).astype(np.uint64)[:, :, None]
    return PatternSource(names, bits, x if x.any() else None, 1, len(vectors))


def _checked(source: PatternSource) -> PatternSource:
    values, unknown = source.values, source.unknown
    assert values is not None
    if values.shape[1] != len(source.names):
        raise UsageError(
            f"simulate: values for {values.shape[1]} inputs; the circuit has {len(source.names)}"
        )
    if unknown is not None and unknown.shape != values.shape:
        raise UsageError("simulate: unknown must have the shape of the values")
    return source


class _State(NamedTuple):
    values: Words
    unknown: Words


def _initial_state(
    aig: Aig, traces: int, seed: int, uninitialised: Uninitialised, state: str | None
) -> _State:
    """Latch values before the first cycle, latches x words."""
    words = words_of(traces)
    ones = np.uint64(0xFFFFFFFFFFFFFFFF)
    resets = list(aig.resets)
    if state is not None:
        for index, character in enumerate(lines_of(characters_of([state], len(resets)))[0]):
            if character != "x":
                resets[index] = int(character)
    values = np.zeros((len(resets), words), dtype=np.uint64)
    unknown = np.zeros_like(values)
    open_latches = np.array([reset is None for reset in resets], dtype=np.bool_)
    values[np.array([reset == 1 for reset in resets], dtype=np.bool_)] = ones
    if uninitialised == "1":
        values[open_latches] = ones
    elif uninitialised == "x":
        unknown[open_latches] = ones
    elif uninitialised == "random" and open_latches.any():
        # Streams of their own, behind those of the inputs.
        rows = native.source_words(aig.num_inputs + len(resets), traces, seed=seed)
        values[open_latches] = np.asarray(rows)[0, aig.num_inputs :][open_latches]
    return _State(values, unknown)


def _ended(stop: Stop | None) -> LimitError:
    return LimitError(f"simulation ended early: {stop.reason if stop is not None else 'stopped'}")


def _run(
    aig: Aig,
    source: PatternSource,
    seed: int | None,
    ternary: bool,
    state: _State | None,
    stop: Stop | None,
    *,
    latch_values: bool,
) -> Simulation:
    sequential = state is not None
    latches = aig.num_latches
    raw: list[tuple[str, NDArray[np.uint32]]] = [
        (section, np.asarray(aig.literals(section))) for section in ("outputs", "bad", "constraints")
    ]
    latch_lits = np.array([lit.raw for lit in aig.latches], dtype=np.uint32)
    raw.append(("latches", latch_lits if sequential and latch_values else latch_lits[:0]))
    raw.append(("next_states", np.array([lit.raw for lit in aig.next_states], dtype=np.uint32)))
    roots = np.concatenate([lits for _, lits in raw], dtype=np.uint32)
    try:
        schedule = native.Schedule(aig, roots, stop)
    except LimitError as error:
        raise _ended(stop) from error
    run = schedule.run(
        source.patterns,
        cycles=source.cycles,
        seed=seed if source.values is None else None,
        values=source.values,
        unknown=source.unknown,
        state=state.values if state is not None else None,
        state_unknown=state.unknown if state is not None and ternary else None,
        ternary=ternary,
        stop=stop,
    )
    if run is None:
        raise _ended(stop)
    values = np.asarray(run[0])
    unknown = None if run[1] is None else np.asarray(run[1])
    if not sequential:
        values = values[0]
        unknown = None if unknown is None else unknown[0]

    names = {section: port_names(aig, section) for section in _LETTERS}
    names["next_states"] = names["latches"]
    parts: dict[str, Signals] = {}
    first = 0
    for section, lits in raw:
        # With state, the next states are no part of the result.
        last = first + (0 if sequential and section == "next_states" else len(lits))
        part = values[..., first:last, :]
        marks = None if unknown is None else unknown[..., first:last, :]
        parts[section] = Signals(names[section] if last > first else (), part, marks, source.patterns)
        first = last
    if state is not None and latches:
        final = Signals(names["latches"], state.values, state.unknown if ternary else None, source.patterns)
    else:
        final = Signals((), np.zeros((0, words_of(source.patterns)), np.uint64), None, source.patterns)
    return Simulation(
        sequential=sequential,
        patterns=source.patterns,
        cycles=source.cycles,
        seed=seed,
        final_state=final,
        _source=source,
        **parts,
    )
