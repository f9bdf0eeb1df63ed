"""Random rules on random code: the native matcher binds what the reference matcher binds."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from dynomite._native.rewrite import matches
from dynomite.ir import (
    Builder,
    Const,
    Context,
    Def,
    Dialect,
    InstrRef,
    Module,
    Type,
    ValueRef,
    load,
    print_module,
)
from dynomite.rewriting import syntax as s
from dynomite.rewriting.checks import problems_of
from dynomite.rewriting.driver import Driver, apply_rules
from dynomite.rewriting.ir_form import rules_of
from dynomite.rewriting.ir_writer import module_of
from dynomite.rewriting.lowering import compile_rules
from tests.support import naive_rewriting as naive

T = Dialect("t")
WORD, UNIT = T.type("w", params=("width",)), T.type("u")
IN, OUT = T.op("IN", defs=1), T.op("OUT", variadic=True)
F = T.op("F", defs=1, variadic=True, pure=True)
G = T.op("G", defs=1, variadic=True, pure=True)
H = T.op("H", defs=1, uses=1, pure=True)
P = T.op("P", defs=2, uses=1, variadic=True, pure=True)
NAMES = "abcdefgh"


def context() -> Context:
    made = Context()
    load(made, T)
    return made


def random_module(rng: random.Random, known: Context) -> Module:
    """Some dozen instructions over few values, so that patterns meet."""
    module = Module(known)
    builder = Builder(module)
    builder.set_place(module.body)
    kinds = [module.type(WORD, 4), module.type(WORD, 8), module.type(UNIT)]
    values: list[ValueRef] = [builder.value(IN, kind) for kind in kinds]

    def operand() -> ValueRef | Const:
        if rng.random() < 0.3:
            width = rng.choice((4, 8, 64))
            return Const(rng.choice((0, 1, 2, 3, (1 << width) - 1)), width)
        return rng.choice(values[-5:])

    for _ in range(rng.randint(4, 14)):
        op = rng.choice((F, F, G, G, H, P))
        count = 1 if op is H else rng.randint(0 if op is not P else 1, 4)
        uses = [operand() for _ in range(count)]
        if op is P:
            values += builder.build(op, *_defs(rng, kinds, 2), *uses).defs
        else:
            values.append(builder.build(op, *_defs(rng, kinds, 1), *uses).result)
    builder.build(OUT, *values)
    return module


def _defs(rng: random.Random, kinds: list[Type], count: int) -> list[Def]:
    return [Def(rng.choice(kinds)) for _ in range(count)]


class Rules:
    """Makes random rules."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.free = list(NAMES)

    def rule(self) -> s.Rule:
        rng = self.rng
        ops = tuple(op.full_name for op in rng.sample((F, G, H, P), rng.randint(1, 2)))
        defs = 2 if "t.P" in ops else 1
        row: list[s.Expr] = [s.Named(f"d{i}", s.DefOf(s.AnyOperand())) for i in range(defs)]
        root = s.InstrMatch(ops, s.Sequence((*row, self.expr(3))), "o" if rng.random() < 0.3 else None)
        names = [name for name in NAMES if name not in self.free]
        conditions = [self.condition(names) for _ in range(rng.choice((0, 0, 1, 2)))] if names else []
        return s.Rule("r", root, tuple(conditions), (s.ReplaceUses("d0", s.EmitConst(1, s.WidthOf("d0"))),))

    def expr(self, depth: int) -> s.Expr:
        rng = self.rng
        if depth == 0 or rng.random() < 0.3:
            return self.leaf()
        kind = rng.randrange(9)
        if kind == 0:
            return s.Sequence((self.expr(depth - 1), self.expr(depth - 1)))
        if kind == 1:
            return s.Sequence(())
        if kind == 2:
            return s.Alternatives((self.expr(depth - 1), self.expr(depth - 1)))
        if kind == 3:
            return s.Unordered((self.expr(depth - 1), self.expr(depth - 1)))
        if kind == 4:
            return s.Repeat(self.expr(depth - 1), rng.choice((0, 1)))
        if kind == 5 and self.free:
            name = self.free.pop()
            return s.Named(name, self.expr(depth - 1))
        if kind == 6:
            return s.UseOf(self.expr(depth - 1))
        return s.InstrMatch(
            tuple(op.full_name for op in rng.sample((F, G, H, P), rng.randint(0, 2))), self.expr(depth - 1)
        )

    def leaf(self) -> s.Expr:
        rng = self.rng
        kind = rng.randrange(7)
        if kind == 0:
            return s.ConstMatch(rng.choice((None, 0, -1, 1, 3)), rng.choice((None, None, 4, 8)))
        if kind == 1:
            return s.TypeMatch("t.w", rng.choice(((), (8,), (None,), (s.Capture("w"),))))
        if kind == 2:
            return s.ConstMatch(s.Capture(rng.choice("kl")), rng.choice((None, s.Capture("w"))))
        used = [name for name in NAMES if name not in self.free]
        if kind in (3, 4) and used:
            return s.SameAs(rng.choice(used))
        if kind == 5:
            return s.AnyOperand()
        if not self.free:
            return s.AnyOperand()
        name = self.free.pop()
        return s.Named(name, s.AnyOperand() if rng.random() < 0.6 else s.Repeat(s.AnyOperand()))

    def condition(self, names: list[str]) -> s.Condition:
        rng = self.rng
        name, other = rng.choice(names), rng.choice(names)
        kinds: list[s.Condition] = [
            s.OneUse(name),
            s.IsConstant(name),
            s.PowerOfTwo(name),
            s.Same(name, other),
            s.SameType(name, other),
            s.Compare(s.WidthOf(name), rng.choice(("<", "==", ">=")), s.WidthOf(other)),
            s.Compare(s.CountOf(name), rng.choice(("<", "!=", ">")), rng.randint(0, 3)),
            s.Compare(
                s.Arith(rng.choice(("+", "*", "/", "%", "<<")), (s.Capture(name), s.Capture(other))), ">", 2
            ),
        ]
        chosen = rng.choice(kinds)
        return s.Not(chosen) if rng.random() < 0.3 else chosen


def plain(bound: naive.Bound) -> object:
    """A binding as the native matcher gives it."""
    return naive.python_value(bound)


def good_rule(rng: random.Random, known: Context) -> s.Rule:
    for _ in range(2000):
        rule = Rules(rng).rule()
        if not problems_of(rule, known):
            return rule
    raise AssertionError("no rule was accepted")


def instructions(module: Module) -> list[InstrRef]:
    return naive.instructions(module)


@pytest.mark.parametrize("seed", range(40))
def test_matchers_agree(seed: int) -> None:
    rng = random.Random(seed)
    known = context()
    found = 0
    for _ in range(30):
        # What is emitted here is defined always: only the search is compared.
        rule = replace(good_rule(rng, known), emits=(s.ReplaceUses("d0", s.EmitConst(1, 8)),))
        compiled = compile_rules(known, s.RuleSet("", (rule,)))
        for _ in range(4):
            module = random_module(rng, known)
            for instr in instructions(module):
                expected = naive.first_match(rule, instr)
                native = matches(compiled, instr)
                text = f"{rule}\n{print_module(module)}\n{instr}"
                assert bool(native) == (expected is not None), text
                if expected is not None:
                    found += 1
                    bound = {name: plain(value) for name, value in expected.items()}
                    assert native[0][1] == bound, text
    assert found > 10


@pytest.mark.parametrize("seed", range(10))
def test_rules_survive_the_text(seed: int) -> None:
    rng = random.Random(seed)
    known = context()
    for _ in range(20):
        rule = good_rule(rng, known)
        module = module_of([rule], known)
        again = rules_of(module)["r"]
        assert print_module(module_of([again], known)) == print_module(module)
        other = random_module(rng, known)
        assert isinstance(again, s.Rule)
        pair = [compile_rules(known, s.RuleSet("", (one,))) for one in (rule, again)]
        for instr in instructions(other):
            assert matches(pair[0], instr) == matches(pair[1], instr)


@pytest.mark.parametrize("driver", ["greedy", "sweep-down"])
@pytest.mark.parametrize("seed", range(20))
def test_rewriting_agrees(seed: int, driver: Driver) -> None:
    rng = random.Random(seed)
    known = context()
    applied = 0
    for _ in range(60):
        rule = good_rule(rng, known)
        seed_of_code = rng.getrandbits(32)
        one, other = (random_module(random.Random(seed_of_code), known) for _ in range(2))
        applied += len(naive.rewrite(one, rule, limit=1))
        apply_rules(other, [rule], limit=1, driver=driver)
        assert print_module(one) == print_module(other), rule
    assert applied
