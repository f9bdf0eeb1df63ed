"""Equality saturation: all that rules say about a piece of code at once, then the cheapest of it.

    >>> from dmt_dialect.rewriting.costs import AndNodes
    >>> from dmt_dialect.rewriting.libraries import read_rules
    >>> from dynomite.ir import parse
    >>> from dynomite.rewriting.saturation import saturate
    >>> rules = read_rules('''using op
    ... let turn = InstrPat { match { ADD %d:def, %x, %y } emit { ADD %d, %y, %x } }
    ... let regroup = InstrPat { match { ADD %d:def, (ADD %x, %y), %z } emit { ADD %d, %x, (ADD %y, %z) } }
    ... let cancel = InstrPat { match { ADD %d:def, %x, (NEG %x) } emit { REPLACE_USES %d, constant(0) } }
    ... let zero = InstrPat { match { ADD %d:def, %x, constant(0) } emit { REPLACE_USES %d, %x } }
    ... ''')
    >>> from hw_dialect.builder import context
    >>> module = parse('''using op; using hw; MODULE @m { IN %a:def(wire(8)); IN %b:def(wire(8))
    ... NEG %n:def(wire(8)) %a; ADD %s:def(wire(8)) %a %b; ADD %t:def(wire(8)) %s %n
    ... OUT "y" %t }''', context())
    >>> report = saturate(module, rules, cost=AndNodes())
    >>> report.cost_before > 0, report.cost_after
    (True, 0)

The pure operations of a block become an e-graph (`dynomite.rewriting.egraph`); rules add to it, and the
cheapest terms (`dynomite.rewriting.extraction`) take the place of what there was. Nothing is lost on the way,
so the order of rules does not matter. R. Tate et al., "Equality saturation: a new approach to
optimization", 2009.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from dynomite._native.base import Stop
from dynomite.errors import UsageError
from dynomite.ir import BlockRef, Builder, InstrRef, Module, RegionRef, Tracking
from dynomite.rewriting import syntax as s
from dynomite.rewriting.block_graph import BlockGraph
from dynomite.rewriting.class_emitting import Plan, is_plain, obstacle, without_use_counts
from dynomite.rewriting.class_matching import ClassMatcher, Names, TooManySteps, Undefined
from dynomite.rewriting.egraph import EGraph, Head
from dynomite.rewriting.extraction import Cost, Extraction, Extractor, OperationCount
from dynomite.rewriting.syntax import Expr, Rule, RuleSet

End: TypeAlias = Literal["saturated", "nodes", "rounds", "seconds", "stopped"]
"""Why it ended: nothing new to say, one of the bounds, or stopped."""


@dataclass(frozen=True)
class SaturationReport:
    """What a run did.

    Attributes:
        applied: How often each rule said something new, those that did not left out.
        not_applicable: Rules that were left out, and why.
        gave_up: Searches for matches of a rule that took too many steps; the rest of these is missing.
        end: Why no more was added; of several blocks, the worst.
        rounds: Rounds of the block that took most.
        operations: Operations that were in the blocks.
        nodes: Operations that rules added.
        classes: Classes of equal values at the end.
        cost_before: The cost before, all blocks together.
        cost_after: The cost after; where it would not be less, or the same with fewer operations, a block
            stays as it is.
        replaced: Operations that are gone.
        made: New ones in their place.
    """

    applied: dict[str, int] = field(default_factory=dict[str, int])
    not_applicable: dict[str, str] = field(default_factory=dict[str, str])
    gave_up: dict[str, int] = field(default_factory=dict[str, int])
    end: End = "saturated"
    rounds: int = 0
    operations: int = 0
    nodes: int = 0
    classes: int = 0
    cost_before: int = 0
    cost_after: int = 0
    replaced: int = 0
    made: int = 0

    @property
    def changed(self) -> bool:
        """Whether the module is another one now."""
        return self.replaced > 0 or self.made > 0


@dataclass(frozen=True)
class Limits:
    """When to end.

    Attributes:
        max_nodes: Operations that rules may add, in all blocks.
        max_rounds: Rounds in a block.
        deadline: A time of `time.monotonic`.
        stop: See `saturate`.
    """

    max_nodes: int
    max_rounds: int
    deadline: float | None = None
    stop: Stop | None = None

    def end(self) -> End | None:
        """Why to end now."""
        if self.stop is not None and self.stop.poll():
            return "stopped"
        return "seconds" if self.deadline is not None and time.monotonic() > self.deadline else None


_BATCH = 2000


class Saturation:
    """Rules at work on one e-graph.

    Attributes:
        made: Operations that rules added.
        rounds: Rounds so far.
        applied: As in `SaturationReport`.
        gave_up: As there.
    """

    def __init__(self, module: Module, graph: EGraph, rules: Sequence[Rule], limits: Limits) -> None:
        self.made = 0
        self.rounds = 0
        self.applied: dict[str, int] = {}
        self.gave_up: dict[str, int] = {}
        self._module = module
        self._graph = graph
        self._rules = rules
        self._depth = 1 + max((_depth(rule.root) for rule in rules), default=0)
        self._limits = limits
        self._matcher = ClassMatcher(graph)

    def run(self) -> End:
        """Rounds until nothing is new, or a bound is met.

        Raises:
            UsageError: A rule makes equal what cannot be.
        """
        while self.rounds < self._limits.max_rounds:
            end = self.round()
            if end is not None:
                return end
        return "rounds"

    def round(self) -> End | None:
        """Finds all matches at what changed and adds what the rules say of them, some thousands at a time.

        Returns:
            Why it ended, if it did.

        Raises:
            UsageError: See `run`.
        """
        self.rounds += 1
        roots = self._changed_nodes()
        self._graph.touched.clear()
        found: list[tuple[Rule, Names]] = []
        end: End | None = None
        for node in roots:
            end = self._limits.end()
            if end is None and len(found) >= _BATCH:
                end = self._add(found)
                found.clear()
                self._graph.rebuild()
            if end is not None:
                break
            if not self._graph.nodes[node].dead:
                self._search(node, found)
        end = end or self._add(found)
        self._graph.rebuild()
        return end if end is not None or self._graph.touched else "saturated"

    def _changed_nodes(self) -> list[int]:
        """Nodes whose matches may be others than in the last round: in order."""
        graph = self._graph
        classes = {graph.find(cls) for cls in graph.touched}
        nodes = {node for cls in classes for node in graph.members(cls)}
        for _ in range(self._depth):
            above = {user for cls in classes for user in graph.users(cls)} - nodes
            nodes |= above
            classes = {graph.find(graph.nodes[node].cls) for node in above}
        return sorted(nodes)

    def _search(self, node: int, found: list[tuple[Rule, Names]]) -> None:
        head = self._graph.nodes[node].head
        if not isinstance(head, Head):
            return
        for rule in self._rules:
            if rule.root.ops and head.op not in rule.root.ops:
                continue
            try:
                found += [(rule, names) for names in self._matcher.matches(rule, node)]
            except TooManySteps:
                self.gave_up[rule.name] = self.gave_up.get(rule.name, 0) + 1

    def _add(self, found: list[tuple[Rule, Names]]) -> End | None:
        for index, (rule, names) in enumerate(found):
            end = self._limits.end() if index % 64 == 0 else None
            if end is not None:
                return end
            ops = [bound for bound in names.values() if isinstance(bound, str)]
            if not all(is_plain(self._module.context, op) for op in ops):
                continue
            try:
                plan = Plan(self._module, self._matcher, rule, names)
                if self.made + len(plan.nodes) > self._limits.max_nodes:
                    return "nodes"
                before = len(self._graph.nodes)
                if plan.commit():
                    self.applied[rule.name] = self.applied.get(rule.name, 0) + 1
                self.made += len(self._graph.nodes) - before
            except Undefined:
                continue
            except UsageError as error:
                raise UsageError(f"rule '{rule.name}': {error}") from None
        return None


def _depth(node: Expr) -> int:
    """How deep instructions nest in a pattern, below itself."""
    match node:
        case s.InstrMatch(_, operands):
            parts = (operands,)
        case s.Named(_, expr) | s.Repeat(expr) | s.DefOf(expr) | s.UseOf(expr):
            parts = (expr,)
        case s.Sequence(parts) | s.Alternatives(parts) | s.Unordered(parts):
            pass
        case _:
            return 0
    return max((isinstance(part, s.InstrMatch) + _depth(part) for part in parts), default=0)


def saturate(
    target: Module | Builder,
    rules: RuleSet | Sequence[Rule],
    *,
    cost: Cost | None = None,
    extraction: Extraction = "dag",
    max_nodes: int = 10_000,
    max_rounds: int = 30,
    max_seconds: float | None = None,
    ignore_use_counts: bool = False,
    within: InstrRef | None = None,
    stop: Stop | None = None,
) -> SaturationReport:
    """Replaces the pure operations of each block by the cheapest that rules say is equal.

    Rules have to hold wherever they match: those that count uses, call actions, delete, or emit what is not
    pure are left out, and reported. Pure operations with one definition and without regions take part; values
    of other blocks and instructions are given. New instructions have the origins of all they come from, and
    names stay where the value does.

    Cost: some 10 microseconds a rule that is tried at a node, and what is added; each round looks at what the
    last one changed. Memory: about a kilobyte a node.

    Args:
        target: What to rewrite; a builder, which keeps its place, makes all changes.
        rules: The rules; the order does not matter but where a bound ends it.
        cost: What is minimised; by default the number of operations.
        extraction: How the cheapest is found: see `Extraction`.
        max_nodes: Operations that rules may add, in all blocks.
        max_rounds: Rounds in a block at most.
        max_seconds: For adding; what is extracted then depends on the speed of the machine.
        ignore_use_counts: Conditions `one_use` are taken to hold. They say where a rule pays, which is
            decided by cost here; proofs of rules disregard them.
        within: Only what is in the regions of this instruction.
        stop: Ends adding early, as the other bounds do.

    Raises:
        UsageError: A rule makes equal what cannot be: other types, widths or constants. Or a value costs less
            than an operand. The block stays as it is then, earlier ones are done. Or the builder only
            records.
    """
    builder = target if isinstance(target, Builder) else Builder(target)
    if builder.tracking == Tracking.LAZY_UPDATE:
        raise UsageError("the builder only records changes")
    module = builder.module
    given = rules.rules if isinstance(rules, RuleSet) else tuple(rules)
    if ignore_use_counts:
        given = tuple(map(without_use_counts, given))
    obstacles = {rule.name: obstacle(rule, module.context) for rule in given}
    usable = [rule for rule in given if obstacles[rule.name] is None]
    total = SaturationReport(not_applicable={name: why for name, why in obstacles.items() if why is not None})
    cost = cost or OperationCount()
    deadline = None if max_seconds is None else time.monotonic() + max_seconds
    place = _Place(builder)
    for block in list(_blocks(module, within)):
        limits = Limits(max_nodes - total.nodes, max_rounds, deadline, stop)
        part = _saturate_block(builder, block, usable, cost, extraction, limits)
        if part is not None:
            total = _together(total, part, shared=cost.shared)
    place.restore()
    return total


_ENDS: tuple[End, ...] = ("saturated", "rounds", "nodes", "seconds", "stopped")


def _together(a: SaturationReport, b: SaturationReport, *, shared: bool) -> SaturationReport:
    """Of the blocks so far and of one more; costs that are shared are added, of others the largest counts."""
    return SaturationReport(
        applied=_added(a.applied, b.applied),
        not_applicable=a.not_applicable,
        gave_up=_added(a.gave_up, b.gave_up),
        end=_ENDS[max(_ENDS.index(a.end), _ENDS.index(b.end))],
        rounds=max(a.rounds, b.rounds),
        operations=a.operations + b.operations,
        nodes=a.nodes + b.nodes,
        classes=a.classes + b.classes,
        cost_before=a.cost_before + b.cost_before if shared else max(a.cost_before, b.cost_before),
        cost_after=a.cost_after + b.cost_after if shared else max(a.cost_after, b.cost_after),
        replaced=a.replaced + b.replaced,
        made=a.made + b.made,
    )


def _added(a: dict[str, int], b: dict[str, int]) -> dict[str, int]:
    return a | {name: a.get(name, 0) + count for name, count in b.items()}


class _Place:
    """Where a builder is, to be found again."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._block = builder.block
        self._behind: list[InstrRef] = []
        at = builder.before
        while at is not None and self._block is not None:
            self._behind.append(at)
            at = self._block.next_instr(at)

    def restore(self) -> None:
        before = next((instr for instr in self._behind if instr.is_live), None)
        self._builder.set_place(self._block, before=before)


def _saturate_block(
    builder: Builder,
    block: BlockRef,
    rules: Sequence[Rule],
    cost: Cost,
    extraction: Extraction,
    limits: Limits,
) -> SaturationReport | None:
    """None where nothing takes part."""
    code = BlockGraph(block, cost)
    if not code.originals:
        return None
    run = Saturation(builder.module, code.graph, rules, limits)
    end = run.run()
    classes = sum(1 for _ in code.graph.classes())
    roots = code.roots()
    extractor = Extractor(code.graph, cost, code.made_at())
    if extraction == "dag":
        extractor.share(roots)
    before, after = code.total(cost), extractor.total(roots)
    improves = after < before
    replaced, made = code.write(builder, extractor) if improves else (0, 0)
    return SaturationReport(
        applied=run.applied,
        gave_up=run.gave_up,
        end=end,
        rounds=run.rounds,
        operations=len(code.originals),
        nodes=run.made,
        classes=classes,
        cost_before=before[0],
        cost_after=after[0] if improves else before[0],
        replaced=replaced,
        made=made,
    )


def _blocks(module: Module, within: InstrRef | None) -> Iterator[BlockRef]:
    """All blocks of code, outer ones first."""
    left: list[RegionRef] = [module.body.region] if within is None else list(within.regions)
    left.reverse()
    while left:
        inner: list[RegionRef] = []
        for block in left.pop().blocks:
            yield block
            for instr in block:
                if not instr.name.startswith("rewrite."):
                    inner += instr.regions
        left += reversed(inner)
