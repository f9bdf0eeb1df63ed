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

import numpy as np
import numpy.typing as npt

from dynomite._native.ir import (
    BlockRef,
    Builder,
    InstrId,
    InstrRef,
    Module,
    ObjKind,
    Op,
    Opcode,
    RegionRef,
    Update,
    UpdateKind,
    ValueId,
    ValueRef,
)
from dynomite.errors import StaleRefError, UsageError
from dynomite.ir.arrays import block_instrs
from dynomite.ir.tables import ObjMap

_BLOCK = ObjKind(0, 3)
_CREATION = (UpdateKind.INSTR_CREATE, UpdateKind.INSTR_DELETE)


class LogAnalysis(ABC):
    """An analysis of one module that updates keep valid."""

    def __init__(self, module: Module) -> None:
        self.module = module

    @abstractmethod
    def apply(self, update: Update) -> None:
        """Looks at what an update, done or taken back, has touched."""

    def consume(self, updates: Iterable[Update]) -> None:
        """Looks at many updates, in the order in which they were done."""
        for update in updates:
            self.apply(update)

    def follow(self, builder: Builder) -> None:
        """Looks at every update of a builder from now on.

        Raises:
            UsageError: The builder works on another module.
        """
        if builder.module is not self.module:
            raise UsageError("follow: the builder works on another module")
        builder.listen(lambda update, reverted: self.apply(update))


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

    def apply(self, update: Update) -> None:
        """See `LogAnalysis`."""
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
        """The instructions of an operation, by id."""
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

    def apply(self, update: Update) -> None:
        """See `LogAnalysis`."""
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


class DominanceOrder(LogAnalysis):
    """Numbers in which whatever dominates comes first: reverse postorder of blocks, then place in the block.

    Numbers are made when they are asked for: of the blocks that changed, and of the order of blocks where
    control flow changed.

    Cost: constant time an update; linear in what changed when asked.
    """

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._places: ObjMap[InstrRef] = ObjMap(module, InstrRef, np.int64, default=-1)
        self._clean: set[int] = set()
        self._orders: dict[int, dict[int, int]] = {}
        self.renumbered_blocks = 0

    def apply(self, update: Update) -> None:
        """See `LogAnalysis`."""
        kind = update.kind
        for block in (update.block, update.old_block):
            if block is not None:
                self._clean.discard(int(block.id))
        blocks_change = kind in (UpdateKind.BLOCK_CREATE, UpdateKind.BLOCK_DELETE, UpdateKind.BLOCK_MOVE)
        refers = kind == UpdateKind.OPERAND_REPLACE and _BLOCK in (update.old.kind, update.new.kind)
        if blocks_change or refers or (update.instr is not None and self._may_branch(update)):
            self._orders.clear()

    @staticmethod
    def _may_branch(update: Update) -> bool:
        moves = (UpdateKind.INSTR_INSERT, UpdateKind.INSTR_REMOVE)
        if update.kind == UpdateKind.BLOCK_SPLICE:
            return True
        if update.kind not in moves or update.instr is None:
            return False
        return not update.instr.is_live or bool(_targets(update.instr))

    def number(self, instr: InstrRef) -> tuple[int, int]:
        """The number of the instruction's block in its region, and the place of the instruction there.

        Raises:
            UsageError: The instruction is in no block, or in one that no path from the entry reaches.
        """
        block = instr.block
        if block is None:
            raise UsageError("number: the instruction is in no block")
        order = self._order(block.region)
        if int(block.id) not in order:
            raise UsageError("number: no path from the entry of the region reaches the block")
        if int(block.id) not in self._clean:
            self._number(block)
        return order[int(block.id)], int(self._places[instr])

    def _number(self, block: BlockRef) -> None:
        ids: npt.NDArray[np.uint32] = block_instrs(block)
        self._places.array[ids] = np.arange(len(ids))
        self._clean.add(int(block.id))
        self.renumbered_blocks += 1

    def _order(self, region: RegionRef) -> dict[int, int]:
        known = self._orders.get(int(region.id))
        if known is None:
            blocks = reverse_postorder(region)
            known = self._orders[int(region.id)] = {int(b.id): i for i, b in enumerate(blocks)}
        return known


def _targets(instr: InstrRef) -> list[BlockRef]:
    return [operand for operand in instr.uses if isinstance(operand, BlockRef)]


def reverse_postorder(region: RegionRef) -> list[BlockRef]:
    """The blocks that paths from the entry reach; whatever dominates a block comes before it.

    Edges go from a block to the blocks its instructions use.
    """
    entry = region.entry
    if entry is None:
        return []
    postorder: list[BlockRef] = []
    seen = {entry}
    stack = [(entry, _successors(entry, region))]
    while stack:
        block, rest = stack[-1]
        while rest and rest[-1] in seen:
            rest.pop()
        if rest:
            target = rest.pop()
            seen.add(target)
            stack.append((target, _successors(target, region)))
        else:
            postorder.append(block)
            stack.pop()
    return postorder[::-1]


def _successors(block: BlockRef, region: RegionRef) -> list[BlockRef]:
    return [target for instr in block for target in _targets(instr) if target.region == region]
