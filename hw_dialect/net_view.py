"""A flat netlist as Python objects, for writers: nodes, rows of bits, registers, memories, with names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from dynomite._native.word_net import WordNet


class Part(NamedTuple):
    """Bits `low` to `low + width - 1` of a node."""

    node: int
    low: int
    width: int


Row = list[Part]
"""A row of bits, the lowest part first."""


class Node(NamedTuple):
    """What computes or stores a word: a "constant", "input", "register", "read" or "operator"."""

    kind: str
    operator: str
    width: int
    operands: list[Row]
    extra: int | None


@dataclass(frozen=True)
class Register:
    """A register of a netlist."""

    name: str
    width: int
    node: int
    next: Row
    enable: Row
    reset: Row
    reset_value: Row
    init: int | None
    init_mask: int | None
    asynchronous: bool
    clock: Row
    negative_edge: bool


class Write(NamedTuple):
    """A writing port of a memory."""

    address: Row
    data: Row
    enable: Row
    clock: Row
    negative_edge: bool


@dataclass(frozen=True)
class Memory:
    """A memory of a netlist."""

    name: str
    depth: int
    width: int
    init: int | None
    writes: list[Write]


def row_of(parts: Iterable[tuple[int, int, int]]) -> Row:
    """A row of bits as objects."""
    return [Part(*part) for part in parts]


class NetView:
    """A netlist: `nodes` in topological order, ports, registers, memories, claims.

    `names` has a name for every node that computes something: that of an input or register, else that of a
    value, else one made up; no two of them are equal, nor equal to one of `reserved`.
    """

    def __init__(self, net: WordNet, reserved: Iterable[str] = ()) -> None:
        self.net = net
        self.nodes: list[Node] = []
        for number in range(len(net)):
            kind, operator, width, operands, extra = net.node(number)
            self.nodes.append(Node(kind, operator, width, [row_of(row) for row in operands], extra))
        self.inputs: list[tuple[str, int, int]] = net.inputs()
        self.outputs: list[tuple[str, int, Row]] = [(name, w, row_of(row)) for name, w, row in net.outputs()]
        self.registers: list[Register] = []
        for register in net.registers():
            name, width, node, following, enable, reset, value = register[:7]
            init, mask, asynchronous, clock, negative = register[7:]
            rows = (row_of(following), row_of(enable), row_of(reset), row_of(value))
            self.registers.append(
                Register(name, width, node, *rows, init, mask, asynchronous, row_of(clock), negative)
            )
        self.memories: list[Memory] = []
        for name, depth, width, init, writes in net.memories():
            ports = [Write(row_of(a), row_of(d), row_of(e), row_of(c), n) for a, d, e, c, n in writes]
            self.memories.append(Memory(name, depth, width, init, ports))
        self.claims: list[tuple[str, Row, bool]] = [
            (n, row_of(row), assumed) for n, row, assumed in net.claims()
        ]
        self._taken = set(reserved)
        self.names: dict[int, str] = {}
        self._name_nodes()

    def _name_nodes(self) -> None:
        for name, _, node in self.inputs:
            self.names[node] = self.fresh(name)
        for register in self.registers:
            self.names[register.node] = self.fresh(register.name)
        for name, width, parts in self.net.signals():
            row = row_of(parts)
            if len(row) != 1 or row[0].low or row[0].node in self.names:
                continue
            node = self.nodes[row[0].node]
            if node.kind in ("operator", "read") and node.width == width:
                self.names[row[0].node] = self.fresh(name)
        for number, node in enumerate(self.nodes):
            if number not in self.names and node.kind != "constant":
                self.names[number] = self.fresh(f"n{number}")

    def fresh(self, name: str) -> str:
        """A name like this one that was not given yet."""
        unique, number = name, 1
        while unique in self._taken:
            number += 1
            unique = f"{name}_{number}"
        self._taken.add(unique)
        return unique

    def constant_of(self, row: Row) -> int | None:
        """The value of a row of constant bits; None if some bit is none."""
        value = at = 0
        for part in row:
            node = self.nodes[part.node]
            if node.kind != "constant":
                return None
            assert node.extra is not None
            value |= (node.extra >> part.low & ((1 << part.width) - 1)) << at
            at += part.width
        return value

    def terms(
        self,
        row: Row,
        names: Mapping[int, str],
        constant: Callable[[int, int], str],
        bits: Callable[[str, int, int], str],
    ) -> list[str]:
        """The parts of a row in some language, the lowest first; a constant row is one part.

        Args:
            row: The row.
            names: Name of each node in the language.
            constant: Writes a value of so many bits; higher bits of the value are dropped.
            bits: Writes bits `high` to `low` of a name.
        """
        value = self.constant_of(row)
        if value is not None:
            return [constant(value, width_of(row))]
        terms: list[str] = []
        for part in row:
            node = self.nodes[part.node]
            if node.kind == "constant":
                assert node.extra is not None
                terms.append(constant(node.extra >> part.low, part.width))
            elif part.width == node.width:
                terms.append(names[part.node])
            else:
                terms.append(bits(names[part.node], part.low + part.width - 1, part.low))
        return terms


def width_of(row: Row) -> int:
    """Number of bits of a row."""
    return sum(part.width for part in row)
