"""Questions to z3 about SMT-LIB text."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def z3_answer(text: str) -> str:
    """ "sat" or "unsat" for the assertions of a text."""
    z: Any = import_module("z3")
    solver = z.Solver()
    solver.from_string(text)
    return str(solver.check())
