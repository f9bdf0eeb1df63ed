from __future__ import annotations

import gc
import weakref

import pytest

from dynomite.errors import StaleRefError, UsageError
from dynomite.ir import (
    Builder,
    Const,
    Context,
    Def,
    InstrId,
    Module,
    Origin,
    StoreKind,
    SymbolRef,
    Tracking,
    UpdateKind,
    ValueId,
    ValueRef,
    load,
)
from tests.dynomite.ir.demo_dialect import (
    ADD,
    BOX,
    DEMO,
    IF,
    IN,
    JUMP,
    PAIR,
    SUB,
    TOKEN,
    USE,
    WORD,
    new_module,
)

STORES = [StoreKind.ARENA, StoreKind.POOL, StoreKind.CHECKED]


def test_a_new_module_is_empty() -> None:
    module, _ = new_module()
    assert len(module) == 0
    assert list(module.body) == []
    assert module.body.region.owner is None
    assert module.body.region.blocks == (module.body,)
    assert module.body.first is None


@pytest.mark.parametrize("store", STORES)
def test_what_was_built_can_be_read(store: StoreKind) -> None:
    module, word = new_module(store)
    builder = Builder(module)
    a = builder.value(IN, word, name="a")
    b = builder.value(IN, word)
    total = builder.value(ADD, word, a, b, loc=Origin("x.c", 3, 4))
    use = builder.build(
        USE, total, Const(5, 8), "text", [1, [True, "in"]], SymbolRef("lib", "f"), attrs={"k": 7}
    )
    assert [instr.name for instr in module.body] == ["demo.IN", "demo.IN", "demo.ADD", "demo.USE"]
    add = total.instr
    assert add.operands == (total, a, b)
    assert add.defs == (total,)
    assert add.uses == (a, b)
    assert add.result == total
    assert [add.is_def(i) for i in range(3)] == [True, False, False]
    assert add.operand_def(1) == a.instr
    assert add.operand(-1) == b
    assert add.is_op(ADD)
    assert not add.is_op(SUB)
    assert int(ADD.opcode(module.context)) == int(add.opcode)
    assert add.location == (Origin("x.c", 3, 4),)
    assert total.type == word
    assert (total.instr, total.index) == (add, 0)
    assert a.name == "a"
    assert b.name is None
    assert a.uses == ((add, 1),)
    assert total.uses == ((use, 0),)
    assert (total.use_count, total.has_uses, b.use_count) == (1, True, 1)
    assert use.uses == (
        total,
        Const(5, 8),
        "text",
        (Const(1, 64), (Const(1, 1), "in")),
        SymbolRef("lib", "f"),
    )
    assert use.attributes == {"k": Const(7, 64)}
    assert use.attribute("k") == Const(7, 64)
    assert use.attribute("absent") is None
    assert use.operand_def(1) is None
    assert add.comes_before(use)
    assert not use.comes_before(add)
    assert list(module.instrs()) == list(module.body)
    with pytest.raises(UsageError, match="defines 0 values"):
        _ = use.result
    with pytest.raises(IndexError):
        use.operand(6)


@pytest.mark.parametrize("width", [1, 8, 63, 64, 65, 128, 1000])
def test_constants_of_any_width(width: int) -> None:
    module, _ = new_module()
    builder = Builder(module)
    largest = Const((1 << width) - 1, width)
    assert largest.value == (1 << width) - 1
    assert Const(-1, width) == largest
    smallest = Const(-(1 << (width - 1)), width)
    assert smallest.value == 1 << (width - 1)
    use = builder.build(USE, largest, smallest, Const(0, width))
    assert use.operands == (largest, smallest, Const(0, width))
    for value in (1 << width, -(1 << (width - 1)) - 1, 1 << (width + 70), -(1 << (width + 70))):
        with pytest.raises(UsageError, match="does not fit"):
            Const(value, width)


def test_a_constant_needs_a_width() -> None:
    with pytest.raises(UsageError, match="at least one bit"):
        Const(0, 0)


def test_types_are_interned_in_their_module() -> None:
    module, word = new_module()
    assert module.type(WORD, 32) == word
    assert module.type(WORD, 33) != word
    assert str(word) == "demo.word(32)"
    assert word.params == (Const(32, 64),)
    assert word.name == "demo.word"
    assert not word.is_token
    assert module.type(TOKEN).is_token
    nested = module.type(WORD, word)
    assert nested.params == (word,)
    assert str(nested) == "demo.word(demo.word(32))"
    with pytest.raises(UsageError, match="takes 1 parameter, not 0"):
        module.type(WORD)
    other, _ = new_module()
    with pytest.raises(UsageError, match="another module"):
        Builder(other).value(IN, word)


def test_regions_and_blocks() -> None:
    module, word = new_module()
    builder = Builder(module)
    condition = builder.value(IN, word)
    region = builder.create_region()
    entry, exit_ = builder.create_block(region), builder.create_block(region)
    branch = builder.build(IF, condition, Def(region))
    assert branch.regions == (region,)
    assert region.owner == branch
    assert region.blocks == (entry, exit_)
    assert region.entry == entry
    assert (entry.next, exit_.previous, exit_.next) == (exit_, entry, None)
    builder.set_place(entry)
    jump = builder.build(JUMP, exit_)
    assert jump.uses == (exit_,)
    assert exit_.references == ((jump, 0),)
    assert jump.parent == branch
    assert branch.parent is None
    assert jump.block == entry
    with pytest.raises(UsageError, match="refers to the block"):
        builder.erase_block(exit_)
    with pytest.raises(UsageError, match="still has blocks"):
        builder.erase(branch)
    with pytest.raises(UsageError, match="belongs to another instruction"):
        builder.build(IF, condition, Def(region))
    builder.erase(jump)
    builder.erase_block(exit_)
    builder.erase_block(entry)
    builder.erase(branch)
    with pytest.raises(StaleRefError):
        _ = entry.region
    with pytest.raises(UsageError, match="body of the module"):
        builder.erase_block(module.body)


def test_an_instruction_may_be_in_several_regions() -> None:
    module, word = new_module()
    builder = Builder(module)
    value = builder.value(IN, word)
    other = builder.create_block(builder.create_region())
    builder.append(other, value.instr)
    assert set(value.instr.blocks) == {module.body, other}
    with pytest.raises(UsageError, match="in this region already"):
        builder.append(module.body, value.instr)
    builder.remove(module.body, value.instr)
    assert value.instr.blocks == (other,)
    assert len(module.body) == 0


@pytest.mark.parametrize("store", STORES)
def test_handles_to_deleted_objects_raise(store: StoreKind) -> None:
    module, word = new_module(store)
    builder = Builder(module)
    a, b = builder.value(IN, word), builder.value(IN, word)
    instr = a.instr
    identity = a.id
    builder.erase(instr)
    # In a pool the new instruction gets the id of the old one.
    again = builder.value(IN, word)
    assert (again.id == identity) == (store == StoreKind.POOL)
    assert again != a
    assert not a.is_live
    assert "deleted" in repr(a)
    assert "deleted" in repr(instr)
    for read in (
        lambda: a.type,
        lambda: a.uses,
        lambda: a.instr,
        lambda: a.name,
        lambda: instr.opcode,
        lambda: instr.operands,
        lambda: instr.block,
        lambda: instr.location,
        lambda: builder.erase(instr),
        lambda: builder.build(USE, a),
        lambda: builder.replace_all_uses(a, b),
        lambda: builder.replace_all_uses(b, a),
        lambda: builder.append(module.body, instr),
        lambda: builder.build(USE, instr),
        lambda: builder.set_value_name(a, "x"),
    ):
        with pytest.raises(StaleRefError):
            read()
    with pytest.raises(StaleRefError):
        module.instr(InstrId(1000))
    with pytest.raises(StaleRefError):
        module.value(ValueId(1000))


def test_what_is_used_cannot_be_erased() -> None:
    module, word = new_module()
    builder = Builder(module)
    a = builder.value(IN, word)
    total = builder.value(ADD, word, a, a)
    with pytest.raises(UsageError, match="still used"):
        builder.erase(a.instr)
    watch = builder.build(USE, total.instr)
    assert total.instr.references == ((watch, 0),)
    with pytest.raises(UsageError, match="still referred to"):
        builder.erase(total.instr)


def test_changing_while_iterating() -> None:
    module, word = new_module()
    builder = Builder(module)
    values = [builder.value(IN, word) for _ in range(4)]
    seen = 0
    for instr in module.body:
        builder.erase(instr)
        seen += 1
    assert seen == 4
    values = [builder.value(IN, word) for _ in range(4)]
    walk = iter(module.body)
    next(walk)
    builder.erase(values[1].instr)
    with pytest.raises(UsageError, match="during the iteration"):
        next(walk)


def test_attributes_and_symbols() -> None:
    module, _ = new_module()
    builder = Builder(module)
    region = builder.create_region()
    box = builder.build(BOX, Def(region), attrs={"sym_name": "ü", "sym_visibility": "private"})
    assert box.symbol_name == "ü"
    assert box.attributes == {"sym_name": "ü", "sym_visibility": "private"}
    builder.set_attributes(box, {"sym_name": "b"})
    assert box.symbol_name == "b"
    plain = builder.build(USE)
    assert plain.symbol_name is None
    assert plain.attributes == {}
    with pytest.raises(UsageError, match="without attributes"):
        builder.set_attributes(plain, {"a": 1})


def test_foreign_operands_are_refused() -> None:
    module, _ = new_module()
    other, word = new_module()
    foreign = Builder(other).value(IN, word)
    builder = Builder(module)
    with pytest.raises(UsageError, match="belongs to another module"):
        builder.build(USE, foreign)
    with pytest.raises(TypeError, match="no operand"):
        builder.build(USE, object())  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="unexpected keyword"):
        builder.build(USE, colour=1)  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError):
        builder.build("demo.USE")  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="not loaded"):
        Builder(Module(Context())).build(USE)
    deep: object = "x"
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(Exception, match="nested too deep"):
        builder.build(USE, deep)  # pyright: ignore[reportArgumentType]
    assert len(module) == 0


def test_unknown_names_come_with_the_nearest() -> None:
    context = Context()
    load(context, DEMO)
    assert context.opcode("demo.ADD") == ADD.opcode(context)
    assert context.op_name(ADD.opcode(context)) == "demo.ADD"
    assert context.traits(ADD) == {"pure", "commutative"}
    assert context.arity(PAIR) == (2, 1)
    assert context.doc(ADD) == "Sum."
    with pytest.raises(UsageError, match=r"did you mean 'demo.ADD'"):
        context.opcode("demo.ADE")
    with pytest.raises(UsageError, match=r"did you mean 'demo.word'"):
        context.kind("demo.wort")


def make_cycle(builder: Builder) -> None:
    builder.listen(lambda update, reverted: builder)


def test_a_reference_keeps_its_module_alive_and_is_no_cycle() -> None:
    module, word = new_module()
    builder = Builder(module, tracking=Tracking.EAGER)
    value: ValueRef | None = builder.value(IN, word)
    make_cycle(builder)
    watch = weakref.ref(module)
    del module, builder, word
    gc.collect()
    assert watch() is not None
    assert value is not None
    assert value.uses == ()
    value = None
    gc.collect()
    assert watch() is None


def test_memory_is_told() -> None:
    module, word = new_module()
    builder = Builder(module)
    a = builder.value(IN, word)
    before = module.memory()
    for _ in range(10_000):
        builder.value(ADD, word, a, a)
    after = module.memory()
    assert after["total"] >= sum(after[key] for key in ("instrs", "blocks", "attributes", "locations"))
    # Growing tables have slack of at most their size.
    assert 64 * 10_000 <= after["instrs"] - before["instrs"] <= 2 * 64 * 10_000


def test_updates_tell_what_happened() -> None:
    module, word = new_module()
    builder = Builder(module, tracking=Tracking.LAZY_TRACKING)
    a = builder.value(IN, word)
    b = builder.value(ADD, word, a, a)
    builder.set_operand(b.instr, 2, Const(1, 32))
    builder.replace_all_uses(a, b)
    kinds = [update.kind for update in builder.updates()]
    assert kinds == [
        UpdateKind.INSTR_CREATE,
        UpdateKind.INSTR_INSERT,
        UpdateKind.INSTR_CREATE,
        UpdateKind.INSTR_INSERT,
        UpdateKind.OPERAND_REPLACE,
        UpdateKind.OPERAND_REPLACE_ALL_USES,
    ]
    change = builder.updates()[4]
    assert change.instr == b.instr
    assert change.operand == 2
    assert change.old == a.ref
    assert module.resolve(change.new) == Const(1, 32)
    assert repr(change) == "<Update OPERAND_REPLACE instr 1>"
