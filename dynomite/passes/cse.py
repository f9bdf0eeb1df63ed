"""Common subexpression elimination.

Of equal pure instructions where one dominates the other, the later one goes:

    t.ADD %x:def(t.word(8)) %a %b          t.ADD %x:def(t.word(8)) %a %b
    t.ADD %y:def(t.word(8)) %b %a    ->    t.USE %x %x
    t.USE %x %y

Equal means the same operation, operands, attributes and types of results; commutative operations are
compared in any order. The origins of what was merged unite. Linear expected time. Value numbering over the
dominator tree: Briggs, Cooper, Simpson, Software: Practice and Experience 1997.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynomite._native import passes as native
from dynomite._native.base import Stop
from dynomite.ir import Builder, InstrRef
from dynomite.passes.base import Params, Pass, PassResult


@dataclass(frozen=True)
class CseParams(Params):
    """Parameters of `Cse`.

    Attributes:
        commutative: Values of commutative operations are compared in any order.
    """

    commutative: bool = True


class Cse(Pass[CseParams]):
    """Merges common subexpressions."""

    name = "cse"
    Params = CseParams

    def run(self, builder: Builder, within: InstrRef | None, stop: Stop) -> PassResult:
        """Does the work."""
        visited, merged = native.cse(builder, commutative=self.params.commutative, within=within, stop=stop)
        return PassResult(merged > 0, {"visited": visited, "merged": merged}, stop.reason)
