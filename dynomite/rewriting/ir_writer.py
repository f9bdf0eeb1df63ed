"""Rules written into a module, as instructions of the dialect `rewrite`: what the text form becomes too.

>>> from dynomite.ir import Context, Module, print_module
>>> from dynomite.rewriting.ir_writer import module_of
>>> from dynomite.rewriting.syntax import AnyOperand, InstrMatch, PythonFunction, Repeat, Rule
>>> rule = Rule("undo", InstrMatch(("core.GRAPH",), Repeat(AnyOperand())), do=PythonFunction("m:f"))
>>> print_module(module_of([rule], Context())).splitlines()[1].strip()
'match { core.GRAPH .* }'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from dynomite.ir import Builder, Const, Context, Def, InstrRef, Module
from dynomite.ir.operands import Operand
from dynomite.rewriting import syntax as s
from dynomite.rewriting.functions import function_name
from dynomite.rewriting.ir_ops import OPS

_Node: TypeAlias = "tuple[str, Sequence[Operand], list[_Node], s.SourceLocation | None]"
"""Operation, uses, parts, place."""

_BITS = 64


def module_of(rules: Iterable[s.Rule | s.RuleSet], context: Context) -> Module:
    """A new module with these rules. Linear in them."""
    module = Module(context)
    builder = Builder(module)
    builder.set_place(module.body)
    for rule in rules:
        if isinstance(rule, s.Rule):
            write_rule(builder, rule)
        else:
            write_rule_set(builder, rule)
    return module


def write_rule(builder: Builder, rule: s.Rule) -> InstrRef:
    """Builds the instructions of a rule where the builder stands. Linear in the rule."""
    return _write(builder, _rule_node(rule), rule.name)


def write_rule_set(builder: Builder, rules: s.RuleSet) -> InstrRef:
    """Builds the instructions of a set of rules where the builder stands. Linear in the rules."""
    inner: list[tuple[_Node, str | None]] = []
    if rules.doc:
        inner.append((("DOC", [rules.doc], [], None), None))
    inner += [(_rule_node(rule), rule.name) for rule in rules.rules]
    block, before = builder.block, builder.before
    region = builder.create_region()
    body = builder.create_block(region)
    for node, name in inner:
        builder.set_place(body)
        _write(builder, node, name)
    builder.set_place(block, before=before)
    return builder.build(OPS["RULES"], Def(region), attrs={"sym_name": rules.name}, loc=rules.location)


def _write(builder: Builder, node: _Node, symbol: str | None = None) -> InstrRef:
    op, uses, parts, location = node
    operands: list[Operand | Def] = [*uses]
    if parts:
        block, before = builder.block, builder.before
        region = builder.create_region()
        body = builder.create_block(region)
        for part in parts:
            builder.set_place(body)
            _write(builder, part)
        builder.set_place(block, before=before)
        operands.append(Def(region))
    attrs: dict[str, Operand] | None = None if symbol is None else {"sym_name": symbol}
    return builder.build(OPS[op], *operands, attrs=attrs, loc=location)


def _rule_node(rule: s.Rule) -> _Node:
    parts: list[_Node] = []
    if rule.doc:
        parts.append(("DOC", [rule.doc], [], None))
    parts.append(("MATCH", [], [_expr(rule.root)], rule.root.location))
    parts += [("IF", [], [_condition(one)], one.location) for one in rule.conditions]
    if rule.emits:
        parts.append(("EMIT", [], [_emit(one) for one in rule.emits], rule.emits[0].location))
    if rule.do is not None:
        parts.append(("DO", [function_name(rule.do.function), *rule.do.names], [], rule.do.location))
    return ("PATTERN", [], parts, rule.location)


def _number(value: int) -> Const:
    width = _BITS
    while not -(1 << (width - 1)) <= value < 1 << (width - 1):
        width += _BITS
    return Const(value & ((1 << width) - 1), width)


def _param(value: int | s.Capture | None) -> Operand:
    if value is None:
        return None
    return value.name if isinstance(value, s.Capture) else _number(value)


def _expr(node: s.Expr) -> _Node:
    uses: Sequence[Operand] = ()
    parts: list[_Node] = []
    match node:
        case s.AnyOperand():
            op = "ANY"
        case s.TypeMatch(kind, params):
            op, uses = "TYPE", [kind, *map(_param, params)]
        case s.ConstMatch(value, width):
            op, uses = "CONST", [_param(value), _param(width)]
        case s.InstrMatch(ops, operands, op_name, instr_name, result):
            op, uses, parts = "INSTR", [ops, op_name, instr_name], [_expr(operands)]
            if result is not None:
                inner: list[_Node] = [(op, uses, parts, node.location)]
                op, uses, parts = "NAMED", [result], inner
        case s.SameAs(name):
            op, uses = "SAME", [name]
        case s.Named(name, expr):
            op, uses, parts = "NAMED", [name], [_expr(expr)]
        case s.Repeat(expr, least):
            op, parts = ("STAR", "PLUS")[least], [_expr(expr)]
        case s.Sequence(inside):
            op, parts = "SEQ", [*map(_expr, inside)]
        case s.Alternatives(inside):
            op, parts = "ALT", [*map(_expr, inside)]
        case s.Unordered(inside):
            op, parts = "UNORDERED", [*map(_expr, inside)]
        case s.DefOf(expr):
            op, parts = "DEF", [_expr(expr)]
        case s.UseOf(expr):
            op, parts = "USE", [_expr(expr)]
    return (op, uses, parts, node.location)


def _integer(node: s.IntExpr) -> _Node:
    match node:
        case int():
            return ("NUMBER", [_number(node)], [], None)
        case s.Capture(name):
            return ("VALUE", [name], [], node.location)
        case s.WidthOf(name):
            return ("WIDTH", [name], [], node.location)
        case s.CountOf(name):
            return ("COUNT", [name], [], node.location)
        case s.Arith(op, args):
            return ("ARITH", [op], [*map(_integer, args)], node.location)


def _condition(node: s.Condition) -> _Node:
    uses: Sequence[Operand] = ()
    parts: list[_Node] = []
    match node:
        case s.OneUse(name):
            op, uses = "ONE_USE", [name]
        case s.PowerOfTwo(name):
            op, uses = "POWER_OF_TWO", [name]
        case s.IsConstant(name):
            op, uses = "IS_CONSTANT", [name]
        case s.Same(a, b):
            op, uses = "SAME_OBJECT", [a, b]
        case s.SameType(a, b):
            op, uses = "SAME_TYPE", [a, b]
        case s.Compare(left, relation, right):
            op, uses, parts = "COMPARE", [relation], [_integer(left), _integer(right)]
        case s.Not(condition):
            op, parts = "NOT", [_condition(condition)]
        case s.AnyOf(conditions):
            op, parts = "ANY_OF", [*map(_condition, conditions)]
        case s.PythonCondition(function, names):
            op, uses = "CALL", [function_name(function), *names]
    return (op, uses, parts, node.location)


def _emit(node: s.Emit) -> _Node:
    match node:
        case s.EmitInstr():
            return _build(node)
        case s.ReplaceUses(name, operand):
            return ("REPLACE_USES", [name], [_operand(operand)], node.location)
        case s.ReplaceAll(name, operands):
            return ("REPLACE_ALL", [name], [*map(_operand, operands)], node.location)
        case s.Delete(name):
            return ("DELETE", [name], [], node.location)


def _build(node: s.EmitInstr) -> _Node:
    parts: list[_Node] = []
    for one in node.defs:
        if isinstance(one, s.Capture):
            parts.append(("OLD_DEF", [one.name], [], one.location))
        else:
            name = "" if one.name.startswith("#") else one.name
            parts.append(("NEW_DEF", [name], [_type(one.type)], one.location))
    parts += map(_operand, node.operands)
    if isinstance(node.op, s.Capture):
        return ("BUILD_AS", [node.op.name], parts, node.location)
    return ("BUILD", [node.op], parts, node.location)


def _type(node: s.TypeExpr | s.SameTypeAs) -> _Node:
    if isinstance(node, s.TypeExpr):
        return ("TYPE_EXPR", [node.type], [*map(_integer, node.params)], node.location)
    return ("TYPE_OF", [node.name], [] if node.width is None else [_integer(node.width)], node.location)


def _operand(node: s.EmitOperand) -> _Node:
    match node:
        case s.Capture(name):
            return ("OPERAND", [name], [], node.location)
        case s.EmitConst(value, width):
            return ("CONSTANT", [], [_integer(value), _integer(width)], node.location)
        case s.EmitNumber(value):
            return ("PLAIN_NUMBER", [], [_integer(value)], node.location)
        case s.EmitInstr():
            return _build(node)
