"""Expressions of pyeda against circuits, under all assignments."""

from __future__ import annotations

import random
from importlib import import_module
from itertools import product
from typing import Any

import numpy as np
import pytest

from dmt_dialect.expressions import aig_from_expressions, expressions_from_aig
from dynomite._native.witness import evaluate
from dynomite.errors import UsageError
from tests.support.generators import random_aig

pyeda: Any = pytest.importorskip("pyeda.boolalg.expr")


def same_everywhere(expressions: dict[str, Any], aig: Any) -> bool:
    names = [name or f"i{place}" for place, name in enumerate(aig.names("inputs"))]
    raws = np.array([lit.raw for lit in aig.outputs], dtype=np.uint32)
    for point in product((0, 1), repeat=len(names)):
        values = evaluate(aig, np.array(point, dtype=np.uint8), raws).tolist()
        where = {pyeda.exprvar(name): value for name, value in zip(names, point, strict=True)}
        for expression, value in zip(expressions.values(), values, strict=True):
            if bool(expression.restrict(where)) != bool(value):
                return False
    return True


@pytest.mark.parametrize(
    "text",
    [
        "a & (b | ~c)", "a ^ b ^ c", "ITE(a, b, ~c)", "Equal(a, b, c)", "a => b", "~(a & b)", "1", "0", "~a",
        "Or(And(a, ~b), Xor(a, c), Not(Or(b, c)))", "Majority(a, b, c)", "OneHot(a, b, c)",
    ],
)  # fmt: skip
def test_expressions_become_circuits(text: str) -> None:
    expressions = {"f": pyeda.expr(text, simplify=False), "g": pyeda.expr(f"~({text})", simplify=False)}
    aig = aig_from_expressions(expressions, inputs=("a", "b", "c"))
    assert aig.names("outputs") == ["f", "g"]
    assert same_everywhere(expressions, aig)


@pytest.mark.parametrize("trial", range(6))
def test_circuits_become_expressions_and_come_back(trial: int) -> None:
    aig = random_aig(random.Random(trial), 4, 25, 3, raw=trial % 2 == 0)
    expressions = expressions_from_aig(aig)
    assert same_everywhere(expressions, aig)
    again = aig_from_expressions(expressions, inputs=("i0", "i1", "i2", "i3"))
    assert same_everywhere(expressions, again)


def test_names_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    from dynomite import Aig

    aig = Aig()
    aig.add_output(aig.add_input("a[0]"))
    with pytest.raises(UsageError, match=r"a\[0\]"):
        expressions_from_aig(aig)
    with pytest.raises(UsageError, match="no pyeda expression"):
        aig_from_expressions({"f": 1})
    assert import_module("dmt_dialect.expressions").__doc__
