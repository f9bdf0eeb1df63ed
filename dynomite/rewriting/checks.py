"""What is wrong with a rule, found when it is declared.

    >>> from dynomite.ir import Context
    >>> from dynomite.rewriting.checks import problems_of
    >>> from dynomite.rewriting.syntax import *
    >>> root = InstrMatch(("core.GRAPH",), Named("d", DefOf(AnyOperand())))
    >>> [problem.message for problem in problems_of(Rule("r", root, emits=(Delete("i"),)), Context())]
    ['%i is not bound: the match does not name it']

docs/rewriting.md says what is refused. Dialects may look closer at rules about their operations: see
`TYPE_CHECKS`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

from dynomite.errors import ParseError, UsageError
from dynomite.ir import Context
from dynomite.rewriting import syntax as s
from dynomite.rewriting.functions import resolve_function
from dynomite.rewriting.pattern_checks import Bindings, check_pattern


class Problem(NamedTuple):
    """One thing that is wrong with a rule."""

    message: str
    location: s.SourceLocation | None


TypeCheck = Callable[[s.Rule], Iterator[str]]

TYPE_CHECKS = {"op": "dmt_dialect.rewriting.rule_types:type_problems"}
"""By dialect: a function that looks closer at rules whose operations are all of that dialect."""


def problems_of(rule: s.Rule, context: Context) -> list[Problem]:
    """Everything that is wrong with a rule, in the order of its parts.

    Cost: linear in the rule, but for the checks of `TYPE_CHECKS`.
    """
    checker = _Checker(rule, context)
    checker.run()
    if not checker.problems:
        checker.check_types()
    return checker.problems


def check_declared(rules: s.RuleSet | s.Rule, context: Context, source: str | bytes | None = None) -> None:
    """Refuses rules that are wrong.

    Args:
        rules: What was declared.
        context: Knows the dialects.
        source: The text they come from, for the lines in messages.

    Raises:
        ParseError: Something is wrong and its place is known; the other problems are in `others`.
        UsageError: The same where no place is known.
    """
    ordered = rules.rules if isinstance(rules, s.RuleSet) else (rules,)
    found: list[tuple[s.Rule, Problem]] = []
    names: dict[str, s.Rule] = {}
    for rule in ordered:
        if names.setdefault(rule.name, rule) is not rule:
            found.append((rule, Problem(f"there are two rules of the name {rule.name}", rule.location)))
        found += [(rule, problem) for problem in problems_of(rule, context)]
    found += [(rule, problem) for rule, problem in _hidden(ordered)]
    if not found:
        return
    errors = [_error(rule, problem, source) for rule, problem in found]
    first = errors[0]
    if isinstance(first, ParseError):
        first.others = tuple(error for error in errors[1:] if isinstance(error, ParseError))
    raise first


def _hidden(rules: tuple[s.Rule, ...]) -> Iterator[tuple[s.Rule, Problem]]:
    """Rules that an earlier one without conditions always forestalls."""
    seen: dict[s.InstrMatch, str] = {}
    for rule in rules:
        if rule.root in seen:
            message = f"it is never applied: the rule {seen[rule.root]} in front of it has the same pattern"
            yield rule, Problem(message, rule.location)
        elif not rule.conditions:
            seen[rule.root] = rule.name


def _error(rule: s.Rule, problem: Problem, source: str | bytes | None) -> ParseError | UsageError:
    message = f"rule {rule.name}: {problem.message}"
    place = problem.location or rule.location
    if place is None or not place.line:
        return UsageError(message)
    lines: list[str] = []
    if source is not None:
        text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
        lines = text.split("\n")
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    return ParseError(message, place.file, place.line, place.column, 0, line)


class _Checker:
    """Collects the problems of one rule."""

    def __init__(self, rule: s.Rule, context: Context) -> None:
        self.rule = rule
        self.context = context
        self.problems: list[Problem] = []
        self.names: Bindings = Bindings()
        self.made: set[str] = set()
        self.overwritten: dict[str, s.SourceLocation | None] = {}
        self.deleted: set[str] = set()

    def wrong(self, message: str, node: s.Node | None) -> None:
        location = None if node is None else node.location
        self.problems.append(Problem(message, location or self.rule.location))

    def run(self) -> None:
        if not self.rule.name:
            self.wrong("a rule needs a name", self.rule)
        self.names = check_pattern(self.rule.root, self.context, self.wrong)
        for condition in self.rule.conditions:
            self.condition(condition)
        for emit in self.rule.emits:
            self.emit(emit)
        if self.rule.do is not None:
            self.call(self.rule.do)
        if not self.rule.emits and self.rule.do is None:
            self.wrong("it does nothing: there is neither emit nor do", self.rule)
        self.uses_of_overwritten()

    def check_types(self) -> None:
        """Asks the dialect of all its operations, if there is one."""
        ops = operations_of(self.rule)
        dialects = {op.partition(".")[0] for op in ops}
        where = TYPE_CHECKS.get(next(iter(dialects), "")) if len(dialects) == 1 else None
        if where is None:
            return
        module, _, name = where.partition(":")
        check = cast("TypeCheck", getattr(importlib.import_module(module), name))
        for message in check(self.rule):
            self.wrong(message, self.rule)

    # Names.

    def kind(self, name: str, node: s.Node | None, *wanted: str) -> bool:
        """Whether a name is bound, and to one of these kinds; complains otherwise."""
        if name in self.made:
            if "operand" in wanted:
                return True
            self.wrong(f"%{name} is a new definition and no {_either(wanted)}", node)
            return False
        kind = self.names.kinds.get(name)
        if kind is None:
            self.wrong(f"%{name} is not bound: the match does not name it", node)
            return False
        if name in self.names.partly:
            self.wrong(f"%{name} is bound in some alternatives only", node)
            return False
        if kind in wanted or (kind == "constant" and ("operand" in wanted or "number" in wanted)):
            return True
        self.wrong(f"%{name} is {_article(kind)}, and not {_either(wanted)}", node)
        return False

    # Conditions and numbers.

    def condition(self, node: s.Condition) -> None:
        match node:
            case s.OneUse(name):
                self.kind(name, node, "operand", "instruction")
            case s.PowerOfTwo(name):
                self.kind(name, node, "operand", "number")
            case s.IsConstant(name):
                if self.names.kinds.get(name) == "constant":
                    self.wrong(f"%{name} is a constant always", node)
                self.kind(name, node, "operand")
            case s.Compare(left, _, right):
                self.integer(left, node)
                self.integer(right, node)
                if isinstance(left, int) and isinstance(right, int):
                    self.wrong("two numbers are compared that are always the same", node)
            case s.Same(a, b) | s.SameType(a, b):
                lists = ("operand", "list") if isinstance(node, s.Same) else ("operand",)
                self.kind(a, node, *lists)
                self.kind(b, node, *lists)
            case s.Not(condition):
                self.condition(condition)
            case s.AnyOf(conditions):
                for one in conditions:
                    self.condition(one)
            case s.PythonCondition():
                self.call(node)

    def call(self, node: s.PythonCondition | s.PythonFunction) -> None:
        try:
            resolve_function(node.function)
        except UsageError as error:
            self.wrong(str(error), node)
        for name in node.names:
            self.kind(name, node, "operand", "list", "number", "operation", "instruction")

    def integer(self, node: s.IntExpr, owner: s.Node) -> None:
        match node:
            case int():
                pass
            case s.Capture(name):
                self.kind(name, node if node.location else owner, "number", "operand")
            case s.WidthOf(name):
                self.kind(name, node if node.location else owner, "operand")
            case s.CountOf(name):
                self.kind(name, node if node.location else owner, "operand", "list")
            case s.Arith(op, args):
                count = {"~": (1, 1), "neg": (1, 1), "log2": (1, 1), "min": (1, 99), "max": (1, 99)}
                least, most = count.get(op, (2, 2))
                if not least <= len(args) <= most:
                    self.wrong(f"{op} takes {least} numbers, not {len(args)}", node)
                for arg in args:
                    self.integer(arg, owner)

    # What is emitted.

    def emit(self, node: s.Emit) -> None:
        match node:
            case s.EmitInstr():
                self.build(node, nested=False)
            case s.ReplaceUses(name, operand):
                self.overwrite(name, node)
                self.single(operand, node)
            case s.ReplaceAll(name, operands):
                if self.kind(name, node, "instruction"):
                    self.delete(name, node)
                    for own in self.names.root_defs if name == self.rule.root.instr_name else ():
                        self.overwrite(own, node)
                for operand in operands:
                    self.operand(operand, node)
            case s.Delete(name):
                if self.kind(name, node, "instruction"):
                    self.delete(name, node)

    def delete(self, name: str, node: s.Node) -> None:
        if name in self.deleted:
            self.wrong(f"${name} is deleted twice", node)
        self.deleted.add(name)

    def overwrite(self, name: str, node: s.Node) -> None:
        if name not in self.names.root_defs:
            if self.kind(name, node, "operand", "list"):
                self.wrong(f"%{name} is no definition of the matched instruction", node)
            return
        if name in self.overwritten:
            self.wrong(f"%{name} is overwritten twice", node)
        self.overwritten[name] = node.location

    def single(self, operand: s.EmitOperand, node: s.Node) -> None:
        if isinstance(operand, s.Capture):
            self.kind(operand.name, operand if operand.location else node, "operand")
        else:
            self.operand(operand, node)

    def operand(self, operand: s.EmitOperand, node: s.Node) -> None:
        match operand:
            case s.Capture(name):
                self.kind(name, operand if operand.location else node, "operand", "list")
            case s.EmitConst(value, width):
                self.integer(value, operand)
                self.integer(width, operand)
                if isinstance(width, int) and width < 1:
                    self.wrong("a constant has at least one bit", operand)
            case s.EmitNumber(value):
                self.integer(value, operand)
            case s.EmitInstr():
                self.build(operand, nested=True)

    def build(self, node: s.EmitInstr, *, nested: bool) -> None:
        self.arity(node)
        for operand in node.operands:
            self.operand(operand, node)
        if nested and (len(node.defs) != 1 or not isinstance(node.defs[0], s.NewDef)):
            self.wrong("an operation used as operand has one new definition", node)
        for one in node.defs:
            place = one if one.location else node
            if isinstance(one, s.Capture):
                self.overwrite(one.name, place)
            else:
                self.definition_type(one.type, place)
                if one.name in self.made or one.name in self.names.kinds:
                    self.wrong(f"%{one.name} has a meaning already", place)
                self.made.add(one.name)

    def definition_type(self, kind: s.TypeExpr | s.SameTypeAs, place: s.Node) -> None:
        if isinstance(kind, s.SameTypeAs):
            if self.kind(kind.name, place, "operand") and self.names.kinds.get(kind.name) == "constant":
                self.wrong(f"%{kind.name} is a constant and has no type", place)
            if kind.width is not None:
                self.integer(kind.width, place)
            return
        try:
            self.context.kind(kind.type)
        except UsageError as error:
            self.wrong(str(error), place)
        for param in kind.params:
            self.integer(param, place)

    def arity(self, node: s.EmitInstr) -> None:
        """Whether the operation exists and has so many definitions, and operands as far as that is known."""
        if isinstance(node.op, s.Capture):
            if not self.kind(node.op.name, node, "operation"):
                return
            ops = self.names.operations.get(node.op.name, ())
        else:
            ops = (node.op,)
        lists = sum(
            isinstance(one, s.Capture) and self.names.kinds.get(one.name) == "list" for one in node.operands
        )
        for op in ops:
            try:
                opcode = self.context.opcode(op)
            except UsageError as error:
                self.wrong(str(error), node)
                continue
            defs, uses = self.context.arity(opcode)
            variadic = "variadic" in self.context.traits(opcode)
            if len(node.defs) < defs or (len(node.defs) > defs and not variadic):
                self.wrong(f"{op} defines {defs} values, not {len(node.defs)}", node)
            known = len(node.operands) - lists
            if (known < uses and not lists) or (known > uses and not variadic):
                self.wrong(f"{op} takes {uses} operands, not {known}", node)

    def uses_of_overwritten(self) -> None:
        """A definition that is overwritten is gone for what is emitted."""
        for node in emitted_captures(self.rule.emits):
            if node.name in self.overwritten:
                self.wrong(f"%{node.name} is overwritten and cannot be used", node)


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _either(kinds: tuple[str, ...]) -> str:
    return " or ".join(_article(kind) for kind in kinds)


def _emitted_roots(emits: tuple[s.Emit, ...]) -> list[s.EmitOperand]:
    """What is built or used by each emission itself, nothing inside of it."""
    found: list[s.EmitOperand] = []
    for emit in emits:
        match emit:
            case s.EmitInstr():
                found.append(emit)
            case s.ReplaceUses(_, operand):
                found.append(operand)
            case s.ReplaceAll(_, operands):
                found += operands
            case s.Delete():
                pass
    return found


def emitted_captures(emits: tuple[s.Emit, ...]) -> Iterator[s.Capture]:
    """All names used as operands."""
    left = _emitted_roots(emits)
    while left:
        node = left.pop(0)
        if isinstance(node, s.Capture):
            yield node
        elif isinstance(node, s.EmitInstr):
            left += node.operands


def operations_of(rule: s.Rule) -> set[str]:
    """Full names of all operations a rule matches or emits; "" for any."""
    found: set[str] = set()
    exprs: list[s.Expr] = [rule.root]
    while exprs:
        node = exprs.pop()
        match node:
            case s.InstrMatch(ops, operands):
                found.update(ops or ("",))
                exprs.append(operands)
            case s.Named(_, expr) | s.Repeat(expr) | s.DefOf(expr) | s.UseOf(expr):
                exprs.append(expr)
            case s.Sequence(parts) | s.Alternatives(parts) | s.Unordered(parts):
                exprs += parts
            case _:
                pass
    built = _emitted_roots(rule.emits)
    while built:
        node = built.pop()
        if isinstance(node, s.EmitInstr):
            if isinstance(node.op, str):
                found.add(node.op)
            built += node.operands
    return found
