"""Checks of the shared cases of the kinds `smt` and `sat`."""

from __future__ import annotations

import json
from functools import reduce
from pathlib import Path

from dmt_dialect.cnf import clauses_of, read_cnf
from dmt_dialect.smt import Sort, Term, Terms
from dmt_dialect.smt_engines import ENGINE_NAMES
from dmt_dialect.smt_solver import SmtSolver
from dynomite._native.word import WordOp
from tests.support.command import run_command
from tests.support.shared_data import Case


def check_smt(case: Case, folder: Path, scratch: Path) -> None:
    """The script's answer by every engine; models are checked by the program itself."""
    for engine in ENGINE_NAMES:
        done = run_command("solve", folder / case.files[0], "--engine", engine, folder=scratch)
        assert done.out.splitlines() == [case.expected], engine
        assert done.status == {"sat": 0, "unsat": 1}[case.expected]


def check_assumptions(case: Case, folder: Path) -> None:
    """A core has the assumptions' signs; the same solver goes on without them."""
    query = json.loads((folder / case.files[0]).read_text())
    names = sorted({abs(lit) for clause in query["clauses"] for lit in clause})
    terms = Terms()
    variables = {name: terms.variable(str(name), Sort.bool()) for name in names}

    def literal(lit: int) -> Term:
        return variables[lit] if lit > 0 else terms.op(WordOp.NOT, [variables[-lit]])

    for engine in ENGINE_NAMES:
        solver = SmtSolver(terms, engine=engine)
        for clause in query["clauses"]:
            solver.add(reduce(lambda a, b: terms.op(WordOp.OR, [a, b]), map(literal, clause)))
        assert solver.check([literal(lit) for lit in query["assumptions"]]) == query["status"]
        core = [query["assumptions"][place] for place in solver.unsat_assumptions()]
        assert core == query["core"], engine
        assert solver.check() == "sat"
        solver.close()


def check_formula(case: Case, folder: Path, scratch: Path) -> None:
    """A DIMACS file's answer, with a proof that holds."""
    proof = scratch / "proof.drat"
    done = run_command("solve", folder / case.files[0], "--proof", proof, folder=scratch)
    assert done.out == "s UNSATISFIABLE\n"
    assert done.status == 1
    assert case.data["status"] == "unsat"
    assert run_command("check-proof", proof, folder=scratch).status == 0
    assert list(clauses_of(read_cnf(folder / case.files[0]))) == [[1, -9], [-1, 9], [9, -9], []]
