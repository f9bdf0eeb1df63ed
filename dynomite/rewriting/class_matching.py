"""Patterns and conditions on classes of equal terms, in the order of search of docs/rewriting.md.

Where a pattern looks at the instruction that defines an operand, all operations in the operand's class are
tried, in the order in which they came in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from dynomite.ir import Const
from dynomite.rewriting import syntax as s
from dynomite.rewriting.egraph import EGraph, Head
from dynomite.rewriting.functions import resolve_function

LARGEST_SHIFT = 1 << 21
MATCHED = ""
"""The name under which the nodes are kept that were matched."""


@dataclass(frozen=True, slots=True)
class Place:
    """One operand of a row: a class, and whether it is defined there."""

    cls: int
    is_def: bool = False


@dataclass(frozen=True, slots=True)
class Nodes:
    """What the name of an instruction stands for: one node. All that were matched: several."""

    numbers: tuple[int, ...]


Bound: TypeAlias = Place | tuple[Place, ...] | int | str | Nodes
"""What a name stands for: operand, list, number, operation, instruction."""
Names: TypeAlias = Mapping[str, Bound]
Row: TypeAlias = tuple[Place, ...]
Found: TypeAlias = Iterator[tuple[int, Names]]


class Undefined(Exception):  # noqa: N818 - no error: the outcome of a computation
    """A number that has no value."""


class TooManySteps(Exception):  # noqa: N818 - no error: the search ends
    """The search took its bound of steps."""


class ClassMatcher:
    """Finds all matches of patterns at nodes of an e-graph.

    Recursion is as deep as a pattern nests. Cost: exponential at worst, at most `most_steps`.
    """

    def __init__(self, graph: EGraph, most_steps: int = 5_000) -> None:
        self.graph = graph
        self.most_steps = most_steps
        self._left = 0

    def matches(self, rule: s.Rule, node: int) -> Iterator[Names]:
        """The matches of a rule's pattern at a node, in order, as long as its conditions hold.

        Raises:
            TooManySteps: There may be more.
        """
        self._left = self.most_steps
        python = [one for one in rule.conditions if isinstance(one, s.PythonCondition)]
        native = [one for one in rule.conditions if not isinstance(one, s.PythonCondition)]
        for names in self._node(rule.root, node, {}, nested=False):
            if all(self.holds(one, names) for one in native + python):
                yield names

    # Patterns.

    def _step(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooManySteps

    def _node(self, pattern: s.InstrMatch, number: int, names: Names, *, nested: bool) -> Iterator[Names]:
        node = self.graph.nodes[number]
        if not isinstance(node.head, Head) or (pattern.ops and node.head.op not in pattern.ops):
            return
        row = tuple(map(Place, node.operands))
        if not nested:
            row = (Place(self.graph.find(node.cls), is_def=True), *row)
        for end, found in self._expr(pattern.operands, row, 0, names):
            if end != len(row):
                continue
            matched = found.get(MATCHED, Nodes(()))
            assert isinstance(matched, Nodes)
            bound = {**found, MATCHED: Nodes((number, *matched.numbers))}
            if pattern.op_name is not None:
                bound[pattern.op_name] = node.head.op
            if pattern.instr_name is not None:
                bound[pattern.instr_name] = Nodes((number,))
            if pattern.result is not None and nested:
                bound[pattern.result] = Place(self.graph.find(node.cls))
            yield bound

    def _expr(self, node: s.Expr, row: Row, at: int, names: Names) -> Found:
        self._step()
        match node:
            case s.Named(name, expr):
                for end, found in self._expr(expr, row, at, names):
                    bound = row[at] if self._is_single(expr, found) else row[at:end]
                    yield end, {**found, name: bound}
            case s.SameAs(name):
                bound = names[name]
                wanted = bound if isinstance(bound, tuple) else (bound,)
                end = at + len(wanted)
                if end <= len(row) and all(
                    isinstance(a, Place) and self._is_same(a, b)
                    for a, b in zip(wanted, row[at:end], strict=True)
                ):
                    yield end, names
            case s.Sequence(parts):
                yield from self._sequence(parts, row, at, names)
            case s.Alternatives(parts):
                for part in parts:
                    yield from self._expr(part, row, at, names)
            case s.Repeat(expr, least):
                yield from self._repeat(expr, least, row, at, names)
            case s.Unordered(parts):
                yield from self._unordered(parts, row, at, names)
            case s.DefOf(expr) | s.UseOf(expr):
                is_def = isinstance(node, s.DefOf)
                for end, found in self._expr(expr, row, at, names):
                    if all(place.is_def == is_def for place in row[at:end]):
                        yield end, found
            case _:
                if at < len(row):
                    for found in self._one(node, row[at], names):
                        yield at + 1, found

    def _is_same(self, a: Place, b: Place) -> bool:
        return self.graph.find(a.cls) == self.graph.find(b.cls)

    def _is_single(self, node: s.Expr, names: Names) -> bool:
        match node:
            case s.AnyOperand() | s.TypeMatch() | s.ConstMatch() | s.InstrMatch():
                return True
            case s.Named(_, expr) | s.DefOf(expr) | s.UseOf(expr):
                return self._is_single(expr, names)
            case s.Alternatives(parts):
                return all(self._is_single(part, names) for part in parts)
            case s.SameAs(name):
                return not isinstance(names.get(name), tuple)
            case _:
                return False

    def _sequence(self, parts: tuple[s.Expr, ...], row: Row, at: int, names: Names) -> Found:
        if not parts:
            yield at, names
            return
        for end, found in self._expr(parts[0], row, at, names):
            yield from self._sequence(parts[1:], row, end, found)

    def _repeat(self, expr: s.Expr, least: int, row: Row, at: int, names: Names) -> Found:
        states = [(at, names)]
        searches = [self._expr(expr, row, at, names)]
        while searches:
            state = next(searches[-1], None)
            if state is not None:
                states.append(state)
                searches.append(self._expr(expr, row, *state))
                continue
            searches.pop()
            state = states.pop()
            if len(searches) >= least:
                yield state

    # Operands dealt among parts.

    def _lengths(self, node: s.Expr, names: Names) -> tuple[int, int | None]:
        """How many operands an expression matches, at least and at most, as far as that is easily seen."""
        match node:
            case s.Named(_, expr) | s.DefOf(expr) | s.UseOf(expr):
                return self._lengths(expr, names)
            case s.Repeat(_, least):
                return least, None
            case s.Sequence() | s.Alternatives() | s.Unordered():
                return 0, None
            case s.SameAs(name):
                bound = names.get(name)
                return (1, 1) if isinstance(bound, Place) else (0, None)
            case _:
                return 1, 1

    def _admits(self, node: s.Expr, place: Place) -> bool:
        """False if an expression certainly cannot match a row that has this operand."""
        match node:
            case s.Named(_, expr) | s.Repeat(expr) | s.DefOf(expr) | s.UseOf(expr):
                return self._admits(expr, place)
            case s.ConstMatch(value):
                const = self.graph.const(place.cls)
                if const is None or place.is_def:
                    return False
                return not isinstance(value, int) or (value - const.value) % (1 << const.width) == 0
            case s.InstrMatch(ops):
                return not place.is_def and any(
                    isinstance(head := self.graph.nodes[number].head, Head) and (not ops or head.op in ops)
                    for number in self.graph.members(place.cls)
                )
            case _:
                return True

    def _unordered(self, parts: tuple[s.Expr, ...], row: Row, at: int, names: Names) -> Found:
        lengths = [self._lengths(part, names) for part in parts]
        most = len(row) - at
        if all(upper is not None for _, upper in lengths):
            most = min(most, sum(upper or 0 for _, upper in lengths))
        least = sum(lower for lower, _ in lengths)
        admits = [[self._admits(part, place) for part in parts] for place in row[at : at + most]]
        if any(lower and not any(row[k] for row in admits) for k, (lower, _) in enumerate(lengths)):
            return
        for end in range(at + most, at + least - 1, -1):
            segment = row[at:end]
            for choice in self._deals(lengths, admits[: end - at]):
                dealt = tuple(
                    tuple(place for place, owner in zip(segment, choice, strict=True) if owner == number)
                    for number in range(len(parts))
                )
                for found in self._dealt(parts, dealt, names):
                    yield end, found

    def _deals(
        self, lengths: list[tuple[int, int | None]], admits: list[list[bool]]
    ) -> Iterator[tuple[int, ...]]:
        """Owners of operands in lexicographic order, without those that certainly do not match."""
        parts = range(len(lengths))
        counts = [0] * len(parts)
        choice: list[int] = []
        part = 0
        while True:
            self._step()
            if len(choice) == len(admits) and all(
                count >= lower for count, (lower, _) in zip(counts, lengths, strict=True)
            ):
                yield tuple(choice)
            if len(choice) < len(admits):
                allowed = admits[len(choice)]
                while part < len(parts) and not (allowed[part] and _has_room(counts[part], lengths[part][1])):
                    part += 1
                if part < len(parts):
                    counts[part] += 1
                    choice.append(part)
                    part = 0
                    continue
            if not choice:
                return
            part = choice.pop()
            counts[part] -= 1
            part += 1

    def _dealt(self, parts: tuple[s.Expr, ...], rows: tuple[Row, ...], names: Names) -> Iterator[Names]:
        if not parts:
            yield names
            return
        for end, found in self._expr(parts[0], rows[0], 0, names):
            if end == len(rows[0]):
                yield from self._dealt(parts[1:], rows[1:], found)

    # Single operands.

    def _one(self, node: s.Expr, place: Place, names: Names) -> Iterator[Names]:
        match node:
            case s.AnyOperand():
                yield names
            case s.TypeMatch():
                found = self._typed(node, place, names)
                if found is not None:
                    yield found
            case s.ConstMatch(value, width):
                const = self.graph.const(place.cls)
                if const is None or place.is_def:
                    return
                if isinstance(value, int):
                    if (value - const.value) % (1 << const.width):
                        return
                    value = None
                found = self._parameter(value, const.value, place, names)
                found = None if found is None else self._parameter(width, const.width, const.width, found)
                if found is not None:
                    yield found
            case s.InstrMatch():
                if not place.is_def:
                    for number in self.graph.members(place.cls):
                        self._step()
                        yield from self._node(node, number, names, nested=True)
            case _:
                raise AssertionError(node)

    def _typed(self, node: s.TypeMatch, place: Place, names: Names) -> Names | None:
        type_ = self.graph.type(place.cls)
        if type_ is None or type_.name != node.type:
            return None
        found: Names | None = names
        for param, wanted in zip(type_.params if node.params else (), node.params, strict=True):
            number = param.value if isinstance(param, Const) else None
            found = None if found is None else self._parameter(wanted, number, number, found)
        return found

    def _parameter(
        self, wanted: int | s.Capture | None, number: int | None, bound: Bound | None, names: Names
    ) -> Names | None:
        if wanted is None:
            return names
        if number is None or bound is None:
            return None
        if isinstance(wanted, int):
            return names if wanted == number else None
        if wanted.name in names:
            return names if self._number(names[wanted.name]) == number else None
        return {**names, wanted.name: bound}

    # Numbers.

    def _number(self, bound: Bound) -> int:
        if isinstance(bound, int):
            return bound
        const = self.graph.const(bound.cls) if isinstance(bound, Place) else None
        if const is None:
            raise Undefined
        return const.value

    def evaluate(self, node: s.IntExpr, names: Names) -> int:
        """The value of a number.

        Raises:
            Undefined: It has none.
        """
        match node:
            case int():
                return node
            case s.Capture(name):
                return self._number(names[name])
            case s.WidthOf(name):
                bound = names[name]
                width = self.graph.width(bound.cls) if isinstance(bound, Place) else None
                if width is None:
                    raise Undefined
                return width
            case s.CountOf(name):
                bound = names[name]
                return len(bound) if isinstance(bound, tuple) else 1
            case s.Arith(op, args):
                return arithmetic(op, [self.evaluate(arg, names) for arg in args])

    # Conditions.

    def holds(self, node: s.Condition, names: Names) -> bool:
        """Whether a condition holds."""
        match node:
            case s.PowerOfTwo(name):
                try:
                    return self._number(names[name]).bit_count() == 1
                except Undefined:
                    return False
            case s.IsConstant(name):
                bound = names[name]
                return isinstance(bound, Place) and self.graph.const(bound.cls) is not None
            case s.Compare(left, relation, right):
                try:
                    return _RELATIONS[relation](self.evaluate(left, names), self.evaluate(right, names))
                except Undefined:
                    return False
            case s.Same(a, b):
                return self._same(names[a], names[b])
            case s.SameType(a, b):
                return self._same_type(names[a], names[b])
            case s.Not(condition):
                return not self.holds(condition, names)
            case s.AnyOf(conditions):
                return any(self.holds(one, names) for one in conditions)
            case s.PythonCondition(function, arguments):
                given = [self._python_value(names[name]) for name in arguments]
                return None not in given and resolve_function(function)(*given) is True
            case s.OneUse():
                raise AssertionError("rules that count uses are not applicable")

    def _same(self, a: Bound, b: Bound) -> bool:
        if isinstance(a, tuple) and isinstance(b, tuple):
            return len(a) == len(b) and all(map(self._is_same, a, b))
        if isinstance(a, Nodes) or isinstance(b, Nodes):
            return a == b
        return isinstance(a, Place) and isinstance(b, Place) and self._is_same(a, b)

    def _same_type(self, a: Bound, b: Bound) -> bool:
        if not isinstance(a, Place) or not isinstance(b, Place):
            return False
        types = self.graph.type(a.cls), self.graph.type(b.cls)
        if None not in types:
            return types[0] == types[1]
        widths = self.graph.width(a.cls), self.graph.width(b.cls)
        return None not in widths and widths[0] == widths[1]

    def _python_value(self, bound: Bound) -> object | None:
        """What Python functions are given; None where the module has no such thing."""
        if isinstance(bound, Place):
            return self.graph.const(bound.cls) or self.graph.value(bound.cls)
        if isinstance(bound, tuple):
            values = tuple(map(self._python_value, bound))
            return None if None in values else values
        if isinstance(bound, Nodes):
            originals = self.graph.originals.get(bound.numbers[0])
            return originals[0] if originals else None
        return bound


def _has_room(count: int, most: int | None) -> bool:
    return most is None or count < most


def _shift(a: int, b: int, *, left: bool) -> int:
    if not 0 <= b <= LARGEST_SHIFT:
        raise Undefined
    return a << b if left else a >> b


def _divide(a: int, b: int, *, quotient: bool) -> int:
    if b == 0:
        raise Undefined
    return a // b if quotient else a % b


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

_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def arithmetic(op: str, args: list[int]) -> int:
    """Exact arithmetic of rules.

    Raises:
        Undefined: There is no value.
    """
    match op:
        case "~":
            return ~args[0]
        case "neg":
            return -args[0]
        case "log2":
            if args[0] < 1:
                raise Undefined
            return args[0].bit_length() - 1
        case "min":
            return min(args)
        case "max":
            return max(args)
        case _:
            return _BINARY[op](args[0], args[1])
