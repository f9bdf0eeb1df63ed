"""Extraction of divisors: proved on the circuits it is made for, and what it reaches there."""

from __future__ import annotations

import pytest

import dynomite
from dmt_dialect.aig import Aig
from dmt_dialect.synthesis import PassResult, known_passes, optimize
from dynomite._native.aig import circuit_hash
from dynomite._native.base import Stop
from dynomite.errors import UsageError
from tests.support.shared_data import ABSENT, shared_folder


def epfl(name: str) -> Aig:
    """A circuit of the EPFL set."""
    folder = shared_folder()
    if folder is None:
        pytest.skip(ABSENT)
    return dynomite.read(folder / "circuits" / "epfl" / f"{name}.aig")


def extract(aig: Aig, **params: int) -> PassResult:
    """The pass by itself."""
    return known_passes()["extract"](aig, params, Stop(), 1, 1)


@pytest.mark.parametrize(
    "params", ["", "(k=8)", "(k=5, growth=100)", "(k=8, products=12, literals=8, area=false)"]
)
@pytest.mark.parametrize(
    "name", ["adder", "arbiter", "bar", "cavlc", "i2c", "max", "priority", "router", "sin"]
)
def test_extracted_circuits_are_proved_equal(name: str, params: str) -> None:
    result = optimize(epfl(name), f"extract{params}", verify=True)
    assert result.verified


# With a little room above what is reached.
@pytest.mark.parametrize(
    ("name", "most"), [("arbiter", 5600), ("i2c", 1080), ("router", 185), ("cavlc", 660), ("priority", 860)]
)
def test_control_logic_gets_small(name: str, most: int) -> None:
    assert optimize(epfl(name), "until-converge(4){extract(k=8)}").after.ands <= most


def test_more_cuts_find_more_in_the_arbiter() -> None:
    result = optimize(epfl("arbiter"), "extract(k=8, cuts=24)", verify=True)
    assert result.after.ands < 6_300 < optimize(epfl("arbiter"), "extract(k=8)").after.ands


@pytest.mark.parametrize("name", ["adder", "max", "sin", "voter", "square"])
def test_nodes_that_would_grow_are_left_alone(name: str) -> None:
    aig = epfl(name)
    free = optimize(aig, "extract(k=8)").after.ands
    limited = optimize(aig, "extract(k=8, growth=100)")
    assert limited.after.ands <= 1.01 * limited.before.ands < free
    assert limited.steps[0].stats["kept"] > 0


@pytest.mark.parametrize("name", ["adder", "sin", "voter", "i2c", "router"])
def test_circuits_that_are_too_dense_are_given_back(name: str) -> None:
    aig = epfl(name)
    counts = extract(aig, k=6).stats
    density = 100 * counts["literals_before"] // aig.num_ands
    refused = extract(aig, k=6, density=density)
    assert circuit_hash(refused.aig) == circuit_hash(aig)
    assert refused.stats["extracted"] == 0
    taken = extract(aig, k=6, density=density + 1)
    assert circuit_hash(taken.aig) == circuit_hash(extract(aig, k=6).aig)


def test_few_pairs_end_the_search_early() -> None:
    aig = epfl("i2c")
    counts = [extract(aig, pairs=pairs).stats for pairs in (1, 4_000, 40_000_000)]
    assert counts[0]["extracted"] == 0
    assert counts[0]["extracted"] < counts[1]["extracted"] < counts[2]["extracted"]
    assert counts[2]["literals_after"] < counts[2]["literals_before"]


def test_the_result_is_the_same_each_time() -> None:
    aig = epfl("i2c")
    assert circuit_hash(extract(aig, k=8).aig) == circuit_hash(extract(aig, k=8).aig)


@pytest.mark.parametrize(
    ("name", "value"), [("k", 1), ("k", 9), ("literals", 1), ("literals", 9), ("cuts", 33), ("pairs", 2**28)]
)
def test_wrong_parameters_are_refused(name: str, value: int) -> None:
    with pytest.raises(UsageError, match=f"extract: {name} must be"):
        extract(Aig(), **{name: value})
