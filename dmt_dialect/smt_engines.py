"""Engines that decide bit-vector terms, behind one interface: bit-blasting and SAT, or z3.

Terms are simplified and turned into gates in this process; a solver that works on the gates takes what is
easy, and what resists goes to CaDiCaL as clauses. CaDiCaL and z3 run in a process that can be ended at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from dmt_dialect.solve_process import SolverProcess
from dynomite._native.smt import Circuit, Model, Term, Terms
from dynomite._native.word import BitVec
from dynomite.errors import LimitError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dynomite._native.base import Stop

Status = Literal["sat", "unsat", "unknown"]
EngineName = Literal["auto", "circuit", "sat", "smt"]
ENGINE_NAMES: tuple[EngineName, ...] = ("auto", "circuit", "sat", "smt")

EASY_CONFLICTS = 2_000
"""The solver on gates may meet so many conflicts before CaDiCaL is asked."""
EASY_LITERALS = 5_000
"""With more assumptions than this the clauses go to CaDiCaL at once."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an engine says.

    Attributes:
        status: "sat", "unsat" or "unknown".
        model: Of "sat": values of the variables, not checked yet.
        engine: Who found it: "structure", "circuit", "cadical", "z3".
        reason: Of "unknown": "timeout", "canceled", "incomplete" or what the engine says.
    """

    status: Status
    model: Model | None = None
    engine: str = "structure"
    reason: str = ""
    stats: dict[str, int | float] = field(default_factory=dict[str, "int | float"])


class TermEngine(Protocol):
    """Decides conjunctions of Boolean terms of one store."""

    def check(self, hard: Sequence[Term], assumed: Sequence[Term], stop: Stop) -> Outcome:
        """Can all of them be true? `hard` terms will be in every later call of this engine, too."""
        ...

    def core(self, hard: Sequence[Term], assumed: Sequence[Term], stop: Stop) -> list[int] | None:
        """Numbers of some of `assumed` that cannot be true with `hard`; None if it ends without an answer."""
        ...

    def close(self) -> None:
        """Ends what it has started."""
        ...


def make_engine(name: str, terms: Terms) -> TermEngine:
    """The engine of this name: "auto", "circuit", "sat" or "smt"."""
    if name == "smt":
        return Z3Engine(terms)
    if name not in ENGINE_NAMES:
        raise UsageError(f"the engines are {', '.join(ENGINE_NAMES)}, not {name!r}")
    return BlastEngine(terms, circuit=name != "sat", cadical=name != "circuit")


def stopped(stop: Stop) -> Outcome:
    """The outcome of a run that `stop` ended."""
    return Outcome("unknown", reason="timeout" if stop.reason == "deadline" else "canceled")


class BlastEngine:
    """Bit-blasting, then SAT.

    Args:
        terms: The store.
        circuit: Ask the solver on gates.
        cadical: Ask CaDiCaL. With both, the first has `EASY_CONFLICTS`.
    """

    def __init__(self, terms: Terms, *, circuit: bool = True, cadical: bool = True) -> None:
        self._circuit = Circuit(terms)
        self._use_circuit = circuit
        self._cadical = SolverProcess("cadical") if cadical else None
        self._unsent: list[NDArray[np.int32]] = []
        self._sent: list[NDArray[np.int32]] = []
        self._units: set[int] = set()

    @property
    def circuit(self) -> Circuit:
        """The gates."""
        return self._circuit

    def check(self, hard: Sequence[Term], assumed: Sequence[Term], stop: Stop) -> Outcome:
        """See `TermEngine.check`."""
        literals = self._literals([*hard, *assumed], stop)
        if literals is None:
            return stopped(stop)
        if (literals == 0).any():
            return Outcome("unsat")
        left = np.unique(literals[literals != 1])
        if not len(left):
            return Outcome("sat", self._circuit.model_of(np.zeros(0, dtype=np.uint8)))
        if self._use_circuit and (self._cadical is None or len(left) <= EASY_LITERALS):
            limit = EASY_CONFLICTS if self._cadical is not None else 2**62
            answer = self._circuit.solve(left, limit, stop=stop)
            if answer == "sat":
                return Outcome("sat", self._circuit.model(), "circuit")
            if answer == "unsat":
                return Outcome("unsat", engine="circuit")
        if stop.poll() or self._cadical is None:
            return stopped(stop)
        count = len(hard)
        answer_of_cadical = self._ask(literals[:count], literals[count:], stop)
        if answer_of_cadical is None:
            return stopped(stop)
        head, data = answer_of_cadical
        if head["status"] == "unsat":
            return Outcome("unsat", engine="cadical", stats=head["stats"])
        values = np.unpackbits(np.frombuffer(data, dtype=np.uint8), bitorder="little")
        return Outcome("sat", self._circuit.model_of(values), "cadical", stats=head["stats"])

    def core(self, hard: Sequence[Term], assumed: Sequence[Term], stop: Stop) -> list[int] | None:
        """See `TermEngine.core`."""
        literals = self._literals([*hard, *assumed], stop)
        if literals is None:
            return None
        if (literals[: len(hard)] == 0).any():
            return []
        own = literals[len(hard) :]
        if (own == 0).any():
            return [int(np.argmax(own == 0))]
        if self._cadical is None:
            return self._shrunk(literals[: len(hard)], own, stop)
        answer = self._ask(literals[: len(hard)], own, stop)
        if answer is None:
            return None
        head, _ = answer
        if head["status"] != "unsat":
            raise RuntimeError("the engines disagree: a core was asked of something satisfiable")
        chosen = set(head["core"])
        wanted = self._circuit.cnf_literals(own[own != 1]).tolist()
        places = np.flatnonzero(own != 1).tolist()
        found: dict[int, int] = {}
        for place, literal in zip(places, wanted, strict=True):
            if literal in chosen:
                found.setdefault(literal, place)
        return sorted(found.values())

    def _shrunk(self, hard: NDArray[np.uint32], own: NDArray[np.uint32], stop: Stop) -> list[int] | None:
        """A core without CaDiCaL: leaves out one after another."""
        kept = list(range(len(own)))
        for place in range(len(own)):
            trial = [p for p in kept if p != place]
            literals = np.unique(np.concatenate([hard, own[trial]]))
            if self._circuit.solve(literals[literals != 1], EASY_CONFLICTS, stop=stop) == "unsat":
                kept = trial
            if stop.poll():
                return None
        return kept

    def close(self) -> None:
        """See `TermEngine.close`."""
        if self._cadical is not None:
            self._cadical.close()

    def _literals(self, terms: Sequence[Term], stop: Stop) -> NDArray[np.uint32] | None:
        return self._circuit.literals(terms, stop=stop)

    def _ask(
        self, hard: NDArray[np.uint32], assumed: NDArray[np.uint32], stop: Stop
    ) -> tuple[dict[str, Any], bytes] | None:
        """CaDiCaL's answer; what it has not been told before is sent along."""
        assert self._cadical is not None
        hard, assumed = hard[hard != 1], assumed[assumed != 1]
        try:
            fresh = self._circuit.encode(np.concatenate([hard, assumed]), stop=stop)
        except LimitError:
            if stop.poll():
                return None
            raise
        self._unsent.append(fresh.data)
        units: list[int] = []
        for literal in self._circuit.cnf_literals(hard).tolist():
            if literal not in self._units:
                self._units.add(literal)
                units += [literal, 0]
        self._unsent.append(np.array(units, dtype=np.int32))
        if not self._cadical.running:  # a new process knows nothing
            self._unsent = self._sent + self._unsent
            self._sent = []
        payload = np.concatenate(self._unsent)
        message = {
            "variables": self._circuit.stats["variables"],
            "assumptions": list(dict.fromkeys(self._circuit.cnf_literals(assumed).tolist())),
        }
        self._sent += self._unsent
        self._unsent = []
        return self._cadical.ask(message, payload.tobytes(), stop)


class Z3Engine:
    """z3 on the terms as SMT-LIB text; every check starts anew."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._process = SolverProcess("z3")

    def check(self, hard: Sequence[Term], assumed: Sequence[Term], stop: Stop) -> Outcome:
        """See `TermEngine.check`."""
        answer = self._ask([*hard, *assumed], [], stop)
        if answer is None:
            return stopped(stop)
        head, variables = answer
        if head["status"] == "unknown":
            return Outcome("unknown", engine="z3", reason=head["reason"])
        if head["status"] == "unsat":
            return Outcome("unsat", engine="z3")
        model = Model(self._terms)
        for variable, value in zip(variables, head["values"], strict=True):
            model.set(variable, BitVec(int(value, 16), variable.sort.width))
        return Outcome("sat", model, "z3")

    def core(self, hard: Sequence[Term], assumed: Sequence[Term], stop: Stop) -> list[int] | None:
        """See `TermEngine.core`."""
        answer = self._ask(hard, assumed, stop)
        if answer is None or answer[0]["status"] == "unknown":
            return None
        if answer[0]["status"] != "unsat":
            raise RuntimeError("the engines disagree: a core was asked of something satisfiable")
        return sorted(int(name.removeprefix(_GUARD)) for name in answer[0]["core"])

    def close(self) -> None:
        """See `TermEngine.close`."""
        self._process.close()

    def _ask(
        self, plain: Sequence[Term], guarded: Sequence[Term], stop: Stop
    ) -> tuple[dict[str, Any], list[Term]] | None:
        """The answer, and the variables whose values it has; a guarded term holds if its guard does."""
        try:
            text, variables = self._terms.to_z3(plain, guarded, stop=stop)
        except LimitError:
            if stop.poll():
                return None
            raise
        message = {
            "assumptions": [f"{_GUARD}{place}" for place in range(len(guarded))],
            "constants": [[f"v!{v.index}", 0 if v.sort.is_bool else v.sort.width] for v in variables],
        }
        answer = self._process.ask(message, text, stop)
        return None if answer is None else (answer[0], variables)


_GUARD = "guard!"
