"""From AIGs to modules of gates: an AIG as a `hw.MODULE`, with buses at its ports.

    inputs a[0] a[1] b, y = a[1] AND b    ->    IN %a:def(wire(2)); IN %b:def(wire(1)); SLICE ...; AND ...; OUT "y"
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dynomite.ir import Const, Def, Module
from hw_dialect import ops as hw
from hw_dialect.builder import Design, ModuleBuilder
from hw_dialect.signals import Signal, cat

if TYPE_CHECKING:
    from dynomite._native.aig import Aig

_BIT = re.compile(r"(.*)\[(0|[1-9][0-9]{0,6})\]", re.DOTALL)


class Bus(NamedTuple):
    """A word made of ports.

    Attributes:
        name: Its name.
        positions: Positions of its bits among the ports, bit 0 first.
    """

    name: str
    positions: tuple[int, ...]


def group_buses(names: Sequence[str | None], letter: str) -> list[Bus]:
    """Ports `a[0]` to `a[n]`, in any order, as one bus `a`; every other port as a bus of one bit.

    Names are made different from each other; a port without a name is called by letter and position.
    """
    members: dict[str, dict[int, int]] = {}
    shown = [name if name else f"{letter}{i}" for i, name in enumerate(names)]
    for position, name in enumerate(shown):
        match = _BIT.fullmatch(name)
        if match is not None:
            members.setdefault(match[1], {}).setdefault(int(match[2]), position)
    taken = set(shown)
    complete = {
        base: tuple(bits[i] for i in range(len(bits)))
        for base, bits in members.items()
        if base not in taken and max(bits) + 1 == len(bits) and len(bits) > 1
    }
    first = {min(positions): base for base, positions in complete.items()}
    inside = {position for positions in complete.values() for position in positions}
    buses: list[Bus] = []
    used: set[str] = set(complete)
    for position, name in enumerate(shown):
        if position in first:
            buses.append(Bus(first[position], complete[first[position]]))
        elif position not in inside:
            unique, number = name, 1
            while unique in used:
                number += 1
                unique = f"{name}_{number}"
            used.add(unique)
            buses.append(Bus(unique, (position,)))
    return buses


def module_of_aig(aig: Aig, notes: list[str] | None = None) -> Module:
    """A module that computes what an AIG does.

    Args:
        aig: The circuit.
        notes: Takes a sentence on everything that has no place in a module.
    """
    design = Design(merging=False)
    with design.module(aig.name or "top") as m:
        _fill(m, aig)
    if notes is not None and (len(aig.justice) or len(aig.literals("fairness"))):
        notes.append("justice and fairness properties were left out")
    return design.ir


def _fill(m: ModuleBuilder, aig: Aig) -> None:
    nodes: dict[int, Signal] = {0: m.constant(0, 1)}
    inverted: dict[int, Signal] = {}
    inputs, latches = aig.literals("inputs").tolist(), aig.literals("latches").tolist()
    for bus in group_buses(aig.names("inputs"), "i"):
        word = m.input(bus.name, len(bus.positions))
        for bit, position in enumerate(bus.positions):
            nodes[inputs[position] >> 1] = word[bit]
    registers: list[tuple[Bus, Signal]] = []
    resets = aig.resets
    for bus in group_buses(aig.names("latches"), "l"):
        width = len(bus.positions)
        known = sum(1 << i for i, p in enumerate(bus.positions) if resets[p] is not None)
        init = sum(1 << i for i, p in enumerate(bus.positions) if resets[p])
        attrs: dict[str, Const] = {"init": Const(init, width)} if known else {}
        if known and known != (1 << width) - 1:
            attrs["init_mask"] = Const(known, width)
        instr = m.builder.build(hw.REG, Def(m.type(width), bus.name), Const(0, width), attrs={**attrs})
        word = Signal(m, instr.result)
        registers.append((bus, word))
        for bit, position in enumerate(bus.positions):
            nodes[latches[position] >> 1] = word[bit]

    def signal(raw: int) -> Signal:
        if not raw & 1:
            return nodes[raw >> 1]
        found = inverted.get(raw)
        if found is None:
            found = inverted[raw] = ~nodes[raw >> 1]
        return found

    for node, (a, b) in enumerate(aig.fanins.tolist()):
        if a != 0xFFFFFFFF:
            nodes[node] = signal(a) & signal(b)

    def word_of(bus: Bus, lits: Sequence[int]) -> Signal:
        return cat(*(signal(lits[position]) for position in reversed(bus.positions)))

    next_states = aig.literals("next_states").tolist()
    for bus, word in registers:
        assert word.value is not None
        m.builder.set_operand(word.value.instr, 1, word_of(bus, next_states).word)
    outputs = aig.literals("outputs").tolist()
    for bus in group_buses(aig.names("outputs"), "o"):
        m.output(bus.name, word_of(bus, outputs))
    for raw, name in zip(aig.literals("bad").tolist(), aig.names("bad"), strict=True):
        m.assert_(signal(raw ^ 1), name or "")
    for raw, name in zip(aig.literals("constraints").tolist(), aig.names("constraints"), strict=True):
        m.assume(signal(raw), name or "")
