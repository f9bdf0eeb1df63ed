"""And-inverter graphs as instructions, both ways, in text."""

from __future__ import annotations

import random

import pytest

import dynomite
from dmt_dialect.dmt_aig import aig_from_module, module_from_aig, read_region
from dmt_dialect.dmt_ops import DMT
from dmt_dialect.ops import OP
from dmt_dialect.origins import NodeOrigins
from dmt_dialect.passes.sweep import sweep_tracked
from dynomite import Aig
from dynomite._native.aig import first_difference
from dynomite.errors import UsageError, VerifyError
from dynomite.ir import Context, Dialect, Origin, load, parse, print_module
from dynomite.passes import verify
from tests.support.generators import random_aig

TEXT = """dmt.INPUT %0:def(dmt.wire(2)) {name = "a"}
dmt.AIG_IN %1:def(dmt.node) %0 0
dmt.AIG_IN %2:def(dmt.node) %0 1
dmt.NOT %3:def(dmt.node) %2
dmt.AND %4:def(dmt.node) %1 %3
dmt.AIG_OUT %5:def(dmt.wire(2)) %4 %2
dmt.AIG %5 %0 {name = "y"}
"""


def loaded() -> Context:
    context = Context()
    load(context, DMT, OP)
    return context


@pytest.mark.parametrize("trial", range(8))
def test_there_and_back(trial: int) -> None:
    aig = random_aig(random.Random(trial), 4, 40, 4, raw=trial % 2 == 0)
    module = module_from_aig(aig)
    verify(module)
    context = loaded()
    again = aig_from_module(parse(print_module(module), context))
    assert again.names("inputs") == aig.names("inputs")
    assert dynomite.lec(aig, again, match="order").equivalent


def test_text_with_wide_wires() -> None:
    module = parse(TEXT, loaded())
    verify(module)
    aig = aig_from_module(module)
    assert aig.names("inputs") == ["a[0]", "a[1]"]
    assert aig.names("outputs") == ["y[0]", "y[1]"]
    low, high = aig.inputs
    assert aig.outputs == (low & ~high, high)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [("%0 1", "%0 2", "no such bit"), ("%4 %2", "%4", "1 nodes for a wire of 2 bits")],
)
def test_verifier(old: str, new: str, message: str) -> None:
    with pytest.raises(VerifyError, match=message):
        verify(parse(TEXT.replace(old, new, 1), loaded()))


def test_latches_and_properties() -> None:
    """A counter that must not reach 3, unless it is kept from counting."""
    aig = Aig()
    up = aig.add_input("up")
    low, high = aig.add_latch(0, "low"), aig.add_latch(None, "high")
    aig.set_next(low, low ^ up)
    aig.set_next(high, high ^ (low & up))
    aig.add_output(high, "top")
    aig.add_bad(low & high, "three")
    aig.add_constraint(~up, "still")
    text = print_module(module_from_aig(aig))
    assert "op.ASSERT" in text
    assert "op.ASSUME" in text
    again = aig_from_module(parse(text, loaded()))
    assert first_difference(aig, again) is None
    assert again.resets == [0, None]


def test_a_latch_has_one_next_value() -> None:
    text = "dmt.LATCH %q:def(dmt.node)\n"
    with pytest.raises(VerifyError, match="no next value"):
        aig_from_module(parse(text, loaded()))
    twice = parse(text + "dmt.NEXT %q %q\ndmt.NEXT %q %q\n", loaded())
    with pytest.raises(VerifyError, match="several next values"):
        verify(twice)
    with pytest.raises(VerifyError, match="no latch"):
        aig_from_module(twice)


def test_origins_come_along() -> None:
    aig = Aig()
    a, b, c = (aig.add_input(name) for name in "abc")
    aig.add_output((a & b) & c)
    places = [(), (), (), (), (Origin("f", 1),), (Origin("f", 1), Origin("g", 2, 3))]
    module = module_from_aig(aig, origins=NodeOrigins.collect(places))
    text = print_module(module, locations=True)
    again, origins = read_region(parse(text, loaded()))
    assert first_difference(aig, again) is None
    assert [origins.of(node) for node in range(6)] == places
    assert origins.nodes_from([Origin("g", 2, 3)]).tolist() == [5]


def test_equal_gates_unite_their_origins() -> None:
    text = TEXT.replace("dmt.AIG_OUT", 'dmt.AND %6:def(dmt.node) %3 %1 loc("b":2:0)\ndmt.AIG_OUT', 1)
    text = text.replace("%1 %3\n", '%1 %3 loc("a":1:0)\n', 1)
    aig, origins = read_region(parse(text, loaded()))
    assert aig.num_ands == 1
    assert origins.of(3) == (Origin("a", 1), Origin("b", 2))


def test_origins_of_a_sweep() -> None:
    """One AND of three inputs made in two ways that hashing does not see: what is left has both origins."""
    aig = Aig()
    a, b, c = aig.add_input("a"), aig.add_input("b"), aig.add_input("c")
    first, second = (a & b) & c, a & (b & c)
    assert first != second
    aig.add_output(first)
    aig.add_output(second)
    places: list[tuple[Origin, ...]] = [()] * aig.num_nodes
    places[first.raw >> 1], places[second.raw >> 1] = (Origin("f"),), (Origin("s"),)
    swept, node_map, stats = sweep_tracked(aig)
    assert (stats.ands_after, swept.num_ands) == (2, 2)
    origins = NodeOrigins.collect(places).moved(node_map, swept.num_nodes)
    assert set(origins.of(swept.outputs[0].raw >> 1)) == {Origin("f"), Origin("s")}


def test_refusals() -> None:
    aig = Aig()
    aig.add_fairness(aig.add_input())
    with pytest.raises(UsageError, match="fairness"):
        module_from_aig(aig)
    with pytest.raises(UsageError, match="origins of 0 nodes"):
        module_from_aig(Aig(), origins=NodeOrigins.collect([]))
    other = Dialect("other")
    other.op("THING", defs=1)
    context = loaded()
    load(context, other)
    with pytest.raises(VerifyError, match=r"other\.THING"):
        aig_from_module(parse("other.THING %0:def(dmt.node)", context))
