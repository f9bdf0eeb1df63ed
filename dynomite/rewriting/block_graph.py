"""The pure operations of a block as an e-graph, and a choice from that as operations again."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import cast

from dynomite.ir import BlockRef, Builder, Const, Context, Def, InstrRef, Origin, ValueRef
from dynomite.rewriting.egraph import EGraph, Head, Node, type_width
from dynomite.rewriting.extraction import Cost, Extractor, Operand


class BlockGraph:
    """A block and the e-graph of those of its instructions that take part.

    These are pure, define one value that has a type, own no regions, use only values and constants, are not
    referred to, and have an operation that the cost knows. Of a cycle of them one stays as it is.

    Attributes:
        block: The block.
        graph: Its e-graph.
        originals: The instructions that take part, operands first, and their classes.
    """

    def __init__(self, block: BlockRef, cost: Cost) -> None:
        self.block = block
        self.graph = EGraph()
        self.originals: dict[InstrRef, int] = {}
        self._places = {instr: place for place, instr in enumerate(block)}
        self._leaves: dict[ValueRef, int] = {}
        candidates = {instr for instr in self._places if _takes_part(instr, cost)}
        for instr in _operands_first(self._places, candidates):
            operands = tuple(map(self._class_of, _values_used(instr)))
            self.originals[instr] = self.graph.add_original(instr, _head(instr), operands)

    def _class_of(self, operand: ValueRef | Const) -> int:
        if isinstance(operand, Const):
            return self.graph.add_leaf(operand)
        if operand.instr in self.originals:
            return self.originals[operand.instr]
        if operand not in self._leaves:
            self._leaves[operand] = self.graph.add_leaf(operand)
        return self._leaves[operand]

    def made_at(self) -> dict[int, int]:
        """Where in the block the values are made that are given: -1 if elsewhere."""
        return {cls: self._places.get(value.instr, -1) for value, cls in self._leaves.items()}

    def roots(self) -> list[int]:
        """Classes of values that something else uses."""
        found = {
            self.graph.find(cls): None
            for instr, cls in self.originals.items()
            if any(user not in self.originals for user, _ in instr.defs[0].uses)
        }
        return list(found)

    def total(self, cost: Cost) -> tuple[int, int]:
        """The cost of the block as it is, and of how many operations: those that something else needs."""
        needed = self._needed()
        costs: dict[InstrRef, int] = {}
        for instr in self.originals:
            if instr in needed:
                costs[instr] = _cost_of(instr, cost, {} if cost.shared else costs)
        whole = sum(costs.values()) if cost.shared else max(costs.values(), default=0)
        return whole, len(costs)

    def _needed(self) -> set[InstrRef]:
        needed: set[InstrRef] = set()
        for instr in reversed(self.originals):
            if any(user in needed or user not in self.originals for user, _ in instr.defs[0].uses):
                needed.add(instr)
        return needed

    # Back.

    def write(self, builder: Builder, extractor: Extractor) -> tuple[int, int]:
        """Makes what is chosen, in front of what uses it first; how many operations are gone and new."""
        return _Writer(self, builder, extractor).run()

    def place(self, instr: InstrRef) -> int | None:
        """Where an instruction stands in the block."""
        return self._places.get(instr)


def _takes_part(instr: InstrRef, cost: Cost) -> bool:
    context: Context = instr.module.context
    if "pure" not in context.traits(instr.opcode) or len(instr.defs) != 1:
        return False
    if instr.defs[0].type is None or instr.regions or instr.references:
        return False
    attributes = instr.attributes
    if any(name.startswith("sym_") for name in attributes) or not _is_hashable(tuple(attributes.items())):
        return False
    last = len(instr) - 1
    for index in range(len(instr)):
        operand = instr.operand(index)
        is_attributes = index == last and isinstance(operand, Mapping)
        if not instr.is_def(index) and not is_attributes and not isinstance(operand, ValueRef | Const):
            return False
    operands = [_operand(used, 0) for used in _values_used(instr)]
    return cost.cost(instr.name, operands, type_width(instr.defs[0].type)) is not None


def _is_hashable(what: object) -> bool:
    try:
        hash(what)
    except TypeError:
        return False
    return True


def _values_used(instr: InstrRef) -> list[ValueRef | Const]:
    return [used for used in instr.uses if isinstance(used, ValueRef | Const)]


def _head(instr: InstrRef) -> Head:
    attributes = cast("dict[str, Hashable]", instr.attributes)
    return Head(instr.name, instr.defs[0].type, tuple(sorted(attributes.items())))


def _operand(used: ValueRef | Const, cost: int) -> Operand:
    if isinstance(used, Const):
        return Operand(0, used.width, used)
    return Operand(cost, type_width(used.type), None)


def _cost_of(instr: InstrRef, cost: Cost, costs: Mapping[InstrRef, int]) -> int:
    """The cost of an instruction, those of operands given."""
    operands = [
        _operand(used, costs.get(used.instr, 0) if isinstance(used, ValueRef) else 0)
        for used in _values_used(instr)
    ]
    found = cost.cost(instr.name, operands, type_width(instr.defs[0].type))
    assert found is not None, "instructions without a cost do not take part"
    return found


def _operands_first(instrs: Mapping[InstrRef, int], candidates: set[InstrRef]) -> list[InstrRef]:
    """Candidates in the order of the block, but operands first; without those that close a cycle."""
    order: list[InstrRef] = []
    open_: set[InstrRef] = set()
    done: set[InstrRef] = set()
    closing: set[InstrRef] = set()
    for start in instrs:
        stack = [(start, False)] if start in candidates else []
        while stack:
            instr, entered = stack.pop()
            if entered:
                open_.discard(instr)
                done.add(instr)
                if instr not in closing:
                    order.append(instr)
                continue
            if instr in done or instr in open_:
                continue
            open_.add(instr)
            stack.append((instr, True))
            for used in reversed(_values_used(instr)):
                if isinstance(used, ValueRef) and used.instr in candidates:
                    if used.instr in open_:
                        closing.add(used.instr)
                    elif used.instr not in done:
                        stack.append((used.instr, False))
    return order


class _Writer:
    def __init__(self, code: BlockGraph, builder: Builder, extractor: Extractor) -> None:
        self._code = code
        self._graph = code.graph
        self._builder = builder
        self._choice = extractor.choice
        self._made: dict[int, ValueRef | Const] = {}
        self._kept: set[InstrRef] = set()
        self._new = 0
        self._by_class: dict[int, list[InstrRef]] = {}
        for instr, cls in sorted(code.originals.items(), key=lambda item: code.place(item[0]) or 0):
            self._by_class.setdefault(self._graph.find(cls), []).append(instr)

    def run(self) -> tuple[int, int]:
        builder, originals = self._builder, self._code.originals
        uses = [
            (self._anchor(user), user, index, self._graph.find(cls))
            for instr, cls in originals.items()
            for user, index in instr.defs[0].uses
            if user not in originals
        ]
        end = len(self._code.block)
        places = {use[0]: end if (at := self._at(use[0])) is None else at for use in uses}
        uses.sort(key=lambda use: (places[use[0]], use[2]))
        for anchor, user, index, cls in uses:
            self._build(cls, anchor)
            builder.set_operand(user, index, self._made[cls])
        gone = [instr for instr in originals if instr not in self._kept]
        names = self._take_names(gone)
        for instr in reversed(gone):
            builder.erase(instr)
        for value, name in names:
            builder.set_value_name(value, name)
        return len(gone), self._new

    def _at(self, anchor: InstrRef | None) -> int | None:
        return None if anchor is None else self._code.place(anchor)

    def _anchor(self, user: InstrRef) -> InstrRef | None:
        """The instruction of the block that is or holds a user; else its last one, if that has to be last."""
        at: InstrRef | None = user
        while at is not None:
            if self._code.place(at) is not None:
                return at
            at = at.parent
        last = self._code.block.last
        context = self._builder.module.context
        return last if last is not None and "terminator" in context.traits(last.opcode) else None

    def _build(self, root: int, anchor: InstrRef | None) -> None:
        """Makes a class and what it needs, in front of an instruction."""
        stack = [(root, False)]
        while stack:
            cls, entered = stack.pop()
            if cls in self._made:
                continue
            operands = [self._graph.find(operand) for operand in self._node(cls).operands]
            if entered:
                self._made[cls] = self._make(cls, [self._made[operand] for operand in operands], anchor)
            else:
                stack.append((cls, True))
                stack += [(operand, False) for operand in reversed(operands)]

    def _node(self, cls: int) -> Node:
        return self._graph.nodes[self._choice[cls]]

    def _make(self, cls: int, operands: list[ValueRef | Const], anchor: InstrRef | None) -> ValueRef | Const:
        head = self._node(cls).head
        if not isinstance(head, Head):
            return head
        for instr in self._by_class.get(cls, ()):
            if _head(instr) == head and _values_used(instr) == operands and self._is_before(instr, anchor):
                self._kept.add(instr)
                return instr.defs[0]
        assert head.type is not None
        opcode = self._builder.module.context.opcode(head.op)
        self._builder.set_place(self._code.block, before=anchor)
        self._new += 1
        return self._builder.build(
            opcode,
            Def(head.type),
            *operands,
            attrs=dict(head.attrs) or None,  # pyright: ignore[reportArgumentType]
            loc=self._origins(cls),
        ).defs[0]

    def _is_before(self, instr: InstrRef, anchor: InstrRef | None) -> bool:
        at, place = self._at(anchor), self._code.place(instr)
        assert place is not None
        return at is None or place < at

    def _origins(self, cls: int) -> list[Origin]:
        """Those of all instructions that a value comes from."""
        found: dict[Origin, None] = {}
        for instr in self._by_class.get(cls, ()):
            found.update(dict.fromkeys(instr.location))
        left = [self._choice[cls]]
        seen = set(left)
        while left:
            number = left.pop()
            for instr in self._graph.originals.get(number, ()):
                found.update(dict.fromkeys(instr.location))
            sources = [node for node in self._graph.nodes[number].sources if node not in seen]
            seen.update(sources)
            left += sources
        return list(found)

    def _take_names(self, gone: list[InstrRef]) -> list[tuple[ValueRef, str]]:
        """Names of values that go, for those in their place that have none."""
        taken: list[tuple[ValueRef, str]] = []
        named: set[ValueRef] = set()
        going = set(gone)
        for cls, instrs in self._by_class.items():
            value = self._made.get(cls)
            for instr in instrs:
                old = instr.defs[0]
                name = old.name
                if name is None or instr not in going or not isinstance(value, ValueRef):
                    continue
                if value.name is None and value not in named:
                    named.add(value)
                    taken.append((value, name))
        return taken
