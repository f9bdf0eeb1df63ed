from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from dmt_dialect.aig import Aig
from dynomite._native.passes import Dominance
from dynomite.errors import StaleRefError, UsageError
from dynomite.ir import (
    Builder,
    Const,
    CStore,
    Def,
    InstrRef,
    Module,
    ObjMap,
    ObjSet,
    StoreKind,
    Tracking,
    ValueId,
    ValueRef,
)
from dynomite.ir.analyses import DominanceOrder, InstrOrder, OpcodeIndex, UseCounts
from dynomite.ir.arrays import (
    block_instrs,
    build_rows,
    definers,
    live_instrs,
    opcodes,
    operand_rows,
    types,
    use_counts,
)
from dynomite.ir.instr_like import cone, count_opcodes
from dynomite.ir.tables import block_order, dominance_order, topological_order
from tests.dynomite.ir.demo_dialect import ADD, IF, IN, JUMP, PAIR, SUB, USE, new_module
from tests.dynomite.ir.reference_module import Model, snapshot

STORES = [StoreKind.ARENA, StoreKind.POOL, StoreKind.CHECKED]


def test_maps_grow_with_their_module() -> None:
    module, word = new_module()
    builder = Builder(module)
    a = builder.value(IN, word)
    levels: ObjMap[ValueRef] = ObjMap(module, ValueRef, np.int32, default=-1)
    levels[a] = 5
    values = [builder.value(ADD, word, a, a) for _ in range(100)]
    assert levels[a] == 5
    assert levels[values[99]] == -1
    assert levels.array.dtype == np.int32
    assert levels.array.shape == (101,)
    levels.array[:] = 7
    assert levels[values[3]] == 7
    with pytest.raises(UsageError, match="for each ValueRef"):
        levels[a.instr] = 1  # pyright: ignore[reportArgumentType]
    other, other_word = new_module()
    with pytest.raises(UsageError, match="of one module"):
        _ = levels[Builder(other).value(IN, other_word)]
    builder.erase(values[0].instr)
    with pytest.raises(StaleRefError):
        _ = levels[values[0]]


def test_sets() -> None:
    module, word = new_module()
    builder = Builder(module)
    values = [builder.value(IN, word) for _ in range(5)]
    chosen = ObjSet(module, ValueRef, values[1:3])
    assert [value in chosen for value in values] == [False, True, True, False, False]
    chosen.discard(values[1])
    chosen.add(values[4])
    assert list(chosen) == [2, 4]
    assert len(chosen) == 2
    assert chosen.array.tolist() == [False, False, True, False, True]


def test_numberings_are_made_anew_when_needed() -> None:
    module, word = new_module()
    builder = Builder(module, tracking=Tracking.LAZY_TRACKING)
    first, second = builder.value(IN, word).instr, builder.value(IN, word).instr
    order = block_order(module)
    assert not order.is_current
    assert (order[first], order[second], order.renumberings) == (0, 1, 1)
    builder.set_place(module.body, before=first)
    mark = builder.mark
    front = builder.value(IN, word).instr
    assert not order.has_number(front)
    assert order.unnumbered().tolist() == [int(front.id)]
    assert (order[front], order[first], order[second], order.renumberings) == (0, 1, 2, 2)
    builder.rollback(mark)
    assert order[first] == 0
    builder.set_place(None)
    loose = builder.build(USE)
    with pytest.raises(UsageError, match="has no number"):
        _ = order[loose]


@pytest.mark.parametrize("store", STORES)
def test_rows_build_what_calls_build(store: StoreKind) -> None:
    rows = [[0, 0], [2, 0], [2, 3], [1, 4], [1, 1]]
    made: list[Model] = []
    for bulk in (False, True):
        module, word = new_module(store)
        builder = Builder(module)
        values = [builder.value(IN, word), builder.value(IN, word)]
        if bulk:
            result = build_rows(builder, ADD, word, rows)
            assert result.dtype == np.uint32
            assert result.tolist() == [2, 3, 4, 5, 6]
        else:
            for left, right in rows:
                values.append(builder.value(ADD, word, values[left], values[right]))
        made.append(snapshot(module))
    assert made[0] == made[1]


def test_rows_of_many_kinds() -> None:
    module, word = new_module(StoreKind.POOL)
    builder = Builder(module)
    a, gone = builder.value(IN, word), builder.value(IN, word)
    builder.erase(gone.instr)
    first = module.value_bound
    context = module.context
    ops = [int(op.opcode(context)) for op in (IN, ADD, SUB)]
    operands = [int(a.id), first, first, first + 1, int(a.id)]
    values = build_rows(builder, ops, [int(word.id)] * 3, operands, starts=[0, 0, 2, 5])
    # The pool gives the id of the deleted value out first.
    assert values[0] == int(gone.id)
    sub = module.value(ValueId(int(values[2]))).instr
    assert sub.name == "demo.SUB"
    assert [operand.ref.id for operand in sub.uses if isinstance(operand, ValueRef)] == [
        values[0],
        values[1],
        int(a.id),
    ]


@pytest.mark.parametrize(
    ("ops", "operands", "starts", "message"),
    [
        ([0xFF00], [], [0, 0], "unknown opcode"),
        (None, [[9, 9]], None, "does not come before"),
        (None, [[1, 1]], None, "does not come before"),
        (None, [[0, 0], [0, 2]], None, "row 1 uses a row that does not come before"),
        (None, [0, 0], [0, 5], "do not cover"),
        (None, [0, 0], [1, 2], "do not cover"),
        (None, [0, 0], [0, 2, 1, 2], "a start behind its end"),
        ([0x0100], [0, 0], [0, 1, 2], "differ in length"),
    ],
)
def test_bad_rows_build_nothing(
    ops: list[int] | None, operands: list[int], starts: list[int] | None, message: str
) -> None:
    module, word = new_module()
    builder = Builder(module)
    builder.value(IN, word)
    with pytest.raises(UsageError, match=message):
        build_rows(builder, ADD if ops is None else ops, word, operands, starts)
    assert len(module) == 1


def test_rows_use_no_deleted_values() -> None:
    module, word = new_module()
    builder = Builder(module)
    gone = builder.value(IN, word)
    builder.erase(gone.instr)
    with pytest.raises(UsageError, match="does not exist"):
        build_rows(builder, ADD, word, [[0, 0]])
    other, other_word = new_module()
    with pytest.raises(UsageError, match="another module"):
        build_rows(builder, ADD, other_word, np.zeros((1, 0), np.uint32))
    assert len(module) == len(other) == 0


def test_tables_by_id() -> None:
    module, word = new_module()
    builder = Builder(module)
    a, b = builder.value(IN, word), builder.value(IN, word)
    pair = builder.build(PAIR, Def(word), Def(word), a)
    use = builder.build(USE, a, pair.defs[1], Const(3, 8), attrs={"k": 1})
    builder.erase(b.instr)
    context = module.context
    wanted = [int(op.opcode(context)) for op in (IN, PAIR, USE)]
    assert opcodes(module).tolist() == [wanted[0], 0xFFFF, *wanted[1:]]
    assert live_instrs(module).tolist() == [0, 2, 3]
    assert block_instrs(module.body).tolist() == [0, 2, 3]
    assert use_counts(module).tolist() == [2, 0, 0, 1]
    assert definers(module).tolist() == [0, 2**32 - 1, 2, 2]
    assert types(module)[0] == int(word.id)
    starts, ids, kinds, is_def = operand_rows(module)
    assert starts.tolist() == [0, 1, 1, 4, 8]
    assert ids[1:4].tolist() == [2, 3, 0]
    assert kinds[4:].tolist() == [2, 2, 6, 8]
    assert is_def.tolist() == [True, True, True, False, False, False, False, False]
    assert len(use) == 4


@pytest.mark.parametrize("store", STORES)
def test_compressed_instructions_come_back_the_same(store: StoreKind) -> None:
    module, word = new_module(store)
    builder = Builder(module)
    a, b = builder.value(IN, word), builder.value(IN, word)
    total = builder.value(ADD, word, a, b)
    builder.build(USE, total, total, Const(5, 8), Const(5, 100), "text", [1, 2], attrs={"k": 1})
    small = CStore(module)
    forms = small.compress_block(module.body)
    assert [form.name for form in forms] == ["demo.IN", "demo.IN", "demo.ADD", "demo.USE"]
    assert forms[2].operands == (forms[0], forms[1])
    assert forms[3].operands[2:] == (
        Const(5, 8),
        Const(5, 100),
        "text",
        (Const(1, 64), Const(2, 64)),
        {"k": Const(1, 64)},
    )
    assert [form.use_count for form in forms] == [1, 1, 2, 0]
    assert [form.has_value for form in forms] == [True, True, True, False]
    assert forms[2].type == word
    assert forms[3].type is None
    assert forms[3].operand_def(0) == forms[2]
    assert forms[3].operand_def(2) is None
    assert small.find(total) == forms[2]
    block = builder.create_block(module.body.region)
    builder.set_place(block)
    small.expand_all(builder)
    again = [(instr.name, len(instr), instr.attributes) for instr in block]
    assert again == [(instr.name, len(instr), instr.attributes) for instr in module.body]
    copy = list(block)
    assert copy[2].uses == (copy[0].result, copy[1].result)
    assert copy[3].uses[2:] == list(module.body)[3].uses[2:]


def test_the_compressed_store_checks_what_it_is_given() -> None:
    module, word = new_module()
    builder = Builder(module)
    a = builder.value(IN, word)
    total = builder.value(ADD, word, a, a)
    pair = builder.build(PAIR, Def(word), Def(word), a)
    small = CStore(module)
    assert not small.fits(pair)
    with pytest.raises(UsageError, match="at most one value"):
        small.compress(pair)
    with pytest.raises(UsageError, match="not compressed yet"):
        small.compress(total.instr)
    assert small.find(total) is None
    # A value as operand is compressed on the way.
    user = small.add(USE, None, a)
    first = small.find(a)
    assert first is not None
    assert first.use_count == 1
    with pytest.raises(UsageError, match="still used"):
        small.erase(first)
    with pytest.raises(UsageError, match="without a value"):
        small.add(USE, None, user)
    with pytest.raises(UsageError, match="no instructions, blocks or regions"):
        small.add(JUMP, None, module.body)
    with pytest.raises(UsageError, match="another store"):
        CStore(module).add(USE, None, user)
    small.erase(user)
    assert first.use_count == 0
    small.erase(first)
    assert len(small) == 0
    for read in (lambda: first.opcode, lambda: first.operands, lambda: small.add(USE, None, first)):
        with pytest.raises(StaleRefError):
            read()
    new = small.add(IN, word)
    assert small.expand(new, builder).name == "demo.IN"
    with pytest.raises(UsageError, match="another module"):
        small.expand(new, Builder(new_module()[0]))


def test_a_compressed_binary_operation_takes_at_most_24_bytes() -> None:
    module, word = new_module()
    small = CStore(module)
    last = small.add(IN, word)
    for _ in range(2**16):
        last = small.add(ADD, word, last, last)
    # Growing tables have slack of at most a fifth.
    assert 20 * 2**16 <= small.memory() <= 24 * 2**16 + 1000


def test_one_walk_over_instructions_compressed_ones_and_aig_nodes() -> None:
    module, word = new_module()
    builder = Builder(module)
    a, b, unused = (builder.value(IN, word) for _ in range(3))
    left = builder.value(ADD, word, a, b)
    root = builder.value(SUB, word, left, a)
    small = CStore(module)
    forms = small.compress_block(module.body)
    aig = Aig()
    x, y, _ = aig.add_inputs(["x", "y", "z"])
    gate = ~(x & y) & x
    full = [instr.result for instr in cone([root.instr])]
    assert full == [a, b, left, root]
    assert unused not in full
    assert cone([forms[-1]]) == [forms[0], forms[1], forms[3], forms[4]]
    nodes = cone([gate.node])
    assert {x.node, y.node, gate.node} <= set(nodes)
    assert nodes[-1] == gate.node
    assert count_opcodes(cone([root.instr])) == count_opcodes(cone([forms[-1]]))
    assert sum(count_opcodes(nodes).values()) == len(nodes)


def test_a_walk_meets_long_chains_and_cycles() -> None:
    module, word = new_module()
    builder = Builder(module)
    value = builder.value(IN, word)
    for _ in range(20_000):
        value = builder.value(ADD, word, value, value)
    assert len(cone([value.instr])) == 20_001
    loop = builder.value(ADD, word, value, value)
    builder.set_operand(loop.instr, 1, loop)
    assert cone([loop.instr])[-1] == loop.instr


def test_analyses_consume_a_log_later() -> None:
    module, word = new_module()
    builder = Builder(module, tracking=Tracking.LAZY_TRACKING)
    a = builder.value(IN, word)
    index, counts = OpcodeIndex(module), UseCounts(module)
    mark = builder.mark
    first = builder.value(ADD, word, a, a)
    second = builder.value(ADD, word, first, a)
    builder.replace_all_uses(first, a)
    builder.erase(first.instr)
    builder.set_opcode(second.instr, SUB)
    index.consume(builder.updates(mark))
    counts.consume(builder.updates(mark))
    assert index.instrs(ADD) == []
    assert index.instrs(SUB) == [second.instr]
    assert counts.count(a) == a.use_count == 2


def test_dominance_order_follows_control_flow() -> None:
    module, word = new_module()
    builder = Builder(module, tracking=Tracking.EAGER)
    order = DominanceOrder(module)
    order.follow(builder)
    region = module.body.region
    entry = module.body
    exit_, left, right = (builder.create_block(region) for _ in range(3))
    a = builder.value(IN, word)
    fork = builder.build(JUMP, left, right, a)
    made: dict[str, InstrRef] = {"fork": fork}
    for name, block, target in (("left", left, exit_), ("right", right, exit_), ("exit", exit_, None)):
        builder.set_place(block)
        made[name] = builder.build(JUMP, *([] if target is None else [target]))
    assert Dominance(module).tree_order(region)[0] == entry
    numbers = {name: order.number(instr) for name, instr in made.items()}
    assert numbers["fork"] == min(numbers.values())
    assert len(set(numbers.values())) == 4
    builder.set_place(left, before=made["left"])
    early = builder.value(ADD, word, a, a).instr
    assert order.number(early) < order.number(made["left"])
    assert order.unnumbered(region) == []
    # Without the edge nothing reaches the block on the right.
    builder.set_operand(fork, 1, left)
    assert order.number(early) < order.number(made["exit"]) < order.number(made["right"])
    builder.set_place(None)
    with pytest.raises(UsageError, match="in no block"):
        order.number(builder.build(USE))
    with pytest.raises(UsageError, match="another module"):
        order.follow(Builder(new_module()[0]))


def test_instr_order_numbers_what_is_new_between_its_neighbours() -> None:
    module, word = new_module()
    builder = Builder(module, tracking=Tracking.EAGER)
    region = module.body.region
    made = [builder.value(IN, word).instr for _ in range(20)]
    order = InstrOrder(region)
    order.follow(builder)
    assert order.unnumbered() == made
    assert [order.comes_before(a, b) for a, b in pairwise(made)] == [True] * 19
    assert order.unnumbered() == []
    kept = {instr: order.number(instr) for instr in made}
    before = order.renumberings
    builder.set_place(module.body, before=made[7])
    new = builder.value(IN, word).instr
    assert not order.has_number(new)
    assert order.unnumbered() == [new]
    assert kept[made[6]] < order.number(new) < kept[made[7]]
    assert {instr: order.number(instr) for instr in made} == kept
    assert order.renumberings == before
    mark = builder.mark
    builder.remove(module.body, made[3])
    builder.insert(module.body, made[3], behind=made[9])
    assert not order.has_number(made[3])
    assert kept[made[9]] < order.number(made[3]) < kept[made[10]]
    builder.rollback(mark)
    assert [order.number(instr) for instr in module.body] == sorted(order.number(i) for i in module.body)
    builder.set_place(None)
    with pytest.raises(UsageError, match="not in this region"):
        order.number(builder.build(USE))
    elsewhere = Builder(new_module()[0], tracking=Tracking.LAZY_TRACKING)
    elsewhere.build(USE)
    with pytest.raises(UsageError, match="another module"):
        order.consume(elsewhere.updates())


def test_dominance_order_of_several_regions() -> None:
    module, word = new_module()
    builder = Builder(module, tracking=Tracking.EAGER)
    order = DominanceOrder(module)
    order.follow(builder)
    inner = builder.create_region()
    block = builder.create_block(inner)
    outside = builder.value(IN, word).instr
    builder.build(IF, outside.result, Def(inner))
    rng = random.Random(1)
    homes = [module.body, block]
    for _ in range(300):
        home = rng.choice(homes)
        builder.set_place(home, before=rng.choice([*home, None]))
        builder.value(IN, word)
        if rng.random() < 0.3:
            asked = rng.choice(homes)
            numbers = [order.number(instr) for instr in asked]
            assert all(first < second for first, second in pairwise(numbers))
            assert order.unnumbered(asked.region) == []


def nested_module(rng: random.Random) -> Module:
    """Regions with diamonds, boxes and unreachable blocks; values are used where they are seen."""
    module, word = new_module()
    builder = Builder(module)
    regions = [module.body.region]
    for depth in range(4):
        region = regions[-1]
        blocks = [*region.blocks, *(builder.create_block(region) for _ in range(rng.randrange(1, 5)))]
        for block in blocks:
            builder.set_place(block)
            for _ in range(rng.randrange(3)):
                builder.value(IN, word)
            if block is blocks[-1] and depth < 3:
                inner = builder.create_region()
                builder.create_block(inner)
                builder.build(IF, builder.value(IN, word), Def(inner))
                regions.append(inner)
            builder.build(JUMP, *rng.sample(blocks, rng.randrange(0, min(3, len(blocks)))))
    return module


def test_dominance_order_is_an_order_of_dominance() -> None:
    for seed in range(30):
        module = nested_module(random.Random(seed))
        order, dominance = dominance_order(module), Dominance(module)
        instrs = list(module.instrs())
        assert sorted(order[instr] for instr in instrs) == list(range(len(instrs)))
        for first in instrs:
            for second in instrs:
                one, two = first.block, second.block
                assert one is not None
                assert two is not None
                if one == two:
                    inside = list(one)
                    assert (order[first] < order[second]) == (inside.index(first) < inside.index(second))
                elif one.region == two.region and dominance.dominates(one, two):
                    reachable = dominance.dominates(two, one) is False
                    assert order[first] < order[second] or not reachable
            parent = first.parent
            assert parent is None or order[parent] < order[first]


def test_topological_order_leaves_cycles_out() -> None:
    rng = random.Random(3)
    module, word = new_module()
    builder = Builder(module)
    values = [builder.value(IN, word)]
    for _ in range(200):
        values.append(builder.value(ADD, word, rng.choice(values), rng.choice(values[-20:])))
    order = topological_order(module)
    assert sorted(order[value.instr] for value in values) == list(range(201))
    for value in values:
        for use in value.instr.uses:
            assert isinstance(use, ValueRef)
            assert order[use.instr] < order[value.instr]
    # A cycle, and what hangs on it.
    builder.set_operand(values[150].instr, 1, values[150])
    hanging: set[ValueRef] = {values[150]}
    for value in values:
        if any(use in hanging for use in value.instr.uses):
            hanging.add(value)
    order.renumber()
    assert set(order.unnumbered().tolist()) == {int(value.instr.id) for value in hanging}
    with pytest.raises(UsageError, match="has no number"):
        _ = order[values[150].instr]
