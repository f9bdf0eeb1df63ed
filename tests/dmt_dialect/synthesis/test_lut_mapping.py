"""Mapping to LUTs against a model of one pattern at a time, against `lec`, and against what it promises."""

from __future__ import annotations

import io
import random
import threading
import time
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import dynomite
from dmt_dialect.aig import Aig
from dmt_dialect.synthesis.lut_mapping import Effort, LutNetwork, map_luts, map_luts_with_stats
from dynomite._native.base import Stop
from dynomite.errors import LimitError, UsageError
from hw_dialect.formats.blif import read_blif, write_blif
from tests.support.circuit_pairs import restructured
from tests.support.generators import random_aig
from tests.support.lut_networks import assert_mapped, assert_wellformed
from tests.support.shared_data import ABSENT, shared_folder

SMALL = ("ctrl", "cavlc", "int2float", "router", "i2c", "dec", "adder", "bar", "priority", "max")

LARGE = ("sin", "voter", "arbiter", "mem_ctrl", "square", "multiplier", "log2", "sqrt", "div")


def epfl(name: str) -> Aig:
    """A circuit of the EPFL set."""
    folder = shared_folder()
    if folder is None:
        pytest.skip(ABSENT)
    return dynomite.read(folder / "circuits" / "epfl" / f"{name}.aig")


def chain(length: int, inputs: int = 61) -> Aig:
    """A circuit as deep as it has gates: AND and NAND with one input after the other."""
    rows = np.empty((1 + inputs + length, 2), dtype=np.uint32)
    rows[: 1 + inputs, 0] = 0xFFFFFFFF
    rows[0, 1] = 0
    rows[1 : 1 + inputs, 1] = np.arange(inputs)
    index = np.arange(1 + inputs, 1 + inputs + length, dtype=np.uint32)
    rows[1 + inputs :, 0] = 2 * (index - 1) + (index % 2)
    rows[1 + inputs :, 1] = 2 + 2 * (index * 7 % inputs) + (index % 3 == 0)
    aig = Aig.from_fanins(rows)
    aig.add_output(aig.lit(2 * (inputs + length)))
    return aig


@pytest.mark.parametrize("k", range(2, 9))
@pytest.mark.parametrize("raw", [False, True])
def test_random_circuits_exhaustively(k: int, raw: bool, rng: random.Random) -> None:
    for _ in range(12):
        aig = random_aig(rng, rng.randrange(1, 8), rng.randrange(60), 6, raw=raw)
        effort = rng.choice(get_args(Effort))
        assert_mapped(aig, map_luts(aig, k=k, effort=effort, cuts=rng.choice([None, 1, 2, 8, 32])))


@pytest.mark.parametrize("raw", [False, True])
def test_latches_and_properties(raw: bool, rng: random.Random) -> None:
    for _ in range(10):
        aig = random_aig(rng, 3, 50, 3, latches=3, raw=raw)
        lits = [aig.lit(rng.randrange(2 * aig.num_nodes)) for _ in range(6)]
        aig.add_bad(lits[0])
        aig.add_constraint(lits[1])
        aig.add_justice([lits[2], ~lits[3]])
        aig.add_fairness(lits[4])
        network = map_luts(aig)
        assert_mapped(aig, network)
        back = network.to_aig()
        assert back.num_latches == 3
        assert back.resets == aig.resets
        assert dynomite.lec(aig, back).equivalent


@pytest.mark.parametrize("k", [3, 6, 8])
def test_choices_exhaustively(k: int, rng: random.Random) -> None:
    """Versions of random circuits: restructured, and the passes' own."""
    found = 0
    for _ in range(25):
        aig = random_aig(rng, rng.randrange(2, 7), 80, 6, raw=rng.random() < 0.5)
        versions = [restructured(aig, rng) for _ in range(rng.randrange(1, 4))]
        network, stats = map_luts_with_stats(aig, k=k, choices=versions)
        assert_mapped(aig, network)
        found += stats.choices
        assert_mapped(aig, map_luts(aig, k=k, choices=True))
    assert found > 50


def test_choices_of_more_levels_do_no_harm() -> None:
    """A chain, and the tree it should be: the tree's levels at once."""
    aig = Aig()
    lits = aig.add_inputs(64)
    chained = lits[0]
    for lit in lits[1:]:
        chained &= lit
    aig.add_output(chained)
    assert map_luts(aig).num_levels > 3
    network = map_luts(aig, choices=True)
    assert network.num_levels == 3
    assert network.num_luts <= 21
    assert dynomite.lec(aig, network.to_aig()).equivalent


def test_choices_have_the_same_ports() -> None:
    aig, other = Aig(), Aig()
    aig.add_output(aig.add_inputs(2)[0])
    other.add_output(other.add_inputs(3)[0])
    with pytest.raises(UsageError, match="choices must have"):
        map_luts(aig, choices=[other])


@pytest.mark.parametrize("name", SMALL)
def test_choices_of_epfl_circuits_are_proved(name: str) -> None:
    aig = epfl(name)
    plain, network = map_luts(aig), map_luts(aig, choices=True)
    assert dynomite.lec(aig, network.to_aig()).equivalent
    assert network.num_levels <= plain.num_levels
    assert network.num_luts <= 1.12 * plain.num_luts


def test_ports_without_logic() -> None:
    aig = Aig()
    a, b, _ = aig.add_inputs(["a", "b", "unused"])
    for lit in (aig.false, aig.true, a, ~a, a, ~a, a & b, ~(a & b), a & b):
        aig.add_output(lit)
    aig.set_names("outputs", [f"y{i}" for i in range(9)])
    network = map_luts(aig)
    assert_mapped(aig, network)
    # Two constants, one inverter, AND and NAND.
    assert network.num_luts == 5
    assert network.num_levels == 1
    assert network.input_names == ["a", "b", "unused"]
    assert network.output_names == [f"y{i}" for i in range(9)]


def test_empty_circuit() -> None:
    network = map_luts(Aig())
    assert (network.num_luts, network.num_levels) == (0, 0)
    assert network.to_aig().num_nodes == 1


def test_complements_at_outputs_are_free() -> None:
    aig = Aig()
    a, b, c = aig.add_inputs(3)
    inner = a & b
    aig.add_output(~inner)
    aig.add_output(~(~inner & c))
    network = map_luts(aig, k=2)
    assert_mapped(aig, network)
    assert network.num_luts == 2


def test_functions_of_many_inputs() -> None:
    aig = Aig()
    parity = aig.false
    for lit in aig.add_inputs(8):
        parity ^= lit
    aig.add_output(parity)
    network = map_luts(aig, k=8)
    assert network.num_luts == 1
    assert network.function_of(0) == sum(1 << row for row in range(256) if row.bit_count() & 1)
    assert [int(word) for word in network.functions[0]] == [
        network.function_of(0) >> 64 * word & (1 << 64) - 1 for word in range(4)
    ]
    assert_mapped(aig, network)


def test_what_the_cells_do_not_depend_on_is_left_away() -> None:
    """Gates as files have them: a mux of equal values, a gate that is constant."""
    aig = Aig.from_fanins(
        np.array(
            # Inputs a and b; a AND b, a AND NOT b; neither: NOT a; that AND a: constant.
            [
                *[(0xFFFFFFFF, 0), (0xFFFFFFFF, 0), (0xFFFFFFFF, 1)],
                *[(2, 4), (2, 5), (7, 9), (10, 2)],
            ],
            dtype=np.uint32,
        )
    )
    aig.add_output(aig.lit(11))
    aig.add_output(aig.lit(12))
    network = map_luts(aig)
    assert_mapped(aig, network)
    assert network.outputs[0] == 0
    assert network.num_luts == 1


@pytest.mark.parametrize("name", SMALL)
def test_epfl_circuits_are_proved(name: str) -> None:
    aig = epfl(name)
    network, stats = map_luts_with_stats(aig)
    assert dynomite.lec(aig, network.to_aig()).equivalent
    assert network.num_levels <= stats.fewest_levels
    assert_wellformed(network)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["sin", "voter", "arbiter", "mem_ctrl", "square", "multiplier", "log2", "sqrt", "div"]
)
def test_large_epfl_circuits_are_proved(name: str) -> None:
    aig = epfl(name)
    assert dynomite.lec(aig, map_luts(aig).to_aig()).equivalent
    assert dynomite.lec(aig, map_luts(aig, choices=True).to_aig()).equivalent


@pytest.mark.parametrize("name", ["cavlc", "priority", "max"])
def test_more_levels_need_hardly_more_luts(name: str) -> None:
    aig = epfl(name)
    fewest = map_luts(aig)
    deeper, stats = map_luts_with_stats(aig, extra_levels=4)
    assert stats.fewest_levels == fewest.num_levels
    assert deeper.num_levels <= fewest.num_levels + 4
    # A heuristic: where more room does not help, it may hurt a little.
    assert deeper.num_luts <= 1.02 * fewest.num_luts
    by_depth = map_luts(aig, depth=stats.fewest_levels + 4)
    assert by_depth.num_luts == deeper.num_luts
    assert map_luts(aig, depth=0).num_luts == fewest.num_luts
    small = map_luts(aig, area_only=True)
    assert small.num_luts <= 1.02 * fewest.num_luts
    for network in (deeper, small):
        assert dynomite.lec(aig, network.to_aig()).equivalent


def test_same_result_every_time() -> None:
    aig = epfl("cavlc")
    first, second = map_luts(aig), map_luts(aig)
    assert first.fanins.tolist() == second.fanins.tolist()
    assert first.functions.tolist() == second.functions.tolist()


def test_blif_and_back(rng: random.Random, tmp_path: Path) -> None:
    for latches in (0, 2):
        aig = random_aig(rng, 5, 60, 5, latches=latches)
        aig.set_names("inputs", ["a b", "x#", "n7", "\\q", None])
        network = map_luts(aig, k=4)
        path = tmp_path / "mapped.blif"
        dynomite.write(network, path)
        back = read_blif(path)
        assert back.names("inputs") == aig.names("inputs")
        assert dynomite.lec(aig, back, match="order").equivalent
        assert path.read_text("utf-8").count(".names") >= network.num_luts


def test_names_of_nets_stay(tmp_path: Path) -> None:
    aig = Aig()
    lits = aig.add_inputs(["a", "b", "c", "d"])
    inner = lits[0] & lits[1]
    aig.add_net_name(inner, "inner")
    aig.add_output(inner & lits[2] & lits[3], "y")
    network = map_luts(aig, k=2)
    path = tmp_path / "named.blif"
    dynomite.write(network, path)
    assert "inner" in path.read_text("utf-8")
    assert "inner" in [name for _, name in network.to_aig().net_names]


def test_constants_in_blif() -> None:
    aig = Aig()
    (a,) = aig.add_inputs(["a"])
    for lit in (aig.true, aig.false, a, ~a):
        aig.add_output(lit)
    stream = io.BytesIO()
    write_blif(map_luts(aig), stream)
    assert dynomite.lec(aig, read_blif(stream.getvalue()), match="order").equivalent


def test_properties_are_not_dropped_silently() -> None:
    aig = Aig()
    aig.add_bad(aig.add_inputs(2)[0])
    network = map_luts(aig)
    with pytest.raises(UsageError, match="properties"):
        write_blif(network, io.BytesIO())
    assert "1 bad" in " ".join(write_blif(network, io.BytesIO(), drop_properties=True))


def test_other_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="LUTs"):
        dynomite.write(map_luts(Aig()), tmp_path / "x.aig")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 1}, "k must be"),
        ({"k": 9}, "k must be"),
        ({"cuts": 0}, "cuts must be"),
        ({"cuts": 33}, "cuts must be"),
        ({"effort": "none"}, "effort is"),
        ({"depth": -1}, "levels"),
        ({"extra_levels": -1}, "levels"),
        ({"depth": 3, "area_only": True}, "exclude"),
        ({"depth": 3, "extra_levels": 1}, "exclude"),
    ],
)
def test_parameters_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        map_luts(Aig(), **options)


def test_a_million_levels() -> None:
    aig = chain(1_000_000)
    start = time.process_time()
    network = map_luts(aig, k=4)
    assert time.process_time() - start < 60
    assert network.num_levels > 100_000
    assert network.num_luts <= 500_000


def test_deep_chains_are_right() -> None:
    aig = chain(3000, inputs=8)
    network = map_luts(aig)
    assert_mapped(aig, network)


def test_stop() -> None:
    aig = chain(1_000_000)
    with pytest.raises(LimitError):
        map_luts(aig, timeout=0.05)
    stop = Stop()
    threading.Timer(0.1, stop.cancel).start()
    with pytest.raises(LimitError):
        map_luts(aig, stop=stop)


def test_result_is_read_only() -> None:
    network = map_luts(Aig())
    assert isinstance(network, LutNetwork)
    with pytest.raises(AttributeError):
        network.k = 3  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(IndexError):
        network.inputs_of(0)
