"""Verification of word operators: number, types and widths of operands and results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynomite._native import word_net as native
from dynomite.errors import VerifyError
from dynomite.ir import Module

if TYPE_CHECKING:
    from dynomite._native.base import Stop


def verify_operators(module: Module, *, stop: Stop | None = None) -> None:
    """Checks all operators of `op`, wherever they stand; `dynomite.passes.verify` checks the rest.

    Raises:
        VerifyError: Lists all that are wrong, with their places.

    Cost: linear.
    """
    violations, text = native.operator_violations(module, stop=stop)
    if violations:
        raise VerifyError(text)
