"""Rules as instructions of the dialect `rewrite`: from a module to the syntax tree.

    >>> from dynomite.ir import Context, parse
    >>> from dynomite.rewriting.ir_form import rules_of
    >>> text = "let keep = InstrPat { match { core.GRAPH .* } do { call 'some.module:f'() } }"
    >>> rules_of(parse(text.replace("'", '"'), Context()))["keep"].do
    PythonFunction(function='some.module:f', names=())

One instruction a node; its parts are the instructions of its region, names and numbers its uses.
docs/rewriting.md describes the text form, which the native reader and printer of modules know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast, get_args

from dynomite.errors import UsageError
from dynomite.ir import Const, InstrRef, Module, SymbolRef
from dynomite.rewriting import syntax as s
from dynomite.rewriting.ir_ops import OPS, uses_of

_MAX_HEIGHT = 154


def is_rule(instr: InstrRef) -> bool:
    """Whether an instruction is one rule, `InstrPat` in the text."""
    return instr.is_op(OPS["PATTERN"])


def is_rule_set(instr: InstrRef) -> bool:
    """Whether an instruction is a set of rules, `RuleSet` in the text."""
    return instr.is_op(OPS["RULES"])


def rule_instrs(module: Module) -> Iterator[InstrRef]:
    """Rules and sets of rules directly in the outermost region, in order. Linear in that."""
    for block in module.body.region.blocks:
        for instr in block:
            if is_rule(instr) or is_rule_set(instr):
                yield instr


def rules_of(module: Module) -> dict[str, s.Rule | s.RuleSet]:
    """The rules and sets of rules in the outermost region of a module, by name.

    Nothing is checked here but the form: `dynomite.rewriting.load_rules` checks the rules too.

    Raises:
        UsageError: Instructions of the dialect `rewrite` are no rule.

    Cost: linear in the rules; sets that are included are copied.
    """
    return _Reader(module).all()


def read_rule(instr: InstrRef) -> s.Rule:
    """The rule that a `rewrite.PATTERN` is.

    Raises:
        UsageError: It is none.
    """
    return _rule(instr)


class _Reader:
    """Reads sets, and what they include."""

    def __init__(self, module: Module) -> None:
        self.instrs = {_symbol(instr): instr for instr in rule_instrs(module)}
        self.done: dict[str, s.Rule | s.RuleSet] = {}
        self.open: list[str] = []

    def all(self) -> dict[str, s.Rule | s.RuleSet]:
        return {name: self.read(name) for name in self.instrs}

    def read(self, name: str) -> s.Rule | s.RuleSet:
        if name not in self.done:
            if name in self.open:
                raise UsageError(f"the set of rules @{name} includes itself")
            if len(self.open) > _MAX_HEIGHT:
                raise UsageError(f"sets of rules include each other more than {_MAX_HEIGHT} deep")
            self.open.append(name)
            instr = self.instrs[name]
            _check_height(instr)
            self.done[name] = _rule(instr) if is_rule(instr) else self.rule_set(instr)
            self.open.pop()
        return self.done[name]

    def rule_set(self, instr: InstrRef) -> s.RuleSet:
        rules: list[s.Rule] = []
        doc = ""
        for item in _parts(instr):
            if item.is_op(OPS["DOC"]):
                doc = _text(_uses(item, 1)[0], item)
            elif is_rule(item):
                rules.append(_rule(item))
            elif is_rule_set(item):
                rules += self.rule_set(item).rules
            elif item.is_op(OPS["INCLUDE"]):
                rules += self.included(item)
            else:
                raise UsageError(f"{_where(item)}{item.name} is no part of a set of rules")
        return s.RuleSet(_symbol(instr), tuple(rules), doc, location=_location(instr))

    def included(self, item: InstrRef) -> tuple[s.Rule, ...]:
        ref = next(iter(uses_of(item)), None)
        if not isinstance(ref, SymbolRef) or len(ref.path) != 1 or ref.path[0] not in self.instrs:
            raise UsageError(f"{_where(item)}include names a rule or set of rules of the outermost region")
        found = self.read(ref.path[0])
        return found.rules if isinstance(found, s.RuleSet) else (found,)


def _symbol(instr: InstrRef) -> str:
    name = instr.attributes.get("sym_name")
    if not isinstance(name, str):
        raise UsageError(f"{instr.name} needs a name")
    return name


def _location(instr: InstrRef) -> s.SourceLocation | None:
    return next(iter(instr.location), None)


def _where(instr: InstrRef) -> str:
    place = _location(instr)
    return "" if place is None else f"{place.file}:{place.line}:{place.column}: "


def _wrong(instr: InstrRef) -> UsageError:
    return UsageError(f"{_where(instr)}{instr.name} is not as docs/rewriting.md says")


def _parts(instr: InstrRef) -> list[InstrRef]:
    found: list[InstrRef] = []
    for region in instr.regions:
        for block in region.blocks:
            found += block
    return found


def _text(value: object, instr: InstrRef) -> str:
    if not isinstance(value, str):
        raise _wrong(instr)
    return value


def _texts(instr: InstrRef) -> list[str]:
    """Its uses, all texts; at least one."""
    found = [_text(use, instr) for use in uses_of(instr)]
    if not found:
        raise _wrong(instr)
    return found


def _one_of(instr: InstrRef, known: tuple[str, ...]) -> str:
    """Its only use, one of these texts."""
    name = _name(instr)
    if name not in known:
        raise _wrong(instr)
    return name


def _number(value: object, instr: InstrRef) -> int:
    if not isinstance(value, Const) or value.width % 64:
        raise _wrong(instr)
    return value.value - (value.value >> (value.width - 1) << value.width)


def _param(value: object, instr: InstrRef) -> int | s.Capture | None:
    if value is None:
        return None
    if isinstance(value, str):
        return s.Capture(value, location=_location(instr))
    return _number(value, instr)


def _check_height(rule: InstrRef) -> None:
    """What comes behind recurses: rules are nested at most so deep."""
    left = [(rule, 0)]
    while left:
        instr, height = left.pop()
        if height > _MAX_HEIGHT:
            raise UsageError(f"{_where(instr)}a rule is nested more than {_MAX_HEIGHT} deep")
        left += [(part, height + 1) for part in _parts(instr)]


def _rule(instr: InstrRef) -> s.Rule:
    _check_height(instr)
    name = _symbol(instr)
    doc = ""
    root: s.InstrMatch | None = None
    conditions: list[s.Condition] = []
    emits: list[s.Emit] = []
    do: s.PythonFunction | None = None
    for part in _parts(instr):
        kind = _kind(part)
        if kind == "DOC":
            doc = _text(_uses(part, 1)[0], part)
        elif kind == "MATCH":
            inner = _expr(_only(part))
            if not isinstance(inner, s.InstrMatch) or root is not None:
                raise _wrong(part)
            root = inner
        elif kind == "IF":
            conditions.append(_condition(_only(part)))
        elif kind == "EMIT":
            emits += [_statement(one) for one in _parts(part)]
        elif kind == "DO":
            function, *names = _texts(part)
            do = s.PythonFunction(function, tuple(names), location=_location(part))
        else:
            raise _wrong(part)
    if root is None:
        raise UsageError(f"{_where(instr)}the rule @{name} has no match")
    return s.Rule(name, root, tuple(conditions), _numbered(emits), do, doc, location=_location(instr))


def _numbered(emits: list[s.Emit]) -> tuple[s.Emit, ...]:
    """Gives definitions without a name the names #1, #2..., which no text can refer to."""
    count = 0

    def instr(node: s.EmitInstr) -> s.EmitInstr:
        nonlocal count
        defs: list[s.Capture | s.NewDef] = []
        for one in node.defs:
            if isinstance(one, s.NewDef) and not one.name:
                count += 1
                defs.append(s.NewDef(f"#{count}", one.type, location=one.location))
            else:
                defs.append(one)
        return s.EmitInstr(node.op, tuple(defs), tuple(map(operand, node.operands)), location=node.location)

    def operand(node: s.EmitOperand) -> s.EmitOperand:
        return instr(node) if isinstance(node, s.EmitInstr) else node

    def emit(node: s.Emit) -> s.Emit:
        match node:
            case s.EmitInstr():
                return instr(node)
            case s.ReplaceUses():
                return s.ReplaceUses(node.name, operand(node.operand), location=node.location)
            case s.ReplaceAll():
                return s.ReplaceAll(node.name, tuple(map(operand, node.operands)), location=node.location)
            case s.Delete():
                return node

    return tuple(map(emit, emits))


def _kind(instr: InstrRef) -> str:
    dialect, _, name = instr.name.partition(".")
    if dialect != "rewrite":
        raise _wrong(instr)
    return name


def _uses(instr: InstrRef, count: int) -> list[object]:
    found = uses_of(instr)
    if len(found) != count:
        raise _wrong(instr)
    return found


def _only(instr: InstrRef) -> InstrRef:
    found = _parts(instr)
    if len(found) != 1:
        raise _wrong(instr)
    return found[0]


def _name(instr: InstrRef) -> str:
    return _text(_uses(instr, 1)[0], instr)


def _expr(instr: InstrRef) -> s.Expr:
    kind, at = _kind(instr), _location(instr)
    match kind:
        case "ANY":
            return s.AnyOperand(location=at)
        case "TYPE":
            if not uses_of(instr):
                raise _wrong(instr)
            name, *params = uses_of(instr)
            return s.TypeMatch(_text(name, instr), tuple(_param(p, instr) for p in params), location=at)
        case "CONST":
            value, width = _uses(instr, 2)
            return s.ConstMatch(_param(value, instr), _param(width, instr), location=at)
        case "INSTR":
            return _instr(instr)
        case "SAME":
            return s.SameAs(_name(instr), location=at)
        case "NAMED":
            return s.Named(_name(instr), _expr(_only(instr)), location=at)
        case "STAR" | "PLUS":
            return s.Repeat(_expr(_only(instr)), 0 if kind == "STAR" else 1, location=at)
        case "DEF":
            return s.DefOf(_expr(_only(instr)), location=at)
        case "USE":
            return s.UseOf(_expr(_only(instr)), location=at)
        case "SEQ":
            return s.Sequence(tuple(map(_expr, _parts(instr))), location=at)
        case "ALT":
            return s.Alternatives(tuple(map(_expr, _parts(instr))), location=at)
        case "UNORDERED":
            return s.Unordered(tuple(map(_expr, _parts(instr))), location=at)
        case _:
            raise _wrong(instr)


def _instr(instr: InstrRef) -> s.InstrMatch:
    ops, op_name, instr_name = _uses(instr, 3)
    if not isinstance(ops, tuple):
        raise _wrong(instr)
    names = tuple(_text(op, instr) for op in cast("tuple[object, ...]", ops))
    return s.InstrMatch(
        names,
        _expr(_only(instr)),
        None if op_name is None else _text(op_name, instr),
        None if instr_name is None else _text(instr_name, instr),
        location=_location(instr),
    )


def _integer(instr: InstrRef) -> s.IntExpr:
    at = _location(instr)
    match _kind(instr):
        case "NUMBER":
            return _number(_uses(instr, 1)[0], instr)
        case "VALUE":
            return s.Capture(_name(instr), location=at)
        case "WIDTH":
            return s.WidthOf(_name(instr), location=at)
        case "COUNT":
            return s.CountOf(_name(instr), location=at)
        case "ARITH":
            return s.Arith(
                cast("s.ArithOp", _one_of(instr, get_args(s.ArithOp))),
                tuple(map(_integer, _parts(instr))),
                location=at,
            )
        case _:
            raise _wrong(instr)


_BY_NAME: dict[str, Callable[..., s.Condition]] = {
    "ONE_USE": s.OneUse,
    "POWER_OF_TWO": s.PowerOfTwo,
    "IS_CONSTANT": s.IsConstant,
    "SAME_OBJECT": s.Same,
    "SAME_TYPE": s.SameType,
}


def _condition(instr: InstrRef) -> s.Condition:
    kind, at = _kind(instr), _location(instr)
    if kind in _BY_NAME:
        count = 2 if kind.startswith("SAME") else 1
        return _BY_NAME[kind](*(_text(use, instr) for use in _uses(instr, count)), location=at)
    match kind:
        case "COMPARE":
            parts = _parts(instr)
            if len(parts) != 2:
                raise _wrong(instr)
            left, right = map(_integer, parts)
            return s.Compare(
                left, cast("s.Relation", _one_of(instr, get_args(s.Relation))), right, location=at
            )
        case "NOT":
            return s.Not(_condition(_only(instr)), location=at)
        case "ANY_OF":
            return s.AnyOf(tuple(map(_condition, _parts(instr))), location=at)
        case "CALL":
            function, *names = _texts(instr)
            return s.PythonCondition(function, tuple(names), location=at)
        case _:
            raise _wrong(instr)


def _statement(instr: InstrRef) -> s.Emit:
    at = _location(instr)
    match _kind(instr):
        case "BUILD" | "BUILD_AS":
            return _build(instr)
        case "REPLACE_USES":
            return s.ReplaceUses(_name(instr), _operand(_only(instr)), location=at)
        case "REPLACE_ALL":
            return s.ReplaceAll(_name(instr), tuple(map(_operand, _parts(instr))), location=at)
        case "DELETE":
            return s.Delete(_name(instr), location=at)
        case _:
            raise _wrong(instr)


def _build(instr: InstrRef) -> s.EmitInstr:
    at = _location(instr)
    op = s.Capture(_name(instr), location=at) if _kind(instr) == "BUILD_AS" else _name(instr)
    defs: list[s.Capture | s.NewDef] = []
    operands: list[s.EmitOperand] = []
    for part in _parts(instr):
        kind = _kind(part)
        if kind == "OLD_DEF":
            defs.append(s.Capture(_name(part), location=_location(part)))
        elif kind == "NEW_DEF":
            defs.append(s.NewDef(_name(part), _type(_only(part)), location=_location(part)))
        else:
            operands.append(_operand(part))
    return s.EmitInstr(op, tuple(defs), tuple(operands), location=at)


def _type(instr: InstrRef) -> s.TypeExpr | s.SameTypeAs:
    numbers = tuple(map(_integer, _parts(instr)))
    at = _location(instr)
    match _kind(instr):
        case "TYPE_OF" if len(numbers) < 2:
            return s.SameTypeAs(_name(instr), numbers[0] if numbers else None, location=at)
        case "TYPE_EXPR":
            return s.TypeExpr(_name(instr), numbers, location=at)
        case _:
            raise _wrong(instr)


def _operand(instr: InstrRef) -> s.EmitOperand:
    at = _location(instr)
    match _kind(instr):
        case "OPERAND":
            return s.Capture(_name(instr), location=at)
        case "CONSTANT":
            parts = _parts(instr)
            if len(parts) != 2:
                raise _wrong(instr)
            value, width = map(_integer, parts)
            return s.EmitConst(value, width, location=at)
        case "PLAIN_NUMBER":
            return s.EmitNumber(_integer(_only(instr)), location=at)
        case "BUILD" | "BUILD_AS":
            return _build(instr)
        case _:
            raise _wrong(instr)
