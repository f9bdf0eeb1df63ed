"""Canonicalising: what folds, that nothing changes, that it ends."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmt_dialect.passes.canonicalize import Canonicalize, CanonicalizeParams
from dynomite.ir import parse, print_module
from dynomite.passes.verify import verify
from hw_dialect.builder import context
from hw_dialect.elaborate import modules
from hw_dialect.simulate import simulate_words
from tests.support.word_modules import random_design, random_stimuli


def canonical(body: str) -> list[str]:
    """The lines of a module after the pass, without its ports."""
    module = parse(f"using op\nusing hw\nMODULE @m {{\n{body}\n}}\n", context())
    Canonicalize(CanonicalizeParams())(module)
    verify(module)
    text = print_module(module)
    return [line.strip() for line in text.splitlines() if line.startswith("  ") and "hw.IN" not in line]


CASES = [
    ("ADD %x:def(wire(8)) %a constant(0, 8)", "%a"),
    ("ADD %x:def(wire(8)) constant(3, 8) %a constant(-3, 8)", "%a"),
    ("SUB %x:def(wire(8)) %a %a", "constant(0, 8)"),
    ("MUL %x:def(wire(8)) %a constant(1, 8)", "%a"),
    ("MUL %x:def(wire(8)) %a constant(16, 8) constant(16, 8)", "constant(0, 8)"),
    ("AND %x:def(wire(8)) %a %b constant(0, 8)", "constant(0, 8)"),
    ("AND %x:def(wire(8)) %a constant(-1, 8) %a", "%a"),
    ("NOT %n:def(wire(8)) %a\nOR %x:def(wire(8)) %n %b %a", "constant(255, 8)"),
    ("XOR %x:def(wire(8)) %a %b %a", "%b"),
    ("NAND %x:def(wire(8)) %a constant(0, 8)", "constant(255, 8)"),
    ("XNOR %x:def(wire(8)) %a %a", "constant(255, 8)"),
    ("NOT %n:def(wire(8)) %a\nNOT %x:def(wire(8)) %n", "%a"),
    ("NEG %n:def(wire(8)) %a\nNEG %x:def(wire(8)) %n", "%a"),
    ("UDIV %x:def(wire(8)) %a constant(0, 8)", "constant(255, 8)"),
    ("UREM %x:def(wire(8)) %a constant(0, 8)", "%a"),
    ("UREM %x:def(wire(8)) %a constant(1, 8)", "constant(0, 8)"),
    ("SREM %x:def(wire(8)) %a constant(0, 8)", "%a"),
    ("SHL %x:def(wire(8)) %a constant(200, 8)", "constant(0, 8)"),
    ("LSHR %x:def(wire(8)) %a constant(8, 4)", "constant(0, 8)"),
    ("SHL %x:def(wire(8)) %a constant(0, 3)", "%a"),
    ("ROL %x:def(wire(8)) %a constant(16, 8)", "%a"),
    ("SLICE %h:def(wire(4)) %a 7 4\nSLICE %l:def(wire(4)) %a 3 0\nCONCAT %x:def(wire(8)) %h %l", "%a"),
    ("CONCAT %c:def(wire(16)) %a %b\nSLICE %x:def(wire(8)) %c 7 0", "%b"),
    ("ZEXT %z:def(wire(16)) %a\nSLICE %x:def(wire(8)) %z 15 8", "constant(0, 8)"),
    ("MUX %x:def(wire(8)) constant(1, 1) %a %b", "%a"),
    ("ULT %c:def(wire(1)) %a %b\nMUX %x:def(wire(8)) %c %a %a", "%a"),
    ("ULT %c:def(wire(1)) %a constant(0, 8)\nMUX %x:def(wire(8)) %c %a %b", "%b"),
    ("SLE %c:def(wire(1)) %a constant(127, 8)\nMUX %x:def(wire(8)) %c %a %b", "%a"),
    ("LUT %x:def(wire(8)) constant(1, 1) constant(0x1234, 16)", "constant(18, 8)"),
]


@pytest.mark.parametrize(("body", "result"), CASES)
def test_folds_to(body: str, result: str) -> None:
    ports = "IN %a:def(wire(8))\nIN %b:def(wire(8))\n"
    assert canonical(f'{ports}{body}\nOUT "y" %x') == [f'hw.OUT "y" {result}']


def test_chains_settle() -> None:
    body = ["IN %v0:def(wire(8))"]
    body += [f"{'ADD' if i % 2 else 'OR'} %v{i + 1}:def(wire(8)) %v{i} constant(0, 8)" for i in range(2000)]
    assert canonical("\n".join([*body, 'OUT "y" %v2000'])) == ['hw.OUT "y" %v0']


def test_names_are_kept() -> None:
    lines = canonical('IN %a:def(wire(8))\nSHL %kept:def(wire(8)) %a constant(3, 8)\nOUT "y" %kept')
    assert lines == [
        "op.SLICE %0:def(hw.wire(5)) %a 4 0",
        "op.CONCAT %kept:def(hw.wire(8)) %0 constant(0, 3)",
        'hw.OUT "y" %kept',
    ]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32))
def test_random_modules_stay_equal_and_settle(seed: int) -> None:
    rng = random.Random(seed)
    design = random_design(rng, operators=20, folding=False, registers=rng.randint(0, 2))
    stimuli = random_stimuli(rng, modules(design)[0].inputs, 8)
    before = simulate_words(design, stimuli).outputs
    Canonicalize(CanonicalizeParams())(design.ir)
    verify(design.ir)
    assert simulate_words(design, stimuli).outputs == before
    again = Canonicalize(CanonicalizeParams())(design.ir)
    assert not again.changed, print_module(design.ir)
    assert again.notes == ()
