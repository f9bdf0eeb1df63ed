"""Both circuits under shared patterns: values of all nodes, names of signals."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.explanation import Bit, Signal
from dynomite._native.sim import node_values
from dynomite._native.witness import evaluate

if TYPE_CHECKING:
    from dmt_dialect.matching import Matched
    from dmt_dialect.miter import Miter
    from dynomite._native.aig import Aig

Bits = NDArray[np.uint8]
Words = NDArray[np.uint64]
Raws = NDArray[np.uint32]

NOT_AND = 0xFFFFFFFF
WORD = 64
MOST_WORDS = 16
VALUE_WORDS = 1 << 23
"""Words of simulation values of one side, at most."""
MOST_VALUE_WORDS = 1 << 25
"""The same with patterns that were added."""
UNKNOWN = 2


@dataclass(slots=True)
class Circuit:
    """One of the two circuits.

    Attributes:
        aig: The circuit as read.
        variables: The variable each input, then latch, reads.
        roots: Literals of the compared functions.
        rows: Fanins, one row a node, as lists.
        names: Names of nodes: literal and the name of that literal.
    """

    aig: Aig
    variables: Raws
    roots: Raws
    values: Words = field(init=False)
    rows: list[list[int]] = field(init=False)
    names: dict[int, tuple[int, str]] = field(init=False, default_factory=dict[int, "tuple[int, str]"])

    def __post_init__(self) -> None:
        aig = self.aig
        self.rows = aig.fanins.tolist()
        for section in ("outputs", "latches", "inputs"):
            for raw, name in zip(aig.literals(section).tolist(), aig.names(section), strict=True):
                if name:
                    self.names[raw >> 1] = (raw, name)
        for lit, name in aig.net_names:
            self.names.setdefault(lit.raw >> 1, (lit.raw, name))

    def signal(self, raw: int) -> Signal:
        """The signal with this literal."""
        named = self.names.get(raw >> 1)
        if named is None or raw < 2:
            return Signal(raw)
        return Signal(raw, named[1] if named[0] == raw else f"~{named[1]}")

    def is_and(self, node: int) -> bool:
        """Whether a node is an AND."""
        return self.rows[node][0] != NOT_AND

    def gate_text(self, node: int) -> str | None:
        """What an AND is made of."""
        if not self.is_and(node):
            return None
        a, b = self.rows[node]
        return f"{self.signal(a)} & {self.signal(b)}"

    def simulate(self, patterns: Bits) -> Words:
        """Words of all nodes for patterns (rows, a multiple of 64; one column a variable)."""
        packed = pack(patterns)[self.variables]
        found = node_values(self.aig, len(patterns), values=np.ascontiguousarray(packed))
        assert found is not None, "nothing stops this call"
        return found

    def root_words(self, values: Words) -> Words:
        """The words of the compared functions."""
        complement = np.where(self.roots & 1, np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0))
        return np.ascontiguousarray(values[self.roots >> 1] ^ complement[:, None])

    def three_valued(self, pattern: Bits, raws: list[int]) -> list[Bit]:
        """Values of literals under a pattern with unknown bits."""
        values = evaluate(self.aig, pattern[self.variables], np.array(raws, dtype=np.uint32))
        return [cast("Bit", None if value == UNKNOWN else value) for value in values.tolist()]


def pack(patterns: Bits) -> Words:
    """Patterns by rows as words: one row a column, 64 patterns a word."""
    bytes_of = np.packbits(np.ascontiguousarray(patterns.T), axis=1, bitorder="little")
    return bytes_of.view(np.uint64) if bytes_of.size else np.zeros((patterns.shape[1], 0), dtype=np.uint64)


@dataclass(slots=True)
class Sides:
    """Both circuits, the patterns they are simulated with, and their values.

    Attributes:
        left: The left circuit.
        right: The right one.
        patterns: One row a pattern, a multiple of 64; one column a variable of the miter.
    """

    left: Circuit
    right: Circuit
    patterns: Bits
    _rng: np.random.Generator

    def both(self) -> tuple[Circuit, Circuit]:
        """Left and right."""
        return self.left, self.right

    def resimulate(self) -> None:
        """Computes all values anew."""
        for circuit in self.both():
            circuit.values = circuit.simulate(self.patterns)

    def add(self, found: list[Bits]) -> bool:
        """Adds patterns, made a multiple of 64 by near ones, and simulates; False if there are too many."""
        fresh = near_ones(found, self._rng)
        words = (len(self.patterns) + len(fresh)) // WORD
        if words * max(len(circuit.rows) for circuit in self.both()) > MOST_VALUE_WORDS:
            return False
        self.patterns = np.concatenate([self.patterns, fresh])
        self.resimulate()
        return True

    def failing(self) -> NDArray[np.intp]:
        """Numbers of the patterns for which some compared function differs."""
        wrong = self.left.root_words(self.left.values) ^ self.right.root_words(self.right.values)
        words = np.bitwise_or.reduce(wrong, axis=0)
        return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))


def filled_up(patterns: list[Bits]) -> Bits:
    """Patterns, repeated up to a multiple of 64."""
    rows = np.array(patterns, dtype=np.uint8)
    wanted = -(-len(rows) // WORD) * WORD
    return np.resize(rows, (wanted, rows.shape[1]))


def near_ones(patterns: list[Bits], rng: np.random.Generator) -> Bits:
    """Patterns, and copies of them with a few bits changed, a multiple of 64."""
    rows = filled_up(patterns)
    count = rows.shape[1]
    for row in range(len(patterns), len(rows) if count else 0):
        for variable in rng.integers(0, count, 1 + row % 3):
            rows[row, variable] ^= 1
    return rows


def start_sides(
    designs: tuple[Aig, Aig], matched: Matched, miter: Miter, shown: list[Bits], seed: int
) -> Sides:
    """Both circuits under the counterexamples, patterns near them, and random ones.

    Args:
        designs: The circuits as read.
        matched: How their ports are paired.
        miter: What the variables are.
        shown: Counterexamples, one value a variable, `UNKNOWN` where it does not matter.
        seed: Seed of the random bits.
    """
    rng = np.random.default_rng(random.Random(seed).getrandbits(63))
    left, right = (
        Circuit(design, variables, np.array(lits, dtype=np.uint32))
        for design, variables, lits in (
            (designs[0], miter.left_variables, [f.left for f in matched.functions]),
            (designs[1], miter.right_variables, [f.right for f in matched.functions]),
        )
    )
    count = miter.aig.num_inputs
    nodes = max(designs[0].num_nodes, designs[1].num_nodes)
    words = max(2, min(MOST_WORDS, VALUE_WORDS // nodes))
    blocks: list[Bits] = [_near(row, count, rng) for row in shown[: words // 2]]
    while len(blocks) < words:
        density = (0.5, 0.5, 0.25, 0.75)[len(blocks) % 4]
        blocks.append((rng.random((WORD, count)) < density).astype(np.uint8))
    sides = Sides(left, right, np.concatenate(blocks), rng)
    sides.resimulate()
    return sides


def _near(shown: Bits, count: int, rng: np.random.Generator) -> Bits:
    """64 patterns that agree with a counterexample, half of them up to a few bits."""
    block = rng.integers(0, 2, (WORD, count), dtype=np.uint8)
    known = shown != UNKNOWN
    block[:, known] = shown[known]
    if count:
        for row in range(WORD // 2, WORD):
            for variable in rng.integers(0, count, 1 + row % 3):
                block[row, variable] ^= 1
    return block
