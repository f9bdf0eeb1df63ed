"""Pictures of decision diagrams: DOT for Graphviz, and small ones as SVG without outside help.

Full lines lead to the branch where the variable is true, dashed ones to the other; a dot stands for a
complement. Every level of the order is a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from dynomite._native.bdd import BddRef
from dynomite.errors import LimitError

MAX_NODES = 2000
"""`to_svg` draws no larger diagrams."""

COLUMN = 76
ROW = 72
MARGIN = 24
RADIUS = 17
SWEEPS = 6


@dataclass(frozen=True, slots=True)
class Arc:
    """A line of the picture, between numbers of rows."""

    source: int
    target: int
    is_high: bool
    is_complemented: bool


@dataclass(frozen=True, slots=True)
class Diagram:
    """What is drawn: roots first, then nodes from the top of the order down, the constant last."""

    labels: list[str]
    levels: list[int]
    arcs: list[Arc]
    roots: int


def collect(functions: Mapping[str, BddRef]) -> Diagram:
    """The shared diagram of some functions."""
    nodes: dict[int, BddRef] = {}
    stack = list(functions.values())
    while stack:
        node = stack.pop()
        if node.node_id in nodes:
            continue
        nodes[node.node_id] = ~node if node.is_complemented else node
        if not node.is_constant:
            stack += (node.high, node.low)
    inner = sorted((n for n in nodes.values() if not n.is_constant), key=lambda n: (n.level, n.node_id))
    ranks = {level: rank for rank, level in enumerate(sorted({n.level for n in inner}), start=1)}
    labels = [*functions, *(n.var for n in inner), "1"]
    levels = [0] * len(functions) + [ranks[n.level] for n in inner] + [len(ranks) + 1]
    number = {n.node_id: index for index, n in enumerate(inner, start=len(functions))}
    number[0] = len(labels) - 1
    arcs = [
        Arc(index, number[f.node_id], True, f.is_complemented) for index, f in enumerate(functions.values())
    ]
    for node in inner:
        source = number[node.node_id]
        arcs.append(Arc(source, number[node.high.node_id], True, False))
        arcs.append(Arc(source, number[node.low.node_id], False, node.low.is_complemented))
    return Diagram(labels, levels, arcs, len(functions))


def to_dot(functions: Mapping[str, BddRef]) -> str:
    """The shared diagram of some functions, by name, as a DOT graph."""
    diagram = collect(functions)
    lines = ["digraph bdd {", "  node [shape=circle];"]
    for index, label in enumerate(diagram.labels):
        shape = ""
        if index < diagram.roots:
            shape = ", shape=plaintext"
        elif index == len(diagram.labels) - 1:
            shape = ", shape=box"
        lines.append(f"  n{index} [label={_quoted(label)}{shape}];")
    for level in sorted(set(diagram.levels)):
        row = " ".join(f"n{i};" for i, at in enumerate(diagram.levels) if at == level)
        lines.append(f"  {{ rank=same; {row} }}")
    for arc in diagram.arcs:
        style = "solid" if arc.is_high else "dashed"
        head = ", arrowhead=odot" if arc.is_complemented else ""
        lines.append(f"  n{arc.source} -> n{arc.target} [style={style}{head}];")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def to_svg(functions: Mapping[str, BddRef]) -> str:
    """The shared diagram of some functions, by name, as one self-contained SVG element.

    Raises:
        LimitError: It has more than `MAX_NODES` nodes.
    """
    diagram = collect(functions)
    if len(diagram.labels) > MAX_NODES:
        raise LimitError(f"a diagram of more than {MAX_NODES} nodes is not drawn; use to_dot")
    places = _places(diagram)
    width = max(x for x, _ in places) + MARGIN + RADIUS
    height = max(y for _, y in places) + MARGIN + RADIUS
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="sans-serif" font-size="13" '
        'text-anchor="middle">'
    ]
    parts += [_line(arc, places) for arc in diagram.arcs]
    for index, (label, (x, y)) in enumerate(zip(diagram.labels, places, strict=True)):
        if index >= diagram.roots:
            rounded = 3 if index == len(diagram.labels) - 1 else RADIUS
            parts.append(
                f'<rect x="{x - RADIUS:.1f}" y="{y - RADIUS:.1f}" width="{2 * RADIUS}" '
                f'height="{2 * RADIUS}" rx="{rounded}" fill="white" stroke="black"/>'
            )
        parts.append(f'<text x="{x:.1f}" y="{y + 4:.1f}">{escape(label)}</text>')
    return "\n".join([*parts, "</svg>"])


def _line(arc: Arc, places: list[tuple[float, float]]) -> str:
    (x1, y1), (x2, y2) = places[arc.source], places[arc.target]
    side = 5 if arc.is_high else -5
    y1, y2 = y1 + RADIUS, y2 - RADIUS
    dashes = "" if arc.is_high else ' stroke-dasharray="5 4"'
    dot = f'<circle cx="{x2 + side:.1f}" cy="{y2 - 5:.1f}" r="3.5"/>' if arc.is_complemented else ""
    return (
        f'<line x1="{x1 + side:.1f}" y1="{y1:.1f}" x2="{x2 + side:.1f}" y2="{y2:.1f}" '
        f'stroke="black"{dashes}/>{dot}'
    )


def _places(diagram: Diagram) -> list[tuple[float, float]]:
    """Rows by level; within a row by barycentres of the rows above and below, in turns."""
    rows: list[list[int]] = [[] for _ in range(max(diagram.levels) + 1)]
    for index, level in enumerate(diagram.levels):
        rows[level].append(index)
    x = [0.0] * len(diagram.labels)
    sources: list[list[int]] = [[] for _ in x]
    targets: list[list[int]] = [[] for _ in x]
    for arc in diagram.arcs:
        sources[arc.target].append(arc.source)
        targets[arc.source].append(arc.target)
    widest = max(len(row) for row in rows)
    for row in rows:
        _spread(row, widest, x)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for row in rows if down else reversed(rows):
            neighbours = sources if down else targets
            row.sort(
                key=lambda i, near=neighbours: sum(x[j] for j in near[i]) / len(near[i]) if near[i] else x[i]
            )
            _spread(row, widest, x)
    return [(MARGIN + RADIUS + x[i], MARGIN + RADIUS + ROW * level) for i, level in enumerate(diagram.levels)]


def _spread(row: list[int], widest: int, x: list[float]) -> None:
    for place, index in enumerate(row):
        x[index] = COLUMN * (place + (widest - len(row)) / 2)
