"""Every shared circuit file survives: read, write in each format, read: the same circuit and names."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import dynomite
from dynomite import Aig
from dynomite.errors import ParseError, UsageError
from dynomite.formats import detect_format
from hw_dialect.formats.blif import read_blif, read_netlist, write_blif
from tests.support.shared_data import shared_folder

SUFFIXES = (".aag", ".aig", ".blif", ".eblif", ".bench", ".dyno")
# Read or written only; their own tests go both ways through another tool: ".json", ".v", ".smt2".
QUICK_BYTES = 12_000
SECTIONS = ("inputs", "latches", "outputs", "bad", "constraints", "justice", "fairness")
PROPERTIES = ("bad", "constraints", "justice", "fairness")


def circuit_files() -> list[str]:
    """Paths of the circuit files below the shared circuits, smallest first."""
    folder = shared_folder()
    if folder is None:
        return []
    root = folder / "circuits"
    files = [
        path
        for path in root.rglob("*")
        if path.is_file() and path.name.removesuffix(".xz").removesuffix(".gz").endswith(SUFFIXES)
    ]
    return [path.relative_to(root).as_posix() for path in sorted(files, key=lambda p: (p.stat().st_size, p))]


FILES = circuit_files()

# Files that are wrong, and what has to be said about them.
REFUSED = {
    "aiger/circt/delta-underflow.aig": "delta",
    "yosys/alu_constcells.blif": "two drivers",
}


def quick_files() -> list[str]:
    """Small files: at most three of each folder and suffix, the largest below the limit among them."""
    folder = shared_folder()
    groups: dict[tuple[str, str], list[str]] = {}
    for name in FILES:
        assert folder is not None
        path = folder / "circuits" / name
        if path.stat().st_size <= QUICK_BYTES:
            groups.setdefault((str(path.parent), path.suffix), []).append(name)
    return [
        name
        for names in groups.values()
        for name in dict.fromkeys([names[0], names[len(names) // 2], names[-1]])
    ]


def writes(aig: Aig, target: Path) -> bool:
    """Writes; false when the format cannot hold the circuit and says so."""
    try:
        dynomite.write(aig, target)
    except UsageError as error:
        holds_all = target.suffix in (".aag", ".aig")
        plain = not any(getattr(aig, section) for section in PROPERTIES)
        if holds_all or (plain and target.suffix == ".blif") or (plain and not aig.num_latches):
            raise AssertionError(f"refused without a reason: {error}") from error
        assert not target.exists(), "a refused write leaves no file"
        return False
    return True


def assert_same(before: Aig, after: Aig, suffix: str) -> None:
    """The same ports with the same names, resets and functions."""
    names_kept = SECTIONS if suffix in (".aag", ".aig") else ("inputs", "latches", "outputs")
    for section in names_kept:
        old, new = before.names(section), after.names(section)
        assert len(old) == len(new), section
        if suffix in (".aag", ".aig"):
            assert old == new, section
        else:  # these formats name everything, so unnamed ports come back with a name
            assert [a for a in old if a is not None] == [
                b for a, b in zip(old, new, strict=True) if a is not None
            ], section
    if suffix != ".bench":
        assert before.resets == after.resets
    if same_structure(before, after):
        return
    verdict = dynomite.lec(before, after, match="order", timeout=20)
    if verdict.undecided:  # a divider after technology mapping, hashed once more, is hard to prove
        assert_same_simulated(before, after)
    else:
        assert verdict.equivalent, str(verdict)


def assert_same_simulated(before: Aig, after: Aig) -> None:
    """The same outputs and next states for many random inputs and states."""
    left, right = (dynomite.simulate(aig, random=1 << 16, cut_latches=True) for aig in (before, after))
    assert np.array_equal(left.outputs.values, right.outputs.values)
    if before.num_latches:
        assert np.array_equal(left.next_states.values, right.next_states.values)


def same_structure(before: Aig, after: Aig) -> bool:
    """Identical nodes and literals: then nothing is left to prove."""
    return (
        np.array_equal(before.fanins, after.fanins)
        and all(
            np.array_equal(before.literals(section), after.literals(section))
            for section in ("outputs", "next_states", "bad", "constraints", "fairness")
        )
        and [[lit.raw for lit in group] for group in before.justice]
        == [[lit.raw for lit in group] for group in after.justice]
    )


def read_anything(path: Path) -> Aig:
    """Reads strictly where that is possible, else with black boxes cut and undriven signals free."""
    try:
        return dynomite.read(path)
    except ParseError as error:
        if not re.search("black box|never driven", error.message):
            raise
        return read_blif(path, black_boxes=True, free_undriven=True)


def check_netlist(path: Path, scratch: Path) -> None:
    """A netlist is written as it was read: hierarchy, black boxes, attributes, clocks."""
    first, second = scratch / "first.blif", scratch / "second.blif"
    netlist = read_netlist(path)
    write_blif(netlist, first)
    again = read_netlist(first)
    write_blif(again, second)
    assert first.read_bytes() == second.read_bytes()
    assert [model.name for model in again.models] == [model.name for model in netlist.models]
    assert_same(read_anything(path), read_anything(first), ".aag")


def check_file(name: str, circuits: Path, scratch: Path) -> None:
    """Reads, writes each format, reads again."""
    if name in REFUSED:
        with pytest.raises(ParseError, match=REFUSED[name]):
            read_anything(circuits / name)
        return
    before = read_anything(circuits / name)
    for suffix in SUFFIXES:
        target = scratch / f"out{suffix}"
        if not writes(before, target):
            continue
        after = dynomite.read(target)
        assert_same(before, after, suffix)
        again = scratch / f"again{suffix}"
        dynomite.write(after, again)
        if suffix in (".aag", ".aig"):
            assert again.read_bytes() == target.read_bytes(), "writing what was written changes nothing"
        target.unlink()
    if "blif" in name:
        check_netlist(circuits / name, scratch)


def test_files_are_found(circuits: Path) -> None:
    assert circuits.is_dir()
    assert len(FILES) > 1000
    assert {detect_format(name)[0].name for name in FILES} >= {"aag", "aig", "blif", "bench"}


@pytest.mark.parametrize("name", quick_files())
def test_quick_round_trip(name: str, circuits: Path, tmp_path: Path) -> None:
    check_file(name, circuits, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_round_trip(name: str, circuits: Path, tmp_path: Path) -> None:
    check_file(name, circuits, tmp_path)
