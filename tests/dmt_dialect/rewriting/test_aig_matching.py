"""Patterns over the gates of an AIG match what they match over instructions of the same circuit."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import cast

import pytest

from dmt_dialect.aig import Aig
from dmt_dialect.ops import AND, BITS, NOT, OP
from dmt_dialect.rewriting.aig_matching import aig_matches
from dmt_dialect.rewriting.libraries import load_library, read_rules
from dynomite._native.base import Stop
from dynomite._native.rewrite import matches
from dynomite.errors import LimitError, UsageError
from dynomite.ir import Builder, Const, Context, Dialect, InstrRef, Module, ValueRef, load
from dynomite.rewriting.lowering import compile_rules
from tests.support.generators import random_aig

SOURCE = Dialect("source")
IN = SOURCE.op("IN", defs=1)


def instructions_of(aig: Aig) -> tuple[Module, dict[int, InstrRef], dict[ValueRef, int]]:
    """A module with an instruction for each literal that is not an input, and what each value stands for."""
    context = Context()
    for dialect in (OP, SOURCE):
        load(context, dialect)
    module = Module(context)
    builder = Builder(module)
    bit = module.type(BITS, 1)
    values: dict[int, ValueRef | Const] = {0: Const(0, 1), 1: Const(1, 1)}
    instrs: dict[int, InstrRef] = {}

    def add(literal: int, value: ValueRef) -> None:
        values[literal] = value
        if not value.instr.is_op(IN):
            instrs[literal] = value.instr

    for node in aig.nodes():
        literal = 2 * int(node.id)
        if literal == 0:
            continue
        if node.is_and:
            add(literal, builder.value(AND, bit, values[node.fanin0.raw], values[node.fanin1.raw]))
        else:
            add(literal, builder.value(IN, bit))
        add(literal + 1, builder.value(NOT, bit, values[literal]))
    names = {value: literal for literal, value in values.items() if isinstance(value, ValueRef)}
    return module, instrs, names


def _counts_uses(condition: object) -> bool:
    return "OneUse" in repr(condition)


def _literal(bound: object, names: dict[ValueRef, int]) -> int:
    if isinstance(bound, Const):
        return bound.value
    assert isinstance(bound, ValueRef)
    return names[bound]


@pytest.mark.parametrize("raw", [False, True])
def test_the_library_matches_alike(raw: bool, rng: random.Random) -> None:
    library = load_library("boolean")
    # Uses are those of nodes in an AIG, but of values in a module, where every complement is one.
    rules = replace(
        library, rules=tuple(rule for rule in library.rules if not any(map(_counts_uses, rule.conditions)))
    )
    seen: set[str] = set()
    for _ in range(40):
        aig = random_aig(rng, rng.randint(1, 4), rng.randint(1, 30), 2, raw=raw)
        module, instrs, names = instructions_of(aig)
        native = compile_rules(module.context, rules)

        expected: list[tuple[int, str, dict[str, list[int]]]] = []
        for own, instr in sorted(instrs.items()):
            for rule, bound in matches(native, instr):
                found: dict[str, list[int]] = {}
                for name, value in bound.items():
                    parts = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
                    if all(isinstance(part, ValueRef | Const) for part in parts):
                        found[name] = [_literal(part, names) for part in parts]
                expected.append((own, rule, found))
        got = [
            (
                match.lit.raw,
                match.rule,
                {name: [lit.raw for lit in lits] for name, lits in match.names.items()},
            )
            for match in aig_matches(aig, rules)
        ]
        assert got == expected
        seen |= {rule for _, rule, _ in expected}
    # Construction has done already what the rules say, unless gates are added raw.
    assert len(seen) > 8 if raw else not seen


def test_uses_are_counted_by_node() -> None:
    rules = read_rules(
        "using op\nlet once = InstrPat {\n match { AND %d:def, (AND %a, %b), %c }\n if { one_use(%d) }\n"
        " emit { REPLACE_USES %d, %c }\n}\n"
    )
    aig = Aig()
    a, b, c = aig.add_inputs(3)
    once, twice = (a & b) & c, (b & c) & a
    aig.add_output(once)
    for _ in range(2):
        aig.add_output(twice)
    assert [match.lit for match in aig_matches(aig, rules) if match.lit in (once, twice)] == [once]


def test_what_it_refuses(rng: random.Random) -> None:
    aig = random_aig(rng, 20, 3_000, 1)
    stop = Stop()
    stop.cancel()
    with pytest.raises(LimitError):
        aig_matches(aig, load_library("boolean"), stop=stop)
    rules = read_rules(
        "using op\nlet asked = InstrPat {\n match { NOT %d:def, %a }\n"
        ' if { call "math:isfinite"(%a) }\n emit { REPLACE_USES %d, %a }\n}\n'
    )
    with pytest.raises(UsageError, match="Python conditions"):
        aig_matches(aig, rules)
