"""Analyses that stay valid while a module changes, by reading the log of updates instead of starting anew.

    >>> from dynomite.ir import Builder, Context, Dialect, Module, Tracking, load
    >>> from dynomite.ir.analyses import OpcodeIndex
    >>> demo = Dialect("demo")
    >>> NOP, END = demo.op("NOP"), demo.op("END")
    >>> context = Context()
    >>> load(context, demo)
    >>> module = Module(context)
    >>> builder = Builder(module, tracking=Tracking.EAGER)
    >>> index = OpcodeIndex(module)
    >>> index.follow(builder)
    >>> nop = builder.build(NOP)
    >>> index.instrs(NOP) == [nop]
    True
    >>> builder.set_opcode(nop, END)
    >>> len(index.instrs(NOP)), len(index.instrs(END))
    (0, 1)

An update says which objects it touched, and the analysis looks at what has become of them. So it does not
matter whether it hears of an update at once (`follow`, tracking EAGER), of many later (`consume`), or of one
that was taken back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable

from dynomite._native.ir import (
    Builder,
    InstrId,
    InstrRef,
    Module,
    Op,
    Opcode,
    RegionNumbering,
    RegionRef,
    Update,
    UpdateKind,
    ValueId,
    ValueRef,
)
from dynomite.errors import StaleRefError, UsageError

_MOST_WAITING = 100_000
_CREATION = (UpdateKind.INSTR_CREATE, UpdateKind.INSTR_DELETE)


class LogAnalysis(ABC):
    """An analysis of one module that updates keep valid."""

    def __init__(self, module: Module) -> None:
        self.module = module

    @abstractmethod
    def apply(self, update: Update, *, reverted: bool = False) -> None:
        """Looks at what an update, done or taken back, has touched."""

    def consume(self, updates: Iterable[Update]) -> None:
        """Looks at many updates, in the order in which they were done.

        Cost: that of `apply` for each.
        """
        for update in updates:
            self.apply(update)

    def follow(self, builder: Builder) -> None:
        """Looks at every update of a builder from now on.

        Raises:
            UsageError: The builder works on another module.
        """
        if builder.module is not self.module:
            raise UsageError("follow: the builder works on another module")
        builder.listen(lambda update, reverted: self.apply(update, reverted=reverted))


class OpcodeIndex(LogAnalysis):
    """The instructions of each opcode.

    Cost: constant time an update.
    """

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._opcodes: dict[int, int] = {}
        self._ids: dict[int, dict[int, None]] = {}
        for instr in module.instrs():
            self._refresh(instr)

    def apply(self, update: Update, *, reverted: bool = False) -> None:
        """See `LogAnalysis`."""
        del reverted
        if update.instr is not None and update.kind in (*_CREATION, UpdateKind.OPCODE_CHANGE):
            self._refresh(update.instr)

    def _refresh(self, instr: InstrRef) -> None:
        index = int(instr.id)
        now = int(instr.opcode) if instr.is_live else None
        before = self._opcodes.get(index)
        if before == now:
            return
        if before is not None:
            del self._ids[before][index]
            del self._opcodes[index]
        if now is not None:
            self._opcodes[index] = now
            self._ids.setdefault(now, {})[index] = None

    def instrs(self, op: Op | Opcode) -> list[InstrRef]:
        """The instructions of an operation, by id.

        Cost: sorting them.
        """
        opcode = op.opcode(self.module.context) if isinstance(op, Op) else op
        return [self.module.instr(InstrId(index)) for index in sorted(self._ids.get(int(opcode), ()))]

    def count(self, op: Op | Opcode) -> int:
        """Number of instructions of an operation. Constant time."""
        opcode = op.opcode(self.module.context) if isinstance(op, Op) else op
        return len(self._ids.get(int(opcode), ()))


class UseCounts(LogAnalysis):
    """Number of uses of every value.

    Cost: linear in the operands of the instructions that an update touches.
    """

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._seen: dict[int, Counter[int]] = {}
        self._counts: Counter[int] = Counter()
        for instr in module.instrs():
            self._refresh(instr)

    def apply(self, update: Update, *, reverted: bool = False) -> None:
        """See `LogAnalysis`."""
        del reverted
        if update.kind == UpdateKind.OPERAND_REPLACE_ALL_USES:
            for ref in (update.old, update.new):
                try:
                    value = self.module.value(ValueId(ref.id))
                except StaleRefError:
                    continue
                for instr, _ in value.uses:
                    self._refresh(instr)
        elif update.instr is not None and update.kind in (*_CREATION, UpdateKind.OPERAND_REPLACE):
            self._refresh(update.instr)

    def _refresh(self, instr: InstrRef) -> None:
        index = int(instr.id)
        now: Counter[int] = Counter()
        if instr.is_live:
            now.update(operand.ref.id for operand in instr.uses if isinstance(operand, ValueRef))
        before = self._seen.get(index)
        if before:
            self._counts.subtract(before)
        self._counts.update(now)
        if now:
            self._seen[index] = now
        else:
            self._seen.pop(index, None)

    def count(self, value: ValueRef) -> int:
        """Number of uses of a value. Constant time."""
        return self._counts[value.ref.id]


class InstrOrder(LogAnalysis):
    """Numbers of the instructions directly in one region, which grow along its blocks and in each block.

    A canonical numbering that lives through changes: what stays keeps its number, what is new gets one
    between its neighbours when it is asked for, and a block is numbered anew only where there is no room. It
    has to hear of every update, by `follow` or `consume`.

    Cost: amortised constant time a question and an update; 8 bytes an instruction id.

    Args:
        region: Whose instructions.
        dominance: Blocks in an order in which dominators come first, unreachable ones last; else as the
            region lists them.
    """

    def __init__(self, region: RegionRef, *, dominance: bool = False) -> None:
        super().__init__(region.module)
        self._native = RegionNumbering(region, dominance)

    def apply(self, update: Update, *, reverted: bool = False) -> None:
        """See `LogAnalysis`."""
        self._native.consume(update, reverted)

    def number(self, instr: InstrRef) -> int:
        """Its number, made if it has none.

        Raises:
            UsageError: The instruction is not directly in the region.
        """
        return self._native.number(instr)

    def comes_before(self, first: InstrRef, second: InstrRef) -> bool:
        """True if the number of the first is lower."""
        return self.number(first) < self.number(second)

    def has_number(self, instr: InstrRef) -> bool:
        """True if it has a number already; makes none."""
        return self._native.has_number(instr)

    def unnumbered(self) -> list[InstrRef]:
        """What is in the region and has no number yet, in order. Linear in the region."""
        return self._native.unnumbered()

    @property
    def renumberings(self) -> int:
        """How often a block was numbered anew."""
        return self._native.renumberings


class DominanceOrder(LogAnalysis):
    """Numbers for every region in which whatever dominates comes first; see `InstrOrder`.

    Regions get numbers when they are asked for, and read the updates since they were asked last.

    Cost: constant time an update; a question is amortised constant time and linear in those updates.
    """

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._regions: dict[int, tuple[RegionNumbering, int]] = {}
        self._waiting: list[tuple[Update, bool]] = []

    def apply(self, update: Update, *, reverted: bool = False) -> None:
        """See `LogAnalysis`."""
        if not self._regions:
            return
        self._waiting.append((update, reverted))
        if len(self._waiting) > _MOST_WAITING:
            # Those that nobody has asked for are made anew when somebody does.
            self._regions = {}
            self._waiting = []

    def number(self, instr: InstrRef) -> int:
        """A number to compare with those of the same region.

        Raises:
            UsageError: The instruction is in no block.
        """
        block = instr.block
        if block is None:
            raise UsageError("number: the instruction is in no block")
        return self._of(block.region).number(instr)

    def unnumbered(self, region: RegionRef) -> list[InstrRef]:
        """What is in a region and has no number yet. Linear in the region."""
        return self._of(region).unnumbered()

    def _of(self, region: RegionRef) -> RegionNumbering:
        numbering, seen = self._regions.get(int(region.id), (None, 0))
        if numbering is None:
            numbering, seen = RegionNumbering(region, True), len(self._waiting)
        for update, reverted in self._waiting[seen:]:
            numbering.consume(update, reverted)
        self._regions[int(region.id)] = numbering, len(self._waiting)
        if len(self._regions) == 1:
            self._regions[int(region.id)] = numbering, 0
            self._waiting.clear()
        return numbering
