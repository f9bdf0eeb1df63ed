"""Random rules at random code: the native matcher beside the reference matcher."""

from __future__ import annotations

import random

import pytest

from dmt_dialect.ops import ADD, AND, BITS, MUL, NOT, XOR, ZEXT
from dynomite._native.rewrite import matches
from dynomite.errors import UsageError
from dynomite.ir import Builder, Const, Def, Module, ValueRef, print_module
from dynomite.ir.operands import Operand
from dynomite.passes.verify import verify
from dynomite.rewriting import syntax as s
from dynomite.rewriting.driver import apply_rules
from dynomite.rewriting.lowering import compile_rules
from tests.support import naive_rewriting as naive
from tests.support.rewriting_cases import ANY, IN, OUT, PAIR, new_context

OPS = ("op.ADD", "op.AND", "op.XOR", "op.NOT", "op.MUL", "op.ZEXT", "io.ANY", "io.PAIR")
ARITH_OPS: tuple[s.ArithOp, ...] = (
    *("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "~", "neg", "log2", "min", "max", "signed"),
)
RELATIONS: tuple[s.Relation, ...] = ("==", "!=", "<", "<=", ">", ">=")


def random_module(rng: random.Random, size: int) -> Module:
    module = Module(new_context())
    builder = Builder(module)
    types = {width: module.type(BITS, width) for width in (1, 4, 8, 100)}
    values: dict[int, list[ValueRef]] = {width: [builder.value(IN, t)] for width, t in types.items()}

    def pick(width: int) -> ValueRef | Const:
        if rng.random() < 0.3:
            top = (1 << width) - 1
            return Const(rng.choice([0, 1, top, 1 << (width - 1), rng.randrange(top + 1)]), width)
        return rng.choice(values[width][-4:])

    for _ in range(size):
        width = rng.choice([4, 8, 8, 100])
        kind = rng.randrange(8)
        attrs: dict[str, Operand] | None = {"k": 1} if rng.random() < 0.1 else None
        if kind < 4:
            op = rng.choice([ADD, AND, XOR, MUL])
            uses = [pick(width) for _ in range(rng.choice([2, 2, 2, 3]) if op is not XOR else 2)]
            values[width].append(builder.value(op, types[width], *uses, attrs=attrs))
        elif kind == 4:
            values[width].append(builder.value(NOT, types[width], pick(width), attrs=attrs))
        elif kind == 5:
            values[8].append(builder.value(ZEXT, types[8], pick(4)))
        elif kind == 6:
            mixed = [pick(rng.choice([4, 8])) for _ in range(rng.randrange(6))]
            where = rng.randrange(len(mixed) + 1)
            given = [
                Def(types[8]),
                *mixed[:where],
                *([Def(types[4])] if rng.random() < 0.2 else []),
                *mixed[where:],
            ]
            values[8].append(builder.build(ANY, *given, attrs=attrs).defs[0])
        else:
            pair = builder.build(
                PAIR, Def(types[8]), Def(types[4]), pick(8), *[pick(4) for _ in range(rng.randrange(2))]
            )
            values[8].append(pair.defs[0])
            values[4].append(pair.defs[1])
    for same in values.values():
        builder.build(OUT, *same[-2:])
    return module


class RuleMaker:
    """Makes rules that bind what they use."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.count = 0
        self.operands: list[str] = []
        self.lists: list[str] = []
        self.numbers: list[str] = []
        self.constants: list[str] = []

    def name(self, kind: list[str], *, safe: bool) -> str:
        self.count += 1
        if safe:
            kind.append(f"n{self.count}")
        return f"n{self.count}"

    def param(
        self, choices: list[int], kind: list[str], *, safe: bool, names: bool
    ) -> int | s.Capture | None:
        draw = self.rng.random()
        if draw < 0.4:
            return self.rng.choice(choices)
        if draw < 0.6 or not names:
            return None
        if draw < 0.7 and kind:
            return s.Capture(self.rng.choice(kind))
        return s.Capture(self.name(kind, safe=safe))

    def single(self, depth: int, *, safe: bool, names: bool) -> s.Expr:
        rng = self.rng
        draw = rng.random()
        if draw < 0.3 or (draw < 0.55 and depth == 0):
            return s.AnyOperand()
        if draw < 0.4:
            return s.TypeMatch("op.bits", (self.param([4, 8, 100], self.numbers, safe=safe, names=names),))
        if draw < 0.55:
            operands = self.row(depth - 1, safe=safe, names=names)
            ops = tuple(rng.sample(OPS, rng.choice([0, 1, 1, 1, 2])))
            op_name = self.name([], safe=False) if names and rng.random() < 0.2 else None
            return s.InstrMatch(ops, operands, op_name=op_name)
        if draw < 0.75:
            return s.ConstMatch(
                self.param([0, 1, -1, 3], self.constants, safe=safe, names=names),
                self.param([4, 8], self.numbers, safe=safe, names=names and rng.random() < 0.2),
            )
        if draw < 0.85 and self.operands:
            return s.SameAs(rng.choice(self.operands))
        side = s.DefOf if rng.random() < 0.3 else s.UseOf
        return side(s.AnyOperand())

    def item(self, depth: int, *, safe: bool, names: bool) -> s.Expr:
        rng = self.rng
        draw = rng.random()
        if draw < 0.6:
            expr = self.single(depth, safe=safe, names=names)
            if names and not isinstance(expr, s.SameAs) and rng.random() < 0.5:
                return s.Named(self.name(self.operands, safe=safe), expr)
            return expr
        if draw < 0.75:
            inner: s.Expr = s.Repeat(self.single(depth, safe=False, names=False), rng.choice([0, 1]))
        elif draw < 0.85:
            inner = s.Alternatives(tuple(self.row(depth, safe=False, names=names, most=2) for _ in range(2)))
        elif draw < 0.95:
            inner = s.Unordered(tuple(self.row(depth, safe=safe, names=names, most=2) for _ in range(2)))
        elif self.lists:
            return s.SameAs(rng.choice(self.lists))
        else:
            inner = self.row(depth, safe=safe, names=names, most=2)
        if names and rng.random() < 0.4:
            return s.Named(self.name(self.lists, safe=safe), inner)
        return inner

    def row(self, depth: int, *, safe: bool, names: bool, most: int = 3) -> s.Expr:
        parts = tuple(self.item(depth, safe=safe, names=names) for _ in range(self.rng.randrange(most + 1)))
        return s.Sequence(parts)

    def rule(self, name: str) -> s.Rule:
        rng = self.rng
        body = self.row(2, safe=True, names=True)
        draw = rng.random()
        if draw < 0.4:
            body = s.Sequence((s.Named("d", s.DefOf(s.AnyOperand())), body))
        elif draw < 0.7:
            parts = tuple(self.row(1, safe=True, names=True, most=2) for _ in range(rng.choice([1, 2])))
            body = s.Sequence((s.Named("d", s.DefOf(s.AnyOperand())), s.Unordered((body, *parts))))
        ops = tuple(rng.sample(OPS, rng.choice([0, 1, 2, 3])))
        conditions = tuple(self.condition() for _ in range(rng.choice([0, 0, 1, 2])))
        return s.Rule(name, s.InstrMatch(ops, body, instr_name="root"), conditions)

    def number(self, depth: int) -> s.IntExpr:
        rng = self.rng
        draw = rng.random()
        if draw < 0.2 or depth == 0:
            return rng.randrange(-3, 70)
        if draw < 0.35 and self.operands:
            return s.Capture(rng.choice(self.operands))
        if draw < 0.45 and self.numbers:
            return s.Capture(rng.choice(self.numbers))
        if draw < 0.5 and self.constants:
            return s.Capture(rng.choice(self.constants))
        if draw < 0.55 and self.operands:
            return s.WidthOf(rng.choice(self.operands))
        if draw < 0.65 and self.lists:
            return s.CountOf(rng.choice(self.lists))
        op = rng.choice(ARITH_OPS)
        count = {"~": 1, "neg": 1, "log2": 1}.get(op, 2)
        return s.Arith(op, tuple(self.number(depth - 1) for _ in range(count)))

    def condition(self, depth: int = 2) -> s.Condition:
        rng = self.rng
        draw = rng.random()
        if draw < 0.2 and depth:
            return s.Not(self.condition(depth - 1))
        if draw < 0.3 and depth:
            return s.AnyOf((self.condition(depth - 1), self.condition(depth - 1)))
        if draw < 0.6 and self.operands:
            one = rng.choice(self.operands)
            other = rng.choice(self.operands)
            return rng.choice(
                [
                    s.OneUse(one),
                    s.PowerOfTwo(one),
                    s.IsConstant(one),
                    s.Same(one, other),
                    s.SameType(one, other),
                ]
            )
        return s.Compare(self.number(3), rng.choice(RELATIONS), self.number(3))


def expected(rule: s.Rule, module: Module, most: int) -> list[list[dict[str, object]]]:
    """The first matches at each instruction, by the reference."""
    found: list[list[dict[str, object]]] = []
    for instr in module.body:
        names = (
            n for n in naive.matches(rule.root, instr) if all(naive.holds(c, n) for c in rule.conditions)
        )
        first = [n for _, n in zip(range(most), names, strict=False)]
        found.append([{key: naive.python_value(value) for key, value in n.items()} for n in first])
    return found


@pytest.mark.parametrize("seed", range(400))
def test_the_same_matches_in_the_same_order(seed: int) -> None:
    rng = random.Random(seed)
    module = random_module(rng, 12)
    rules = tuple(RuleMaker(rng).rule(f"r{k}") for k in range(6))
    native = compile_rules(module.context, s.RuleSet("all", rules))
    most = 4
    got = [matches(native, instr, most=most) for instr in module.body]
    for rule in rules:
        mine = [[names for name, names in found if name == rule.name] for found in got]
        assert mine == expected(rule, module, most), rule
    for found in got:
        order = [int(name[1:]) for name, _ in found]
        assert order == sorted(order)


def applicable(rng: random.Random, name: str) -> s.Rule:
    """A rule that replaces the definition of its root."""
    maker = RuleMaker(rng)
    body = maker.row(2, safe=True, names=True)
    one = s.Named("x", s.AnyOperand())
    parts = s.Unordered((s.Sequence((one,)), body)) if rng.random() < 0.5 else s.Sequence((body, one))
    root = s.InstrMatch((rng.choice(OPS[:5]),), s.Sequence((s.Named("e", s.DefOf(s.AnyOperand())), parts)))
    used = s.Capture(rng.choice(["x", *maker.operands, *maker.constants]))
    conditions = (s.SameType("e", used.name),) if used.name not in maker.constants else ()
    emit = rng.choice(
        [
            s.ReplaceUses("e", used),
            s.EmitInstr(
                "io.ANY", (s.Capture("e"),), (used, s.EmitNumber(s.Arith("&", (maker.number(2), 255))))
            ),
            s.ReplaceUses("e", s.EmitConst(maker.number(2), s.WidthOf("e"))),
        ]
    )
    return s.Rule(name, root, conditions, (emit,))


@pytest.mark.parametrize("seed", range(150))
def test_the_same_rewriting(seed: int) -> None:
    """Single applications, one after the other, make the same text."""
    rng = random.Random(seed)
    mine, other = random_module(random.Random(seed), 15), random_module(random.Random(seed), 15)
    naive.erase_dead(Builder(mine))
    naive.erase_dead(Builder(other))
    rules = s.RuleSet("all", tuple(applicable(rng, f"r{k}") for k in range(4)))
    for _ in range(6):
        try:
            names = naive.rewrite(other, rules, limit=1)
        except UsageError:
            with pytest.raises(UsageError):
                apply_rules(mine, rules, limit=1)
            return
        report = apply_rules(mine, rules, limit=1)
        assert list(report.applied) == names
        assert print_module(mine) == print_module(other)
        verify(mine)
        if not names:
            return
