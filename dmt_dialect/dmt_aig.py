"""And-inverter graphs as instructions of the dialect `dmt` (`dmt_dialect.dmt_ops`), and back.

    module = module_from_aig(aig, origins=origins)      # every AND with the places it comes from
    aig, origins = read_region(module)

Through the IR a circuit can be printed, read, changed by passes and patterns; origins come along.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dmt_dialect import dmt_ops as dmt
from dmt_dialect import ops as op
from dmt_dialect.buses import group_buses
from dmt_dialect.dmt_ops import DMT, width_of
from dmt_dialect.origins import NO_NODE, NodeOrigins, Places, united
from dynomite.errors import UsageError, VerifyError
from dynomite.ir import BlockRef, Builder, Const, Context, InstrRef, Module, Type, ValueRef, load
from dynomite.ir.operands import Operand

if TYPE_CHECKING:
    from dynomite._native.aig import Aig, Lit


def module_from_aig(
    aig: Aig, context: Context | None = None, *, origins: NodeOrigins | None = None
) -> Module:
    """A circuit as instructions: a wire for each bus of ports `a[0]`, `a[1]` ..., and for each other port.

    Names stay as attributes. Complements become `NOT`, one for each node that is used so.

    Args:
        aig: A circuit. Bad states become `op.ASSERT`, constraints `op.ASSUME`.
        context: Where the dialects are to be loaded; by default a new one.
        origins: Locations of the ANDs.

    Raises:
        UsageError: The circuit has justice or fairness properties, which have no place in these operations.

    Cost:
        Linear, about 3 microseconds an AND; every output wire names all input wires.
    """
    if len(aig.justice) or len(aig.literals("fairness")):
        raise UsageError("module_from_aig: justice and fairness have no place in dmt.AIG")
    if origins is not None and len(origins) != aig.num_nodes:
        raise UsageError(f"module_from_aig: origins of {len(origins)} nodes for {aig.num_nodes}")
    context = Context() if context is None else context
    load(context, DMT, op.OP)
    return _Writer(aig, Module(context), origins).write()


class _Writer:
    def __init__(self, aig: Aig, module: Module, origins: NodeOrigins | None) -> None:
        self.aig = aig
        self.module = module
        self.origins = origins
        self.builder = Builder(module)
        self.node_type = module.type(dmt.NODE)
        self.values: dict[int, ValueRef] = {}

    def value(self, literal: int) -> ValueRef:
        """The value of a literal whose node is there."""
        found = self.values.get(literal)
        if found is None:
            if not literal & 1:  # only the constant is made when it is needed
                found = self.builder.value(dmt.FALSE, self.node_type)
            else:
                found = self.builder.value(dmt.NOT, self.node_type, self.value(literal ^ 1))
            self.values[literal] = found
        return found

    def write(self) -> Module:
        aig, build = self.aig, self.builder.value
        wires: list[ValueRef] = []
        inputs = aig.literals("inputs").tolist()
        for name, positions in self._buses("inputs"):
            wires.append(build(dmt.INPUT, self._wire_type(len(positions)), attrs=_named(name)))
            for bit, position in enumerate(positions):
                self.values[inputs[position]] = build(dmt.AIG_IN, self.node_type, wires[-1], bit)
        latches = aig.literals("latches").tolist()
        for name, raw, reset in zip(aig.names("latches"), latches, aig.resets, strict=True):
            attrs = _named(name)
            if reset is not None:
                attrs["reset"] = reset
            self.values[raw] = build(dmt.LATCH, self.node_type, attrs=attrs)
        places = None if self.origins is None else self.origins.of
        for node, (first, second) in enumerate(aig.fanins.tolist()):
            if first != NO_NODE:
                operands = self.value(first), self.value(second)
                loc = None if places is None else places(node)
                self.values[2 * node] = build(dmt.AND, self.node_type, *operands, loc=loc)
        for raw, following in zip(latches, aig.literals("next_states").tolist(), strict=True):
            self.builder.build(dmt.NEXT, self.value(raw), self.value(following))
        outputs = aig.literals("outputs").tolist()
        for name, positions in self._buses("outputs"):
            wire = self._wire(*(outputs[position] for position in positions))
            self.builder.build(dmt.AIG, wire, *wires, attrs=_named(name))
        for name, raw in zip(aig.names("bad"), aig.literals("bad").tolist(), strict=True):
            self.builder.build(op.ASSERT, self._wire(raw ^ 1), attrs=_named(name))
        for name, raw in zip(aig.names("constraints"), aig.literals("constraints").tolist(), strict=True):
            self.builder.build(op.ASSUME, self._wire(raw), attrs=_named(name))
        return self.module

    def _wire_type(self, width: int) -> Type:
        return self.module.type(dmt.WIRE, width)

    def _wire(self, *literals: int) -> ValueRef:
        return self.builder.value(
            dmt.AIG_OUT, self._wire_type(len(literals)), *(self.value(raw) for raw in literals)
        )

    def _buses(self, section: str) -> list[tuple[str | None, tuple[int, ...]]]:
        """Name and positions of the wires of a section; a port without a name stays without."""
        names = self.aig.names(section)
        return [
            (bus.name if len(bus.positions) > 1 else names[min(bus.positions)], bus.positions)
            for bus in group_buses(names, section[0])
        ]


def _named(name: str | None) -> dict[str, Operand]:
    return {"name": name} if name else {}


def aig_from_module(module: Module, within: InstrRef | None = None) -> Aig:
    """The circuit of a module's `dmt.AIG` statements, in their order.

    Inputs are the bits of `INPUT` wires, outputs those of the first operands; wires of several bits give
    names with the bit behind, as in "a[1]".

    Args:
        module: Where the instructions are: in its outermost block,
        within: or in the one block of an instruction's region.

    Raises:
        VerifyError: An operation is none of these, or a wire is not made by one of them.

    Cost:
        Linear. Gates are folded and hashed on the way.
    """
    return read_region(module, within)[0]


def read_region(module: Module, within: InstrRef | None = None) -> tuple[Aig, NodeOrigins]:
    """As `aig_from_module`, with the locations of the ANDs; nodes that become one unite them."""
    reader = _Reader()
    for instr in only_block(module, within):
        reader.read(instr)
    return reader.finish()


def only_block(module: Module, within: InstrRef | None) -> BlockRef:
    """The outermost block of a module, or the one block of an instruction's region."""
    blocks = [module.body] if within is None else [b for region in within.regions for b in region.blocks]
    if len(blocks) != 1:
        raise VerifyError(f"one block of instructions is needed, there are {len(blocks)}")
    return blocks[0]


class _Reader:
    def __init__(self) -> None:
        from dynomite._native.aig import Aig

        self.aig = Aig()
        self.wires: dict[ValueRef, list[Lit]] = {}
        self.nodes: dict[ValueRef, Lit] = {}
        self.latches: dict[ValueRef, Lit] = {}
        self.places: dict[int, Places] = {}

    def node(self, value: object) -> Lit:
        if not isinstance(value, ValueRef) or value not in self.nodes:
            raise VerifyError(f"aig_from_module: {value!r} is no node defined before")
        return self.nodes[value]

    def wire(self, value: object) -> list[Lit]:
        if not isinstance(value, ValueRef) or value not in self.wires:
            raise VerifyError(f"aig_from_module: {value!r} is no wire defined before")
        return self.wires[value]

    def read(self, instr: InstrRef) -> None:
        """Takes one instruction."""
        uses, aig = instr.uses, self.aig
        match instr.name:
            case "dmt.INPUT":
                names = _bit_names(instr, width_of(instr.result) or 0)
                self.wires[instr.result] = [aig.add_input(name) for name in names]
            case "dmt.AIG_OUT":
                self.wires[instr.result] = [self.node(value) for value in uses]
            case "dmt.AIG":
                bits = self.wire(uses[0])
                for literal, name in zip(bits, _bit_names(instr, len(bits)), strict=True):
                    aig.add_output(literal, name)
            case "dmt.LATCH":
                reset = instr.attributes.get("reset")
                start = None if reset is None else reset.value if isinstance(reset, Const) else reset
                if start not in (None, 0, 1):
                    raise VerifyError(f"aig_from_module: a latch cannot start with {reset!r}")
                latch = aig.add_latch(start if isinstance(start, int) else None, _bit_names(instr, 1)[0])
                self.nodes[instr.result] = self.latches[instr.result] = latch
            case "dmt.NEXT":
                if uses[0] not in self.latches:
                    raise VerifyError("aig_from_module: the next value of something that is no latch")
                assert isinstance(uses[0], ValueRef)
                aig.set_next(self.latches.pop(uses[0]), self.node(uses[1]))
            case "op.ASSERT" | "op.ASSUME":
                bits = self.wire(uses[0])
                if len(bits) != 1:
                    raise VerifyError(f"aig_from_module: {instr.name} of {len(bits)} bits")
                name = _bit_names(instr, 1)[0]
                if instr.name == "op.ASSERT":
                    aig.add_bad(~bits[0], name)
                else:
                    aig.add_constraint(bits[0], name)
            case _:
                self.nodes[instr.result] = self._gate(instr)

    def _gate(self, instr: InstrRef) -> Lit:
        uses = instr.uses
        match instr.name:
            case "dmt.FALSE":
                return self.aig.false
            case "dmt.AIG_IN":
                bit, bits = uses[1], self.wire(uses[0])
                if not isinstance(bit, Const) or bit.value >= len(bits):
                    raise VerifyError(f"aig_from_module: a wire of {len(bits)} bits has no bit {bit!r}")
                return bits[bit.value]
            case "dmt.AND":
                made = self.node(uses[0]) & self.node(uses[1])
                if instr.location:
                    node = made.raw >> 1
                    self.places[node] = united(self.places.get(node, ()), instr.location)
                return made
            case "dmt.NOT":
                return ~self.node(uses[0])
            case other:
                raise VerifyError(f"aig_from_module: {other} is no operation of and-inverter graphs")

    def finish(self) -> tuple[Aig, NodeOrigins]:
        """The circuit, once all is read."""
        if self.latches:
            raise VerifyError(f"aig_from_module: {len(self.latches)} latches have no next value")
        is_and = self.aig.fanins[:, 0] != np.uint32(NO_NODE)
        places = (self.places.get(node, ()) if gate else () for node, gate in enumerate(is_and.tolist()))
        return self.aig, NodeOrigins.collect(places)


def _bit_names(instr: InstrRef, width: int) -> Sequence[str | None]:
    name = instr.attributes.get("name")
    if not isinstance(name, str):
        return [None] * width
    return [name] if width == 1 else [f"{name}[{bit}]" for bit in range(width)]
