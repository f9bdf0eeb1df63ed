"""Where a differing function begins to differ.

The difference of a function is the part of each side's cone, from the output downwards, whose nodes have no
equal node on the other side. Below it are equal signals; a smallest set of them from which both sides are
made is a minimum vertex cut. The difference begins at the nodes whose fanins are all equal signals; where
fewer nodes lie on all ways from them to the output, those say more: again a minimum vertex cut, taken nearest
to the equal signals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dmt_dialect.explaining.partners import Partners
from dmt_dialect.explaining.sides import Circuit, Sides
from dynomite._native.explain import min_vertex_cut

if TYPE_CHECKING:
    from dynomite._native.base import Stop

MOST_DIFFERENT = 50_000
"""Nodes of a difference; a larger one is not looked at."""
MOST_BELOW = 20_000
"""Equal signals below a difference that the search for a smallest set looks at."""
LARGEST_CUT = 256
CUT_WORK = 10_000_000
"""Edges looked at for one cut, about; smaller cuts only are found in large graphs."""

LEFT, RIGHT = 0, 1
Vertex = tuple[int, int]
"""A node: its side and its number."""
CONSTANT = (LEFT, 0)


@dataclass(frozen=True, slots=True)
class Region:
    """The difference of one function.

    Attributes:
        function: Its number.
        left: Left nodes of the difference, the output first.
        right: The same on the right.
        equal: A smallest set of equal signals it is made from: left node and right node.
        assumed: What has to be equal for that: side, node, and the left node that it is like.
        begins_left: Left nodes where it begins.
        begins_right: The same on the right.
    """

    function: int
    left: tuple[int, ...]
    right: tuple[int, ...]
    equal: tuple[tuple[int, int], ...]
    assumed: tuple[tuple[int, int, int], ...]
    begins_left: tuple[int, ...]
    begins_right: tuple[int, ...]


def find_region(sides: Sides, partners: Partners, function: int, stop: Stop) -> Region | None:
    """The difference of a function; None if it is too large or `stop` ended the search. Cost: linear."""
    roots = [int(circuit.roots[function]) >> 1 for circuit in sides.both()]
    left = _differing(sides.left, roots[0], partners.of_left)
    right = _differing(sides.right, roots[1], partners.of_right)
    if left is None or right is None:
        return None
    graph = _EqualGraph(sides, partners)
    ends = [(LEFT, roots[0]), (RIGHT, roots[1])]
    cut = graph.smallest_cut(ends, stop)
    begins = [_beginnings(c, nodes, stop) for c, nodes in ((sides.left, left), (sides.right, right))]
    if stop.poll():
        return None
    return Region(
        function,
        tuple(left),
        tuple(right),
        tuple((node, partners.of_left[node]) for _, node in cut),
        tuple(graph.assumptions(ends, cut)),
        *begins,
    )


def _differing(circuit: Circuit, root: int, partner: list[int]) -> list[int] | None:
    """The nodes without partner that are met from the root over nodes without partner."""
    if partner[root] >= 0:
        return []
    seen = {root}
    found = [root]
    for node in found:  # which grows
        if not circuit.is_and(node):
            continue  # an input that only one side has
        for lit in circuit.rows[node]:
            below = lit >> 1
            if below not in seen and partner[below] < 0:
                seen.add(below)
                found.append(below)
        if len(found) > MOST_DIFFERENT:
            return None
    return found


class _EqualGraph:
    """What lies below both ends of a function; equal signals are one vertex, their first left node."""

    def __init__(self, sides: Sides, partners: Partners) -> None:
        self._sides = sides
        self._partners = partners
        self._place: dict[Vertex, int] = {}
        self._vertices: list[Vertex] = []
        self._edges: list[tuple[int, int]] = []
        self._sources: list[int] = []

    def vertex(self, at: Vertex) -> Vertex:
        """The vertex a node belongs to."""
        side, node = at
        partners = self._partners
        if side == RIGHT:
            return at if partners.of_right[node] < 0 else (LEFT, partners.of_right[node])
        return at if partners.of_left[node] < 0 else (LEFT, partners.left_first[node])

    def is_equal(self, at: Vertex) -> bool:
        """Whether a vertex stands for equal signals."""
        return at[0] == LEFT and self._partners.of_left[at[1]] >= 0

    def fanins(self, at: Vertex) -> list[Vertex]:
        """The nodes that a vertex is made from, as nodes."""
        circuit = self._sides.both()[at[0]]
        return [(at[0], lit >> 1) for lit in circuit.rows[at[1]]] if circuit.is_and(at[1]) else []

    def smallest_cut(self, roots: list[Vertex], stop: Stop) -> list[Vertex]:
        """A minimum set of equal signals on all ways from the inputs to `roots`."""
        ends = [self._number(self.vertex(root)) for root in roots]
        below = 0
        for number, at in enumerate(self._vertices):  # which grow
            if at == CONSTANT:
                continue  # it needs no other signal
            if self.is_equal(at):
                below += 1
                if below > MOST_BELOW or not self.fanins(at):
                    self._sources.append(number)
                    continue
            self._edges += [(self._number(self.vertex(fanin)), number) for fanin in self.fanins(at)]
        flags = [self.is_equal(at) for at in self._vertices]
        cut = min_vertex_cut(
            np.array(self._edges, dtype=np.uint32).reshape(-1, 2),
            np.array(flags, dtype=np.bool_),
            self._sources,
            ends,
            near_sources=False,
            most=_largest_cut(self._edges),
            stop=stop,
        )
        if cut is None:  # too large to be smallest: all that touch the difference
            cut = list({below for below, above in self._edges if flags[below] and not flags[above]})
        return sorted(self._vertices[at] for at in cut if self._vertices[at] != CONSTANT)

    def assumptions(self, roots: list[Vertex], cut: list[Vertex]) -> list[tuple[int, int, int]]:
        """What has to be equal for that: side, node, and the left node that it is like."""
        ends = set(cut)
        found: dict[tuple[int, int, int], None] = {}
        seen: set[Vertex] = set()
        nodes = list(roots)
        for at in nodes:  # which grow
            vertex = self.vertex(at)
            if vertex != at:
                found[*at, vertex[1]] = None
            if vertex not in seen:
                seen.add(vertex)
                if vertex not in ends and vertex != CONSTANT:
                    nodes += self.fanins(vertex)
        for _, node in cut:
            found[RIGHT, self._partners.of_left[node], node] = None
        return list(found)

    def _number(self, at: Vertex) -> int:
        if at not in self._place:
            self._place[at] = len(self._vertices)
            self._vertices.append(at)
        return self._place[at]


def _largest_cut(edges: list[tuple[int, int]]) -> int:
    return min(LARGEST_CUT, CUT_WORK // (len(edges) + 1))


def _beginnings(circuit: Circuit, nodes: list[int], stop: Stop) -> tuple[int, ...]:
    """Nodes of a difference on all ways from its lowest nodes to the output, or these lowest ones."""
    place = {node: at for at, node in enumerate(nodes)}
    edges: list[tuple[int, int]] = []
    lowest: list[int] = []
    for node in nodes:
        inner = [lit >> 1 for lit in circuit.rows[node] if circuit.is_and(node) and lit >> 1 in place]
        edges += [(place[below], place[node]) for below in inner]
        if not inner:
            lowest.append(node)
    if len(lowest) > 1:
        cut = min_vertex_cut(
            np.array(edges, dtype=np.uint32).reshape(-1, 2),
            np.ones(len(nodes), dtype=np.bool_),
            [place[node] for node in lowest],
            [0],
            near_sources=True,
            most=_largest_cut(edges),
            stop=stop,
        )
        if cut is not None and cut != [0] and len(cut) < len(lowest):
            lowest = [nodes[at] for at in cut]
    return tuple(sorted(lowest))
