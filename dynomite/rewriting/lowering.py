"""From the syntax tree of rules to what the native matcher runs."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from dynomite._native.rewrite import NativeRule, NativeRuleSet
from dynomite.errors import UsageError
from dynomite.ir import Context
from dynomite.rewriting import syntax as tree
from dynomite.rewriting.functions import resolve_function

Code = list[tuple[str, Any]]
"""An expression in reverse Polish notation."""

# By identity, which costs nothing to compare; the rules are held so that it stays theirs.
_compiled: weakref.WeakKeyDictionary[Context, dict[int, tuple[tree.RuleSet, NativeRuleSet]]] = (
    weakref.WeakKeyDictionary()
)
_KEPT = 64


def compile_rules(context: Context, rules: tree.RuleSet) -> NativeRuleSet:
    """The native form of rules for the operations of a context; made once for a set.

    Cost: some microseconds a node of the syntax tree when it is made.

    Raises:
        UsageError: A rule names operations or types the context does not have, or what it does not bind; two
            rules have one name.
        LimitError: A rule nests deeper than 200.
    """
    known = _compiled.setdefault(context, {})
    found = known.get(id(rules))
    if found is not None:
        return found[1]
    made = NativeRuleSet(context, [lower_rule(context, rule) for rule in rules.rules])
    if len(known) >= _KEPT:
        known.clear()
    known[id(rules)] = (rules, made)
    return made


def lower_rule(context: Context, rule: tree.Rule) -> NativeRule:
    """The native form of one rule."""
    native = NativeRule(context, rule.name)
    try:
        _Lowering(native, rule).run()
    except UsageError as error:
        at = rule.location
        place = "" if at is None else f" ({at.file}:{at.line}:{at.column})"
        raise UsageError(f"in the rule '{rule.name}'{place}: {error}") from None
    return native


class _Lowering:
    def __init__(self, native: NativeRule, rule: tree.Rule) -> None:
        self.native = native
        self.rule = rule
        self.bound: set[str] = set()
        self.new_values: dict[str, int] = {}

    def run(self) -> None:
        native, rule = self.native, self.rule
        native.set_root(self._expr(rule.root))
        later: list[tree.PythonCondition] = []
        for condition in rule.conditions:
            if isinstance(condition, tree.PythonCondition):
                later.append(condition)
            else:
                native.check(self._condition(condition))
        for call in later:
            for name in call.names:
                self._need(name)
            native.check(native.call(resolve_function(call.function), list(call.names)))
        for emit in rule.emits:
            self._emit(emit)
        if rule.do is not None:
            native.act(_action(rule.do))

    # Patterns. The stack is as deep as a pattern nests; natively that is limited.

    def _bind(self, name: str | None) -> None:
        if name is not None:
            self.bound.add(name)

    def _need(self, name: str) -> str:
        if name not in self.bound:
            raise UsageError(f"the name '{name}' is not bound")
        return name

    def _expr(self, expr: tree.Expr) -> int:
        native = self.native
        match expr:
            case tree.AnyOperand():
                return native.any()
            case tree.TypeMatch():
                return native.type(expr.type, [self._param(param) for param in expr.params])
            case tree.ConstMatch():
                return native.constant(self._param(expr.value), self._param(expr.width))
            case tree.InstrMatch():
                for name in (expr.op_name, expr.instr_name, expr.result):
                    self._bind(name)
                operands = self._expr(expr.operands)
                return native.instr(list(expr.ops), operands, expr.op_name, expr.instr_name, expr.result)
            case tree.SameAs():
                return native.same(self._need(expr.name))
            case tree.Named():
                part = self._expr(expr.expr)
                self._bind(expr.name)
                return native.named(expr.name, part)
            case tree.Repeat():
                return native.repeat(self._expr(expr.expr), expr.least == 1)
            case tree.Sequence():
                return native.sequence([self._expr(part) for part in expr.parts])
            case tree.Alternatives():
                return native.alternatives([self._expr(part) for part in expr.parts])
            case tree.Unordered():
                return native.unordered([self._expr(part) for part in expr.parts])
            case tree.DefOf():
                return native.defs(self._expr(expr.expr))
            case tree.UseOf():
                return native.uses(self._expr(expr.expr))

    def _param(self, param: int | tree.Capture | None) -> int | str | None:
        if not isinstance(param, tree.Capture):
            return param
        self._bind(param.name)
        return param.name

    # Numbers and conditions.

    def _number(self, expr: tree.IntExpr) -> Code:
        match expr:
            case int():
                return [("literal", expr)]
            case tree.Capture():
                return [("capture", self._need(expr.name))]
            case tree.WidthOf():
                return [("width", self._need(expr.name))]
            case tree.CountOf():
                return [("count", self._need(expr.name))]
            case tree.Arith():
                code = [step for arg in expr.args for step in self._number(arg)]
                wanted = {"~": 1, "neg": 1, "log2": 1, "min": len(expr.args), "max": len(expr.args)}
                if len(expr.args) != wanted.get(expr.op, 2):
                    raise UsageError(f"'{expr.op}' with {len(expr.args)} arguments")
                return [*code, (expr.op, len(expr.args))]

    def _condition(self, condition: tree.Condition) -> int:
        native = self.native
        match condition:
            case tree.OneUse():
                return native.one_use(self._need(condition.name))
            case tree.PowerOfTwo():
                return native.power_of_two(self._need(condition.name))
            case tree.IsConstant():
                return native.is_constant(self._need(condition.name))
            case tree.Compare():
                left, right = self._number(condition.left), self._number(condition.right)
                return native.compare(left, condition.relation, right)
            case tree.Same():
                return native.same_operand(self._need(condition.a), self._need(condition.b))
            case tree.SameType():
                return native.same_type(self._need(condition.a), self._need(condition.b))
            case tree.Not():
                return native.negated(self._condition(condition.condition))
            case tree.AnyOf():
                return native.any_of([self._condition(part) for part in condition.conditions])
            case tree.PythonCondition():
                raise UsageError("a Python function as part of another condition")

    # What is emitted.

    def _emit(self, emit: tree.Emit) -> None:
        native = self.native
        match emit:
            case tree.EmitInstr():
                self._instr(emit)
            case tree.ReplaceUses():
                operand = self._operand(emit.operand)
                native.replace_uses(self._need(emit.name), operand)
            case tree.ReplaceAll():
                operands = [self._operand(operand) for operand in emit.operands]
                native.replace_all(self._need(emit.name), operands)
            case tree.Delete():
                native.delete(self._need(emit.name))

    def _instr(self, emit: tree.EmitInstr) -> int:
        """Emits an instruction and returns the number of its first new value."""
        operands = [self._operand(operand) for operand in emit.operands]
        defs: list[Any] = []
        names: list[str] = []
        for definition in emit.defs:
            if isinstance(definition, tree.Capture):
                defs.append(self._need(definition.name))
            else:
                defs.append(self._type(definition.type))
                names.append(definition.name)
        op = emit.op if isinstance(emit.op, str) else None
        op_name = emit.op.name if isinstance(emit.op, tree.Capture) else None
        first = self.native.emit(op, op_name, defs, operands)
        for index, name in enumerate(names):
            if name in self.new_values or name in self.bound:
                raise UsageError(f"the name '{name}' is defined twice")
            self.new_values[name] = first + index
        return first

    def _operand(self, operand: tree.EmitOperand) -> tuple[Any, ...]:
        match operand:
            case tree.Capture():
                if operand.name in self.new_values:
                    return ("new", self.new_values[operand.name])
                return ("capture", self._need(operand.name))
            case tree.EmitConst():
                return ("const", self._number(operand.value), self._number(operand.width))
            case tree.EmitNumber():
                return ("number", self._number(operand.value))
            case tree.EmitInstr():
                if len(operand.defs) != 1 or not isinstance(operand.defs[0], tree.NewDef):
                    raise UsageError("an instruction as an operand has one definition, a new one")
                return ("new", self._instr(operand))

    def _type(self, source: tree.TypeExpr | tree.SameTypeAs) -> tuple[Any, ...]:
        if isinstance(source, tree.TypeExpr):
            return ("type", source.type, [self._number(param) for param in source.params])
        width = None if source.width is None else self._number(source.width)
        return ("same", self._need(source.name), width)


def _action(do: tree.PythonFunction) -> Callable[..., object]:
    return resolve_function(do.function)
