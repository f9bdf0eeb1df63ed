"""Inlining keeps what a netlist does, and its names."""

from __future__ import annotations

import random
from typing import Any

import pytest

import dynomite
from dynomite.errors import LimitError, VerifyError
from dynomite.ir import Module, parse, print_module
from dynomite.passes.verify import verify
from hw_dialect.builder import Design, context
from hw_dialect.elaborate import elaborate, lower
from hw_dialect.passes.inline import Inline, InlineParams
from tests.hw_dialect.test_elaborate import FULL_ADDER
from tests.support.shared_data import REPOSITORY
from tests.support.word_modules import random_design


def inlined(module: Module, top: str) -> Module:
    """The module after the pass, verified."""
    Inline(InlineParams())(module)
    verify(module)
    assert "hw.INSTANCE" not in print_module(module)
    elaborate(module, top)
    return module


def test_names_and_function() -> None:
    text = "using op\nusing hw\n" + FULL_ADDER
    module = parse(text, context(), path="a.dyno", locations=True)
    before = lower(module, "full")
    after = inlined(parse(text, context(), path="a.dyno", locations=True), "full")
    assert dynomite.lec(before, lower(after, "full")).equivalent
    printed = print_module(after)
    assert 'op.XOR %"h0/s":def(hw.wire(1)) %a %b' in printed
    assert 'op.XOR %"h1/s":def(hw.wire(1)) %"h0/s" %ci' in printed
    xor = next(i for i in after.instrs() if i.defs and i.result.name == "h1/s")
    assert [place.line for place in xor.location] == [7, 17]


def test_examples() -> None:
    source = (REPOSITORY / "examples" / "words.dyno").read_bytes()
    module = inlined(parse(source, context()), "by_instances")
    assert dynomite.lec(lower(module, "by_instances"), lower(module, "golden")).equivalent


def test_state_parameters_and_constants() -> None:
    design = Design()
    with design.module("child") as child:
        step, q = child.param("STEP", 4, 1), child.reg("q", 4, init=3)
        q.next = q + step + child.input("x", 4)
        mem = child.mem("words", 4, 4, init=[1, 2, 3, 4])
        mem.write(q[1:0], q)
        child.output("q", q)
        child.output("one", child.constant(1, 1))
        child.output("word", mem.read(q[3:2]))
        child.claim(q != 9, "nine")
    with design.module("top") as m:
        u = m.instance(child, "u", x=2)
        v = m.instance(child, "v", x=u["q"], params={"STEP": 5})
        m.output("y", u["q"] ^ v["word"])
        m.output("z", v["one"])
    before = lower(design, "top")
    after = lower(inlined(design.ir, "top"), "top")
    assert after.names("latches") == before.names("latches")
    assert after.names("bad") == before.names("bad") == ["u/nine", "v/nine"]
    assert dynomite.lec(before, after, match="name").equivalent


def test_random_hierarchies(rng: random.Random) -> None:
    for _ in range(5):
        design = random_design(rng, operators=8, registers=1)
        child = design.modules["m"]
        with design.module("top") as m:
            ports: dict[str, Any] = {name: m.input(name, width) for name, width in child.inputs.items()}
            first = m.instance(child, "first", **ports)
            for name in child.outputs:
                m.output(name, first[name])
            second = m.instance(child, "second", **ports)
            m.output("more", second["o0"])
        before = lower(design, "top")
        after = lower(inlined(design.ir, "top"), "top")
        assert dynomite.lec(before, after, match="name").equivalent


def test_refusals() -> None:
    with pytest.raises(VerifyError, match="contains itself"):
        Inline(InlineParams())(parse('using hw\nMODULE @m { INSTANCE @m "u" }', context()))
    design = Design()
    with design.module("m0") as m:
        m.output("y", ~m.input("a"))
    last = m
    for i in range(1, 12):
        with design.module(f"m{i}") as m:
            m.output("y", m.instance(last, "u", a=m.instance(last, "v", a=m.input("a"))["y"])["y"])
        last = m
    with pytest.raises(LimitError, match="more than 100 instructions"):
        Inline(InlineParams(limit=100))(design.ir)
