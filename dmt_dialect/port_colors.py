"""Colours of the ports of two designs: ports that a pairing may bring together have one colour.

    left: y = ab + c    right: q = rs + p    ->    {a, b | r, s} {c | p} {y | q}

Inputs of one colour get one value; then each input alone is flipped, and which outputs change tells the
inputs of a colour apart, and the outputs. Values under such patterns do not depend on how the ports are
paired, so colours split alike on both sides in every right pairing: where they do not, there is none. After
the signatures of Boolean matching (Mohnke and Malik, "Permutation and phase independent Boolean comparison",
1993; Katebi and Markov, "Large-scale Boolean matching", DATE 2010). A latch is an input and an output at
once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dynomite._native.sim import Schedule
from dynomite.errors import LimitError

if TYPE_CHECKING:
    from dynomite._native.aig import Aig
    from dynomite._native.base import Stop

Colors = NDArray[np.int64]
Words = NDArray[np.uint64]
MOST_BITS = 1 << 25
"""Bits of values of ports simulated at one time."""
MOST_SUPPORT_BITS = 1 << 32
_STEADY_ROUNDS = 3
_BASE_PATTERNS = 256
_FLIPPED_PATTERNS = 3


class NoPairingError(Exception):
    """No pairing within these colours makes the two designs equal."""


@dataclass(slots=True)
class Side:
    """One design as functions of its sources.

    Attributes:
        aig: The design.
        roots: Literals compared: its functions, then the next states of its latches.
        root_flips: Roots that count complemented.
    """

    aig: Aig
    roots: NDArray[np.uint32]
    root_flips: NDArray[np.bool_] = field(init=False)
    _schedule: Schedule = field(init=False)
    _supports: NDArray[np.uint64] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._schedule = Schedule(self.aig, self.roots)
        self.root_flips = np.zeros(len(self.roots), dtype=np.bool_)

    def supports(self) -> NDArray[np.uint64] | None:
        """Sources in the cone of each root, roots x sources, 0 or 1; None for a design that is too large.

        A matter of structure: a source may be there without an effect.
        """
        if self._supports is None and self.aig.num_nodes * self.num_sources <= MOST_SUPPORT_BITS:
            self._supports = _supports(self.aig, self.roots)
        return self._supports

    @property
    def num_sources(self) -> int:
        """Inputs and latches."""
        return self.aig.num_inputs + self.aig.num_latches

    def values(self, bits: NDArray[np.uint8], stop: Stop) -> NDArray[np.uint8]:
        """Values of the roots, roots x patterns, under patterns of the sources, sources x patterns."""
        patterns = bits.shape[1]
        words = pack(bits)
        found = self._schedule.run(patterns, values=words[None], stop=stop)
        if found is None:
            raise LimitError("pairing of ports was stopped")
        rows = np.unpackbits(
            np.ascontiguousarray(found[0][0]).view(np.uint8), axis=1, count=patterns, bitorder="little"
        )
        return np.asarray(rows ^ self.root_flips[:, None], dtype=np.uint8)


def _supports(aig: Aig, roots: NDArray[np.uint32]) -> NDArray[np.uint64]:
    sources = aig.num_inputs + aig.num_latches
    rows = np.zeros((aig.num_nodes, -(-max(sources, 1) // 64)), dtype=np.uint64)
    nodes = np.array([lit.raw >> 1 for lit in (*aig.inputs, *aig.latches)], dtype=np.int64)
    places = np.arange(sources)
    rows[nodes, places // 64] = np.uint64(1) << (places % 64).astype(np.uint64)
    fanins = aig.fanins >> 1
    levels = aig.levels()
    order = np.argsort(levels, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(levels[order])) + 1):
        if levels[group[0]]:
            rows[group] = rows[fanins[group, 0]] | rows[fanins[group, 1]]
    bits = np.unpackbits(rows[roots >> 1].view(np.uint8), axis=1, count=sources, bitorder="little")
    return bits.astype(np.uint64)


def pack(bits: NDArray[np.uint8]) -> Words:
    """Rows of bits as rows of 64-bit words, bit 0 first."""
    rows, patterns = bits.shape
    whole = np.zeros((rows, -(-max(patterns, 1) // 64) * 8), dtype=np.uint8)
    packed = np.packbits(bits, axis=1, bitorder="little")
    whole[:, : packed.shape[1]] = packed
    return whole.view(np.uint64)


@dataclass(slots=True)
class Coloring:
    """The colours of both sides: numbers from 0, the same number left and right for what may be paired.

    Attributes:
        sources: Of inputs, then latches; left, right.
        roots: Of functions, then next states; left, right.
        latches: Number of latches, which are the last sources and the last roots.
        by_structure: Colours are also split by the sources in the cones of roots: no proof that there is
            no pairing, but a sign where simulation shows none.
    """

    sources: tuple[Colors, Colors]
    roots: tuple[Colors, Colors]
    latches: int
    by_structure: bool = False

    def copy(self) -> Coloring:
        """A copy to try something on."""
        (a, b), (c, d) = self.sources, self.roots
        return Coloring((a.copy(), b.copy()), (c.copy(), d.copy()), self.latches, self.by_structure)

    @property
    def count(self) -> int:
        """Number of colours of sources and of roots together."""
        return sum(int(np.count_nonzero(np.bincount(rows[0]))) for rows in (self.sources, self.roots))

    def open_colors(self) -> list[int]:
        """Colours that more than one source of a side has, the fewest first."""
        sizes = np.bincount(self.sources[0])
        shared = np.flatnonzero(sizes > 1)
        return [int(color) for color in shared[np.argsort(sizes[shared], kind="stable")]]

    def members(self, color: int) -> tuple[Colors, Colors]:
        """Sources of a colour, left and right."""
        return np.flatnonzero(self.sources[0] == color), np.flatnonzero(self.sources[1] == color)

    def single_out(self, left: int, right: int) -> None:
        """Gives a source of each side a colour of its own."""
        fresh = int(self.sources[0].max()) + 1
        self.sources[0][left] = self.sources[1][right] = fresh
        if left >= len(self.sources[0]) - self.latches:
            shift = len(self.roots[0]) - len(self.sources[0])
            self.roots[0][left + shift] = self.roots[1][right + shift] = int(self.roots[0].max()) + 1

    def split(self, kind: str, signatures: tuple[Words, Words]) -> None:
        """Splits the colours of "sources" or "roots" by signatures.

        Raises:
            NoPairingError: A signature is not equally often on both sides.
        """
        old = self.sources if kind == "sources" else self.roots
        keys = [
            np.stack([color.astype(np.uint64), sig], axis=1)
            for color, sig in zip(old, signatures, strict=True)
        ]
        _, inverse = np.unique(np.concatenate(keys), axis=0, return_inverse=True)
        inverse = np.asarray(inverse, dtype=np.int64).reshape(-1)
        left, right = inverse[: len(old[0])], inverse[len(old[0]) :]
        if not np.array_equal(np.sort(left), np.sort(right)):
            raise NoPairingError
        if kind == "sources":
            self.sources = left, right
        else:
            self.roots = left, right

    def tie_latches(self) -> None:
        """Makes the two colours of each latch, as a source and as a root, equally fine."""
        if self.latches:
            count = self.latches
            sources, roots = self.sources, self.roots
            self.split("sources", _padded(sources, roots, count))
            self.split("roots", _padded(roots, sources, count))


def _padded(to: tuple[Colors, Colors], by: tuple[Colors, Colors], count: int) -> tuple[Words, Words]:
    """Signatures for `to`: for its last `count` the colours of the last of `by`, plus one, else 0."""
    made: list[Words] = []
    for rows, others in zip(to, by, strict=True):
        signature = np.zeros(len(rows), dtype=np.uint64)
        signature[len(rows) - count :] = others[len(others) - count :] + 1
        made.append(signature)
    return made[0], made[1]


def refine(sides: tuple[Side, Side], coloring: Coloring, rng: np.random.Generator, stop: Stop) -> None:
    """Splits colours until some rounds in a row split none.

    A round costs a simulation of both designs with some times as many patterns as sources are not yet alone.

    Raises:
        NoPairingError: No pairing within the colours makes the designs equal.
        LimitError: `stop` ended it, or there are too many ports.
    """
    steady = 0
    coloring.tie_latches()
    while steady < _STEADY_ROUNDS:
        before = coloring.count
        _one_round(sides, coloring, rng, stop)
        steady = 0 if coloring.count > before else steady + 1
        if steady and not coloring.open_colors():
            return


def compare(
    sides: tuple[Side, Side], coloring: Coloring, patterns: int, rng: np.random.Generator, stop: Stop
) -> None:
    """Splits the colours of roots by their values under patterns that are constant on each colour of sources.

    Raises:
        NoPairingError: Values are not equally often on both sides.
        LimitError: `stop` ended it.
    """
    base = color_patterns(_color_count(coloring.sources), patterns, rng)
    salts = _salts(patterns, rng)
    left, right = (
        side.values(base[sources], stop).astype(np.uint64) @ salts
        for side, sources in zip(sides, coloring.sources, strict=True)
    )
    coloring.split("roots", (left, right))


def color_patterns(rows: int, patterns: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Random patterns, rows x patterns; from few ones to few zeros, as rare events need one or the other."""
    exponent = rng.integers(1, max(rows, 2).bit_length() + 1, patterns)
    density = 0.5**exponent
    density = np.where(rng.integers(0, 2, patterns) == 1, density, 1 - density)
    density[:2] = 0, 1
    return (rng.random((rows, patterns)) < density).astype(np.uint8)


def split_by_partners(
    sides: tuple[Side, Side], coloring: Coloring, color: int, rng: np.random.Generator, stop: Stop
) -> None:
    """Splits a colour of sources by what flipping two sources does, one of them of this colour.

    Tells bits of words apart that are only compared with each other. As many simulations as sources of the
    colour, each with as many patterns as sources that are not alone.

    Raises:
        NoPairingError: A signature is not equally often on both sides.
        LimitError: `stop` ended it.
    """
    colors = _color_count(coloring.sources)
    base = color_patterns(colors, 2 + _FLIPPED_PATTERNS, rng)
    salts = _salts(2 + _FLIPPED_PATTERNS, rng)
    source_salt, root_salt = (
        _salts(_color_count(found), rng) for found in (coloring.sources, coloring.roots)
    )
    is_open = np.bincount(coloring.sources[0], minlength=colors) > 1
    signatures: list[Words] = []
    for side, sources, roots in zip(sides, coloring.sources, coloring.roots, strict=True):
        flipped = np.flatnonzero(is_open[sources])
        signature = np.zeros(side.num_sources, dtype=np.uint64)
        for member in np.flatnonzero(sources == color):
            for column, salt in zip(base.T, salts, strict=True):
                start = column[sources]
                start[member] ^= 1
                effects = root_salt[roots] @ _changed_by_flips(side, start, flipped, stop)
                found = _mixed(effects + source_salt[sources[flipped]]).sum(keepdims=True)
                signature[member : member + 1] += salt * found
        signatures.append(signature)
    coloring.split("sources", (signatures[0], signatures[1]))
    coloring.tie_latches()


def _color_count(colors: tuple[Colors, Colors]) -> int:
    return int(colors[0].max(initial=-1)) + 1


def _salts(shape: int | tuple[int, int], rng: np.random.Generator) -> Words:
    """Random odd factors, for sums modulo 2^64."""
    return rng.integers(0, 1 << 63, shape, dtype=np.uint64) | np.uint64(1)


def _changed_by_flips(side: Side, start: NDArray[np.uint8], flipped: Colors, stop: Stop) -> Words:
    """Which roots change when one source is flipped in a pattern, roots x flipped sources, 0 or 1."""
    bits = np.repeat(start[:, None], len(flipped) + 1, axis=1)
    bits[flipped, np.arange(len(flipped)) + 1] ^= 1
    values = side.values(bits, stop)
    return (values[:, 1:] ^ values[:, :1]).astype(np.uint64)


def _mixed(words: Words) -> Words:
    """Scrambles words, so that their sum tells which ones there are."""
    words = (words ^ (words >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return words ^ (words >> np.uint64(32))


def _one_round(sides: tuple[Side, Side], coloring: Coloring, rng: np.random.Generator, stop: Stop) -> None:
    compare(sides, coloring, _BASE_PATTERNS, rng, stop)
    colors = _color_count(coloring.sources)
    base = color_patterns(colors, 2 + _FLIPPED_PATTERNS, rng)
    salts = _salts((2 + _FLIPPED_PATTERNS, 2), rng)
    source_salt, root_salt = (
        _salts(_color_count(found), rng) for found in (coloring.sources, coloring.roots)
    )
    open_colors = np.bincount(coloring.sources[0], minlength=colors) > 1
    if not open_colors.any() and not coloring.by_structure:
        return
    source_signatures: list[Words] = []
    root_signatures: list[Words] = []
    for side, sources, roots in zip(sides, coloring.sources, coloring.roots, strict=True):
        flipped = np.flatnonzero(open_colors[sources])
        if (len(flipped) + 1) * (side.num_sources + len(side.roots)) > MOST_BITS:
            raise LimitError(f"{side.num_sources} inputs are too many to be paired by function")
        of_sources = np.zeros(side.num_sources, dtype=np.uint64)
        of_roots = np.zeros(len(side.roots), dtype=np.uint64)
        for column, (salt, other) in zip(base.T, salts, strict=True):
            changed = _changed_by_flips(side, column[sources], flipped, stop)
            # Sums modulo 2^64 do not depend on the order of ports.
            of_sources[flipped] += salt * (root_salt[roots] @ changed)
            of_roots += other * (changed @ source_salt[sources[flipped]])
        if coloring.by_structure and (supports := side.supports()) is not None:
            of_sources += (root_salt[roots] ^ salts[0, 0]) @ supports
            of_roots += supports @ (source_salt[sources] ^ salts[0, 1])
        source_signatures.append(of_sources)
        root_signatures.append(of_roots)
    coloring.split("sources", (source_signatures[0], source_signatures[1]))
    coloring.split("roots", (root_signatures[0], root_signatures[1]))
    coloring.tie_latches()
