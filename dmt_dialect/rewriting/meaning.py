"""What a rule claims, for one shape and one choice of widths: words that have to be equal.

Captured constants are free words, unless something needs their value before anything is built (bounds,
widths, `log2`...): those are enumerated. Exact integers over free constants are words wide enough for every
value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple

from dmt_dialect.bitblast import result_width
from dmt_dialect.rewriting.backends import VARIADIC, Backend, W
from dmt_dialect.rewriting.shapes import (
    OPS,
    Bound,
    Constant,
    Instruction,
    Leaf,
    NotWordsError,
    Operation,
    Shape,
    Term,
    WidthOfTerm,
)
from dmt_dialect.rewriting.widths import Case
from dynomite.errors import UsageError
from dynomite.rewriting import syntax as s

LARGEST_SHIFT = 1 << 21
MOST_BITS = 4096


class IllTypedError(Exception):
    """The rule builds operations whose widths do not fit."""


class UndefinedError(Exception):
    """A number has no value: the rule does not apply."""


class Claim(NamedTuple, Generic[W]):
    """Two words that have to be equal."""

    left: W
    right: W
    width: int


@dataclass(frozen=True)
class Exact(Generic[W]):
    """An integer that depends on free constants: a word, read as a signed number."""

    word: W
    width: int


_EXACT_OPS = {"+": "ADD", "-": "SUB", "*": "MUL", "&": "AND", "|": "OR", "^": "XOR"}


def enumerated_names(rule: s.Rule) -> set[str]:
    """Names of constants whose values have to be known."""
    found: set[str] = set()

    def captures(node: s.IntExpr) -> Iterator[str]:
        match node:
            case s.Capture(name):
                yield name
            case s.Arith(_, args):
                for arg in args:
                    yield from captures(arg)
            case _:
                pass

    def integer(node: s.IntExpr) -> None:
        if not isinstance(node, s.Arith):
            return
        if node.op in ("<<", ">>"):
            integer(node.args[0])
            found.update(captures(node.args[1]))
        elif node.op in _EXACT_OPS or node.op in ("~", "neg"):
            for arg in node.args:
                integer(arg)
        else:
            found.update(captures(node))

    def condition(node: s.Condition) -> None:
        match node:
            case s.Compare(left, _, right):
                integer(left)
                integer(right)
            case s.Not(inner):
                condition(inner)
            case s.AnyOf(conditions):
                for one in conditions:
                    condition(one)
            case _:
                pass

    def operand(node: s.EmitOperand) -> None:
        match node:
            case s.EmitConst(value, width):
                integer(value)
                found.update(captures(width))
            case s.EmitNumber(value):
                found.update(captures(value))
            case s.EmitInstr(_, defs, operands):
                for one in defs:
                    if isinstance(one, s.NewDef):
                        kind = one.type
                        params = kind.params if isinstance(kind, s.TypeExpr) else (kind.width,)
                        for param in params:
                            if param is not None:
                                found.update(captures(param))
                for inner in operands:
                    operand(inner)
            case s.Capture():
                pass

    for one in rule.conditions:
        condition(one)
    for emit in rule.emits:
        match emit:
            case s.EmitInstr():
                operand(emit)
            case s.ReplaceUses(_, inner):
                operand(inner)
            case s.ReplaceAll(_, operands):
                for inner in operands:
                    operand(inner)
            case s.Delete():
                pass
    return found


class Meaning(Generic[W]):
    """One shape with widths, and with values for the constants that need them.

    Attributes:
        dropped: Conditions that are not taken into account; a rule that holds without them holds with them.
    """

    def __init__(
        self,
        rule: s.Rule,
        shape: Shape,
        case: Case,
        values: dict[Term, int],
        backend: Backend[W],
        prefix: str = "",
    ) -> None:
        self.rule = rule
        self.shape = shape
        self.case = case
        self.values = {**values, **case.numbers}
        self.backend = backend
        self.prefix = prefix
        self.names: dict[str, Bound] = dict(shape.state.names)
        self.made: dict[str, tuple[W, int]] = {}
        self.words: dict[Term, W] = {}
        self.inputs: dict[str, tuple[Term, int]] = {}
        self.dropped: list[s.Condition] = []
        for number, term in enumerate(self._leaves()):
            self.inputs[f"{prefix}v{number}"] = (term, case.widths[term])
        self._input_of = {term: name for name, (term, _) in self.inputs.items()}

    def _leaves(self) -> list[Term]:
        found: dict[Term, None] = {}
        left: list[Term] = [self.shape.root]
        while left:
            term = left.pop()
            if isinstance(term, Operation):
                left += reversed(term.args)
            else:
                found[term] = None
        return list(found)

    # Terms of the match.

    def width(self, term: Term) -> int:
        """The width of a term of the pattern."""
        return self.case.widths[term]

    def word(self, term: Term) -> W:
        """The word of a term of the pattern."""
        if term not in self.words:
            self.words[term] = self._make(term)
        return self.words[term]

    def _make(self, term: Term) -> W:
        width = self.width(term)
        if term in self.values:
            return self.backend.constant(self.values[term], width)
        match term:
            case Constant(value=int() as value):
                return self.backend.constant(value, width)
            case Operation(op, args):
                return self._apply(op, list(args), width)
            case _:
                return self.backend.input(self._input_of[term], width)

    def _apply(self, op: str, args: list[Term], width: int) -> W:
        name = op.removeprefix("op.")
        if name == "SLICE":
            high, low = (self._number_term(arg) for arg in args[1:])
            return self.backend.apply(name, [self.word(args[0])], width, high, low)
        return self.backend.apply(name, [self.word(arg) for arg in args], width)

    def _number_term(self, term: Term) -> int:
        if term in self.values:
            return self.values[term]
        assert isinstance(term, Constant)
        assert term.value is not None
        return term.value

    # Numbers.

    def integer(self, node: s.IntExpr) -> int | Exact[W]:
        """The value of a number.

        Raises:
            UndefinedError: It has none.
        """
        match node:
            case int():
                return node
            case s.Capture(name):
                return self._captured(name)
            case s.WidthOf(name):
                return self._width_of(name)
            case s.CountOf(name):
                bound = self.names[name]
                return len(bound) if isinstance(bound, tuple) else 1
            case s.Arith(op, args):
                return self._arith(op, [self.integer(arg) for arg in args])

    def _captured(self, name: str) -> int | Exact[W]:
        bound = self.names[name]
        if isinstance(bound, WidthOfTerm):
            return self.width(bound.term)
        if not isinstance(bound, Leaf | Constant):
            raise UndefinedError
        if bound in self.values:
            return self.values[bound]
        width = self.width(bound)
        if isinstance(bound, Constant) and bound.value is not None:
            return bound.value % (1 << width)
        return Exact(self.backend.apply("ZEXT", [self.word(bound)], width + 1), width + 1)

    def _width_of(self, name: str) -> int:
        if name in self.made:
            return self.made[name][1]
        bound = self.names.get(name)
        if isinstance(bound, Leaf | Constant | Operation):
            return self.width(bound)
        raise UndefinedError

    def number(self, node: s.IntExpr) -> int:
        """A number that is known."""
        value = self.integer(node)
        assert isinstance(value, int), "constants it depends on are enumerated"
        return value

    def _arith(self, op: str, args: list[int | Exact[W]]) -> int | Exact[W]:
        if all(isinstance(arg, int) for arg in args):
            return exact_arith(op, [arg for arg in args if isinstance(arg, int)])
        if op in ("<<", ">>"):
            return self._shifted(op, self._exact(args[0]), args[1])
        exact = [self._exact(arg) for arg in args]
        if op == "~":
            return Exact(self.backend.apply("NOT", [exact[0].word], exact[0].width), exact[0].width)
        if op == "neg":
            wide = self._extended(exact[0], exact[0].width + 1)
            return Exact(self.backend.apply("NEG", [wide], exact[0].width + 1), exact[0].width + 1)
        widths = [one.width for one in exact]
        width = sum(widths) if op == "*" else max(widths) + (1 if op in "+-" else 0)
        if width > MOST_BITS:
            raise NotWordsError("a number gets too large")
        words = [self._extended(one, width) for one in exact]
        return Exact(self.backend.apply(_EXACT_OPS[op], words, width), width)

    def _shifted(self, op: str, value: Exact[W], amount: int | Exact[W]) -> Exact[W]:
        assert isinstance(amount, int)
        if not 0 <= amount <= LARGEST_SHIFT:
            raise UndefinedError
        if op == ">>":
            low = min(amount, value.width - 1)
            width = value.width - low
            return Exact(self.backend.apply("SLICE", [value.word], width, value.width - 1, low), width)
        if amount == 0:
            return value
        if value.width + amount > MOST_BITS:
            raise NotWordsError("a number gets too large")
        zeros = self.backend.constant(0, amount)
        return Exact(
            self.backend.apply("CONCAT", [value.word, zeros], value.width + amount), value.width + amount
        )

    def _exact(self, value: int | Exact[W]) -> Exact[W]:
        if isinstance(value, Exact):
            return value
        width = max(value.bit_length(), (~value).bit_length()) + 1
        return Exact(self.backend.constant(value, width), width)

    def _extended(self, value: Exact[W], width: int) -> W:
        return value.word if value.width == width else self.backend.apply("SEXT", [value.word], width)

    # Conditions.

    def assumptions(self) -> list[W] | None:
        """Bits that are 1 where the rule applies; None if it never does."""
        found: list[W] = []
        for constant, other in self.shape.state.values:
            left = self.integer_of(constant)
            right = self.width(other.term) if isinstance(other, WidthOfTerm) else self.integer_of(other)
            truth = self.compare(left, "==", right)
            if truth is False:
                return None
            if truth is not True:
                found.append(truth)
        for condition in self.rule.conditions:
            truth = self.condition(condition)
            if truth is False:
                return None
            if truth is None:
                self.dropped.append(condition)
            elif truth is not True:
                found.append(truth)
        return found

    def integer_of(self, constant: Constant) -> int | Exact[W]:
        """The unsigned value of a constant."""
        if constant in self.values:
            return self.values[constant]
        width = self.width(constant)
        if constant.value is not None:
            return constant.value % (1 << width)
        return Exact(self.backend.apply("ZEXT", [self.word(constant)], width + 1), width + 1)

    def condition(self, node: s.Condition) -> bool | W | None:
        """True, False, the bit that says it, or None where it cannot be known."""
        match node:
            case s.PowerOfTwo(name):
                return self._power_of_two(name)
            case s.Compare(left, relation, right):
                try:
                    return self.compare(self.integer(left), relation, self.integer(right))
                except UndefinedError:
                    return False
            case s.Same(a, b):
                return self._same(a, b)
            case s.SameType(a, b):
                try:
                    return self._width_of(a) == self._width_of(b)
                except UndefinedError:
                    return None
            case s.IsConstant(name):
                return True if isinstance(self.names[name], Constant) else None
            case s.Not(inner):
                return self._not(self.condition(inner))
            case s.AnyOf(conditions):
                return self._any(conditions)
            case s.OneUse() | s.PythonCondition():
                return None

    def _not(self, truth: bool | W | None) -> bool | W | None:
        if truth is None or isinstance(truth, bool):
            return None if truth is None else not truth
        return self.backend.apply("NOT", [truth], 1)

    def _any(self, conditions: tuple[s.Condition, ...]) -> bool | W | None:
        total: bool | W = False
        unknown = False
        for one in conditions:
            truth = self.condition(one)
            if truth is True:
                return True
            if truth is None:
                unknown = True
            elif truth is not False:
                total = truth if isinstance(total, bool) else self.backend.apply("OR", [total, truth], 1)
        return None if unknown else total

    def _power_of_two(self, name: str) -> bool | W:
        try:
            value = self._captured(name)
        except UndefinedError:
            return False
        if isinstance(value, int):
            return value.bit_count() == 1
        less = self._arith("-", [value, 1])
        common = self._arith("&", [value, less])
        nothing = self.compare(common, "==", 0)
        something = self.compare(value, "!=", 0)
        assert not isinstance(nothing, bool)
        assert not isinstance(something, bool)
        return self.backend.apply("AND", [nothing, something], 1)

    def compare(self, left: int | Exact[W], relation: str, right: int | Exact[W]) -> bool | W:
        """True, False, or the bit that says how two numbers compare."""
        if isinstance(left, int) and isinstance(right, int):
            return compare(left, relation, right)
        a, b = self._exact(left), self._exact(right)
        width = max(a.width, b.width)
        op = {"==": "EQ", "!=": "NE", "<": "SLT", "<=": "SLE", ">": "SGT", ">=": "SGE"}[relation]
        return self.backend.apply(op, [self._extended(a, width), self._extended(b, width)], 1)

    def _same(self, a: str, b: str) -> bool | W | None:
        left, right = self.names[a], self.names[b]
        lists = [bound if isinstance(bound, tuple) else (bound,) for bound in (left, right)]
        if len(lists[0]) != len(lists[1]):
            return False
        total: bool | W = True
        for one, other in zip(*lists, strict=True):
            if not isinstance(one, Leaf | Constant | Operation) or not isinstance(
                other, Leaf | Constant | Operation
            ):
                return None
            if one is other:
                continue
            if self.width(one) != self.width(other):
                return False
            equal = self.backend.apply("EQ", [self.word(one), self.word(other)], 1)
            total = equal if isinstance(total, bool) else self.backend.apply("AND", [total, equal], 1)
        return total

    # What is emitted.

    def claims(self) -> list[Claim[W]]:
        """The words that have to be equal.

        Raises:
            UndefinedError: The rule does not apply.
            IllTypedError: Widths of what it builds do not fit.
        """
        found: list[Claim[W]] = []
        for emit in self.rule.emits:
            match emit:
                case s.EmitInstr():
                    self._build(emit, found)
                case s.ReplaceUses(name, operand):
                    term = self.names[name]
                    assert isinstance(term, Leaf)
                    found.append(self._claim(self.shape.root, self._single(operand)))
                case s.ReplaceAll(name, operands):
                    bound = self.names[name]
                    assert isinstance(bound, Instruction)
                    replaced = self.shape.root if bound.term is None else bound.term
                    words = [word for operand in operands for word in self._operand(operand)]
                    if len(words) != 1:
                        raise IllTypedError(f"one value is replaced by {len(words)} operands")
                    found.append(self._claim(replaced, words[0]))
                case s.Delete(name):
                    pass
        return found

    def _claim(self, term: Term, made: tuple[W, int]) -> Claim[W]:
        word, width = made
        if width != self.width(term):
            raise IllTypedError(f"a value of width {self.width(term)} is replaced by one of width {width}")
        return Claim(self.word(term), word, width)

    def _single(self, node: s.EmitOperand) -> tuple[W, int]:
        words = self._operand(node)
        if len(words) != 1:
            raise IllTypedError(f"one operand is needed, not {len(words)}")
        return words[0]

    def _operand(self, node: s.EmitOperand) -> list[tuple[W, int]]:
        match node:
            case s.Capture(name):
                if name in self.made:
                    return [self.made[name]]
                bound = self.names[name]
                terms = bound if isinstance(bound, tuple) else (bound,)
                found: list[tuple[W, int]] = []
                for term in terms:
                    if not isinstance(term, Leaf | Constant | Operation):
                        raise NotWordsError(f"%{name} is no operand")
                    found.append((self.word(term), self.width(term)))
                return found
            case s.EmitConst(value, width_node):
                width = self.number(width_node)
                if width < 1:
                    raise UndefinedError
                return [(self._truncated(self.integer(value), width), width)]
            case s.EmitNumber(value):
                return [(self.backend.constant(self.number(value), 64), 64)]
            case s.EmitInstr():
                return [self._build(node, None)]

    def _truncated(self, value: int | Exact[W], width: int) -> W:
        if isinstance(value, int):
            return self.backend.constant(value, width)
        if value.width <= width:
            return self._extended(value, width)
        return self.backend.apply("SLICE", [value.word], width, width - 1, 0)

    def _build(self, node: s.EmitInstr, claims: list[Claim[W]] | None) -> tuple[W, int]:
        op = node.op if isinstance(node.op, str) else self.names[node.op.name]
        if not isinstance(op, str) or op not in OPS or OPS[op].defs != 1:
            raise NotWordsError(f"{op} computes no word")
        (definition,) = node.defs
        width = (
            self.width(self.shape.root)
            if isinstance(definition, s.Capture)
            else self._type_width(definition.type)
        )
        if width < 1:
            raise UndefinedError
        word = self._operation(op, node.operands, width)
        if isinstance(definition, s.NewDef):
            self.made[definition.name] = (word, width)
        else:
            assert claims is not None
            claims.append(self._claim(self.shape.root, (word, width)))
        return word, width

    def _type_width(self, kind: s.TypeExpr | s.SameTypeAs) -> int:
        if isinstance(kind, s.SameTypeAs):
            return self._width_of(kind.name) if kind.width is None else self.number(kind.width)
        if len(kind.params) != 1:
            raise NotWordsError(f"{kind.type} has not the single parameter width")
        return self.number(kind.params[0])

    def _operation(self, op: str, operands: tuple[s.EmitOperand, ...], width: int) -> W:
        name = op.removeprefix("op.")
        high = low = 0
        if name == "SLICE":
            if len(operands) != 3:
                raise IllTypedError("SLICE takes 3 operands")
            high, low = (self._bound(operand) for operand in operands[1:])
            operands = operands[:1]
        words = [word for operand in operands for word in self._operand(operand)]
        declared = OPS[op]
        least = 1 if name == "SLICE" else declared.uses
        if len(words) < least or (len(words) > least and "variadic" not in declared.traits):
            raise IllTypedError(f"{op} does not take {len(words)} operands")
        number = width
        if name == "REPEAT":
            if width % words[0][1]:
                raise IllTypedError(f"{op} cannot make {width} bits of {words[0][1]}")
            number = width // words[0][1]
        try:
            sizes = [word[1] for word in words]
            if name in VARIADIC:
                for size in sizes[2:]:
                    result_width(name, sizes[0], size)
                sizes = sizes[:2]
            wanted = result_width(name, *sizes, hi=high, lo=low, number=number)
        except UsageError as error:
            raise IllTypedError(f"{op}: {error}") from None
        if wanted != width:
            raise IllTypedError(f"{op} has a result of width {wanted}, not {width}")
        return self.backend.apply(name, [word[0] for word in words], width, high, low)

    def _bound(self, node: s.EmitOperand) -> int:
        match node:
            case s.EmitNumber(value) | s.EmitConst(value, _):
                return self.number(value)
            case s.Capture(name):
                bound = self.names[name]
                if isinstance(bound, Constant) and (bound in self.values or bound.value is not None):
                    return self._number_term(bound)
            case _:
                pass
        raise NotWordsError("a bound of SLICE is no number")


def compare(a: int, relation: str, b: int) -> bool:
    """Two numbers compared."""
    return {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[relation]


def exact_arith(op: str, args: list[int]) -> int:
    """Arithmetic on numbers that are known.

    Raises:
        UndefinedError: There is no result.
    """
    a = args[0]
    b = args[1] if len(args) > 1 else 0
    if (op in "/%" and b == 0) or (op in ("<<", ">>") and not 0 <= b <= LARGEST_SHIFT):
        raise UndefinedError
    if (op == "log2" and a < 1) or (op == "signed" and not 1 <= b <= LARGEST_SHIFT):
        raise UndefinedError
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a // b
        case "%":
            return a % b
        case "<<":
            return a << b
        case ">>":
            return a >> b
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b
        case "~":
            return ~a
        case "neg":
            return -a
        case "log2":
            return a.bit_length() - 1
        case "min":
            return min(args)
        case "max":
            return max(args)
        case _:
            a %= 1 << b
            return a - (a >> (b - 1) << b)
