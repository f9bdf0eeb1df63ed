"""Statistics of a module: counts of instructions, values, blocks, symbols, nesting and operations."""

from __future__ import annotations

from dataclasses import dataclass

from dynomite._native import passes as native
from dynomite._native.base import Stop
from dynomite.ir import Builder, InstrRef
from dynomite.passes.base import Params, Pass, PassResult


@dataclass(frozen=True)
class StatisticsParams(Params):
    """Parameters of `Statistics`.

    Attributes:
        by_op: Counts each operation too, as "op DIALECT.NAME".
    """

    by_op: bool = True


class Statistics(Pass[StatisticsParams]):
    """Counts; changes nothing."""

    name = "statistics"
    Params = StatisticsParams

    def run(self, builder: Builder, within: InstrRef | None, stop: Stop) -> PassResult:
        """Does the work, on the whole module."""
        del within
        counts, by_op = native.statistics(builder.module)
        stats = dict(counts)
        if self.params.by_op:
            stats.update({f"op {name}": count for name, count in by_op.items()})
        return PassResult(False, stats, stop.reason)
