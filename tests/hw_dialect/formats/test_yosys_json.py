"""Netlists of Yosys: each design in tests/data/verilog equals Yosys' own AIGER output, at three stages of
Yosys."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dynomite
from dmt_dialect.simulate import simulate_cycles
from dynomite import Aig
from dynomite.errors import ParseError
from hw_dialect.elaborate import elaborate, lower
from hw_dialect.formats.yosys_json import read_yosys_json, read_yosys_module, read_yosys_net
from hw_dialect.simulate import simulate_words
from tests.support.shared_data import REPOSITORY

VERILOG = sorted((REPOSITORY / "tests" / "data" / "verilog").glob("*.v"))
YOSYS = shutil.which("yosys")
needs_yosys = pytest.mark.skipif(YOSYS is None, reason="yosys is not installed")

SCRIPT = """read_verilog {source}; hierarchy -top {top}; proc; opt_clean; write_json {folder}/hierarchy.json;
memory -nomap; flatten; opt_clean; write_json {folder}/words.json;
memory_map; opt -full; write_json {folder}/registers.json;
async2sync; simplemap; techmap; opt; write_json {folder}/gates.json;
dffunmap; aigmap; clean; write_aiger -symbols {folder}/reference.aig"""
STAGES = ("hierarchy", "words", "registers", "gates")


def run_yosys(source: Path, top: str, folder: Path) -> None:
    script = SCRIPT.format(source=source, top=top, folder=folder).replace("\n", " ")
    done = subprocess.run(
        ["yosys", "-q", "-p", script], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr


def name_latches_alike(aig: Aig, reference: Aig, rng: random.Random) -> None:
    """Gives the latches of the reference the names of those that take the same values in a random run.

    The proof that follows is the judge: a wrong pairing is no equivalence.
    """
    names = aig.names("inputs")
    rows = [{name: str(rng.randrange(2)) for name in names} for _ in range(200)]
    named: dict[str, list[str | None]] = {}
    for circuit in (aig, reference):
        vectors = ["".join(row[name] for name in circuit.names("inputs")) for row in rows]
        columns = [
            "".join(column) for column in zip(*simulate_cycles(circuit, vectors).latches.lines(), strict=True)
        ]
        if circuit is aig:
            for name, column in zip(aig.names("latches"), columns, strict=True):
                named.setdefault(column, []).append(name)
        else:
            reference.set_names("latches", [named[column].pop(0) for column in columns])


@needs_yosys
@pytest.mark.parametrize("source", VERILOG, ids=lambda path: path.stem)
def test_equals_yosys(source: Path, tmp_path: Path, rng: random.Random) -> None:
    run_yosys(source, source.stem, tmp_path)
    for stage in STAGES:
        net = read_yosys_net(tmp_path / f"{stage}.json")
        assert net.name == source.stem
        aig = lower(net)
        reference = dynomite.read(tmp_path / "reference.aig")
        assert reference.num_latches == aig.num_latches
        name_latches_alike(aig, reference, rng)
        verdict = dynomite.lec(aig, reference, match="name", timeout=60)
        assert verdict.equivalent, f"{stage}: {verdict}"


def test_designs_are_a_dozen() -> None:
    assert len(VERILOG) >= 12


def cell(kind: str, connections: dict[str, list[int | str]], **parameters: int | str) -> dict[str, object]:
    return {"type": kind, "parameters": parameters, "connections": connections}


def module_of(
    inputs: dict[str, list[int | str]],
    outputs: dict[str, list[int | str]],
    *cells: dict[str, object],
    nets: dict[str, object] | None = None,
) -> bytes:
    ports = {name: {"direction": "input", "bits": bits} for name, bits in inputs.items()}
    ports |= {name: {"direction": "output", "bits": bits} for name, bits in outputs.items()}
    module = {"ports": ports, "cells": {f"c{i}": c for i, c in enumerate(cells)}, "netnames": nets or {}}
    return json.dumps({"modules": {"m": module}}).encode()


def test_signed_division_of_the_library() -> None:
    # 4 bits and 3 bits, both signed, into 5 bits; floor and truncation.
    names = ("$div", "$mod", "$divfloor", "$modfloor")
    cells = [
        cell(
            kind,
            {"A": [2, 3, 4, 5], "B": [6, 7, 8], "Y": list(range(10 + 5 * i, 15 + 5 * i))},
            A_SIGNED=1,
            B_SIGNED=1,
        )
        for i, kind in enumerate(names)
    ]
    outputs: dict[str, list[int | str]] = {
        name: list(range(10 + 5 * i, 15 + 5 * i)) for i, name in enumerate(("d", "m", "df", "mf"))
    }
    net = read_yosys_net(module_of({"a": [2, 3, 4, 5], "b": [6, 7, 8]}, outputs, *cells))
    for a in range(16):
        for b in (1, 2, 3, 4, 5, 6, 7):
            x, y = (a ^ 8) - 8, (b ^ 4) - 4
            quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
            expected = {"d": quotient, "m": x - quotient * y, "df": x // y, "mf": x % y}
            assert simulate_words(net, [{"a": a, "b": b}]).outputs == [
                {k: v & 31 for k, v in expected.items()}
            ]


LUT = 0b1001011011010010
A: list[int | str] = [2, 3, 4, 5]
Y: list[int | str] = [6, 7, 8, 9, 10, 11]
Y1: list[int | str] = [6]
OTHER: list[tuple[bytes, Callable[[int], int]]] = [
    (
        module_of({"a": A}, {"y": Y}, cell("$pow", {"A": A, "B": ["1", "0", "1"], "Y": Y})),
        lambda a: a**5 & 63,
    ),
    (
        module_of({"a": A}, {"y": Y1}, cell("$bmux", {"A": ["1", "0", "0", "1"] * 4, "S": A, "Y": Y1})),
        lambda a: int("1001"[a % 4]),
    ),
    (
        module_of({"a": A}, {"y": Y1}, cell("$lut", {"A": A, "Y": Y1}, LUT=LUT, WIDTH=4)),
        lambda a: LUT >> a & 1,
    ),
]


@pytest.mark.parametrize(("source", "function"), OTHER, ids=["pow", "bmux", "lut"])
def test_other_cells(source: bytes, function: Callable[[int], int]) -> None:
    net = read_yosys_net(source)
    for value in range(16):
        assert simulate_words(net, [{"a": value}]).outputs == [{"y": function(value)}]


def test_alu() -> None:
    a: list[int | str] = [2, 3, 4]
    b: list[int | str] = [5, 6, 7]
    outputs: dict[str, list[int | str]] = {"y": [10, 11, 12], "x": [13, 14, 15], "co": [16, 17, 18]}
    connections: dict[str, list[int | str]] = {
        "A": a,
        "B": b,
        "CI": [8],
        "BI": [9],
        "Y": outputs["y"],
        "X": outputs["x"],
        "CO": outputs["co"],
    }
    net = read_yosys_net(
        module_of({"a": a, "b": b, "ci": [8], "bi": [9]}, outputs, cell("$alu", connections))
    )
    for value in range(1 << 8):
        x, y, ci, bi = value & 7, value >> 3 & 7, value >> 6 & 1, value >> 7
        z = y ^ 7 * bi
        carries = sum((((x & (2 << i) - 1) + (z & (2 << i) - 1) + ci) >> (i + 1) & 1) << i for i in range(3))
        expected = {"y": (x + z + ci) & 7, "x": x ^ z, "co": carries}
        assert simulate_words(net, [{"a": x, "b": y, "ci": ci, "bi": bi}]).outputs == [expected]


def test_names_and_notes() -> None:
    source = module_of(
        {"a": [2, 3]},
        {"y": [4, 5], "z": [2, "x"]},
        cell("$not", {"A": [2, 3], "Y": [4, 5]}),
        nets={"inner": {"bits": [4, 5], "hide_name": 0}, "mixed": {"bits": [3, 4], "hide_name": 0}},
    )
    notes: list[str] = []
    net = read_yosys_net(source, notes=notes)
    assert {"a", "mixed"} <= {name for name, _, _ in net.signals()}
    assert notes == ["module m: constant bits that are x are taken as 0"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"{", "this is no JSON"),
        (b"[]", "object with 'modules'"),
        (b'{"modules": {"m": {"ports": 3}}}', "module m: 'ports' is no object"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"modules": ' + b"9" * 5_000 + b"}", "more than 4300 digits"),
        (module_of({}, {"y": [2]}), "the net .* has no driver"),
        (module_of({"a": [2]}, {}, cell("$not", {"A": [2], "Y": [2]})), "driven twice"),
        (module_of({"a": [2]}, {"y": [3]}, cell("$tribuf", {"A": [2], "EN": [2], "Y": [3]})), r"\$tribuf"),
        (module_of({"a": [2]}, {"y": [3]}, cell("$dlatch", {"D": [2], "EN": [2], "Q": [3]})), r"\$dlatch"),
        (
            module_of({"a": [2]}, {"y": [3]}, cell("child", {"a": [2], "y": [3]})),
            "module that is not in the file",
        ),
        (module_of({"a": [2]}, {"y": ["z"]}), "a bit that is z"),
        (
            module_of({"a": [2]}, {"y": [3]}, cell("$pow", {"A": [2], "B": [2], "Y": [3]})),
            "constant exponent",
        ),
    ],
)
def test_wrong_files(source: bytes, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        read_yosys_json(source)


@needs_yosys
def test_places_come_from_verilog(tmp_path: Path) -> None:
    source = tmp_path / "loop.v"
    source.write_text(
        "module loop (input a, output y);\n  wire t;\n  assign t = y & a;\n  assign y = t | a;\nendmodule\n"
    )
    script = f"read_verilog {source}; proc; write_json {tmp_path}/loop.json"
    subprocess.run(["yosys", "-q", "-p", script], check=True, timeout=60)
    module, _ = read_yosys_module(tmp_path / "loop.json")
    with pytest.raises(dynomite.errors.VerifyError, match=r"loop\.v:[34]:\d+: error: combinational loop"):
        elaborate(module)


@pytest.mark.parametrize(
    "module",
    ["[]", "1", '"x"', "null", '{"attributes": []}', '{"attributes": 3, "ports": {}}', '{"ports": []}'],
)
def test_modules_of_the_wrong_shape(module: str) -> None:
    with pytest.raises(ParseError, match=r"module m: .*object"):
        read_yosys_json(f'{{"modules": {{"m": {module}}}}}'.encode())


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["ports", "a", "direction"], "sideways", "port a: its 'direction' is none of input, output, inout"),
        (["ports", "a", "bits"], {}, "port a: its 'bits': no list"),
        (["ports", "a"], 5, "a in 'ports' is no object"),
        (["cells", "c", "type"], 5, "cell c: its 'type' is no string"),
        (["cells", "c", "connections"], [], "cell c: 'connections' is no object"),
        (["cells", "c", "connections", "A"], "x", "cell c: the connection of A: no list"),
        (["cells", "c", "connections", "A"], [2.5], "a bit is the number of a net or a constant, not 2.5"),
        (["cells", "c", "connections", "A"], [None], "not None"),
        (["cells", "c", "connections", "A"], [True], "not True"),
        (["cells", "c", "connections", "A"], [-1], "not -1"),
        (["cells", "c", "connections", "A"], [[2]], r"not \[2\]"),
        (["cells", "c", "connections", "A"], ["q"], "a constant bit is .* not 'q'"),
        (["cells", "c", "parameters"], {"A_SIGNED": None}, "the parameter A_SIGNED is neither"),
        (["netnames"], {"n": {"bits": 3}}, "net n: its 'bits': no list"),
        (["memories"], {"n": {"width": "x", "size": 3}}, "memory n: its 'width' is no whole number"),
    ],
)
def test_what_is_not_as_yosys_writes_it_is_named(path: list[str], value: object, message: str) -> None:
    netlist: Any = json.loads(module_of({"a": [2]}, {"y": [3]}, cell("$not", {"A": [2], "Y": [3]})))
    at = netlist["modules"]["m"]
    (name,) = at["cells"]
    at["cells"] = {"c": at["cells"][name]}
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(ParseError, match=f"module m: .*{message}|module m: {message}"):
        read_yosys_json(json.dumps(netlist).encode())


def test_names_with_lone_surrogates_are_shown_as_bytes() -> None:
    source = module_of({"\ud800": [2]}, {"y": [3]}, cell("$not", {"A": [2], "Y": [3]}))
    assert read_yosys_json(source).names("inputs") == ["\\xed\\xa0\\x80"]


def test_errors_without_a_place_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "loop.json"
    file.write_bytes(module_of({"a": [2]}, {"y": [3]}, cell("$not", {"A": [3], "Y": [3]})))
    with pytest.raises(dynomite.errors.VerifyError, match=r"loop\.json: error: combinational loop"):
        read_yosys_json(file)
    file.write_bytes(b'{"modules": {}}')
    with pytest.raises(dynomite.errors.UsageError, match=r"loop\.json: which module is meant"):
        read_yosys_json(file)
