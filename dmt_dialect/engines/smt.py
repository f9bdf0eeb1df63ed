"""Answers by z3 on Boolean terms.

Every node is a Boolean constant with one defining assertion: no deep terms, however deep the circuit.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from dmt_dialect.engines.problem import NOT_AND, Answer, ConeWalker, Problem, Report


def solve(problem: Problem, report: Report, **_options: Any) -> Iterator[Answer]:
    """The engine; see `dmt_dialect.engines.problem.Engine`."""
    z3: Any = import_module("z3")
    solver: Any = z3.Solver()
    terms: dict[int, Any] = {0: z3.BoolVal(False)}
    inputs: list[tuple[int, Any]] = []
    cones = ConeWalker(problem)

    def term(lit: int) -> Any:
        return z3.Not(terms[lit >> 1]) if lit & 1 else terms[lit >> 1]

    for pair in problem.order():
        lits: list[int] = problem.pairs[pair].tolist()
        for node, first, second in cones.new_nodes(*lits):
            if not node:
                continue
            terms[node] = z3.Bool(f"n{node}")
            if first == NOT_AND:
                inputs.append((second, terms[node]))
            else:
                solver.add(terms[node] == z3.And(term(first), term(second)))
        a, b = (term(lit) for lit in lits)
        solver.push()
        solver.add(z3.Xor(a, b))
        result = solver.check()
        if result == z3.unknown:
            report.outcome = "limit"
            solver.pop()
            continue
        if result == z3.sat:
            model = solver.model()
            values = bytearray(problem.inputs)
            for number, variable in inputs:
                values[number] = z3.is_true(model.eval(variable))
            yield Answer(pair, equal=False, values=bytes(values))
            solver.pop()
        else:
            solver.pop()
            solver.add(a == b)
            yield Answer(pair, equal=True)
    statistics = solver.statistics()
    for key in statistics.keys():  # noqa: SIM118 - not a mapping
        value = statistics.get_key_value(key)
        if key in ("conflicts", "decisions", "propagations"):
            report.stats[key] = value
