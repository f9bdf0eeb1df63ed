"""What a simulation gives: named rows of bits, and the run they come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.bit_rows import Characters, Words, lines_of, unpack
from dynomite._native import sim as native
from dynomite.errors import UsageError


class PatternSource(NamedTuple):
    """Where input values come from: `values` (cycles x inputs x words), or None: drawn or enumerated."""

    names: tuple[str, ...]
    values: Words | None
    unknown: Words | None
    patterns: int
    cycles: int


@dataclass(frozen=True, eq=False)
class Signals:
    """Values of a row of signals.

    Attributes:
        names: Their names; a port without one is called by its section's letter and its position: i0, o3.
        values: uint64 words, signals x words; after `simulate_cycles`, cycles x signals x words. Bits beyond
            the last pattern are 0 in results, and so are bits that are X.
        unknown: The same shape: which bits are X. None after two-valued simulation.
        patterns: Number of patterns (of traces, after `simulate_cycles`).
    """

    names: tuple[str, ...]
    values: Words
    unknown: Words | None
    patterns: int

    @cached_property
    def _positions(self) -> dict[str, int]:
        positions: dict[str, int] = {}
        for index, name in enumerate(self.names):
            positions.setdefault(name, index)
        return positions

    def __len__(self) -> int:
        """Number of signals."""
        return len(self.names)

    def __getitem__(self, name: str) -> Words:
        """Words of the signal of this name (the first, if several have it)."""
        if name not in self._positions:
            raise UsageError(f"no signal {name!r}; there are {', '.join(self.names[:20]) or 'none'}")
        return self.values[..., self._positions[name], :]

    def table(self, trace: int = 0, start: int = 0, stop: int | None = None) -> Characters:
        """Steps [start, stop) as ASCII codes of 0, 1 and x: one line a step, one column a signal.

        A step is a pattern; after `simulate_cycles`, a clock cycle of the trace number `trace`.
        """
        if self.values.ndim == 2:
            stop = self.patterns if stop is None else min(stop, self.patterns)
            return unpack(self.values, self.unknown, start, max(start, stop))
        if not 0 <= trace < max(self.patterns, 1):
            raise UsageError(f"no trace {trace}; there are {self.patterns}")
        # The same bit of every cycle's words: cycles take the part of patterns.
        shift, word = np.uint64(trace % 64), trace // 64

        def bits(words: Words) -> NDArray[np.uint8]:
            return ((words[start:stop, :, word] >> shift) & np.uint64(1)).astype(np.uint8)

        table = bits(self.values) + np.uint8(ord("0"))
        if self.unknown is not None:
            table[bits(self.unknown) != 0] = ord("x")
        return table

    def lines(self, trace: int = 0) -> list[str]:
        """`table` as strings."""
        return lines_of(self.table(trace))


@dataclass(frozen=True, eq=False)
class Simulation:
    """Result of `simulate` or `simulate_cycles`.

    Attributes:
        sequential: Whether steps are clock cycles.
        patterns: Patterns, or traces of a sequential run.
        cycles: Clock cycles; 1 for a combinational run.
        outputs, bad, constraints: Values of these sections; before the clock edge.
        latches: Values of the latches in each cycle (before its clock edge); empty for a combinational run.
        next_states: Next-state values, of a combinational run with cut latches; else empty.
        final_state: Latch values after the last cycle, signals x words; empty for a combinational run.
        seed: Seed of random values; None if there are none.
    """

    sequential: bool
    patterns: int
    cycles: int
    outputs: Signals
    bad: Signals
    constraints: Signals
    latches: Signals
    next_states: Signals
    final_state: Signals
    seed: int | None
    _source: PatternSource = field(repr=False)

    @cached_property
    def inputs(self) -> Signals:
        """Values of the inputs; with cut latches, of the inputs and then the latches."""
        source = self._source
        values, unknown = source.values, source.unknown
        if values is None:
            values = np.asarray(
                native.source_words(len(source.names), self.patterns, cycles=self.cycles, seed=self.seed)
            )
        if not self.sequential:
            values = values[0]
            unknown = None if unknown is None else unknown[0]
        return Signals(source.names, values, unknown, self.patterns)

    @property
    def steps(self) -> int:
        """Patterns of a combinational run, clock cycles of a sequential one."""
        return self.cycles if self.sequential else self.patterns

    def sections(self) -> Iterator[tuple[str, Signals]]:
        """The sections that have signals: inputs, latches, outputs, next_states, bad, constraints."""
        for name in ("inputs", "latches", "outputs", "next_states", "bad", "constraints"):
            signals: Signals = getattr(self, name)
            if len(signals):
                yield name, signals
