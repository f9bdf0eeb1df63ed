"""Verilog written from netlists, read back through Yosys and proved equal."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

import dynomite
from dynomite import Aig
from dynomite.errors import UsageError
from hw_dialect.builder import Design, module
from hw_dialect.elaborate import elaborate, lower
from hw_dialect.formats.verilog import identifier, verilog_text, write_verilog
from hw_dialect.formats.yosys_json import read_yosys_net
from tests.hw_dialect.formats.test_yosys_json import needs_yosys
from tests.support.every_operator import every_operator
from tests.support.word_modules import random_design, random_stimuli, simulate_aig


def through_yosys(text: str, folder: Path) -> Aig:
    """The AIG of a Verilog module as Yosys reads it."""
    (folder / "m.v").write_text(text)
    script = f"read_verilog {folder}/m.v; proc; memory -nomap; write_json {folder}/m.json"
    done = subprocess.run(
        ["yosys", "-q", "-p", script], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr + text
    return lower(read_yosys_net(folder / "m.json"))


def test_text() -> None:
    with module("fma") as m:
        a, b, c = m.input("a", 8), m.input("b", 8), m.input("c", 8)
        m.output("y", a * b + c)
    assert verilog_text(elaborate(m.design)) == (
        "module fma(input [7:0] a, input [7:0] b, input [7:0] c, output [7:0] y);\n"
        "  wire [7:0] n3 = a * b;\n  wire [7:0] n4 = n3 + c;\n  assign y = n4;\nendmodule\n"
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a", "a"),
        ("_b$1", "_b$1"),
        ("u1/q", "\\u1/q "),
        ("module", "\\module "),
        ("1", "\\1 "),
        ("a b", "\\a%20b "),
    ],
)
def test_identifiers(name: str, shown: str) -> None:
    assert identifier(name) == shown


@needs_yosys
@pytest.mark.parametrize("width", [1, 2, 3, 5])
def test_every_operator(width: int, tmp_path: Path) -> None:
    net = elaborate(every_operator(width))
    verdict = dynomite.lec(lower(net), through_yosys(verilog_text(net), tmp_path), match="name", timeout=100)
    assert verdict.equivalent, str(verdict)


@needs_yosys
def test_random_modules(tmp_path: Path, rng: random.Random) -> None:
    for _ in range(6):
        net = elaborate(random_design(rng, operators=12, most=6, registers=2))
        back = through_yosys(verilog_text(net), tmp_path)
        aig = lower(net)
        if sorted(map(str, back.names("latches"))) == sorted(map(str, aig.names("latches"))):
            verdict = dynomite.lec(aig, back, match="name", free_inputs=True, timeout=60)
            assert verdict.equivalent, f"{verdict}\n{verilog_text(net)}"
        else:  # Yosys drops registers that never change, and names others after equal wires.
            widths = {name: width for name, width, _ in net.inputs()} | {"clock": 1}
            stimuli = random_stimuli(rng, widths, 50)
            assert simulate_aig(aig, stimuli) == simulate_aig(back, stimuli), verilog_text(net)


@needs_yosys
def test_state(tmp_path: Path) -> None:
    design = Design()
    with design.module("child") as child:
        q = child.reg("q", 3, clock=child.input("clk"), init=5, enable=child.input("en"))
        q.next = q + 1
        child.output("q", q)
    with design.module("top") as m:
        clk, en, rst, a = m.input("clk"), m.input("en"), m.input("rst"), m.input("a", 2)
        u = m.instance(child, "u 1", clk=clk, en=en)
        r = m.reg(
            "r", 3, clock=clk, negative_edge=True, reset=rst, reset_value=u["q"], asynchronous=True, init=2
        )
        r.next = u["q"]
        mem = m.mem("words", 3, 3, init=[4, 5, 6])
        mem.write(a, r, enable=en & rst, clock=clk)
        mem.write(a, u["q"], enable=r, clock=clk)
        m.output("y", mem.read(a) ^ r)
    net = elaborate(design)
    back = through_yosys(verilog_text(net), tmp_path)
    aig = lower(net)
    assert back.num_latches == aig.num_latches
    renamed = {name: name.replace("u 1/q", "u%201/q") for name in aig.names("latches") if name}
    aig.set_names("latches", [renamed[name or ""] for name in aig.names("latches")])
    verdict = dynomite.lec(aig, back, match="name", timeout=60)
    assert verdict.equivalent, f"{verdict}\n{verilog_text(net)}"


def test_gates_and_properties(tmp_path: Path) -> None:
    from dmt_dialect.formats.aiger import read_aiger

    aig = read_aiger(b"aag 3 2 0 1 1 1\n2\n4\n6\n7\n6 2 5\ni0 a\ni1 b\no0 y\n")
    with pytest.raises(UsageError, match="no properties"):
        write_verilog(aig, tmp_path / "m.v")
    assert write_verilog(aig, tmp_path / "m.v", drop_properties=True) == [
        "assertions and assumptions were left out"
    ]
    if shutil.which("yosys"):
        back = through_yosys((tmp_path / "m.v").read_text(), tmp_path)
        assert dynomite.lec(read_aiger(b"aag 3 2 0 1 1\n2\n4\n6\n6 2 5\ni0 a\ni1 b\no0 y\n"), back).equivalent
