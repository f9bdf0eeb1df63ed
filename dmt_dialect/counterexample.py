"""Counterexamples: confirmed on both designs as they were read, then shrunk to the inputs that matter.

A difference an engine reports is a claim about the miter. Here each claim is simulated on the two designs
themselves, by code the engines share nothing with; a claim that does not hold there is a bug, and is raised
as one instead of being shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.verdict import Bit, Counterexample
from dynomite._native.base import Stop
from dynomite._native.witness import evaluate, needed_variables

if TYPE_CHECKING:
    from dmt_dialect.matching import Matched
    from dmt_dialect.miter import Miter
    from dynomite._native.aig import Aig

SHRINK_BUDGET = 200_000_000
"""Node visits spent on leaving out inputs one by one, for each counterexample."""
UNKNOWN = 2

Bytes = NDArray[np.uint8]


@dataclass(slots=True)
class Confirmer:
    """Checks claimed differences between two designs and turns them into counterexamples."""

    left: Aig
    right: Aig
    matched: Matched
    miter: Miter
    _left_lits: NDArray[np.uint32] = field(init=False)
    _right_lits: NDArray[np.uint32] = field(init=False)
    _witness: dict[int, Bytes] = field(init=False, default_factory=dict[int, Bytes])

    def __post_init__(self) -> None:
        self._left_lits = np.array([f.left for f in self.matched.functions], dtype=np.uint32)
        self._right_lits = np.array([f.right for f in self.matched.functions], dtype=np.uint32)

    def confirm(self, claims: dict[int, bytes]) -> None:
        """Simulates both designs until every claim (function number to values of the variables) is confirmed.

        Raises:
            AssertionError: A claim does not hold: an engine is wrong.
        """
        for function, values in claims.items():
            if function in self._witness:
                continue
            pattern = np.frombuffer(values, dtype=np.uint8)
            left, right = self._simulate(pattern)
            if left[function] == right[function]:
                raise AssertionError(
                    f"the counterexample for {self.matched.functions[function].name!r} fails in simulation"
                )
            # One pattern often shows many differences; those need no simulation of their own.
            for other in np.flatnonzero(left != right).tolist():
                if other in claims:
                    self._witness.setdefault(other, pattern)

    def counterexample(
        self, function: int, *, budget: int = SHRINK_BUDGET, stop: Stop | None = None
    ) -> Counterexample:
        """The shrunk counterexample of a confirmed claim."""
        miter, matched = self.miter, self.matched
        values = self._witness[function]
        needed = needed_variables(
            self.left,
            int(self._left_lits[function]),
            miter.left_variables,
            self.right,
            int(self._right_lits[function]),
            miter.right_variables,
            values,
            budget=budget,
            stop=stop if stop is not None else Stop(),
        )
        shown = np.where(needed != 0, values, np.uint8(UNKNOWN))
        left, right = self._simulate(shown)
        name = matched.functions[function].name
        if UNKNOWN in (left[function], right[function]) or left[function] == right[function]:
            raise AssertionError(f"the shrunk counterexample for {name!r} fails in simulation")
        names = [f.name for f in matched.functions]
        inputs = len(matched.input_names)
        return Counterexample(
            output=name,
            inputs=_table(matched.input_names, shown[:inputs]),
            latches=_table(matched.latch_names, shown[inputs:]),
            left=_table(names, left),
            right=_table(names, right),
        )

    def _simulate(self, values: Bytes) -> tuple[Bytes, Bytes]:
        """Values of all compared functions on both sides."""
        return (
            evaluate(self.left, values[self.miter.left_variables], self._left_lits),
            evaluate(self.right, values[self.miter.right_variables], self._right_lits),
        )


def _table(names: list[str] | tuple[str, ...], values: Bytes) -> dict[str, Bit]:
    bits = (None if value == UNKNOWN else value for value in values.tolist())
    return cast("dict[str, Bit]", dict(zip(names, bits, strict=True)))
