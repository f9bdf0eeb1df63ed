"""Decision diagrams as instructions, both ways, in text."""

from __future__ import annotations

import itertools
import random

import pytest

import dynomite
from dmt_dialect.bdd import Bdd, BddRef
from dmt_dialect.dmt_aig import aig_from_module, module_from_aig
from dmt_dialect.dmt_bdd import (
    aig_to_bdd,
    bdd_from_module,
    bdd_to_aig,
    bdd_to_gates,
    gates_to_bdd,
    module_from_bdd,
)
from dmt_dialect.dmt_ops import DMT
from dmt_dialect.ops import OP
from dynomite import Aig
from dynomite.errors import UsageError, VerifyError
from dynomite.ir import Context, load, parse, print_module
from dynomite.passes import verify
from tests.support.generators import random_aig

TEXT = """dmt.INPUT %0:def(dmt.wire(2)) {name = "a"}
dmt.BDD_IN %1:def(dmt.bdd) %0 1
dmt.BDD_IN %2:def(dmt.bdd) %0 0
dmt.BDD_TRUE %3:def(dmt.bdd)
dmt.BDD_NOT %4:def(dmt.bdd) %3
dmt.BDD_NODE %5:def(dmt.bdd) %2 %3 %4
dmt.BDD_NODE %6:def(dmt.bdd) %1 %5 %4
dmt.BDD %7:def(dmt.wire(2)) %0 %6 %1 {name = "y"}
"""


def loaded() -> Context:
    context = Context()
    load(context, DMT, OP)
    return context


def test_text() -> None:
    """y[0] is the AND of both bits, y[1] is bit 1 of a; bit 1 is on top."""
    module = parse(TEXT, loaded())
    verify(module)
    bdd, functions = bdd_from_module(module)
    assert bdd.order == ("a[1]", "a[0]")
    high, low = bdd.var("a[1]"), bdd.var("a[0]")
    assert functions == {"y[0]": high & low, "y[1]": high}
    aig = bdd_to_aig(module)
    assert (aig.names("inputs"), aig.names("outputs")) == (["a[0]", "a[1]"], ["y[0]", "y[1]"])
    assert aig.outputs == (aig.inputs[0] & aig.inputs[1], aig.inputs[1])


@pytest.mark.parametrize("seed", range(12))
def test_there_and_back(seed: int) -> None:
    """Functions come back as the same nodes in the same manager, and as equal functions in another order."""
    rng = random.Random(seed)
    bdd = Bdd()
    variables = bdd.add_vars([f"x[{i}]" for i in range(6)])
    functions: dict[str, BddRef] = {}
    for name in ("f", "g[0]", "g[1]"):
        function = bdd.true
        for _ in range(12):
            other = rng.choice(variables)
            function = rng.choice((function & other, function ^ other, ~function | other))
        functions[name] = function
    text = print_module(module_from_bdd(bdd, functions))
    module = parse(text, loaded())
    verify(module)
    same, back = bdd_from_module(module, bdd=bdd)
    assert same is bdd
    assert back == functions
    other, there = bdd_from_module(module)
    assert other.order == bdd.order
    for values in itertools.product((False, True), repeat=6):
        given = dict(zip(bdd.vars, values, strict=True))
        assert [f.evaluate(given) for f in there.values()] == [f.evaluate(given) for f in functions.values()]
    assert other.node_count(there.values()) == bdd.node_count(functions.values())
    bdd.reorder(rng.sample(bdd.vars, 6))
    again, reordered = bdd_from_module(parse(print_module(module_from_bdd(bdd, functions)), loaded()))
    assert again.order == bdd.order
    assert [f.count() for f in reordered.values()] == [f.count() for f in functions.values()]


@pytest.mark.parametrize("seed", range(12))
def test_gates_to_diagrams_to_gates(seed: int) -> None:
    aig = random_aig(random.Random(seed), 6, 60, 5)
    gates = module_from_aig(aig, loaded())
    diagrams = gates_to_bdd(gates)
    verify(diagrams)
    assert not any(instr.name == "dmt.AND" for instr in diagrams.body)
    back = aig_from_module(bdd_to_gates(diagrams))
    assert dynomite.lec(aig, back, match="order").equivalent


def test_nodes_in_any_order_are_read() -> None:
    """A diagram that is not in its own order, with a variable below itself: still a function."""
    text = TEXT.replace("%1 %5 %4", "%1 %5 %2")  # if a1 then (if a0 then 1 else 0) else a0
    _, functions = bdd_from_module(parse(text, loaded()))
    assert functions["y[0]"] == functions["y[0]"].bdd.var("a[0]")


def test_constants_and_what_no_function_depends_on() -> None:
    aig = Aig()
    aig.add_input("a")
    aig.add_output(aig.true, "one")
    aig.add_output(aig.false, "zero")
    back = bdd_to_aig(aig_to_bdd(aig))
    assert back.outputs == (back.true, back.false)
    assert back.names("inputs") == ["a"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("%0 1", "%0 2", "no such bit"),
        ("%2 %3 %4", "%5 %3 %4", "%5"),
        ("%1 %5 %4", "%3 %5 %4", "must be a variable"),
        ("%1 %5 %4", "%1 %5 %5", "both branches are the same"),
        ("%0 %6 %1", "%6", "needs as many roots"),
        ("%0 %6 %1", "%0 %0 %1", "needs as many roots"),
        ("%0 %6 %1", "%6 %6 %1", "come wires, then roots"),
    ],
)
def test_verifier(old: str, new: str, message: str) -> None:
    with pytest.raises(Exception, match=message):
        verify(parse(TEXT.replace(old, new, 1), loaded()))


def test_refusals() -> None:
    with pytest.raises(VerifyError, match=r"dmt\.FALSE is no operation of decision diagrams"):
        bdd_from_module(parse("dmt.FALSE %0:def(dmt.node)", loaded()))
    with pytest.raises(VerifyError, match="has no bit"):
        bdd_from_module(parse(TEXT.replace("%0 1", "%0 5", 1), loaded()))
    twice = TEXT + 'dmt.BDD %8:def(dmt.wire(2)) %0 %6 %1 {name = "y"}\n'
    with pytest.raises(UsageError, match="two functions are called 'y\\[0\\]'"):
        bdd_from_module(parse(twice, loaded()))
    aig = Aig()
    aig.add_latch(0)
    with pytest.raises(UsageError, match="latches"):
        aig_to_bdd(aig)
    aig = Aig()
    aig.add_output(aig.true, "y")
    aig.add_output(aig.true, "y")
    with pytest.raises(UsageError, match="two outputs"):
        aig_to_bdd(aig)
