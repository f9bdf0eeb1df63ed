"""The page of `dynomite opt --report`: its text, and what a browser makes of it."""

from __future__ import annotations

import json
import math
import random
import re
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from dmt_dialect.synthesis import Optimized, optimize
from dmt_dialect.synthesis.report_page import report_page
from dmt_dialect.synthesis.report_plot import Panel, plot, scale
from dynomite._native.aig import Aig
from tests.support.browser import browser, open_page
from tests.support.generators import random_aig

PIPELINE = "strash; repeat(2){clean; sweep}; clean-up"

# Asks the browser where it has drawn the points, whether it fetched anything, whether tables have their rows.
PROBE = """<script>
const points = [...document.querySelectorAll('svg .point')].map(p => p.getBoundingClientRect());
const frame = document.querySelector('svg').getBoundingClientRect();
const inside = p => p.left >= frame.left && p.right <= frame.right
  && p.top >= frame.top && p.bottom <= frame.bottom;
document.body.setAttribute('data-seen', JSON.stringify({
  points: points.length, inside: points.filter(inside).length, width: frame.width,
  lefts: [...document.querySelectorAll('.size .point')].map(p => p.getBoundingClientRect().left),
  tops: [...document.querySelectorAll('.size .point')].map(p => p.getBoundingClientRect().top),
  fetched: performance.getEntriesByType('resource').length,
  rows: document.querySelectorAll('.steps tbody tr').length,
  title: document.querySelector('svg .point title').textContent,
}));
</script>"""


def run(pipeline: str = PIPELINE) -> Optimized:
    return optimize(random_aig(random.Random(3), 8, 300, 6, raw=True), pipeline, verify=True)


class Tags(HTMLParser):
    """Start and end tags match; attributes that could fetch something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "data", "action")]
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_fetches_nothing() -> None:
    page = report_page(run(), 'a<b>&"c".aig')
    tags = Tags()
    tags.feed(page)
    assert not tags.open
    assert tags.links == ["data:,"]
    assert "<script" not in page
    assert not re.search(r"url\(|@import", page)
    assert page.count("http") == 1  # the name space of SVG
    assert "<h1>a&lt;b&gt;&amp;&quot;c&quot;.aig</h1>" in page
    assert "proved equal" in page


def test_numbers() -> None:
    result = run()
    page = unescape(report_page(result))
    for number, step in enumerate(result.steps, 1):
        assert f"<title>{number}: {step.step}, {step.after.ands} ANDs</title>" in page
        assert f"<title>{number}: {step.step}, {step.after.levels} levels</title>" in page
    assert f"{result.before.ands} → {result.after.ands}" in page
    for gain in result.gains:
        assert f'<td class="text">{gain.name}</td><td>{gain.runs}</td>' in page
    assert page.count('class="point"') == 3 * (len(result.steps) + 1)


@pytest.mark.parametrize("pipeline", ["", "strash", "repeat(300){strash}"])
def test_few_and_many_steps(pipeline: str) -> None:
    result = run(pipeline)
    page = report_page(result)
    assert page.count('class="point"') == 3 * (len(result.steps) + 1)
    assert page.count('class="step"') <= 42


def test_an_empty_circuit_and_an_early_end() -> None:
    page = report_page(optimize(Aig(), "strash; sweep", timeout=0.0))
    assert "0 → 0" in page
    assert "Ended early (timeout)" in page
    assert "nan" not in page


@pytest.mark.parametrize(
    "values", [[0], [7], [1, 2], [0.0, 1e-9], [99_999, 100_001], [5, 5, 5], [3, 1_000_000], [0.001, 0.0049]]
)
def test_scales_hold_their_values(values: list[float]) -> None:
    for from_zero in (False, True):
        low, high, step = scale(values, from_zero=from_zero)
        assert low <= min(values)
        assert high >= max(values)
        assert low < high
        assert math.isclose((high - low) / step, round((high - low) / step), abs_tol=1e-6)
        assert round((high - low) / step) <= 7
        if from_zero:
            assert low == 0
    assert plot([Panel("A", "size", values, ["x"] * len(values))]).count("<circle") == len(values)


@pytest.mark.skipif(browser() is None, reason="no chromium")
def test_in_a_browser(tmp_path: Path) -> None:
    result = run()
    page = tmp_path / "report.html"
    page.write_text(report_page(result).replace("</body>", f"{PROBE}</body>"), "utf-8")
    opened = open_page(page, tmp_path)
    assert opened.console == []
    found = re.search(r'data-seen="([^"]*)"', opened.document)
    assert found is not None
    seen = json.loads(unescape(found[1]))
    count = len(result.steps) + 1
    assert seen["points"] == seen["inside"] == 3 * count
    assert seen["lefts"] == sorted(seen["lefts"])
    assert len(set(seen["lefts"])) == count
    # Fewer ANDs are drawn lower.
    sizes = [result.before.ands, *(step.after.ands for step in result.steps)]
    drawn = list(zip(sizes, seen["tops"], strict=True))
    for (size, top), (next_size, next_top) in pairwise(drawn):
        assert size == next_size or (size > next_size) == (top < next_top)
    assert sizes[0] > sizes[-1]
    assert seen["fetched"] == 0
    assert seen["rows"] == count
    assert seen["title"] == f"given, {result.before.ands} ANDs"
    assert seen["width"] > 500


@pytest.mark.skipif(browser() is None, reason="no chromium")
def test_the_browser_would_tell(tmp_path: Path) -> None:
    """Errors on a page do reach the console that the test above looks at."""
    page = tmp_path / "wrong.html"
    page.write_text("<!DOCTYPE html><body><script>nothing.there()</script></body>")
    assert "nothing is not defined" in "".join(open_page(page, tmp_path).console)


@pytest.mark.skipif(browser() is None, reason="no chromium")
def test_a_picture(tmp_path: Path) -> None:
    page, picture = tmp_path / "report.html", tmp_path / "report.png"
    page.write_text(report_page(run()), "utf-8")
    open_page(page, tmp_path, f"--screenshot={picture}")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 10_000
