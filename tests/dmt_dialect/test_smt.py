"""SMT-LIB scripts: responses as the standard has them, errors with their place, depth."""

from __future__ import annotations

import re
import time

import pytest

from dmt_dialect.smt import read_smtlib, run_script
from dynomite.errors import ParseError
from tests.support.patience import patience


def run(text: str, **options: object) -> list[str]:
    """What a script prints."""
    lines: list[str] = []
    run_script(text.encode(), write=lines.append, **options)  # type: ignore[arg-type]
    return lines


@pytest.mark.parametrize("engine", ["auto", "circuit", "sat", "smt"])
def test_levels_values_and_cores(engine: str) -> None:
    out = run(
        """
        (set-option :produce-unsat-cores true) (set-logic QF_BV)
        (declare-const a (_ BitVec 8)) (declare-fun b () (_ BitVec 3)) (declare-const |odd name| Bool)
        (assert (! (= a #x2a) :named first))
        (assert (! (bvult b (_ bv1 3)) :named second))
        (assert (! |odd name| :named third))
        (check-sat)
        (get-value (a b ; comment
          |odd name| (bvadd a   #x01)))
        (get-model)
        (push 1)
        (assert (! (= ((_ extract 3 0) a) #b0000) :named fourth))
        (check-sat) (get-unsat-core)
        (pop 1)
        (check-sat-assuming (|odd name| (not (= b #b000))))
        (get-unsat-assumptions)
        (get-assertions)
        """,
        engine=engine,
    )
    assert out == [
        "sat",
        "((a #x2a) (b #b000) (|odd name| true) ((bvadd a #x01) #x2b))",
        "(\n  (define-fun a () (_ BitVec 8) #x2a)\n  (define-fun b () (_ BitVec 3) #b000)\n"
        "  (define-fun |odd name| () Bool true)\n)",
        "unsat",
        "(first fourth)",
        "unsat",
        "((not (= b #b000)))",
        "((! (= a #x2a) :named first) (! (bvult b (_ bv1 3)) :named second) (! |odd name| :named third))",
    ]


def test_state_and_information() -> None:
    out = run(
        """
        (set-option :print-success true)
        (set-info :status sat)
        (declare-const p Bool)
        (get-info :name) (get-option :produce-models) (echo "a ""b"" c")
        (set-option :nothing 3)
        (check-sat)
        (get-info :assertion-stack-levels)
        (reset)
        (declare-const p (_ BitVec 4))
        (assert (distinct p #x0 #x1))
        (reset-assertions)
        (declare-const p Bool)
        (check-sat)
        (exit)
        """
    )
    assert out == [
        "success", "success", "success", '(:name "dynomite")', "true", '"a ""b"" c"', "unsupported", "sat",
        "(:assertion-stack-levels 0)", "sat",
    ]  # fmt: skip


def test_what_cannot_be_answered() -> None:
    lines: list[str] = []
    result = run_script(
        b"(declare-const p Bool)(assert p)(assert (not p))\n(check-sat)(get-model)\n(get-unsat-core)",
        write=lines.append,
    )
    assert lines[0] == "unsat"
    assert [line.startswith('(error "line ') for line in lines[1:]] == [True, True]
    assert [error.split(":")[0] for error in result.errors] == ["2", "3"]
    assert result.status == "unsat"


def test_definitions() -> None:
    out = run(
        """
        (define-sort Word () (_ BitVec 8))
        (define-const seven Word #x07)
        (define-fun twice ((x Word)) Word (bvadd x x))
        (define-fun four ((x Word)) Word (twice (twice x)))
        (declare-const a Word)
        (assert (let ((a (four a)) (b a)) (and (= a #x1c) (bvult b #x10))))
        (assert (! (= a seven) :named is7))
        (check-sat) (get-value (a is7)) (get-assignment)
        """
    )
    assert out == ["sat", "((a #x07) (is7 true))", "((is7 true))"]


ERRORS = {
    "(assert (= x y))": (1, 12, "there is no x"),
    "(declare-const a (_ BitVec 8))\n(assert (= a #x1))": (2, 14, r"\(_ BitVec 4\).*\(_ BitVec 8\)"),
    "(declare-const a (_ BitVec 8))\n(assert (bvadd a a))": (2, 9, r"\(_ BitVec 8\), not Bool"),
    "(declare-const a (_ BitVec 8))\n(assert (bvult a true))": (2, 18, "argument 2 has the sort Bool"),
    "(declare-const a (_ BitVec 0))": (1, 28, "width 0"),
    "(declare-const a (_ BitVec 99999999))": (1, 28, "2\\^24"),
    "(declare-const a (_ BitVec 99999999999999999999))": (1, 28, "too large"),
    "(declare-const a Int)": (1, 18, "no sort Int"),
    "(declare-const a Bool)(declare-fun a () Bool)": (1, 36, "declared already"),
    "(declare-const bvadd Bool)": (1, 16, "theory"),
    "(declare-const let Bool)": (1, 16, "reserved"),
    "(declare-fun f (Bool) Bool)": (1, 17, "QF_BV has no functions"),
    "(assert (and true))": (1, 9, "two or more"),
    "(assert (not true false))": (1, 9, "takes 1 argument, not 2"),
    "(assert ((_ extract 8 0) #xff))": (1, 9, "expected|extract"),
    "(assert (= #b1 ((_ extract 8 8) #xff)))": (1, 16, "bits 8 to 8"),
    "(assert (= #b1 (extract 8 8 #xff)))": (1, 17, "takes two indices"),
    "(assert (= #xff ((_ repeat 0) #xff)))": (1, 17, "1 or more"),
    "(assert (= (_ bv256 8) #xff))": (1, 15, "does not fit into 8 bits"),
    "(assert (= 3 #xff))": (1, 12, "numeral 3"),
    "(assert (forall ((x Bool)) x))": (1, 10, "quantifiers"),
    "(assert (let ((x true) (x false)) x))": (1, 25, "bound twice"),
    "(assert (let () true))": (1, 15, "'\\('"),
    "(assert true": (1, 13, "end of the file"),
    "(assert true))": (1, 14, "'\\('"),
    "assert": (1, 1, "command"),
    "(asert true)": (1, 2, "no command asert"),
    "(pop 1)": (1, 6, "pop of 1 level"),
    "(push 1)(pop 99999999999999999999)": (1, 14, "there is 1 level"),
    "(push 1000000000)": (1, 7, "more than"),
    "(set-logic LIA)": (1, 12, "LIA"),
    "(declare-const a |b": (1, 18, "no '\\|'"),
    '(echo "b': (1, 7, "no '\"'"),
    "(assert (= 007 1))": (1, 12, "no 0 in front"),
    "(assert (= #x #b1))": (1, 14, "hexadecimal digit"),
    "(assert \x01)": (1, 9, "byte 0x01"),
    "(declare-sort S 0)": (1, 2, "does not belong"),
    "(define-fun f ((x Bool)) (_ BitVec 2) x)": (1, 39, r"\(_ BitVec 2\).*Bool"),
    "(define-fun f ((x Bool)) Bool (! x :named y))": (1, 43, "parameters"),
    "(define-fun f ((x Bool)) Bool (f x))": (1, 32, "no function f"),
    "(define-fun f ((x Bool)) Bool x)(assert (f #b1))": (1, 44, r"\(_ BitVec 1\).*Bool"),
    "(define-fun f ((x Bool)) Bool x)(assert f)": (1, 41, "needs arguments"),
    "(set-option :produce-models 3)": (1, 13, "true or false"),
    "(get-value ())": (1, 13, "one or more"),
}  # fmt: skip


@pytest.mark.parametrize("text", ERRORS)
def test_errors_have_a_place(text: str) -> None:
    line, column, message = ERRORS[text]
    with pytest.raises(ParseError) as caught:
        read_smtlib(text.encode())
    assert re.search(message, caught.value.message), caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column), caught.value.message


def test_nothing_runs_before_all_is_read() -> None:
    lines: list[str] = []
    with pytest.raises(ParseError):
        run_script(b"(check-sat)\n(check-sat", write=lines.append)
    assert lines == []


@pytest.mark.parametrize("engine", ["auto", "sat"])
def test_deep_terms_and_let_chains(engine: str) -> None:
    deep = 100_000
    nested = "(bvnot " * deep + "a" + ")" * deep
    chain = "".join(f"(let ((x{i + 1} (bvadd x{i} a))) " for i in range(deep // 100))
    out = run(
        "(declare-const a (_ BitVec 4))(declare-const x0 (_ BitVec 4))"
        f"(assert (= {nested} #x5))(assert {chain} (= x{deep // 100} #x3) {')' * (deep // 100)})"
        "(check-sat)(get-value (a))",
        engine=engine,
    )
    assert out == ["sat", "((a #x5))"]


def test_functions_do_not_explode() -> None:
    lines = ["(define-fun f0 ((x (_ BitVec 8))) (_ BitVec 8) (bvadd (bvmul x x) #x01))"]
    lines += [
        f"(define-fun f{i} ((x (_ BitVec 8))) (_ BitVec 8) (f{i - 1} (f{i - 1} x)))" for i in range(1, 40)
    ]
    with pytest.raises(ParseError, match="expand to more than"):
        read_smtlib("\n".join(lines).encode())


def test_time_is_kept() -> None:
    text = "(declare-const a (_ BitVec 64))(declare-const b (_ BitVec 64))"
    text += "(assert (= (bvmul a b) #x7fffffffffffffe7))(assert (bvugt a #x0000000000000001))"
    text += "(assert (bvugt b #x0000000000000001))(assert (not (bvumulo a b)))"
    text += "(check-sat)(get-info :reason-unknown)"
    for engine in ("auto", "circuit", "sat", "smt"):
        assert run(text, engine=engine, timeout=0.7) == ["unknown", "(:reason-unknown timeout)"]


@pytest.mark.parametrize("width", [3_000, 1 << 24])
def test_too_many_gates_are_said_before_they_are_made(width: int) -> None:
    text = (
        f"(declare-const a (_ BitVec {width}))(assert (= a (bvmul a a)))(check-sat)(get-info :reason-unknown)"
    )
    start = time.monotonic()
    status, reason = run(text)
    assert status == "unknown"
    assert "more than 2^26 gates" in reason
    assert time.monotonic() - start < patience(5)
