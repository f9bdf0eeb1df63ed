"""Answers by CaDiCaL through python-sat, one incremental solver for all pairs.

Pairs nearest the inputs come first and what is proved stays as clauses, so that later pairs build on earlier
ones. Every pair first gets a small number of conflicts; the number grows from round to round, and the last
open pair has no limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from dmt_dialect.engines.problem import NOT_AND, Answer, ConeWalker, Problem, Report

_FIRST_BUDGET = 2_000
_GROWTH = 5
_LARGEST_BUDGET = 1_000_000_000


def solve(problem: Problem, report: Report, **_options: Any) -> Iterator[Answer]:
    """The engine; see `dmt_dialect.engines.problem.Engine`."""
    solver: Any = import_module("pysat.solvers").Cadical195()
    try:
        yield from _solve(solver, problem)
        report.stats.update(solver.accum_stats() or {})
    finally:
        solver.delete()


def _solve(solver: Any, problem: Problem) -> Iterator[Answer]:
    cones = ConeWalker(problem)
    # Node n is variable n + 1; the variables above stand for "pair k differs".
    base = len(problem.fanins) + 1
    solver.add_clause([-1])
    open_pairs = problem.order()
    encoded: set[int] = set()
    budget = _FIRST_BUDGET
    while open_pairs:
        left: list[int] = []
        for pair in open_pairs:
            a, b = (_variable(lit) for lit in problem.pairs[pair].tolist())
            differs = base + pair
            if pair not in encoded:
                encoded.add(pair)
                _encode(solver, cones, *problem.pairs[pair].tolist())
                solver.append_formula([[-differs, a, b], [-differs, -a, -b]])
            if len(open_pairs) > 1:
                solver.conf_budget(budget)
                satisfiable = solver.solve_limited(assumptions=[differs])
            else:
                satisfiable = solver.solve(assumptions=[differs])
            if satisfiable is None:
                left.append(pair)
            elif satisfiable:
                yield Answer(pair, equal=False, values=_inputs(solver.get_model(), problem))
            else:
                solver.append_formula([[-differs], [-a, b], [a, -b]])
                yield Answer(pair, equal=True)
        open_pairs = left
        budget = min(budget * _GROWTH, _LARGEST_BUDGET)


def _variable(lit: int) -> int:
    return -(lit >> 1) - 1 if lit & 1 else (lit >> 1) + 1


def _encode(solver: Any, cones: ConeWalker, *literals: int) -> None:
    clauses: list[list[int]] = []
    for node, first, second in cones.new_nodes(*literals):
        if first == NOT_AND:
            continue
        out, a, b = node + 1, _variable(first), _variable(second)
        clauses += ([-out, a], [-out, b], [out, -a, -b])
        if len(clauses) > 30_000:
            solver.append_formula(clauses)
            clauses = []
    solver.append_formula(clauses)


def _inputs(model: list[int], problem: Problem) -> bytes:
    values = bytearray(problem.inputs)
    is_input = problem.fanins[:, 0] == NOT_AND
    is_input[0] = False
    for node in is_input.nonzero()[0].tolist():
        values[int(problem.fanins[node, 1])] = node < len(model) and model[node] > 0
    return bytes(values)
