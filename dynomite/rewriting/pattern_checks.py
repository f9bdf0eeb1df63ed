"""What is wrong with a pattern: names, alternatives that cannot be reached, operands that cannot be there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from dynomite.errors import UsageError
from dynomite.ir import Context
from dynomite.rewriting import syntax as s

Kind: TypeAlias = Literal["operand", "list", "number", "constant", "operation", "instruction"]
Wrong: TypeAlias = Callable[[str, "s.Node | None"], None]
_UNBOUNDED = 1 << 30


@dataclass
class Bindings:
    """The names of a pattern.

    Attributes:
        kinds: What each stands for.
        partly: Those that some alternatives do not bind.
        root_defs: Those that are definitions of the root.
        operations: Operations that names of the kind "operation" stand for.
    """

    kinds: dict[str, Kind] = field(default_factory=dict[str, Kind])
    partly: set[str] = field(default_factory=set[str])
    root_defs: set[str] = field(default_factory=set[str])
    operations: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


def check_pattern(root: s.InstrMatch, context: Context, wrong: Wrong) -> Bindings:
    """Complains about everything that is wrong with a pattern; returns its names."""
    checker = _PatternChecker(context, wrong)
    checker.instruction(root, set(), nested=False)
    return checker.result


class _PatternChecker:
    """Walks through a pattern in the order of matching. Sets of names are what is bound there."""

    def __init__(self, context: Context, wrong: Wrong) -> None:
        self.context = context
        self.wrong = wrong
        self.result = Bindings()
        self.repeated = 0
        self.nested = 0

    def bind(self, name: str, kind: Kind, bound: set[str], node: s.Node) -> None:
        if not name or name.startswith("#"):
            self.wrong(f"{name!r} is no name", node)
        if self.repeated:
            self.wrong(f"%{name} is bound inside of a repetition; name the repetition itself", node)
        known = self.result.kinds.setdefault(name, kind)
        both_numbers = {known, kind} <= {"number", "constant"}
        if known != kind and not both_numbers:
            self.wrong(f"%{name} stands for {_article(known)} elsewhere, and here for {_article(kind)}", node)
        elif name in bound and kind not in ("number", "constant"):
            self.wrong(f"%{name} is bound twice", node)
        bound.add(name)

    def instruction(self, node: s.InstrMatch, bound: set[str], *, nested: bool) -> None:
        self.operations(node)
        self.nested += nested
        least, most = self.expr(node.operands, bound, is_root=not nested)
        self.nested -= nested
        self.row(node, least, most, nested=nested)
        if node.op_name is not None:
            self.bind(node.op_name, "operation", bound, node)
            self.result.operations[node.op_name] = node.ops
        if node.instr_name is not None:
            self.bind(node.instr_name, "instruction", bound, node)
        if node.result is not None:
            self.bind(node.result, "operand", bound, node)

    def operations(self, node: s.InstrMatch) -> None:
        seen: set[str] = set()
        for op in node.ops:
            if op in seen:
                self.wrong(f"{op} stands there twice: the second alternative is never reached", node)
            seen.add(op)
            try:
                self.context.opcode(op)
            except UsageError as error:
                self.wrong(str(error), node)

    def row(self, node: s.InstrMatch, least: int, most: int, *, nested: bool) -> None:
        """Whether an instruction can have so many operands."""
        for op in node.ops:
            try:
                opcode = self.context.opcode(op)
            except UsageError:
                continue
            defs, uses = self.context.arity(opcode)
            wanted = uses if nested else defs + uses
            traits = self.context.traits(opcode)
            if most < wanted or (least > wanted and "variadic" not in traits and "pure" in traits):
                count = (
                    str(least)
                    if least == most
                    else f"{least} or more"
                    if most == _UNBOUNDED
                    else f"{least} to {most}"
                )
                what = "operands behind its definitions" if nested else "operands, its definitions included"
                self.wrong(f"it cannot match: {op} has {wanted} {what}, and not {count}", node)

    def expr(self, node: s.Expr, bound: set[str], *, is_root: bool) -> tuple[int, int]:
        """Checks an expression; returns how many operands it takes, at least and at most."""
        match node:
            case s.AnyOperand():
                return 1, 1
            case s.TypeMatch():
                self.type(node, bound)
                return 1, 1
            case s.ConstMatch(value, width):
                self.constant(node, value, width, bound)
                return 1, 1
            case s.InstrMatch():
                self.instruction(node, bound, nested=True)
                return 1, 1
            case s.SameAs(name):
                return self.same(name, bound, node)
            case s.Named(name, expr):
                return self.named(name, expr, bound, node, is_root=is_root)
            case s.Repeat(expr, least):
                return self.repeat(expr, least, bound, node)
            case s.Sequence(parts) | s.Unordered(parts):
                counts = [self.expr(part, bound, is_root=is_root) for part in parts]
                least, most = sum(count[0] for count in counts), sum(count[1] for count in counts)
                return least, min(most, _UNBOUNDED)
            case s.Alternatives(parts):
                return self.alternatives(parts, bound, is_root=is_root)
            case s.DefOf(expr) | s.UseOf(expr):
                self.side(node, expr)
                return self.expr(expr, bound, is_root=is_root)

    def type(self, node: s.TypeMatch, bound: set[str]) -> None:
        try:
            self.context.kind(node.type)
        except UsageError as error:
            self.wrong(str(error), node)
        for param in node.params:
            if isinstance(param, s.Capture):
                self.bind(param.name, "number", bound, node)
            elif param is not None and param < 0:
                self.wrong("a parameter of a type is never negative", node)

    def constant(
        self, node: s.Node, value: int | s.Capture | None, width: int | s.Capture | None, bound: set[str]
    ) -> None:
        if isinstance(value, s.Capture):
            self.bind(value.name, "constant", bound, node)
        if isinstance(width, s.Capture):
            self.bind(width.name, "number", bound, node)
        elif width is not None and width < 1:
            self.wrong("a constant has at least one bit", node)

    def same(self, name: str, bound: set[str], node: s.Node) -> tuple[int, int]:
        kind = self.result.kinds.get(name)
        if name not in bound:
            where = (
                "is bound in some alternatives only" if name in self.result.partly else "is not bound here"
            )
            self.wrong(f"%{name} {where}", node)
            return 1, 1
        if kind == "list":
            return 0, _UNBOUNDED
        if kind not in ("operand", "constant"):
            self.wrong(f"%{name} is {_article(kind or 'operand')} and no operand", node)
        return 1, 1

    def named(
        self, name: str, expr: s.Expr, bound: set[str], node: s.Node, *, is_root: bool
    ) -> tuple[int, int]:
        counts = self.expr(expr, bound, is_root=is_root)
        self.bind(name, "operand" if self.is_single(expr) else "list", bound, node)
        if is_root and isinstance(expr, s.DefOf):
            self.result.root_defs.add(name)
        return counts

    def is_single(self, node: s.Expr) -> bool:
        match node:
            case s.Named(_, expr) | s.DefOf(expr) | s.UseOf(expr):
                return self.is_single(expr)
            case s.Alternatives(parts):
                return all(map(self.is_single, parts))
            case s.SameAs(name):
                return self.result.kinds.get(name) != "list"
            case s.Sequence() | s.Repeat() | s.Unordered():
                return False
            case _:
                return True

    def repeat(self, expr: s.Expr, least: int, bound: set[str], node: s.Node) -> tuple[int, int]:
        self.repeated += 1
        count = self.expr(expr, bound, is_root=False)[0]
        self.repeated -= 1
        if count == 0:
            self.wrong("what is repeated may match nothing", node)
        return least * count, _UNBOUNDED

    def alternatives(self, parts: tuple[s.Expr, ...], bound: set[str], *, is_root: bool) -> tuple[int, int]:
        if len(parts) < 2:
            self.wrong("there is only one alternative", parts[0] if parts else None)
        if not parts:
            return 0, 0
        counts: list[tuple[int, int]] = []
        results: list[set[str]] = []
        for number, part in enumerate(parts):
            for earlier in parts[:number]:
                if covers(earlier, part):
                    self.wrong("it is never reached: an alternative in front of it matches all it does", part)
                    break
            inside = set(bound)
            counts.append(self.expr(part, inside, is_root=is_root))
            results.append(inside)
        everywhere = set[str].intersection(*results) if results else set[str]()
        self.result.partly |= set[str]().union(*results) - everywhere
        bound |= everywhere
        return min(count[0] for count in counts), max(count[1] for count in counts)

    def side(self, node: s.DefOf | s.UseOf, expr: s.Expr) -> None:
        """Whether what is asked to be a definition or use can be one."""
        is_def = isinstance(node, s.DefOf)
        if is_def and self.nested:
            self.wrong("it cannot match: nested instructions are matched without their definitions", node)
        inner = expr
        while isinstance(inner, s.Named):
            inner = inner.expr
        if is_def and isinstance(inner, s.ConstMatch | s.InstrMatch | s.UseOf):
            self.wrong("it cannot match: only values are defined", node)
        if not is_def and isinstance(inner, s.DefOf):
            self.wrong("it cannot match: a definition is no use", node)


def covers(a: s.Expr, b: s.Expr) -> bool:
    """Whether `a`, tried first, leaves nothing for `b`: it binds no names and matches everything `b` does."""
    if a == b:
        return True
    match a, b:
        case s.AnyOperand(), s.AnyOperand() | s.TypeMatch() | s.ConstMatch() | s.InstrMatch() | s.SameAs():
            return not _binds(b)
        case s.AnyOperand(), s.DefOf(expr) | s.UseOf(expr):
            return covers(a, expr)
        case s.TypeMatch(kind, params), s.TypeMatch(other, others) if kind == other:
            return not params or all(p is None or p == q for p, q in zip(params, others, strict=False))
        case s.ConstMatch(value, width), s.ConstMatch(other_value, other_width):
            same_value = value is None or (value == other_value and width == other_width)
            return same_value and (width is None or width == other_width) and not _captures(a)
        case _:
            return False


def _captures(node: s.Expr) -> bool:
    return isinstance(node, s.ConstMatch) and any(isinstance(p, s.Capture) for p in (node.value, node.width))


def _binds(node: s.Expr) -> bool:
    match node:
        case s.TypeMatch(_, params):
            return any(isinstance(param, s.Capture) for param in params)
        case s.ConstMatch():
            return _captures(node)
        case s.InstrMatch():
            return True
        case _:
            return False


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
