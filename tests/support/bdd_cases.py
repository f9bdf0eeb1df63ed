"""The shared cases about decision diagrams: deep ones, and laws written as text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from dmt_dialect.bdd import Bdd, BddRef, parse_expression

SIGNS = {"and": "&", "or": "|", "xor": "^", "not": "~"}


def check_deep(path: Path) -> None:
    """The AND of many variables has a node each and one model, exactly."""
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    assert data["function"] == "AND of all"
    for reverse in (False, True):
        bdd = Bdd()
        variables = bdd.add_vars(data["vars"])
        function = bdd.true
        for variable in reversed(variables) if reverse else variables:
            function = function & variable
        assert len(function) - 1 == data["nodes"]
        assert function.count() == data["models"]
        assert (~function).count() == 2 ** data["vars"] - data["models"]


def check_laws(path: Path) -> None:
    """Each left side equals its right side, before and after the order is reversed."""
    checks: list[list[str]] = json.loads(path.read_text("utf-8"))["checks"]
    bdd = Bdd()
    bdd.declare("x", "y", "a", "b", "c")
    for _ in range(2):
        for left, right in checks:
            if left.startswith("count"):
                assert model_count(bdd, left) == int(right), left
            else:
                assert function_of(bdd, left) == function_of(bdd, right), left
        bdd.reorder(list(reversed(bdd.order)))


def function_of(bdd: Bdd, text: str) -> BddRef:
    """What a side of a law means."""
    quantified = re.fullmatch(r"(exists|forall) (\w+): (.*)", text)
    if quantified:
        kind, name, body = quantified.groups()
        function = function_of(bdd, body)
        return function.exist(name) if kind == "exists" else function.forall(name)
    equal = re.fullmatch(r"equal\((.*)\)", text)
    if equal:
        first, *others = (function_of(bdd, "true" if p == "1" else p) for p in equal[1].split(", "))
        result = bdd.true
        for other in others:
            result = result & first.equiv(other)
        return result
    return parse_expression(bdd, re.sub(r"\b(and|or|xor|not)\b", lambda m: SIGNS[m[1]], text))


def model_count(bdd: Bdd, text: str) -> int:
    """`count(FORMULA) over VARIABLES`."""
    match = re.fullmatch(r"count\((.*)\) over ([\w,]+)", text)
    assert match, text
    return function_of(bdd, match[1]).count(len(match[2].split(",")))
