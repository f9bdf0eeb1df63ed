"""Expressions of pyeda in and out: Boolean expressions as circuits, circuits as expressions.

    f = expr("a & (b | ~c)")
    aig = aig_from_expressions({"f": f})
    expressions_from_aig(aig)["f"]

pyeda is imported when one of these is called; without it they raise UsageError.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dynomite.errors import UsageError

if TYPE_CHECKING:
    from dynomite._native.aig import Aig, Lit

__all__ = ["aig_from_expressions", "expressions_from_aig"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def _pyeda() -> Any:
    try:
        return import_module("pyeda.boolalg.expr")
    except ImportError as error:
        raise UsageError("pyeda is not installed: pip install pyeda") from error


def aig_from_expressions(expressions: Mapping[str, Any], *, inputs: tuple[str, ...] = ()) -> Aig:
    """A circuit with one output for each expression.

    Args:
        expressions: pyeda expressions by the names of the outputs.
        inputs: Names of inputs in the order wanted; other variables follow in the order of their names.

    Raises:
        UsageError: pyeda is missing, or something is no expression of it.

    Cost:
        Linear. Expressions may be deep: no recursion here, though pyeda has its own.
    """
    from dynomite._native.aig import Aig

    pyeda = _pyeda()
    for name, expression in expressions.items():
        if not isinstance(expression, pyeda.Expression):
            raise UsageError(
                f"aig_from_expressions: {name} is a {type(expression).__name__}, no pyeda expression"
            )
    variables = {str(v) for expression in expressions.values() for v in expression.support}
    aig = Aig()
    order = [*inputs, *sorted(variables - set(inputs))]
    named: dict[str, Lit] = dict(zip(order, aig.add_inputs(order), strict=True))
    for name, expression in expressions.items():
        aig.add_output(_build(pyeda, aig, expression, named), name)
    return aig


def _build(pyeda: Any, aig: Aig, root: Any, named: dict[str, Lit]) -> Lit:
    done: list[Lit] = []
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if isinstance(node, pyeda.Constant):
            done.append(aig.true if node.is_one() else aig.false)
        elif isinstance(node, pyeda.Complement):
            done.append(~named[str(~node)])
        elif isinstance(node, pyeda.Variable):
            done.append(named[str(node)])
        elif not ready:
            stack.append((node, True))
            stack += [(child, False) for child in reversed(node.xs)]
        else:
            count = len(node.xs)
            operands = done[len(done) - count :]
            del done[len(done) - count :]
            done.append(_apply(aig, node.ASTOP, operands))
    return done[0]


def _apply(aig: Aig, operator: str, operands: list[Lit]) -> Lit:
    match operator:
        case "not":
            return ~operands[0]
        case "and":
            return reduce(lambda a, b: a & b, operands, aig.true)
        case "or":
            return reduce(lambda a, b: a | b, operands, aig.false)
        case "xor":
            return reduce(lambda a, b: a ^ b, operands, aig.false)
        case "eq":
            every = reduce(lambda a, b: a & b, operands, aig.true)
            return every | ~reduce(lambda a, b: a | b, operands, aig.false)
        case "impl":
            return ~operands[0] | operands[1]
        case "ite":
            return operands[0].mux(operands[1], operands[2])
        case _:
            raise UsageError(f"aig_from_expressions: pyeda's operator {operator!r} is not known")


def expressions_from_aig(aig: Aig) -> dict[str, Any]:
    """An expression for each output, by its name ("o0", "o1"... for those without).

    Inputs and latches become variables of their names, or "i0", "l0"... Nothing is simplified, so equal parts
    are shared.

    Raises:
        UsageError: pyeda is missing, or a name is none for pyeda (letters, digits and _), or stands twice.
    """
    pyeda = _pyeda()
    nodes: list[Any] = [pyeda.Zero] * len(aig)
    seen: set[str] = set()
    for section, letter, literals in (("inputs", "i", aig.inputs), ("latches", "l", aig.latches)):
        for place, (name, literal) in enumerate(zip(aig.names(section), literals, strict=True)):
            shown = name or f"{letter}{place}"
            if not _NAME.match(shown) or shown in seen:
                why = "stands twice" if shown in seen else "cannot be a variable of pyeda"
                raise UsageError(f"expressions_from_aig: the name {shown!r} {why}")
            seen.add(shown)
            nodes[literal.raw >> 1] = pyeda.exprvar(shown)

    def value(literal: int) -> Any:
        node = nodes[literal >> 1]
        return pyeda.Not(node, simplify=False) if literal & 1 else node

    for node, (first, second) in enumerate(aig.fanins.tolist()):
        if first != 0xFFFFFFFF:
            nodes[node] = pyeda.And(value(first), value(second), simplify=False)
    names = aig.names("outputs")
    return {names[place] or f"o{place}": value(literal.raw) for place, literal in enumerate(aig.outputs)}
