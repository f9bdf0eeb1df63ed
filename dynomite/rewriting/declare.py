"""Rules declared in Python: a decorated function whose parameters are what the pattern binds.

    >>> from dmt_dialect import ops as op
    >>> from dynomite.rewriting.declare import Constant, Operand, Rewrite, const, instr, log2, power_of_two
    >>> from dynomite.rewriting.declare import rule
    >>> @rule
    ... def mul_power_of_two(x: Operand, c: Constant) -> Rewrite:
    ...     '''x * 2^k = x << k'''
    ...     return instr(op.MUL, x / c).when(power_of_two(c)).replaced_by(instr(op.SHL, x, const(log2(c))))
    >>> mul_power_of_two.name, mul_power_of_two.doc
    ('mul_power_of_two', 'x * 2^k = x << k')

The function runs once, when it is declared, and the rule is checked there and then: what docs/rewriting.md
refuses raises an error with file, line and column. The result is a `Rule` of the syntax tree, as text makes
it; the matched instruction's definition is called `d`.

Operators of patterns: `a / b` in any order, `a | b` one or the other, `x.star()`, `x.plus()`, `x.named(n)`. A
number is the constant of that value. Operators of numbers (`value(c)`, `width(x)`, `count(xs)`) are Python's,
with `//` for the quotient; comparisons are conditions, which `~` and `|` combine.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast, get_type_hints

from dynomite.errors import UsageError
from dynomite.ir import Context, Op, TypeDecl
from dynomite.rewriting import syntax as s
from dynomite.rewriting.checks import check_declared

ROOT_DEF = "d"
"""Name of the definition of the matched instruction."""


def _here() -> s.SourceLocation:
    """The place of the call of the function that asks."""
    frame = inspect.currentframe()
    for _ in range(2):
        frame = None if frame is None else frame.f_back
    assert frame is not None, "CPython has frames"
    line, _, column, _ = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    return s.SourceLocation(frame.f_code.co_filename, line or frame.f_lineno, (column or 0) + 1)


# Numbers and conditions.


@dataclass(frozen=True)
class When:
    """A condition; `~` and `|` combine them."""

    node: s.Condition

    def __invert__(self) -> When:
        return When(s.Not(self.node))

    def __or__(self, other: When) -> When:
        return When(s.AnyOf((self.node, other.node)))


IntLike: TypeAlias = "int | Number | Constant"


@dataclass(frozen=True, eq=False)
class Number:
    """An exact integer that is known once the pattern has matched."""

    node: s.IntExpr

    def _with(self, op: s.ArithOp, other: IntLike, *, swapped: bool = False) -> Number:
        args = (self.node, _int(other))
        return Number(s.Arith(op, args[::-1] if swapped else args))

    def __add__(self, other: IntLike) -> Number:
        return self._with("+", other)

    def __radd__(self, other: int) -> Number:
        return self._with("+", other, swapped=True)

    def __sub__(self, other: IntLike) -> Number:
        return self._with("-", other)

    def __rsub__(self, other: int) -> Number:
        return self._with("-", other, swapped=True)

    def __mul__(self, other: IntLike) -> Number:
        return self._with("*", other)

    def __rmul__(self, other: int) -> Number:
        return self._with("*", other, swapped=True)

    def __floordiv__(self, other: IntLike) -> Number:
        return self._with("/", other)

    def __mod__(self, other: IntLike) -> Number:
        return self._with("%", other)

    def __lshift__(self, other: IntLike) -> Number:
        return self._with("<<", other)

    def __rlshift__(self, other: int) -> Number:
        return self._with("<<", other, swapped=True)

    def __rshift__(self, other: IntLike) -> Number:
        return self._with(">>", other)

    def __and__(self, other: IntLike) -> Number:
        return self._with("&", other)

    def __or__(self, other: IntLike) -> Number:
        return self._with("|", other)

    def __xor__(self, other: IntLike) -> Number:
        return self._with("^", other)

    def __invert__(self) -> Number:
        return Number(s.Arith("~", (self.node,)))

    def __neg__(self) -> Number:
        return Number(s.Arith("neg", (self.node,)))

    def _compared(self, relation: s.Relation, other: IntLike) -> When:
        return When(s.Compare(self.node, relation, _int(other)))

    def __lt__(self, other: IntLike) -> When:
        return self._compared("<", other)

    def __le__(self, other: IntLike) -> When:
        return self._compared("<=", other)

    def __gt__(self, other: IntLike) -> When:
        return self._compared(">", other)

    def __ge__(self, other: IntLike) -> When:
        return self._compared(">=", other)

    def equals(self, other: IntLike) -> When:
        """The condition that both are equal; `==` would be Python's."""
        return self._compared("==", other)

    def differs(self, other: IntLike) -> When:
        """The condition that both are different."""
        return self._compared("!=", other)


def _int(number: IntLike) -> s.IntExpr:
    if isinstance(number, Constant):
        return s.Capture(number.name)
    return number.node if isinstance(number, Number) else number


# Patterns.


class Pattern:
    """What matches operands."""

    def expr(self) -> s.Expr:
        """Its node. Names that come again become `SameAs` when the rule is finished."""
        raise NotImplementedError

    def __truediv__(self, other: Pattern | int) -> Pattern:
        return _Combined(s.Unordered, (self, _pattern(other)), _here())

    def __rtruediv__(self, other: int) -> Pattern:
        return _Combined(s.Unordered, (_pattern(other), self), _here())

    def __or__(self, other: Pattern | int) -> Pattern:
        return _Combined(s.Alternatives, (self, _pattern(other)), _here())

    def star(self) -> Pattern:
        """Any number of times."""
        return _Single(s.Repeat(self.expr(), 0, location=_here()))

    def plus(self) -> Pattern:
        """At least once."""
        return _Single(s.Repeat(self.expr(), 1, location=_here()))

    def named(self, name: Operand | Operands) -> Pattern:
        """Gives it the name of a parameter."""
        return _Single(s.Named(name.name, self.expr(), location=_here()))


class _Combined(Pattern):
    """Several patterns together; chains of one kind become one node."""

    def __init__(
        self, kind: type[s.Unordered | s.Alternatives], parts: tuple[Pattern, ...], place: s.SourceLocation
    ) -> None:
        self.kind = kind
        self.parts = [
            inner
            for part in parts
            for inner in (part.parts if isinstance(part, _Combined) and part.kind is kind else [part])
        ]
        self.place = place

    def expr(self) -> s.Expr:
        """See `Pattern`."""
        return self.kind(tuple(part.expr() for part in self.parts), location=self.place)


class _Single(Pattern):
    """A node that is finished."""

    def __init__(self, node: s.Expr) -> None:
        self.node = node

    def expr(self) -> s.Expr:
        """See `Pattern`."""
        return self.node


@dataclass(frozen=True)
class Operand(Pattern):
    """One operand; the second time it stands for the same one."""

    name: str

    def expr(self) -> s.Expr:
        """See `Pattern`."""
        return s.Named(self.name, s.AnyOperand())


@dataclass(frozen=True)
class Operands(Pattern):
    """Any number of operands; `.plus()` is not needed for one more: write another operand."""

    name: str

    def expr(self) -> s.Expr:
        """See `Pattern`."""
        return s.Named(self.name, s.Repeat(s.AnyOperand()))


@dataclass(frozen=True)
class Constant(Pattern):
    """A constant that is captured; the second time it has to have the same value."""

    name: str

    def expr(self) -> s.Expr:
        """See `Pattern`."""
        return s.ConstMatch(s.Capture(self.name))


def anything() -> Pattern:
    """Any one operand."""
    return _Single(s.AnyOperand(location=_here()))


def constant(value: int | None = None, width: int | None = None) -> Pattern:
    """A constant of this value, modulo 2^width of the operand, and width; None for any."""
    return _Single(s.ConstMatch(value, width, location=_here()))


def typed(kind: TypeDecl, *params: int | None) -> Pattern:
    """A value of a type; None for any parameter, none at all for all."""
    _DECLARED_TYPES[kind.full_name] = kind
    return _Single(s.TypeMatch(kind.full_name, params, location=_here()))


_DECLARED_TYPES: dict[str, TypeDecl] = {}
_DECLARED_OPS: dict[str, Op] = {}


def _pattern(part: Pattern | int) -> Pattern:
    return _Single(s.ConstMatch(part)) if isinstance(part, int) else part


@dataclass(frozen=True)
class Const:
    """A constant that is emitted."""

    node: s.EmitConst | s.EmitNumber


class Instr(Pattern):
    """An instruction: in a pattern one that is matched, in what replaces it one that is made."""

    def __init__(
        self,
        ops: tuple[Op, ...],
        operands: tuple[Pattern | Const | int, ...],
        bits: s.IntExpr | None,
        place: s.SourceLocation,
    ) -> None:
        self.ops = ops
        self.operands = operands
        self.bits = bits
        self.place = place
        self.op_name: str | None = None

    def with_op(self, name: str) -> Instr:
        """Names the operation that was matched, for `same_op`."""
        self.op_name = name
        return self

    def expr(self) -> s.Expr:
        """See `Pattern`."""
        return s.InstrMatch(
            tuple(op.full_name for op in self.ops), self._row(), self.op_name, location=self.place
        )

    def _row(self) -> s.Expr:
        parts: list[s.Expr] = []
        for operand in self.operands:
            if isinstance(operand, Const):
                raise UsageError("const(...) and number(...) are emitted; a pattern has constant(...)")
            parts.append(_pattern(operand).expr())
        return parts[0] if len(parts) == 1 else s.Sequence(tuple(parts), location=self.place)

    def root(self) -> s.InstrMatch:
        """The pattern of the matched instruction, its definition in front."""
        row = self._row()
        parts = row.parts if isinstance(row, s.Sequence) else (row,)
        definition = s.Named(ROOT_DEF, s.DefOf(s.AnyOperand(location=self.place), location=self.place))
        names = tuple(op.full_name for op in self.ops)
        return s.InstrMatch(
            names, s.Sequence((definition, *parts), location=self.place), self.op_name, location=self.place
        )

    def when(self, *conditions: When) -> Matched:
        """With conditions, all of which have to hold."""
        return Matched(self, tuple(condition.node for condition in conditions))

    def replaced_by(self, value: Emitted) -> Rewrite:
        """The finished rule: what replaces the instruction's value."""
        return Matched(self, ()).replaced_by(value)

    def do(self, function: Callable[..., Any], *names: Operand | Operands | Constant) -> Rewrite:
        """The finished rule: a function is called as `function(builder, match)`."""
        return Matched(self, ()).do(function, *names)


Emitted: TypeAlias = "Instr | Operand | Constant | Const"


def instr(op: Op | tuple[Op, ...], *operands: Pattern | Const | int, width: IntLike | None = None) -> Instr:
    """An instruction with these operands.

    Args:
        op: Its operation; in a pattern several are possible.
        operands: What it uses; definitions are not written.
        width: Where it is made: the width of its value, if that is not the one of what is replaced.
    """
    ops = op if isinstance(op, tuple) else (op,)
    _DECLARED_OPS.update({one.full_name: one for one in ops})
    return Instr(ops, operands, None if width is None else _int(width), _here())


def same_op(name: str, *operands: Pattern | Const | int, width: IntLike | None = None) -> Instr:
    """Makes an instruction with the operation that `with_op(name)` named."""
    made = Instr((), operands, None if width is None else _int(width), _here())
    return made.with_op(name)


def const(value: IntLike, width: IntLike | None = None) -> Const:
    """Emits a constant, as wide as what is replaced if no width is given."""
    bits = s.WidthOf(ROOT_DEF) if width is None else _int(width)
    return Const(s.EmitConst(_int(value), bits, location=_here()))


def number(value: IntLike) -> Const:
    """Emits a plain number, such as a bound of SLICE."""
    return Const(s.EmitNumber(_int(value), location=_here()))


@dataclass(frozen=True)
class Rewrite:
    """A rule without its name."""

    root: s.InstrMatch
    conditions: tuple[s.Condition, ...]
    emits: tuple[s.Emit, ...] = ()
    function: s.PythonFunction | None = None


@dataclass(frozen=True)
class Matched:
    """A pattern with its conditions."""

    instr: Instr
    conditions: tuple[s.Condition, ...]

    def when(self, *conditions: When) -> Matched:
        """With more conditions."""
        return Matched(self.instr, (*self.conditions, *(one.node for one in conditions)))

    def replaced_by(self, value: Emitted) -> Rewrite:
        """The finished rule: what replaces the instruction's value."""
        emitter = _Emitter()
        place = self.instr.place
        emit: s.Emit
        if isinstance(value, Instr):
            emit = emitter.instr(value, (s.Capture(ROOT_DEF, location=value.place),))
        else:
            emit = s.ReplaceUses(ROOT_DEF, emitter.operand(value), location=place)
        return Rewrite(self.instr.root(), self.conditions, (emit,))

    def do(self, function: Callable[..., Any], *names: Operand | Operands | Constant) -> Rewrite:
        """The finished rule: a function is called as `function(builder, match)`."""
        called = s.PythonFunction(function, tuple(name.name for name in names), location=self.instr.place)
        return Rewrite(self.instr.root(), self.conditions, (), called)


class _Emitter:
    """Makes what is emitted; new definitions have no names."""

    def __init__(self) -> None:
        self.count = 0

    def instr(self, node: Instr, defs: tuple[s.Capture | s.NewDef, ...]) -> s.EmitInstr:
        if node.op_name is not None and not node.ops:
            op: str | s.Capture = s.Capture(node.op_name, location=node.place)
        elif len(node.ops) == 1:
            op = node.ops[0].full_name
        else:
            raise UsageError("an instruction that is made has one operation")
        operands = tuple(self.operand(operand) for operand in node.operands)
        return s.EmitInstr(op, defs, operands, location=node.place)

    def operand(self, node: Pattern | Const | int) -> s.EmitOperand:
        match node:
            case Operand() | Operands() | Constant():
                return s.Capture(node.name)
            case Const():
                return node.node
            case Instr():
                self.count += 1
                kind = s.SameTypeAs(ROOT_DEF, node.bits, location=node.place)
                return self.instr(node, (s.NewDef(f"#{self.count}", kind, location=node.place),))
            case int():
                raise UsageError(f"write const({node}) or number({node}) for what is emitted")
            case _:
                raise UsageError("only names, const(...), number(...) and instr(...) can be emitted")


# Numbers and conditions about names.


def value(name: Constant) -> Number:
    """The unsigned value of a captured constant."""
    return Number(s.Capture(name.name, location=_here()))


def width(name: Operand | Constant | None = None) -> Number:
    """The width of an operand, or of what is replaced."""
    return Number(s.WidthOf(ROOT_DEF if name is None else name.name, location=_here()))


def count(name: Operands) -> Number:
    """The number of operands in a list."""
    return Number(s.CountOf(name.name, location=_here()))


def log2(number: IntLike) -> Number:
    """The logarithm, rounded down."""
    return Number(s.Arith("log2", (_int(number),), location=_here()))


def signed(number: IntLike, bits: IntLike) -> Number:
    """The number modulo 2^bits, read as a signed one."""
    return Number(s.Arith("signed", (_int(number), _int(bits)), location=_here()))


def least(*numbers: IntLike) -> Number:
    """The smallest of several numbers."""
    return Number(s.Arith("min", tuple(map(_int, numbers)), location=_here()))


def largest(*numbers: IntLike) -> Number:
    """The largest of several numbers."""
    return Number(s.Arith("max", tuple(map(_int, numbers)), location=_here()))


def one_use(name: Operand) -> When:
    """The value has exactly one use."""
    return When(s.OneUse(name.name, location=_here()))


def power_of_two(name: Constant | Operand) -> When:
    """The constant has exactly one bit set."""
    return When(s.PowerOfTwo(name.name, location=_here()))


def is_constant(name: Operand) -> When:
    """The operand is a constant."""
    return When(s.IsConstant(name.name, location=_here()))


def same(a: Operand | Operands, b: Operand | Operands) -> When:
    """Both are the same object, or the same in order."""
    return When(s.Same(a.name, b.name, location=_here()))


def same_type(a: Operand, b: Operand) -> When:
    """Both have one type."""
    return When(s.SameType(a.name, b.name, location=_here()))


def holds(function: Callable[..., bool], *names: Operand | Operands | Constant) -> When:
    """A Python function returns True; called last."""
    return When(s.PythonCondition(function, tuple(name.name for name in names), location=_here()))


# Declaring.


def rule(function: Callable[..., Rewrite]) -> s.Rule:
    """Makes a rule of a function; its parameters are annotated `Operand`, `Operands` or `Constant`.

    Raises:
        ParseError: The rule is wrong; with its place.
        UsageError: A parameter has no such annotation, or the function returns something else.
    """
    code = function.__code__
    place = s.SourceLocation(code.co_filename, code.co_firstlineno, 1)
    hints: dict[str, Any] = get_type_hints(function)
    made: dict[str, Any] = {}
    for name in inspect.signature(function).parameters:
        kind = hints.get(name)
        if kind not in (Operand, Operands, Constant) or name == ROOT_DEF:
            raise UsageError(
                f"{place.file}:{place.line}: the parameter {name} of the rule {function.__name__} needs the"
                f" annotation Operand, Operands or Constant, and another name than {ROOT_DEF}"
            )
        made[name] = kind(name)
    finished = cast("object", function(**made))
    if not isinstance(finished, Rewrite):
        raise UsageError(f"{place.file}:{place.line}: the rule {function.__name__} returns no Rewrite")
    root = _resolved(finished.root, set())
    assert isinstance(root, s.InstrMatch)
    declared = s.Rule(
        function.__name__,
        root,
        finished.conditions,
        finished.emits,
        finished.function,
        inspect.getdoc(function) or "",
        location=place,
    )
    check_declared(declared, _context(), _source(place.file))
    return declared


def rule_set(name: str, *rules: s.Rule | s.RuleSet, doc: str = "") -> s.RuleSet:
    """Rules in the order in which they are tried.

    Raises:
        ParseError: Two have one name, or one is never reached.
    """
    flat = [one for item in rules for one in (item.rules if isinstance(item, s.RuleSet) else (item,))]
    made = s.RuleSet(name, tuple(flat), doc)
    check_declared(made, _context())
    return made


def _source(file: str) -> str | None:
    return "".join(linecache.getlines(file)) if Path(file).exists() else None


def _context() -> Context:
    """Knows the operations and types that were named so far."""
    context = Context()
    for kind in _DECLARED_TYPES.values():
        context.add_type(_dialect(context, kind.dialect), kind)
    for op in _DECLARED_OPS.values():
        if not op.full_name.startswith(("core.", "dsl.", "rewrite.")):
            context.add_op(_dialect(context, op.dialect), op)
    return context


def _dialect(context: Context, name: str) -> int:
    found = context.find_dialect(name)
    return context.add_dialect(name) if found is None else found


def _resolved(node: s.Expr, bound: set[str]) -> s.Expr:
    """Names that are bound already stand for the same operand."""
    match node:
        case s.Named(name, s.AnyOperand() | s.Repeat(s.AnyOperand())) if name in bound:
            return s.SameAs(name, location=node.location)
        case s.Named(name, expr):
            inner = _resolved(expr, bound)
            bound.add(name)
            return s.Named(name, inner, location=node.location)
        case s.InstrMatch(ops, operands, op_name, instr_name):
            return s.InstrMatch(ops, _resolved(operands, bound), op_name, instr_name, location=node.location)
        case s.Repeat(expr, times):
            return s.Repeat(_resolved(expr, bound), times, location=node.location)
        case s.DefOf(expr):
            return s.DefOf(_resolved(expr, bound), location=node.location)
        case s.UseOf(expr):
            return s.UseOf(_resolved(expr, bound), location=node.location)
        case s.Sequence(parts):
            return s.Sequence(tuple(_resolved(part, bound) for part in parts), location=node.location)
        case s.Unordered(parts):
            return s.Unordered(tuple(_resolved(part, bound) for part in parts), location=node.location)
        case s.Alternatives(parts):
            sides = [set(bound) for _ in parts]
            made = tuple(_resolved(part, side) for part, side in zip(parts, sides, strict=True))
            bound.update(*sides)
            return s.Alternatives(made, location=node.location)
        case _:
            return node
