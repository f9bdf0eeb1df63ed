"""What became of the latches of a circuit when a pass left some out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

UNUSED = -1


@dataclass(frozen=True, slots=True)
class LatchMap:
    """A literal of the result for each latch of the given circuit, equal to it in every reachable state.

    Attributes:
        codes: One number a latch: 0 and 1 are the constants, 2 + 2k is latch k of the result, 3 + 2k its
            complement, and -1 a latch that nothing needs.
        kept: For each latch of the result, which latch of the given circuit it is.
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

    def then(self, later: LatchMap) -> LatchMap:
        """The map of two passes, this one first."""
        codes = tuple(self._through(code, later) for code in self.codes)
        return LatchMap(codes, tuple(self.kept[k] for k in later.kept))

    @staticmethod
    def _through(code: int, later: LatchMap) -> int:
        if code < 2:  # a constant, or unused already
            return code
        image = later.codes[(code - 2) >> 1]
        return image if image == UNUSED else image ^ (code & 1)
