"""Dead symbol elimination.

Erases private and nested symbols that nothing alive refers to, however they refer to each other:

    t.FUNC @main {...}                           t.FUNC @main {...}
    t.FUNC @p private { t.CALL @q }       ->
    t.FUNC @q private { t.CALL @p }

References count wherever they are in operands or attributes, below operations of every kind; every name of
a path `@lib::@f` keeps its symbol. A reference that does not resolve keeps what it would mean further out,
and is noted. Linear expected time.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynomite._native import passes as native
from dynomite._native.base import Stop
from dynomite.ir import Builder, InstrRef
from dynomite.passes.base import Params, Pass, PassResult


@dataclass(frozen=True)
class SymbolDceParams(Params):
    """`SymbolDce` has no parameters."""


class SymbolDce(Pass[SymbolDceParams]):
    """Erases dead symbols."""

    name = "symbol_dce"
    Params = SymbolDceParams

    def run(self, builder: Builder, within: InstrRef | None, stop: Stop) -> PassResult:
        """Does the work."""
        visited, erased, erased_instrs, unresolved = native.symbol_dce(builder, within=within, stop=stop)
        stats = {"visited": visited, "erased": erased, "erased_instrs": erased_instrs}
        notes = tuple(
            f"{reference} does not resolve; nothing it may mean was erased" for _, _, reference in unresolved
        )
        return PassResult(erased > 0, {**stats, "unresolved": len(unresolved)}, stop.reason, notes)
