"""What became of the latches of a circuit when a pass left some out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LatchMap:
    """What equals each latch of a circuit in every reachable state, and which latches are left.

    Attributes:
        codes: One number a latch: 0 and 1 are the constants, 2 + 2k is latch k of the same circuit, 3 + 2k
            its complement. A latch of which nothing is claimed has its own number, 2 + 2k.
        kept: For each latch of the result, which latch of the given circuit it is. The others are replaced by
            what equals them, or nothing needs them.
    """

    codes: tuple[int, ...]
    kept: tuple[int, ...]

    @staticmethod
    def identity(count: int) -> LatchMap:
        """Every latch is kept."""
        return LatchMap(tuple(range(2, 2 + 2 * count, 2)), tuple(range(count)))

    @staticmethod
    def of(codes: Sequence[int], kept: Sequence[int]) -> LatchMap:
        """From any sequences of numbers."""
        return LatchMap(tuple(map(int, codes)), tuple(map(int, kept)))

    @property
    def is_identity(self) -> bool:
        """Whether every latch is still there."""
        return len(self.kept) == len(self.codes)

    def claims(self) -> Iterator[tuple[int, int]]:
        """Number and code of each latch that equals something else."""
        return ((latch, code) for latch, code in enumerate(self.codes) if code >> 1 != latch + 1)

    def then(self, later: LatchMap) -> LatchMap:
        """The map of two passes, this one first."""
        place = {latch: position for position, latch in enumerate(self.kept)}

        def through(code: int) -> int:
            position = place.get((code >> 1) - 1)
            if code < 2 or position is None:
                return code
            image = later.codes[position]
            return (image if image < 2 else 2 + 2 * self.kept[(image >> 1) - 1] + (image & 1)) ^ (code & 1)

        return LatchMap(tuple(map(through, self.codes)), tuple(self.kept[k] for k in later.kept))
