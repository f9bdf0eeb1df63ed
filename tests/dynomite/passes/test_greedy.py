from __future__ import annotations

import random
import time

import pytest

from dynomite._native.base import Stop
from dynomite._native.ir import DEFAULT_STORE
from dynomite.errors import LimitError, UsageError
from dynomite.ir import (
    Builder,
    Const,
    Context,
    Dialect,
    InstrRef,
    Module,
    Op,
    StoreKind,
    Tracking,
    ValueRef,
    load,
    parse,
    print_module,
    write_bytecode,
)
from dynomite.passes.greedy import Pattern, RewriteFunction, apply_patterns_greedily
from dynomite.passes.verify import verify

D = Dialect("d")
WORD = D.type("word", params={"width": "unsigned"})
IN = D.op("IN", defs=1)
ADD = D.op("ADD", defs=1, uses=2, pure=True, same_type=True)
SUB = D.op("SUB", defs=1, uses=2, pure=True, same_type=True)
NOT = D.op("NOT", defs=1, uses=1, pure=True, same_type=True)
USE = D.op("USE", variadic=True)
BOX = D.op("BOX", graph_region=True)


def context() -> Context:
    made = Context()
    load(made, D)
    return made


def module_of(text: str, store: StoreKind = DEFAULT_STORE) -> Module:
    return parse("using d\n" + text, context(), store=store)


def swap(instr: InstrRef, builder: Builder) -> None:
    x, y = instr.operand(1), instr.operand(2)
    builder.set_operand(instr, 1, y)
    builder.set_operand(instr, 2, x)


def to(op: Op) -> RewriteFunction:
    def change(instr: InstrRef, builder: Builder) -> None:
        builder.set_opcode(instr, op)

    return change


def not_not(instr: InstrRef, builder: Builder) -> None:
    inner = instr.operand_def(1) if instr.is_op(NOT) else None
    if inner is not None and inner.is_op(NOT):
        value = inner.operand(1)
        assert isinstance(value, ValueRef)
        builder.replace_all_uses(instr.result, value)


def add_zero(instr: InstrRef, builder: Builder) -> None:
    value, other = instr.operand(1), instr.operand(2)
    if isinstance(other, Const) and other.value == 0 and isinstance(value, ValueRef):
        builder.replace_all_uses(instr.result, value)


def add_same(instr: InstrRef, builder: Builder) -> None:
    if instr.operand(1) == instr.operand(2):
        builder.replace_all_uses(
            instr.result,
            builder.value(NOT, instr.result.type, builder.value(NOT, instr.result.type, instr.operand(1))),
        )


def test_patterns_run_until_nothing_changes() -> None:
    text = "IN %a:def(word(4))\n" + "".join(
        f"NOT %n{i}:def %{'a' if i == 0 else f'n{i - 1}'}\n" for i in range(101)
    )
    module = module_of(text + "USE %n100\n")
    result = apply_patterns_greedily(module, [Pattern("not_not", not_not, (NOT,))])
    assert print_module(module, declarations=False) == (
        "d.IN %a:def(d.word(4))\nd.NOT %n100:def(d.word(4)) %a\nd.USE %n100\n"
    )
    assert result.changed
    assert 50 <= result.stats["rewrites"] == result.stats["not_not"] <= 100
    again = apply_patterns_greedily(module, [Pattern("not_not", not_not, ("d.NOT",))])
    assert not again.changed
    assert dict(again.stats) == {"visited": 1, "rewrites": 0, "erased": 0, "not_not": 0}


def test_new_instructions_and_users_are_looked_at() -> None:
    module = module_of(
        "IN %a:def(word(4)); ADD %b:def %a %a; ADD %c:def %b constant(0, 4); NOT %d:def %c; USE %d"
    )
    patterns = [
        Pattern("zero", add_zero, (ADD,)),
        Pattern("same", add_same, (ADD,)),
        Pattern("not_not", not_not),
    ]
    result = apply_patterns_greedily(module, patterns)
    assert [instr.name for instr in module.body] == ["d.IN", "d.NOT", "d.USE"]
    verify(module)
    assert (result.stats["zero"], result.stats["same"]) == (1, 1)


def test_benefit_decides() -> None:
    module = module_of("IN %a:def(word(4)); ADD %b:def %a %a; USE %b")
    patterns = [Pattern("to_not", to(SUB), (ADD,)), Pattern("better", not_used, (ADD,), benefit=9)]
    stats = apply_patterns_greedily(module, patterns).stats
    assert (stats["better"], stats["to_not"]) == (1, 0)


def not_used(instr: InstrRef, builder: Builder) -> None:
    value = instr.operand(1)
    assert isinstance(value, ValueRef)
    builder.replace_all_uses(instr.result, value)


@pytest.mark.parametrize("tracking", [Tracking.NONE, Tracking.LAZY_TRACKING, Tracking.EAGER])
def test_a_pattern_that_matches_its_own_result_is_named(tracking: Tracking) -> None:
    """Row r-ir-pingpong of the shared cases."""
    module = parse(
        "using d\nIN %a:def(word(8))\nIN %b:def(word(8))\nADD %0:def %a %b\nUSE %0\n",
        context(),
        path="f.dyn",
        locations=True,
    )
    before = write_bytecode(module)
    builder = Builder(module, tracking=tracking)
    with pytest.raises(
        LimitError, match=r"the pattern 'swap' does not settle: d.ADD \(f.dyn:4:1\) and what .* 50 times"
    ):
        apply_patterns_greedily(module, [Pattern("swap", swap, (ADD,))], limit=50, builder=builder)
    assert write_bytecode(module) == before, "nothing is half done"
    assert builder.tracking == tracking


def test_patterns_that_chase_each_other_are_named() -> None:
    module = module_of("IN %a:def(word(8)); ADD %0:def %a %a; USE %0")
    patterns = [
        Pattern("there", to(SUB), (ADD,)),
        Pattern("back", to(ADD), (SUB,)),
        Pattern("calm", not_not, (NOT,)),
    ]
    with pytest.raises(LimitError, match="the patterns 'there' and 'back' do not settle"):
        apply_patterns_greedily(module, patterns)


def test_growth_without_end_is_found() -> None:
    def grow(instr: InstrRef, builder: Builder) -> None:
        for _ in range(2):
            builder.build(USE, instr.operand(0))

    module = module_of("IN %a:def(word(8)); USE %a")
    with pytest.raises(LimitError, match=r"the pattern 'grow' does not settle: .* rewrites of \d+ in all"):
        apply_patterns_greedily(module, [Pattern("grow", grow, (USE,))], limit=10**9)
    assert len(module) == 2


def test_rewriting_can_be_taken_back_and_stays_inside() -> None:
    inside, outside = "NOT %x:def %a; NOT %y:def %x; USE %y", "NOT %u:def %a; NOT %v:def %u; USE %v"
    text = f"IN %a:def(word(4)); BOX {{ {inside} }}; {outside}"
    module = module_of(text)
    before = write_bytecode(module)
    builder = Builder(module, tracking=Tracking.LAZY_TRACKING)
    box = list(module.body)[1]
    result = apply_patterns_greedily(module, [Pattern("not_not", not_not)], within=box, builder=builder)
    assert result.stats["not_not"] == 1
    assert sum(instr.is_op(NOT) for instr in module.instrs()) == 2
    builder.rollback(0)
    assert write_bytecode(module) == before


def test_a_failing_pattern_changes_nothing_and_is_named() -> None:
    def fail(instr: InstrRef, builder: Builder) -> None:
        builder.set_opcode(instr, SUB)
        raise ZeroDivisionError("no")

    module = module_of("IN %a:def(word(8)); ADD %0:def %a %a; USE %0")
    before = write_bytecode(module)
    with pytest.raises(ZeroDivisionError) as caught:
        apply_patterns_greedily(module, [Pattern("fail", fail, (ADD,))])
    assert caught.value.__notes__ == ["in the pattern 'fail' at d.ADD"]
    assert write_bytecode(module) == before


def test_pool_stores_and_stopping() -> None:
    module = module_of("IN %a:def(word(8)); NOT %b:def %a; NOT %c:def %b; USE %c", StoreKind.POOL)
    assert apply_patterns_greedily(module, [Pattern("not_not", not_not)]).stats["erased"] == 2
    swapping = module_of("IN %a:def(word(8)); ADD %0:def %a %a; USE %0", StoreKind.POOL)
    with pytest.raises(LimitError, match="'swap'"):
        apply_patterns_greedily(swapping, [Pattern("swap", swap, (ADD,))])
    stop = Stop()
    stop.cancel()
    result = apply_patterns_greedily(module, [Pattern("not_not", not_not)], stop=stop)
    assert (result.stop, result.changed) == ("cancelled", False)


def test_wrong_calls() -> None:
    module = module_of("IN %a:def(word(8))")
    with pytest.raises(UsageError, match="only records"):
        apply_patterns_greedily(module, [], builder=Builder(module, tracking=Tracking.LAZY_UPDATE))
    with pytest.raises(UsageError, match="another module"):
        apply_patterns_greedily(module, [], builder=Builder(module_of("")))
    with pytest.raises(UsageError, match="two patterns are named 'p'"):
        apply_patterns_greedily(module, [Pattern("p", swap), Pattern("p", not_not)])
    with pytest.raises(UsageError, match=r"unknown operation 'd.NOTT'; did you mean 'd.NOT'"):
        apply_patterns_greedily(module, [Pattern("p", swap, ("d.NOTT",))])


def test_random_modules_reach_the_fixed_point_whatever_the_order() -> None:
    """The result is what a plain recursive simplifier says."""
    rng = random.Random(7)
    for _ in range(30):
        lines = ["IN %v0:def(word(4))"]
        terms: list[str] = ["a"]
        for index in range(1, 25):
            source = rng.randrange(index)
            if rng.random() < 0.5:
                lines.append(f"NOT %v{index}:def %v{source}")
                terms.append(terms[source][1:] if terms[source].startswith("~") else "~" + terms[source])
            else:
                lines.append(f"ADD %v{index}:def %v{source} constant(0, 4)")
                terms.append(terms[source])
        lines.append("USE " + " ".join(f"%v{i}" for i in range(25)))
        module = module_of("\n".join(lines))
        apply_patterns_greedily(module, [Pattern("not_not", not_not), Pattern("zero", add_zero, (ADD,))])
        verify(module)
        *_, use = module.body
        got: list[str] = []
        for i in range(25):
            value = use.operand(i)
            assert isinstance(value, ValueRef)
            got.append("a" if value.instr.is_op(IN) else "~a")
        assert got == terms


def test_time_grows_linearly() -> None:
    def seconds(count: int) -> float:
        parts = [f"NOT %x{i}:def %a; NOT %y{i}:def %x{i}; USE %y{i}\n" for i in range(count)]
        module = module_of("IN %a:def(word(4))\n" + "".join(parts))
        start = time.process_time()
        apply_patterns_greedily(module, [Pattern("not_not", not_not, (NOT,))])
        return time.process_time() - start

    small, large = min(seconds(500) for _ in range(3)), seconds(8000)
    assert large < 16 * small * 4
