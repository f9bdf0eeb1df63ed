"""Formulas and circuits decided: models hold, proofs are checked, time is kept."""

from __future__ import annotations

import random
import time
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dmt_dialect.cnf import clauses_of, cnf_from_clauses, write_cnf
from dmt_dialect.proof import check_proof
from dmt_dialect.smt import read_smtlib
from dmt_dialect.smt_clauses import terms_cnf
from dmt_dialect.solve import solve, solve_aig, solve_cnf
from dynomite import Aig
from dynomite._native.base import Stop
from dynomite.errors import LimitError, UsageError
from tests.support.generators import random_aig


def pigeons(holes: int) -> list[list[int]]:
    """One pigeon too many: hard for clauses."""
    clauses = [[p * holes + h + 1 for h in range(holes)] for p in range(holes + 1)]
    for hole in range(holes):
        for p in range(holes + 1):
            clauses += [[-(p * holes + hole + 1), -(q * holes + hole + 1)] for q in range(p)]
    return clauses


@pytest.mark.parametrize("engine", ["auto", "smt"])
@pytest.mark.parametrize("trial", range(6))
def test_formulas_against_all_points(engine: str, trial: int) -> None:
    rng = random.Random(trial)
    clauses = [
        [rng.choice((1, -1)) * rng.randrange(1, 7) for _ in range(3)] for _ in range(rng.randrange(10, 45))
    ]
    possible = any(
        all(any(point[abs(lit) - 1] == (lit > 0) for lit in clause) for clause in clauses)
        for point in product((False, True), repeat=6)
    )
    answer = solve_cnf(cnf_from_clauses(clauses, 7), engine=engine)  # type: ignore[arg-type]
    assert answer.status == ("sat" if possible else "unsat")
    if possible:
        assert answer.model is not None
        assert len(answer.model) == 7
        assert all(any(answer.model[str(abs(lit))] == (lit > 0) for lit in clause) for clause in clauses)
        assert next(answer.lines()) == "s SATISFIABLE"
        assert list(answer.lines())[-1].endswith(" 0")


def test_proofs_are_written_and_hold(tmp_path: Path) -> None:
    formula = tmp_path / "pigeons.cnf"
    write_cnf(cnf_from_clauses(pigeons(5)), formula)
    proof = tmp_path / "proof.drat"
    answer = solve(formula, proof=proof)
    assert answer.status == "unsat"
    assert answer.proof == (str(proof), f"{proof}.cnf")
    assert check_proof(proof).verified
    assert check_proof(proof, formula).verified


def test_no_proof_of_what_is_satisfiable(tmp_path: Path) -> None:
    answer = solve_cnf(cnf_from_clauses([[1, 2]]), proof=tmp_path / "x")
    assert (answer.status, answer.proof) == ("sat", ())
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("trial", range(8))
def test_circuits_against_all_points(trial: int) -> None:
    rng = random.Random(trial)
    aig = random_aig(rng, 5, 30, 3, latches=1, raw=True)
    for _ in range(rng.randrange(3)):
        aig.add_bad(aig.lit(rng.randrange(2 * len(aig))))
    if rng.random() < 0.5:
        aig.add_constraint(aig.lit(rng.randrange(2, 2 * len(aig))))
    wanted = aig.bad or aig.outputs
    from dynomite._native.witness import evaluate

    raws = np.array([lit.raw for lit in (*wanted, *aig.constraints)], dtype=np.uint32)
    possible = False
    for point in product((0, 1), repeat=6):
        values = evaluate(aig, np.array(point, dtype=np.uint8), raws).tolist()
        possible |= 1 in values[: len(wanted)] and all(values[len(wanted) :])
    answer = solve_aig(aig)
    assert answer.status == ("sat" if possible else "unsat")
    assert answer.assumptions == ("latches are cut: they may have any value",)
    if possible:
        assert answer.properties
        assert answer.model is not None
        assert len(answer.model) == 6


def test_circuit_proof(tmp_path: Path) -> None:
    aig = Aig()
    a, b, c = aig.add_inputs(["a", "b", "c"])
    aig.add_output(((a ^ b) ^ c) ^ (a ^ (b ^ c)))
    answer = solve_aig(aig, proof=tmp_path / "p")
    assert answer.status == "unsat"
    assert check_proof(tmp_path / "p").verified


def test_nothing_can_be_true_of_a_circuit_without_outputs() -> None:
    assert solve_aig(Aig()).status == "unsat"


@pytest.mark.parametrize("engine", ["auto", "smt"])
def test_time_is_kept(engine: str) -> None:
    start = time.monotonic()
    answer = solve_cnf(cnf_from_clauses(pigeons(12)), engine=engine, timeout=0.5)  # type: ignore[arg-type]
    assert (answer.status, answer.reason) == ("undecided", "timeout")
    assert time.monotonic() - start < 30
    stop = Stop()
    stop.cancel()
    assert solve_cnf(cnf_from_clauses(pigeons(12)), cancel=stop).reason == "interrupted"


def test_options_that_do_not_fit(tmp_path: Path) -> None:
    formula = tmp_path / "x.cnf"
    write_cnf(cnf_from_clauses([[1]]), formula)
    with pytest.raises(UsageError, match=r"\.smt2 files"):
        solve(formula, engine="circuit")
    with pytest.raises(UsageError, match="no proofs"):
        solve(formula, engine="smt", proof=tmp_path / "p")
    with pytest.raises(UsageError, match="engine must be"):
        solve(formula, engine="best")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="name of its format"):
        solve("-")
    script = tmp_path / "x.smt2"
    script.write_text("(check-sat)")
    for engine in ("circuit", "smt"):
        with pytest.raises(UsageError, match=f"the engine {engine} writes no proofs"):
            solve(script, engine=engine, proof=tmp_path / "p")  # type: ignore[arg-type]
    assert list(clauses_of(cnf_from_clauses([[1]]))) == [[1]]


DISTRIBUTION = """(set-logic QF_BV)
(declare-const a (_ BitVec 4)) (declare-const b (_ BitVec 4)) (declare-const c (_ BitVec 4))
(assert (distinct (bvmul a (bvadd b c)) (bvadd (bvmul a b) (bvmul a c))))
(push 1) (assert (= a #x3)) (check-sat) (pop 1) (check-sat)
"""


@pytest.mark.parametrize(
    "text",
    [
        DISTRIBUTION,
        "(assert false)(check-sat)",
        "(declare-const p Bool)(check-sat-assuming (p (not p)))",
        "(declare-const a (_ BitVec 8))(assert (bvult a #x05))(push 1)(assert (bvugt a #x08))"
        "(check-sat)(pop 1)",
        "(declare-const p Bool)(assert (! p :named n))(check-sat)(assert (not p))(check-sat)",
    ],
)
def test_proof_of_the_last_check_of_a_script(tmp_path: Path, text: str) -> None:
    script, proof = tmp_path / "x.smt2", tmp_path / "x.drat"
    script.write_text(text)
    answer = solve(script, proof=proof)
    assert (answer.status, answer.proof) == ("unsat", (str(proof), f"{proof}.cnf"))
    assert check_proof(proof).verified
    assert solve(f"{proof}.cnf").status == "unsat"


def test_no_proof_of_a_script_that_is_satisfiable_or_takes_too_long(tmp_path: Path) -> None:
    script, proof = tmp_path / "x.smt2", tmp_path / "x.drat"
    script.write_text("(declare-const p Bool)(push 1)(assert (and p (not p)))(check-sat)(pop 1)(check-sat)")
    answer = solve(script, proof=proof)
    assert (answer.status, answer.answers, answer.proof) == ("sat", ("unsat", "sat"), ())
    assert not proof.exists()


def test_clauses_of_terms_have_the_models_of_the_terms() -> None:
    text = b"(declare-const a (_ BitVec 4))(declare-const b (_ BitVec 4))(assert (= (bvmul a b) #xf))"
    script = read_smtlib(text)
    cnf = terms_cnf(script.terms, script.commands[-1].terms)
    assert solve_cnf(cnf).status == "sat"
    both = [*script.commands[-1].terms, *read_smtlib(b"(assert false)").commands[-1].terms]
    with pytest.raises(UsageError, match="another store"):
        terms_cnf(script.terms, both)
    stop = Stop()
    stop.cancel()
    with pytest.raises(LimitError, match="stopped"):
        terms_cnf(script.terms, script.commands[-1].terms, stop=stop)
