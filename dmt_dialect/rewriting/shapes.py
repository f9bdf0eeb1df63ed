"""The shapes a pattern can match: alternatives chosen, repetitions counted out, operands put in order.

A shape is a tree of terms: values, constants and operations, each with a width that is still open. The
relations between widths come from the operations; `dmt_dialect.rewriting.widths` looks for numbers that fit.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from dmt_dialect.ops import OP
from dynomite.rewriting import syntax as s

OPS = {op.full_name: op for op in OP.ops}
"""The word operators by full name."""

WIDEST_ROW = 4
"""Operands of a variadic operation are at most this many, or as many as a pattern needs at least."""


class NotWordsError(Exception):
    """The rule is about more than word operators."""


@dataclass(eq=False)
class Leaf:
    """A value that nothing is known of; also a definition of the root."""

    name: str = ""


@dataclass(eq=False)
class Constant:
    """A constant: of a value, taken modulo 2^width, or of any (`value` None).

    Attributes:
        value: The value, if the pattern has it.
        name: What it is captured by.
        is_number: It says which bits, as the bounds of SLICE do: known before anything is proved.
    """

    value: int | None = None
    name: str = ""
    is_number: bool = False


@dataclass(eq=False)
class Operation:
    """An operation on terms."""

    op: str
    args: tuple[Term, ...]


Term: TypeAlias = Leaf | Constant | Operation


@dataclass(frozen=True)
class WidthOfTerm:
    """A captured parameter of a type: the width of a term."""

    term: Term


Bound: TypeAlias = "Term | tuple[Term, ...] | WidthOfTerm | str | Instruction"


@dataclass(frozen=True)
class Instruction:
    """A named instruction: the term it computes, None for the root."""

    term: Operation | None


@dataclass(frozen=True)
class Item:
    """One operand in a row; `is_def` if the pattern says so."""

    term: Term
    is_def: bool | None = None


@dataclass(frozen=True)
class State:
    """What is bound so far, and the facts of it."""

    names: Mapping[str, Bound]
    widths: tuple[tuple[Term, int | Term], ...] = ()
    values: tuple[tuple[Constant, Constant | WidthOfTerm], ...] = ()

    def bind(self, name: str, bound: Bound) -> State:
        """With one name more."""
        return State({**self.names, name: bound}, self.widths, self.values)

    def with_width(self, term: Term, width: int | Term) -> State:
        """With a fact about a width."""
        return State(self.names, (*self.widths, (term, width)), self.values)

    def with_value(self, term: Constant, other: Constant | WidthOfTerm) -> State:
        """With a fact about a value."""
        return State(self.names, self.widths, (*self.values, (term, other)))


@dataclass(frozen=True)
class Shape:
    """One shape of the root: its operation, definitions and operands."""

    root: Operation
    defs: tuple[Leaf, ...]
    state: State


Rows: TypeAlias = "Iterator[tuple[tuple[Item, ...], State]]"


def shapes_of(rule: s.Rule) -> Iterator[Shape]:
    """All shapes of a rule, repetitions up to `WIDEST_ROW`.

    Raises:
        NotWordsError: It matches other operations than word operators.
    """
    empty = State({})
    for shape in _instruction(rule.root, empty, nested=False):
        assert isinstance(shape, Shape)
        yield shape


def _operations(node: s.InstrMatch) -> tuple[str, ...]:
    if not node.ops:
        raise NotWordsError("it matches any operation")
    for op in node.ops:
        if op not in OPS or OPS[op].defs != 1:
            raise NotWordsError(f"{op} computes no word")
        if op == "op.LUT":
            raise NotWordsError("op.LUT is not supported")
    return node.ops


def _instruction(
    node: s.InstrMatch, state: State, *, nested: bool
) -> Iterator[Shape | tuple[Operation, State]]:
    for op in _operations(node):
        declared = OPS[op]
        least = declared.uses + (0 if nested else declared.defs)
        variadic = "variadic" in declared.traits
        bound = state if node.op_name is None else state.bind(node.op_name, op)
        widest = max(least_operands(node.operands) + 1, WIDEST_ROW + (0 if nested else 1))
        most = max(least + 1, widest) if variadic else least
        for row, found in _rows(node.operands, most, bound):
            if len(row) < least:
                continue
            defs = row[: 0 if nested else 1]
            uses = row[len(defs) :]
            if any(item.is_def is False for item in defs) or any(item.is_def for item in uses):
                continue
            if not all(isinstance(item.term, Leaf) for item in defs):
                continue
            args = tuple(item.term for item in uses)
            if op == "op.SLICE":
                if any(isinstance(arg, Operation) for arg in args[1:]):
                    continue  # the bounds are constants always
                args, found = _with_bounds(args, found)
            term = Operation(op, args)
            leaves = tuple(item.term for item in defs if isinstance(item.term, Leaf))
            if any(leaf in term.args for leaf in leaves):
                continue  # an instruction that uses itself
            if node.instr_name is not None:
                found = found.bind(node.instr_name, Instruction(term if nested else None))
            if nested:
                yield term, found
            else:
                yield Shape(term, leaves, found)


def _with_bounds(args: tuple[Term, ...], state: State) -> tuple[tuple[Term, ...], State]:
    """The operands of SLICE, its bounds made constants that are known."""
    bounds: list[Term] = []
    for arg in args[1:]:
        bound = arg
        if isinstance(arg, Leaf):
            bound = Constant()
            for name, other in state.names.items():
                if other is arg:
                    state = state.bind(name, bound)
        assert isinstance(bound, Constant)
        bound.is_number = True
        bounds.append(bound)
    return (args[0], *bounds), state


def _rows(node: s.Expr, most: int, state: State) -> Rows:
    """Rows of at most so many operands."""
    match node:
        case s.Named(name, expr):
            single = is_single(expr, state.names)
            for row, found in _rows(expr, most, state):
                yield row, found.bind(name, row[0].term if single else tuple(item.term for item in row))
        case s.Sequence(parts):
            yield from _sequence(parts, most, state)
        case s.Alternatives(parts):
            for part in parts:
                yield from _rows(part, most, state)
        case s.Repeat(expr, least):
            yield from _repeat(expr, least, most, state)
        case s.Unordered(parts):
            for rows, found in _dealt(parts, most, state):
                for row in _interleaved(rows):
                    yield row, found
        case s.DefOf(expr) | s.UseOf(expr):
            wanted = isinstance(node, s.DefOf)
            for row, found in _rows(expr, most, state):
                if all(item.is_def in (None, wanted) for item in row):
                    yield tuple(Item(item.term, wanted) for item in row), found
        case s.SameAs(name):
            bound = state.names[name]
            terms = bound if isinstance(bound, tuple) else (bound,)
            if len(terms) <= most:
                yield tuple(Item(_term(term)) for term in terms), state
        case _:
            if most > 0:
                yield from _one(node, state)


def _term(bound: object) -> Term:
    if not isinstance(bound, Leaf | Constant | Operation):
        raise NotWordsError("a name of something else stands for an operand")
    return bound


def is_single(node: s.Expr, names: Mapping[str, Bound]) -> bool:
    """Whether an expression always matches exactly one operand."""
    match node:
        case s.Named(_, expr) | s.DefOf(expr) | s.UseOf(expr):
            return is_single(expr, names)
        case s.Alternatives(parts):
            return all(is_single(part, names) for part in parts)
        case s.SameAs(name):
            return not isinstance(names.get(name), tuple)
        case s.Sequence() | s.Repeat() | s.Unordered():
            return False
        case _:
            return True


def least_operands(node: s.Expr) -> int:
    """The least number of operands an expression takes; repeated names of lists count as none."""
    match node:
        case s.Named(_, expr) | s.DefOf(expr) | s.UseOf(expr):
            return least_operands(expr)
        case s.Repeat(expr, least):
            return least * least_operands(expr)
        case s.Sequence(parts) | s.Unordered(parts):
            return sum(map(least_operands, parts))
        case s.Alternatives(parts):
            return min(map(least_operands, parts))
        case _:
            return 1


def _sequence(parts: tuple[s.Expr, ...], most: int, state: State) -> Rows:
    if not parts:
        yield (), state
        return
    for row, found in _rows(parts[0], most, state):
        for rest, last in _sequence(parts[1:], most - len(row), found):
            yield row + rest, last


def _repeat(expr: s.Expr, least: int, most: int, state: State) -> Rows:
    if least == 0:
        yield (), state
    for row, found in _rows(expr, most, state):
        for rest, last in _repeat(expr, 0, most - len(row), found):
            yield row + rest, last


def _dealt(
    parts: tuple[s.Expr, ...], most: int, state: State
) -> Iterator[tuple[tuple[tuple[Item, ...], ...], State]]:
    if not parts:
        yield (), state
        return
    for row, found in _rows(parts[0], most, state):
        for rest, last in _dealt(parts[1:], most - len(row), found):
            yield (row, *rest), last


def _interleaved(rows: tuple[tuple[Item, ...], ...]) -> Iterator[tuple[Item, ...]]:
    """All ways to put rows together that keep the order of each."""
    owners = [number for number, row in enumerate(rows) for _ in row]
    for order in sorted(set(itertools.permutations(owners))):
        taken = [iter(row) for row in rows]
        yield tuple(next(taken[owner]) for owner in order)


def _one(node: s.Expr, state: State) -> Rows:
    match node:
        case s.AnyOperand():
            yield (Item(Leaf()),), state
        case s.TypeMatch(kind, params):
            if len(params) > 1:
                raise NotWordsError(f"{kind} has more than one parameter")
            leaf = Leaf()
            for param in params:
                if isinstance(param, int):
                    state = state.with_width(leaf, param)
                elif param is not None:
                    state = _captured_width(param.name, leaf, state)
            yield (Item(leaf),), state
        case s.ConstMatch(value, width):
            constant = Constant(value if isinstance(value, int) else None)
            if isinstance(value, s.Capture):
                constant.name = value.name
                bound = state.names.get(value.name)
                if bound is None:
                    state = state.bind(value.name, constant)
                elif isinstance(bound, Constant | WidthOfTerm):
                    state = state.with_value(constant, bound)
                else:
                    raise NotWordsError(f"%{value.name} is no number")
            if isinstance(width, int):
                state = state.with_width(constant, width)
            elif width is not None:
                state = _captured_width(width.name, constant, state)
            yield (Item(constant, False),), state
        case s.InstrMatch():
            for made in _instruction(node, state, nested=True):
                assert not isinstance(made, Shape)
                yield (Item(made[0], False),), made[1]
        case _:
            raise AssertionError(node)


def _captured_width(name: str, term: Term, state: State) -> State:
    bound = state.names.get(name)
    if bound is None:
        return state.bind(name, WidthOfTerm(term))
    if isinstance(bound, WidthOfTerm):
        return state.with_width(term, bound.term)
    if isinstance(bound, Constant):
        return state.with_value(bound, WidthOfTerm(term))
    raise NotWordsError(f"%{name} is no number")
