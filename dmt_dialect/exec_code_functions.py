"""What the steps of execution graphs between circuits, questions and code do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast, get_args

from dmt_dialect.aig import Aig
from dmt_dialect.bdd.circuits import Order
from dmt_dialect.bitblast import BitVec
from dmt_dialect.buses import group_buses
from dmt_dialect.code_circuits import circuit_of_code, kind_of_code
from dmt_dialect.dmt_aig import module_from_aig
from dmt_dialect.dmt_bdd import aig_to_bdd
from dmt_dialect.problems import (
    Answer,
    module_from_problem,
    problem_from_script,
    read_problem,
    solve_problem,
)
from dmt_dialect.smt import read_smtlib, write_smtlib
from dmt_dialect.smt_engines import ENGINE_NAMES
from dmt_dialect.solve import solve_aig
from dynomite.errors import UsageError
from dynomite.exec.kinds import Code, Outcome, Task


def run_gates(task: Task) -> Outcome:
    """Turns a circuit into instructions."""
    aig: Aig = task.inputs[0]
    return Outcome(Code(module_from_aig(aig), None), stats={"ands": aig.num_ands})


def run_diagrams(task: Task) -> Outcome:
    """Turns a circuit into decision diagrams."""
    order = str(task.params["order"])
    if order not in get_args(Order):
        raise UsageError(f"dmt.exec.BDD: order must be one of {', '.join(get_args(Order))}, not {order!r}")
    timeout = float(task.params["timeout"])
    if timeout:
        task.stop.set_timeout(timeout)
    module = aig_to_bdd(task.inputs[0], order=cast("Order", order), stop=task.stop)
    nodes = sum(instr.name == "dmt.BDD_NODE" for instr in module.body)
    return Outcome(Code(module, None), stats={"nodes": nodes})


def run_solve(task: Task) -> Outcome:
    """Answers a question."""
    given, engine = task.inputs[0], str(task.params["engine"])
    timeout = float(task.params["timeout"]) or None
    if engine not in ENGINE_NAMES:
        raise UsageError(f"dmt.exec.SOLVE: engine must be one of {', '.join(ENGINE_NAMES)}, not {engine!r}")
    if isinstance(given, Code):
        if kind_of_code(given.module, given.instr) == "question":
            problem = read_problem(given.module, given.instr)
            answer = solve_problem(problem, engine=engine, timeout=timeout, cancel=task.stop)
            return _answered(answer, ())
        found = circuit_of_code(given.module, given.instr, stop=task.stop)
        given = found[0] if found is not None else None
    if not isinstance(given, Aig):
        raise UsageError(
            "dmt.exec.SOLVE: a question (dmt.VAR) or a circuit is needed; hw.exec.circuit makes one"
        )
    solution = solve_aig(given, engine=engine, timeout=timeout, cancel=task.stop)
    model = {name: BitVec(value, 1) for name, value in (solution.model or {}).items()}
    answer = Answer(
        solution.status,
        words_of_bits(model) if solution.model is not None else None,
        engine=", ".join(solution.engines),
        reason=solution.reason,
        seconds=solution.seconds,
    )
    return _answered(answer, solution.assumptions)


def _answered(answer: Answer, notes: tuple[str, ...]) -> Outcome:
    return Outcome(answer, stats={"status": answer.status}, final=answer.status != "undecided", notes=notes)


def words_of_bits(bits: Mapping[str, BitVec]) -> dict[str, BitVec]:
    """Values of `a[0]`, `a[1]`... as words; other names as they are."""
    values = list(bits.values())
    words: dict[str, BitVec] = {}
    for bus in group_buses(list(bits), "i"):
        value = sum(values[at].unsigned << bit for bit, at in enumerate(bus.positions))
        words[bus.name] = BitVec(value, len(bus.positions))
    return words


def run_read_smtlib(task: Task) -> Outcome:
    """Reads a script."""
    problem = problem_from_script(read_smtlib(str(task.inputs[0]), stop=task.stop))
    return Outcome(Code(module_from_problem(problem), None))


def run_write_smtlib(task: Task) -> Outcome:
    """Writes a script; assumptions are asserted, under their names."""
    given, path = task.inputs
    if not isinstance(given, Code) or kind_of_code(given.module, given.instr) != "question":
        raise UsageError("dmt.exec.write_smtlib: a question (dmt.VAR) is needed")
    problem = read_problem(given.module, given.instr)
    claims = [*problem.assertions, *problem.assumptions]
    write_smtlib(
        problem.terms, [claim.term for claim in claims], str(path), names=[claim.name for claim in claims]
    )
    notes = ("the assumptions are assertions in the script",) if problem.assumptions else ()
    return Outcome(notes=notes)
