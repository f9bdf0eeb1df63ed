"""Every operator and random terms against z3: the same answers, and values that z3 agrees with."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmt_dialect.smt import Sort, Term, Terms, read_smtlib, run_script
from dmt_dialect.smt_solver import SmtSolver
from dynomite._native.word import WordOp

z3: Any = import_module("z3")

BINARY = [
    "bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor", "bvudiv", "bvurem",
    "bvsdiv", "bvsrem", "bvsmod", "bvshl", "bvlshr", "bvashr",
]  # fmt: skip
COMPARE = ["bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge", "=", "distinct"]
OVERFLOW = ["bvuaddo", "bvsaddo", "bvumulo", "bvsmulo", "bvusubo", "bvssubo", "bvsdivo"]
UNARY = [
    "bvnot", "bvneg", "(_ rotate_left 1)", "(_ rotate_right 5)", "(_ repeat 3)", "(_ zero_extend 2)",
    "(_ sign_extend 3)", "(_ sign_extend 0)", "(_ extract 0 0)", "bvredor", "bvredand",
]  # fmt: skip


def answer(text: str, engine: str = "auto") -> str:
    return run_script(text.encode(), engine=engine).status or ""  # type: ignore[arg-type]


def z3_answer(text: str) -> str:
    solver = z3.Solver()
    solver.from_string(text)
    return str(solver.check())


def table(operator: str, width: int, operands: int) -> dict[tuple[int, ...], int]:
    """All values of an operator, by z3's simplifier."""
    names = "ab"[:operands]
    points: dict[tuple[int, ...], int] = {}
    declarations = "".join(f"(declare-const {n} (_ BitVec {width}))" for n in names)
    term = z3.parse_smt2_string(
        f"{declarations}(assert (= ({operator} {' '.join(names)}) ({operator} {' '.join(names)})))"
    )
    expression = term[0].arg(0)
    variables = [z3.BitVec(n, width) for n in names]
    for number in range(1 << width * operands):
        point = tuple(number >> width * i & (1 << width) - 1 for i in range(operands))
        value = z3.simplify(
            z3.substitute(
                expression, *((v, z3.BitVecVal(p, width)) for v, p in zip(variables, point, strict=True))
            )
        )
        points[point] = int(z3.is_true(value)) if z3.is_bool(value) else value.as_long()
    return points


@pytest.mark.parametrize("operator", [*UNARY, *BINARY, *COMPARE, *OVERFLOW, "bvcomp", "concat", "bvnego"])
@pytest.mark.parametrize("width", [1, 2, 3])
def test_all_values_of_an_operator(operator: str, width: int) -> None:
    operands = 1 if operator in (*UNARY, "bvnego") else 2
    expected = table(operator, width, operands)
    names = "ab"[:operands]
    declarations = "".join(f"(declare-const {n} (_ BitVec {width}))" for n in names)
    script = read_smtlib(
        f"{declarations}(assert (= ({operator} {' '.join(names)}) ({operator} {' '.join(names)})))".encode()
    )
    term = script.commands[-1].terms[0].operands[0]
    variables = [command.terms[0] for command in script.commands[:-1]]
    check_points(script.terms, term, variables, expected)


def check_points(
    terms: Terms, term: Term, variables: list[Term], expected: dict[tuple[int, ...], int]
) -> None:
    """One solver, all points: the operator's gates give z3's value and cannot give another."""
    from dynomite._native.word import BitVec

    solver = SmtSolver(terms)
    for point, value in expected.items():
        fixed = [
            terms.op(WordOp.EQ, [v, terms.constant(BitVec(p, v.sort.width))])
            for v, p in zip(variables, point, strict=True)
        ]
        constant = (
            terms.boolean(bool(value))
            if term.sort.is_bool
            else terms.constant(BitVec(value, term.sort.width))
        )
        wrong = terms.op(WordOp.NE, [term, constant])
        assert solver.check([*fixed, wrong]) == "unsat", (point, value)
        assert solver.check([*fixed, terms.op(WordOp.EQ, [term, constant])]) == "sat", (point, value)


class TermText:
    """Random terms as text."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.widths = {f"x{i}": rng.choice((1, 2, 3, 5, 8)) for i in range(4)}

    def declarations(self) -> str:
        words = "".join(f"(declare-const {n} (_ BitVec {w}))" for n, w in self.widths.items())
        return f"{words}(declare-const p Bool)(declare-const q Bool)"

    def word(self, width: int, depth: int) -> str:
        rng = self.rng
        names = [name for name, w in self.widths.items() if w == width]
        if depth == 0 or rng.random() < 0.1:
            if names and rng.random() < 0.7:
                return rng.choice(names)
            return f"(_ bv{rng.choice((0, 1, rng.randrange(1 << width), (1 << width) - 1))} {width})"

        def sub(w: int = width) -> str:
            return self.word(w, depth - 1)

        choice = rng.randrange(9)
        if choice < 4:
            return f"({rng.choice(BINARY)} {sub()} {sub()})"
        if choice == 4:
            return f"(ite {self.truth(depth - 1)} {sub()} {sub()})"
        if choice == 5:
            extra = rng.randrange(1, 4)
            low = rng.randrange(extra + 1)
            return f"((_ extract {low + width - 1} {low}) {sub(width + extra)})"
        if choice == 6 and width > 1:
            cut = rng.randrange(1, width)
            kind = rng.randrange(3)
            if kind == 0:
                return f"(concat {sub(cut)} {sub(width - cut)})"
            return f"((_ {'zero_extend' if kind == 1 else 'sign_extend'} {cut}) {sub(width - cut)})"
        if choice == 7:
            return f"((_ {rng.choice(('rotate_left', 'rotate_right'))} {rng.randrange(10)}) {sub()})"
        if width == 1:
            return f"(bvcomp {sub(3)} {sub(3)})"
        return f"({rng.choice(('bvnot', 'bvneg'))} {sub()})"

    def truth(self, depth: int) -> str:
        rng = self.rng
        if depth <= 0:
            return rng.choice(("p", "q", "true", "false"))
        choice = rng.randrange(7)
        if choice < 3:
            width = rng.choice((1, 2, 3, 5, 8))
            name = rng.choice((*COMPARE, *COMPARE, *OVERFLOW))
            return f"({name} {self.word(width, depth - 1)} {self.word(width, depth - 1)})"
        if choice == 3:
            return f"(not {self.truth(depth - 1)})"
        if choice == 4:
            return f"(ite {self.truth(depth - 1)} {self.truth(depth - 1)} {self.truth(depth - 1)})"
        name = rng.choice(("and", "or", "xor", "=>", "=", "distinct"))
        return f"({name} {self.truth(depth - 1)} {self.truth(depth - 1)})"


@settings(max_examples=120, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_random_terms_agree_with_z3(seed: int) -> None:
    text = TermText(random.Random(seed))
    assertions = [text.truth(4) for _ in range(2)]
    script = text.declarations() + "".join(f"(assert {a})" for a in assertions)
    expected = z3_answer(script)
    lines: list[str] = []
    result = run_script(f"{script}(check-sat)".encode(), write=lines.append)
    assert result.status == expected
    if expected == "sat":  # z3 takes the model
        assert result.model is not None
        fixed = "".join(f"(assert (= {name} {value}))" for name, value in result.model.items())
        assert z3_answer(script + fixed) == "sat"


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_written_terms_mean_the_same(seed: int) -> None:
    text = TermText(random.Random(seed))
    term = text.truth(5)
    script = read_smtlib(f"{text.declarations()}(assert {term})".encode())
    root = script.commands[-1].terms[0]
    written = script.terms.to_smtlib([root]).decode()
    again = read_smtlib(written.encode())
    rewritten = again.terms.to_smtlib(
        [c.terms[0] for c in again.commands if len(c.texts) == 1 and c.terms and c.terms[0].sort.is_bool][-1:]
    ).decode()
    expected = z3_answer(f"{text.declarations()}(assert {term})")
    for once_more in (written, rewritten):
        assert z3_answer(once_more.replace("(check-sat)", "")) == expected == answer(once_more)


def test_long_chains_are_written_flat() -> None:
    terms = Terms()
    a = terms.variable("a", Sort.bits(8))
    chain = a
    for _ in range(20_000):
        chain = terms.op(WordOp.XOR, [terms.op(WordOp.ADD, [chain, a]), a])
    text = terms.to_smtlib([terms.op(WordOp.EQ, [chain, a])]).decode()
    depth = deepest = 0
    for c in text:
        depth += (c == "(") - (c == ")")
        deepest = max(deepest, depth)
    assert deepest < 100
    assert answer(text) == z3_answer(text.replace("(check-sat)", ""))
