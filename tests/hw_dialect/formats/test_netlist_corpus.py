"""Every BLIF, EBLIF and .bench file of the shared circuits and cases; other tools read what is written."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from dynomite._native import hw as native
from dynomite._native import sim
from dynomite._native.aig import Aig
from dynomite.errors import ParseError
from dynomite.formats import read_circuit
from hw_dialect.formats.bench import read_bench, write_bench
from hw_dialect.formats.blif import read_blif, read_blif_with_notes, read_netlist, write_blif
from tests.support.oracles import evaluate_cycles, truth_tables
from tests.support.shared_data import Case, read_cases, shared_folder

SUFFIXES = re.compile(r"\.(blif|eblif|bench)(\.xz)?$")

# Files whose circuit is incomplete, so that only their netlist can be read, and what is missing.
INCOMPLETE = {
    "vtr/blif/adder.blif": 'model "adder" has no logic',
    "vtr/micro/clk_cond_with_ckbuf.blif": 'no model "ckbuf"',
    "vtr/micro/equivalent.blif": 'no model "IO_0"',
    "vtr/micro/mult8_ram8.blif": 'no model "mult_8"',
    "vtr/micro/sub_tile_directs.blif": 'no model "PRIMITIVE"',
    "vtr/micro/two_mult8_ram32.blif": 'no model "mult_8"',
    "vtr/misc/blink.abc.blif": 'model "adder" has no logic',
    "vtr/misc/blink.odin.blif": 'model "adder" has no logic',
    "vtr/misc/multiclock_buf.blif": 'no model "clkbuf"',
    "vtr/misc/simple_2_noc_1D_chain.blif": 'model "stratixiv_lcell_comb" has no logic',
    "vtr/misc/test.eblif": 'model "dff" has no logic',
    "vtr/misc/test_blank_param_attr.eblif": 'model "dff" has no logic',
    "yosys/alu_attr_param_cname.blif": 'no model "$_SDFF_PP0_"',
    "yosys/alu_buf.blif": 'no model "$_SDFF_PP0_"',
    "yosys/alu_conn.eblif": 'no model "$_SDFF_PP0_"',
    "yosys/alu_constcells.blif": 'no model "$_SDFF_PP0_"',
    "yosys/alu_flat.blif": 'no model "$_SDFF_PP0_"',
    "yosys/alu_gates.blif": 'cell "$_NOT_" needs a cell library',
    "yosys/alu_hier.blif": 'no model "$_SDFF_PP0_"',
    "yosys/alu_lut4.blif": 'signal "lo.b[0]" is never driven',
    "yosys/alu_noalias_impltf.blif": 'signal "$false" is never driven',
    "yosys/gatesi.blif": 'cell "ORNOT" needs a cell library',
}

# Wrong however it is read, and the error that then comes.
WRONG = {"yosys/alu_constcells.blif": 'signal "0" has two drivers: .names on line 6 and .names on line 9'}


@cache
def corpus() -> list[Path]:
    folder = shared_folder()
    if folder is None:
        return []
    files = (path for path in (folder / "circuits").rglob("*") if SUFFIXES.search(path.name))
    return sorted(path for path in files if identifier(path) not in WRONG)


def identifier(path: Path) -> str:
    folder = shared_folder()
    return str(path.relative_to(folder / "circuits")) if folder else path.name


FILES = pytest.mark.parametrize("path", corpus(), ids=identifier)


def read(path: Path) -> Aig:
    expected = INCOMPLETE.get(identifier(path))
    if expected is None:
        return read_circuit(path)
    with pytest.raises(ParseError, match=re.escape(expected)) as caught:
        read_circuit(path)
    assert caught.value.text
    return read_blif(path, black_boxes=True, free_undriven=True)


def simulated(aig: Aig) -> bytes:
    """Outputs and next states on random patterns."""
    roots = [*aig.literals("outputs").tolist(), *aig.literals("next_states").tolist()]
    schedule = sim.Schedule(aig, np.array(roots, dtype=np.uint32))
    run = schedule.run(256, seed=5)
    assert run is not None
    return run[0].tobytes()


def as_bytes(write: Callable[[Aig, io.BytesIO], object], aig: Aig) -> bytes:
    stream = io.BytesIO()
    write(aig, stream)
    return stream.getvalue()


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_are_refused_with_black_boxes_too(name: str, circuits: Path) -> None:
    with pytest.raises(ParseError, match=re.escape(WRONG[name])):
        read_blif(circuits / name, black_boxes=True, free_undriven=True)


@FILES
def test_every_file_is_read_and_survives_writing(path: Path) -> None:
    aig = read(path)
    for back in (read_blif(as_bytes(write_blif, aig)), read_bench(as_bytes(write_bench, aig))):
        for section in ("inputs", "outputs", "latches"):
            assert back.names(section) == aig.names(section)
        assert back.resets == aig.resets
        assert simulated(back) == simulated(aig)
    if ".bench" not in path.name:
        netlist = read_netlist(path)
        data = native.netlist_bytes(netlist)
        again = read_netlist(data)
        assert native.netlist_bytes(again) == data
        assert [(c.kind, c.attributes) for m in again.models for c in m.cells] == [
            (c.kind, c.attributes) for m in netlist.models for c in m.cells
        ]
        if identifier(path) not in INCOMPLETE:
            assert simulated(read_blif(data)) == simulated(aig)


def test_port_counts_of_the_index(circuits: Path) -> None:
    with (circuits / "index.csv").open(newline="", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["kind"] == "single"]
    checked = 0
    for row in rows:
        if not SUFFIXES.search(row["file"]) or not row["inputs"] or row["file"] in INCOMPLETE:
            continue
        aig = read_circuit(circuits / row["file"])
        counts = [aig.num_inputs, aig.num_outputs, aig.num_latches]
        assert counts == [int(row[key]) for key in ("inputs", "outputs", "latches")], row["file"]
        checked += 1
    assert checked > 200


CASES = [case for case in read_cases() if case.kind.startswith("blif")]


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_case(case: Case, shared: Path) -> None:
    path = shared / "cases" / case.files[0]
    if case.expected == "error":
        with pytest.raises(ParseError) as caught:
            read_blif(path)
        assert caught.value.line > 0
        for word in ERROR_WORDS[case.id]:
            assert word in str(caught.value), word
        return
    aig = read_blif(path)
    if case.operation.startswith("lec-vs:"):
        assert truth_tables(aig) == truth_tables(read_blif(path.with_name(case.operation.partition(":")[2])))
    if "truth" in case.data:
        assert truth_tables(aig) == case.data["truth"]
        assert truth_tables(read_blif(as_bytes(write_blif, aig))) == case.data["truth"]
    if "on_count" in case.data:
        assert "".join(truth_tables(aig)).count("1") == case.data["on_count"]
    if isinstance(case.data.get("inputs"), list):
        rows = [[c == "1" for c in row] for row in case.data["inputs"]]
        outputs, _ = evaluate_cycles(aig, rows, [bool(reset) for reset in aig.resets])
        assert ["".join("1" if bit else "0" for bit in row) for row in outputs] == case.data["outputs"]


ERROR_WORDS = {
    "blif-mixed-cover": ["mixed.blif:6", "mixes on-set and off-set rows"],
    "blif-undriven": ['signal "k" is never driven'],
    "blif-double-driver": ['"y" has two drivers', "line 4", "line 6"],
    "blif-cycle": ["combinational loop: y -> x -> y"],
    "blif-row-width": ["width.blif:5", "row has 1 column, .names has 2 inputs"],
    "blif-subckt-recursive": ['model "a" instantiates itself'],
    "blif-subckt-missing": ['no model "ghost"'],
    "r-blif-drv-latch": ['"q" has two drivers', ".latch", ".names"],
    "r-blif-undriven-latch": ['next-state signal "ghost"', "never driven"],
    "r-blif-hier-cycle": ["combinational loop", "v -> w -> buf2:0/p"],
    "r-blif-row-wide": ["row has 4 columns, .names has 2 inputs"],
}


def test_cases_with_details_of_their_own(shared: Path) -> None:
    folder = shared / "cases"
    wide = read_blif(folder / "wide.blif")
    assert (wide.num_ands, wide.depth) == (4999, 13)
    assert read_blif(folder / "nomodel.blif").name == "nomodel"
    assert truth_tables(read_blif(folder / "const.blif")) == ["00", "11", "00"]
    assert read_blif(folder / "r-blif-names-digit.blif").names("inputs") == ["0", "1", "a[10]", "a[2]"]
    latches = read_netlist(folder / "latches.blif")
    written = native.netlist_bytes(latches).decode()
    assert [line for line in written.splitlines() if line.startswith(".latch")] == [
        ".latch d q0",
        ".latch d q1 1",
        ".latch d q2 re clk 0",
        ".latch d q3 re clk 2",
        ".latch d q4 fe clk 3",
    ]
    _, notes = read_blif_with_notes(folder / "exdc.blif")
    assert "don't-cares" in notes[0][1]
    uninitialised = read_circuit(folder / "r-conv-uninit-to-blif.aag")
    text = as_bytes(write_blif, uninitialised).decode()
    assert [line.split()[-1] for line in text.splitlines() if line.startswith(".latch")] == ["3", "1", "0"]
    assert read_blif(text.encode()).resets == [None, 1, 0]


# Other tools


def abc(folder: Path, script: str) -> str:
    tool = shutil.which("berkeley-abc") or shutil.which("abc")
    if tool is None:
        pytest.skip("Berkeley ABC is not installed")
    run = subprocess.run(
        [tool, "-q", script], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    return run.stdout + run.stderr


EXCHANGED = [
    "iscas85/c432.bench",
    "iscas85/c1908.blif",
    "iscas85/c6288.bench",
    "mcnc/Combinational/apex2.blif",
    "mcnc/Combinational/vda.blif",
    "vtr/blif/misex3.blif",
    "vtr/micro/mult_4x4.blif",
]
SEQUENTIAL = [
    "iscas89/s27.blif",
    "mcnc/Sequential/bbsse.blif",
    "mcnc/Sequential/mm9a.blif",
    "vtr/blif/tseng.blif",
]


@pytest.mark.parametrize("suffix", ["blif", "bench"])
@pytest.mark.parametrize("name", EXCHANGED)
def test_abc_proves_what_is_written_equal(name: str, suffix: str, circuits: Path, tmp_path: Path) -> None:
    aig = read_circuit(circuits / name)
    (write_blif if suffix == "blif" else write_bench)(aig, tmp_path / f"ours.{suffix}")
    report = abc(tmp_path, f"cec {circuits / name} ours.{suffix}")
    assert "Networks are equivalent" in report, report


@pytest.mark.parametrize("name", SEQUENTIAL)
def test_abc_reads_latches(name: str, circuits: Path, tmp_path: Path) -> None:
    source = circuits / name
    if not source.exists():
        pytest.skip(f"{name} is not in the shared circuits")
    write_blif(read_circuit(source), tmp_path / "ours.blif")
    counts = [abc(tmp_path, f"read_blif {path}; strash; print_latch") for path in (source, "ours.blif")]
    pattern = re.compile(r"Total latches =.*")
    assert pattern.findall(counts[0]) == pattern.findall(counts[1]) != []
    report = abc(tmp_path, f"dsec {source} ours.blif")
    assert "Networks are equivalent" in report, report


def test_names_with_escapes_pass_through_abc(tmp_path: Path) -> None:
    aig = Aig()
    a, b = aig.add_inputs(2)
    aig.set_names("inputs", ["a b", "#"])
    aig.add_output(a & ~b, "x\\y")
    aig.add_output(~(a & ~b))
    write_blif(aig, tmp_path / "ours.blif")
    abc(tmp_path, "read_blif ours.blif; strash; write_blif theirs.blif")
    back = read_blif(tmp_path / "theirs.blif")
    assert back.names("inputs") == ["a b", "#"]
    assert back.names("outputs") == ["x\\y", None]
    assert truth_tables(back) == truth_tables(aig)


@pytest.mark.parametrize("name", ["iscas85/c432.bench", "vtr/blif/misex3.blif"])
def test_luts_of_abc_are_read(name: str, circuits: Path, tmp_path: Path) -> None:
    source = circuits / name
    abc(tmp_path, f"read {source}; strash; if -K 6; write_bench luts.bench; write_blif luts.blif")
    luts = read_bench(tmp_path / "luts.bench")
    assert simulated(luts) == simulated(read_circuit(source)) == simulated(read_blif(tmp_path / "luts.blif"))


def test_yosys_reads_what_is_written(circuits: Path, tmp_path: Path) -> None:
    tool = shutil.which("yosys")
    if tool is None:
        pytest.skip("Yosys is not installed")
    source = circuits / "vtr/blif/misex3.blif"
    aig = read_blif(source)
    write_blif(aig, tmp_path / "ours.blif")
    script = "read_blif ours.blif; hierarchy -auto-top; aigmap; write_blif theirs.blif"
    subprocess.run([tool, "-q", "-p", script], cwd=tmp_path, check=True, timeout=120, capture_output=True)
    theirs = read_blif(tmp_path / "theirs.blif")
    assert sorted(map(str, theirs.names("inputs"))) == sorted(map(str, aig.names("inputs")))
    report = abc(tmp_path, "cec ours.blif theirs.blif")
    assert "Networks are equivalent" in report, report
