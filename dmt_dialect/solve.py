"""Is it satisfiable? Formulas (DIMACS), SMT-LIB scripts, circuits.

    answer = solve("hard.cnf", timeout=60)
    print(answer.status, answer.model)

What is satisfiable comes with values that have been checked on the input as it was read: every clause, every
assertion, the circuit by simulation. A proof of unsatisfiability has been checked before it is reported.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.cnf import Cnf, clauses_of, read_cnf, write_cnf
from dmt_dialect.smt_engines import ENGINE_NAMES, EngineName
from dmt_dialect.solve_process import EngineError, SolverProcess
from dynomite._native import cnf as _cnf
from dynomite._native.base import Stop
from dynomite.errors import LimitError, UsageError
from dynomite.formats.base import detect_format, read_circuit
from dynomite.formats.compression import compression_of

if TYPE_CHECKING:
    from dynomite._native.aig import Aig

__all__ = ["Solution", "solve", "solve_aig", "solve_cnf"]

Kind = Literal["cnf", "smt2", "circuit"]
SolutionStatus = Literal["sat", "unsat", "undecided"]


@dataclass(frozen=True, slots=True)
class Solution:
    """The answer.

    Attributes:
        status: "sat", "unsat" or "undecided"; of a script, the answer to its last check.
        kind: "cnf", "smt2" or "circuit".
        model: After "sat", values that make it true: of variables "1", "2"... of a formula (0 or 1), of
            the constants of a script (as SMT-LIB writes them), of the inputs of a circuit and its latches
            (0 or 1).
        properties: Of a circuit, what is true then: names of bad states, or of outputs if it has none.
        answers: Of a script, the answers to all its checks.
        errors: Of a script, what could not be answered, with the place.
        assumptions: What was taken for granted.
        engines: Who answered.
        proof: Files of a proof of "unsat": the proof, and the clauses it refutes.
        reason: Why it is undecided.
        seconds: Time of all.
    """

    status: SolutionStatus
    kind: Kind
    model: dict[str, Any] | None = None
    properties: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    proof: tuple[str, ...] = ()
    reason: str = ""
    seconds: float = 0.0
    stats: dict[str, int | float] = field(default_factory=dict[str, "int | float"])

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {name: getattr(self, name) for name in self.__slots__}

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), indent=2)

    def lines(self) -> Iterator[str]:
        """What the command line prints for a formula (as solvers of the competitions do) or a circuit."""
        if self.kind == "cnf":
            yield {"sat": "s SATISFIABLE", "unsat": "s UNSATISFIABLE"}.get(self.status, "s UNKNOWN")
            if self.model is not None:
                yield from _value_lines(self.model)
            return
        if self.status == "sat":
            yield f"sat: {', '.join(self.properties)}"
            for name, value in (self.model or {}).items():
                yield f"  {name} = {value}"
        else:
            yield self.status if not self.reason else f"{self.status}: {self.reason}"
        for text in self.assumptions:
            yield f"assumed: {text}"


def _value_lines(model: dict[str, Any]) -> Iterator[str]:
    line = "v"
    for literal in [*(name if value else f"-{name}" for name, value in model.items()), "0"]:
        if len(line) + 1 + len(literal) > 78:
            yield line
            line = "v"
        line += f" {literal}"
    yield line


def kind_of(path: str | os.PathLike[str], fmt: str | None = None) -> Kind:
    """What a file is by its suffix, or by the format's name: "cnf", "smt2", or a circuit's."""
    name = fmt if fmt is not None else os.fspath(path)
    compression = compression_of(name)
    if compression:
        name = name[: -len(compression)]
    suffix = name.lower().rpartition(".")[2]
    if suffix in ("cnf", "dimacs"):
        return "cnf"
    if suffix in ("smt2", "smt"):
        return "smt2"
    if fmt is None and os.fspath(path) == "-":
        raise UsageError("standard input needs the name of its format: cnf, smt2, aag, aig...")
    detect_format(path, fmt)
    return "circuit"


def solve(
    path: str | os.PathLike[str],
    *,
    engine: EngineName = "auto",
    timeout: float | None = None,
    proof: str | os.PathLike[str] | None = None,
    fmt: str | None = None,
    cancel: Stop | None = None,
    write: Callable[[str], None] | None = None,
) -> Solution:
    """Decides a file: .cnf, .smt2, or a circuit of any known format, each also compressed.

    Of a circuit it is asked whether some bad state (some output, if it has none) can be 1 with all
    constraints 1; latches are cut, they may have any value.

    Args:
        path: The file; "-" is standard input.
        engine: "auto" or "sat": CaDiCaL (for scripts behind a solver on gates); "smt": z3; "circuit": the
            solver on gates alone, for scripts.
        timeout: Seconds after which it ends undecided.
        proof: File for a proof of "unsat" in DRAT text form, over the clauses in the same name with
            ".cnf" behind it; of a script, for what its last check refutes. Glucose is asked then:
            CaDiCaL's library has none.
        fmt: Name of the format, where the suffix does not say it.
        cancel: Its `cancel()` ends it undecided.
        write: Of a script, called with each of its responses.

    Raises:
        ParseError: The file is not what its format says.
        UsageError: An option does not fit, or a file cannot be read or written.
    """
    start = time.monotonic()
    if engine not in ENGINE_NAMES:
        raise UsageError(f"solve: engine must be one of {', '.join(ENGINE_NAMES)}, not {engine!r}")
    kind = kind_of(path, fmt)
    stop = Stop() if cancel is None else cancel
    if timeout is not None:
        if not timeout >= 0:
            raise UsageError(f"solve: timeout must not be negative, it is {timeout}")
        stop.set_timeout(timeout)
    if proof is not None and engine not in ("auto", "sat"):
        raise UsageError(f"solve: the engine {engine} writes no proofs; take auto or sat")
    if kind == "smt2":
        return _solve_script(path, engine, stop, write, start, proof)
    _check_clausal(engine, proof)
    try:
        if kind == "cnf":
            return solve_cnf(read_cnf(path, stop=stop), engine=engine, proof=proof, cancel=stop)
        return solve_aig(read_circuit(path, fmt, stop=stop), engine=engine, proof=proof, cancel=stop)
    except LimitError:
        if not stop.poll():
            raise
        return Solution("undecided", kind, reason=_why(stop), seconds=time.monotonic() - start)


def _check_clausal(engine: str, proof: object) -> None:
    if engine == "circuit":
        raise UsageError("solve: the engine circuit is for .smt2 files; take auto, sat or smt")
    if engine == "smt" and proof is not None:
        raise UsageError("solve: the engine smt writes no proofs; take auto or sat")


def _why(stop: Stop) -> str:
    return "timeout" if stop.reason == "deadline" else "interrupted"


def _solve_script(
    path: str | os.PathLike[str],
    engine: EngineName,
    stop: Stop,
    write: Callable[[str], None] | None,
    start: float,
    proof: str | os.PathLike[str] | None,
) -> Solution:
    from dmt_dialect.smt import read_smtlib, run_script
    from dmt_dialect.smt_clauses import terms_cnf

    proved: _Decided | None = None
    try:
        script = read_smtlib(path, stop=stop)
        result = run_script(script, engine=engine, cancel=stop, write=write)
        if proof is not None and result.status == "unsat":
            proved = _decide(terms_cnf(script.terms, result.refuted, stop=stop), "auto", proof, stop)
    except LimitError:
        if not stop.poll():
            raise
        return Solution("undecided", "smt2", reason=_why(stop), seconds=time.monotonic() - start)
    status: SolutionStatus = "undecided"
    reason = ""
    if result.status in ("sat", "unsat"):
        status = result.status
    elif result.status is None:
        reason = "no check"
    else:
        reason = _why(stop) if stop.poll() else result.reason
    if proved is not None and proved.status == "undecided":
        status, reason = "undecided", f"no proof: {proved.reason}"
    elif proved is not None and proved.status == "sat":
        raise RuntimeError(
            "the engines disagree: the clauses of what a script's check refutes are satisfiable"
        )
    return Solution(
        status,
        "smt2",
        model=result.model,
        answers=tuple(result.answers),
        errors=tuple(result.errors),
        engines=tuple(result.engines),
        proof=proved.proof if proved is not None else (),
        reason=reason,
        seconds=time.monotonic() - start,
    )


def solve_cnf(
    cnf: Cnf,
    *,
    engine: EngineName = "auto",
    timeout: float | None = None,
    proof: str | os.PathLike[str] | None = None,
    cancel: Stop | None = None,
) -> Solution:
    """Decides a formula; see `solve`.

    Example:
        >>> from dmt_dialect.cnf import cnf_from_clauses
        >>> solve_cnf(cnf_from_clauses([[1, 2], [-1]])).model  # doctest: +SKIP
        {'1': 0, '2': 1}
    """
    start = time.monotonic()
    _check_clausal(engine, proof)
    stop = Stop() if cancel is None else cancel
    if timeout is not None:
        stop.set_timeout(timeout)
    answer = _decide(cnf, engine, proof, stop)
    model = None
    if answer.values is not None:
        model = {str(i + 1): int(value) for i, value in enumerate(answer.values)}
    return Solution(
        answer.status,
        "cnf",
        model=model,
        engines=answer.engines,
        proof=answer.proof,
        reason=answer.reason,
        seconds=time.monotonic() - start,
        stats=answer.stats,
    )


def solve_aig(
    aig: Aig,
    *,
    engine: EngineName = "auto",
    timeout: float | None = None,
    proof: str | os.PathLike[str] | None = None,
    cancel: Stop | None = None,
) -> Solution:
    """Can some bad state (some output, if there is none) be 1 with all constraints 1? Latches are cut."""
    from dynomite._native.witness import evaluate

    start = time.monotonic()
    _check_clausal(engine, proof)
    stop = Stop() if cancel is None else cancel
    if timeout is not None:
        stop.set_timeout(timeout)
    section = "bad" if aig.bad else "outputs"
    wanted = aig.bad or aig.outputs
    notes: list[str] = []
    if aig.latches:
        notes.append("latches are cut: they may have any value")
    raws = np.array([lit.raw for lit in (*wanted, *aig.constraints)], dtype=np.uint32)
    encoded = _cnf.encode(aig, raws, "cuts", stop=stop)
    cnf, variables = encoded.cnf, encoded.variables
    literals = np.where(raws & 1, -1, 1) * variables[raws >> 1].astype(np.int64)
    question = [*literals[: len(wanted)].tolist(), 0]
    for literal in literals[len(wanted) :].tolist():
        question += [literal, 0]
    cnf.append(np.array(question, dtype=np.int32))
    answer = _decide(cnf, engine, proof, stop)
    model: dict[str, Any] | None = None
    properties: tuple[str, ...] = ()
    if answer.values is not None:
        inputs, named = _input_values(aig, variables, answer.values)
        shown = evaluate(aig, inputs, raws)
        true = [i for i in range(len(wanted)) if shown[i] == 1]
        if not true or not (shown[len(wanted) :] == 1).all():
            raise RuntimeError("the solver's values do not make the circuit's properties true")
        model = named
        names = aig.names(section)
        properties = tuple(names[i] or f"{section[0]}{i}" for i in true)
    return Solution(
        answer.status,
        "circuit",
        model=model,
        properties=properties,
        assumptions=tuple(notes),
        engines=answer.engines,
        proof=answer.proof,
        reason=answer.reason,
        seconds=time.monotonic() - start,
        stats=answer.stats,
    )


def _input_values(
    aig: Aig, variables: NDArray[np.uint32], values: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], dict[str, int]]:
    """Values of inputs and latches, as an array and by name."""
    found: list[int] = []
    named: dict[str, int] = {}
    for section, letter, literals in (("inputs", "i", aig.inputs), ("latches", "l", aig.latches)):
        names = aig.names(section)
        for place, literal in enumerate(literals):
            variable = int(variables[literal.raw >> 1])
            found.append(int(values[variable - 1]) if variable else 0)
            named[names[place] or f"{letter}{place}"] = found[-1]
    return np.array(found, dtype=np.uint8), named


@dataclass(frozen=True, slots=True)
class _Decided:
    status: SolutionStatus
    values: NDArray[np.uint8] | None = None
    engines: tuple[str, ...] = ()
    proof: tuple[str, ...] = ()
    reason: str = ""
    stats: dict[str, int | float] = field(default_factory=dict[str, "int | float"])


def _decide(cnf: Cnf, engine: str, proof: str | os.PathLike[str] | None, stop: Stop) -> _Decided:
    name = "z3" if engine == "smt" else "cadical" if proof is None else "glucose"
    process = SolverProcess(name)
    try:
        if stop.poll():
            answer = None
        elif name == "z3":
            answer = process.ask(_z3_message(cnf), _z3_text(cnf), stop)
        else:
            message: dict[str, Any] = {
                "variables": cnf.num_variables,
                "assumptions": [],
                "proof": proof is not None,
            }
            answer = process.ask(message, cnf.data.tobytes(), stop)
    except EngineError as error:
        return _Decided("undecided", engines=(name,), reason=str(error))
    finally:
        process.close()
    if answer is None:
        return _Decided("undecided", engines=(name,), reason=_why(stop))
    head, data = answer
    stats: dict[str, int | float] = head.get("stats", {})
    if head["status"] == "unknown":
        return _Decided("undecided", engines=(name,), reason=str(head["reason"]))
    if head["status"] == "unsat":
        files = () if proof is None else _write_proof(cnf, os.fspath(proof), data, stop)
        return _Decided("unsat", engines=(name,), proof=files, stats=stats)
    if name == "z3":
        values = np.array([int(value, 16) for value in head["values"]], dtype=np.uint8)
    else:
        values = np.unpackbits(np.frombuffer(data, dtype=np.uint8), bitorder="little")[: cnf.num_variables]
    wrong = cnf.first_falsified(values)
    if wrong is not None:
        raise RuntimeError(f"{name}: its values do not satisfy clause {wrong + 1}")
    return _Decided("sat", values, (name,), stats=stats)


def _write_proof(cnf: Cnf, path: str, text: bytes, stop: Stop) -> tuple[str, ...]:
    from dmt_dialect.proof import check_proof

    files = (path, f"{path}.cnf")
    try:
        Path(path).write_bytes(text)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
    write_cnf(cnf, files[1])
    check = check_proof(*files, stop=stop)
    if check.result == "rejected":
        for file in files:
            Path(file).unlink(missing_ok=True)
        raise RuntimeError(f"glucose: its proof does not hold: {check.reason}")
    return files


def _z3_message(cnf: Cnf) -> dict[str, Any]:
    return {"assumptions": [], "constants": [[f"v{i + 1}", 0] for i in range(cnf.num_variables)]}


def _z3_text(cnf: Cnf) -> bytes:
    lines = [f"(declare-const v{i + 1} Bool)" for i in range(cnf.num_variables)]
    for clause in clauses_of(cnf):
        literals = " ".join(f"v{lit}" if lit > 0 else f"(not v{-lit})" for lit in clause)
        lines.append(f"(assert (or {literals} false))")
    return "\n".join(lines).encode()
