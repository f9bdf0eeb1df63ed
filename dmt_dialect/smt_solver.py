"""Satisfiability of bit-vector terms: assertions in levels, models, cores.

    terms = Terms()
    a, b = (terms.variable(name, Sort.bits(8)) for name in "ab")
    solver = SmtSolver(terms)
    solver.add(terms.op(WordOp.ULT, [terms.op(WordOp.ADD, [a, b]), a]))
    if solver.check() == "sat":
        print(solver.values([a, b]))

An answer "sat" has been checked: every assertion is evaluated under the model, by the definitions of the
operators, which share nothing with simplification, bit-blasting and solvers. A core has been checked by a
second call.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from dmt_dialect.smt_engines import EngineName, Outcome, Status, make_engine, stopped
from dmt_dialect.solve_process import EngineError
from dynomite._native.base import Stop
from dynomite._native.smt import Model, Term, Terms
from dynomite._native.word import BitVec
from dynomite.errors import LimitError, UsageError

__all__ = ["SmtSolver"]


@dataclass(frozen=True, slots=True)
class _Assertion:
    term: Term
    name: str | None


class SmtSolver:
    """An incremental solver for the terms of one store.

    Args:
        terms: The store.
        engine: "auto" (a solver on gates, then CaDiCaL), "circuit", "sat" (CaDiCaL), "smt" (z3).
        cancel: Its `cancel()` ends a check from anywhere, and its deadline does.
    """

    def __init__(self, terms: Terms, *, engine: EngineName = "auto", cancel: Stop | None = None) -> None:
        self.terms = terms
        self._engine_name = engine
        self._engine = make_engine(engine, terms)
        self._stop = Stop() if cancel is None else cancel
        self._levels: list[list[_Assertion]] = [[]]
        self._assumptions: list[Term] = []
        self._outcome: Outcome | None = None
        self.seconds = 0.0

    # Assertions.

    def add(self, term: Term, name: str | None = None) -> None:
        """Asserts a term at the current level; named ones can be in a core."""
        if not term.sort.is_bool:
            raise UsageError(f"SmtSolver.add: the term has the sort {term.sort}, not Bool")
        self._levels[-1].append(_Assertion(term, name))
        self._outcome = None

    def push(self, levels: int = 1) -> None:
        """Opens levels."""
        self._levels += [[] for _ in range(levels)]
        self._outcome = None

    def pop(self, levels: int = 1) -> None:
        """Drops levels with what was asserted in them."""
        if levels >= len(self._levels):
            raise UsageError(f"SmtSolver.pop: {levels} levels, but there are {len(self._levels) - 1}")
        del self._levels[len(self._levels) - levels :]
        self._outcome = None

    def reset(self) -> None:
        """Drops all assertions and levels."""
        self.close()
        self._engine = make_engine(self._engine_name, self.terms)
        self._levels = [[]]
        self._outcome = None

    @property
    def num_levels(self) -> int:
        """How many levels are open."""
        return len(self._levels) - 1

    @property
    def assertions(self) -> list[Term]:
        """All terms asserted."""
        return [assertion.term for level in self._levels for assertion in level]

    # Answers.

    def check(self, assumptions: Sequence[Term] = ()) -> Status:
        """Can all assertions and assumptions be true: "sat", "unsat", or "unknown" if there is no answer.

        The reason of "unknown" is in `outcome`: the time was over, there are too many gates, or a solver
        process has failed.
        """
        self._assumptions = list(assumptions)
        for term in self._assumptions:
            if not term.sort.is_bool:
                raise UsageError(f"SmtSolver.check: an assumption has the sort {term.sort}, not Bool")
        self._outcome = None
        start = time.monotonic()
        hard, others = self._split()
        if self._stop.poll():
            outcome = stopped(self._stop)
        else:
            try:
                outcome = self._engine.check(hard, [*others, *self._assumptions], self._stop)
                self._check_model(outcome, [*hard, *others, *self._assumptions])
            except EngineError as error:
                outcome = Outcome("unknown", reason=str(error))
            except LimitError as error:
                outcome = stopped(self._stop) if self._stop.poll() else Outcome("unknown", reason=str(error))
        self._outcome = outcome
        self.seconds += time.monotonic() - start
        return outcome.status

    def _check_model(self, outcome: Outcome, everything: Sequence[Term]) -> None:
        if outcome.status != "sat":
            return
        assert outcome.model is not None
        if not all(outcome.model.values(everything, stop=self._stop)):
            raise RuntimeError(f"{outcome.engine}: the model does not make every assertion true")

    @property
    def outcome(self) -> Outcome | None:
        """The last check's, unless something was asserted or dropped since."""
        return self._outcome

    @property
    def model(self) -> Model:
        """The model of the last check. Raises UsageError if that was not "sat"."""
        if self._outcome is None or self._outcome.model is None:
            raise UsageError("there is no model: the last check was not sat")
        return self._outcome.model

    def values(self, terms: Sequence[Term]) -> list[BitVec]:
        """Values of terms in the model; those of Booleans are one bit."""
        return self.model.values(terms)

    def unsat_core(self) -> list[str]:
        """Names of assertions that cannot be true together with the unnamed ones and the assumptions.

        Raises:
            UsageError: The last check was not "unsat".
            LimitError: It was ended before there was a core.
        """
        self._need_unsat("core")
        named = [a for level in self._levels for a in level if a.name is not None]
        hard = [a.term for level in self._levels for a in level if a.name is None]
        chosen = self._checked_core([*hard, *self._assumptions], [a.term for a in named])
        return [named[place].name or "" for place in chosen]

    def unsat_assumptions(self) -> list[int]:
        """Numbers of assumptions of the last check that cannot be true together with the assertions.

        Raises:
            UsageError: The last check was not "unsat".
            LimitError: It was ended before there was an answer.
        """
        self._need_unsat("set of assumptions")
        return self._checked_core(self.assertions, self._assumptions)

    def close(self) -> None:
        """Ends solver processes. The object may be used again."""
        self._engine.close()

    def _need_unsat(self, what: str) -> None:
        if self._outcome is None or self._outcome.status != "unsat":
            raise UsageError(f"there is no {what}: the last check was not unsat")

    def _split(self) -> tuple[list[Term], list[Term]]:
        """What stays for good, and what may go or is named."""
        hard = [a.term for a in self._levels[0] if a.name is None]
        others = [a.term for i, level in enumerate(self._levels) for a in level if i or a.name is not None]
        return hard, others

    def _checked_core(self, fixed: Sequence[Term], candidates: Sequence[Term]) -> list[int]:
        """Numbers of candidates that cannot be true with `fixed`; found by one call, checked by another."""
        engine = make_engine(self._engine_name, self.terms)
        try:
            core = engine.core(fixed, candidates, self._stop)
            if core is not None:
                again = engine.check([], [*fixed, *(candidates[place] for place in core)], self._stop)
                if again.status == "sat":
                    raise RuntimeError("the core that was found is satisfiable")
                if again.status == "unsat":
                    return core
        finally:
            engine.close()
        raise LimitError("there is no core: the search for it was ended")
