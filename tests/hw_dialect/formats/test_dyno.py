"""Files of dynomite text: reading, modules by name, writing AIGs, the command line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import dynomite
from dynomite.errors import ParseError, UsageError
from dynomite.formats.base import detect_format, split_module
from hw_dialect.builder import context
from hw_dialect.formats.dyno import read_dyno, read_module, write_dyno
from tests.support.command import Outcome
from tests.support.command import run_command as run_in
from tests.support.vcd_parser import parse_vcd

TWO = """using op
using hw
MODULE @ripple {
  IN %a:def(wire(8))
  IN %b:def(wire(8))
  ADD %s:def(wire(8)) %a %b
  OUT "s" %s
}
MODULE @wrong {
  IN %a:def(wire(8))
  IN %b:def(wire(8))
  OR %s:def(wire(8)) %a %b
  OUT "s" %s
}
MODULE @minus {
  IN %a:def(wire(8))
  IN %b:def(wire(8))
  NEG %n:def(wire(8)) %b
  SUB %s:def(wire(8)) %a %n
  OUT "s" %s
}
"""


@pytest.fixture
def run_command(tmp_path: Path) -> Callable[..., Outcome]:
    return partial(run_in, folder=tmp_path)


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.dyno"
    path.write_text(TWO)
    return path


def test_paths_with_modules() -> None:
    assert split_module("d/x.dyno::m") == ("d/x.dyno", "m")
    assert split_module("a::b/x.dyno.gz::t::m") == ("a::b/x.dyno.gz", "t::m")
    assert split_module("x.aig::m") == ("x.aig::m", "")
    assert split_module(b"x.dyno::m") == (b"x.dyno::m", "")
    assert detect_format("x.dyno.gz::m")[0].name == "dyno"


def test_modules_of_one_file(two: Path) -> None:
    assert dynomite.lec(f"{two}::ripple", f"{two}::minus").equivalent
    verdict = dynomite.lec(f"{two}::ripple", f"{two}::wrong")
    assert verdict.different
    with pytest.raises(
        UsageError, match=r"which module is meant.*@ripple, @wrong, @minus; say it as in FILE::"
    ):
        dynomite.read(two)
    with pytest.raises(UsageError, match="did you mean 'ripple'"):
        dynomite.read(f"{two}::riple")


def test_counterexample_in_words(two: Path, tmp_path: Path, run_command: Callable[..., Outcome]) -> None:
    waveform = tmp_path / "d.vcd"
    done = run_command("lec", f"{two}::ripple", f"{two}::wrong", "--json", "--vcd", waveform)
    assert done.status == 1, done.err
    cex = json.loads(done.out)["counterexample"]
    a, b = (cex["words"]["inputs"][name]["bits"] for name in "ab")
    failing = next(o["name"] for o in json.loads(done.out)["outputs"] if o["status"] == "different")
    assert cex["output"] == failing
    bit = int(failing.partition("[")[2][:-1])
    for free in (0, 1):
        x, y = (int(bits.replace("x", str(free)), 2) for bits in (a, b))
        assert (x + y >> bit) & 1 == cex["left"][cex["output"]]
        assert (x | y) >> bit & 1 == cex["right"][cex["output"]]
    shown = run_command("lec", f"{two}::ripple", f"{two}::wrong")
    assert "counterexample: a=" in shown.out
    assert "(s is " in shown.out
    signals = parse_vcd(waveform.read_text())
    assert signals


def test_convert_stats_sim(two: Path, tmp_path: Path, run_command: Callable[..., Outcome]) -> None:
    target = tmp_path / "r.blif"
    assert run_command("convert", f"{two}::ripple", target).status == 0
    assert dynomite.lec(target, f"{two}::minus").equivalent
    stats = json.loads(run_command("stats", f"{two}::ripple", "--json").out)
    assert (stats["inputs"], stats["outputs"], stats["name"]) == (16, 8, "ripple")
    done = run_command("sim", f"{two}::ripple", "--random", "4")
    assert done.status == 0
    for line in (line for line in done.out.splitlines() if not line.startswith("#")):
        _, inputs, outputs = line.split()
        a, b = int(inputs[7::-1], 2), int(inputs[:7:-1], 2)
        assert int(outputs[::-1], 2) == (a + b) & 255


def test_words_stay_words(two: Path, tmp_path: Path, run_command: Callable[..., Outcome]) -> None:
    target = tmp_path / "copy.dyno"
    assert run_command("convert", two, target).status == 0
    assert [line for line in target.read_text().splitlines() if "MODULE" in line] == [
        "hw.MODULE @ripple {",
        "hw.MODULE @wrong {",
        "hw.MODULE @minus {",
    ]
    packed = tmp_path / "copy.dyno.gz"
    packed.write_bytes(gzip.compress(target.read_bytes()))
    assert dynomite.lec(f"{packed}::minus", f"{two}::minus").equivalent


def test_errors_show_the_line(tmp_path: Path, run_command: Callable[..., Outcome]) -> None:
    path = tmp_path / "bad.dyno"
    path.write_text("using op\nusing hw\nMODULE @m {\n  IN %a:def(wire(2))\n  EQ %c:def(wire(2)) %a %a\n}\n")
    done = run_command("stats", path)
    assert done.status == 2
    assert done.err.splitlines()[:3] == [
        f"dynomite: {path}:5:3: error: op.EQ: the result must have 1 bit, not 2 bits",
        "      EQ %c:def(wire(2)) %a %a",
        "      ^",
    ]
    path.write_text("using op\nADDD %a:def(op.bits(1)) constant(0, 1)\n")
    assert f"{path}:2:1: error: " in run_command("stats", path).err


AIG = b"""aag 9 3 2 3 4 1 1
2
4
6
8 16 1
10 12
12
17
1
14
19
12 2 5
14 6 8
16 13 15
18 8 10
i0 a[0]
i1 a[1]
i2 b
l0 q
o0 y[0]
o1 y[1]
o2 z
b0 wrong
c0 given
"""


def test_aigs_become_modules_and_come_back(tmp_path: Path) -> None:
    from dmt_dialect.formats.aiger import read_aiger

    aig = read_aiger(AIG)
    path = tmp_path / "m.dyno"
    assert write_dyno(aig, path) == []
    text = path.read_text()
    assert "hw.IN %a:def(hw.wire(2))" in text
    assert 'hw.OUT "y"' in text
    back = read_dyno(path)
    for section in ("inputs", "outputs", "bad", "constraints"):
        assert back.names(section) == aig.names(section)
    assert back.names("latches") == ["q", "l1"]
    assert back.resets == aig.resets == [1, 0]
    assert dynomite.lec(aig, back, match="order").equivalent


def test_properties_without_a_place(tmp_path: Path) -> None:
    from dmt_dialect.formats.aiger import read_aiger

    live = read_aiger(b"aag 1 1 0 1 0 0 0 0 1\n2\n2\n2\n")
    with pytest.raises(UsageError, match="justice and fairness"):
        write_dyno(live, tmp_path / "m.dyno")
    assert write_dyno(live, tmp_path / "m.dyno", drop_properties=True) == [
        "justice and fairness properties were left out"
    ]


def test_names_that_come_twice(tmp_path: Path) -> None:
    from dmt_dialect.formats.aiger import read_aiger

    aig = read_aiger(b"aag 2 2 0 2 0\n2\n4\n2\n4\ni0 a\ni1 a\no0 b[0]\no1 b[0]\n")
    notes = write_dyno(aig, tmp_path / "m.dyno")
    assert len(notes) == 2
    assert "'a' comes twice" in notes[0]
    assert dynomite.lec(aig, tmp_path / "m.dyno", match="order").equivalent


def test_text_is_kept(tmp_path: Path) -> None:
    module = read_module(TWO.encode())
    assert module.context is not context()
    write_dyno(module, tmp_path / "m.dyno")
    again = read_module(tmp_path / "m.dyno")
    write_dyno(again, tmp_path / "n.dyno")
    assert (tmp_path / "m.dyno").read_bytes() == (tmp_path / "n.dyno").read_bytes()


def test_not_utf8() -> None:
    with pytest.raises(ParseError):
        read_dyno(b"using hw\nMODULE @\xff {}\n")
