"""Answers to questions."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmt_dialect.bitblast import BitVec
from dmt_dialect.problems.terms import Problem
from dmt_dialect.smt_engines import EngineName
from dmt_dialect.smt_solver import SmtSolver
from dynomite._native.base import Stop

if TYPE_CHECKING:
    from dmt_dialect.solve import SolutionStatus


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question.

    Attributes:
        status: "sat", "unsat" or "undecided".
        model: After "sat", a value for each variable, checked on the terms.
        core: After "unsat", names of assertions and assumptions that contradict each other.
        engine: Who answered.
        reason: Why it is undecided.
        seconds: Time of all.
    """

    status: SolutionStatus
    model: dict[str, BitVec] | None = None
    core: tuple[str, ...] = ()
    engine: str = ""
    reason: str = ""
    seconds: float = 0.0

    def __bool__(self) -> bool:
        """Whether there are such values; false if it is undecided."""
        return self.status == "sat"

    def __str__(self) -> str:
        """The status; a line for each variable, or the core."""
        if self.status == "unsat":
            return f"unsat: {', '.join(self.core)} contradict each other" if self.core else "unsat"
        lines = [self.status if not self.reason else f"{self.status}: {self.reason}"]
        lines += [f"  {name} = {value.unsigned} ({value.hex})" for name, value in (self.model or {}).items()]
        return "\n".join(lines)


def solve_problem(
    problem: Problem,
    *,
    engine: EngineName = "auto",
    timeout: float | None = None,
    cancel: Stop | None = None,
) -> Answer:
    """Looks for values with which all assertions and assumptions hold.

    Args:
        problem: The question.
        engine: As in `dmt_dialect.smt_solver.SmtSolver`.
        timeout: Seconds after which it ends undecided.
        cancel: Its `cancel()` ends it undecided.
    """
    start = time.monotonic()
    stop = Stop() if cancel is None else cancel
    if timeout is not None:
        stop.set_timeout(timeout)
    solver = SmtSolver(problem.terms, engine=engine, cancel=stop)
    try:
        for number, claim in enumerate(problem.assertions):
            solver.add(claim.term, str(number))
        status = solver.check([claim.term for claim in problem.assumptions])
        outcome = solver.outcome
        assert outcome is not None
        model, core = None, list[str]()
        if status == "sat":
            names, variables = list(problem.variables), list(problem.variables.values())
            model = dict(zip(names, solver.values(variables), strict=True))
        elif status == "unsat":
            core = [problem.assertions[int(number)].name for number in solver.unsat_core()]
            core += [problem.assumptions[number].name for number in solver.unsat_assumptions()]
        return Answer(
            "undecided" if status == "unknown" else status,
            model,
            tuple(core),
            outcome.engine,
            outcome.reason if status == "unknown" else "",
            time.monotonic() - start,
        )
    finally:
        solver.close()
