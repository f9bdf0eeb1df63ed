from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynomite.errors import UsageError
from dynomite.ir import (
    BlockRef,
    Builder,
    Const,
    DynObjRef,
    FatDynObjRef,
    FatObjRef,
    InstrRef,
    ObjKind,
    ObjRef,
    SymbolRef,
    ValueRef,
    structural_hash,
)
from tests.dynomite.ir.demo_dialect import IN, USE, new_module

IDS = st.integers(0, 2**32 - 1)
BYTES = st.integers(0, 255)
WORDS = st.integers(0, 2**64 - 1)
KINDS = st.sampled_from([InstrRef, ValueRef])


@given(cls=KINDS, index=IDS, payload=WORDS)
def test_conversions_lose_nothing(cls: type[InstrRef], index: int, payload: int) -> None:
    ref = ObjRef(cls, index)
    assert ObjRef.from_dyn(cls, ref.dyn()) == ref
    assert ref.fat().thin() == ref
    fat = ref.fat(payload)
    assert FatObjRef.from_dyn(cls, fat.dyn()) == fat
    assert fat.dyn() == ref.dyn().fat(payload)
    if payload:
        with pytest.raises(UsageError, match="lost"):
            fat.thin()
        with pytest.raises(UsageError, match="lost"):
            fat.dyn().thin()
    else:
        assert fat.dyn().thin() == ref.dyn()
    with pytest.raises(UsageError, match="not to a"):
        ObjRef.from_dyn(BlockRef, ref.dyn())


@given(dialect=BYTES, kind=BYTES, index=IDS, payload=WORDS)
def test_equal_references_have_equal_hashes(dialect: int, kind: int, index: int, payload: int) -> None:
    one = FatDynObjRef(ObjKind(dialect, kind), index, payload)
    other = FatDynObjRef(ObjKind(dialect, kind), index, payload)
    assert one == other
    assert hash(one) == hash(other)
    assert structural_hash([one, other]) == structural_hash([other, one])
    changed = FatDynObjRef(ObjKind(dialect, kind), index, payload ^ 1)
    assert changed != one
    assert structural_hash([changed]) != structural_hash([one])
    assert DynObjRef(ObjKind(dialect, kind), index) == DynObjRef(ObjKind(dialect, kind), index)


def test_structural_hashes_are_the_same_in_every_run() -> None:
    assert structural_hash([]) == 0
    assert structural_hash([FatDynObjRef(ObjKind(0, 6), 32, 5)]) == structural_hash(
        [FatDynObjRef(ObjKind(0, 6), 32, 5)]
    )
    first, second = FatDynObjRef(ObjKind(0, 6), 32, 5), FatDynObjRef(ObjKind(0, 6), 32, 6)
    assert structural_hash([first, second]) != structural_hash([second, first])
    assert structural_hash([first], seed=1) != structural_hash([first])


def test_references_resolve_in_their_module() -> None:
    module, word = new_module()
    builder = Builder(module)
    a = builder.value(IN, word)
    assert ObjRef.to(a).resolve(module) == a
    assert ObjRef.to(a.instr).resolve(module) == a.instr
    assert ObjRef.to(module.body).resolve(module) == module.body
    assert ObjRef.to(module.body.region).resolve(module) == module.body.region
    assert module.resolve(a.ref) == a
    for operand in (a, Const(7, 9), Const(1, 100), "text", (Const(1, 64),), None):
        assert module.resolve(module.reference(operand)) == operand
    use = builder.build(USE, a.ref, a.ref.thin(), None)
    assert use.uses == (a, a, None)


@pytest.mark.parametrize(
    ("dialect", "kind", "index", "payload"),
    [
        (0, 1, 7, 0),
        (0, 2, 7, 0),
        (0, 3, 7, 0),
        (0, 4, 7, 0),
        (0, 5, 70, 0),
        (0, 6, 0, 1),
        (0, 6, 8, 256),
        (0, 6, 65, 0),
        (0, 7, 70, 0),
        (0, 8, 70, 0),
        (0, 2, 0, 5),
        (0, 200, 0, 0),
        (9, 9, 0, 0),
    ],
)
def test_references_to_nothing_are_refused(dialect: int, kind: int, index: int, payload: int) -> None:
    ref = FatDynObjRef(ObjKind(dialect, kind), index, payload)
    module, word = new_module()
    builder = Builder(module)
    builder.value(IN, word)
    with pytest.raises(UsageError, match="no object with such a reference"):
        module.resolve(ref)
    with pytest.raises(UsageError, match="no object with such a reference"):
        builder.build(USE, ref)


def test_nothing_equals_none() -> None:
    module, word = new_module()
    value = Builder(module).value(IN, word)
    for object_ in (value, value.instr, value.type, value.id, value.ref, module.body, value.instr.opcode):
        assert object_ != None  # noqa: E711 - the operator itself is tested
        assert object_ not in (None, 1)


def test_wrong_types_are_type_errors() -> None:
    builder: Any = Builder(new_module()[0])
    make: Any = SymbolRef
    for call in (
        lambda: make(1),
        lambda: builder.set_place("x"),
        lambda: builder.set_place(builder.module.body, before=1),
    ):
        with pytest.raises(TypeError):
            call()
