"""Levels, cones, clean-up, comparison and statistics of AIGs."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmt_dialect.aig import Aig, Lit, circuit_hash, first_difference, same_circuit
from tests.support.generators import random_aig
from tests.support.oracles import truth_tables

seeds = st.integers(0, 2**32)


def naive_levels(aig: Aig) -> list[int]:
    levels: list[int] = []
    for node in aig.nodes():
        below = [levels[node.operand_def(i).id.__index__()] for i in range(len(node.operands))]
        levels.append(1 + max(below) if below else 0)
    return levels


def roots(aig: Aig) -> list[Lit]:
    lits = [*aig.outputs, *aig.next_states, *aig.bad, *aig.constraints, *aig.fairness]
    return lits + [lit for group in aig.justice for lit in group]


def naive_cone(lits: list[Lit]) -> set[int]:
    """Indices of the transitive fanin."""
    seen: set[int] = set()
    open_nodes = [lit.node for lit in lits]
    while open_nodes:
        node = open_nodes.pop()
        if node.id.__index__() not in seen:
            seen.add(node.id.__index__())
            open_nodes += [node.operand_def(i) for i in range(len(node.operands))]
    return seen


def with_properties(aig: Aig, rng: random.Random) -> Aig:
    def any_lit() -> Lit:
        return aig.lit(rng.randrange(2 * aig.num_nodes))

    aig.add_bad(any_lit())
    aig.add_constraint(any_lit(), "c")
    aig.add_fairness(any_lit())
    aig.add_justice([any_lit(), any_lit()])
    return aig


@given(seeds, st.booleans())
def test_levels_fanouts_and_cones_agree_with_naive_ones(seed: int, raw: bool) -> None:
    rng = random.Random(seed)
    aig = with_properties(random_aig(rng, 4, 40, 3, latches=2, raw=raw), rng)
    levels = naive_levels(aig)
    assert aig.levels().tolist() == levels
    assert aig.depth == max(levels[lit.raw >> 1] for lit in roots(aig))
    counts = [0] * aig.num_nodes
    for lit in [*roots(aig), *(lit for node in aig.ands() for lit in node.operands)]:
        counts[lit.raw >> 1] += 1
    assert aig.fanout_counts().tolist() == counts
    lits = rng.choices(roots(aig), k=2)
    cone = naive_cone(lits)
    assert [node.id.__index__() for node in aig.fanin_cone(lits)] == sorted(cone)
    leaves = [lit for lit in aig.inputs + aig.latches if lit.raw >> 1 in cone]
    assert aig.support(lits) == tuple(sorted(leaves, key=lambda lit: lit.raw))
    stats = aig.stats()
    needed = naive_cone(roots(aig))
    assert stats["dangling_ands"] == sum(node.id.__index__() not in needed for node in aig.ands())
    assert stats["unused_inputs"] == sum(lit.raw >> 1 not in needed for lit in aig.inputs)
    assert stats["max_fanout"] == max(counts)
    assert stats["levels"] == aig.depth
    assert stats["duplicate_ands"] == aig.num_ands - len({frozenset(node.operands) for node in aig.ands()})
    assert stats["trivial_ands"] == sum(
        len({lit.node for lit in node.operands}) == 1 or any(lit.is_constant for lit in node.operands)
        for node in aig.ands()
    )


def test_stats_count_structures() -> None:
    aig = Aig()
    a, b, c = aig.add_inputs(["a", "b", "c"])
    aig.add_input()
    q = aig.add_latch(1, "q")
    aig.add_latch(None)
    aig.set_next(q, c.mux(a, b))
    aig.add_output(a ^ b, "x")
    aig.add_output(~aig.false)
    aig.add_output(~c)
    aig.add_net_name(a ^ b, "n")
    aig.comments = ["one"]
    assert (b & q).node.is_and
    expected = {
        "inputs": 4, "outputs": 3, "latches": 2, "ands": 7, "levels": 2, "xors": 1, "muxes": 1,
        "dangling_ands": 1, "duplicate_ands": 0, "trivial_ands": 0, "unused_inputs": 1, "unused_latches": 2,
        "constant_outputs": 1, "direct_outputs": 1, "latches_reset_1": 1, "latches_uninitialised": 1,
        "input_names": 3, "output_names": 1, "latch_names": 1, "net_names": 1, "comment_lines": 1,
    }  # fmt: skip
    stats = aig.stats()
    assert {key: stats[key] for key in expected} == expected


@given(seeds)
def test_cone_computes_the_same(seed: int) -> None:
    rng = random.Random(seed)
    aig = random_aig(rng, 5, 60, 4, raw=True)
    aig.set_names("inputs", list("abcde"))
    aig.set_names("outputs", list("wxyz"))
    lits = [aig.outputs[2], ~aig.outputs[1], aig.lit(rng.randrange(2 * aig.num_nodes))]
    full = aig.cone(lits, keep_inputs=True)
    wanted = aig.copy()
    for i in range(4):
        wanted.set_output(i, wanted.lit([*lits, lits[0]][i].raw))
    assert truth_tables(full) == truth_tables(wanted)[:3]
    assert full.names("inputs") == list("abcde")
    cone = aig.cone(lits)
    support = aig.support(lits)
    assert cone.names("inputs") == [aig.get_name("inputs", lit.node.position) for lit in support]
    assert cone.num_ands == sum(node.is_and for node in aig.fanin_cone(lits))
    assert cone.stats()["dangling_ands"] == cone.stats()["unused_inputs"] == 0


def test_cone_names_its_outputs_once() -> None:
    aig = Aig()
    a, b = aig.add_inputs(2)
    f = a & b
    for lit, name in ((f, None), (a, "a"), (f, "late"), (~f, "not")):
        aig.add_output(lit, name)
    assert aig.cone([~f, a, f, a, b]).names("outputs") == ["not", "a", None, None, None]


def test_cone_follows_latches_or_cuts_them() -> None:
    aig = Aig()
    a, b, c = aig.add_inputs(["a", "b", "c"])
    p, q, r = (aig.add_latch(i, name) for i, name in ((0, "p"), (1, "q"), (None, "r")))
    aig.set_next(p, q & a)
    aig.set_next(q, ~p)
    aig.set_next(r, b)
    aig.add_output(p & c, "f")
    aig.add_net_name(q & a, "net")
    cone = aig.cone([aig.outputs[0]])
    assert (cone.names("inputs"), cone.names("latches"), cone.resets) == (["a", "c"], ["p", "q"], [0, 1])
    assert cone.next_states[1] == ~cone.latches[0]
    assert cone.next_states[0] == cone.latches[1] & cone.inputs[0]
    assert [name for _, name in cone.net_names] == ["net"]
    cut = aig.cone([aig.outputs[0]], follow_latches=False)
    assert (cut.names("inputs"), cut.num_latches, cut.num_ands) == (["c", "p"], 0, 1)
    assert aig.cone([aig.outputs[0]], keep_inputs=True).names("inputs") == ["a", "b", "c"]


def test_cone_of_a_long_shift_register() -> None:
    aig = Aig()
    last = aig.add_input()
    for _ in range(50_000):
        latch = aig.add_latch()
        aig.set_next(latch, last)
        last = latch
    assert aig.cone([last]).num_latches == 50_000


@given(seeds, st.booleans())
def test_cleanup_and_strash_keep_the_circuit(seed: int, raw: bool) -> None:
    rng = random.Random(seed)
    aig = with_properties(random_aig(rng, 4, 50, 3, latches=2, raw=raw), rng)
    aig.add_input("late")
    aig.add_net_name(aig.outputs[0], "n")
    aig.add_net_name(aig.outputs[1], "m")
    aig.comments, aig.name = ["c"], "top"
    clean = aig.cleanup()
    assert same_circuit(aig, clean)
    assert clean.stats()["dangling_ands"] == 0
    assert clean.num_ands == aig.num_ands - aig.stats()["dangling_ands"]
    assert [lit.raw for lit in clean.inputs + clean.latches] == [2 * i for i in range(1, 8)]
    hashed = aig.strash()
    again = hashed.strash()
    assert same_circuit(hashed, again)
    assert again.num_ands == hashed.num_ands
    assert all(hashed.stats()[key] == 0 for key in ("dangling_ands", "duplicate_ands", "trivial_ands"))
    for twin in (clean, hashed):
        assert (twin.comments, twin.name, twin.names("constraints")) == (["c"], "top", ["c"])
        assert (twin.resets, twin.num_outputs) == (aig.resets, aig.num_outputs)
        assert functions(twin) == functions(aig)


def functions(aig: Aig) -> list[str]:
    """Truth tables of all roots with the latches as inputs."""
    flat = Aig()
    leaves = dict(
        zip(aig.inputs + aig.latches, flat.add_inputs(aig.num_inputs + aig.num_latches), strict=True)
    )
    lits = {aig.false.node.id: flat.false, **{leaf.node.id: lit for leaf, lit in leaves.items()}}
    for node in aig.ands():
        a, b = (lits[lit.node.id] ^ lit.is_complemented for lit in node.operands)
        lits[node.id] = a & b
    for lit in roots(aig):
        flat.add_output(lits[lit.node.id] ^ lit.is_complemented)
    return truth_tables(flat)


def renumbered(aig: Aig, rng: random.Random) -> Aig:
    """The same circuit with other numbers, swapped fanins, doubled and dangling gates."""
    rows: list[list[int]] = aig.fanins.tolist()
    new_rows: list[tuple[int, int]] = []
    place: list[int] = []
    # Ports first, then a random topological order of the ANDs.
    order = [i for i, row in enumerate(rows) if row[0] == 0xFFFFFFFF]
    waiting = [i for i, row in enumerate(rows) if row[0] != 0xFFFFFFFF]
    place = [-1] * len(rows)
    for i in order:
        place[i] = len(new_rows)
        new_rows.append((rows[i][0], rows[i][1]))
    while waiting:
        ready = [i for i in waiting if all(place[lit >> 1] >= 0 for lit in rows[i])]
        i = rng.choice(ready)
        waiting.remove(i)
        fanins = [2 * place[lit >> 1] + (lit & 1) for lit in rows[i]]
        for _ in range(rng.choice([1, 1, 2])):
            rng.shuffle(fanins)
            place[i] = len(new_rows)
            new_rows.append((fanins[0], fanins[1]))
        if rng.random() < 0.2:
            new_rows.append((rng.randrange(2 * len(new_rows)), rng.randrange(2 * len(new_rows))))
    twin = Aig.from_fanins(np.array(new_rows, dtype=np.uint32))

    def moved(lit: Lit) -> Lit:
        return twin.lit(2 * place[lit.raw >> 1] + (lit.raw & 1))

    for latch, old, reset in zip(twin.latches, aig.next_states, aig.resets, strict=True):
        twin.set_next(latch, moved(old))
        twin.set_reset(latch, reset)
    for lits, add, section in (
        (aig.outputs, twin.add_output, "outputs"),
        (aig.bad, twin.add_bad, "bad"),
        (aig.constraints, twin.add_constraint, "constraints"),
        (aig.fairness, twin.add_fairness, "fairness"),
    ):
        for lit in lits:
            add(moved(lit))
        twin.set_names(section, aig.names(section))
    for group in aig.justice:
        twin.add_justice([moved(lit) for lit in group])
    for section in ("inputs", "latches", "justice"):
        twin.set_names(section, aig.names(section))
    return twin


@given(seeds)
def test_same_circuit_sees_through_numbering(seed: int) -> None:
    rng = random.Random(seed)
    aig = with_properties(random_aig(rng, 4, 30, 3, latches=2, raw=True), rng)
    aig.set_name("inputs", 1, "x")
    twin = renumbered(aig, rng)
    assert first_difference(aig, twin) is None
    assert first_difference(twin, aig) is None
    assert circuit_hash(aig) == circuit_hash(twin)


def base_circuit() -> Aig:
    aig = Aig()
    a, b = aig.add_inputs(["a", "b"])
    q = aig.add_latch(0, "q")
    aig.set_next(q, a & b)
    aig.add_output(a | q, "f")
    aig.add_bad(a & q, "bad")
    aig.add_constraint(a, "con")
    aig.add_fairness(b, "fair")
    aig.add_justice([a, b], "just")
    return aig


def renamed(section: str) -> Callable[[Aig], object]:
    return lambda aig: aig.set_name(section, 0, "other")


CHANGES: list[tuple[Callable[[Aig], object], str]] = [
    (lambda g: g.add_input(), "number of inputs: 2 and 3"),
    (lambda g: g.add_latch(), "number of latches"),
    (lambda g: g.add_output(g.true), "number of outputs"),
    (lambda g: g.add_bad(g.true), "number of bad properties"),
    (lambda g: g.add_constraint(g.true), "number of constraints"),
    (lambda g: g.add_fairness(g.true), "number of fairness constraints"),
    (lambda g: g.add_justice([]), "number of justice properties"),
    (lambda g: g.set_output(0, ~g.outputs[0]), "logic of output 0"),
    (lambda g: g.set_output(0, g.inputs[0] | g.inputs[1]), "logic of output 0"),
    (lambda g: g.set_next(g.latches[0], g.inputs[0]), "logic of latch 0"),
    (lambda g: g.set_reset(g.latches[0], None), "reset value of latch 0"),
    (renamed("inputs"), "name of input 0: 'a' and 'other'"),
    (renamed("latches"), "name of latch 0"),
    (renamed("outputs"), "name of output 0"),
    (renamed("bad"), "name of bad property 0"),
    (renamed("constraints"), "name of constraint 0"),
    (renamed("fairness"), "name of fairness constraint 0"),
    (renamed("justice"), "name of justice property 0"),
    (lambda g: g.set_name("inputs", 1, None), "name of input 1: 'b' and ''"),
]


@pytest.mark.parametrize(("change", "says"), CHANGES)
def test_same_circuit_notices_every_change(change: Callable[[Aig], object], says: str) -> None:
    left, right = base_circuit(), base_circuit()
    assert same_circuit(left, right)
    change(right)
    difference = first_difference(left, right)
    assert difference is not None
    assert says in difference
    assert not same_circuit(left, right)
    assert circuit_hash(left) != circuit_hash(right)
    assert same_circuit(left, right, names=False) == says.startswith("name")
    assert (circuit_hash(left, names=False) == circuit_hash(right, names=False)) == says.startswith("name")


def test_same_circuit_compares_justice_literals() -> None:
    circuits: list[Aig] = []
    for pick in ((0, 1), (1, 0), (0,)):
        aig = Aig()
        lits = aig.add_inputs(2)
        aig.add_justice([lits[i] for i in pick])
        circuits.append(aig)
    assert first_difference(circuits[0], circuits[1]) == "logic of justice property 0"
    assert "literals of justice property 0" in (first_difference(circuits[0], circuits[2]) or "")
    assert len({circuit_hash(aig) for aig in circuits}) == 3


def test_same_circuit_is_about_structure() -> None:
    left, right = Aig(), Aig()
    for aig in (left, right):
        a, b, c = aig.add_inputs(3)
        aig.add_output(a & (b & c) if aig is left else (a & b) & c)
    assert not same_circuit(left, right)
    assert truth_tables(left) == truth_tables(right)
