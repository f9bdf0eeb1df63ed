"""Building modules in Python."""

from __future__ import annotations

import pytest

from dynomite.errors import UsageError
from dynomite.ir import parse, print_module
from hw_dialect.builder import Design, ModuleBuilder, context, module
from hw_dialect.elaborate import lower, modules
from hw_dialect.signals import cat, lut, mux
from hw_dialect.simulate import simulate_words


def run(m: ModuleBuilder, **inputs: int) -> dict[str, int]:
    """The outputs for these inputs."""
    return simulate_words(m.design, [inputs]).outputs[0]


def test_operators() -> None:
    with module("m") as m:
        a, b = m.input("a", 8), m.input("b", 8)
        m.output("sum", a + b)
        m.output("radd", 3 + a)
        m.output("rsub", 3 - a)
        m.output("product", a * b)
        m.output("logic", (a & b) | (a ^ 0xF0) & ~b)
        m.output("slice", a[7:4])
        m.output("bit", a[0])
        m.output("top", a[-1])
        m.output("low", a[3:])
        m.output("at", a[b])
        m.output("left", a << 2)
        m.output("right", a >> b)
        m.output("arith", a.ashr(1))
        m.output("signs", cat(a.slt(b), a.ult(b), a == b, a != b, a.sge(-1), a.uge(5)))
        m.output("wide", a.smul_wide(b))
        m.output("choice", mux(a.any(), b, 7))
        m.output("table", lut(a[1:0], [5, 6, 7, 0], 3))
        m.output("abs", abs(a))
    a, b = 0xB5, 0x03
    assert run(m, a=a, b=b) == {
        "sum": 0xB8,
        "radd": 0xB8,
        "rsub": (3 - a) & 255,
        "product": a * b & 255,
        "logic": (a & b) | (a ^ 0xF0) & ~b & 255,
        "slice": 0xB,
        "bit": 1,
        "top": 1,
        "low": 5,
        "at": 0,
        "left": a << 2 & 255,
        "right": a >> 3,
        "arith": 0xDA,
        "signs": 0b100101,
        "wide": ((a - 256) * 3) & 0xFFFF,
        "choice": 3,
        "table": 6,
        "abs": 256 - a,
    }


def test_text_reads_back() -> None:
    design = Design()
    with design.module("k") as k:
        k.output("y", k.input("x", 4) + k.param("N", 4, 3))
    with design.module("m") as m:
        x = m.input("x", 4)
        q = m.reg("q", 4, clock=m.input("clk"), init=2)
        q.next = m.instance(k, "u", x=x, params={"N": 5})["y"]
        w = m.wire("w", 8)
        w[3:0] = q
        w[7:4] = x
        m.output("w", w)
    again = parse(design.text(), context())
    assert print_module(again) == design.text()
    run = simulate_words(again, [{"x": 1, "clk": 0}] * 2, "m").outputs
    assert run == simulate_words(design, [{"x": 1, "clk": 0}] * 2, "m").outputs == [{"w": 0x12}, {"w": 0x16}]
    assert [(i.name, i.inputs, i.outputs, i.is_instantiated) for i in modules(design)] == [
        ("k", {"x": 4}, {"y": 4}, True),
        ("m", {"x": 4, "clk": 1}, {"w": 8}, False),
    ]


def test_equal_operations_are_built_once_and_folded() -> None:
    with module("m") as m:
        a, b = m.input("a", 8), m.input("b", 8)
        assert (a + b).word == (a + b).word
        assert (a + 0).word == a.word
        assert (a - a).word == m.constant(0, 8).word
        m.output("y", a & a | 0)
    assert m.design.text().count("op.") == 1


def test_instructions_know_the_program() -> None:
    with module("m") as m:
        a = m.input("a", 8)
        total = a + 1
    assert total.value is not None
    (origin,) = total.value.instr.location
    assert origin.file == __file__
    assert origin.line == test_instructions_know_the_program.__code__.co_firstlineno + 3


def test_names() -> None:
    with module("m") as m:
        a = m.input("a", 8)
        (a + 1).named("next")
    assert "op.ADD %next:def" in m.design.text()


def test_misuse() -> None:
    with module("other") as other:
        foreign = other.input("a", 8)
    with module("m") as m:
        a, b = m.input("a", 8), m.input("b", 4)
        for wrong, message in (
            (lambda: a + b, "has 4 bits, 8 are needed"),
            (lambda: a + foreign, "belongs to the module 'other'"),
            (lambda: cat(a, foreign), "belongs to the module 'other'"),
            (lambda: a + 256, "does not fit"),
            (lambda: a + -129, "does not fit"),
            (lambda: a[8], "bits 8 to 8"),
            (lambda: a[0:7], "bits 0 to 7"),
            (lambda: a << -1, "negative"),
            (lambda: a.zext(4), "do not fit into 4"),
            (lambda: mux(b, a, a), "must have 1"),
            (lambda: mux(b[0], 1, 2), "must be a signal"),
            (lambda: lut(b, [1], 1), "entries are needed"),
            (lambda: m.input("a", 1), "'a' already"),
            (lambda: m.input("z", 0), "1 to 1048576 bits"),
            (lambda: m.input("z", 1 << 21), "1 to 1048576 bits"),
            (cat, "no signals"),
        ):
            with pytest.raises(UsageError, match=message):
                wrong()
        with pytest.raises(TypeError, match="truth value"):
            bool(a == 1)
        with pytest.raises(TypeError, match="no sequence"):
            list(a)
        m.output("y", a)
        with pytest.raises(UsageError, match="driven twice"):
            m.output("y", a)


def test_register_without_next() -> None:
    with pytest.raises(UsageError, match="no next value"), module("m") as m:
        m.reg("q")
    with module("m") as m:
        q = m.reg("q")
        q.next = ~q
        with pytest.raises(UsageError, match="next value already"):
            q.next = q


def test_instances_need_all_inputs() -> None:
    design = Design()
    with design.module("k") as k:
        k.output("y", k.input("x", 4))
    with design.module("m") as m:
        with pytest.raises(UsageError, match="'x' of 'k' is not connected"):
            m.instance(k, "u")
        with pytest.raises(UsageError, match="no input port 'z'"):
            m.instance(k, "u", x=1, z=1)
        with pytest.raises(UsageError, match="no output port 'z'"):
            m.instance(k, "u", x=1)["z"]
    with pytest.raises(UsageError, match="a module 'k' already"):
        design.module("k")


def test_a_multiplier_is_one() -> None:
    with module("m") as m:
        m.output("y", m.input("a", 4) * m.input("b", 4))
    assert all(run(m, a=a, b=b) == {"y": a * b & 15} for a in range(16) for b in range(16))
    assert lower(m.design).num_inputs == 8
