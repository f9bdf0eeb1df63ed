"""Which nodes of one circuit have an equal node in the other, by simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dmt_dialect.explaining.sides import Sides, Words

_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
_NOBODY = -1


@dataclass(frozen=True, slots=True)
class Partners:
    """Nodes with the same values, up to complement, in all simulated patterns.

    Attributes:
        of_left: For each left node the first right node that is like it, -1 for none.
        of_right: For each right node the first left node that is like it, -1 for none.
        left_first: For each left node the first left node that is like it.
        left_phase: Value of each left node in the first pattern: nodes alike are equal if these are.
        right_phase: The same on the right.
    """

    of_left: list[int]
    of_right: list[int]
    left_first: list[int]
    left_phase: NDArray[np.bool_]
    right_phase: NDArray[np.bool_]

    def literal_like(self, side: int, node: int, left: int) -> int:
        """The literal of the left (0) or right (1) `node` that is like the uncomplemented left one."""
        phase = (self.left_phase, self.right_phase)[side][node]
        return 2 * node + int(self.left_phase[left] != phase)


def find_partners(sides: Sides) -> Partners:
    """Compares all nodes by their simulated values. Cost: a sort of the nodes."""
    (left, left_phase), (right, right_phase) = (_signature(c.values) for c in sides.both())
    return Partners(
        of_left=_lookup(left, right),
        of_right=_lookup(right, left),
        left_first=_lookup(left, left),
        left_phase=left_phase,
        right_phase=right_phase,
    )


def _signature(values: Words) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """64 bits that nodes with the same values up to complement share, and the value in the first pattern."""
    phase = (values[:, 0] & np.uint64(1)) != 0
    flip = np.where(phase, np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0))
    mixed = np.zeros(len(values), dtype=np.uint64)
    for column in range(values.shape[1]):
        mixed = (mixed ^ values[:, column] ^ flip) * np.uint64(_FACTORS[0])
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(_FACTORS[1])
        mixed ^= mixed >> np.uint64(32)
    return mixed, phase


def _lookup(wanted: NDArray[np.uint64], among: NDArray[np.uint64]) -> list[int]:
    """For each signature the first place where `among` has it."""
    kinds, first = np.unique(among, return_index=True)
    place = np.minimum(np.searchsorted(kinds, wanted), len(kinds) - 1)
    return np.where(kinds[place] == wanted, first[place], _NOBODY).tolist()
