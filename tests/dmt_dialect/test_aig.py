"""The Python face of the AIG: literals, nodes, ports, names, copies."""

from __future__ import annotations

import copy
import gc
import itertools
import random
import weakref
from collections.abc import Callable
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmt_dialect.aig import Aig, Lit, NodeKind
from dynomite.errors import UsageError
from tests.support.oracles import truth_tables


def full_adder() -> Aig:
    aig = Aig()
    a, b, c = aig.add_inputs(["a", "b", "c"])
    aig.add_output(a ^ b ^ c, "sum")
    aig.add_output((a & b) | (c & (a ^ b)), "carry")
    return aig


def test_operators_compute() -> None:
    aig = full_adder()
    a, b, c = aig.inputs
    for x, y, z in itertools.product([False, True], repeat=3):
        total = int(x) + int(y) + int(z)
        assert aig.evaluate(aig.outputs, {a: x, b: y, c: z}) == [bool(total & 1), total >= 2]


def test_mux_and_gate_methods_agree_with_operators() -> None:
    aig = Aig()
    a, b, c = aig.add_inputs(3)
    assert aig.and_(a, ~b) == a & ~b
    assert aig.or_(a, ~b) == a | ~b
    assert aig.xor(a, b) == a ^ b
    assert aig.mux(a, b, c) == a.mux(b, c) == (a & b) | (~a & c)
    assert ~(a ^ b) == ~a ^ b


def test_bools_are_constants() -> None:
    aig = Aig()
    a = aig.add_input()
    assert a & True == a
    assert True & a == a
    assert (a & False) == aig.false
    assert (a | True) == aig.true
    assert a ^ True == ~a
    assert aig.mux(a, True, False) == a
    assert a.mux(False, True) == ~a
    assert aig.num_ands == 0


WRONG_OPERANDS: list[Callable[[Any, Any], object]] = [
    lambda a, _: a & 1,
    lambda a, _: 0 | a,
    lambda a, _: a ^ "x",
    lambda a, _: a.aig.and_(a, 1),
    lambda a, _: a.aig.and_(a),
    lambda a, _: a.mux(a),
    lambda a, _: a < a,
    lambda a, _: bool(a),
    lambda a, _: a and a,
    lambda a, _: type(a)(),
]


@pytest.mark.parametrize("wrong", WRONG_OPERANDS)
def test_wrong_operands_raise_type_error(wrong: Callable[[Any, Any], object]) -> None:
    a, b = Aig().add_inputs(2)
    with pytest.raises(TypeError):
        wrong(a, b)


FOREIGN_LITERALS: list[Callable[[Any, Any], object]] = [
    lambda a, b: a & b,
    lambda a, b: a.mux(b, b),
    lambda a, b: a.aig.and_(a, b),
    lambda a, b: a.aig.xor(b, a),
    lambda a, b: a.aig.mux(a, a, b),
    lambda a, b: a.aig.and_all([a, b]),
    lambda a, b: a.aig.add_output(b),
    lambda a, b: a.aig.add_justice([a, b]),
    lambda a, b: a.aig.cone([b]),
    lambda a, b: a.aig.support([b]),
    lambda a, b: a.aig.evaluate([a], {b: True}),
    lambda a, b: a.aig.add_net_name(b, "x"),
]


@pytest.mark.parametrize("wrong", FOREIGN_LITERALS)
def test_literals_of_other_aigs_are_refused(wrong: Callable[[Any, Any], object]) -> None:
    a = Aig().add_input()
    b = Aig().add_input()
    with pytest.raises(UsageError):
        wrong(a, b)


def test_identity_of_literals() -> None:
    aig = Aig()
    a, b = aig.add_inputs(2)
    assert a == aig.inputs[0]
    assert a != ~a
    assert a != b
    assert ~~a == a
    assert a != Aig().add_input()
    assert a != a.node
    assert a != 2
    assert len({a, aig.lit(a.raw), ~a, ~~a, b}) == 3
    assert [repr(x) for x in (a, ~b, aig.false, aig.true)] == ["n1", "~n2", "false", "true"]
    assert (~b).regular == b
    assert (~b).is_complemented
    assert not b.is_complemented
    assert aig.true.is_constant
    assert not a.is_constant
    assert [x.raw for x in (aig.false, aig.true, a, ~a)] == [0, 1, 2, 3]


def test_nodes() -> None:
    aig = Aig()
    a = aig.add_input()
    q = aig.add_latch()
    gate = ~(a & ~q)
    node = gate.node
    assert node.kind is node.opcode is NodeKind.AND
    assert set(node.operands) == {a, ~q}
    assert node.operands == (node.fanin0, node.fanin1)
    assert node.operand_def(0) == node.fanin0.node
    assert node.operand_def(1) == node.fanin1.node
    assert node.lit == ~gate
    assert node.is_and
    assert a.node.is_input
    assert q.node.is_latch
    assert aig.false.node.is_const
    assert a.node.operands == ()
    assert (a.node.position, q.node.position) == (0, 0)
    assert node.aig is aig
    assert aig.node(node.id) == node
    assert [repr(n) for n in aig.nodes()] == ["n0", "n1", "n2", "n3"]
    assert list(aig.ands()) == [node]
    assert {node.id: 1}[gate.node.id] == 1
    assert aig.levels()[node.id] == 1
    for wrong in (lambda: a.node.fanin0, lambda: node.position, lambda: aig.false.node.position):
        with pytest.raises(UsageError):
            wrong()
    for index in (2, -1):
        with pytest.raises(IndexError):
            node.operand_def(index)


def test_iteration_ends_at_the_nodes_of_its_beginning() -> None:
    aig = Aig()
    a, b = aig.add_inputs(2)
    c = a & b
    for node in aig.ands():
        aig.add_input()
        c = c & node.lit & aig.inputs[-1]
    assert aig.num_ands == 2
    assert len(list(aig.nodes())) == len(aig) == aig.num_nodes


def test_out_of_range_handles_raise() -> None:
    aig, other = Aig(), full_adder()
    for raw in (2, 3, 2**32 - 1):
        with pytest.raises(UsageError):
            aig.lit(raw)
    with pytest.raises(UsageError):
        aig.node(other.outputs[0].node.id)
    for raw in (-1, 2**32):
        with pytest.raises(TypeError):
            aig.lit(raw)


def test_handles_keep_the_aig_alive() -> None:
    aig = Aig()
    seen = weakref.ref(aig)
    a, b = aig.add_inputs(2)
    node = (a & b).node
    del aig, a, b
    gc.collect()
    assert seen() is not None
    assert len(node.operands) == 2
    del node
    gc.collect()
    assert seen() is None


def test_latches_and_properties() -> None:
    aig = Aig()
    a = aig.add_input("a")
    q, r, s = aig.add_latch(), aig.add_latch(1, "r"), aig.add_latch(None)
    assert aig.resets == [0, 1, None]
    assert aig.next_states == (aig.false,) * 3
    aig.set_next(r, ~a)
    aig.set_reset(s, 1)
    aig.set_reset(q, None)
    assert aig.next_states == (aig.false, ~a, aig.false)
    assert aig.resets == [None, 1, 1]
    aig.add_bad(a, "b0")
    aig.add_constraint(~a)
    aig.add_justice([a, q], "j0")
    aig.add_justice([])
    aig.add_fairness(r, "f0")
    assert (aig.bad, aig.constraints, aig.fairness) == ((a,), (~a,), (r,))
    assert aig.justice == ((a, q), ())
    assert aig.names("justice") == ["j0", None]
    assert aig.num_latches == 3
    for latch in (a, ~q):
        with pytest.raises(UsageError):
            aig.set_next(latch, a)
    for reset in (2, -1):
        with pytest.raises(UsageError):
            aig.add_latch(reset)
    assert aig.num_latches == 3


def test_outputs() -> None:
    aig = full_adder()
    a = aig.inputs[0]
    aig.set_output(0, ~a)
    assert aig.outputs[0] == ~a
    assert aig.names("outputs") == ["sum", "carry"]
    with pytest.raises(IndexError):
        aig.set_output(2, a)


def test_names() -> None:
    aig = full_adder()
    assert aig.names("inputs") == ["a", "b", "c"]
    assert aig.get_name("outputs", 1) == "carry"
    aig.set_name("inputs", 1, None)
    aig.set_name("inputs", 2, "grün")
    assert aig.names("inputs") == ["a", None, "grün"]
    assert aig.name_count("inputs") == 2
    aig.set_names("inputs", ["x", None, "z"])
    assert aig.names("inputs") == ["x", None, "z"]
    raw = b"\xff\xfe".decode("utf-8", "surrogateescape")
    aig.set_name("inputs", 0, raw)
    assert aig.get_name("inputs", 0) == raw
    with pytest.raises(IndexError):
        aig.get_name("inputs", 3)
    with pytest.raises(UsageError, match="sections are"):
        aig.names("ports")
    with pytest.raises(UsageError):
        aig.set_names("inputs", ["x"])
    for bad in ("", "a\nb", "a\0b", "\ud800"):
        with pytest.raises(UsageError):
            aig.set_name("inputs", 0, bad)
        with pytest.raises(UsageError):
            aig.add_input(bad)
    assert aig.num_inputs == 3


def test_name_comments_and_nets() -> None:
    aig = full_adder()
    aig.name = "adder"
    aig.comments = ["made by hand", ""]
    aig.add_net_name(~aig.outputs[0], "n")
    assert (aig.name, aig.comments, aig.net_names) == (
        "adder",
        ["made by hand", ""],
        [(~aig.outputs[0], "n")],
    )
    with pytest.raises(UsageError):
        aig.comments = ["two\nlines"]
    assert repr(aig) == "<Aig 'adder': 3 inputs, 2 outputs, 7 ANDs>"


def test_trees() -> None:
    aig = Aig()
    lits = list(aig.add_inputs(9))
    assert aig.and_all([]) == aig.true
    assert aig.or_all([]) == aig.xor_all([]) == aig.false
    assert aig.and_all(lits[:1]) == lits[0]
    aig.add_output(aig.and_all(lits))
    assert aig.depth == 4
    aig.add_output(aig.or_all(lits))
    aig.add_output(aig.xor_all(lits))
    expected = [[all(v), any(v), sum(v) % 2 == 1] for v in itertools.product([False, True], repeat=9)]
    tables = [
        aig.evaluate(aig.outputs, dict(zip(lits, v, strict=True)))
        for v in itertools.product([False, True], repeat=9)
    ]
    assert tables == expected


def test_copies_are_independent() -> None:
    aig = full_adder()
    for twin in (aig.copy(), copy.copy(aig), copy.deepcopy(aig)):
        assert twin is not aig
        assert twin.names("outputs") == ["sum", "carry"]
        twin.add_output(twin.and_all(list(twin.inputs)))
        assert aig.num_outputs == 2
        assert twin.num_ands == aig.num_ands + 1
    pair = copy.deepcopy([aig.inputs[0], aig.outputs[0]])
    assert pair[0].aig is pair[1].aig
    assert pair[0].aig is not aig


def test_weak_references_and_truth() -> None:
    aig = Aig()
    assert aig
    assert weakref.WeakKeyDictionary({aig: 1})[aig] == 1


def test_subclassing_is_refused() -> None:
    with pytest.raises(TypeError):
        type("Mine", (Aig,), {})
    with pytest.raises(TypeError):
        type("Mine", (Lit,), {})


OPERATIONS: list[Callable[[Lit, Lit, Lit], Lit]] = [
    lambda a, b, _: a & b,
    lambda a, b, _: a | b,
    lambda a, b, _: a ^ b,
    lambda a, _b, _c: ~a,
    lambda a, b, c: a.mux(b, c),
]
TABLE_OPERATIONS: list[Callable[[int, int, int], int]] = [
    lambda a, b, _: a & b,
    lambda a, b, _: a | b,
    lambda a, b, _: a ^ b,
    lambda a, _b, _c: ~a,
    lambda a, b, c: (a & b) | (~a & c),
]


@given(
    st.integers(1, 5),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0), st.integers(0), st.integers(0)), max_size=60),
)
def test_building_agrees_with_truth_tables(inputs: int, steps: list[tuple[int, int, int, int]]) -> None:
    """Random expressions, computed beside on tables held as Python integers."""
    aig = Aig()
    rows = 1 << inputs
    mask = (1 << rows) - 1
    lits = [aig.false, aig.true, *aig.add_inputs(inputs)]
    tables = [0, mask]
    tables += [sum(1 << row for row in range(rows) if row >> i & 1) for i in range(inputs)]
    for operation, *operands in steps:
        i, j, k = (n % len(lits) for n in operands)
        lits.append(OPERATIONS[operation](lits[i], lits[j], lits[k]))
        tables.append(TABLE_OPERATIONS[operation](tables[i], tables[j], tables[k]) & mask)
    for lit in lits:
        aig.add_output(lit)
    assert [int(table, 2) for table in tables_low_first(aig)] == tables
    assert aig.num_ands <= 3 * len(steps)
    for twin in (aig.strash(), aig.cleanup()):
        assert truth_tables(twin) == truth_tables(aig)
    # Equal functions of two literals get equal literals where the two-level rules promise it.
    by_pair = {(node.fanin0, node.fanin1) for node in aig.ands()}
    assert len(by_pair) == aig.num_ands


def tables_low_first(aig: Aig) -> list[str]:
    """Truth tables of the outputs as binary numbers whose lowest digit is row 0."""
    rows = list(itertools.product([False, True], repeat=aig.num_inputs))
    columns = [aig.evaluate(aig.outputs, dict(zip(aig.inputs, reversed(row), strict=True))) for row in rows]
    return [
        "".join("1" if column[i] else "0" for column in reversed(columns)) for i in range(aig.num_outputs)
    ]


def test_evaluate_wants_all_values_it_needs() -> None:
    aig = Aig()
    a, b = aig.add_inputs(2)
    q = aig.add_latch()
    f = (a & b) ^ q
    with pytest.raises(UsageError, match="without a value"):
        aig.evaluate([f], {a: True, b: True})
    assert aig.evaluate([f], {a: False, q: True}) == [True]
    assert aig.evaluate([f, aig.true], {~a: True, b: True, q: False}) == [False, True]
    assert aig.evaluate([], {}) == []
    for key in (f, aig.true, cast(Lit, 1)):
        with pytest.raises(UsageError):
            aig.evaluate([a], {key: True})


def test_handles_at_random_are_reused_safely(rng: random.Random) -> None:
    """Handles of several AIGs made and dropped in any order (the free list)."""
    aigs = [Aig() for _ in range(3)]
    pools = [list(aig.add_inputs(4)) for aig in aigs]
    for _ in range(20000):
        pool = rng.choice(pools)
        pool.append(rng.choice(pool) & ~rng.choice(pool))
        if len(pool) > 200:
            del pool[rng.randrange(100) : 150]
    for aig, pool in zip(aigs, pools, strict=True):
        assert all(lit.aig is aig and aig.lit(lit.raw) == lit for lit in pool)
