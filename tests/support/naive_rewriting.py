"""The reference matcher and rewriter for rules: docs/rewriting.md in plain Python, without any cleverness.

Matching is a generator of all matches in the order that the document defines; the first one counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from dynomite.errors import UsageError
from dynomite.ir import (
    BlockRef,
    Builder,
    Const,
    Def,
    InstrRef,
    Module,
    RegionRef,
    Type,
    ValueRef,
)
from dynomite.rewriting import syntax as s
from dynomite.rewriting.functions import resolve_function

LARGEST_SHIFT = 1 << 21


@dataclass(frozen=True)
class Place:
    """One operand of a row: the object, and whether it is defined there."""

    object: object
    is_def: bool


Bound: TypeAlias = "Place | tuple[Place, ...] | int | str | InstrRef"
"""What a name stands for: operand, list, number, operation, instruction."""
Names: TypeAlias = Mapping[str, Bound]
Row: TypeAlias = tuple[Place, ...]
Found: TypeAlias = Iterator[tuple[int, Names]]


class Undefined(Exception):  # noqa: N818 - no error: the outcome of a computation
    """A number that has no value."""


# Rows.


def row_of(instr: InstrRef, *, nested: bool) -> Row:
    """Definitions, then all others; nested without the definitions."""
    last = len(instr) - 1
    places: list[Place] = []
    for index in range(len(instr)):
        operand = instr.operand(index)
        if index == last and isinstance(operand, Mapping) and not instr.is_def(index):
            continue
        places.append(Place(operand, instr.is_def(index)))
    defs = tuple(place for place in places if place.is_def)
    uses = tuple(place for place in places if not place.is_def)
    return uses if nested else defs + uses


def same_object(a: Place, b: Place) -> bool:
    """Whether two operands refer to the same object."""
    return type(a.object) is type(b.object) and a.object == b.object


# Matching.


def matches(root: s.InstrMatch, instr: InstrRef) -> Iterator[Names]:
    """All matches of a pattern at an instruction, in order."""
    return _instruction(root, instr, {}, nested=False)


def _instruction(node: s.InstrMatch, instr: InstrRef, names: Names, *, nested: bool) -> Iterator[Names]:
    if node.ops and instr.name not in node.ops:
        return
    row = row_of(instr, nested=nested)
    for end, found in _expr(node.operands, row, 0, names):
        if end != len(row):
            continue
        bound = dict(found)
        if node.op_name is not None:
            bound[node.op_name] = instr.name
        if node.instr_name is not None:
            bound[node.instr_name] = instr
        yield bound


def _expr(node: s.Expr, row: Row, at: int, names: Names) -> Found:
    match node:
        case s.Named(name, expr):
            for end, found in _expr(expr, row, at, names):
                yield end, {**found, name: row[at] if is_single(expr, found) else row[at:end]}
        case s.SameAs(name):
            bound = names[name]
            wanted = bound if isinstance(bound, tuple) else (bound,)
            end = at + len(wanted)
            if end <= len(row) and all(
                isinstance(a, Place) and same_object(a, b) for a, b in zip(wanted, row[at:end], strict=True)
            ):
                yield end, names
        case s.Sequence(parts):
            yield from _sequence(parts, row, at, names)
        case s.Alternatives(parts):
            for part in parts:
                yield from _expr(part, row, at, names)
        case s.Repeat(expr, least):
            yield from _repeat(expr, least, row, at, names)
        case s.Unordered(parts):
            yield from _unordered(parts, row, at, names)
        case s.DefOf(expr) | s.UseOf(expr):
            wanted_def = isinstance(node, s.DefOf)
            for end, found in _expr(expr, row, at, names):
                if all(place.is_def == wanted_def for place in row[at:end]):
                    yield end, found
        case _:
            if at < len(row):
                for found in _one(node, row[at], names):
                    yield at + 1, found


def is_single(node: s.Expr, names: Names) -> bool:
    """Whether an expression always matches exactly one operand."""
    match node:
        case s.AnyOperand() | s.TypeMatch() | s.ConstMatch() | s.InstrMatch():
            return True
        case s.Named(_, expr) | s.DefOf(expr) | s.UseOf(expr):
            return is_single(expr, names)
        case s.Alternatives(parts):
            return all(is_single(part, names) for part in parts)
        case s.SameAs(name):
            return not isinstance(names.get(name), tuple)
        case _:
            return False


def _sequence(parts: tuple[s.Expr, ...], row: Row, at: int, names: Names) -> Found:
    if not parts:
        yield at, names
        return
    for end, found in _expr(parts[0], row, at, names):
        yield from _sequence(parts[1:], row, end, found)


def _repeat(expr: s.Expr, least: int, row: Row, at: int, names: Names) -> Found:
    for end, found in _expr(expr, row, at, names):
        assert end > at, "X* where X matches nothing is refused"
        yield from _repeat(expr, 0, row, end, found)
    if least == 0:
        yield at, names


def _unordered(parts: tuple[s.Expr, ...], row: Row, at: int, names: Names) -> Found:
    for end in range(len(row), at - 1, -1):
        segment = row[at:end]
        for choice in itertools.product(range(len(parts)), repeat=len(segment)):
            dealt = tuple(
                tuple(place for place, owner in zip(segment, choice, strict=True) if owner == number)
                for number in range(len(parts))
            )
            for found in _dealt(parts, dealt, names):
                yield end, found


def _dealt(parts: tuple[s.Expr, ...], rows: tuple[Row, ...], names: Names) -> Iterator[Names]:
    if not parts:
        yield names
        return
    for end, found in _expr(parts[0], rows[0], 0, names):
        if end == len(rows[0]):
            yield from _dealt(parts[1:], rows[1:], found)


def _one(node: s.Expr, place: Place, names: Names) -> Iterator[Names]:
    match node:
        case s.AnyOperand():
            yield names
        case s.TypeMatch(kind, params):
            value = place.object
            if not isinstance(value, ValueRef) or value.type is None or value.type.name != kind:
                return
            if not params:
                yield names
                return
            found: Names | None = names
            for param, wanted in zip(value.type.params, params, strict=True):
                number = param.value if isinstance(param, Const) else None
                found = None if found is None else _parameter(wanted, number, number, found)
            if found is not None:
                yield found
        case s.ConstMatch(value, width):
            const = place.object
            if not isinstance(const, Const) or place.is_def:
                return
            if isinstance(value, int):
                if (value - const.value) % (1 << const.width):
                    return
                value = None
            found = _parameter(value, const.value, place, names)
            found = None if found is None else _parameter(width, const.width, const.width, found)
            if found is not None:
                yield found
        case s.InstrMatch():
            value = place.object
            if isinstance(value, ValueRef) and not place.is_def:
                yield from _instruction(node, value.instr, names, nested=True)
        case _:
            raise AssertionError(node)


def _parameter(
    wanted: int | s.Capture | None, number: int | None, bound: Bound | None, names: Names
) -> Names | None:
    if wanted is None:
        return names
    if number is None or bound is None:
        return None
    if isinstance(wanted, int):
        return names if wanted == number else None
    if wanted.name in names:
        return names if number_of(names[wanted.name]) == number else None
    return {**names, wanted.name: bound}


# Numbers and conditions.


def number_of(bound: Bound) -> int:
    """A captured number, or the unsigned value of a captured constant."""
    if isinstance(bound, int):
        return bound
    if isinstance(bound, Place) and isinstance(bound.object, Const):
        return bound.object.value
    raise Undefined


def width_of(bound: Bound) -> int:
    """The width of a constant, or of a value's type."""
    if isinstance(bound, Place):
        if isinstance(bound.object, Const):
            return bound.object.width
        if isinstance(bound.object, ValueRef) and bound.object.type is not None:
            params = bound.object.type.params
            if len(params) == 1 and isinstance(params[0], Const):
                return params[0].value
    raise Undefined


def evaluate(node: s.IntExpr, names: Names) -> int:
    """The value of a number.

    Raises:
        Undefined: It has none.
    """
    match node:
        case int():
            return node
        case s.Capture(name):
            return number_of(names[name])
        case s.WidthOf(name):
            return width_of(names[name])
        case s.CountOf(name):
            bound = names[name]
            return len(bound) if isinstance(bound, tuple) else 1
        case s.Arith(op, args):
            return _arith(op, [evaluate(arg, names) for arg in args])


def _shift(a: int, b: int, *, left: bool) -> int:
    if not 0 <= b <= LARGEST_SHIFT:
        raise Undefined
    return a << b if left else a >> b


def _divide(a: int, b: int, *, quotient: bool) -> int:
    if b == 0:
        raise Undefined
    return a // b if quotient else a % b


def _log2(a: int) -> int:
    if a < 1:
        raise Undefined
    return a.bit_length() - 1


def _signed(a: int, width: int) -> int:
    if not 1 <= width <= LARGEST_SHIFT:
        raise Undefined
    a %= 1 << width
    return a - (a >> (width - 1) << width)


_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: _divide(a, b, quotient=True),
    "%": lambda a, b: _divide(a, b, quotient=False),
    "<<": lambda a, b: _shift(a, b, left=True),
    ">>": lambda a, b: _shift(a, b, left=False),
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "signed": _signed,
}


def _arith(op: str, args: list[int]) -> int:
    match op:
        case "~":
            return ~args[0]
        case "neg":
            return -args[0]
        case "log2":
            return _log2(args[0])
        case "min":
            return min(args)
        case "max":
            return max(args)
        case _:
            return _BINARY[op](args[0], args[1])


_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def holds(node: s.Condition, names: Names) -> bool:
    """Whether a condition holds."""
    match node:
        case s.OneUse(name):
            bound = names[name]
            if isinstance(bound, InstrRef):
                return sum(value.use_count for value in bound.defs) == 1
            return (
                isinstance(bound, Place)
                and isinstance(bound.object, ValueRef)
                and bound.object.use_count == 1
            )
        case s.PowerOfTwo(name):
            try:
                return number_of(names[name]).bit_count() == 1
            except Undefined:
                return False
        case s.IsConstant(name):
            bound = names[name]
            return isinstance(bound, Place) and isinstance(bound.object, Const)
        case s.Compare(left, relation, right):
            try:
                return _RELATIONS[relation](evaluate(left, names), evaluate(right, names))
            except Undefined:
                return False
        case s.Same(a, b):
            return _same(names[a], names[b])
        case s.SameType(a, b):
            return _same_type(names[a], names[b])
        case s.Not(condition):
            return not holds(condition, names)
        case s.AnyOf(conditions):
            return any(holds(one, names) for one in conditions)
        case s.PythonCondition(function, arguments):
            return resolve_function(function)(*(python_value(names[name]) for name in arguments)) is True


def _same(a: Bound, b: Bound) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same_object, a, b))
    return isinstance(a, Place) and isinstance(b, Place) and same_object(a, b)


def _same_type(a: Bound, b: Bound) -> bool:
    if not isinstance(a, Place) or not isinstance(b, Place):
        return False
    if isinstance(a.object, ValueRef) and isinstance(b.object, ValueRef):
        return a.object.type == b.object.type
    try:
        return width_of(a) == width_of(b)
    except Undefined:
        return False


def python_value(bound: Bound) -> object:
    """What Python functions are given."""
    if isinstance(bound, tuple):
        return tuple(place.object for place in bound)
    return bound.object if isinstance(bound, Place) else bound


def first_match(rule: s.Rule, instr: InstrRef) -> Names | None:
    """The match of a rule: the first whose conditions hold and whose numbers are defined."""
    python = [one for one in rule.conditions if isinstance(one, s.PythonCondition)]
    native = [one for one in rule.conditions if not isinstance(one, s.PythonCondition)]
    for names in matches(rule.root, instr):
        if all(holds(one, names) for one in native + python) and _is_defined(rule, names, instr):
            return names
    return None


# What is done.


def _is_defined(rule: s.Rule, names: Names, instr: InstrRef) -> bool:
    try:
        for emit in rule.emits:
            _Emitter(None, rule, names, instr).check(emit)
    except Undefined:
        return False
    return True


class _Emitter:
    """Does what a rule emits for one match."""

    def __init__(self, builder: Builder | None, rule: s.Rule, names: Names, root: InstrRef) -> None:
        self.builder = builder
        self.rule = rule
        self.names = dict(names)
        self.root = root
        self.replaced: list[tuple[ValueRef, object]] = []
        self.deleted: list[InstrRef] = []

    # Whether all numbers and types are defined.

    def check(self, emit: s.Emit) -> None:
        match emit:
            case s.EmitInstr():
                self.check_operand(emit)
            case s.ReplaceUses(_, operand):
                self.check_operand(operand)
            case s.ReplaceAll(_, operands):
                for operand in operands:
                    self.check_operand(operand)
            case s.Delete():
                pass

    def check_operand(self, node: s.EmitOperand) -> None:
        match node:
            case s.EmitConst():
                self.constant(node)
            case s.EmitNumber(value):
                evaluate(value, self.names)
            case s.EmitInstr():
                for one in node.defs:
                    if isinstance(one, s.NewDef):
                        self.type(one.type)
                for operand in node.operands:
                    self.check_operand(operand)
            case s.Capture():
                pass

    def constant(self, node: s.EmitConst) -> Const:
        value, width = evaluate(node.value, self.names), evaluate(node.width, self.names)
        if not 1 <= width <= LARGEST_SHIFT:
            raise Undefined
        return Const(value & ((1 << width) - 1), width)

    def type(self, node: s.TypeExpr | s.SameTypeAs) -> Type:
        module = self.root.module
        if isinstance(node, s.TypeExpr):
            params = [evaluate(param, self.names) for param in node.params]
            kind = module.context.kind(node.type)
            if any(param < 0 for param in params):
                raise Undefined
        else:
            bound = self.names.get(node.name)
            if bound is None and self.builder is None:
                raise Undefined
            if (
                not isinstance(bound, Place)
                or not isinstance(bound.object, ValueRef)
                or bound.object.type is None
            ):
                raise Undefined
            if node.width is None:
                return bound.object.type
            params = [evaluate(node.width, self.names)]
            kind = bound.object.type.kind
            if len(bound.object.type.params) != 1 or params[0] < 1:
                raise Undefined
        return module.type(kind, *params)

    # Doing it.

    def run(self) -> None:
        assert self.builder is not None
        self.builder.set_place(self.root.block, before=self.root)
        for emit in self.rule.emits:
            match emit:
                case s.EmitInstr():
                    self.build(emit)
                case s.ReplaceUses(name, operand):
                    self.replaced.append((self.value(name), self.operand(operand)[0]))
                case s.ReplaceAll(name, operands):
                    instr = self.instr(name)
                    values = [value for operand in operands for value in self.operand(operand)]
                    self.replaced += zip(instr.defs, values, strict=True)
                    self.deleted.append(instr)
                case s.Delete(name):
                    self.deleted.append(self.instr(name))
        self.finish()

    def instr(self, name: str) -> InstrRef:
        bound = self.names[name]
        assert isinstance(bound, InstrRef)
        return bound

    def value(self, name: str) -> ValueRef:
        bound = self.names[name]
        assert isinstance(bound, Place)
        assert isinstance(bound.object, ValueRef)
        return bound.object

    def build(self, node: s.EmitInstr) -> InstrRef:
        assert self.builder is not None
        name = node.op if isinstance(node.op, str) else self.names[node.op.name]
        assert isinstance(name, str)
        defs: list[Def] = []
        takes_over = False
        for one in node.defs:
            if isinstance(one, s.NewDef):
                defs.append(Def(self.type(one.type)))
            else:
                old = self.value(one.name)
                assert old.type is not None
                defs.append(Def(old.type))
                takes_over = True
        uses = [value for operand in node.operands for value in self.operand(operand)]
        context = self.root.module.context
        opcode = context.opcode(name)
        declared = context.arity(opcode)[1]
        variadic = "variadic" in context.traits(opcode)
        if len(uses) < declared or (len(uses) > declared and not variadic):
            raise UsageError(f"rule {self.rule.name}: {name} does not take {len(uses)} operands")
        attrs = {
            key: value
            for key, value in self.root.attributes.items()
            if takes_over and not key.startswith("sym_")
        }
        made = self.builder.build(opcode, *defs, *uses, attrs=attrs or None)  # pyright: ignore[reportArgumentType]
        for one, value in zip(node.defs, made.defs, strict=True):
            if isinstance(one, s.NewDef):
                self.names[one.name] = Place(value, is_def=True)
            else:
                self.replaced.append((self.value(one.name), value))
        return made

    def operand(self, node: s.EmitOperand) -> list[object]:
        match node:
            case s.Capture(name):
                bound = self.names[name]
                if isinstance(bound, tuple):
                    return [place.object for place in bound]
                assert isinstance(bound, Place)
                return [bound.object]
            case s.EmitConst():
                return [self.constant(node)]
            case s.EmitNumber(value):
                return [evaluate(value, self.names)]
            case s.EmitInstr():
                return [self.build(node).defs[0]]

    def finish(self) -> None:
        assert self.builder is not None
        for old, new in self.replaced:
            if isinstance(new, ValueRef):
                if new.type != old.type:
                    raise UsageError(f"rule {self.rule.name}: a value is replaced by one of another type")
                name = old.name
                self.builder.replace_all_uses(old, new)
                if name is not None and new.name is None:
                    self.builder.set_value_name(old, None)
                    self.builder.set_value_name(new, name)
            else:
                if isinstance(new, Const) and width_of(Place(old, is_def=True)) != new.width:
                    raise UsageError(f"rule {self.rule.name}: a value is replaced by one of another type")
                for user, index in old.uses:
                    self.builder.set_operand(user, index, new)  # pyright: ignore[reportArgumentType]
        overwritten = {old for old, _ in self.replaced}
        if self.rule.emits and all(value in overwritten for value in self.root.defs) and self.root.defs:
            self.deleted.append(self.root)
        for instr in dict.fromkeys(self.deleted):
            self.builder.erase(instr)


def apply_rule(builder: Builder, rule: s.Rule, names: Names, root: InstrRef) -> None:
    """Does what a rule says for one match, `do` included. On an exception the module is unusable."""
    _Emitter(builder, rule, names, root).run()
    if rule.do is not None:
        resolve_function(rule.do.function)(
            builder, {name: python_value(bound) for name, bound in names.items()}
        )


def erase_dead(builder: Builder) -> None:
    """Erases pure instructions whose values are not used, until there are none."""
    module = builder.module
    erased = True
    while erased:
        erased = False
        for instr in reversed(instructions(module)):
            traits = module.context.traits(instr.opcode)
            if (
                "pure" in traits
                and instr.defs
                and not instr.regions
                and not any(v.has_uses for v in instr.defs)
            ):
                builder.erase(instr)
                erased = True


def instructions(module: Module) -> list[InstrRef]:
    """All instructions in blocks, in the order of the text, those inside of others behind their owner."""
    found: list[InstrRef] = []

    def visit(region: RegionRef) -> None:
        blocks: list[BlockRef] = list(region.blocks)
        for block in blocks:
            for instr in block:
                found.append(instr)
                for inner in instr.regions:
                    visit(inner)

    visit(module.body.region)
    return found


def rewrite(module: Module, rules: s.RuleSet | s.Rule, *, limit: int = 1000) -> list[str]:
    """Applies rules at the first instruction where one matches, again and again; names those applied."""
    ordered = rules.rules if isinstance(rules, s.RuleSet) else (rules,)
    builder = Builder(module)
    applied: list[str] = []
    while len(applied) < limit:
        for instr in instructions(module):
            if instr.name.startswith("rewrite."):
                continue
            hit = next(
                ((rule, names) for rule in ordered if (names := first_match(rule, instr)) is not None), None
            )
            if hit is not None:
                apply_rule(builder, hit[0], hit[1], instr)
                applied.append(hit[0].name)
                erase_dead(builder)
                break
        else:
            break
    return applied
