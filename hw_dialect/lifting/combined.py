"""A circuit and the netlist it was made of, side by side in one hashed AIG.

The circuit's gates come first, so that a literal is one of the circuit's if its node is below `base`. What
the netlist's gates hash to the circuit has already. Values under random patterns tell which other nodes may
be equal, and patterns that told some apart are added.
"""

from __future__ import annotations

import random
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.origins import NO_NODE, NodeOrigins, Places
from dynomite._native import sweep as native_sweep
from dynomite._native import word_net as native
from dynomite._native.aig import Aig
from dynomite.errors import UsageError
from hw_dialect.net_view import NetView, Row

if TYPE_CHECKING:
    from dynomite._native.base import Stop
    from dynomite._native.word_net import WordNet
    from dynomite.ir import Origin

PATTERNS = 512
"""Random patterns at the start."""
MOST_ALIKE = 8
"""Nodes with equal values that are looked at."""

_ROOTS = ("outputs", "next_states", "bad", "constraints")

Raws = NDArray[np.uint32]


def led(node_map: Raws, literals: Raws) -> Raws:
    """Literals led through a map of nodes."""
    return node_map[literals >> 1] ^ (literals & np.uint32(1))


class Combined:
    """The circuit and its netlist over the same inputs; latches are cut, and inputs here.

    Attributes:
        aig: Both, hashed; gates that are tried are added.
        base: Number of nodes of the circuit's part.
        circuit_map: Literal here of every node of the circuit.
        bits: Literals here of every node of the netlist, bit 0 first.
        needed: Whether the netlist's outputs depend on the bit by a gate.
        sources: Position of input or latch in the circuit (inputs first), by node here.
        source_at: For every input bit, then every latch, of the lowered netlist: position in the circuit.
        origins: Of the circuit's part.
        latches: Literals here of the bits of every register of the netlist, by its node.
    """

    def __init__(
        self,
        circuit: Aig,
        net: WordNet,
        view: NetView,
        origins: NodeOrigins | None,
        architecture: str,
        seed: int,
        stop: Stop | None,
    ) -> None:
        self.net = net
        self.view = view
        self.architecture = architecture
        self.stop = stop
        reference, first_node, instrs, lits, first = native.lower(net, architecture=architecture, stop=stop)
        self.source_at = _pair_sources(circuit, reference)
        self.aig = Aig()
        own = np.array([lit.raw for lit in self.aig.add_inputs(_sources(circuit))], dtype=np.uint32)
        self.sources = {int(raw) >> 1: position for position, raw in enumerate(own.tolist())}
        self.circuit_map = native_sweep.append(self.aig, circuit, own, stop=stop)
        self.base = self.aig.num_nodes
        sections = [led(self.circuit_map, circuit.literals(name)) for name in _ROOTS]
        self._roots: list[int] = (np.concatenate(sections) >> 1).tolist()
        reference_map = native_sweep.append(self.aig, reference, own[self.source_at], stop=stop)
        mapped = led(reference_map, lits)
        live = _live(reference)[lits >> 1]
        ends = first.tolist()
        self.bits: list[list[int]] = []
        self.needed: list[list[bool]] = []
        for number, node in enumerate(view.nodes):
            at = slice(ends[number], ends[number] + node.width)
            self.bits.append(mapped[at].tolist())
            self.needed.append(live[at].tolist())
        if origins is None:
            from hw_dialect.elaborate import Origins

            landed = np.where(reference_map >> 1 < self.base, reference_map, np.uint32(NO_NODE))
            own_origins = Origins(first_node, instrs, net.module).nodes(reference)
            self.origins = own_origins.moved(landed, self.base)
        else:
            self.origins = origins.moved(self.circuit_map, self.base)
        self.latches = self._latches(own[self.source_at])
        self._regions: dict[Places, set[int]] = {}
        self._nodes_from: dict[Origin, list[int]] = {}
        numbers: list[int] = self.origins.numbers.tolist()
        for node, number in enumerate(numbers):
            for place in self.origins.sets[number]:
                self._nodes_from.setdefault(place, []).append(node)
        self._rng = random.Random(seed)
        self._count = PATTERNS
        self._inputs = {node: self._rng.getrandbits(PATTERNS) for node in self.sources}
        self._values: list[int] = []
        self._alike: dict[int, list[int]] = {}

    def _latches(self, sources: Raws) -> dict[int, list[int]]:
        at = sum(width for _, width, _ in self.view.inputs)
        found: dict[int, list[int]] = {}
        for register in self.view.registers:
            found[register.node] = sources[at : at + register.width].tolist()
            at += register.width
        return found

    def nodes_from(self, places: Places) -> set[int]:
        """Nodes of the circuit with one of these origins; not to be changed."""
        found = self._regions.get(places)
        if found is None:
            found = {node for place in places for node in self._nodes_from.get(place, ())}
            self._regions[places] = found
        return found

    @cached_property
    def _users(self) -> list[list[int]]:
        """The gates that each node of the circuit feeds; -1 stands for ports and latches."""
        users: list[list[int]] = [[] for _ in range(self.base)]
        rows: list[list[int]] = self.aig.fanins[: self.base].tolist()
        for node, (a, b) in enumerate(rows):
            if a != NO_NODE:
                users[a >> 1].append(node)
                users[b >> 1].append(node)
        for node in self._roots:
            users[node].append(-1)
        return users

    def visible(self, region: set[int]) -> list[int]:
        """The nodes of a region that something else than the region depends on."""
        return [node for node in region if any(user not in region for user in self._users[node])]

    def gates(self, number: int, operands: list[list[int]]) -> list[int]:
        """The literals of an operator of the netlist over these operands."""
        arrays = [np.array(word, dtype=np.uint32) for word in operands]
        made = native.blast_operator(
            self.net, number, self.aig, arrays, architecture=self.architecture, stop=self.stop
        )
        return made.tolist()

    def is_own(self, literal: int) -> bool:
        """Whether the circuit has the literal."""
        return literal >> 1 < self.base

    def alike(self, literal: int) -> list[int]:
        """Literals of the circuit that no pattern tells apart from this one, a few of them."""
        self._evaluate()
        value = self._value(literal)
        flip = value & 1
        key = value ^ (((1 << self._count) - 1) * flip)
        return [raw ^ flip for raw in self._alike.get(key, ())]

    def _value(self, literal: int) -> int:
        value = self._values[literal >> 1]
        return value ^ (((1 << self._count) - 1) if literal & 1 else 0)

    def _evaluate(self) -> None:
        """Values of all nodes up to the last one."""
        values, fanins = self._values, self.aig.fanins
        if len(values) == len(fanins):
            return
        ones = (1 << self._count) - 1
        start = len(values)
        rows: list[list[int]] = fanins[start:].tolist()
        for node, (a, b) in enumerate(rows, start):
            if a == NO_NODE:
                values.append(self._inputs.get(node, 0))
            else:
                left = values[a >> 1] ^ (ones if a & 1 else 0)
                values.append(left & (values[b >> 1] ^ (ones if b & 1 else 0)))
        for node in range(start, min(len(values), self.base)):
            value = values[node]
            flip = value & 1
            row = self._alike.setdefault(value ^ (ones * flip), [])
            if len(row) < MOST_ALIKE:
                row.append(2 * node ^ flip)

    def learn(self, patterns: list[Raws]) -> None:
        """Adds values of all inputs under which literals were found different."""
        for position, node in enumerate(self.sources):
            for at, pattern in enumerate(patterns):
                self._inputs[node] |= int(pattern[position]) << (self._count + at)
        self._count += len(patterns)
        self._values = []
        self._alike = {}

    def bit_sources(self, row: Row) -> list[tuple[int, int]]:
        """Node and bit of every bit of a row."""
        return [(part.node, part.low + bit) for part in row for bit in range(part.width)]


def _sources(aig: Aig) -> int:
    return aig.num_inputs + aig.num_latches


def _pair_sources(circuit: Aig, reference: Aig) -> NDArray[np.int64]:
    """Where the circuit has each input and latch of the lowered netlist, by name or else by order."""
    found: list[int] = []
    for section, start in (("inputs", 0), ("latches", circuit.num_inputs)):
        names = circuit.names(section)
        wanted = reference.names(section)
        if any(name is not None for name in names):
            places = {name: at for at, name in reversed(list(enumerate(names)))}
            missing = [name for name in wanted if name not in places]
            if missing:
                raise UsageError(
                    f"lift: the circuit has no {section[: -1 if section == 'inputs' else -2]} {missing[0]!r}"
                    f" ({len(missing)} missing)"
                )
            found += [start + places[name] for name in wanted]
        elif len(names) != len(wanted):
            raise UsageError(f"lift: the circuit has {len(names)} {section} without names, not {len(wanted)}")
        else:
            found += range(start, start + len(names))
    return np.array(found, dtype=np.int64)


def _live(aig: Aig) -> NDArray[np.bool_]:
    """The gates that outputs, next states and properties depend on."""
    live = np.zeros(aig.num_nodes, dtype=bool)
    for section in _ROOTS:
        live[aig.literals(section) >> 1] = True
    fanins = aig.fanins
    is_and = fanins[:, 0] != np.uint32(NO_NODE)
    rows = fanins.tolist()
    for node in range(len(rows) - 1, -1, -1):
        if live[node] and is_and[node]:
            live[rows[node][0] >> 1] = live[rows[node][1] >> 1] = True
    return live & is_and
