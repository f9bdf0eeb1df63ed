"""Formulas: DIMACS both ways, circuits as clauses against exhaustive simulation, clauses as circuits."""

from __future__ import annotations

import gzip
import io
import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dmt_dialect.cnf import (
    Cnf,
    Method,
    aig_to_cnf,
    clauses_of,
    cnf_from_clauses,
    cnf_to_aig,
    read_cnf,
    write_cnf,
)
from dynomite import Aig, Lit
from dynomite.errors import ParseError, UsageError
from tests.support.circuit_pairs import multiplier

METHODS: tuple[Method, ...] = ("tseitin", "plaisted-greenbaum", "cuts")


def text_of(cnf: Cnf, comment: str = "") -> bytes:
    stream = io.BytesIO()
    write_cnf(cnf, stream, comment=comment)
    return stream.getvalue()


def random_circuit(rng: random.Random, inputs: int, gates: int) -> Aig:
    aig = Aig()
    lits: list[Lit] = [aig.add_input() for _ in range(inputs)]
    for _ in range(gates):
        a, b = (lit if rng.random() < 0.5 else ~lit for lit in rng.choices(lits[-12:], k=2))
        lits.append(a ^ b if rng.random() < 0.3 else a & b)
    for lit in rng.choices(lits, k=3):
        aig.add_output(lit if rng.random() < 0.5 else ~lit)
    aig.add_output(aig.true)
    return aig


def satisfiable(clauses: list[list[int]], fixed: dict[int, bool]) -> bool:
    """By unit propagation alone: enough where inputs are fixed and gates have both directions."""
    values = dict(fixed)
    changed = True
    while changed:
        changed = False
        for clause in clauses:
            if any(values.get(abs(lit)) == (lit > 0) for lit in clause):
                continue
            left = [lit for lit in clause if abs(lit) not in values]
            if not left:
                return False
            if len(left) == 1:
                values[abs(left[0])] = left[0] > 0
                changed = True
    return True


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("trial", range(12))
def test_clauses_say_what_the_circuit_computes(method: Method, trial: int) -> None:
    rng = random.Random(trial)
    aig = random_circuit(rng, 5, rng.randrange(1, 40))
    encoded = aig_to_cnf(aig, method=method)
    variables, nodes = encoded.variables, encoded.nodes
    clauses = list(clauses_of(encoded.cnf))
    assert len(variables) == len(aig)
    assert encoded.cnf.num_variables == len(nodes)
    for variable, node in enumerate(nodes.tolist(), start=1):
        assert variables[node] == variable
    truth = aig.outputs
    for point in product((False, True), repeat=5):
        fixed = {
            int(variables[lit.raw >> 1]): value
            for lit, value in zip(aig.inputs, point, strict=True)
            if variables[lit.raw >> 1]
        }
        for output, value in zip(truth, outputs_at(aig, point), strict=True):
            variable = int(variables[output.raw >> 1])
            literal = -variable if output.is_complemented else variable
            assert satisfiable([*clauses, [literal]], fixed) == value
            if method != "plaisted-greenbaum":
                assert satisfiable([*clauses, [-literal]], fixed) != value


def outputs_at(aig: Aig, point: tuple[bool, ...]) -> list[bool]:
    values = [False] * len(aig)
    for lit, value in zip(aig.inputs, point, strict=True):
        values[lit.raw >> 1] = value
    rows = np.asarray(aig.fanins).tolist()
    for node, (a, b) in enumerate(rows):
        if a != 0xFFFFFFFF:
            values[node] = (values[a >> 1] ^ bool(a & 1)) and (values[b >> 1] ^ bool(b & 1))
    return [values[lit.raw >> 1] ^ lit.is_complemented for lit in aig.outputs]


def test_cuts_need_fewer_variables_and_clauses() -> None:
    aig = multiplier(6, columns_first=True)
    sizes = {method: aig_to_cnf(aig, method=method).cnf for method in METHODS}
    assert sizes["cuts"].num_variables < sizes["tseitin"].num_variables
    assert sizes["cuts"].num_clauses < sizes["tseitin"].num_clauses
    assert sizes["plaisted-greenbaum"].num_clauses <= sizes["tseitin"].num_clauses


@pytest.mark.parametrize("trial", range(20))
def test_formula_as_a_circuit(trial: int) -> None:
    rng = random.Random(trial)
    clauses = [
        [rng.choice((1, -1)) * rng.randrange(1, 6) for _ in range(rng.randrange(1, 4))]
        for _ in range(rng.randrange(0, 8))
    ]
    aig = cnf_to_aig(cnf_from_clauses(clauses, 5))
    for point in product((False, True), repeat=5):
        expected = all(any(point[abs(lit) - 1] == (lit > 0) for lit in clause) for clause in clauses)
        assert outputs_at(aig, point) == [expected]


def test_roundtrip_and_compression(tmp_path: Path) -> None:
    cnf = cnf_from_clauses([[1, -3], [], [2, 3, -1]], 9)
    text = text_of(cnf, "two\nlines")
    assert text == b"c two\nc lines\np cnf 9 3\n1 -3 0\n0\n2 3 -1 0\n"
    assert list(clauses_of(read_cnf(text))) == [[1, -3], [], [2, 3, -1]]
    assert read_cnf(text).num_variables == 9
    assert read_cnf(gzip.compress(text)).num_clauses == 3
    path = tmp_path / "x.cnf.xz"
    write_cnf(cnf, path)
    assert text_of(read_cnf(path), "two\nlines") == text


def test_clauses_over_lines_and_comments_between() -> None:
    cnf = read_cnf(b"c head\np cnf 3 2\n1\nc between\n -2 0 3\n0\nc end")
    assert list(clauses_of(cnf)) == [[1, -2], [3]]
    assert list(clauses_of(read_cnf(b"p cnf 1 1\n1 0\n%\n0\n\n"))) == [[1]]


ERRORS = {
    b"": (1, 1, "empty"),
    b"1 0\n": (1, 1, "header"),
    b"p cnf 2\n": (1, 8, "blank is expected"),
    b"p dnf 2 1\n": (1, 3, "cnf"),
    b"p cnf x 1\n": (1, 7, "number of variables"),
    b"p cnf 99999999999999999999 1\n": (1, 7, "too large"),
    b"p cnf 4294967296 0\n": (1, 1, "2\\^31"),
    b"p cnf 2 1 7\n": (1, 11, "two numbers"),
    b"p cnf 2 1\n1 3 0\n": (2, 3, "2 variables"),
    b"p cnf 2 1\n1 -0\n": (2, 3, "-0"),
    b"p cnf 2 1\n1 2\n": (2, 1, "no 0"),
    b"p cnf 2 1\n1 0 2 0\n": (2, 5, "clause 2"),
    b"p cnf 2 2\n1 0\n": (3, 1, "1 clause, but"),
    b"p cnf 2 1\n1 a 0\n": (2, 3, "'a'"),
    b"p cnf 2 1\n1a 0\n": (2, 2, "blank"),
    b"p cnf 2 1\n1 0\np cnf 1 1\n": (3, 1, "clause 2|second"),
    b"p cnf 1000000000 1000000000\n": (2, 1, "0 clauses"),
    b"p cnf 1 1\n1 0\n%\nx": (4, 1, "%"),
}


@pytest.mark.parametrize("text", ERRORS, ids=lambda text: text.decode().replace("\n", "/") or "empty")
def test_errors_have_a_place(text: bytes) -> None:
    line, column, message = ERRORS[text]
    with pytest.raises(ParseError, match=message) as caught:
        read_cnf(text)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_misuse() -> None:
    aig = Aig()
    aig.add_output(aig.add_input())
    with pytest.raises(UsageError, match="another circuit"):
        aig_to_cnf(Aig(), aig.outputs)
    with pytest.raises(UsageError, match="methods"):
        aig_to_cnf(aig, method="best")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="0 is no literal"):
        cnf_from_clauses([[1, 0]])
    with pytest.raises(UsageError, match="no 0"):
        Cnf().append(np.array([1], dtype=np.int32))


def test_deep_circuit() -> None:
    aig = Aig()
    a, lit = aig.add_input(), aig.add_input()
    for _ in range(100_000):
        lit = ~(a & lit) if lit.is_complemented else a ^ lit
    aig.add_output(lit)
    for method in METHODS:
        assert aig_to_cnf(aig, method=method).cnf.num_clauses > 0


def test_first_falsified() -> None:
    cnf = cnf_from_clauses([[1], [-2, 1], [2]])
    assert cnf.first_falsified(np.array([1, 1], dtype=np.uint8)) is None
    assert cnf.first_falsified(np.array([1], dtype=np.uint8)) == 2
    assert cnf.first_falsified(np.array([0, 0], dtype=np.uint8)) == 0
