"""VCD files, read back by an independent parser."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmt_dialect.bit_rows import characters_of
from dmt_dialect.formats.vcd import Section, escape, write_vcd
from dynomite.errors import UsageError
from tests.support.vcd_parser import parse_vcd


def dump(sections: dict[str, Section], **options: str) -> str:
    return "".join(f"{line}\n" for line in write_vcd(sections, **options))


def section(names: list[str], *lines: str) -> Section:
    return Section(names, characters_of(lines, len(names)))


def test_the_whole_text() -> None:
    text = dump(
        {
            "inputs": section(["a", "b"], "01", "01", "x1"),
            "outputs": section(["s[0]", "s[1]"], "10", "11", "11"),
        }
    )
    assert text.splitlines() == [
        "$version dynomite $end",
        "$timescale 1 ns $end",
        "$scope module top $end",
        "$scope module inputs $end",
        "$var wire 1 ! a $end",
        '$var wire 1 " b $end',
        "$upscope $end",
        "$scope module outputs $end",
        "$var wire 2 # s [1:0] $end",
        "$upscope $end",
        "$upscope $end",
        "$enddefinitions $end",
        "#0",
        "$dumpvars",
        "0!",
        '1"',
        "b01 #",
        "$end",
        "#1",
        "b11 #",
        "#2",
        "x!",
        "#3",
    ]


def test_a_date_only_on_request() -> None:
    sections = {"inputs": section(["a"], "0")}
    assert "$date" not in dump(sections)
    assert dump(sections, date="today").startswith("$date today $end\n")


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_values_read_back(data: st.DataObject) -> None:
    width, steps = data.draw(st.integers(1, 120)), data.draw(st.integers(1, 12))
    lines = data.draw(
        st.lists(st.text("01x", min_size=width, max_size=width), min_size=steps, max_size=steps)
    )
    names = [f"v{i}" for i in range(width)]
    waves = parse_vcd(dump({"w": section(names, *lines)}))
    assert waves.end == steps
    for time, line in enumerate(lines):
        assert "".join(waves.at(f"top/w/v{i}", time) for i in range(width)) == line
    # Only changes are written.
    assert all(
        list(c.values()) == [v for v, w in zip(c.values(), [None, *c.values()], strict=False) if v != w]
        for c in waves.changes.values()
    )


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=6))
def test_any_name_is_one_printable_word(names: list[str]) -> None:
    waves = parse_vcd(dump({"s": section(names, "0" * len(names))}))
    assert sum(waves.widths.values()) == len(names)


def test_names_are_escaped_without_collisions() -> None:
    assert escape("a_1$") == "a_1$"
    assert escape("1a") == "\\1a"
    assert escape("u1.x[3]") == "\\u1.x[3]"
    assert escape("a b%é\udcff") == "\\a%20b%25%C3%A9%FF"
    assert len({escape(n) for n in ("a b", "a%20b", "a%2520b", "\\a%20b")}) == 4


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a[2]", "a[0]", "a[1]"], {"a [2:0]": "110"}),
        (["a[4]", "a[5]"], {"a [5:4]": "01"}),
        (["a[0]", "a[2]"], {"\\a[0]": "1", "\\a[2]": "0"}),
        (["a[0]", "a[1]", "a"], {"\\a[0]": "1", "\\a[1]": "0", "a": "1"}),
        (["a[0]", "a[0]"], {"\\a[0]": "1", "\\a[0]%%2": "0"}),
        (["a[7]"], {"\\a[7]": "1"}),
        (["a[01]", "a[0]"], {"\\a[01]": "1", "\\a[0]": "0"}),
        (["m.a[0]", "m.a[1]"], {"\\m.a [1:0]": "01"}),
        (["m[1][0]", "m[1][1]", "m[0][0]"], {"\\m[1] [1:0]": "01", "\\m[0][0]": "1"}),
        (["a", "a", "a"], {"a": "1", "\\a%%2": "0", "\\a%%3": "1"}),
    ],
)
def test_buses(names: list[str], expected: dict[str, str]) -> None:
    waves = parse_vcd(dump({"s": section(names, "101"[: len(names)])}))
    assert {name: waves.at(f"top/s/{name}", 0) for name in expected} == expected
    assert len(waves.widths) == len(expected)


def test_a_bus_changes_as_one() -> None:
    waves = parse_vcd(dump({"s": section(["a[0]", "a[1]", "b"], "000", "010", "011", "100")}))
    assert waves.changes["top/s/a [1:0]"] == {0: "00", 1: "10", 3: "01"}
    assert waves.changes["top/s/b"] == {0: "0", 2: "1", 3: "0"}


def test_a_long_run() -> None:
    # More steps than are looked at in one go; the only change falls between two portions.
    lines = ["0"] * 4096 + ["1"] * 5000
    waves = parse_vcd(dump({"s": section(["a"], *lines)}))
    assert waves.changes["top/s/a"] == {0: "0", 4096: "1"}
    lines = ["01"[i % 2] for i in range(10_000)]
    waves = parse_vcd(dump({"s": section(["a"], *lines)}))
    assert waves.changes["top/s/a"] == dict(enumerate(lines))


def test_no_steps_and_no_signals() -> None:
    assert parse_vcd(dump({})).widths == {}
    assert parse_vcd(dump({"s": Section(["a"], np.zeros((0, 1), np.uint8))})).changes == {"top/s/a": {}}


def test_sections_must_have_equal_lengths() -> None:
    with pytest.raises(UsageError, match="lengths"):
        dump({"a": section(["a"], "0"), "b": section(["b"], "0", "1")})
