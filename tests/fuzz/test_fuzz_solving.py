"""Short runs of damaged DIMACS and SMT-LIB files: read, or refused with a place; nothing else, and soon."""

from __future__ import annotations

import io
import os
import random
import resource
import time
from collections.abc import Callable

import pytest

from dmt_dialect.cnf import clauses_of, read_cnf, write_cnf
from dmt_dialect.smt import read_smtlib
from dynomite.errors import LimitError, ParseError
from tests.fuzz.mutations import mutate

SECONDS = float(os.environ.get("DYNOMITE_FUZZ_SECONDS", "5"))
LIMIT_SECONDS = 5.0
LIMIT_BYTES = 256 << 20

CNF_SEEDS = [
    b"c x\np cnf 9 4\n1 -9 0 -1\n9 0\n9 -9 0\n0\n",
    b"p cnf 3 2\n1 2 -3 0\n-1 0\n%\n0\n",
    b"p cnf 0 0\n",
]
SMT_SEEDS = [
    b"(set-logic QF_BV)(declare-const a (_ BitVec 8))(declare-fun |b c| () Bool)\n"
    b"(assert (! (let ((x (bvadd a #x01)) (y #b1)) "
    b"(ite |b c| (= x a) (bvult x ((_ rotate_left 3) a)))) :named n))\n"
    b"(push 1)(check-sat-assuming (n (not n)))(get-value (a))(pop 1)(get-model)(exit)",
    b"(define-sort W () (_ BitVec 4))(define-fun f ((x W) (y W)) W (bvmul x (bvudiv y (_ bv3 4))))\n"
    b"(declare-const v W); comment\n(assert (distinct (f v v) (f #x1 v) ((_ extract 4 1) (concat v #b1))))\n"
    b'(set-info :source "a ""b""")(set-option :produce-unsat-cores true)(check-sat)(get-unsat-core)(reset)',
    b'(assert (=> true false (xor true false) (and true true)))(echo "x")'
    b"(assert (= ((_ repeat 4) #b10) ((_ zero_extend 6) #b11) ((_ sign_extend 4) #xf)))",
]


def read_formula(data: bytes) -> None:
    cnf = read_cnf(data)
    stream = io.BytesIO()
    write_cnf(cnf, stream)
    assert list(clauses_of(read_cnf(stream.getvalue()))) == list(clauses_of(cnf))


def read_text(data: bytes) -> None:
    script = read_smtlib(data)
    roots = [term for command in script.commands for term in command.terms if term.sort.is_bool]
    written = script.terms.to_smtlib(roots[:20])
    read_smtlib(written)


@pytest.mark.parametrize(
    ("read", "seeds"), [(read_formula, CNF_SEEDS), (read_text, SMT_SEEDS)], ids=["cnf", "smt2"]
)
def test_reader_survives(read: Callable[[bytes], None], seeds: list[bytes], seed: int) -> None:
    deadline = time.monotonic() + SECONDS
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    number = refused = 0
    while time.monotonic() < deadline or number < 200:
        data = mutate(random.Random(f"{seed} {number}"), seeds)
        start = time.process_time()
        try:
            read(data)
        except (ParseError, LimitError):
            refused += 1
        except BaseException as error:
            raise AssertionError(f"seed {seed}, input {number}: {data!r}") from error
        assert time.process_time() - start < LIMIT_SECONDS, f"seed {seed}, input {number}: {data!r}"
        number += 1
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10
    assert grown < LIMIT_BYTES
    assert 0 < refused < number
