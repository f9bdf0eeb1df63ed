"""The drawing of a difference: well-formed, of readable size, openable in a browser."""

from __future__ import annotations

import random
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dmt_dialect.explaining.drawing import FILLS, LEGEND, MOST_GATES, STROKES
from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.verdict import Verdict
from dynomite._native.aig import Aig
from dynomite.tools.cli import Exit, main
from tests.dmt_dialect.test_explaining import with_other_gate
from tests.support.browser import browser, open_page
from tests.support.circuit_pairs import differing_outputs, multiplier, restructured

SVG = "{http://www.w3.org/2000/svg}"


def drawn(left: Aig, right: Aig, folder: Path) -> tuple[Verdict, ElementTree.Element]:
    path = folder / "difference.svg"
    verdict = lec(left, right, svg=path)
    return verdict, ElementTree.fromstring(path.read_text("utf-8"))


def small_pair() -> tuple[Aig, Aig]:
    sides: list[Aig] = []
    for wrong in (False, True):
        aig = Aig()
        a, b, c = aig.add_inputs(["a<1>", "b&", 'c"'])
        inner = a & (~b if wrong else b)
        aig.add_net_name(inner, "inner")
        aig.add_output(inner & c, "y")
        sides.append(aig)
    return sides[0], sides[1]


def test_signals_colours_and_values(tmp_path: Path) -> None:
    verdict, root = drawn(*small_pair(), tmp_path)
    assert verdict.explanation is not None
    texts = [element.text or "" for element in root.iter(f"{SVG}text")]
    tooltips = [element.text or "" for element in root.iter(f"{SVG}title")]
    assert {"left=0", "right=1"} <= set(texts) or {"left=1", "right=0"} <= set(texts)
    fills = [element.get("fill") for element in root.iter(f"{SVG}rect")]
    for kind in ("left begins", "right begins"):
        assert fills.count(FILLS[kind]) == 2  # the gate and the legend
    assert fills.count(FILLS["equal"]) == 4
    assert any(tip.startswith("left inner = ") for tip in tooltips)
    assert set(LEGEND.values()) <= set(texts)
    strokes = {element.get("stroke") for element in root.iter(f"{SVG}path")}
    assert STROKES[1] in strokes
    assert STROKES[0] in strokes


def test_large_cones_are_cut(tmp_path: Path) -> None:
    right = multiplier(10, columns_first=True)
    left, _ = with_other_gate(multiplier(10, columns_first=False), random.Random(4))
    verdict, root = drawn(left, right, tmp_path)
    assert verdict.explanation is not None
    output = verdict.explanation.outputs[0]
    assert output.left_ands + output.right_ands > 2 * MOST_GATES
    fills = [element.get("fill") for element in root.iter(f"{SVG}rect")]
    gates = sum(fills.count(FILLS[kind]) for kind in ("left", "left begins", "right", "right begins"))
    assert gates <= 2 * MOST_GATES + 4
    assert fills.count(FILLS["more"]) > 1


@pytest.mark.skipif(browser() is None, reason="no browser is installed")
def test_a_browser_opens_it(tmp_path: Path) -> None:
    rng = random.Random(2)
    right = multiplier(4, columns_first=True)
    left, _ = with_other_gate(restructured(right, rng), rng)
    while not differing_outputs(left, right):
        left, _ = with_other_gate(restructured(right, rng), rng)
    _, root = drawn(left, right, tmp_path)
    opened = open_page(tmp_path / "difference.svg", tmp_path)
    assert not opened.console
    assert opened.document.count("<path") == len(list(root.iter(f"{SVG}path")))
    assert "parsererror" not in opened.document


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(tmp_path / name) for name in ("a.blif", "b.blif")]
    for path, row in zip(paths, ("11", "10"), strict=True):
        gates = f".names a b inner\n{row} 1\n.names inner c y\n11 1\n"
        Path(path).write_text(f".model m\n.inputs a b c\n.outputs y\n{gates}.end\n")
    svg = tmp_path / "d.svg"
    assert main(["lec", *paths, "--svg", str(svg)]) == Exit.DIFFERENT
    assert "y begins to differ:" in capsys.readouterr().out
    assert svg.read_text().startswith("<svg")
    assert main(["lec", *paths, "--explain"]) == Exit.DIFFERENT
    assert "repair on the left (proved): inner = " in capsys.readouterr().out
    other = tmp_path / "equal.svg"
    assert main(["lec", paths[0], paths[0], "--svg", str(other)]) == Exit.YES
    assert "no drawing was written" in capsys.readouterr().out
    assert not other.exists()
