"""Formulas as text, read and written."""

from __future__ import annotations

import random

import pytest

from dmt_dialect.bdd import Bdd, expressions, parse_expression, to_expression
from dynomite.errors import LimitError, ParseError
from tests.support.bdd_tables import NAMES, from_table, random_table


def test_operators_bind_as_told() -> None:
    bdd = Bdd()
    a, b, c = bdd.add_vars(["a", "b", "c"])
    for text, function in {
        "a & b | c": (a & b) | c,
        "a | b & c": a | (b & c),
        "~a & b": ~a & b,
        "!~a": a,
        "a ^ b & c": a ^ (b & c),
        "a | b ^ c": a | (b ^ c),
        "a => b => c": a.implies(b.implies(c)),
        "a -> b <-> c": a.implies(b).equiv(c),
        "a /\\ b \\/ c": (a & b) | c,
        "(a | b) & c": (a | b) & c,
        "ite(a, b | c, ite(b, ~c, true))": a.ite(b | c, b.ite(~c, True)),
        "~ite(a, b, c) & TRUE": ~a.ite(b, c),
        '"a" <=> false': ~a,
    }.items():
        assert parse_expression(bdd, text) == function, text


def test_random_functions_come_back(rng: random.Random) -> None:
    bdd = Bdd()
    bdd.declare(*NAMES)
    for _ in range(20):
        function = from_table(bdd, random_table(rng))
        assert parse_expression(bdd, to_expression(function)) == function
    assert (to_expression(bdd.true), to_expression(bdd.false)) == ("true", "false")


def test_odd_names_come_back() -> None:
    bdd = Bdd()
    variables = bdd.add_vars(["top.u0/data[3] (copy)", "ite", "3", "$abc"])
    function = bdd.true
    for variable in variables:
        function = function & variable
    assert parse_expression(bdd, to_expression(function)) == function


def test_deep_nesting() -> None:
    bdd = Bdd()
    (a,) = bdd.add_vars(["a"])
    assert parse_expression(bdd, "~(" * 50_000 + "a" + ")" * 50_000) == a


def test_variables_are_declared_on_request() -> None:
    bdd = Bdd()
    function = parse_expression(bdd, "new & other", declare=True)
    assert function.support == ("new", "other")


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("a & q", 5, "no variable 'q'"),
        ("a &", 4, "missing at the end"),
        ("", 1, "missing"),
        ("a b", 3, "operator is missing"),
        ("(a", 1, "not closed"),
        ("a)", 2, "unexpected"),
        ("a & & b", 5, "formula is missing"),
        ("a @ b", 3, "unexpected '@'"),
        ("ite(a, a)", 9, "three formulas"),
        ("ite(a, a, a, a)", 12, "three formulas"),
        ("ite & a", 1, "parentheses"),
        ("a, a", 2, "unexpected"),
    ],
)
def test_faults_are_located(text: str, column: int, message: str) -> None:
    bdd = Bdd()
    bdd.add_vars(["a", "b"])
    with pytest.raises(ParseError, match=message) as raised:
        parse_expression(bdd, text)
    assert (raised.value.line, raised.value.column) == (1, column)


def test_lines_are_counted() -> None:
    with pytest.raises(ParseError) as raised:
        parse_expression(Bdd(), "true &\n  nothing")
    assert (raised.value.line, raised.value.column) == (2, 3)


def test_length_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    bdd = Bdd()
    parity = bdd.false
    for variable in bdd.add_vars(12):
        parity = parity ^ variable.ite(bdd.true, bdd.false)
    monkeypatch.setattr(expressions, "MAX_LENGTH", 10)
    with pytest.raises(LimitError, match="10 characters"):
        to_expression(parity)
