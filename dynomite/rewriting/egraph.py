"""E-graphs: many terms at once, equal ones in one class.

    >>> from dynomite.ir import Const, Context, Module
    >>> graph = EGraph()
    >>> one, two = graph.add_leaf(Const(1, 8)), graph.add_leaf(Const(2, 8))
    >>> head = Head("demo.F", None, ())
    >>> f, g = graph.add(head, (one, two)), graph.add(head, (two, one))
    >>> graph.add(head, (one, two)) == f, graph.find(f) == graph.find(g)
    (True, False)

A node is an operation on classes, a class a set of nodes that are known to be equal. Both have dense numbers.
Nodes are hash-consed; after `union`, `rebuild` restores that equal operations on equal classes are in one
class (congruence), as in M. Willsey et al., "egg: fast and extensible equality saturation", 2021.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple, TypeAlias

from dynomite.errors import UsageError
from dynomite.ir import Const, InstrRef, Type, ValueRef


class Head(NamedTuple):
    """What a node does with its operands.

    Attributes:
        op: Full name of the operation.
        type: The type of the value.
        attrs: Its attributes, as pairs.
    """

    op: str
    type: Type | None
    attrs: tuple[tuple[str, Hashable], ...]


Leaf: TypeAlias = ValueRef | Const
"""What has no operands: a value that something else makes, or a constant."""


class Node:
    """One operation, constant or value.

    Attributes:
        head: What it is.
        operands: Classes; up to date after `EGraph.rebuild`.
        cls: A class it was put into; `EGraph.find` gives the present one.
        sources: Nodes it was made from.
        dead: It became equal to another node, which stays.
    """

    __slots__ = ("cls", "dead", "head", "operands", "sources")

    def __init__(
        self, head: Head | Leaf, operands: tuple[int, ...], cls: int, sources: tuple[int, ...]
    ) -> None:
        self.head = head
        self.operands = operands
        self.cls = cls
        self.sources = sources
        self.dead = False


def type_width(type_: Type | None) -> int | None:
    """The single parameter of a type, if it is a number."""
    params = () if type_ is None else type_.params
    if len(params) == 1 and isinstance(params[0], Const):
        return params[0].value
    return None


class EGraph:
    """Nodes and classes.

    Attributes:
        nodes: All nodes ever made.
        touched: Classes that are new or have more nodes since the set was emptied.
        originals: The instructions of the module that are this node.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.touched: set[int] = set()
        self.originals: dict[int, list[InstrRef]] = {}
        self._above: list[int] = []
        self._members: list[list[int]] = []
        self._users: list[list[int]] = []
        self._consts: list[Const | None] = []
        self._types: list[Type | None] = []
        self._values: list[ValueRef | None] = []
        self._known: dict[tuple[Head | Leaf, tuple[int, ...]], int] = {}
        self._pending: list[int] = []

    # Looking.

    def find(self, cls: int) -> int:
        """The present number of a class; nearly constant time."""
        above = self._above
        while above[cls] != cls:
            above[cls] = above[above[cls]]
            cls = above[cls]
        return cls

    def classes(self) -> Iterator[int]:
        """All classes."""
        return (cls for cls, above in enumerate(self._above) if cls == above)

    def members(self, cls: int) -> Iterator[int]:
        """The nodes of a class, in the order in which they came in."""
        return (node for node in self._members[self.find(cls)] if not self.nodes[node].dead)

    def users(self, cls: int) -> Iterator[int]:
        """The nodes with the class as an operand; one may come twice."""
        return (node for node in self._users[self.find(cls)] if not self.nodes[node].dead)

    def const(self, cls: int) -> Const | None:
        """The constant in a class."""
        return self._consts[self.find(cls)]

    def type(self, cls: int) -> Type | None:
        """The type of the values in a class."""
        return self._types[self.find(cls)]

    def value(self, cls: int) -> ValueRef | None:
        """A value of the module in a class."""
        return self._values[self.find(cls)]

    def width(self, cls: int) -> int | None:
        """The width of what is in a class."""
        const = self.const(cls)
        return const.width if const is not None else type_width(self.type(cls))

    def __len__(self) -> int:
        """The number of nodes, without those that became equal to others."""
        return len(self._known)

    # Growing.

    def add_leaf(self, leaf: Leaf) -> int:
        """The class of a constant or value."""
        known = self._known.get((leaf, ()))
        if known is not None:
            return self.find(self.nodes[known].cls)
        cls = self._insert(leaf, (), ())
        if isinstance(leaf, Const):
            self._consts[cls] = leaf
        else:
            self._types[cls] = leaf.type
            self._values[cls] = leaf
        return cls

    def add(self, head: Head, operands: tuple[int, ...], sources: tuple[int, ...] = ()) -> int:
        """The class of an operation on classes."""
        operands = tuple(map(self.find, operands))
        known = self._known.get((head, operands))
        if known is not None:
            return self.find(self.nodes[known].cls)
        cls = self._insert(head, operands, sources)
        self._types[cls] = head.type
        for operand in dict.fromkeys(operands):
            self._users[operand].append(len(self.nodes) - 1)
        return cls

    def add_original(self, instr: InstrRef, head: Head, operands: tuple[int, ...]) -> int:
        """The class of an instruction of the module."""
        cls = self.add(head, operands)
        self.originals.setdefault(self._known[head, tuple(map(self.find, operands))], []).append(instr)
        if self._values[cls] is None:
            self._values[cls] = instr.defs[0]
        return cls

    def _insert(self, head: Head | Leaf, operands: tuple[int, ...], sources: tuple[int, ...]) -> int:
        node, cls = len(self.nodes), len(self._above)
        self.nodes.append(Node(head, operands, cls, sources))
        self._known[head, operands] = node
        self._above.append(cls)
        self._members.append([node])
        self._users.append([])
        self._consts.append(None)
        self._types.append(None)
        self._values.append(None)
        self.touched.add(cls)
        return cls

    def union(self, a: int, b: int) -> bool:
        """Makes one class of two; False if they are one. `rebuild` has to follow before matching.

        Raises:
            UsageError: They cannot be equal: different constants, types or widths.
        """
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        self._check(a, b)
        if self._size(a) < self._size(b):
            a, b = b, a
        self._above[b] = a
        self._pending += self._users[b]
        self._users[a] += self._users[b]
        self._members[a] += self._members[b]
        self._users[b], self._members[b] = [], []
        for of in (self._consts, self._types, self._values):
            if of[a] is None:
                of[a] = of[b]  # pyright: ignore[reportArgumentType, reportCallIssue]
        self.touched.discard(b)
        self.touched.add(a)
        return True

    def _size(self, cls: int) -> tuple[int, int]:
        return len(self._users[cls]) + len(self._members[cls]), -cls

    def _check(self, a: int, b: int) -> None:
        constants = self._consts[a], self._consts[b]
        if None not in constants and constants[0] != constants[1]:
            raise UsageError(f"different constants are made equal: {constants[0]} and {constants[1]}")
        types = self._types[a], self._types[b]
        if None not in types and types[0] != types[1]:
            raise UsageError(f"values of different types are made equal: {types[0]} and {types[1]}")
        widths = self.width(a), self.width(b)
        if None not in widths and widths[0] != widths[1]:
            raise UsageError(f"words of different widths are made equal: {widths[0]} and {widths[1]} bits")

    def rebuild(self) -> None:
        """Restores congruence. Each node is looked at as often as its operands change their number.

        Raises:
            UsageError: See `union`.
        """
        while self._pending:
            number = self._pending.pop()
            node = self.nodes[number]
            if node.dead:
                continue
            if self._known.get((node.head, node.operands)) == number:
                del self._known[node.head, node.operands]
            node.operands = tuple(map(self.find, node.operands))
            other = self._known.setdefault((node.head, node.operands), number)
            if other != number:
                node.dead = True
                self.union(node.cls, self.nodes[other].cls)
        for cls in self.touched:
            self._members[cls] = list(self.members(cls))
            self._users[cls] = list(dict.fromkeys(self.users(cls)))
