"""Dead code elimination.

Erases pure instructions that nothing needed uses, cycles of graph regions included:

    t.ADD %x:def(t.word(8)) %a %b    ->    t.USE %a
    t.USE %a

Whatever is not declared pure, ends a block or has a name stays. Linear.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynomite._native import passes as native
from dynomite._native.base import Stop
from dynomite.ir import Builder, InstrRef
from dynomite.passes.base import Params, Pass, PassResult


@dataclass(frozen=True)
class DceParams(Params):
    """`Dce` has no parameters."""


class Dce(Pass[DceParams]):
    """Erases dead instructions."""

    name = "dce"
    Params = DceParams

    def run(self, builder: Builder, within: InstrRef | None, stop: Stop) -> PassResult:
        """Does the work."""
        visited, erased = native.dce(builder, within=within, stop=stop)
        return PassResult(erased > 0, {"visited": visited, "erased": erased}, stop.reason)
