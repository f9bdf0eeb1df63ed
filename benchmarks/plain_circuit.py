"""A circuit as plain lists, with its own evaluation and clauses: what `mutate_pairs` judges verdicts by.

Nothing here uses the simulator, the hashing or the solvers of the product; only `plain` reads the arrays of
an `Aig`, and `PlainCircuit.aig` makes one. Literals are AIGER's: node 0 is the constant false, then come the
inputs, then the gates in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dynomite._native.aig import Aig

Words = NDArray[np.uint64]
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_BLOCKS = (
    0xAAAAAAAAAAAAAAAA,
    0xCCCCCCCCCCCCCCCC,
    0xF0F0F0F0F0F0F0F0,
    0xFF00FF00FF00FF00,
    0xFFFF0000FFFF0000,
    0xFFFFFFFF00000000,
)


@dataclass(frozen=True, slots=True)
class PlainCircuit:
    """Inputs, ANDs of two literals of earlier nodes, and literals of outputs."""

    inputs: int
    gates: tuple[tuple[int, int], ...]
    outputs: tuple[int, ...]

    def aig(self) -> Aig:
        """As an `Aig` without names, gate by gate."""
        from dynomite._native.aig import Aig

        rows = np.full((1 + self.inputs + len(self.gates), 2), 0xFFFFFFFF, dtype=np.uint32)
        rows[1 : 1 + self.inputs, 1] = np.arange(self.inputs)
        if self.gates:
            rows[1 + self.inputs :] = self.gates
        aig = Aig.from_fanins(rows)
        for lit in self.outputs:
            aig.add_output(aig.lit(lit))
        return aig

    def aiger(self) -> str:
        """As an ASCII AIGER file."""
        nodes = self.inputs + len(self.gates)
        lines = [f"aag {nodes} {self.inputs} 0 {len(self.outputs)} {len(self.gates)}"]
        lines += [str(2 * node) for node in range(1, self.inputs + 1)]
        lines += [str(lit) for lit in self.outputs]
        for number, (a, b) in enumerate(self.gates, self.inputs + 1):
            lines.append(f"{2 * number} {max(a, b)} {min(a, b)}")
        return "\n".join([*lines, ""])

    def evaluate(self, inputs: Words) -> Words:
        """Values of the outputs, one row each, 64 patterns a word; `inputs` has one row an input."""
        values = np.zeros((1 + self.inputs + len(self.gates), inputs.shape[1]), dtype=np.uint64)
        values[1 : 1 + self.inputs] = inputs
        for number, (a, b) in enumerate(self.gates, 1 + self.inputs):
            left, right = values[a >> 1], values[b >> 1]
            values[number] = (~left if a & 1 else left) & (~right if b & 1 else right)
        rows = [~values[lit >> 1] if lit & 1 else values[lit >> 1] for lit in self.outputs]
        return np.array(rows, dtype=np.uint64).reshape(len(self.outputs), inputs.shape[1])

    def clauses(self, shared: Sequence[int], first: int) -> tuple[list[list[int]], list[int], int]:
        """Clauses of all gates over the variables of the inputs.

        Args:
            shared: Variables of the inputs; variable 1 is false.
            first: The first free variable.

        Returns:
            Clauses, literals of the outputs, the next free variable.
        """
        variables = [1, *shared, *range(first, first + len(self.gates))]

        def number(lit: int) -> int:
            return -variables[lit >> 1] if lit & 1 else variables[lit >> 1]

        clauses: list[list[int]] = []
        for out, (a, b) in enumerate(self.gates, first):
            x, y = number(a), number(b)
            clauses += [[-out, x], [-out, y], [out, -x, -y]]
        return clauses, [number(lit) for lit in self.outputs], first + len(self.gates)


def plain(aig: Aig) -> PlainCircuit:
    """An `Aig` as lists; present states of latches become inputs, next states outputs."""
    fanins: list[list[int]] = aig.fanins.tolist()
    states: list[int] = [*aig.literals("inputs").tolist(), *aig.literals("latches").tolist()]
    moved = {0: 0}
    for position, lit in enumerate(states, 1):
        moved[lit >> 1] = 2 * position
    gates: list[tuple[int, int]] = []

    def lead(lit: int) -> int:
        return moved[lit >> 1] ^ (lit & 1)

    for node, (a, b) in enumerate(fanins):
        if node not in moved:
            gates.append((lead(a), lead(b)))
            moved[node] = 2 * (len(states) + len(gates))
    outputs = [*aig.literals("outputs").tolist(), *aig.literals("next_states").tolist()]
    return PlainCircuit(len(states), tuple(gates), tuple(lead(lit) for lit in outputs))


def all_patterns(inputs: int) -> Words:
    """Every assignment of so many inputs, in order; the words hold them repeatedly below six inputs."""
    words = max(1, (1 << inputs) >> 6)
    rows = np.zeros((inputs, words), dtype=np.uint64)
    index = np.arange(words, dtype=np.uint64)
    for row in range(inputs):
        if row < len(_BLOCKS):
            rows[row] = np.uint64(_BLOCKS[row])
        else:
            rows[row] = (index >> np.uint64(row - len(_BLOCKS)) & np.uint64(1)) * ALL
    return rows


def random_patterns(inputs: int, words: int, seed: int) -> Words:
    """Random assignments, half of them with few ones or few zeros."""
    generator = np.random.default_rng(seed)
    rows = generator.integers(0, 2**64, (inputs, words), dtype=np.uint64)
    quarter = words // 4
    for _ in range(2):
        rows[:, :quarter] &= generator.integers(0, 2**64, (inputs, quarter), dtype=np.uint64)
        rows[:, words - quarter :] |= generator.integers(0, 2**64, (inputs, quarter), dtype=np.uint64)
    return rows


def miter(left: PlainCircuit, right: PlainCircuit, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Clauses that can be satisfied exactly if some pair of outputs (left, right) differs."""
    shared = range(2, 2 + left.inputs)
    some, ours, free = left.clauses(shared, 2 + left.inputs)
    more, theirs, free = right.clauses(shared, free)
    clauses = [[-1], *some, *more]
    for number, (one, other) in enumerate(pairs, free):
        a, b = ours[one], theirs[other]
        clauses += [[-number, a, b], [-number, -a, -b]]
    clauses.append(list(range(free, free + len(pairs))))
    return clauses
