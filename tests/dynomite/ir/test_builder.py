from __future__ import annotations

import pytest

from dynomite.errors import StaleRefError, UsageError
from dynomite.ir import (
    Builder,
    Const,
    Def,
    InstrRef,
    Origin,
    StoreKind,
    Tracking,
    Type,
    Update,
    UpdateKind,
    ValueRef,
    fold_interface,
    set_folding,
    transaction,
)
from dynomite.ir.operands import Operand
from tests.dynomite.ir.demo_dialect import ADD, BOX, IF, IN, PAIR, SUB, USE, new_module
from tests.dynomite.ir.reference_module import snapshot


def names(builder: Builder) -> list[str]:
    return [instr.name for instr in builder.module.body]


def test_place() -> None:
    module, word = new_module()
    builder = Builder(module)
    a = builder.value(IN, word)
    use = builder.build(USE, a)
    builder.set_place(module.body, before=use)
    assert builder.block == module.body
    builder.value(ADD, word, a, a)
    builder.value(SUB, word, a, a)
    assert names(builder) == ["demo.IN", "demo.ADD", "demo.SUB", "demo.USE"]
    builder.set_place(None)
    loose = builder.build(USE)
    assert loose.block is None
    with pytest.raises(UsageError, match="not in this block"):
        builder.set_place(module.body, before=loose)
    builder.set_place(module.body, before=use)
    builder.erase(use)
    count = len(module)
    with pytest.raises(UsageError, match="has left the block"):
        builder.build(USE)
    assert len(module) == count


def test_a_place_that_was_deleted() -> None:
    module, _ = new_module()
    builder = Builder(module)
    block = builder.create_block(module.body.region)
    builder.set_place(block)
    builder.erase_block(block)
    with pytest.raises(StaleRefError, match="block to build in"):
        builder.build(USE)
    assert len(module) == 0


def test_lazy_updates_happen_on_execute() -> None:
    module, word = new_module()
    builder = Builder(module, tracking=Tracking.LAZY_UPDATE)
    a = builder.value(IN, word)
    total = builder.value(ADD, word, a, a)
    use = builder.build(USE, total)
    assert list(module.body) == []
    assert len(module) == 3
    builder.execute()
    assert [instr.name for instr in module.body] == ["demo.IN", "demo.ADD", "demo.USE"]
    builder.set_place(module.body, before=use)
    builder.build(SUB, Def(word), a, a)
    builder.build(PAIR, Def(word), Def(word), a)
    builder.replace_all_uses(total, a)
    builder.erase(total.instr)
    assert total.is_live
    assert builder.pending == 7
    builder.execute()
    assert builder.pending == 0
    assert names(builder) == ["demo.IN", "demo.SUB", "demo.PAIR", "demo.USE"]
    assert use.uses == (a,)
    assert not total.is_live
    builder.rollback()
    assert len(module) == 0


def test_lazy_updates_can_be_dropped() -> None:
    module, word = new_module()
    Builder(module).value(IN, word)
    before, stamp = snapshot(module), module.stamp
    builder = Builder(module, tracking=Tracking.LAZY_UPDATE)
    builder.build(USE)
    builder.erase(next(iter(module.body)))
    builder.rollback()
    assert snapshot(module) == before
    assert module.stamp == stamp


def test_an_impossible_lazy_update_waits() -> None:
    module, word = new_module()
    builder = Builder(module, tracking=Tracking.LAZY_UPDATE)
    a = builder.value(IN, word)
    builder.build(USE, a)
    builder.execute()
    builder.set_value_name(a, "a")
    builder.erase(a.instr)
    with pytest.raises(UsageError, match="still used"):
        builder.execute()
    assert a.name == "a"
    assert builder.pending == 1
    with pytest.raises(UsageError, match="wait to be executed"):
        builder.set_tracking(Tracking.NONE)
    builder.rollback()
    assert len(module) == 0


def test_listeners_hear_of_updates_and_their_reversal() -> None:
    module, word = new_module()
    builder = Builder(module, tracking=Tracking.EAGER)
    heard: list[tuple[UpdateKind, bool]] = []
    builder.listen(lambda update, reverted: heard.append((update.kind, reverted)))
    mark = builder.mark
    builder.value(IN, word)
    builder.rollback(mark)
    assert heard == [
        (UpdateKind.INSTR_CREATE, False),
        (UpdateKind.INSTR_INSERT, False),
        (UpdateKind.INSTR_INSERT, True),
        (UpdateKind.INSTR_CREATE, True),
    ]


def test_an_error_of_a_listener_comes_out() -> None:
    module, word = new_module()
    builder = Builder(module, tracking=Tracking.EAGER)

    def fail(update: Update, reverted: bool) -> None:
        raise RuntimeError(f"{update.kind} {reverted}")

    builder.listen(fail)
    with pytest.raises(RuntimeError, match="INSTR_CREATE"):
        builder.value(IN, word)


def test_revert_of_the_latest_update() -> None:
    module, word = new_module()
    builder = Builder(module, tracking=Tracking.LAZY_TRACKING)
    a = builder.value(IN, word)
    builder.set_value_name(a, "a")
    creation, insertion, naming = builder.updates()
    with pytest.raises(UsageError, match="not the latest"):
        creation.revert()
    naming.revert()
    assert a.name is None
    with pytest.raises(UsageError, match="not the latest"):
        naming.revert()
    insertion.revert()
    creation.revert()
    assert len(module) == 0
    assert not a.is_live


def test_rollback_refuses_a_module_somebody_else_changed() -> None:
    module, word = new_module()
    first = Builder(module, tracking=Tracking.LAZY_TRACKING)
    second = Builder(module, tracking=Tracking.LAZY_TRACKING)
    a = first.value(IN, word)
    second.value(ADD, word, a, a)
    with pytest.raises(UsageError, match="another builder"):
        first.rollback()
    second.rollback()
    first.rollback()
    assert len(module) == 0
    with pytest.raises(UsageError, match="no such mark"):
        first.rollback(3)


def test_a_pool_cannot_take_deletions_back() -> None:
    module, word = new_module(StoreKind.POOL)
    builder = Builder(module, tracking=Tracking.LAZY_TRACKING)
    a = builder.value(IN, word)
    mark = builder.mark
    builder.value(IN, word)
    builder.rollback(mark)
    assert len(module) == 1
    builder.erase(a.instr)
    with pytest.raises(UsageError, match="forgets"):
        builder.rollback()
    assert len(module) == 0


def test_names_and_places_do_not_pass_to_the_next_owner_of_an_id() -> None:
    module, word = new_module(StoreKind.POOL)
    builder = Builder(module)
    a = builder.value(IN, word, name="a", loc=Origin("x", 1, 1))
    builder.erase(a.instr)
    b = builder.value(IN, word)
    assert b.id == a.id
    assert b.name is None
    assert b.instr.location == ()


def change_and_fail(builder: Builder, value: ValueRef) -> None:
    with transaction(builder):
        builder.value(ADD, value.type, value, value)
        builder.set_value_name(value, "x")
        raise RuntimeError("the reason")


def test_transactions() -> None:
    module, word = new_module()
    builder = Builder(module)
    with transaction(builder) as outer:
        a = builder.value(IN, word)
        before = snapshot(module)
        with pytest.raises(RuntimeError, match="the reason"):
            change_and_fail(builder, a)
        assert snapshot(module) == before
        assert [update.kind for update in outer.updates] == [UpdateKind.INSTR_CREATE, UpdateKind.INSTR_INSERT]
    assert names(builder) == ["demo.IN"]
    assert builder.tracking == Tracking.NONE
    assert builder.mark == 0
    with pytest.raises(UsageError, match="over"):
        outer.rollback()
    lazy = Builder(module, tracking=Tracking.LAZY_UPDATE)
    with transaction(lazy):
        lazy.build(USE)
        assert len(module.body) == 1
    assert len(module.body) == 2


def test_merging_finds_equal_operations() -> None:
    module, word = new_module()
    builder = Builder(module, merging=True)
    a, b = builder.value(IN, word), builder.value(IN, word)
    assert a != b
    total = builder.value(ADD, word, a, b, loc=Origin("x", 1, 1))
    assert builder.value(ADD, word, b, a, loc=Origin("y", 2, 2)) == total
    assert total.instr.location == (Origin("x", 1, 1), Origin("y", 2, 2))
    assert builder.value(SUB, word, a, b) != builder.value(SUB, word, b, a)
    assert builder.value(SUB, word, a, b) == builder.value(SUB, word, a, b)
    assert builder.value(ADD, word, a, b, attrs={"k": 1}) != total
    assert builder.value(ADD, module.type(module.context.kind("core.token")), a, b) != total
    assert builder.value(ADD, word, a, Const(1, 32)) != builder.value(ADD, word, a, Const(2, 32))
    assert builder.merged_count == 3
    builder.set_operand(total.instr, 1, b)
    assert builder.value(ADD, word, a, b) != total
    assert builder.value(ADD, word, b, b) != total  # found under its old content only


def test_merging_looks_at_what_is_visible() -> None:
    module, word = new_module()
    builder = Builder(module, merging=True)
    a = builder.value(IN, word)
    total = builder.value(ADD, word, a, a)
    region = builder.create_region()
    block = builder.create_block(region)
    branch = builder.build(IF, a, Def(region))
    builder.set_place(block)
    assert builder.value(ADD, word, a, a) == total
    inner = builder.value(SUB, word, a, a)
    builder.set_place(module.body)
    outer = builder.value(SUB, word, a, a)
    assert outer != inner
    builder.set_place(module.body, before=branch)
    assert builder.value(SUB, word, a, a) not in (inner, outer)
    isolated = builder.create_region()
    room = builder.create_block(isolated)
    builder.set_place(module.body)
    builder.build(BOX, Def(isolated), attrs={"sym_name": "box"})
    builder.set_place(room)
    assert builder.value(ADD, word, a, a) != total
    builder.set_place(module.body)
    builder.erase(outer.instr)
    assert builder.value(SUB, word, a, a).is_live


def fold_add(builder: Builder, type: Type | None, operands: tuple[Operand, ...]) -> ValueRef | Const | None:
    left, right = operands
    if isinstance(left, Const) and isinstance(right, Const):
        return Const((left.value + right.value) % (1 << left.width), left.width)
    if isinstance(right, Const) and right.value == 0 and isinstance(left, ValueRef):
        return left
    return None


def test_folding_before_an_instruction_exists() -> None:
    module, word = new_module()
    builder = Builder(module)
    folds = fold_interface()
    folds.of(ADD)(fold_add)
    set_folding(builder, folds)
    a = builder.value(IN, word)
    assert builder.value(ADD, word, a, Const(0, 32)) == a
    assert builder.value(ADD, word, Const(2**32 - 1, 32), Const(3, 32)) == Const(2, 32)
    assert len(module) == 1
    assert builder.value(ADD, word, a, a).instr.name == "demo.ADD"
    assert builder.value(SUB, word, Const(1, 32), Const(1, 32)).instr.name == "demo.SUB"
    folds.set(SUB, lambda builder, type, operands: 5)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="a fold function returns"):
        builder.value(SUB, word, a, a)
    set_folding(builder, None)
    assert builder.value(ADD, word, a, Const(0, 32)) != a
    with pytest.raises(TypeError, match="NativeInterface"):
        builder.folding = 3


def test_replace_moves_uses_names_and_origins() -> None:
    module, word = new_module()
    builder = Builder(module, tracking=Tracking.LAZY_TRACKING)
    a, b = builder.value(IN, word), builder.value(IN, word)
    total = builder.value(ADD, word, a, b, name="t", loc=Origin("x", 1, 1))
    use = builder.build(USE, total, total)
    before, mark = snapshot(module), builder.mark
    new = builder.replace(total.instr, SUB, Def(word), b, a, loc=Origin("y", 2, 2))
    assert names(builder) == ["demo.IN", "demo.IN", "demo.SUB", "demo.USE"]
    assert use.uses == (new.result, new.result)
    assert new.result.name == "t"
    assert new.location == (Origin("x", 1, 1), Origin("y", 2, 2))
    assert not total.is_live
    with pytest.raises(UsageError, match="defines 1 values, the new one 2"):
        builder.replace(new, PAIR, Def(word), Def(word), a)
    with pytest.raises(UsageError, match="uses a value of the old one"):
        builder.replace(new, ADD, Def(word), new.result, a)
    builder.rollback(mark)
    assert snapshot(module) == before
    assert total.instr.location == (Origin("x", 1, 1),)


def test_update_in_place_or_by_a_new_instruction() -> None:
    module, word = new_module()
    mutable, immutable = Builder(module), Builder(module, mutable=False)
    a, b = mutable.value(IN, word), mutable.value(IN, word)
    add = mutable.value(ADD, word, a, b).instr
    mutable.build(USE, add.result)
    assert mutable.update(add, SUB, Def(word), b, b, loc=Origin("x", 1, 1)) == add
    assert (add.name, add.uses) == ("demo.SUB", (b, b))
    assert add.location == (Origin("x", 1, 1),)
    longer = mutable.update(add, ADD, Def(word), a, b, a)
    assert longer != add
    assert not add.is_live
    new = immutable.update(longer, SUB, Def(word), a, b, a)
    assert new != longer
    assert names(mutable) == ["demo.IN", "demo.IN", "demo.SUB", "demo.USE"]

    def change(instr: InstrRef) -> None:
        immutable.set_opcode(instr, ADD)

    for call in (
        lambda: change(new),
        lambda: immutable.set_operand(new, 1, b),
        lambda: immutable.set_type(a, word),
    ):
        with pytest.raises(UsageError, match="builder is immutable"):
            call()
