"""And-inverter graphs as instructions, both ways, in text."""

from __future__ import annotations

import random

import pytest

import dynomite
from dmt_dialect.dmt_ops import DMT, aig_from_module, module_from_aig
from dynomite import Aig
from dynomite.errors import UsageError, VerifyError
from dynomite.ir import Context, Dialect, load, parse, print_module
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
    load(context, DMT)
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


def test_refusals() -> None:
    aig = Aig()
    aig.add_latch(0)
    with pytest.raises(UsageError, match="latches"):
        module_from_aig(aig)
    other = Dialect("other")
    other.op("THING", defs=1)
    context = loaded()
    load(context, other)
    with pytest.raises(VerifyError, match=r"other\.THING"):
        aig_from_module(parse("other.THING %0:def(dmt.node)", context))
