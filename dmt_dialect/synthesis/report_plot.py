"""The plot of a report: ANDs and levels after each step, and its time, one panel each, as SVG text."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, PANEL, GAP = 960, 170, 42
LEFT, RIGHT, TOP = 78, 14, 26
MOST_LABELS = 40
"""Steps up to which each one's number is shown on the axis."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel.

    Attributes:
        title: What it shows.
        kind: CSS class of its marks.
        values: One a step, the first for the given circuit.
        labels: What the pointer shows at each value.
        bars: Bars from 0, instead of a line over the range of the values.
    """

    title: str
    kind: str
    values: Sequence[float]
    labels: Sequence[str]
    bars: bool = False


def plot(panels: Sequence[Panel]) -> str:
    """Panels below each other over one axis of steps. Cost: linear."""
    count = max(len(panel.values) for panel in panels)
    height = TOP + len(panels) * (PANEL + GAP)
    room = (WIDTH - LEFT - RIGHT) / max(count, 1)

    def across(index: int) -> float:
        return LEFT + room * (index + 0.5)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(", ".join(panel.title for panel in panels))}">'
    ]
    for number, panel in enumerate(panels):
        parts += _panel(panel, TOP + number * (PANEL + GAP), across, room)
    parts += _steps(count, height - GAP + 16, across)
    parts.append("</svg>")
    return "\n".join(parts)


def _panel(panel: Panel, top: float, across: Callable[[int], float], room: float) -> list[str]:
    low, high, step = scale(panel.values, from_zero=panel.bars)

    def down(value: float) -> float:
        return top + PANEL * (1 - (value - low) / (high - low))

    parts = [f'<g class="panel {panel.kind}">', f'<text class="title" x="{LEFT}" y="{top - 9:.1f}">']
    parts[-1] += f"{escape(panel.title)}</text>"
    for tick in range(round((high - low) / step) + 1):
        value = low + tick * step
        y = down(value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 8}" y="{y + 4:.1f}">{_number(value, step)}</text>')
    places = [(across(index), down(value)) for index, value in enumerate(panel.values)]
    if panel.bars:
        wide = min(room * 0.7, 40)
        marks = [
            f'<rect class="point" x="{x - wide / 2:.2f}" y="{y:.2f}" width="{wide:.2f}" '
            f'height="{max(down(low) - y, 0):.2f}">'
            for x, y in places
        ]
    else:
        line = " ".join(f"{x:.2f},{y:.2f}" for x, y in places)
        parts.append(f'<polyline class="line" points="{line}"/>')
        radius = min(4.0, max(1.2, room * 0.35))
        marks = [f'<circle class="point" cx="{x:.2f}" cy="{y:.2f}" r="{radius:.2f}">' for x, y in places]
    for mark, label in zip(marks, panel.labels, strict=True):
        parts.append(f"{mark}<title>{escape(label)}</title></{mark[1:].partition(' ')[0]}>")
    parts.append("</g>")
    return parts


def _steps(count: int, y: float, across: Callable[[int], float]) -> list[str]:
    every = max(1, math.ceil(count / MOST_LABELS))
    labels = [
        f'<text class="step" x="{across(index):.1f}" y="{y:.1f}">{index or "given"}</text>'
        for index in range(0, count, every)
    ]
    middle = (LEFT + WIDTH - RIGHT) / 2
    return [*labels, f'<text class="step" x="{middle:.1f}" y="{y + 18:.1f}">step</text>']


def scale(values: Sequence[float], *, from_zero: bool = False) -> tuple[float, float, float]:
    """Least and largest number of an axis and the distance of its ticks, at most seven of them."""
    low, high = min([*values, 0.0] if from_zero else values), max(values)
    if high <= low:
        high = low + (abs(low) or 1.0)
    rough = (high - low) / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * times for times in (1, 2, 5, 10) if unit * times >= rough * 0.999)
    return math.floor(low / step) * step, math.ceil(high / step) * step, step


def _number(value: float, step: float) -> str:
    digits = max(0, -math.floor(math.log10(step)))
    return f"{value:,.{digits}f}".replace(",", "\u202f")
