"""Rows of the shared cases about words in netlists; their MLIR is translated here to the dialects op and hw.

A test per row checks that the row is still what it was translated from.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dynomite
from dmt_dialect.passes.canonicalize import Canonicalize, CanonicalizeParams
from dynomite.errors import ParseError
from dynomite.ir import parse, print_module
from dynomite.passes.verify import verify
from hw_dialect.builder import context, module
from hw_dialect.elaborate import elaborate, lower
from hw_dialect.formats.dyno import read_net
from hw_dialect.signals import Signal, cat, mux
from hw_dialect.simulate import simulate_words
from tests.support.shared_data import read_cases

CASES = {case.id: case for case in read_cases()}


def source_of(shared: Path, case: str) -> str:
    """The text of the row's file without blanks at line starts."""
    return re.sub(r"\n\s+", "\n", (shared / "cases" / CASES[case].files[0]).read_text("utf-8"))


def canonicalized(text: str) -> str:
    """The module after canonicalising, verified."""
    read = parse(text, context())
    Canonicalize(CanonicalizeParams())(read)
    verify(read)
    return print_module(read)


def outputs_of(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if "hw.OUT" in line]


def test_mux_self(shared: Path) -> None:
    assert "comb.mux %f, %a, %x" in source_of(shared, "r-ir-mux-self")
    text = """using op
using hw
MODULE @m {
  IN %a:def(wire(4))
  MUX %x:def(wire(4)) constant(0, 1) %a %x
  OUT "o" %x
}
"""
    assert "op.MUX" in canonicalized(text), "valid IR, and it ends"
    with pytest.raises(ParseError, match="combinational loop: x <- x") as caught:
        read_net(text.encode())
    assert caught.value.line == 5


def test_and_all_ones(shared: Path) -> None:
    assert "comb.and %t, %a, %t" in source_of(shared, "r-ir-and-allones")
    text = """using op
using hw
MODULE @m {
  IN %a:def(wire(3))
  AND %0:def(wire(3)) constant(-1, 3) constant(-1, 3)
  AND %1:def(wire(3)) constant(-1, 3) %a constant(-1, 3)
  OUT "o" %0
  OUT "p" %1
}
"""
    assert outputs_of(canonicalized(text)) == ['hw.OUT "o" constant(7, 3)', 'hw.OUT "p" %a']


def test_zero_width_is_refused(shared: Path) -> None:
    assert "in %e: i0" in source_of(shared, "r-ir-i0")
    text = """using op
using hw
MODULE @m {
  IN %a:def(wire(4))
  IN %e:def(wire(0))
  CONCAT %0:def(wire(4)) %e %a %e
  ADD %1:def(wire(0)) %e %e
  OUT "o" %0
  OUT "z" %1
}
"""
    with pytest.raises(ParseError, match=r"hw\.wire\(0\): a value must have at least one bit") as caught:
        read_net(text.encode())
    assert caught.value.line == 5
    assert {6, 7} <= {error.line for error in caught.value.others}


def test_constant_shifts_past_the_width(shared: Path) -> None:
    assert "hw.constant 200" in source_of(shared, "r-ir-shift-const")
    text = """using op
using hw
MODULE @m {
  IN %a:def(wire(8))
  SHL %0:def(wire(8)) %a constant(200, 8)
  LSHR %1:def(wire(8)) %a constant(200, 8)
  ASHR %2:def(wire(8)) %a constant(200, 8)
  OUT "o" %0
  OUT "p" %1
  OUT "q" %2
}
"""
    after = canonicalized(text)
    assert outputs_of(after)[:2] == ['hw.OUT "o" constant(0, 8)', 'hw.OUT "p" constant(0, 8)']
    for source in (text, after):
        net = elaborate(parse(source, context()))
        aig = lower(net)
        sign = aig.inputs[7]
        assert [lit.raw for lit in aig.outputs] == [0] * 16 + [sign.raw] * 8
        for a in (0x7F, 0x80):
            q = 0xFF if a & 0x80 else 0
            assert simulate_words(net, [{"a": a}]).outputs == [{"o": 0, "p": 0, "q": q}]


def signed_product(a: Signal, b: Signal) -> Signal:
    """The low 11 bits of the product of two signed words of 5 bits, by shifting and adding."""
    x, y = a.sext(11), b.sext(11)
    total = x.module.constant(0, 11)
    for i in range(11):
        total = total + mux(y[i], x << i, 0)
    return total


def test_word_fma_signed(shared: Path) -> None:
    text = source_of(shared, "word-fma-signed")
    assert "out = sext(a,11)*sext(b,11) - c - d (mod 2^11)" in text
    with module("fma") as m:
        a, b, c, d = m.input("a", 5), m.input("b", 5), m.input("c", 11), m.input("d", 11)
        x, y = (cat(word[4].repeat(6), word) for word in (a, b))
        m.output("out", x * y - c - d)
    with module("shift_and_add") as n:
        a, b, c, d = n.input("a", 5), n.input("b", 5), n.input("c", 11), n.input("d", 11)
        n.output("out", signed_product(a, b) - (c + d))
    run = simulate_words(m.design, [{"a": 0, "b": 0, "c": 0, "d": 0}, {"a": 16, "b": 16, "c": 0, "d": 0}])
    assert run.outputs == [{"out": 0}, {"out": 256}]
    for architecture in ("", "multiplier=booth,adder=kogge-stone"):
        verdict = dynomite.lec(lower(m.design, architecture=architecture), lower(n.design), timeout=120)
        assert verdict.equivalent, str(verdict)
