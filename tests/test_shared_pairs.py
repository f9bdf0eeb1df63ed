"""Every pair of the shared tables gets the right verdict: never a wrong one, and in time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dynomite
from tests.support.shared_data import REPOSITORY, Pair, read_pairs

TIMEOUT_SECONDS = 60.0
PAIRS = read_pairs("pairs.csv")
MORE_PAIRS = read_pairs("pairs_more.csv")
# Pairs that take well under two seconds each, measured: these run on every change.
QUICK = frozenset((REPOSITORY / "tests" / "data" / "quick_pairs.txt").read_text("utf-8").split())
HARD = ("div", "sin", "sqrt", "log2", "hyp")


def may_stay_undecided(pair: Pair) -> bool:
    """Multipliers wider than 8 bits and the arithmetic giants may be undecided for now."""
    folder, _, file = pair.left.partition("/")
    if folder == "multipliers":
        width = re.search(r"_(\d+)\.", file)
        return width is None or int(width.group(1)) > 8
    return folder == "epfl" and file.removesuffix(".aig") in HARD


def verdict_of(pair: Pair, circuits: Path) -> str:
    """Status of one pair, counterexample checked by the toolkit before it is shown."""
    match = "order" if pair.by_order else "auto"
    verdict = dynomite.lec(circuits / pair.left, circuits / pair.right, match=match, timeout=TIMEOUT_SECONDS)
    if verdict.status == "different":
        assert verdict.counterexample is not None
    return verdict.status


def test_quick_list_fits_the_table(circuits: Path) -> None:
    assert circuits.is_dir()
    assert {pair.name for pair in PAIRS} >= QUICK
    assert len(QUICK) >= 30


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair.name in QUICK], ids=lambda pair: pair.name)
def test_quick_pair(pair: Pair, circuits: Path) -> None:
    assert verdict_of(pair, circuits) == pair.expected


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_pair(pair: Pair, circuits: Path) -> None:
    status = verdict_of(pair, circuits)
    if may_stay_undecided(pair):
        assert status in (pair.expected, "undecided")
    else:
        assert status == pair.expected


@pytest.mark.slow
@pytest.mark.parametrize("pair", MORE_PAIRS, ids=lambda pair: pair.name)
def test_more_pairs_never_wrong(pair: Pair, circuits: Path) -> None:
    assert verdict_of(pair, circuits) in (pair.expected, "undecided")
