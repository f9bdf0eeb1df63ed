"""The passes as Python sees them: changes reported, logs, notes, errors; oracles are in tests/native."""

from __future__ import annotations

import pytest

from dynomite._native.base import Stop
from dynomite.errors import StaleRefError, UsageError, VerifyError
from dynomite.ir import Builder, Const, Context, Def, Dialect, InstrRef, Module, SymbolRef, Tracking, load
from dynomite.ir.symbols import (
    rename_symbol,
    replace_all_symbol_uses,
    set_visibility,
    symbol_lookup,
    symbol_table,
    symbol_uses,
    token_origin,
)
from dynomite.passes import clone_module, clone_region, make_pass, verify
from dynomite.passes.cse import Cse, CseParams
from dynomite.passes.dce import Dce, DceParams
from dynomite.passes.statistics import Statistics, StatisticsParams
from dynomite.passes.symbol_dce import SymbolDce, SymbolDceParams

D = Dialect("pt")
WORD = D.type("word", params=("width",))
TOKEN = D.type("token", token=True)
IN = D.op("IN", defs=1)
ADD = D.op("ADD", defs=1, uses=2, pure=True, commutative=True)
USE = D.op("USE", variadic=True)
UNKNOWN = D.op("UNKNOWN", defs=1, variadic=True)
FUNC = D.op("FUNC", symbol=True, isolated=True)
TABLE = D.op("TABLE", symbol=True, symbol_table=True)
SELECT = D.op("SELECT", defs=1, pure=True, forwards=True, variadic=True)


@pytest.fixture
def module() -> Module:
    context = Context()
    load(context, D)
    return Module(context)


def names(module: Module) -> list[str]:
    return [instr.name for instr in module.body]


def func(builder: Builder, name: str, visibility: str | None = None, **attrs: SymbolRef) -> InstrRef:
    region = builder.create_region()
    builder.create_block(region)
    private = {} if visibility is None else {"sym_visibility": visibility}
    return builder.build(FUNC, Def(region), attrs={"sym_name": name, **private, **attrs})


def test_cse_merges_and_unites_origins(module: Module) -> None:
    builder = Builder(module)
    word = module.type(WORD, 8)
    a, b = builder.value(IN, word), builder.value(IN, word)
    first = builder.value(ADD, word, a, b)
    second = builder.value(ADD, word, b, a)
    user = builder.build(USE, first, second)
    result = Cse(CseParams())(module, builder=builder)
    assert result.changed
    assert result.stop == "none"
    assert dict(result.stats) == {"visited": 5, "merged": 1}
    assert user.uses == (first, first)
    assert not Cse(CseParams())(module).changed
    with pytest.raises(StaleRefError):
        _ = second.type


def test_cse_can_be_rolled_back(module: Module) -> None:
    builder = Builder(module, tracking=Tracking.LAZY_TRACKING)
    word = module.type(WORD, 8)
    a = builder.value(IN, word)
    for _ in range(3):
        builder.build(USE, builder.value(ADD, word, a, a))
    before, mark, stamp = names(module), builder.mark, module.stamp
    assert Cse(CseParams())(module, builder=builder).stats["merged"] == 2
    assert names(module) != before
    builder.rollback(mark)
    assert names(module) == before
    assert module.stamp == stamp


def test_cse_without_commutativity(module: Module) -> None:
    builder = Builder(module)
    word = module.type(WORD, 8)
    a, b = builder.value(IN, word), builder.value(IN, word)
    builder.build(USE, builder.value(ADD, word, a, b), builder.value(ADD, word, b, a))
    assert not Cse(CseParams(commutative=False))(module).changed
    assert Cse(CseParams())(module).changed


def test_unknown_effects_stay(module: Module) -> None:
    """Row r-ir-cse-attrs of the shared cases."""
    builder = Builder(module)
    word = module.type(WORD, 8)
    a = builder.value(IN, word)
    one = builder.value(UNKNOWN, word, a, attrs={"k": Const(1, 8)})
    two = builder.value(UNKNOWN, word, a, attrs={"k": Const(1, 8)})
    builder.build(USE, one, two)
    assert not Cse(CseParams())(module).changed
    assert not Dce(DceParams())(module).changed


def test_dce(module: Module) -> None:
    builder = Builder(module)
    word = module.type(WORD, 8)
    a = builder.value(IN, word)
    value = a
    for _ in range(10):
        value = builder.value(ADD, word, value, a)
    result = Dce(DceParams())(module)
    assert result.changed
    assert result.stats["erased"] == 10
    assert len(module) == 1
    assert not Dce(DceParams())(module).changed


def test_a_cancelled_pass_changes_nothing(module: Module) -> None:
    builder = Builder(module)
    word = module.type(WORD, 8)
    a = builder.value(IN, word)
    builder.value(ADD, word, a, a)
    stop = Stop()
    stop.cancel()
    result = Dce(DceParams())(module, stop=stop)
    assert not result.changed
    assert result.stop == "cancelled"
    assert len(module) == 2


def test_passes_tell_listeners(module: Module) -> None:
    builder = Builder(module, tracking=Tracking.EAGER)
    word = module.type(WORD, 8)
    a = builder.value(IN, word)
    builder.value(ADD, word, a, a)
    seen: list[str] = []
    builder.listen(lambda update, reverted: seen.append(update.kind.name))
    assert Dce(DceParams())(module, builder=builder).changed
    assert seen == ["INSTR_REMOVE", "INSTR_DELETE"]


def test_lazy_updates_are_refused(module: Module) -> None:
    with pytest.raises(UsageError, match="only records"):
        Cse(CseParams())(module, builder=Builder(module, tracking=Tracking.LAZY_UPDATE))


def test_symbol_dce(module: Module) -> None:
    builder = Builder(module)
    main = func(builder, "main", calls=SymbolRef("a"))
    kept = func(builder, "a", "private")
    func(builder, "p", "private", calls=SymbolRef("q"))
    func(builder, "q", "private", calls=SymbolRef("p"))
    func(builder, "main2", calls=SymbolRef("gone"))
    result = SymbolDce(SymbolDceParams())(module)
    assert dict(result.stats) == {"visited": 5, "erased": 2, "erased_instrs": 2, "unresolved": 1}
    assert len(result.notes) == 1
    assert "gone" in result.notes[0]
    assert list(symbol_table(module, None)) == ["main", "a", "main2"]
    assert symbol_lookup(main, "a") == kept
    assert symbol_lookup(main, "p") is None


def test_symbol_uses_and_renaming(module: Module) -> None:
    builder = Builder(module)
    f = func(builder, "f")
    g = func(builder, "g", calls=SymbolRef("f"))
    ((user, _, reference),) = symbol_uses(f)
    assert user == g
    assert reference == SymbolRef("f")
    assert rename_symbol(builder, f, "h") == 1
    assert symbol_uses(f)[0][2] == SymbolRef("h")
    with pytest.raises(UsageError, match="@g exists already"):
        rename_symbol(builder, f, "g")
    assert replace_all_symbol_uses(builder, f, "g") == 1
    assert not symbol_uses(f)
    assert len(symbol_uses(g)) == 1
    set_visibility(builder, f, "private")
    assert f.attributes["sym_visibility"] == "private"
    with pytest.raises(UsageError):
        set_visibility(builder, f, "hidden")


def test_verify_collects_all_errors(module: Module) -> None:
    builder = Builder(module)
    word = module.type(WORD, 8)
    func(builder, "f")
    func(builder, "f")
    builder.build(USE, SymbolRef("ff"))
    early = builder.value(ADD, word, Const(1, 8), Const(2, 8))
    del early
    with pytest.raises(VerifyError) as caught:
        verify(module)
    text = str(caught.value)
    assert "the symbol @f is defined twice" in text
    assert "unknown symbol @ff; did you mean @f?" in text
    assert text.count("error:") == 2


def test_tokens(module: Module) -> None:
    token = module.type(TOKEN)
    builder = Builder(module)
    made = builder.value(IN, token)
    user = builder.build(USE, made)
    assert token_origin(user, 0) == module.body.first
    verify(module)
    builder.build(SELECT, Def(module.type(WORD, 8)), made)
    with pytest.raises(VerifyError, match="must not pass through"):
        verify(module)


def test_clones(module: Module) -> None:
    builder = Builder(module)
    word = module.type(WORD, 8)
    region = builder.create_region()
    block = builder.create_block(region)
    builder.build(TABLE, Def(region), attrs={"sym_name": "t"})
    builder.set_place(block)
    a = builder.value(IN, word)
    builder.build(USE, a)
    copy = clone_module(module)
    assert names(copy) == names(module)
    assert len(copy) == 3
    other = clone_region(builder, region)
    assert other != region
    assert len(module) == 5
    assert len(copy) == 3
    (inner,) = list(other.blocks)
    first, second = list(inner)
    assert second.uses[0] == first.result
    assert first.result != a


def test_statistics(module: Module) -> None:
    builder = Builder(module)
    word = module.type(WORD, 8)
    a = builder.value(IN, word)
    builder.value(ADD, word, a, a)
    stats = Statistics(StatisticsParams())(module).stats
    assert stats["instrs"] == 2
    assert stats["op pt.ADD"] == 1
    assert stats["depth"] == 2


def test_a_pass_by_name() -> None:
    assert isinstance(make_pass("cse"), Cse)
    with pytest.raises(UsageError, match="did you mean 'cse'"):
        make_pass("csee")
