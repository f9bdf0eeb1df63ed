"""A module with every operator of the dialect `op`."""

from __future__ import annotations

from dmt_dialect import ops as op
from hw_dialect.builder import Design
from hw_dialect.signals import cat, lut, mux
from tests.support.word_modules import COMPARE, REDUCE, SAME, SHIFT, UNARY, WIDEN


def every_operator(width: int, *, folding: bool = False) -> Design:
    """A module `m` with an output for every operator on words of a width, and shifts by other words."""
    design = Design(folding=folding, merging=False)
    with design.module("m") as m:
        a, b, s, n = m.input("a", width), m.input("b", width), m.input("s"), m.input("n", 5)
        for operation in SAME:
            m.output(operation.name, m.build(operation, width, a, b))
        for operation in UNARY:
            m.output(operation.name, m.build(operation, width, a))
        for operation in WIDEN:
            m.output(operation.name, m.build(operation, 2 * width, a, b))
        for operation in REDUCE:
            m.output(operation.name, m.build(operation, 1, a))
        for operation in COMPARE:
            m.output(operation.name, m.build(operation, 1, a, b))
        for operation in SHIFT:
            m.output(operation.name, m.build(operation, width, a, b))
            m.output(f"{operation.name}_n", m.build(operation, width, a, n))
        m.output("ADD_3", m.build(op.ADD, width, a, b, a))
        m.output("XOR_4", m.build(op.XOR, width, a, b, a, b))
        m.output("CONCAT", cat(a, b, n))
        m.output("INDEX", a[n])
        m.output("REPEAT", a.repeat(3))
        m.output("ZEXT", a.zext(width + 3))
        m.output("SEXT", a.sext(width + 3))
        m.output("MUX", mux(s, a, b))
        m.output("LUT", lut(n, [(7 * i) % 13 for i in range(32)], 4))
        m.output("SLICE", a[width - 1 : width // 2])
    return design
