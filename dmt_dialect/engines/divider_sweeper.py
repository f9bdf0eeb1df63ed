"""A sweeper that gets help with a divider or square root where it is stuck.

Two versions of one circuit are swept best as they are. When too many queries of the first pass meet their
limit, what is left of the miter is put behind the divider of `dmt_dialect.engines.dividers`, and so again
whenever the sweeper has rewritten what was left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.engines.dividers import Operands, bridge

if TYPE_CHECKING:
    from dynomite._native.aig import Aig
    from dynomite._native.base import Stop
    from dynomite._native.sweep import Sweeper

UNKNOWN_BASE, UNKNOWN_PART = 40, 1 / 70
"""Queries of the first pass that may meet their limit: so many, and this part of the ANDs."""
MERGED_PART = 1 / 4
"""A pass that has merged this part of the ANDs, before it met its limit too often, needs no divider."""


class DividerSweeper:
    """Sweeps a miter whose inputs are the operands of a divider; see `dynomite._native.sweep.Sweeper`.

    Args:
        aig: The miter, without latches.
        pairs: Literals to be compared.
        operands: Which of its inputs are divided; a guess.
        seed: Of the patterns.
    """

    def __init__(self, aig: Aig, pairs: NDArray[np.uint32], operands: Operands, *, seed: int) -> None:
        from dynomite._native.sweep import Sweeper

        self._operands, self._seed = operands, seed
        self._inner: Sweeper = Sweeper(aig, pairs, seed=seed)
        self._most_unknown = int(UNKNOWN_BASE + UNKNOWN_PART * aig.num_ands)
        self._rows = np.arange(len(pairs))
        self._statuses = np.zeros(len(pairs), dtype=np.uint8)
        self._engines = ["none"] * len(pairs)
        self._counterexamples: dict[int, NDArray[np.uint8]] = {}
        self._past: dict[str, int | float] = {}
        self._known = self._rewrites = 0
        self._is_bridged = False

    def run(self, conflict_limit: int, stop: Stop) -> str:
        """One pass; with a second one, behind a divider, where the first has failed."""
        if self._is_bridged:
            outcome = self._inner.run(conflict_limit, stop)
        else:
            outcome = self._inner.run(conflict_limit, stop, most_unknown=self._most_unknown)
        self._collect()
        if outcome == "limit" and self._wants_bridge() and self._bridge(stop):
            outcome = self._inner.run(conflict_limit, stop)
            self._collect()
        return outcome

    def statuses(self) -> NDArray[np.uint8]:
        """A status a pair: 0 undecided, 1 equal, 2 different."""
        return self._statuses.copy()

    def engines(self) -> list[str]:
        """What decided each pair."""
        return list(self._engines)

    def counterexample(self, pair: int) -> NDArray[np.uint8]:
        """Values of the inputs for which a different pair differs."""
        return self._counterexamples[pair]

    def progress(self) -> float:
        """How far the present pass is, 0 to 1; from any thread."""
        return self._inner.progress()

    def residual(self) -> tuple[Aig, NDArray[np.uint32]]:
        """What is left of the miter, and the undecided pairs in it."""
        return self._inner.residual()

    def stats(self) -> dict[str, int | float]:
        """Counts over all passes."""
        stats = self._summed()
        if self._is_bridged:
            stats["divider_bits"] = len(self._operands.dividend)
            stats["divider_known"] = self._known
        return stats

    def _summed(self) -> dict[str, int | float]:
        stats: dict[str, int | float] = dict(self._inner.stats())
        for name, count in self._past.items():
            if name != "ands_after":
                stats[name] = count if name == "ands_before" else stats[name] + count
        return stats

    def _wants_bridge(self) -> bool:
        if not self._is_bridged:
            stats = self._inner.stats()
            merged = stats["proved"] + stats["structural"]
            return stats["unknown"] >= self._most_unknown and merged < MERGED_PART * stats["ands_before"]
        return self._inner.stats()["rewrites"] > 0

    def _bridge(self, stop: Stop) -> bool:
        from dynomite._native.sweep import Sweeper

        aig, pairs = self._inner.residual()
        bridged = bridge(aig, pairs, self._operands, seed=self._seed, stop=stop)
        if bridged is None:
            return False
        inner = Sweeper(bridged.aig, bridged.pairs, seed=self._seed)
        inner.help(bridged.known, bridged.kept, bridged.patterns)
        self._past = self._summed()
        self._rows = self._rows[self._inner.statuses() == 0]
        self._inner, self._is_bridged, self._known = inner, True, len(bridged.known)
        return True

    def _collect(self) -> None:
        engines = self._inner.engines()
        for own, status in enumerate(self._inner.statuses().tolist()):
            pair = int(self._rows[own])
            if status == self._statuses[pair]:
                continue
            self._statuses[pair] = status
            self._engines[pair] = engines[own]
            if status == 2:
                self._counterexamples[pair] = self._inner.counterexample(own)
