"""The verb `sim`, as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dmt_dialect.sim_report import SimOptions, run_sim
from dmt_dialect.simulate import simulate
from dynomite.errors import DynomiteError, LimitError, ParseError, UsageError
from dynomite.formats.base import read_circuit
from dynomite.tools.sim_command import command
from tests.support.shared_data import Case, read_cases
from tests.support.vcd_parser import parse_vcd

HALF_ADDER = """aag 7 2 0 2 3
2
4
6
12
6 13 15
12 2 4
14 3 5
i0 a
i1 b
o0 sum
o1 carry
"""

# l1 is uninitialised and holds; q becomes (en & q) | (q & l1); bad when q and l1 are 1.
TOGGLE = """aag 7 1 2 1 3 1
2
4 13
6 6 6
4
14
10 2 4
12 11 15
14 4 6
i0 en
l0 q
o0 out
b0 both
"""

CYCLES = [c for c in read_cases() if "outputs" in c.data and isinstance(c.data.get("inputs"), list)]
TABLES = [c for c in read_cases() if "truth" in c.data and isinstance(c.data.get("inputs"), int)]


def run(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    result = CliRunner().invoke(command, [str(a) for a in arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def half_adder(tmp_path: Path) -> Path:
    path = tmp_path / "half_adder.aag"
    path.write_text(HALF_ADDER)
    return path


@pytest.fixture
def toggle(tmp_path: Path) -> Path:
    path = tmp_path / "toggle.aag"
    path.write_text(TOGGLE)
    return path


def test_the_example_of_the_help(half_adder: Path) -> None:
    result = run(half_adder, "--exhaustive")
    assert result.exit_code == 0
    expected = f"""# {half_adder}: all patterns of 2 inputs
# inputs: a b
# outputs: sum carry
# pattern inputs outputs
0 00 00
1 10 10
2 01 10
3 11 01
"""
    assert result.stdout == expected
    text = run("--help").stdout
    for line in expected.splitlines()[1:]:
        assert line in text


def test_random_is_repeatable_and_by_default_16(half_adder: Path) -> None:
    first, second = run(half_adder), run(half_adder, "--random", "16", "--seed", "1")
    assert first.stdout == second.stdout
    assert len(first.stdout.splitlines()) == 4 + 16
    assert "16 random patterns, seed 1" in first.stdout
    assert (
        run(half_adder, "--random", "100", "--seed", "2").stdout != run(half_adder, "--random", "100").stdout
    )
    lines = [line.split() for line in run(half_adder, "--random", "5000").stdout.splitlines()[4:]]
    assert [line[0] for line in lines] == [str(i) for i in range(5000)]
    model = simulate(read_circuit(half_adder), [line[1] for line in lines])
    assert [line[2] for line in lines] == model.outputs.lines()


def test_vectors(half_adder: Path, tmp_path: Path) -> None:
    vectors = tmp_path / "v.txt"
    vectors.write_text(".inputs b a\n01\n11\n")
    assert [line.split()[1:] for line in run(half_adder, "--vectors", vectors).stdout.splitlines()[4:]] == [
        ["10", "10"],
        ["11", "01"],
    ]
    piped = run(half_adder, "--vectors", "-", "--x", stdin="0x\n")
    assert piped.stdout.splitlines()[-1] == "0 0x x0"


def test_vectors_with_x_need_the_option(half_adder: Path) -> None:
    with pytest.raises(UsageError, match="--x"):
        run(half_adder, "--vectors", "-", stdin="0x\n")


def test_a_fault_in_the_vectors_has_a_place(half_adder: Path, tmp_path: Path) -> None:
    vectors = tmp_path / "v.txt"
    vectors.write_text("00\n0 2\n")
    with pytest.raises(ParseError) as caught:
        run(half_adder, "--vectors", vectors)
    assert str(caught.value).startswith(f"{vectors}:2:3: error: '2'")


def test_sequential(toggle: Path) -> None:
    result = run(toggle, "--vectors", "-", "--uninit", "1", stdin="1\n1\n0\n")
    assert (
        result.stdout
        == f"""# {toggle}: 3 cycles of -
# inputs: en
# latches: q l1
# outputs: out
# bad: both
# cycle inputs latches outputs bad
0 1 01 0 0
1 1 01 0 0
2 0 01 0 0
"""
    )
    assert result.stderr == "dynomite: note: 1 latch has no reset value: started with 1\n"


def test_witness_and_property_notes(toggle: Path) -> None:
    result = run(toggle, "--vectors", "-", stdin="1\nb0\n11\n0\n.\n")
    assert result.stdout.splitlines()[-1] == "0 0 11 1 1"
    assert result.stderr == "dynomite: note: bad-state property both is true in cycle 0\n"


def test_json(toggle: Path, half_adder: Path) -> None:
    data: dict[str, Any] = json.loads(run(toggle, "--random", "3", "--x", "--json").stdout)
    assert data["kind"] == "sequential"
    assert data["steps"] == 3
    assert data["seed"] == 1
    assert data["latches"]["names"] == ["q", "l1"]
    assert data["latches"]["values"][0] == "0x"
    assert data["notes"] == ["1 latch has no reset value: started with unknown (x)"]
    assert list(data["inputs"]) == ["names", "values"]
    data = json.loads(run(half_adder, "--exhaustive", "--json").stdout)
    assert data["outputs"] == {"names": ["sum", "carry"], "values": ["00", "10", "10", "01"]}
    assert data["kind"] == "combinational"


def test_vcd(half_adder: Path, toggle: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.vcd"
    assert run(half_adder, "--exhaustive", "--vcd", target, "-q").stdout == ""
    waves = parse_vcd(target.read_text("ascii"))
    assert "".join(waves.at("half_adder/outputs/sum", t) for t in range(4)) == "0110"
    assert "".join(waves.at("half_adder/inputs/a", t) for t in range(4)) == "0101"
    assert waves.end == 4
    first = target.read_bytes()
    run(half_adder, "--exhaustive", "--vcd", target, "-q")
    assert target.read_bytes() == first
    result = run(toggle, "--random", "4", "--x", "--vcd", "-")
    waves = parse_vcd(result.stdout)
    assert waves.at("toggle/latches/l1", 3) == "x"


def test_no_ports_at_all() -> None:
    nothing = "aag 0 0 0 0 0\n"
    assert run("-", "--from", "aag", "--random", "2", stdin=nothing).stdout.splitlines()[1:] == [
        "# pattern",
        "0",
        "1",
    ]
    data = json.loads(run("-", "--from", "aag", "--json", stdin=nothing).stdout)
    assert data["outputs"] == {"names": [], "values": [""] * 16}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["--random", "1", "--exhaustive"], UsageError, "exclude each other"),
        (["--random", str(2**40)], LimitError, "more than"),
        (["--vectors", "absent.txt"], UsageError, "absent.txt"),
    ],
)
def test_misuse(half_adder: Path, arguments: list[str], error: type[DynomiteError], message: str) -> None:
    with pytest.raises(error, match=message):
        run(half_adder, *arguments)


def test_exhaustive_needs_a_circuit_without_latches(toggle: Path) -> None:
    with pytest.raises(UsageError, match="without latches"):
        run(toggle, "--exhaustive")


def test_names_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "odd.aag"
    path.write_bytes(b"aag 1 1 0 1 0\n2\n3\ni0 a b\no0 \xff\xfe\n")
    result = run(path, "--exhaustive", "--vcd", tmp_path / "o.vcd")
    assert '# inputs: "a b"' in result.stdout
    assert "# outputs: \\xff\\xfe" in result.stdout
    assert set(parse_vcd((tmp_path / "o.vcd").read_text("ascii")).widths) == {
        "odd/inputs/\\a%20b",
        "odd/outputs/\\%FF%FE",
    }


def test_a_witness_reaches_its_bad_state(circuits: Path) -> None:
    path = circuits / "aiger" / "cnt1e.aag"
    result = run(path, "--vectors", path.with_suffix(".wit"), "--json")
    data = json.loads(result.stdout)
    assert data["inputs"]["values"] == ["1", "1"]
    assert data["bad"] == {"names": ["AIGER_NEVER"], "values": ["0", "1"]}
    assert data["notes"] == ["bad-state property AIGER_NEVER is true in cycle 1"]


@pytest.mark.parametrize("case", CYCLES, ids=lambda c: c.id)
def test_cycle_cases(case: Case, shared: Path, tmp_path: Path) -> None:
    path = shared / "cases" / case.files[0]
    vectors = tmp_path / "v.txt"
    vectors.write_text("".join(f"{line or '-'}\n" for line in case.data["inputs"]))
    data = json.loads(run(path, "--vectors", vectors, "--json").stdout)
    assert data["kind"] == "sequential"
    assert data["outputs"]["values"] == case.data["outputs"]


@pytest.mark.parametrize("case", TABLES, ids=lambda c: c.id)
def test_truth_cases(case: Case, shared: Path) -> None:
    path = shared / "cases" / case.files[0]
    report = run_sim(path, SimOptions(exhaustive=True))
    columns = ["".join(column) for column in zip(*report.simulation.outputs.lines(), strict=True)]
    assert columns == case.data["truth"]
