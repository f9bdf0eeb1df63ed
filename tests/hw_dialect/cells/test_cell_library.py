"""Cell libraries: expressions against evaluation, files against what is known of them, errors with places."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

import dynomite
from dynomite.errors import ParseError, UsageError
from hw_dialect.cells.expression import Place, Postfix, blif_of, evaluate, parse_expression, pins_of
from hw_dialect.cells.library import CellLibrary, read_library
from hw_dialect.formats.blif import read_blif
from tests.support.command import run_command

GENLIB = """# comment
GATE inv 1 O=!a;  PIN * INV 1 999 1.0 0.2 1.0 0.2
GATE nand2 2 O=!(a*b); PIN a INV 1 999 1 .2 1 .2
PIN b INV 1 999 1 .2 1 .2
GATE "aoi 21" 3 O=!((a*b)
  + c); PIN * INV 1 999 1 .2 1 .2
GATE xor2 5 O=a*!b+!a*b; PIN * UNKNOWN 2 999 1 .2 1 .2
GATE zero 0 O=CONST0;
LATCH dff 5 Q=D; PIN D NONINV 1 999 1 .2 1 .2
SEQ Q ANY RISING_EDGE
"""
LIBERTY = """/* a library */
library (demo) {
  delay_model : table_lookup;
  lu_table_template (t) { variable_1 : input_net_transition; index_1 ("0.1, 0.2"); }
  cell (NAND2) { area : 1.0;
    pin (A) { direction : input; } pin (B) { direction : input; }
    pin (Y) { direction : output; function : "!(A B)";
      timing () { related_pin : "A"; values ( "1, 2", \\
        "3, 4"); } }
  }
  cell (FA) {
    pin (A) { direction : input; } pin (B) { direction : input; } pin (CI) { direction : input; }
    pin (S) { direction : output; function : "A ^ B ^ CI"; }
    pin (CO) { direction : output; function : "(A*B) + (CI*(A+B))"; }
  }
  cell (DFF) {
    ff (IQ, IQN) { clocked_on : "CK"; next_state : "D"; }
    pin (D) { direction : input; } pin (CK) { direction : input; clock : true; }
    pin (Q) { direction : output; function : "IQ"; } pin (QN) { direction : output; function : "IQN"; }
  }
  cell (DFFR) {
    ff (IQ, IQN) { clocked_on : "CK"; next_state : "D"; clear : "!R"; }
    pin (D) { direction : input; } pin (CK) { direction : input; } pin (R) { direction : input; }
    pin (Q) { direction : output; function : "IQ"; }
  }
}
"""
HERE = Place("x", 1, 1)


def library(folder: Path, text: str, name: str = "cells.genlib") -> CellLibrary:
    path = folder / name
    path.write_text(text)
    return read_library(path)


def random_expression(rng: random.Random, depth: int) -> tuple[str, str]:
    """An expression, and the same for Python."""
    if depth == 0 or rng.random() < 0.1:
        pin = rng.choice(["a", "b", "c", "d[0]"])
        return pin, f"v[{pin!r}]"
    kind = rng.randrange(5)
    (left, python_left), (right, python_right) = (random_expression(rng, depth - 1) for _ in range(2))
    if kind == 0:
        return f"!({left})", f"(not {python_left})"
    if kind == 1:
        return f"({left})'", f"(not {python_left})"
    sign, word = [
        (rng.choice(["*", "&", " "]), "and"),
        (rng.choice(["+", "|"]), "or"),
        ("^", "!="),
    ][kind - 2]
    return f"({left}){sign}({right})", f"({python_left} {word} {python_right})"


def test_expressions_against_python(rng: random.Random) -> None:
    for _ in range(300):
        text, python = random_expression(rng, 4)
        steps = parse_expression(text, HERE)
        for _ in range(8):
            v = {pin: rng.random() < 0.5 for pin in ("a", "b", "c", "d[0]")}
            assert evaluate(steps, v) == eval(python, {"v": v})


def test_blif_of_expressions(rng: random.Random) -> None:
    for _ in range(100):
        steps = parse_expression(random_expression(rng, 4)[0], HERE)
        pins = pins_of(steps)
        text = "\n".join(
            [".model m", f".inputs {' '.join(pins)}", ".outputs y", *blif_of(steps, "y", "%n"), ".end\n"]
        )
        aig = read_blif(text.encode())
        for assignment in range(1 << len(pins)):
            values = [bool((assignment >> i) & 1) for i in range(len(pins))]
            found = aig.evaluate(aig.outputs, dict(zip(aig.inputs, values, strict=True)))
            assert found == [evaluate(steps, dict(zip(pins, values, strict=True)))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("!a*b", "(not a) and b"),
        ("a+b*c", "a or (b and c)"),
        ("a^b*c", "(a != b) and c"),
        ("a b'+c", "(a and not b) or c"),
        ("!a'", "not (not a)"),
        ("!!a", "a"),
        ("a (b+c) d", "a and (b or c) and d"),
        ("1*a + CONST0", "a"),
    ],
)
def test_binding(text: str, expected: str) -> None:
    steps: Postfix = parse_expression(text, HERE)
    for assignment in range(16):
        values = {name: bool((assignment >> i) & 1) for i, name in enumerate("abcd")}
        assert evaluate(steps, values) == eval(expected, dict(values))


@pytest.mark.parametrize("text", ["", "a+", "(a", "a)", "*a", "a @ b", "()", "!", "a+*b", "'a"])
def test_what_is_no_expression(text: str) -> None:
    with pytest.raises(ParseError, match=r"^x:1:\d+: error"):
        parse_expression(text, HERE)


def test_deep_expressions_do_not_recurse() -> None:
    steps = parse_expression("(" * 50_000 + "a" + ")" * 50_000 + "'" * 1001, HERE)
    assert evaluate(steps, {"a": True}) is False


def test_genlib(tmp_path: Path) -> None:
    cells = library(tmp_path, GENLIB).cells
    assert list(cells) == ["inv", "nand2", "aoi 21", "xor2", "zero", "dff"]
    assert cells["aoi 21"].inputs == ("a", "b", "c")
    assert cells["zero"].inputs == ()
    with pytest.raises(UsageError, match="latches are not supported"):
        cells["dff"].blif()


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("GATE g 1 O=a*;", (1, 14), "operand is missing"),
        ("\nGATE g x O=a;", (2, 8), "area"),
        ("GATE g 1 a;", (1, 9), "OUTPUT=EXPRESSION"),
        ("GATE g 1 O=a", (1, 1), "no ';'"),
        ("PIN * INV 1", (1, 1), "in front of the first gate"),
        ("FOO g", (1, 1), "expected GATE"),
    ],
)
def test_genlib_errors(tmp_path: Path, text: str, where: tuple[int, int], message: str) -> None:
    with pytest.raises(ParseError, match=message) as error:
        library(tmp_path, text)
    assert (error.value.line, error.value.column) == where


def test_liberty(tmp_path: Path) -> None:
    cells = library(tmp_path, LIBERTY, "demo.lib").cells
    assert list(cells) == ["NAND2", "FA", "DFF", "DFFR"]
    assert cells["FA"].inputs == ("A", "B", "CI")
    assert list(cells["FA"].outputs) == ["S", "CO"]
    assert cells["DFF"].registers[0].clock == "CK"
    assert "asynchronous clear" in cells["DFFR"].problem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("library (x) { cell (A) {", "has no }"),
        ("library (x) { } }", "} without {"),
        ("library (x) { cell (A) { area : 1 } }", "expected ';'"),
        (
            'library (x) { cell (A) { pin (Y) { direction : output; function : "A+"; } } }',
            "operand is missing",
        ),
        ("hello", "expected ':' or '('"),
        ("other (x) { }", "no library group"),
        ("library (x", "( without )"),
        ("library (x) { cell () { } }", "a cell has a name"),
    ],
)
def test_liberty_errors(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        library(tmp_path, text, "bad.lib")
    assert message in str(error.value)
    assert error.value.line >= 1


def test_deep_liberty_does_not_recurse(tmp_path: Path) -> None:
    text = "library (x) {" + "g () {" * 20_000 + "}" * 20_001
    assert library(tmp_path, text, "deep.lib").cells == {}


def test_netlists_of_cells(tmp_path: Path) -> None:
    (tmp_path / "demo.lib").write_text(LIBERTY)
    mapped = tmp_path / "mapped.blif"
    mapped.write_text(
        ".model m\n.inputs a b c clk\n.outputs s co q\n.gate FA A=a B=b CI=c S=s CO=co\n"
        ".gate NAND2 A=a B=b Y=n\n.subckt DFF D=n CK=clk Q=q0 QN=q\n.end\n"
    )
    plain = tmp_path / "plain.blif"
    plain.write_text(
        ".model m\n.inputs a b c clk\n.outputs s co q\n.names a b c s\n100 1\n010 1\n001 1\n111 1\n"
        ".names a b c co\n11- 1\n1-1 1\n-11 1\n.names a b n\n11 0\n.latch n x re clk 3\n"
        ".names x q\n0 1\n.end\n"
    )
    verdict = dynomite.lec(mapped, plain, library=tmp_path / "demo.lib", match="order")
    assert verdict.equivalent
    with pytest.raises(ParseError, match="--library"):
        dynomite.lec(mapped, plain, match="order")
    target = tmp_path / "flat.aig"
    outcome = run_command("convert", mapped, target, "--library", tmp_path / "demo.lib", folder=tmp_path)
    assert outcome.status == 0
    assert dynomite.read(target).num_latches == 1
    (tmp_path / "demo.lib").write_text(LIBERTY.replace("(NAND2)", "(NAND3)"))
    outcome = run_command("lec", mapped, plain, "--library", tmp_path / "demo.lib", folder=tmp_path)
    assert outcome.status == 2
    assert 'cell "NAND2" needs a cell library' in outcome.err


def test_a_suffix_that_says_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a \.genlib or a \.lib"):
        library(tmp_path, GENLIB, "cells.txt")


@pytest.mark.skipif(shutil.which("berkeley-abc") is None, reason="berkeley-abc is not installed")
def test_what_abc_maps(tmp_path: Path) -> None:
    text = GENLIB.replace("LATCH dff 5 Q=D; PIN D NONINV 1 999 1 .2 1 .2\nSEQ Q ANY RISING_EDGE\n", "")
    (tmp_path / "cells.genlib").write_text(text.replace('"aoi 21"', "aoi21") + "GATE one 0 O=CONST1;\n")
    source = Path(__file__).parents[3] / "examples" / "adder_checked.aig"
    script = f"read {source}; read_genlib cells.genlib; map; write_blif mapped.blif"
    subprocess.run(["berkeley-abc", "-c", script], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    mapped = tmp_path / "mapped.blif"
    assert ".gate" in mapped.read_text()
    assert dynomite.lec(source, mapped, library=tmp_path / "cells.genlib", match="order").equivalent
