"""Drivers: orders, bounds, limits, traces, Python functions, logs, interruption."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable

import pytest

from dmt_dialect.ops import ADD, BITS, NEG, NOT, XOR
from dynomite._native.base import Stop
from dynomite._native.rewrite import Match, matches
from dynomite.errors import LimitError, UsageError
from dynomite.ir import Builder, Const, Module, Origin, Tracking, ValueRef, write_bytecode
from dynomite.passes.verify import verify
from dynomite.rewriting.driver import Application, Driver, apply_rules
from dynomite.rewriting.functions import register_function
from dynomite.rewriting.lowering import compile_rules
from dynomite.rewriting.syntax import RuleSet
from tests.support.rewriting_cases import IN, OUT, code_from, new_context, rules_from, shown

ADD_ZERO = "let add_zero = InstrPat { match { ADD %d:def, %x / constant(0) } emit { REPLACE_USES %d, %x } }\n"
NOT_NOT = "let not_not = InstrPat { match { NOT %d:def, (NOT %x) } emit { REPLACE_USES %d, %x } }\n"
DE_MORGAN = (
    "let morgan = InstrPat { match { NOT %d:def, (AND %a, %b) } emit { OR %d, (NOT %a), (NOT %b) } }\n"
)
XOR_SELF = "let xor_self = InstrPat { match { XOR %d:def, %x, %x } emit { REPLACE_USES %d, constant(0) } }\n"
LIBRARY = ADD_ZERO + NOT_NOT + DE_MORGAN + XOR_SELF
B8 = "def(op.bits(8))"


def random_code(seed: int, size: int, tracking: Tracking = Tracking.NONE) -> Builder:
    rng = random.Random(seed)
    module = Module(new_context())
    builder = Builder(module, tracking=tracking)
    word = module.type(BITS, 8)
    values: list[ValueRef | Const] = [builder.value(IN, word, name=f"i{k}") for k in range(3)]
    for _ in range(size):
        op = rng.choice([ADD, XOR, NOT, NOT, NEG])
        uses = [
            rng.choice([Const(0, 8), Const(255, 8), *values[-6:]])
            for _ in range(1 if op in (NOT, NEG) else 2)
        ]
        values.append(builder.value(op, word, *uses, loc=None if rng.random() < 0.5 else _place(rng)))
    builder.build(OUT, *values[-3:])
    return builder


def _place(rng: random.Random) -> Origin:
    return Origin("f", rng.randrange(1, 9), 1)


@pytest.mark.parametrize("driver", ["greedy", "sweep-up", "sweep-down"])
@pytest.mark.parametrize("seed", range(20))
def test_fixed_points_are_ones(driver: Driver, seed: int) -> None:
    builder = random_code(seed, 60)
    rules = rules_from(LIBRARY, builder.module.context)
    report = apply_rules(builder, rules, driver=driver)
    assert report.end == "fixed-point"
    verify(builder.module)
    native = compile_rules(builder.module.context, rules)
    assert [m for instr in builder.module.instrs() for m in matches(native, instr)] == []
    assert not any(
        not d.has_uses for instr in builder.module.instrs() for d in instr.defs if "op." in instr.name
    )


@pytest.mark.parametrize("seed", range(20))
def test_logs_take_everything_back(seed: int) -> None:
    builder = random_code(seed, 80)
    before = write_bytecode(builder.module)
    uses = [[(u.id, k) for u, k in d.uses] for i in builder.module.instrs() for d in i.defs]
    builder.set_tracking(Tracking.LAZY_TRACKING)
    report = apply_rules(builder, rules_from(LIBRARY, builder.module.context))
    assert report.total > 0
    after = write_bytecode(builder.module)
    assert after != before
    builder.rollback()
    assert write_bytecode(builder.module) == before
    assert uses == [[(u.id, k) for u, k in d.uses] for i in builder.module.instrs() for d in i.defs]
    # With a log and without it the same happens.
    other = random_code(seed, 80)
    assert apply_rules(other, rules_from(LIBRARY, other.module.context)) == report
    assert write_bytecode(other.module) == after


def test_one_sweep() -> None:
    context = new_context()
    text = f"IN %a:{B8}\nNOT %b:{B8} %a\nNOT %c:{B8} %b\nNOT %e:{B8} %c\nNOT %f:{B8} %e\nOUT %f"
    module = code_from(text, context)
    report = apply_rules(module, rules_from(NOT_NOT, context), driver="sweep-down", max_rounds=1)
    assert (report.rounds, report.end, report.applied) == (1, "bound", {"not_not": 2})
    assert report.still_applied == ("not_not",)


LOOP = (
    "let there = InstrPat { match { NOT %d:def, %x } emit { NEG %d, %x } }\n"
    "let back = InstrPat { match { NEG %d:def, %x } emit { NOT %d, %x } }\n"
)


@pytest.mark.parametrize("driver", ["greedy", "sweep-up", "sweep-down"])
def test_rules_that_chase_each_other(driver: Driver) -> None:
    context = new_context()
    module = code_from(f"IN %a:{B8}\nNOT %b:{B8} %a\nXOR %x:{B8} %a %a\nOUT %b %x", context)
    report = apply_rules(module, rules_from(XOR_SELF + LOOP, context), driver=driver, max_rounds=50)
    assert report.end == "bound"
    assert report.total in (51, 50)
    assert set(report.still_applied) >= {"there", "back"}
    with pytest.raises(LimitError, match=r"do not settle after 5. applications: 'there', 'back'"):
        report.check_settled()
    verify(module)


def test_rules_that_grow_without_end() -> None:
    context = new_context()
    module = code_from(f"IN %a:{B8}\nNOT %b:{B8} %a\nOUT %b", context)
    rules = rules_from(
        "let more = InstrPat { match { NOT %d:def, %x } emit { NOT %d, (NEG (NOT %x)) } }", context
    )
    report = apply_rules(module, rules)
    assert (report.end, report.still_applied) == ("bound", ("more",))


def test_bisection_over_the_limit() -> None:
    def run(limit: int) -> str:
        builder = random_code(3, 40)
        report = apply_rules(builder, rules_from(LIBRARY, builder.module.context), limit=limit)
        assert report.total == min(limit, whole)
        assert report.end == ("limit" if limit < whole else "fixed-point")
        return shown(builder.module)

    builder = random_code(3, 40)
    whole = apply_rules(builder, rules_from(LIBRARY, builder.module.context)).total
    texts = [run(limit) for limit in range(whole + 2)]
    assert texts[whole] == texts[whole + 1] == shown(builder.module)
    assert len(set(texts[: whole + 1])) == whole + 1


def test_traces() -> None:
    context = new_context()
    module = code_from(f"IN %a:{B8}\nNOT %b:{B8} %a\nNOT %c:{B8} %b\nOUT %c", context)
    seen: list[Application] = []
    apply_rules(module, rules_from(NOT_NOT, context), trace=seen.append)
    assert [step.rule for step in seen] == ["not_not"]
    assert seen[0].before == "op.NOT %c:def(op.bits(8)) %b\nop.NOT %b:def(op.bits(8)) %a"
    assert "-> %a" in seen[0].after
    assert str(seen[0]).splitlines()[:2] == ["not_not:", "  - op.NOT %c:def(op.bits(8)) %b"]
    assert shown(module) == shown(code_from(f"IN %a:{B8}\nOUT %a", new_context()))


def test_statistics() -> None:
    context = new_context()
    module = code_from(f"IN %a:{B8}\nADD %b:{B8} %a %a\nNOT %c:{B8} %b\nOUT %b", context)
    report = apply_rules(module, rules_from(LIBRARY, context))
    assert (report.applied, report.erased, report.visited, report.changed) == ({}, 1, 4, True)
    assert report.tried == {}


def test_within() -> None:
    context = new_context()
    text = "core.CFG @{} {{\nIN %a:{}\nADD %b:{} %a constant(0,8)\nOUT %b\n}}"
    module = code_from("\n".join(text.format(name, B8, B8) for name in ("f", "g")), context)
    second = list(module.body)[1]
    report = apply_rules(module, rules_from(ADD_ZERO, context), within=second)
    assert report.total == 1
    assert [instr.name for instr in module.instrs()].count("op.ADD") == 1
    assert [i.name for i in next(iter(second.regions)).blocks[0]] == ["io.IN", "io.OUT"]


# Python functions.


def with_call(name: str, function: Callable[..., object]) -> str:
    register_function(name, function)
    return f'call "{name}"'


def test_python_conditions_come_last_and_see_values() -> None:
    context = new_context()
    seen: list[object] = []

    def is_small(c: Const, w: int, xs: tuple[ValueRef, ...], o: str) -> bool:
        seen.append((c.value, w, len(xs), o))
        return c.value < 10

    call = with_call("test.is_small", is_small)
    rules = rules_from(
        f"let r = InstrPat {{ match {{ %o:(ADD|SUB) %d:def(bits(%w)), %xs:use(.)+, constant(%c) }} "
        f"if {{ {call}(%c, %w, %xs, %o) }} if {{ %c > 2 }} emit {{ REPLACE_USES %d, constant(%c) }} }}",
        context,
    )
    module = code_from(
        f"IN %a:{B8}\nADD %b:{B8} %a constant(1,8)\nADD %c:{B8} %a %a constant(5,8)\n"
        f"SUB %e:{B8} %a constant(50,8)\nOUT %b %c %e",
        context,
    )
    assert apply_rules(module, rules).applied == {"r": 1}
    assert seen == [(5, 8, 2, "op.ADD"), (50, 8, 1, "op.SUB")]


def test_actions() -> None:
    context = new_context()
    kept: list[Match] = []

    def negate(builder: Builder, match: Match) -> None:
        kept.append(match)
        assert match.rule == "r"
        assert set(match.names) == {"d", "x", "i"}
        assert match["i"] == match.root
        word = match["d"].type
        value = builder.value(NEG, word, match["x"])
        builder.replace_all_uses(match["d"], value)

    call = with_call("test.negate", negate)
    rules = rules_from(
        f"let r = InstrPat {{ match {{ $i: NOT %d:def, %x }} do {{ {call}(%x) }} }}\n"
        "let fold = InstrPat { match { NEG %d:def, (NEG %x) } emit { REPLACE_USES %d, %x } }",
        context,
    )
    module = code_from(f"IN %a:{B8}\nNOT %b:{B8} %a\nNOT %c:{B8} %b\nOUT %c", context)
    builder = Builder(module)
    report = apply_rules(builder, rules)
    assert report.applied == {"r": 2, "fold": 1}
    assert shown(module) == shown(code_from(f"IN %a:{B8}\nOUT %a", new_context()))
    assert builder.tracking == Tracking.NONE
    assert builder.mark == 0
    with pytest.raises(UsageError, match="a match is over"):
        kept[0]["x"]


def test_an_action_after_emitted_code() -> None:
    context = new_context()

    def mark(builder: Builder, match: Match) -> None:
        builder.build(OUT, *match["xs"])

    rules = rules_from(
        f"let r = InstrPat {{ match {{ ADD %d:def, %xs:.+ }} emit {{ XOR %d, %xs }} "
        f"do {{ {with_call('test.mark', mark)}(%xs) }} }}",
        context,
    )
    module = code_from(f"IN %a:{B8}\nADD %b:{B8} %a %a\nOUT %b", context)
    apply_rules(module, rules)
    assert [i.name for i in module.body] == ["io.IN", "op.XOR", "io.OUT", "io.OUT"]


def test_an_action_that_does_nothing_does_not_count() -> None:
    context = new_context()

    def nothing(builder: Builder, match: Match) -> None:
        assert builder.module is module
        assert match["x"] is not None

    call = with_call("test.nothing", nothing)
    rules = rules_from(
        f"let idle = InstrPat {{ match {{ NOT %d:def, %x }} do {{ {call}(%x) }} }}\n" + NOT_NOT, context
    )
    module = code_from(f"IN %a:{B8}\nNOT %b:{B8} %a\nNOT %c:{B8} %b\nOUT %c", context)
    assert apply_rules(module, rules).applied == {"not_not": 1}


@pytest.mark.parametrize("tracking", [Tracking.NONE, Tracking.LAZY_TRACKING, Tracking.EAGER])
def test_failing_actions_are_taken_back(tracking: Tracking) -> None:
    context = new_context()

    def fail(builder: Builder, match: Match) -> None:
        builder.build(OUT, match["x"])
        builder.set_operand(match.root, 1, Const(1, 8))
        if match["x"] == first.result:
            return
        raise ValueError("no")

    rules = rules_from(
        f"let bad = InstrPat {{ match {{ NOT %d:def, %x }} if {{ !(is_constant(%x)) }} "
        f"do {{ {with_call('test.fail', fail)}(%x) }} }}",
        context,
    )
    text = f"IN %a:{B8}\nIN %z:{B8}\nNOT %b:{B8} %a\nNOT %c:{B8} %z\nOUT %b %c"
    module = code_from(text, context)
    first = next(iter(module.body))
    builder = Builder(module, tracking=tracking)
    with pytest.raises(ValueError, match="no") as caught:
        apply_rules(builder, rules)
    assert caught.value.__notes__ == ["in the rule 'bad'"]
    expected = f"IN %a:{B8}\nIN %z:{B8}\nOUT %a\nNOT %b:{B8} constant(1,8)\nNOT %c:{B8} %z\nOUT %b %c"
    assert shown(module) == shown(code_from(expected, new_context()))
    assert builder.tracking == tracking
    if tracking != Tracking.NONE:
        builder.rollback()
        assert shown(module) == shown(code_from(text, new_context()))


def test_listeners_see_all() -> None:
    builder = random_code(1, 50, Tracking.EAGER)
    start = builder.mark
    heard: list[bool] = []
    builder.listen(lambda update, reverted: heard.append(reverted))
    apply_rules(builder, rules_from(LIBRARY, builder.module.context))
    assert heard
    assert len(heard) == builder.mark - start


def test_a_builder_that_only_records() -> None:
    module = Module(new_context())
    with pytest.raises(UsageError, match="only records"):
        apply_rules(Builder(module, tracking=Tracking.LAZY_UPDATE), rules_from(ADD_ZERO, module.context))


def test_the_place_of_the_builder_stays() -> None:
    context = new_context()
    module = code_from(f"IN %a:{B8}\nADD %b:{B8} %a constant(0,8)\nOUT %b", context)
    builder = Builder(module)
    last = list(module.body)[-1]
    builder.set_place(module.body, before=last)
    apply_rules(builder, rules_from(ADD_ZERO, context))
    assert builder.before == last


def test_stopping() -> None:
    builder = random_code(1, 200_000)
    stop = Stop()
    rules = rules_from(LOOP, builder.module.context)
    threading.Timer(0.05, stop.cancel).start()
    start = time.process_time()
    report = apply_rules(builder, rules, max_rounds=1_000_000, stop=stop)
    assert report.end == "stopped"
    assert time.process_time() - start < 1.0
    verify(builder.module)


def test_other_threads_run_meanwhile() -> None:
    builder = random_code(1, 100_000)
    rules = rules_from(LOOP, builder.module.context)
    stop = Stop()
    ticks = 0
    done = threading.Event()

    def work() -> None:
        apply_rules(builder, rules, max_rounds=1_000_000, stop=stop)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        deadline = time.monotonic() + 5
        while ticks < 100 and time.monotonic() < deadline:
            ticks += 1
            time.sleep(0.001)
        assert ticks == 100
        assert not done.is_set()
        with pytest.raises(UsageError, match="being changed by another thread"):
            _ = builder.module.body.first
    finally:
        stop.cancel()
        thread.join()


def test_deep_chains_need_no_stack() -> None:
    module = Module(new_context())
    builder = Builder(module)
    word = module.type(BITS, 8)
    value = builder.value(IN, word)
    for _ in range(100_001):
        value = builder.value(NOT, word, value)
    builder.build(OUT, value)
    report = apply_rules(module, rules_from(NOT_NOT, module.context))
    assert report.applied == {"not_not": 50_000}
    assert len(module) == 3


def test_many_ways_are_given_up_and_counted() -> None:
    context = new_context()
    many = " ".join(["%a"] * 40)
    module = code_from(f"IN %a:{B8}\nANY %b:{B8} {many}\nOUT %b", context)
    rules = rules_from(
        "let hard = InstrPat { match { ANY %d:def, %p:.+ / %q:.+ / %r:.+ } if { count(%p) > 100 } "
        "emit { REPLACE_USES %d, constant(0) } }",
        context,
    )
    report = apply_rules(module, rules)
    assert (report.applied, report.gave_up) == ({}, {"hard": 1})


def test_long_searches_can_be_stopped() -> None:
    context = new_context()
    many = " ".join(["%a"] * 40)
    code = "\n".join([f"IN %a:{B8}", *(f"ANY %b{k}:{B8} {many}\nOUT %b{k}" for k in range(300))])
    module = code_from(code, context)
    rules = rules_from(
        "let hard = InstrPat { match { ANY %d:def, %p:.+ / %q:.+ / %r:.+ } if { count(%p) > 100 } "
        "emit { REPLACE_USES %d, constant(0) } }",
        context,
    )
    stop = Stop()
    threading.Timer(0.05, stop.cancel).start()
    start = time.process_time()
    assert apply_rules(module, rules, stop=stop).end == "stopped"
    assert time.process_time() - start < 1.0


def test_rule_sets_compile_once() -> None:
    context = new_context()
    rules = rules_from(ADD_ZERO, context)
    assert compile_rules(context, rules) is compile_rules(context, rules)
    assert compile_rules(context, RuleSet("x", rules.rules)) is not compile_rules(context, rules)


def test_two_rules_of_one_name() -> None:
    context = new_context()
    rules = rules_from(ADD_ZERO, context)
    with pytest.raises(UsageError, match="two rules are named 'add_zero'"):
        compile_rules(context, RuleSet("x", rules.rules + rules.rules))
