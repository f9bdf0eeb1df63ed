"""The cone of a difference as a picture.

The first differing function of an explanation: equal signals on the left edge, then the gates of both
circuits without an equal partner, up to the two outputs. Large cones are cut to what lies between the places
where the
difference begins and the outputs, and around these places; `...` stands for the rest.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from dmt_dialect.aig_drawing import Shape, order_rows, render
from dmt_dialect.explaining.frontier import LEFT, RIGHT

if TYPE_CHECKING:
    from dmt_dialect.explaining.explain import Found
    from dmt_dialect.explaining.sides import Circuit
    from dmt_dialect.explanation import Bit

MOST_GATES = 40
"""Gates drawn of each side."""
SIDE_NAMES = ("left", "right")
FILLS = {
    "equal": "#dcfce7",
    "left": "#ffedd5",
    "right": "#ede9fe",
    "left begins": "#fca5a5",
    "right begins": "#f9a8d4",
    "left output": "#fdba74",
    "right output": "#c4b5fd",
    "more": "#f3f4f6",
}
LEGEND = {
    "equal": "equal on both sides",
    "left": "left",
    "left begins": "left, begins to differ",
    "right": "right",
    "right begins": "right, begins to differ",
    "more": "not shown",
}
STROKES: dict[Bit, str] = {0: "#9ca3af", 1: "#2563eb", None: "#d1d5db"}
"""Lines by the value of the signal under the counterexample."""


class _Side(NamedTuple):
    """What is drawn of one side: its number, circuit, differing nodes, where they begin, and what is kept."""

    number: int
    circuit: Circuit
    nodes: frozenset[int]
    begins: frozenset[int]
    kept: list[int]


class _Picture:
    """Collects the shapes."""

    def __init__(self, found: Found) -> None:
        self._found = found
        self._shapes: list[Shape] = []
        self.values: list[Bit] = []
        self._equal: dict[tuple[int, int], int] = {}

    def collect(self) -> list[Shape]:
        """All shapes, sources first."""
        region = self._found.regions[0]
        sides: list[_Side] = []
        for number, nodes, begins in (
            (LEFT, region.left, region.begins_left),
            (RIGHT, region.right, region.begins_right),
        ):
            circuit = self._found.sides.both()[number]
            kept = _kept(circuit, nodes, begins)
            sides.append(_Side(number, circuit, frozenset(nodes), frozenset(begins), kept))
        ends: list[tuple[_Side, int, int]] = []
        for side in sides:
            at = self._gates(side)
            root = int(side.circuit.roots[region.function])
            ends.append((side, root, at.get(root >> 1, -1)))
        sources = [at if at >= 0 else self._signal(side, root >> 1) for side, root, at in ends]
        column = 1 + max(shape.column for shape in self._shapes)
        for (side, root, _), source in zip(ends, sources, strict=True):
            self._output(side, root, source, column)
        return self._shapes

    def _gates(self, side: _Side) -> dict[int, int]:
        """Adds the kept gates of a side and what they read; the shape of each."""
        at: dict[int, int] = {}
        for node in side.kept:
            sources: list[tuple[int, bool]] = []
            fanins = side.circuit.rows[node] if side.circuit.is_and(node) else []
            for lit in fanins:
                below = lit >> 1
                if below in at:
                    source = at[below]
                elif below in side.nodes:
                    source = self._add("more", "...", f"{SIDE_NAMES[side.number]} gates not shown", 0, ())
                else:
                    source = self._signal(side, below)
                sources.append((source, bool(lit & 1)))
            column = 1 + max((self._shapes[source].column for source, _ in sources), default=0)
            kind = SIDE_NAMES[side.number] + (" begins" if node in side.begins else "")
            at[node] = self._node(side, node, kind, column, tuple(sources))
        read = {
            lit >> 1 for node in side.kept if side.circuit.is_and(node) for lit in side.circuit.rows[node]
        }
        root = int(side.circuit.roots[self._found.regions[0].function]) >> 1
        for node, place in at.items():
            if node not in read and node != root:
                column = self._shapes[place].column + 1
                self._add(
                    "more", "...", f"{SIDE_NAMES[side.number]} readers not shown", column, ((place, False),)
                )
        return at

    def _signal(self, side: _Side, node: int) -> int:
        """The shape of an equal signal, one for both sides."""
        partners = self._found.partners
        if side.number == LEFT:
            key = (LEFT, partners.left_first[node])
        else:
            key = (LEFT, partners.of_right[node]) if partners.of_right[node] >= 0 else (RIGHT, node)
        if key not in self._equal:
            self._equal[key] = self._node(side, node, "equal", 0, ())
        return self._equal[key]

    def _output(self, side: _Side, root: int, source: int, column: int) -> None:
        value = self._value(side, root)
        kind = f"{SIDE_NAMES[side.number]} output"
        text = f"{SIDE_NAMES[side.number]} output, {_shown(value)} under the counterexample"
        label = f"{SIDE_NAMES[side.number]}={_shown(value)}"
        self._add(kind, label, text, column, ((source, bool(root & 1)),), value)

    def _node(
        self, side: _Side, node: int, kind: str, column: int, sources: tuple[tuple[int, bool], ...]
    ) -> int:
        value = self._value(side, 2 * node)
        signal = side.circuit.signal(2 * node)
        gate = side.circuit.gate_text(node)
        text = f"{SIDE_NAMES[side.number]} {signal}{f' = {gate}' if gate else ''}, value {_shown(value)}"
        return self._add(kind, f"{signal}={_shown(value)}", text, column, sources, value)

    def _value(self, side: _Side, raw: int) -> Bit:
        return side.circuit.three_valued(self._found.pattern, [raw])[0]

    def _add(
        self,
        kind: str,
        label: str,
        title: str,
        column: int,
        sources: tuple[tuple[int, bool], ...],
        value: Bit = None,
    ) -> int:
        self._shapes.append(Shape(kind, label, title, column, sources))
        self.values.append(value)
        return len(self._shapes) - 1


def draw_difference(found: Found) -> str | None:
    """The drawing as one self-contained SVG element; None if no difference was located in time."""
    if not found.regions:
        return None
    picture = _Picture(found)
    shapes = picture.collect()
    region = found.regions[0]
    name = found.explanation.outputs[0].output
    title = f"{name}: {len(region.left)} signals left and {len(region.right)} right without an equal partner"
    return render(
        shapes,
        order_rows(shapes),
        title,
        fills=FILLS,
        strokes=[STROKES[value] for value in picture.values],
        legend=[(FILLS[kind], text) for kind, text in LEGEND.items()],
    )


def _shown(value: Bit) -> str:
    return "x" if value is None else str(value)


def _kept(circuit: Circuit, nodes: tuple[int, ...], begins: tuple[int, ...]) -> list[int]:
    """The gates to draw, in topological order: near the places of `begins`, and on ways to the output."""
    if len(nodes) <= MOST_GATES:
        return sorted(nodes)
    inside = frozenset(nodes)
    readers: dict[int, list[int]] = {}
    for node in nodes:
        for lit in circuit.rows[node] if circuit.is_and(node) else []:
            if lit >> 1 in inside:
                readers.setdefault(lit >> 1, []).append(node)
    starts = list(begins[: MOST_GATES // 4])
    way = _way_up(starts[0], nodes[0], readers)
    half = MOST_GATES // 4
    kept = dict.fromkeys([*starts, *way[:half], *way[-half:]])
    todo = deque(kept)
    while todo and len(kept) < MOST_GATES:
        node = todo.popleft()
        below = [lit >> 1 for lit in circuit.rows[node]] if circuit.is_and(node) else []
        for near in [*readers.get(node, []), *(node for node in below if node in inside)]:
            if near not in kept:
                kept[near] = None
                todo.append(near)
    return sorted(list(kept)[:MOST_GATES])


def _way_up(start: int, end: int, readers: dict[int, list[int]]) -> list[int]:
    """A shortest way from a node to another over readers, both included."""
    came_from = {start: start}
    todo = deque([start])
    while todo and end not in came_from:
        node = todo.popleft()
        for reader in readers.get(node, []):
            if reader not in came_from:
                came_from[reader] = node
                todo.append(reader)
    way = [end]
    while way[-1] != start and way[-1] in came_from:
        way.append(came_from[way[-1]])
    return way[::-1]
