"""Simulation of words."""

from __future__ import annotations

import pytest

from dynomite.errors import UsageError
from hw_dialect.builder import module
from hw_dialect.elaborate import elaborate
from hw_dialect.simulate import simulate_words


def test_wide_values() -> None:
    with module("m") as m:
        a, b = m.input("a", 129), m.input("b", 129)
        m.output("sum", a + b)
        m.output("quotient", a.udiv(b))
    a, b = (1 << 128) + 12345, (1 << 65) + 7
    out = simulate_words(m.design, [{"a": a, "b": b}]).outputs[0]
    assert out == {"sum": a + b, "quotient": a // b}


def test_wrong_stimuli() -> None:
    with module("m") as m:
        m.output("y", m.input("a", 2))
    net = elaborate(m.design)
    for stimulus, message in (
        ({}, "no value for the input 'a'"),
        ({"a": 1, "b": 1}, "no input 'b'"),
        ({"a": 4}, "4 does not fit"),
        ({"a": -1}, "-1 does not fit"),
    ):
        with pytest.raises(UsageError, match=message):
            simulate_words(net, [stimulus])
    with pytest.raises(UsageError, match="no signal 'x'"):
        simulate_words(net, [], signals=["x"])
    with pytest.raises(TypeError):
        simulate_words(net, [{"a": "1"}])  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]


def test_a_changed_module_is_refused() -> None:
    with module("m") as m:
        m.output("y", m.input("a", 2))
    net = elaborate(m.design)
    m.output("z", m.constant(1, 1))
    with pytest.raises(UsageError, match="changed after"):
        simulate_words(net, [{"a": 1}])
