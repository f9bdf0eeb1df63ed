"""From AIGs to modules of gates: an AIG as a `hw.MODULE`, with buses at its ports.

inputs a[0] a[1] b, y = a[1] AND b    ->    IN %a:def(wire(2)); IN %b:def(wire(1)); SLICE ...; AND ...; OUT
"y"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmt_dialect import ops as op
from dmt_dialect.buses import Bus, group_buses
from dynomite.ir import Const, Def, InstrRef, Module
from dynomite.ir.operands import Operand
from hw_dialect import ops as hw
from hw_dialect.builder import Design, ModuleBuilder

if TYPE_CHECKING:
    from dmt_dialect.folding import Word
    from dynomite._native.aig import Aig


def module_of_aig(aig: Aig, notes: list[str] | None = None) -> Module:
    """A module that computes what an AIG does.

    Args:
        aig: The circuit.
        notes: Takes a sentence on everything that has no place in a module, or another name there.

    Cost: linear; about 3 microseconds a node.
    """
    design = Design(merging=False, folding=False)
    with design.module(aig.name or "top") as m:
        _fill(m, aig, [] if notes is None else notes)
    if notes is not None and (len(aig.justice) or len(aig.literals("fairness"))):
        notes.append("justice and fairness properties were left out")
    return design.ir


def _buses(aig: Aig, section: str, notes: list[str]) -> list[Bus]:
    names = aig.names(section)
    buses = group_buses(names, section[0])
    for bus in buses:
        given = names[bus.positions[0]]
        if len(bus.positions) == 1 and given is not None and given != bus.name:
            notes.append(
                f"the name {given!r} comes twice among the {section}: one of them is called {bus.name!r}"
            )
    return buses


def _fill(m: ModuleBuilder, aig: Aig, notes: list[str]) -> None:
    build = m.builder.value
    bit = m.type(1)
    nodes: dict[int, Word] = {0: Const(0, 1)}
    inverted: dict[int, Word] = {1: Const(1, 1)}

    def split(word: Word, bus: Bus, literals: list[int]) -> None:
        for index, position in enumerate(bus.positions):
            single = len(bus.positions) == 1
            nodes[literals[position] >> 1] = word if single else build(op.SLICE, bit, word, index, index)

    inputs, latches, resets = aig.literals("inputs").tolist(), aig.literals("latches").tolist(), aig.resets
    for bus in _buses(aig, "inputs", notes):
        split(m.input(bus.name, len(bus.positions)).word, bus, inputs)
    registers: list[tuple[Bus, InstrRef]] = []
    for bus in _buses(aig, "latches", notes):
        width = len(bus.positions)
        known = sum(1 << i for i, p in enumerate(bus.positions) if resets[p] is not None)
        init = sum(1 << i for i, p in enumerate(bus.positions) if resets[p])
        attrs: dict[str, Operand] = {"init": Const(init, width)} if known else {}
        if known and known != (1 << width) - 1:
            attrs["init_mask"] = Const(known, width)
        instr = m.builder.build(hw.REG, Def(m.type(width), bus.name), Const(0, width), attrs=attrs)
        registers.append((bus, instr))
        split(instr.result, bus, latches)

    def word(raw: int) -> Word:
        if not raw & 1:
            return nodes[raw >> 1]
        found = inverted.get(raw)
        if found is None:
            found = inverted[raw] = build(op.NOT, bit, nodes[raw >> 1])
        return found

    for node, (a, b) in enumerate(aig.fanins.tolist()):
        if a != 0xFFFFFFFF:
            nodes[node] = build(op.AND, bit, word(a), word(b))

    def joined(bus: Bus, literals: list[int]) -> Word:
        bits = [word(literals[position]) for position in reversed(bus.positions)]
        return bits[0] if len(bits) == 1 else build(op.CONCAT, m.type(len(bits)), *bits)

    next_states = aig.literals("next_states").tolist()
    for bus, instr in registers:
        m.builder.set_operand(instr, 1, joined(bus, next_states))
    outputs = aig.literals("outputs").tolist()
    for bus in _buses(aig, "outputs", notes):
        m.statement(hw.OUT, bus.name, joined(bus, outputs))
    for raw, name in zip(aig.literals("bad").tolist(), aig.names("bad"), strict=True):
        m.statement(op.ASSERT, word(raw ^ 1), attrs={"name": name} if name else None)
    for raw, name in zip(aig.literals("constraints").tolist(), aig.names("constraints"), strict=True):
        m.statement(op.ASSUME, word(raw), attrs={"name": name} if name else None)
