"""Counterexamples as tables."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from dmt_dialect.counterexample_table import ROWS, counterexample_csv, counterexample_table, value_text
from dmt_dialect.verdict import Bit, Counterexample
from dmt_dialect.word_values import word_values
from dynomite.tools.cli import Exit, main
from tests.support.shared_data import REPOSITORY


def word(name: str, bits: str) -> dict[str, Bit]:
    """Bits by name, the highest first in `bits`."""
    values: dict[str, Bit] = {"0": 0, "1": 1, "x": None}
    return {f"{name}[{k}]": values[bit] for k, bit in enumerate(reversed(bits))}


def example() -> Counterexample:
    one: dict[str, Bit] = {"one": 1}
    return Counterexample(
        output="s[1]",
        inputs=word("a", "0101") | one | word("free", "xxx"),
        latches=word("q", "1x"),
        left=word("s", "110") | one,
        right=word("s", "100") | one,
    )


def test_terminal() -> None:
    assert counterexample_table(example()) == [
        "inputs     value",
        "  a     4  5 (0x5)",
        "  one   1  1",
        "latches     value",
        "  q      2  0b1x",
        "outputs that differ     left     right",
        "  s                  3  6 (0x6)  4 (0x4)",
    ]


def test_csv_has_everything() -> None:
    rows = list(csv.DictReader(io.StringIO(counterexample_csv(example()))))
    assert [(row["kind"], row["name"], row["width"]) for row in rows] == [
        ("input", "a", "4"),
        ("input", "one", "1"),
        ("input", "free", "3"),
        ("latch", "q", "2"),
        ("output", "s", "3"),
        ("output", "one", "1"),
    ]
    assert [row["differs"] for row in rows] == ["0", "0", "0", "0", "1", "0"]
    assert (rows[0]["left_hex"], rows[0]["right_bits"]) == ("0x5", "0101")
    assert (rows[2]["left_hex"], rows[2]["left_bits"]) == ("", "xxx")
    assert (rows[4]["left_hex"], rows[4]["right_hex"]) == ("0x6", "0x4")


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        ("x" * 20, "x"),
        ("1" + "x" * 19, "[19]=1"),
        ("xx01" + "x" * 15 + "1", "[17:16]=0b01 [0]=1"),
        ("0" * 20, "0 (0x00000)"),
        ("1x", "0b1x"),
    ],
)
def test_wide_words(bits: str, text: str) -> None:
    (value,) = word_values(word("a", bits))
    assert value_text(value) == text


def test_many_rows_are_cut() -> None:
    many: dict[str, Bit] = {f"p{k}": 1 for k in range(ROWS + 5)}
    lines = counterexample_table(Counterexample("y", many, {}, {"y": 0}, {"y": 1}))
    assert "  ... and 5 more" in lines
    assert len(lines) == 1 + ROWS + 1 + 2


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(REPOSITORY / "examples" / name) for name in ("adder_ripple.aag", "adder_buggy.blif")]
    table = tmp_path / "example.csv"
    assert main(["lec", *paths, "--table", str(table)]) == Exit.DIFFERENT
    out = capsys.readouterr().out
    assert "outputs that differ" in out
    assert "  s                  8  " in out
    assert table.read_text().startswith("kind,name,width,left_hex")
    assert main(["lec", *paths, "--json", "--table", str(table)]) == Exit.DIFFERENT
    assert "outputs that differ" not in capsys.readouterr().out
