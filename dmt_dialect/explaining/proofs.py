"""Proofs for an explanation: equal signals, and changes that make the circuits equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dmt_dialect.explaining.sides import NOT_AND, Bits, Circuit, Raws, Sides
from dynomite._native.aig import Aig
from dynomite._native.sweep import Sweeper, append

if TYPE_CHECKING:
    from dynomite._native.aig import Lit
    from dynomite._native.base import Stop

CONFLICT_LIMITS = (100, 2_000)
"""Conflicts a query; what resists both limits stays unproved."""
EQUAL, DIFFERENT = 1, 2


@dataclass(frozen=True, slots=True)
class Proved:
    """What sweeping says of pairs: statuses (0 open, 1 equal, 2 different) and patterns that refute."""

    statuses: list[int]
    patterns: list[Bits]

    @property
    def all_equal(self) -> bool:
        """Whether every pair was proved."""
        return all(status == EQUAL for status in self.statuses)


class SharedCircuit:
    """Both circuits over shared inputs, for proofs about their signals.

    Args:
        sides: The circuits.
        variables: Number of shared inputs.
        unequal: Functions that are not known to be equal as they are.
        seed: Seed of the sweeper.
    """

    def __init__(self, sides: Sides, variables: int, unequal: frozenset[int], seed: int) -> None:
        self._seed = seed
        self._unequal = unequal
        self.aig = Aig()
        self.aig.add_inputs(variables)
        self._inputs = self.aig.literals("inputs")
        self._maps = [
            append(self.aig, circuit.aig, np.asarray(self._inputs[circuit.variables], dtype=np.uint32))
            for circuit in sides.both()
        ]
        self._sides = sides

    def literal(self, side: int, raw: int) -> int:
        """The shared literal of a literal of the left (0) or right (1) circuit."""
        return int(self._maps[side][raw >> 1]) ^ (raw & 1)

    def prove(self, pairs: list[tuple[int, int]], stop: Stop, aig: Aig | None = None) -> Proved:
        """Sweeps pairs of shared literals."""
        table = np.array(pairs, dtype=np.uint32).reshape(-1, 2)
        sweeper = Sweeper(self.aig if aig is None else aig, table, seed=self._seed)
        for limit in CONFLICT_LIMITS:
            if sweeper.run(limit, stop) != "limit":
                break
        statuses: list[int] = sweeper.statuses().tolist()
        refuted = [pair for pair, status in enumerate(statuses) if status == DIFFERENT]
        return Proved(statuses, [sweeper.counterexample(pair) for pair in refuted])

    def gate_repair(self, side: int, node: int, table: int, stop: Stop) -> Proved:
        """Whether all functions are equal if an AND becomes `table` of its fanins (bit a + 2b)."""
        work = self.aig.copy()
        a, b = (work.lit(self.literal(side, raw)) for raw in self._circuit(side).rows[node])
        minterms = ((~a & ~b), (a & ~b), (~a & b), (a & b))
        value = work.or_all([minterms[k] for k in range(4) if table >> k & 1])
        return self._with(work, side, node, value, stop)

    def signal_repair(self, side: int, node: int, other: int, stop: Stop) -> Proved:
        """Whether all functions are equal if a node becomes a literal of the other side."""
        work = self.aig.copy()
        return self._with(work, side, node, work.lit(self.literal(1 - side, other)), stop)

    def some_repair(self, side: int, node: int, stop: Stop) -> Proved:
        """Whether for every input some value of a node makes all functions equal."""
        work = self.aig.copy()
        failing = [
            work.or_all([work.lit(a) ^ work.lit(b) for a, b in self._changed(work, side, node, value)])
            for value in (work.false, work.true)
        ]
        return self.prove([((failing[0] & failing[1]).raw, 0)], stop, work)

    def _circuit(self, side: int) -> Circuit:
        return self._sides.both()[side]

    def _with(self, work: Aig, side: int, node: int, value: Lit, stop: Stop) -> Proved:
        return self.prove(self._changed(work, side, node, value), stop, work)

    def _changed(self, work: Aig, side: int, node: int, value: Lit) -> list[tuple[int, int]]:
        """The functions to be proved equal when a node has another value, as pairs of literals of `work`."""
        circuit = self._circuit(side)
        rows = np.array(circuit.aig.fanins)
        rows[node] = (NOT_AND, circuit.aig.num_inputs)
        inputs = circuit.aig.num_inputs
        mapped: Raws = self._inputs[circuit.variables]
        ci_map = np.concatenate([mapped[:inputs], np.array([value.raw], dtype=np.uint32), mapped[inputs:]])
        new = append(work, Aig.from_fanins(rows), np.ascontiguousarray(ci_map, dtype=np.uint32))
        pairs: list[tuple[int, int]] = []
        others: list[int] = self._circuit(1 - side).roots.tolist()
        for function, (mine, other) in enumerate(zip(circuit.roots.tolist(), others, strict=True)):
            changed = int(new[mine >> 1]) ^ (mine & 1)
            if function in self._unequal or changed != self.literal(side, mine):
                pairs.append((changed, self.literal(1 - side, other)))
        return pairs
