"""Greedy rewriting: patterns are applied until none of them changes anything.

    >>> from dynomite.ir import Builder, Context, Def, Dialect, InstrRef, Module, load
    >>> from dynomite.passes.greedy import Pattern, apply_patterns_greedily
    >>> demo = Dialect("demo")
    >>> WORD, IN, USE = demo.type("word"), demo.op("IN", defs=1), demo.op("USE", uses=1)
    >>> NOT = demo.op("NOT", defs=1, uses=1, pure=True)
    >>> def not_not(instr: InstrRef, builder: Builder) -> None:
    ...     inner = instr.operand_def(1)
    ...     if inner is not None and inner.is_op(NOT):
    ...         builder.replace_all_uses(instr.result, inner.operand(1))
    >>> context = Context()
    >>> load(context, demo)
    >>> module = Module(context)
    >>> builder = Builder(module)
    >>> word = module.type(WORD)
    >>> a = builder.value(IN, word)
    >>> _ = builder.build(USE, builder.value(NOT, word, builder.value(NOT, word, a)))
    >>> result = apply_patterns_greedily(module, [Pattern("not_not", not_not, (NOT,))])
    >>> result.stats["not_not"], [instr.name for instr in module.body]
    (1, ['demo.IN', 'demo.USE'])

A pattern gets an instruction and a builder that stands in front of it, and changes what it likes through the
builder, or nothing. What it changed is read from the builder's log: changed and new instructions and the
users of changed values are looked at again, so patterns never name what they touched.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from dynomite._native import passes as native
from dynomite._native.base import Stop
from dynomite.errors import LimitError, StaleRefError, UsageError
from dynomite.ir import (
    Builder,
    InstrId,
    InstrRef,
    Module,
    Op,
    Origin,
    StoreKind,
    Tracking,
    Update,
    UpdateKind,
    ValueId,
    ValueRef,
)
from dynomite.ir.arrays import opcodes
from dynomite.passes.base import PassResult

RewriteFunction = Callable[[InstrRef, Builder], object]
"""Changes something through the builder, or nothing; what it returns does not matter."""

_PER_INSTR, _ALWAYS = 64, 10_000


@dataclass(frozen=True)
class Pattern:
    """One rewrite rule.

    Attributes:
        name: For statistics and messages.
        rewrite: The rule.
        ops: Operations (or "dialect.NAME") whose instructions it looks at; any if empty.
        benefit: Patterns of a higher benefit go first; equal ones in the order they were given.
    """

    name: str
    rewrite: RewriteFunction
    ops: tuple[Op | str, ...] = ()
    benefit: int = 1


def apply_patterns_greedily(
    module: Module,
    patterns: Sequence[Pattern],
    *,
    within: InstrRef | None = None,
    limit: int = 256,
    erase_dead: bool = True,
    builder: Builder | None = None,
    stop: Stop | None = None,
) -> PassResult:
    """Applies patterns until nothing changes any more.

    Cost: some microseconds and the pattern's own work for each instruction it looks at; instructions of
    operations that no pattern names cost nothing. What a rewrite leads to is linear in what it touched and in
    the users of new values. 100 bytes an update, to take all back if something goes wrong.

    Args:
        module: What to rewrite.
        patterns: The rules.
        within: Only what is in the regions of this instruction, and what patterns make.
        limit: More rewrites of one instruction and of what came from it are taken as a sign that patterns
            chase each other. In all there may be 64 rewrites an instruction and 10,000 more.
        erase_dead: Erases pure instructions that nothing uses on the way, and runs dead code elimination at
            the end.
        builder: Makes the changes; its place stays. Its log has them all if it tracks.
        stop: Ends it early.

    Returns:
        Counts "visited", "rewrites", "erased" and, by its name, of each pattern.

    Raises:
        LimitError: Patterns that did not settle; names them. The module is as it was before, as it is when a
            pattern raises or `stop` ends it; in a pool store, which cannot take deletions back, it stays
            half rewritten.
        UsageError: The builder only records, or two patterns have one name.
    """
    builder = Builder(module, tracking=Tracking.LAZY_TRACKING) if builder is None else builder
    stop = Stop() if stop is None else stop
    if builder.module is not module:
        raise UsageError("apply_patterns_greedily: the builder works on another module")
    tracking = builder.tracking
    if tracking == Tracking.LAZY_UPDATE:
        raise UsageError("apply_patterns_greedily: a builder that only records cannot show what changed")
    driver = _Driver(module, builder, patterns, limit)
    place, before = builder.block, builder.before
    if tracking == Tracking.NONE:
        builder.set_tracking(Tracking.LAZY_TRACKING)
    mark, done = builder.mark, False
    try:
        driver.run(within, erase_dead, stop)
        done = stop.reason == "none"
    finally:
        if not done and module.store != StoreKind.POOL:
            builder.rollback(mark)
        builder.set_place(place, before=before if before is not None and before.is_live else None)
        changed = builder.mark != mark
        if tracking == Tracking.NONE:
            builder.clear_log()
            builder.set_tracking(tracking)
    return PassResult(changed, driver.stats if changed or done else {}, stop.reason)


@dataclass(frozen=True)
class _Ancestry:
    """How often an instruction and what it came from were rewritten, and by what."""

    rewrites: int = 0
    patterns: frozenset[str] = frozenset()


@dataclass
class _Driver:
    module: Module
    builder: Builder
    patterns: Sequence[Pattern]
    limit: int
    stats: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.stats = {"visited": 0, "rewrites": 0, "erased": 0}
        for pattern in self.patterns:
            if pattern.name in self.stats:
                raise UsageError(f"two patterns are named '{pattern.name}', or one like a statistic")
            self.stats[pattern.name] = 0
        self.ordered = sorted(self.patterns, key=lambda pattern: -pattern.benefit)
        self.by_op: dict[int, tuple[Pattern, ...]] = {}
        self.work: deque[InstrRef] = deque()
        self.waiting: set[InstrRef] = set()
        self.ancestry: dict[int, _Ancestry] = {}

    def run(self, within: InstrRef | None, erase_dead: bool, stop: Stop) -> None:
        count = 0
        for instr in self._start(within):
            self._push(instr)
            count += 1
        most = _PER_INSTR * count + _ALWAYS
        while self.work:
            if stop.poll():
                return
            instr = self.work.popleft()
            self.waiting.discard(instr)
            if not instr.is_live:
                continue
            self.stats["visited"] += 1
            if erase_dead and self._is_dead(instr):
                self._erase(instr)
                continue
            self._rewrite(instr)
            if self.stats["rewrites"] > most:
                names = [pattern.name for pattern in self.patterns]
                busiest = max(names, key=lambda name: self.stats[name])
                raise LimitError(
                    f"the pattern '{busiest}' does not settle: "
                    f"{self.stats[busiest]} rewrites of {most} in all"
                )
        if erase_dead and self.stats["rewrites"]:
            self.stats["erased"] += native.dce(self.builder, within=within, stop=stop)[1]

    def _start(self, within: InstrRef | None) -> Iterator[InstrRef]:
        """Instructions that patterns look at, in order."""
        wanted = self._wanted()
        if within is not None:
            for instr in _inside(within):
                if wanted is None or int(instr.opcode) in wanted:
                    yield instr
            return
        codes = opcodes(self.module)
        live = codes != np.uint16(0xFFFF)
        keep = live if wanted is None else live & np.isin(codes, sorted(wanted))
        for index in np.flatnonzero(keep).tolist():
            yield self.module.instr(InstrId(index))

    def _wanted(self) -> set[int] | None:
        context = self.module.context
        found: set[int] = set()
        for pattern in self.patterns:
            if not pattern.ops:
                return None
            for op in pattern.ops:
                found.add(int(context.opcode(op) if isinstance(op, str) else op.opcode(context)))
        return found

    def _patterns_for(self, opcode: int) -> tuple[Pattern, ...]:
        known = self.by_op.get(opcode)
        if known is None:
            context = self.module.context
            known = self.by_op[opcode] = tuple(
                pattern
                for pattern in self.ordered
                if not pattern.ops
                or any(
                    int(context.opcode(op) if isinstance(op, str) else op.opcode(context)) == opcode
                    for op in pattern.ops
                )
            )
        return known

    def _push(self, instr: InstrRef | None) -> None:
        if instr is not None and instr not in self.waiting:
            self.waiting.add(instr)
            self.work.append(instr)

    def _is_dead(self, instr: InstrRef) -> bool:
        if any(value.has_uses for value in instr.defs) or not instr.defs or instr.regions:
            return False
        return "pure" in self.module.context.traits(instr.opcode)

    def _erase(self, instr: InstrRef) -> None:
        operands = _definitions(instr)
        self.builder.erase(instr)
        self.stats["erased"] += 1
        for definition in operands:
            self._push(definition)

    def _rewrite(self, instr: InstrRef) -> None:
        for pattern in self._patterns_for(int(instr.opcode)):
            block = instr.block
            self.builder.set_place(block, before=None if block is None else instr)
            index, name, origins = int(instr.id), instr.name, instr.location
            operands = _definitions(instr)
            mark = self.builder.mark
            try:
                pattern.rewrite(instr, self.builder)
            except Exception as error:
                error.add_note(f"in the pattern '{pattern.name}' at {name}{_place(origins)}")
                raise
            updates = [update for update in self.builder.updates(mark) if _changes(update)]
            if not updates:
                continue
            self.stats["rewrites"] += 1
            self.stats[pattern.name] += 1
            before = self.ancestry.get(index, _Ancestry())
            now = _Ancestry(before.rewrites + 1, before.patterns | {pattern.name})
            if now.rewrites > self.limit:
                names = [p.name for p in self.patterns if p.name in now.patterns]
                what = (
                    f"the pattern '{names[0]}' does" if len(names) == 1 else f"the patterns {_list(names)} do"
                )
                raise LimitError(
                    f"{what} not settle: {name}{_place(origins)} and what came from it were rewritten "
                    f"{self.limit} times"
                )
            self.ancestry[index] = now
            moved = sum(u.operand for u in updates if u.kind == UpdateKind.OPERAND_REPLACE_ALL_USES)
            for update in updates:
                self._look_again(update, now, moved + len(updates))
            for definition in operands:
                self._push(definition if definition.is_live else None)
            self._push(instr if instr.is_live else None)
            return

    def _look_again(self, update: Update, ancestry: _Ancestry, moved: int) -> None:
        """Puts what an update touched on the list; no more than `moved` uses have other values now."""
        if update.kind == UpdateKind.OPERAND_REPLACE_ALL_USES:
            for ref in (update.old, update.new):
                try:
                    value = self.module.value(ValueId(ref.id))
                except StaleRefError:
                    continue
                self._push(value.instr)
                for user, _ in value.latest_uses(moved):  # not all: there may be very many others
                    self._push(user)
            return
        instr = update.instr
        if instr is None or not instr.is_live:
            return
        if update.kind == UpdateKind.INSTR_CREATE:
            self.ancestry[int(instr.id)] = ancestry
        self._push(instr)
        for value in instr.defs:
            for user, _ in value.uses:
                self._push(user)


def _changes(update: Update) -> bool:
    return update.kind != UpdateKind.OPERAND_REPLACE_ALL_USES or update.operand > 0


def _definitions(instr: InstrRef) -> list[InstrRef]:
    return [use.instr for use in instr.uses if isinstance(use, ValueRef)]


def _inside(within: InstrRef) -> Iterator[InstrRef]:
    """Everything in the regions of an instruction, in order."""
    stack = [iter(_direct(within))]
    while stack:
        instr = next(stack[-1], None)
        if instr is None:
            stack.pop()
            continue
        yield instr
        if instr.regions:
            stack.append(iter(_direct(instr)))


def _direct(instr: InstrRef) -> list[InstrRef]:
    return [inner for region in instr.regions for block in region.blocks for inner in block]


def _place(origins: Iterable[Origin]) -> str:
    first = next(iter(origins), None)
    if first is None:
        return ""
    return f" ({first.file}:{first.line}:{first.column})"


def _list(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:-1]) + f" and '{names[-1]}'"
