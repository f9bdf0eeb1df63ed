"""`dynomite opt --report`: one page on a run, with everything it needs inside and no scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from dmt_dialect.synthesis.report_plot import Panel, plot

if TYPE_CHECKING:
    from dmt_dialect.synthesis.optimize import Optimized
    from dmt_dialect.synthesis.runner import Size, StepRecord

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --soft: #6b7280; --rule: #d8dbe0; --paper: #fff;
  --size: #0b6bcb; --level: #b4530a; --time: #6f7f92; --good: #1a7f37; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa4b0; --rule: #3a4048;
  --paper: #16181c; --size: #6cb6ff; --level: #f0a35e; --time: #8d9bad; --good: #57c26f; --bad: #ff7b72; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto;
  max-width: 62rem; padding: 1.5rem; }
h1 { font-size: 1.35rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 1.8rem 0 .5rem; }
code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere; } p { margin: .2rem 0; }
.figures { display: flex; flex-wrap: wrap; gap: .4rem 2.2rem; margin: 1rem 0; }
.figures div { min-width: 7rem; } .figures b { display: block; font-size: 1.25rem; font-weight: 600; }
.figures span, .soft { color: var(--soft); }
.good { color: var(--good); } .bad { color: var(--bad); }
svg { width: 100%; height: auto; display: block; }
svg text { font: 12px system-ui, sans-serif; fill: var(--soft); }
svg .title { fill: var(--ink); font-weight: 600; }
.tick { text-anchor: end; } .step { text-anchor: middle; } .grid { stroke: var(--rule); stroke-width: 1; }
.line { fill: none; stroke-width: 2; }
.size .line { stroke: var(--size); } .size .point { fill: var(--size); }
.level .line { stroke: var(--level); } .level .point { fill: var(--level); }
.time .point { fill: var(--time); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
th { font-weight: 600; } th.text, td.text { text-align: left; white-space: normal; }
td { font-variant-numeric: tabular-nums; }
""".strip()


def report_page(result: Optimized, name: str = "") -> str:
    """The page as HTML text.

    Args:
        result: The run.
        name: What the circuit is called, such as its path.
    """
    title = escape(name or result.aig.name or "circuit")
    body = [
        f"<h1>{title}</h1>",
        f"<p>Pipeline <code>{escape(result.pipeline)}</code></p>",
        *_figures(result),
        "<h2>After each step</h2>",
        plot(panels(result.before, result.steps)),
        "<h2>Gains by pass</h2>",
        *_gains(result),
        "<h2>Steps</h2>",
        *_steps(result.before, result.steps),
        *(f'<p class="soft">{escape(note)}</p>' for note in result.notes),
    ]
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<link rel="icon" href="data:,">\n<title>{title}: synthesis</title>',
            f"<style>\n{_STYLE}\n</style>\n</head>\n<body>",
            *body,
            "</body>\n</html>\n",
        ]
    )


def panels(before: Size, steps: Sequence[StepRecord]) -> list[Panel]:
    """What the plot shows: the given circuit, then one value a step."""
    sizes = [before, *(step.after for step in steps)]
    names = ["given", *(f"{number}: {step.step}" for number, step in enumerate(steps, 1))]
    seconds = [0.0, *(step.seconds for step in steps)]

    def labels(values: Iterable[str]) -> list[str]:
        return [f"{name}, {value}" for name, value in zip(names, values, strict=True)]

    return [
        Panel("ANDs", "size", [s.ands for s in sizes], labels(f"{s.ands} ANDs" for s in sizes)),
        Panel("Levels", "level", [s.levels for s in sizes], labels(f"{s.levels} levels" for s in sizes)),
        Panel("Seconds", "time", seconds, labels(f"{value:.3f} s" for value in seconds), bars=True),
    ]


def _figures(result: Optimized) -> list[str]:
    before, after = result.before, result.after
    boxes = [_figure("ANDs", before.ands, after.ands), _figure("levels", before.levels, after.levels)]
    if before.latches:
        boxes.append(_figure("latches", before.latches, after.latches))
    boxes.append(f"<div><b>{result.seconds:.2f} s</b><span>{len(result.steps)} steps</span></div>")
    proof = '<b class="good">proved equal</b>' if result.verified else "<b>not checked</b>"
    boxes.append(f"<div>{proof}<span>result and given circuit</span></div>")
    early = f"Ended early ({escape(result.stop)}): the smallest circuit so far was taken."
    ended = [] if result.stop == "done" else [f'<p class="bad">{early}</p>']
    return ['<div class="figures">', *boxes, "</div>", *ended]


def _figure(what: str, before: int, after: int) -> str:
    change = f"{100 * (after - before) / before:+.1f} %" if before else "as before"
    return f"<div><b>{before} → {after}</b><span>{what}, {change}</span></div>"


def _gains(result: Optimized) -> list[str]:
    rows = [
        (gain.name, gain.runs, _signed(-gain.ands), _signed(-gain.levels), f"{gain.seconds:.3f}")
        for gain in result.gains
    ]
    return _table(("pass", "runs", "ANDs", "levels", "seconds"), rows, "gains")


def _steps(before: Size, steps: Sequence[StepRecord]) -> list[str]:
    rows: list[tuple[object, ...]] = [
        ("given", 0, "", before.ands, "", before.levels, before.latches, "", "")
    ]
    for number, step in enumerate(steps, 1):
        after, place = step.after, " / ".join(step.within)
        sizes = after.ands, _signed(-step.gain), after.levels, after.latches
        ended = "" if step.stop == "none" else step.stop
        rows.append((step.step, number, place, *sizes, f"{step.seconds:.3f}", ended))
    head = ("step", "#", "in", "ANDs", "change", "levels", "latches", "seconds", "ended")
    return _table(head, rows, "steps")


_TEXT_COLUMNS = ("pass", "step", "in", "ended")


def _table(head: Sequence[str], rows: Iterable[Sequence[object]], kind: str) -> list[str]:
    marks = [' class="text"' if column in _TEXT_COLUMNS else "" for column in head]
    lines = [f'<div class="scroll"><table class="{kind}">', "<thead><tr>"]
    lines += [f"<th{mark}>{column}</th>" for column, mark in zip(head, marks, strict=True)]
    lines.append("</tr></thead><tbody>")
    for row in rows:
        cells = (f"<td{mark}>{escape(str(cell))}</td>" for cell, mark in zip(row, marks, strict=True))
        lines.append(f"<tr>{''.join(cells)}</tr>")
    lines.append("</tbody></table></div>")
    return lines


def _signed(value: int) -> str:
    return f"{value:+d}" if value else "0"
