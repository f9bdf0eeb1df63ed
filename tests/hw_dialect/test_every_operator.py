"""Every operator of a netlist at 1 to 6 bits, all values: words = plain integers = gates; z3 agrees."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from dmt_dialect.aig import Aig
from dmt_dialect.bitblast import operators
from hw_dialect.elaborate import elaborate, lower
from hw_dialect.formats.smtlib import smtlib_text, symbol
from hw_dialect.simulate import simulate_words
from tests.support import reference_words
from tests.support.every_operator import every_operator
from tests.support.word_modules import simulate_aig
from tests.support.word_proofs import z3_of

z3: Any = import_module("z3")


def expected(row: dict[str, int], width: int) -> dict[str, int]:
    """The outputs of `every_operator` by plain integers."""
    a, b, n, s = row["a"], row["b"], row["n"], row["s"]
    mask = (1 << width) - 1
    words = {"a": (a, width), "b": (b, width), "n": (n, 5)}
    special = {
        "ADD_3": (2 * a + b) & mask,
        "XOR_4": 0,
        "CONCAT": (a << width | b) << 5 | n,
        "INDEX": a >> n & 1 if n < width else 0,
        "REPEAT": a | a << width | a << 2 * width,
        "ZEXT": a,
        "SEXT": reference_words.signed(a, width) & ((1 << (width + 3)) - 1),
        "MUX": a if s else b,
        "LUT": (7 * n) % 13,
        "SLICE": a >> width // 2,
    }
    result = dict(special)
    for op in operators():
        if op.name in special:
            continue
        result[op.name] = reference_words.value(op.name, [words["a"], words["b"]])
        if op.name in ("SHL", "LSHR", "ASHR", "ROL", "ROR"):
            result[f"{op.name}_n"] = reference_words.value(op.name, [words["a"], words["n"]])
    return result


def stimuli(width: int) -> list[dict[str, int]]:
    """All pairs of operands, all pairs of an operand and an amount."""
    size = 1 << width
    pairs = [
        {"a": a, "b": b, "s": (a + b) & 1, "n": (a * 5 + b) % 32} for a in range(size) for b in range(size)
    ]
    return pairs + [{"a": a, "b": 0, "s": n & 1, "n": n} for a in range(size) for n in range(32)]


@pytest.mark.parametrize("width", [*range(1, 6), pytest.param(6, marks=pytest.mark.slow)])
def test_words_and_gates_have_the_values_of_integers(width: int) -> None:
    net = elaborate(every_operator(width))
    assert {op.name for op in operators()} <= {name for name, _, _ in net.outputs()}
    rows = stimuli(width)
    outputs = simulate_words(net, rows).outputs
    wanted = [expected(row, width) for row in rows]
    assert outputs == wanted
    for architecture in ("", "adder=kogge-stone,multiplier=booth", "adder=brent-kung,divider=non-restoring"):
        assert simulate_aig(lower(net, architecture=architecture), rows) == wanted


@pytest.mark.parametrize("width", range(1, 7))
def test_z3_proves_the_gates_on_the_text(width: int) -> None:
    net = elaborate(every_operator(width))
    aig = lower(net)
    places = {name: place for place, name in enumerate(aig.names("outputs"))}
    terms = [z3.BitVec(name, wide) for name, wide, _ in net.inputs()]
    bits = z3_of(aig, [z3.Extract(i, i, term) == 1 for term in terms for i in range(term.size())])
    for name, wide, _ in net.outputs():
        text = (
            smtlib_text(net) + f"(declare-const |out!| (_ BitVec {wide}))(assert (= |out!| {symbol(name)}))"
        )
        solver = z3.Solver()
        solver.add(z3.parse_smt2_string(text))
        out = z3.BitVec("out!", wide)
        names = [name] if wide == 1 else [f"{name}[{i}]" for i in range(wide)]
        solver.add(z3.Or(*(bits[places[n]] != (z3.Extract(i, i, out) == 1) for i, n in enumerate(names))))
        assert solver.check() == z3.unsat, name


def test_the_proof_can_fail() -> None:
    aig = Aig()
    a = aig.add_input("a")
    aig.add_output(~a, "y")
    solver = z3.Solver()
    term = z3.BitVec("a", 1)
    solver.add(z3_of(aig, [z3.Extract(0, 0, term) == 1])[0] != (term == 1))
    assert solver.check() == z3.sat
