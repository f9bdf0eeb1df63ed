"""Verification: collects all violations of the rules every module obeys, then raises.

The rules: declared operations with the operands they declare; definitions that dominate their uses;
isolation; terminators; symbols and references; tokens. They are listed at `find_violations` in
native/passes/verify.hpp.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynomite._native import passes as native
from dynomite._native.base import Stop
from dynomite.ir import Builder, InstrRef, Module
from dynomite.passes.base import Params, Pass, PassResult


@dataclass(frozen=True)
class VerifyParams(Params):
    """Parameters of `Verify`.

    Attributes:
        limit: Violations that are listed; the rest is counted.
    """

    limit: int = 1000


class Verify(Pass[VerifyParams]):
    """Raises VerifyError with all violations; changes nothing."""

    name = "verify"
    Params = VerifyParams

    def run(self, builder: Builder, within: InstrRef | None, stop: Stop) -> PassResult:
        """Does the work, on the whole module."""
        del within
        visited = native.verify(builder.module, limit=self.params.limit, stop=stop)
        return PassResult(False, {"visited": visited}, stop.reason)


def verify(module: Module, *, limit: int = 1000) -> None:
    """Checks a module.

    Raises:
        VerifyError: Lists all violations with their places, up to `limit`.
    """
    Verify(VerifyParams(limit=limit))(module)
