"""Small AIGs as pictures: a layered drawing as SVG without outside help.

Levels are columns, signals flow from left to right; a dot on a line is a complement. Columns are ordered by
barycentres (Sugiyama, Tagawa, Toda, 1981), which keeps most lines short and crossings few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from dmt_dialect.aig_graph import readers

if TYPE_CHECKING:
    from dmt_dialect.aig import Aig

MAX_NODES = 200
"""Larger AIGs are not drawn."""

COLUMN = 96
ROW = 34
MARGIN = 16
RADIUS = 11
BOX = 60
SWEEPS = 8


class Shape(NamedTuple):
    """One thing to draw: a node of the AIG or a reader of it."""

    kind: str
    label: str
    title: str
    column: int
    sources: tuple[tuple[int, bool], ...]
    """Shapes this one reads (by index), and whether complemented."""


def to_svg(aig: Aig) -> str | None:
    """The drawing as one self-contained SVG element, or None when the AIG has more than `MAX_NODES` nodes."""
    if aig.num_nodes > MAX_NODES or aig.num_outputs + aig.num_latches > MAX_NODES:
        return None
    shapes = collect(aig)
    rows = order_rows(shapes)
    return render(shapes, rows, repr(aig))


def collect(aig: Aig) -> list[Shape]:
    """The shapes in topological order. The constant is drawn only where something reads it."""
    levels = aig.levels().tolist()
    input_names = aig.names("inputs")
    latch_names = aig.names("latches")
    outside = readers(aig)
    const_is_read = any(lit.is_constant for _, _, lit, _ in outside) or any(
        lit.is_constant for node in aig.ands() for lit in node.operands
    )
    shapes: list[Shape] = []
    index_of: dict[int, int] = {}
    for number, node in enumerate(aig.nodes()):
        if node.is_const and not const_is_read:
            continue
        kind = node.kind.name.lower()
        label = {"const": "0", "and": "∧"}.get(kind, "")
        if node.is_input:
            label = input_names[node.position] or f"i{node.position}"
        elif node.is_latch:
            label = latch_names[node.position] or f"l{node.position}"
        sources = tuple((index_of[lit.raw >> 1], lit.is_complemented) for lit in node.operands)
        index_of[number] = len(shapes)
        shapes.append(Shape(kind, label, f"{node!r}, level {levels[number]}", levels[number], sources))
    last = 1 + max((shape.column for shape in shapes), default=0)
    for kind, position, lit, name in outside:
        label = name or f"{kind[0]}{position}"
        title = f"{kind.replace('_', ' ')} {position} = {lit!r}"
        sources = ((index_of[lit.raw >> 1], lit.is_complemented),)
        shapes.append(Shape("reader", label, title, last, sources))
    return shapes


def order_rows(shapes: list[Shape]) -> list[float]:
    """A vertical place for every shape: columns sorted again and again by the mean place of neighbours."""
    columns: dict[int, list[int]] = {}
    neighbours: list[list[int]] = [[] for _ in shapes]
    for index, shape in enumerate(shapes):
        columns.setdefault(shape.column, []).append(index)
        for source, _ in shape.sources:
            neighbours[index].append(source)
            neighbours[source].append(index)
    tallest = max((len(column) for column in columns.values()), default=0)
    place = [0.0] * len(shapes)

    def spread(column: list[int]) -> None:
        for row, index in enumerate(column):
            place[index] = (row + 0.5) * tallest / len(column)

    for column in columns.values():
        spread(column)
    for sweep in range(SWEEPS):
        for key in sorted(columns, reverse=sweep % 2 == 1):

            def mean(index: int) -> float:
                near = neighbours[index]
                return sum(place[n] for n in near) / len(near) if near else place[index]

            columns[key].sort(key=mean)
            spread(columns[key])
    return place


def render(
    shapes: list[Shape],
    rows: list[float],
    title: str,
    *,
    fills: Mapping[str, str] | None = None,
    strokes: Sequence[str] = (),
    legend: Sequence[tuple[str, str]] = (),
) -> str:
    """SVG text of shapes at their rows.

    Args:
        shapes: What is drawn, sources first.
        rows: Vertical place of each.
        title: Title of the picture.
        fills: Colour of each kind of shape; `FILLS` by default.
        strokes: Colour of the lines that leave each shape; grey by default.
        legend: Colours and what they mean, for a line below the picture.
    """
    fills = FILLS if fills is None else fills
    points = [
        (MARGIN + COLUMN * 0.5 + shape.column * COLUMN, MARGIN + row * ROW)
        for shape, row in zip(shapes, rows, strict=True)
    ]
    width = round(max((x for x, _ in points), default=0.0) + COLUMN * 0.5 + MARGIN)
    bottom = round(max((y for _, y in points), default=0.0) + ROW * 0.5 + MARGIN)
    height = bottom + ROW * len(legend)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
        f"<title>{text(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        '<g fill="none" stroke="#666">',
    ]
    dots: list[str] = []
    for shape, (x, y) in zip(shapes, points, strict=True):
        for place, (source, complemented) in enumerate(shape.sources):
            x0, y0 = points[source]
            offset = 0 if len(shape.sources) == 1 else 5 * (2 * place - 1)
            # The ends of the line hide under the shapes, which are drawn later.
            start, end = x0 + half_width(shapes[source]) - 2, x - half_width(shape) + 2
            bend = max(24.0, (end - start) / 2)
            stroke = f' stroke="{strokes[source]}"' if strokes else ""
            lines.append(
                f'<path{stroke} d="M{start:.0f} {y0:.1f}C{start + bend:.0f} {y0:.1f} '
                f'{end - bend:.0f} {y + offset:.1f} {end:.0f} {y + offset:.1f}"/>'
            )
            if complemented:
                dots.append(f'<circle cx="{end - 5:.0f}" cy="{y + offset:.1f}" r="3"/>')
    lines.append("</g>")
    lines.append(f'<g fill="#222">{"".join(dots)}</g>')
    lines.append('<g stroke="#222" text-anchor="middle">')
    lines.extend(
        draw_shape(shape, x, y, fills[shape.kind]) for shape, (x, y) in zip(shapes, points, strict=True)
    )
    lines.append("</g>")
    for place, (fill, meaning) in enumerate(legend):
        y = bottom + place * ROW
        box = f'<rect x="{MARGIN}" y="{y}" width="{BOX}" height="20" rx="4" fill="{fill}" stroke="#222"/>'
        lines.append(f'<g>{box}<text x="{2 * MARGIN + BOX}" y="{y + 14}">{text(meaning)}</text></g>')
    lines.append("</svg>")
    return "\n".join(lines)


FILLS = {"const": "#eee", "input": "#dbeafe", "latch": "#fde68a", "and": "#fff", "reader": "#dcfce7"}


def half_width(shape: Shape) -> float:
    """Half the width of a shape; ANDs and constants are circles."""
    return RADIUS if shape.kind in ("and", "const") else BOX / 2


def draw_shape(shape: Shape, x: float, y: float, fill: str) -> str:
    """One shape around (x, y) with its label; the full text is in its tooltip."""
    label = shape.label if len(shape.label) <= 9 else shape.label[:8] + "…"
    half = half_width(shape)
    outline = (
        f'<circle cx="{x:.0f}" cy="{y:.1f}" r="{RADIUS}" fill="{fill}"/>'
        if half == RADIUS
        else f'<rect x="{x - half:.0f}" y="{y - 10:.1f}" width="{BOX}" height="20" rx="4" fill="{fill}"/>'
    )
    tooltip = shape.title if label == shape.label else f"{shape.label}: {shape.title}"
    return (
        f"<g><title>{text(tooltip)}</title>{outline}"
        f'<text x="{x:.0f}" y="{y + 4:.1f}" stroke="none">{text(label)}</text></g>'
    )


def text(raw: str) -> str:
    """Escaped for XML; bytes and control signs that XML cannot hold become question marks."""
    return escape("".join(c if c >= " " and not "\ud800" <= c <= "\udfff" else "?" for c in raw))
