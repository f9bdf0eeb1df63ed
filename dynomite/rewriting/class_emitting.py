"""What rules emit, as nodes of an e-graph; and which rules can be used so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dynomite.errors import UsageError
from dynomite.ir import Const, Context, Module, Type
from dynomite.rewriting import syntax as s
from dynomite.rewriting.class_matching import (
    LARGEST_SHIFT,
    MATCHED,
    Bound,
    ClassMatcher,
    Names,
    Nodes,
    Place,
    Undefined,
)
from dynomite.rewriting.egraph import Head, type_width


def is_plain(context: Context, op: str) -> bool:
    """Whether an operation is pure and defines one value."""
    opcode = context.opcode(op)
    return "pure" in context.traits(opcode) and context.arity(opcode)[0] == 1


def without_use_counts(rule: s.Rule) -> s.Rule:
    """The rule without those of its conditions that are `one_use` and nothing else."""
    kept = tuple(one for one in rule.conditions if not isinstance(one, s.OneUse))
    return replace(rule, conditions=kept)


def obstacle(rule: s.Rule, context: Context) -> str | None:
    """Why a rule cannot be used on classes; None if it can.

    Raises:
        UsageError: The context does not know its operations.
    """
    if rule.do is not None:
        return "calls a Python action"
    if any(map(_counts_uses, rule.conditions)):
        return "counts uses"
    if rule.root.ops and not any(is_plain(context, op) for op in rule.root.ops):
        return "is about operations that are not pure, or define several values"
    replaces = False
    for emit in rule.emits:
        if not isinstance(emit, s.EmitInstr | s.ReplaceUses):
            return "deletes or replaces instructions"
        replaces |= isinstance(emit, s.ReplaceUses) or any(isinstance(one, s.Capture) for one in emit.defs)
    for instr in _instructions(rule.emits):
        if len(instr.defs) != 1:
            return "emits an instruction with several definitions, or none"
        if isinstance(instr.op, str) and not is_plain(context, instr.op):
            return "emits an operation that is not pure"
    return None if replaces else "replaces nothing"


def _counts_uses(condition: s.Condition) -> bool:
    match condition:
        case s.OneUse():
            return True
        case s.Not(inner):
            return _counts_uses(inner)
        case s.AnyOf(conditions):
            return any(map(_counts_uses, conditions))
        case _:
            return False


def _instructions(operands: Sequence[s.Emit | s.EmitOperand]) -> Iterator[s.EmitInstr]:
    for one in operands:
        if isinstance(one, s.EmitInstr):
            yield one
            yield from _instructions(one.operands)
        elif isinstance(one, s.ReplaceUses):
            yield from _instructions((one.operand,))


@dataclass
class Planned:
    """A node to be made; negative operands, `~i`, are the planned node i."""

    head: Head
    operands: tuple[int, ...]


class Plan:
    """What a rule emits for one match, worked out before anything changes.

    Attributes:
        nodes: What is made.
        equal: The class that the root's becomes equal to, or a planned node.

    Raises:
        Undefined: A number or a type has no value: the match is none.
        UsageError: An operation does not take so many operands.
    """

    def __init__(self, module: Module, matcher: ClassMatcher, rule: s.Rule, names: Names) -> None:
        self.nodes: list[Planned] = []
        self.equal: list[int] = []
        self._module = module
        self._matcher = matcher
        self._graph = matcher.graph
        self._rule = rule
        self._names: dict[str, Bound] = dict(names)
        matched = names[MATCHED]
        assert isinstance(matched, Nodes)
        self._matched = matched.numbers
        root = self._graph.nodes[matched.numbers[0]]
        assert isinstance(root.head, Head)
        self._root = self._graph.find(root.cls)
        self._attrs = root.head.attrs
        for emit in rule.emits:
            if isinstance(emit, s.EmitInstr):
                self._instr(emit)
            elif isinstance(emit, s.ReplaceUses):
                self._overwrite(emit.name, self._operand(emit.operand)[0])

    def _overwrite(self, name: str, cls: int) -> None:
        bound = self._names[name]
        assert isinstance(bound, Place)
        assert self._graph.find(bound.cls) == self._root
        self.equal.append(cls)

    def _instr(self, node: s.EmitInstr) -> int:
        """Plans an instruction and returns its value."""
        name = node.op if isinstance(node.op, str) else self._names[node.op.name]
        assert isinstance(name, str)
        operands = tuple(cls for operand in node.operands for cls in self._operand(operand))
        context = self._module.context
        opcode = context.opcode(name)
        declared = context.arity(opcode)[1]
        if len(operands) < declared or (
            len(operands) > declared and "variadic" not in context.traits(opcode)
        ):
            raise UsageError(f"{name} does not take {len(operands)} operands")
        (definition,) = node.defs
        made = ~len(self.nodes)
        if isinstance(definition, s.NewDef):
            self.nodes.append(Planned(Head(name, self._type(definition.type), ()), operands))
            self._names[definition.name] = Place(made, is_def=True)
        else:
            self.nodes.append(Planned(Head(name, self._graph.type(self._root), self._attrs), operands))
            self._overwrite(definition.name, made)
        return made

    def _operand(self, node: s.EmitOperand) -> list[int]:
        match node:
            case s.Capture(name):
                bound = self._names[name]
                if isinstance(bound, tuple):
                    return [place.cls for place in bound]
                assert isinstance(bound, Place)
                return [bound.cls]
            case s.EmitConst(value, width):
                number, bits = self._number(value), self._number(width)
                if not 1 <= bits <= LARGEST_SHIFT:
                    raise Undefined
                return [self._graph.add_leaf(Const(number & ((1 << bits) - 1), bits))]
            case s.EmitNumber(value):
                return [self._graph.add_leaf(Const(self._number(value) & ((1 << 64) - 1), 64))]
            case s.EmitInstr():
                return [self._instr(node)]

    def _number(self, node: s.IntExpr) -> int:
        return self._matcher.evaluate(node, self._names)

    def _type(self, node: s.TypeExpr | s.SameTypeAs) -> Type:
        if isinstance(node, s.TypeExpr):
            params = [self._number(param) for param in node.params]
            if any(param < 0 for param in params):
                raise Undefined
            return self._module.type(self._module.context.kind(node.type), *params)
        bound = self._names.get(node.name)
        if not isinstance(bound, Place):
            raise Undefined
        known = self.nodes[~bound.cls].head.type if bound.cls < 0 else self._graph.type(bound.cls)
        if known is None:
            raise Undefined
        if node.width is None:
            return known
        width = self._number(node.width)
        if type_width(known) is None or width < 1:
            raise Undefined
        return self._module.type(known.kind, width)

    def commit(self) -> bool:
        """Makes the nodes and the classes one; whether that said anything new.

        Raises:
            UsageError: They cannot be equal.
        """
        graph = self._graph
        before = len(graph.nodes)
        made: list[int] = []
        for one in self.nodes:
            operands = tuple(made[~cls] if cls < 0 else cls for cls in one.operands)
            made.append(graph.add(one.head, operands, self._matched))
        changed = len(graph.nodes) > before
        for cls in self.equal:
            changed |= graph.union(self._root, made[~cls] if cls < 0 else cls)
        return changed
