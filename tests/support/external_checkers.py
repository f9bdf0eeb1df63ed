"""Refutations followed by programs of others: unit propagation of MiniSat, and `dratify` if installed."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any


def clauses_of(text: str) -> list[list[int]]:
    """Clauses of DIMACS or DRAT text without deletions."""
    clauses: list[list[int]] = [[]]
    for line in text.splitlines():
        if line[:1] in ("c", "p", "d"):
            continue
        for number in map(int, line.split()):
            if number:
                clauses[-1].append(number)
            else:
                clauses.append([])
    return clauses[:-1]


def follows_by_minisat(cnf: str, proof: str) -> bool:
    """Whether each step of a proof follows by unit propagation, done by MiniSat, and one is empty."""
    minisat: Any = importlib.import_module("pysat.solvers").Minisat22
    with minisat(bootstrap_with=clauses_of(cnf)) as solver:
        for step in clauses_of(proof):
            consistent, _ = solver.propagate(assumptions=[-lit for lit in step])
            if consistent:
                return False
            if not step:
                return True
            solver.add_clause(step)
    return False


def has_dratify() -> bool:
    """Whether `dratify` is installed."""
    return importlib.util.find_spec("dratify") is not None


def follows_by_dratify(cnf: str, proof: str) -> bool:
    """Whether `dratify` accepts a refutation."""
    dratify: Any = importlib.import_module("dratify")
    result = dratify.check_proof(dratify.parse_dimacs(cnf), proof)
    return bool(result.ok and result.reached_empty)
