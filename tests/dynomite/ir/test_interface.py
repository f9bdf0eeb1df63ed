from __future__ import annotations

import pytest

from dynomite.errors import LimitError, UsageError
from dynomite.ir import Builder, Context, Dialect, Interface, Module, Op, Opcode, load


def two_dialects() -> tuple[Context, Dialect, Dialect]:
    first, second = Dialect("first"), Dialect("second")
    for dialect in (first, second):
        dialect.op("A")
        dialect.op("B")
    context = Context()
    load(context, first, second)
    return context, first, second


def costs(context: Context, interface: Interface[int], *dialects: Dialect) -> list[int]:
    return [interface.lookup(context, op) for dialect in dialects for op in dialect.ops]


def test_an_operation_goes_before_its_dialect_and_that_before_all() -> None:
    context, first, second = two_dialects()
    cost: Interface[int] = Interface("cost", default=1)
    assert costs(context, cost, first, second) == [1, 1, 1, 1]
    cost.set_dialect(first, 2)
    assert costs(context, cost, first, second) == [2, 2, 1, 1]
    cost.set(first["B"], 3)
    cost.set("second.A", 4)
    assert costs(context, cost, first, second) == [2, 3, 4, 1]
    cost.set_dialect("second", 5)
    assert costs(context, cost, first, second) == [2, 3, 4, 5]
    assert cost.name == "cost"


def test_overriding_is_explicit() -> None:
    context, first, second = two_dialects()
    cost: Interface[int] = Interface("cost", default=1)
    cost.set_dialect(first, 2)
    cost.set(first["A"], 3)
    with pytest.raises(UsageError, match=r"'cost' has an entry for the operation 'first\.A' already"):
        cost.set(first["A"], 4)
    with pytest.raises(UsageError, match="has an entry for the dialect 'first' already"):
        cost.set_dialect(first, 4)
    with pytest.raises(UsageError, match=r"has no entry for the operation 'first\.B' to override"):
        cost.set(first["B"], 4, override=True)
    with pytest.raises(UsageError, match="has no entry for the dialect 'second' to override"):
        cost.set_dialect(second, 4, override=True)
    cost.set(first["A"], 6, override=True)
    cost.set_dialect(first, 7, override=True)
    assert costs(context, cost, first, second) == [6, 7, 1, 1]


def test_tables_belong_to_contexts() -> None:
    _, first, second = two_dialects()
    one, other = Context(), Context()
    load(one, first, second)
    load(other, second, first)
    assert first["A"].opcode(one) != first["A"].opcode(other)
    cost: Interface[int] = Interface("cost", default=0)
    cost.set_dialect(first, 1)
    for context in (one, other, one):
        assert costs(context, cost, first, second) == [1, 1, 0, 0]
    with pytest.raises(UsageError, match="is not loaded"):
        cost.lookup(Context(), first["A"])
    with pytest.raises(UsageError, match="no such opcode"):
        cost.lookup(one, Opcode(9, 9))


def test_later_declarations_are_seen() -> None:
    context, first, _ = two_dialects()
    cost: Interface[int] = Interface("cost", default=0)
    cost.set_dialect(first, 1)
    assert cost.lookup(context, first["A"]) == 1
    new = first.op("NEW")
    with pytest.raises(UsageError, match=r"first\.NEW"):
        cost.lookup(context, new)
    load(context, first)
    assert cost.lookup(context, new) == 1


def test_functions_as_entries() -> None:
    context, first, _ = two_dialects()
    effects: Interface[object] = Interface("effects", default=None)

    @effects.of(first["A"], first["B"])
    def reads(op: str) -> str:
        return f"reads {op}"

    assert effects.lookup(context, first["B"]) is reads
    module = Module(context)
    instr = Builder(module).build(first["A"])
    assert effects.for_instr(instr) is reads


def test_declarations_are_checked() -> None:
    dialect = Dialect("d")
    dialect.op("A")
    dialect.type("t")
    with pytest.raises(UsageError, match="operation 'A' already"):
        dialect.op("A")
    with pytest.raises(UsageError, match="type 't' already"):
        dialect.type("t")
    with pytest.raises(UsageError, match="no operation 'B'"):
        _ = dialect["B"]
    with pytest.raises(TypeError, match="no trait 'fast'"):
        Op("d", "B", fast=True)  # pyright: ignore[reportCallIssue]
    context = Context()
    with pytest.raises(UsageError, match="a name"):
        load(context, Dialect("with space"))
    big = Dialect("big")
    for i in range(257):
        big.op(f"OP{i}")
    with pytest.raises(LimitError, match="a dialect has at most 256 operations"):
        load(context, big)
    typed = Dialect("typed")
    for i in range(257):
        typed.type(f"t{i}")
    with pytest.raises(LimitError, match="a dialect has at most 256 types"):
        load(Context(), typed)
    many = Context()
    for i in range(252):
        many.add_dialect(f"d{i}")
    with pytest.raises(LimitError, match="a context has at most 255 dialects"):
        many.add_dialect("more")
    assert context.dialects == ("core", "dsl", "rewrite", "big")
