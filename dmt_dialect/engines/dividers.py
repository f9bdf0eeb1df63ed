"""Dividers and square roots in a miter, found by their values, and what helps the sweeper with them.

A restoring and a non-restoring circuit have no words in common that sweeping could find: the one goes on with
the remainder where the other goes on with a negative difference. `dmt_dialect/native/dividers` builds a
divider that has the words of both, proves stage by stage what tells the one from the other, and puts it
before the gates of the miter; then both sides are found equal to it from the inputs upwards. Only which
inputs are dividend and divisor is guessed here, by simulation: a wrong guess costs time, never an answer.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.engines.algebra import indexed_words

if TYPE_CHECKING:
    from dynomite._native.aig import Aig
    from dynomite._native.base import Stop

FEWEST_BITS = 4
"""Of an operand; what is narrower is decided by simulating all patterns."""
MOST_BITS = 256
FEWEST_ANDS, MOST_ANDS = 1, 400
"""Times the bits of the result times those of the operand: circuits beyond are something else."""
MOST_WORDS = 8
"""Named words of inputs that are tried as operands, in pairs."""
ENOUGH = 0.75
"""So many bits of the result, as a part of those that are not constant, must be found among the nodes."""
PATTERN_ROWS = 16
"""Rows of 64 patterns the sweeper starts with."""


@dataclass(frozen=True, slots=True)
class Operands:
    """Which inputs are what.

    Attributes:
        dividend: Positions of inputs, bit 0 first; the radicand of a root.
        divisor: Equally many; empty for a square root.
    """

    dividend: tuple[int, ...]
    divisor: tuple[int, ...] = ()

    @property
    def is_root(self) -> bool:
        """Whether it is a square root."""
        return not self.divisor

    def __str__(self) -> str:
        width = len(self.dividend)
        return f"a square root of {width} bits" if self.is_root else f"a division of {width} by {width} bits"


@dataclass(frozen=True, slots=True)
class Bridged:
    """A miter with a divider before its gates.

    Attributes:
        aig: Has the inputs of the miter.
        pairs: The pairs of the miter, in literals of `aig`.
        known: Pairs of literals that were proved equal.
        kept: Bits of all words of the divider.
        patterns: For the sweeper to start with, 64 a row.
    """

    aig: Aig
    pairs: NDArray[np.uint32]
    known: NDArray[np.uint32]
    kept: NDArray[np.uint32]
    patterns: NDArray[np.uint64]


def bridge(
    aig: Aig, pairs: NDArray[np.uint32], operands: Operands, *, seed: int, stop: Stop
) -> Bridged | None:
    """Puts a divider or root over inputs of `aig` before its gates; None if `stop` ended it.

    Args:
        aig: A miter without latches.
        pairs: Literals to be compared.
        operands: Which inputs are divided.
        seed: Of the patterns.
        stop: Ends the call early.
    """
    from dynomite._native.dividers import build_bridge

    inputs = np.asarray(aig.literals("inputs"), dtype=np.uint32)
    divisor = None if operands.is_root else inputs[list(operands.divisor)]
    built = build_bridge(aig, inputs[list(operands.dividend)], divisor, stop=stop)
    if built is None:
        return None
    bridged, node_map, known, kept = built
    moved = np.ascontiguousarray(node_map[pairs >> 1] ^ (pairs & 1), dtype=np.uint32)
    rng = random.Random(seed)
    samples = _samples(operands, 64 * PATTERN_ROWS, rng, any_=True)
    patterns = np.ascontiguousarray(_input_rows(operands, len(inputs), samples, rng).T)
    return Bridged(bridged, moved, known, kept, patterns)


def find_operands(aig: Aig, names: Sequence[str], *, seed: int, stop: Stop) -> Operands | None:
    """The inputs whose quotient or root is among the functions of the nodes, by 64 patterns; None if none."""
    from dynomite._native.sim import node_values

    rng = random.Random(seed)
    for operands in _guesses(names):
        width = len(operands.dividend)
        cells = width * (width // 4 if operands.is_root else width)
        if not FEWEST_ANDS * cells <= aig.num_ands <= MOST_ANDS * cells:
            continue
        samples = _samples(operands, 64, rng, any_=False)
        values = node_values(aig, 64, values=_input_rows(operands, len(names), samples, rng), stop=stop)
        if values is None:
            return None
        if _has_result(values[:, 0], operands, samples):
            return operands
    return None


def _guesses(names: Sequence[str]) -> Iterable[Operands]:
    words = [word for word in indexed_words(names) if FEWEST_BITS <= len(word) <= MOST_BITS][:MOST_WORDS]
    order = tuple(range(len(names)))
    guesses: list[Operands] = []
    for dividend in words:
        guesses += [
            Operands(dividend, other) for other in words if len(other) == len(dividend) and other != dividend
        ]
    for places in (order, order[::-1]):
        half = len(places) // 2
        if len(places) % 2 == 0 and FEWEST_BITS <= half <= MOST_BITS:
            low, high = places[:half], places[half:]
            guesses += [Operands(low, high), Operands(high, low)]
            guesses += [Operands(low[::-1], high[::-1]), Operands(places[::2], places[1::2])]
    guesses += [
        Operands(word)
        for word in (*words, order, order[::-1])
        if len(word) % 2 == 0 and 2 * FEWEST_BITS <= len(word) <= MOST_BITS
    ]
    return dict.fromkeys(guesses)


def _samples(operands: Operands, count: int, rng: random.Random, *, any_: bool) -> list[tuple[int, int]]:
    """Operands of all magnitudes; with `any_` also divisors that are 0, and what lies near to a carry."""
    width = len(operands.dividend)
    samples: list[tuple[int, int]] = []
    for number in range(count):
        first = rng.getrandbits(width) >> (rng.randrange(width) if number % 3 == 0 else 0)
        second = rng.getrandbits(width) >> rng.randrange(width)
        if operands.is_root:
            if any_ and number % 4 == 1:
                root = math.isqrt(first)
                first = (root * root - number // 4 % 2) % 2**width
        elif any_ and number % 16 == 1:
            first = max(0, first // max(second, 1) * second - number // 16 % 2)
        elif second == 0 and not any_:
            second = 1
        samples.append((first, second))
    return samples


def _bit_rows(values: Sequence[int], width: int) -> NDArray[np.uint64]:
    """Row i has bit i of all values."""
    size = (width + 7) // 8
    raw = np.frombuffer(b"".join(value.to_bytes(size, "little") for value in values), dtype=np.uint8)
    bits = np.unpackbits(raw.reshape(len(values), size), axis=1, count=width, bitorder="little")
    return np.packbits(bits.T, axis=1, bitorder="little").copy().view(np.uint64)


def _input_rows(
    operands: Operands, inputs: int, samples: Sequence[tuple[int, int]], rng: random.Random
) -> NDArray[np.uint64]:
    """Values of all inputs, a row an input: those that are no operands are random."""
    words = len(samples) // 64
    rows = np.array([[rng.getrandbits(64) for _ in range(words)] for _ in range(inputs)], dtype=np.uint64)
    width = len(operands.dividend)
    rows[list(operands.dividend)] = _bit_rows([first for first, _ in samples], width)
    if not operands.is_root:
        rows[list(operands.divisor)] = _bit_rows([second for _, second in samples], width)
    return rows


def _has_result(values: NDArray[np.uint64], operands: Operands, samples: Sequence[tuple[int, int]]) -> bool:
    width = len(operands.dividend)
    if operands.is_root:
        rows = _bit_rows([math.isqrt(first) for first, _ in samples], width // 2)[:, 0]
    else:
        rows = _bit_rows([first // second for first, second in samples], width)[:, 0]
    ones = np.uint64(2**64 - 1)
    rows = rows[(rows != 0) & (rows != ones)]
    found = np.isin(rows, values) | np.isin(rows ^ ones, values)
    return 2 * len(rows) >= width // (2 if operands.is_root else 1) and found.sum() >= ENOUGH * len(rows)
