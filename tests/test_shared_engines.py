"""All engines say the same about the circuits of mcnc and iscas85: one that answers is never contradicted.

Partners are the circuits as other tools have rewritten them (also with a gate changed), and each circuit
swept and restructured by our own passes. Circuits that are small enough for diagrams get an answer of every
engine.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Literal, get_args

import pytest

import dynomite
from dmt_dialect.passes.check_equiv import EngineChoice
from dynomite import Aig
from tests.support.circuit_pairs import restructured
from tests.support.shared_data import Pair, read_pairs, shared_folder

Match = Literal["auto", "order"]
SUITES = ("mcnc/", "iscas85/")
PAIRS = [
    pair
    for pair in dict.fromkeys([*read_pairs("pairs.csv"), *read_pairs("pairs_more.csv")])
    if pair.left.startswith(SUITES)
]
LARGE = ("c6288", "c7552", "c3540", "c2670", "c5315")
"""Circuits that diagrams, or z3, may leave undecided."""
SECONDS, LARGE_SECONDS = 300.0, 30.0
"""Time for an answer; mostly it takes less than two seconds."""
ALGEBRA_SECONDS = 5.0
"""Control logic is nothing for algebra: it may leave it undecided."""


def circuit_files() -> list[str]:
    folder = shared_folder()
    if folder is None:
        return []
    found = [path for suite in SUITES for path in (folder / "circuits" / suite).rglob("*.blif")]
    return sorted(str(path.relative_to(folder / "circuits")) for path in found)


FILES = circuit_files()
QUICK_FILES = [name for name in FILES if name.split("/")[-1] in ("C432.blif", "apex6.blif", "vda.blif")]


def check(
    left: Path | Aig, right: Path | Aig, expected: str, match: Literal["auto", "order"], name: str
) -> None:
    statuses: dict[str, str] = {}
    by_output: dict[str, str] = {}
    large = any(part in name.lower() for part in LARGE)
    for engine in get_args(EngineChoice):
        limit = LARGE_SECONDS if large else SECONDS
        if engine == "algebra":
            limit = ALGEBRA_SECONDS
        verdict = dynomite.lec(left, right, engine=engine, match=match, timeout=limit)
        statuses[engine] = verdict.status
        for output in verdict.outputs:
            if output.status != "undecided":
                assert by_output.setdefault(output.name, output.status) == output.status, (engine, output)
    undecided = {engine for engine, status in statuses.items() if status == "undecided"}
    assert undecided <= ({"algebra", "sat", "bdd", "smt"} if large else {"algebra"}), statuses
    assert set(statuses.values()) - {"undecided"} == {expected}, statuses


def check_pair(pair: Pair, circuits: Path) -> None:
    match: Match = "order" if pair.by_order else "auto"
    check(circuits / pair.left, circuits / pair.right, pair.expected, match, pair.left)


def check_file(name: str, circuits: Path, rng: random.Random) -> None:
    aig = dynomite.read(circuits / name)
    check(aig, dynomite.sweep(aig)[0], "equivalent", "auto", name)
    if not aig.num_latches and aig.num_inputs:
        check(aig, restructured(aig, rng), "equivalent", "order", name)


@pytest.mark.parametrize("pair", PAIRS[:4] + PAIRS[-3:], ids=lambda pair: pair.name)
def test_engines_agree_on_a_few_pairs(pair: Pair, circuits: Path) -> None:
    if any(part in pair.left.lower() for part in LARGE):
        pytest.skip("in the slow ring")
    check_pair(pair, circuits)


@pytest.mark.parametrize("name", QUICK_FILES)
def test_engines_agree_on_a_few_circuits(name: str, circuits: Path, rng: random.Random) -> None:
    check_file(name, circuits, rng)


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_engines_agree_on_pairs(pair: Pair, circuits: Path) -> None:
    check_pair(pair, circuits)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_engines_agree_on_circuits(name: str, circuits: Path, rng: random.Random) -> None:
    check_file(name, circuits, rng)
