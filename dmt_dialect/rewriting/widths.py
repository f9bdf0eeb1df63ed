"""Widths of the terms of a shape: which numbers fit together.

Terms that must be equally wide are put in one class; the classes get numbers in all ways that the operations
allow.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dmt_dialect.rewriting.shapes import OPS, Constant, NotWordsError, Operation, Shape, Term

NUMBER_WIDTH = 64
_FIRST_IS_RESULT = ("op.SHL", "op.LSHR", "op.ASHR", "op.ROL", "op.ROR")
_COMPARISONS = (
    *("EQ", "NE", "ULT", "ULE", "UGT", "UGE", "SLT", "SLE", "SGT", "SGE"),
    *("UADDO", "SADDO", "USUBO", "SSUBO", "UMULO", "SMULO", "SDIVO"),
)
_BITS = ("op.REDAND", "op.REDOR", "op.REDXOR", "op.NEGO", "op.INDEX")


@dataclass(frozen=True)
class Case:
    """One choice of widths, and of the numbers among the constants.

    Attributes:
        widths: By term.
        numbers: Values of constants that say which bits.
    """

    widths: dict[Term, int]
    numbers: dict[Constant, int]


class _Classes:
    """Terms that are equally wide."""

    def __init__(self) -> None:
        self.parent: dict[Term, Term] = {}
        self.fixed: dict[Term, int] = {}
        self.possible = True

    def find(self, term: Term) -> Term:
        root = term
        while (above := self.parent.setdefault(root, root)) is not root:
            root = above
        while self.parent[term] is not root:
            self.parent[term], term = root, self.parent[term]
        return root

    def same(self, a: Term, b: Term) -> None:
        a, b = self.find(a), self.find(b)
        if a is b:
            return
        self.parent[a] = b
        if a in self.fixed:
            self.fix(b, self.fixed.pop(a))

    def fix(self, term: Term, width: int) -> None:
        root = self.find(term)
        self.possible &= self.fixed.setdefault(root, width) == width


@dataclass
class Relations:
    """What has to hold between the widths of a shape."""

    classes: _Classes
    sums: list[tuple[Term, tuple[Term, ...]]]
    slices: list[tuple[Term, Term, Constant, Constant]]
    at_least: list[tuple[Term, Term]]
    multiples: list[tuple[Term, Term]]


def operations_in(terms: Sequence[Term]) -> list[Operation]:
    """All operations in terms, each once, operands first."""
    found: dict[Operation, None] = {}
    left: list[tuple[Term, bool]] = [(term, False) for term in reversed(terms)]
    while left:
        term, done = left.pop()
        if not isinstance(term, Operation) or term in found:
            continue
        if done:
            found[term] = None
        else:
            left.append((term, True))
            left += [(arg, False) for arg in reversed(term.args)]
    return list(found)


def relations_of(shape: Shape) -> Relations:
    """The relations of a shape, from its operations and what the pattern says."""
    result = Relations(_Classes(), [], [], [], [])
    classes = result.classes
    for operation in operations_in([shape.root]):
        _relate(operation, result)
        classes.find(operation)
        for arg in operation.args:
            classes.find(arg)
            if isinstance(arg, Constant) and arg.is_number:
                classes.fix(arg, NUMBER_WIDTH)
    for leaf in shape.defs:
        classes.same(leaf, shape.root)
    for term, width in shape.state.widths:
        if isinstance(width, int):
            classes.fix(term, width)
        else:
            classes.same(term, width)
    return result


def _relate(operation: Operation, result: Relations) -> None:
    classes, op, args = result.classes, operation.op, operation.args
    name = op.removeprefix("op.")
    if "same_type" in OPS[op].traits:
        for arg in args:
            classes.same(operation, arg)
    elif name in _COMPARISONS:
        classes.fix(operation, 1)
        classes.same(args[0], args[1])
    elif op in _BITS:
        classes.fix(operation, 1)
    elif op in _FIRST_IS_RESULT:
        classes.same(operation, args[0])
    elif op == "op.MUX":
        classes.fix(args[0], 1)
        classes.same(operation, args[1])
        classes.same(operation, args[2])
    elif op == "op.CONCAT":
        result.sums.append((operation, args))
    elif op in ("op.SMULW", "op.UMULW"):
        classes.same(args[0], args[1])
        result.sums.append((operation, args))
    elif op == "op.SLICE":
        high, low = args[1:]
        assert isinstance(high, Constant)
        assert isinstance(low, Constant)
        result.slices.append((operation, args[0], high, low))
    elif op in ("op.ZEXT", "op.SEXT"):
        result.at_least.append((operation, args[0]))
    elif op == "op.REPEAT":
        result.multiples.append((operation, args[0]))
    else:
        raise NotWordsError(f"{op} is not supported")


class Cases:
    """The cases of a shape."""

    def __init__(self, shape: Shape) -> None:
        self.relations = relations_of(shape)
        classes = self.relations.classes
        self.terms = list(classes.parent)
        self.possible = classes.possible
        find = classes.find
        dependent = {find(total) for total, _ in self.relations.sums}
        dependent |= {find(part) for part, *_ in self.relations.slices}
        roots = dict.fromkeys(find(term) for term in self.terms)
        self.free = [root for root in roots if root not in classes.fixed and root not in dependent]
        self.numbers = [
            (number, find(source)) for _, source, high, low in self.relations.slices for number in (high, low)
        ]

    def all(self, widest: int) -> Iterator[Case]:
        """Every case in which no width is more than `widest`, or those that the pattern has."""
        if not self.possible:
            return
        fixed = self.relations.classes.fixed.items()
        widest = max(widest, *(width for root, width in fixed if not self._is_number(root)), 1)
        for chosen in self._chosen({}, widest):
            yield from self._numbered(chosen, widest, None)

    def _chosen(self, chosen: dict[Term, int], widest: int) -> Iterator[dict[Term, int]]:
        """Numbers for the free classes; those that make a sum too large are left out early."""
        if len(chosen) == len(self.free):
            yield chosen
            return
        find, fixed = self.relations.classes.find, self.relations.classes.fixed
        root = self.free[len(chosen)]
        for width in range(1, widest + 1):
            known = {**fixed, **chosen, root: width}
            if any(
                sum(known.get(find(part), 1) for part in parts) > widest for _, parts in self.relations.sums
            ):
                return
            yield from self._chosen({**chosen, root: width}, widest)

    def some(self, widths: Sequence[int], count: int, rng: random.Random) -> Iterator[Case]:
        """At most so many cases in which free widths are among `widths`; equal ones may come twice."""
        if not self.possible:
            return
        made = 0
        choices: list[list[int]] = [[]]
        if self.free:
            # Equal widths first, then one bit beside others, then anything.
            choices = [[width for _ in self.free] for width in widths]
        if len(self.free) > 1:
            choices += [[rng.choice((1, rng.choice(widths))) for _ in self.free] for _ in range(count)]
            choices += [[rng.choice(widths) for _ in self.free] for _ in range(20 * count)]
        for chosen in choices:
            values = dict(zip(self.free, chosen, strict=True))
            for case in self._numbered(values, 2 * max(widths), rng):
                yield case
                made += 1
                if made >= count:
                    return

    def _numbered(self, chosen: dict[Term, int], widest: int, rng: random.Random | None) -> Iterator[Case]:
        """Chooses the numbers and computes the widths that follow."""
        known = dict(self.relations.classes.fixed) | chosen
        if any(width > widest for root, width in known.items() if not self._is_number(root)):
            return
        self._sum_up(known)
        yield from self._number(known, {}, widest, rng)

    def _is_number(self, root: Term) -> bool:
        return isinstance(root, Constant) and root.is_number

    def _sum_up(self, known: dict[Term, int]) -> None:
        """Sums whose parts are known, until nothing changes."""
        find = self.relations.classes.find
        changed = True
        while changed:
            changed = False
            for total, parts in self.relations.sums:
                if find(total) not in known and all(find(part) in known for part in parts):
                    known[find(total)] = sum(known[find(part)] for part in parts)
                    changed = True

    def _number(
        self, known: dict[Term, int], numbers: dict[Constant, int], widest: int, rng: random.Random | None
    ) -> Iterator[Case]:
        find = self.relations.classes.find
        waiting = [entry for entry in self.relations.slices if entry[2] not in numbers]
        ready = next((entry for entry in waiting if find(entry[1]) in known), None)
        if ready is None:
            if not waiting and (case := self._case(known, numbers, widest)) is not None:
                yield case
            return
        part, source, high, low = ready
        width = known[find(source)]
        pairs: list[tuple[int, int]] = [
            (top, bottom)
            for top in _range(high, width)
            for bottom in _range(low, top + 1)
            if known.get(find(part), top - bottom + 1) == top - bottom + 1
        ]
        if rng is not None:
            # Neighbours of known bounds first: what lies side by side is what rules are about.
            near = {value + step for value in numbers.values() for step in (-1, 0, 1)}
            close = [pair for pair in pairs if pair[0] in near or pair[1] in near]
            chosen = [(width - 1, 0)] if (width - 1, 0) in pairs else []
            chosen += [*rng.sample(close, min(len(close), 6)), *rng.sample(pairs, min(len(pairs), 3))]
            pairs = [*dict.fromkeys(chosen)]
        for top, bottom in pairs:
            inner = dict(known)
            inner[find(part)] = top - bottom + 1
            self._sum_up(inner)
            yield from self._number(inner, {**numbers, high: top, low: bottom}, widest, rng)

    def _case(self, known: dict[Term, int], numbers: dict[Constant, int], widest: int) -> Case | None:
        find = self.relations.classes.find
        widths: dict[Term, int] = {}
        for term in self.terms:
            if find(term) not in known:
                return None
            widths[term] = known[find(term)]
            if widths[term] > widest and not self._is_number(term):
                return None
        good = all(
            widths[total] == sum(widths[part] for part in parts) for total, parts in self.relations.sums
        )
        good = good and all(widths[a] >= widths[b] for a, b in self.relations.at_least)
        good = good and all(widths[a] % widths[b] == 0 for a, b in self.relations.multiples)
        return Case(widths, numbers) if good else None


def _range(number: Constant, end: int) -> Sequence[int]:
    """The values a bound can have: that of the pattern, or all below `end`."""
    if number.value is None:
        return range(end)
    return (number.value,) if 0 <= number.value < end else ()
