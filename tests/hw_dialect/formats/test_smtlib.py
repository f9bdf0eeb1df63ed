"""SMT-LIB written from netlists, checked with z3."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dynomite.errors import UsageError
from hw_dialect.builder import module
from hw_dialect.elaborate import elaborate, modules
from hw_dialect.formats.smtlib import smtlib_text, symbol, write_smtlib
from hw_dialect.simulate import simulate_words
from tests.hw_dialect.test_word_oracles import check_with_z3
from tests.support.every_operator import every_operator
from tests.support.smt_check import z3_answer
from tests.support.word_modules import random_stimuli


@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 33])
def test_every_operator(width: int, rng: random.Random) -> None:
    design = every_operator(width)
    net, info = elaborate(design), modules(design)[0]
    text = smtlib_text(net)
    stimuli = random_stimuli(rng, info.inputs, 6)
    stimuli[0]["b"] = 0
    stimuli[1] |= {"a": 1 << (width - 1), "b": (1 << width) - 1}
    for stimulus, outputs in zip(stimuli, simulate_words(net, stimuli).outputs, strict=True):
        check_with_z3(text, stimulus, info.inputs | info.outputs, outputs)


def test_every_operator_is_there() -> None:
    assert "bvsmod" in smtlib_text(elaborate(every_operator(4)))


@pytest.mark.parametrize(
    ("name", "shown"),
    [("a", "a"), ("u1/q", "u1/q"), ("a[0]", "|a[0]|"), ("ite", "|ite|"), ("1", "|1|"), ("a|b", "|a!b|")],
)
def test_symbols(name: str, shown: str) -> None:
    assert symbol(name) == shown


def test_state() -> None:
    with module("m") as m:
        a, en, rst = m.input("a", 3), m.input("en"), m.input("rst")
        q = m.reg("q", 4, enable=en, reset=rst, reset_value=9, init=6)
        q.next = q + 1
        mem = m.mem("words", 5, 4)
        mem.write(a, q, enable=q)
        m.output("d", mem.read(a))
        m.assume(en | rst, "moves")
        m.claim(q != 15, "never")
    text = smtlib_text(elaborate(m.design))
    assert "(set-logic QF_ABV)" in text
    for claim, answer in (
        ("(distinct q.init #x6)", "unsat"),
        ("(and (= q #x3) (= en #b1) (= rst #b0) (distinct q.next #x4))", "unsat"),
        ("(and (= rst #b1) (distinct q.next #x9))", "unsat"),
        ("(and (= rst #b0) (= en #b0))", "unsat"),
        ("(and never.holds (= q #xf))", "unsat"),
        ("(and (bvuge a #b101) (distinct d #x0))", "unsat"),
        (
            "(and (= q #b0011) (bvult a #b101) (distinct (select words.next a) (bvor (bvand d #xc) #x3)))",
            "unsat",
        ),
        ("(and (bvult a #b101) (= (select words.next a) #x7))", "sat"),
    ):
        assert z3_answer(f"{text}\n(assert {claim})") == answer, claim


def test_gates(tmp_path: Path) -> None:
    from dmt_dialect.formats.aiger import read_aiger

    aig = read_aiger(b"aag 3 2 0 1 1\n2\n4\n6\n6 2 5\ni0 a\ni1 b\no0 y\n")
    write_smtlib(aig, tmp_path / "m.smt2")
    assert (
        z3_answer((tmp_path / "m.smt2").read_text() + "(assert (distinct y (bvand a (bvnot b))))") == "unsat"
    )
    live = read_aiger(b"aag 1 1 0 1 0 0 0 0 1\n2\n2\n2\n")
    with pytest.raises(UsageError, match="justice"):
        write_smtlib(live, tmp_path / "m.smt2")
