"""Equality saturation: the same circuit, never dearer, where greedy rewriting is stuck, within its bounds."""

from __future__ import annotations

import random

import pytest

from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.rewriting.costs import AndLevels, AndNodes, cost_named
from dmt_dialect.rewriting.libraries import library_names, load_library, read_rules
from dynomite._native.base import Stop
from dynomite.errors import UsageError
from dynomite.ir import Builder, Module, Tracking, ValueRef, parse, print_module, same_module
from dynomite.passes.verify import verify
from dynomite.rewriting import syntax as s
from dynomite.rewriting.block_graph import BlockGraph
from dynomite.rewriting.driver import apply_rules
from dynomite.rewriting.extraction import Cost, Extraction, OperationCount
from dynomite.rewriting.functions import register_function
from dynomite.rewriting.saturation import Limits, Saturation, SaturationReport, saturate
from hw_dialect.builder import context
from hw_dialect.elaborate import lower
from tests.support.egraphs import check_invariants
from tests.support.word_modules import random_design

ALGEBRA = """\
using op
let turn_add = InstrPat { match { ADD %d:def, %x, %y } emit { ADD %d, %y, %x } }
let turn_mul = InstrPat { match { MUL %d:def, %x, %y } emit { MUL %d, %y, %x } }
let regroup = InstrPat { match { ADD %d:def, (ADD %x, %y), %z } emit { ADD %d, %x, (ADD %y, %z) } }
let factor = InstrPat { match { ADD %d:def, (MUL %x, %y), (MUL %x, %z) } emit { MUL %d, %x, (ADD %y, %z) } }
let shift = InstrPat { match { MUL %d:def, %x, constant(2) } emit { SHL %d, %x, constant(1, 8) } }
let cancel = InstrPat {
  match { LSHR %d:def, (MUL (ZEXT %x), constant(2)), constant(1) }
  if { width(%d) > width(%x) }
  emit { ZEXT %d, %x }
}
let cancel_neg = InstrPat { match { ADD %d:def, %x, (NEG %x) } emit { REPLACE_USES %d, constant(0) } }
let add_zero = InstrPat { match { ADD %d:def, %x, constant(0) } emit { REPLACE_USES %d, %x } }
"""
SOUND = read_rules(ALGEBRA).rules


def word_module(*lines: str, outputs: str = "y", width: int = 8) -> Module:
    ports = "".join(f"IN %{name}:def(wire({width}))\n" for name in "abc")
    outs = "".join(f'OUT "{name}" %{name}\n' for name in outputs.split())
    body = "".join(line.replace("W", f"def(wire({width}))") + "\n" for line in lines)
    return parse(f"using op\nusing hw\nMODULE @m {{\n{ports}{body}{outs}}}\n", context(), locations=True)


def operations(module: Module) -> list[str]:
    return [instr.name for instr in module.instrs() if instr.name.startswith("op.")]


def copy_of(module: Module) -> Module:
    return parse(print_module(module), context())


def check(before: Module, after: Module) -> None:
    verify(after)
    assert lec(lower(before), lower(after)).status == "equivalent"


# The same circuit.


@pytest.mark.parametrize("ignore", [False, True])
@pytest.mark.parametrize("cost", [AndNodes(), AndLevels(), OperationCount()])
@pytest.mark.parametrize("library", library_names())
@pytest.mark.parametrize("seed", range(3))
def test_random_modules_stay_equal(library: str, seed: int, cost: Cost, ignore: bool) -> None:
    rng = random.Random(seed)
    design = random_design(rng, operators=25, folding=False, registers=rng.randint(0, 1))
    before, again = lower(design), copy_of(design.ir)
    rules = load_library(library)
    report = saturate(design.ir, rules, cost=cost, max_nodes=2000, ignore_use_counts=ignore)
    verify(design.ir)
    assert lec(before, lower(design)).status == "equivalent"
    assert report.cost_after <= report.cost_before
    assert report.nodes <= 2000
    assert saturate(again, rules, cost=cost, max_nodes=2000, ignore_use_counts=ignore) == report
    assert print_module(again) == print_module(design.ir)


@pytest.mark.parametrize("seed", range(10))
def test_networks_of_gates_stay_equal(seed: int) -> None:
    rng = random.Random(seed)
    names, lines = ["a", "b", "c"], list[str]()
    for number in range(24):
        x, y = rng.choice(names[-6:]), rng.choice(names[-6:])
        gate = rng.choice((f"AND %t{number}:W %{x} %{y}", f"NOT %t{number}:W %{x}"))
        lines.append(gate)
        names.append(f"t{number}")
    module = word_module(*lines, "XOR %y:W %t22 %t23", width=3)
    before = copy_of(module)
    report = saturate(module, load_library("boolean"), cost=AndNodes(), max_nodes=300, ignore_use_counts=True)
    assert report.applied
    assert report.nodes <= 300
    assert report.cost_after <= report.cost_before
    check(before, module)


@pytest.mark.parametrize("seed", range(6))
def test_rules_that_grow_without_end(seed: int) -> None:
    rng = random.Random(seed)
    names, lines = ["a", "b", "c"], list[str]()
    for number in range(10):
        x, y = rng.choice(names), rng.choice([*names, "constant(2, 3)", "constant(0, 3)"])
        y = y if " " in y else f"%{y}"
        lines.append(f"{rng.choice(('ADD', 'ADD', 'MUL'))} %t{number}:W %{x} {y}")
        names.append(f"t{number}")
    module = word_module(*lines, "XOR %y:W %t8 %t9", width=3)
    before = copy_of(module)
    report = saturate(module, SOUND, cost=AndNodes(), max_nodes=400, max_rounds=4)
    assert report.nodes <= 400
    assert report.rounds <= 4
    assert report.cost_after <= report.cost_before
    check(before, module)


@pytest.mark.parametrize("seed", range(6))
def test_invariants_hold_after_each_round(seed: int) -> None:
    design = random_design(random.Random(seed), operators=25, folding=False)
    rules = [*SOUND, *(r for r in load_library("words").rules if "OneUse" not in repr(r))]
    (owner,) = (instr for instr in design.ir.instrs() if instr.name == "hw.MODULE")
    code = BlockGraph(owner.regions[0].blocks[0], AndNodes())
    run = Saturation(design.ir, code.graph, rules, Limits(500, 6))
    check_invariants(code.graph)
    rounds = 0
    while run.round() is None and rounds < 5:
        check_invariants(code.graph)
        rounds += 1
    check_invariants(code.graph)
    assert run.made <= 500


# Past where one rule after the other is stuck.


def both(
    module: Module, rules: tuple[s.Rule, ...], cost: Cost | None = None
) -> tuple[Module, SaturationReport]:
    """Greedy rewriting of a copy, for at most some applications, and saturation of the module."""
    greedy, before = copy_of(module), copy_of(module)
    apply_rules(greedy, rules, max_rounds=20)
    report = saturate(module, rules, cost=cost or AndNodes())
    check(before, greedy)
    check(before, module)
    return greedy, report


def only(*names: str) -> tuple[s.Rule, ...]:
    return tuple(rule for rule in SOUND if rule.name in names)


def test_a_rule_that_comes_too_early() -> None:
    lines = "ZEXT %z:W %a1", "MUL %t:W %z constant(2, 8)", "LSHR %y:W %t constant(1, 8)"
    module = word_module("SLICE %a1:def(wire(4)) %a 3 0", *lines)
    greedy, report = both(module, only("shift", "cancel"))
    assert sorted(operations(greedy)) == ["op.LSHR", "op.SHL", "op.SLICE", "op.ZEXT"]
    assert operations(module) == ["op.SLICE", "op.ZEXT"]
    assert report.end == "saturated"
    assert report.applied == {"shift": 1, "cancel": 1}


def test_distributivity() -> None:
    module = word_module("MUL %s:W %a %b", "MUL %t:W %c %a", "ADD %y:W %s %t")
    report = saturate(before := copy_of(module), only("factor"), cost=AndNodes())
    assert not report.changed  # the factor is on different sides
    greedy = copy_of(module)
    assert apply_rules(greedy, only("factor")).total == 0
    report = saturate(module, only("turn_mul", "factor"), cost=AndNodes())
    assert sorted(operations(module)) == ["op.ADD", "op.MUL"]
    assert report.cost_after < report.cost_before
    check(before, module)


def test_what_sums_have_in_common() -> None:
    module = word_module(
        "ADD %s:W %a %b", "ADD %y:W %s %c", "ADD %t:W %b %c", "ADD %z:W %t %a", outputs="y z"
    )
    before = copy_of(module)
    report = saturate(module, only("turn_add", "regroup"), cost=AndNodes())
    assert operations(module) == ["op.ADD", "op.ADD"]
    assert report.cost_after * 2 == report.cost_before
    check(before, module)


def test_terms_that_cancel_across_a_sum() -> None:
    module = word_module("NEG %n:W %a", "ADD %s:W %a %b", "ADD %y:W %s %n")
    before = copy_of(module)
    assert saturate(module, SOUND, cost=AndNodes(), max_rounds=6).cost_after == 0
    assert operations(module) == []
    check(before, module)


def test_levels_and_nodes_want_different_things() -> None:
    lines = ["ADD %t0:W %a %b", *(f"ADD %t{i}:W %t{i - 1} %{'abc'[i % 3]}" for i in range(1, 4))]
    module = word_module(*lines, "ADD %y:W %t3 %c")
    before = copy_of(module)
    report = saturate(module, only("regroup"), cost=cost_named("levels"))
    assert report.cost_after < report.cost_before
    check(before, module)


def test_terms_needed_anyway_are_used() -> None:
    lines = "MUL %s:W %a %b", "MUL %t:W %a %c", "ADD %y:W %s %t"
    choices: tuple[Extraction, ...] = ("dag", "tree")
    for extraction in choices:
        module = word_module(*lines, outputs="y s t")
        before = copy_of(module)
        report = saturate(module, only("factor"), cost=AndNodes(), extraction=extraction)
        # Both products are needed anyway: the sum of them is cheaper than another product.
        assert report.cost_before == report.cost_after
        assert operations(module).count("op.MUL") == 2
        check(before, module)


# Names, origins, places.


def test_names_stay_and_origins_unite() -> None:
    module = word_module("MUL %s:W %a %b", "MUL %t:W %a %c", "ADD %y:W %s %t", "NOT %z:W %y", outputs="z")
    mul = next(instr for instr in module.instrs() if instr.name == "op.MUL")
    first = mul.location[0]
    saturate(module, only("factor"), cost=AndNodes())
    by_name = {instr.name: instr for instr in module.instrs()}
    product = by_name["op.MUL"]
    assert product.defs[0].name == "y"
    lines = {origin.line - first.line for origin in product.location}
    assert lines == {0, 1, 2}
    assert by_name["op.NOT"].defs[0].name == "z"
    assert {origin.line - first.line for origin in by_name["op.ADD"].location} == {0, 1, 2}


def test_what_need_not_change_is_kept() -> None:
    module = word_module("ADD %s:W %a constant(0, 8)", "NOT %n:W %b", "XOR %x:W %n %c", "AND %y:W %x %s")
    kept = next(instr for instr in module.instrs() if instr.name == "op.XOR")
    builder = Builder(module, tracking=Tracking.EAGER)
    block = kept.block
    builder.set_place(block, before=kept)
    report = saturate(builder, only("add_zero"), cost=AndNodes())
    assert (report.replaced, report.made) == (2, 1)
    assert kept.is_live
    assert builder.before == kept
    builder.rollback()
    assert same_module(
        module, word_module("ADD %s:W %a constant(0, 8)", "NOT %n:W %b", "XOR %x:W %n %c", "AND %y:W %x %s")
    )


def test_values_are_made_before_they_are_used() -> None:
    module = word_module("NOT %p:W %a", "NOT %q:W %p", "AND %y:W %q %b", "OR %z:W %a %y", outputs="y z q")
    saturate(module, load_library("words"), cost=OperationCount())
    for instr in module.instrs():
        for used in instr.uses:
            assert not isinstance(used, ValueRef) or used.instr.comes_before(instr)


def test_within_and_blocks_of_their_own() -> None:
    text = print_module(word_module("NOT %n:W %a", "NOT %y:W %n"))
    module = parse(text + text.replace("@m", "@other"), context())
    first, second = (instr for instr in module.instrs() if instr.name == "hw.MODULE")
    saturate(module, load_library("boolean"), within=second)
    assert len(first.regions[0].blocks[0]) == len(second.regions[0].blocks[0]) + 2
    saturate(module, load_library("boolean"))
    assert operations(module) == []


# Bounds and refusals.


def test_bounds() -> None:
    lines = [f"ADD %t{i}:W %{'abc'[i % 3]} %{f't{i - 1}' if i else 'b'}" for i in range(8)]
    module = word_module(*lines, "NOT %y:W %t7")
    rules = only("turn_add", "regroup")
    assert saturate(copy_of(module), rules, max_nodes=25).end == "nodes"
    assert saturate(copy_of(module), rules, max_nodes=25).nodes <= 25
    assert saturate(copy_of(module), rules, max_nodes=0).nodes == 0
    report = saturate(copy_of(module), rules, max_rounds=2)
    assert (report.end, report.rounds) == ("rounds", 2)
    assert saturate(copy_of(module), rules, max_seconds=0).end == "seconds"


def test_stop() -> None:
    stop = Stop()
    stop.cancel()
    module = word_module("ADD %s:W %a constant(0, 8)", "NOT %y:W %s")
    report = saturate(module, only("add_zero"), stop=stop)
    assert (report.end, report.applied) == ("stopped", {})


def test_rules_that_do_not_apply_are_named() -> None:
    rules = read_rules(
        """using op
let counting = InstrPat { match { NOT %d:def, %i:(NOT %x) } if { one_use(%i) } emit { REPLACE_USES %d, %x } }
let either = InstrPat {
  match { NOT %d:def, %i:(NOT %x) } if { one_use(%i) || is_constant(%x) } emit { REPLACE_USES %d, %x }
}
let deleting = InstrPat { match { $i: NOT %d:def, (NOT %x) } emit { REPLACE_ALL $i, %x } }
let checking = InstrPat { match { ASSERT %x } emit { ASSERT %x } }
"""
    )
    module = word_module("NOT %s:W %a", "NOT %y:W %s")
    report = saturate(module, rules)
    assert report.not_applicable == {
        "counting": "counts uses",
        "either": "counts uses",
        "deleting": "deletes or replaces instructions",
        "checking": "is about operations that are not pure, or define several values",
    }
    assert not report.changed
    report = saturate(module, rules, ignore_use_counts=True)
    assert set(report.not_applicable) == {"either", "deleting", "checking"}
    assert report.applied == {"counting": 1}


def test_python_conditions_see_values_of_the_module() -> None:
    seen: list[object] = []

    def look(x: object) -> bool:
        seen.append(x)
        return True

    register_function("test_saturation.look", look)
    text = (
        'match { NOT %d:def, (NOT %x) } if { call "test_saturation.look"(%x) } emit { REPLACE_USES %d, %x }'
    )
    module = word_module("NOT %s:W %a", "NOT %y:W %s")
    value = next(instr for instr in module.instrs() if instr.name == "hw.IN").defs[0]
    saturate(module, read_rules(f"using op\nlet r = InstrPat {{ {text} }}"))
    assert seen[0] == value
    assert operations(module) == []


def test_wrong_rules_are_named() -> None:
    rules = read_rules(
        """using op
let wrong = InstrPat { match { ADD %d:def, %x, %x } emit { REPLACE_USES %d, constant(0) } }
let wrong_too = InstrPat { match { ADD %d:def, ., . } emit { REPLACE_USES %d, constant(1) } }
"""
    )
    module = word_module("ADD %y:W %a %a")
    before = copy_of(module)
    with pytest.raises(UsageError, match="rule 'wrong_too': different constants"):
        saturate(module, rules)
    assert print_module(module) == print_module(before)
    builder = Builder(module, tracking=Tracking.LAZY_UPDATE)
    with pytest.raises(UsageError, match="only records"):
        saturate(builder, rules)


def test_deep_chains() -> None:
    lines = ["NOT %t0:W %a", *(f"NOT %t{i}:W %t{i - 1}" for i in range(1, 3000)), "NOT %y:W %t2999"]
    module = word_module(*lines)
    report = saturate(module, load_library("boolean"), cost=AndLevels())
    assert operations(module) == ["op.NOT"]
    assert report.end == "saturated"
    lines = ["ADD %t0:W %a %b", *(f"ADD %t{i}:W %t{i - 1} %b" for i in range(1, 3000)), "ADD %y:W %t2999 %c"]
    module = word_module(*lines)
    assert not saturate(module, only("add_zero"), cost=AndNodes()).changed
    report = saturate(module, only("turn_add"), cost=AndNodes(), max_nodes=10_000)
    assert (report.nodes, report.end) == (3001, "saturated")


def test_costs_of_operators() -> None:
    module = word_module("MUL %y:W %a %b")
    costs = [saturate(copy_of(module), (), cost=cost).cost_before for cost in (AndNodes(), AndLevels())]
    aig = lower(module)
    assert costs == [aig.num_ands, aig.depth]
    module = word_module("MUL %s:W %a constant(4, 8)", "MUL %t:W %a %b", "UDIV %y:W %s %t")
    costs = [saturate(copy_of(module), (), cost=cost).cost_before for cost in (AndNodes(), AndLevels())]
    aig = lower(module)
    assert costs[0] >= aig.num_ands
    assert costs[1] >= aig.depth
    wide = word_module("MUL %s:W %a %b", "ADD %t:W %s %c", "NOT %y:W %t", width=1 << 20)
    assert saturate(wide, (), cost=AndNodes()).cost_before > 1 << 40
