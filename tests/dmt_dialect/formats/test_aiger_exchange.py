"""AIGER on the shared circuits and cases, and in exchange with other tools."""

from __future__ import annotations

import random
import shutil
import subprocess
from itertools import chain
from pathlib import Path

import pytest

from dmt_dialect.formats.aiger import read_aiger, write_aiger
from dynomite._native import io as native
from dynomite._native.aig import Aig
from dynomite.errors import ParseError
from tests.support.aiger_files import SECTIONS, assert_same_function, model_literals
from tests.support.generators import random_aig
from tests.support.oracles import truth_tables
from tests.support.reference_aiger import parse
from tests.support.shared_data import Case, read_cases, shared_folder


def written(aig: Aig, *, binary: bool) -> bytes:
    return native.aiger_bytes(aig, binary=binary)


def shared_files(folder: str) -> list[Path]:
    root = shared_folder()
    if root is None:
        return []
    found = (root / folder).rglob("*.a[ai]g*")
    return sorted(path for path in found if "witness" not in path.name)


GROUPS = sorted({path.parent for path in shared_files("circuits")})


@pytest.mark.parametrize("group", GROUPS, ids=["/".join(group.parts[-2:]) for group in GROUPS])
def test_round_trip_of_shared_circuits(group: Path) -> None:
    for path in shared_files("circuits"):
        if path.parent != group or path.name == "delta-underflow.aig":
            continue
        aig = read_aiger(path)
        ascii_data, binary_data = written(aig, binary=False), written(aig, binary=True)
        assert written(read_aiger(ascii_data), binary=False) == ascii_data, path
        for data in (ascii_data, binary_data):
            assert written(read_aiger(data), binary=True) == binary_data, path
        if len(binary_data) < 20_000:
            assert_file_is_kept(path, aig, ascii_data)


@pytest.mark.slow
def test_shared_circuits_against_the_reference(shared: Path) -> None:
    for path in shared_files("circuits"):
        if path.name != "delta-underflow.aig":
            aig = read_aiger(path)
            assert_file_is_kept(path, aig, written(aig, binary=False))


def assert_file_is_kept(path: Path, aig: Aig, ascii_data: bytes) -> None:
    """The independent reader sees the same in the original and in what was written."""
    if path.suffix not in (".aag", ".aig"):
        return
    old, new = parse(path.read_bytes()), parse(ascii_data)
    for letter in "ilobcjf":
        assert old.names(letter) == new.names(letter), path
        assert aig.names(SECTIONS[letter]) == old.names(letter), path
    assert [latch.reset for latch in old.latches] == [latch.reset for latch in new.latches], path
    assert len(old.ands) == len(new.ands), path
    rng, width = random.Random(str(path)), 64
    inputs = [rng.getrandbits(width) for _ in old.inputs]
    state = [rng.getrandbits(width) for _ in old.latches]
    values = [model.values(inputs, state, width) for model in (old, new)]
    seen = [
        model.pick(value, list(chain.from_iterable(model_literals(model).values())), width)
        for model, value in zip((old, new), values, strict=True)
    ]
    assert seen[0] == seen[1], path


CASES = [case for case in read_cases() if case.kind.startswith("aiger")]


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_shared_case(case: Case, shared: Path) -> None:
    path = shared / "cases" / case.files[0]
    # Files for which the row allows a clear error as well, and this reader gives one.
    if case.expected == "error" or case.id == "aag-crlf":
        with pytest.raises(ParseError):
            read_aiger(path)
        return
    aig = read_aiger(path)
    model = parse(path.read_bytes())
    assert_same_function(aig, model)
    for binary in (False, True):
        assert_same_function(read_aiger(written(aig, binary=binary)), model)
    if "truth" in case.data:
        assert truth_tables(aig) == case.data["truth"]


# Other tools read what is written


def sample(rng: random.Random) -> Aig:
    aig = random_aig(rng, 6, 60, 5, 0, raw=True)
    aig.set_names("inputs", [f"in[{i}]" for i in range(6)])
    aig.set_names("outputs", [f"out[{i}]" for i in range(5)])
    aig.comments = ["made by a test"]
    return aig


@pytest.mark.skipif(shutil.which("berkeley-abc") is None, reason="berkeley-abc is not installed")
def test_abc_reads_what_is_written(tmp_path: Path, rng: random.Random) -> None:
    aig = sample(rng)
    write_aiger(aig, tmp_path / "x.aig")
    script = "read x.aig; write_aiger -s y.aig; &r x.aig; &w z.aig"
    done = subprocess.run(
        ["berkeley-abc", "-c", script], cwd=tmp_path, capture_output=True, timeout=60, check=False
    )
    assert b"rror" not in done.stdout + done.stderr, done.stdout
    for name in ("y.aig", "z.aig"):
        back = read_aiger(tmp_path / name)
        assert truth_tables(back) == truth_tables(aig)
        assert back.names("inputs") == aig.names("inputs")
        assert back.names("outputs") == aig.names("outputs")


@pytest.mark.skipif(shutil.which("yosys") is None, reason="yosys is not installed")
@pytest.mark.parametrize("suffix", ["aag", "aig"])
def test_yosys_reads_what_is_written(tmp_path: Path, rng: random.Random, suffix: str) -> None:
    aig = sample(rng)
    write_aiger(aig, tmp_path / f"x.{suffix}")
    script = f"read_aiger x.{suffix}; aigmap; clean; write_aiger -symbols y.aig"
    done = subprocess.run(
        ["yosys", "-q", "-p", script], cwd=tmp_path, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    back = read_aiger(tmp_path / "y.aig")
    # Yosys orders ports its own way.
    for section in ("inputs", "outputs"):
        assert set(back.names(section)) == set(aig.names(section))
    place = [back.names("inputs").index(name) for name in aig.names("inputs")]
    old, new = truth_tables(aig), truth_tables(back)
    for index, name in enumerate(aig.names("outputs")):
        table = new[back.names("outputs").index(name)]
        for k in range(64):
            moved = sum((k >> i & 1) << place[i] for i in range(6))
            assert old[index][k] == table[moved], (name, k)
