"""Between circuits and diagrams."""

from __future__ import annotations

import random
from typing import get_args

import pytest

from dmt_dialect.aig import Aig
from dmt_dialect.bdd import Bdd, circuit_functions, functions_circuit
from dmt_dialect.bdd.circuits import Order
from dynomite._native.base import Stop
from dynomite.errors import LimitError, UsageError
from tests.support.generators import random_aig


@pytest.mark.parametrize("order", get_args(Order))
def test_functions_are_those_of_the_circuit(order: Order, rng: random.Random) -> None:
    for _ in range(8):
        aig = random_aig(rng, rng.randrange(1, 7), 40, 5)
        made = circuit_functions(aig, order=order)
        again = functions_circuit(made.bdd, {f"o{i}": f for i, f in enumerate(made.outputs)})
        names = again.names("inputs")
        for point in range(1 << aig.num_inputs):
            bits = [bool(point >> i & 1) for i in range(aig.num_inputs)]
            values = {f"i{i}": bit for i, bit in enumerate(bits)}
            seen = [f.evaluate(values) for f in made.outputs]
            assert seen == aig.evaluate(aig.outputs, dict(zip(aig.inputs, bits, strict=True)))
            by_name = {lit: values[str(name)] for lit, name in zip(again.inputs, names, strict=True)}
            assert again.evaluate(again.outputs, by_name) == seen
        made.bdd.check()


def test_latches_are_variables() -> None:
    aig = Aig()
    (a,) = aig.add_inputs(["a"])
    q = aig.add_latch(name="q")
    aig.set_next(q, q ^ a)
    aig.add_output(q & a, "y")
    made = circuit_functions(aig)
    a_var, q_var = made.inputs
    assert made.outputs == [a_var & q_var]
    assert made.next_states == [a_var ^ q_var]
    shared = circuit_functions(aig, made.bdd)
    assert shared.outputs == made.outputs


def test_names_have_to_differ() -> None:
    aig = Aig()
    aig.add_inputs(["a", "b"])
    aig.add_latch(name="a")
    with pytest.raises(UsageError, match="'a'"):
        circuit_functions(aig)


def multiplier(bits: int) -> Aig:
    aig = Aig()
    a, b = aig.add_inputs(bits), aig.add_inputs(bits)
    rows = [aig.false] * (2 * bits)
    for shift, y in enumerate(b):
        carry = aig.false
        for index, x in enumerate(a):
            at = shift + index
            term, old = x & y, rows[at]
            rows[at] = old ^ term ^ carry
            carry = (old & term) | (carry & (old ^ term))
        rows[shift + bits] = carry
    for lit in rows:
        aig.add_output(lit)
    return aig


def test_limits_end_what_cannot_be_built() -> None:
    aig = multiplier(20)
    with pytest.raises(LimitError, match="50000 nodes"):
        circuit_functions(aig, Bdd(max_nodes=50_000))
    stop = Stop()
    stop.set_timeout(0.2)
    with pytest.raises(LimitError, match="stopped"):
        circuit_functions(aig, stop=stop)


def test_multiplication_counts() -> None:
    made = circuit_functions(multiplier(5), order="force")
    for bit, function in enumerate(made.outputs):
        assert function.count() == sum(x * y >> bit & 1 for x in range(32) for y in range(32))
