"""Adders and multipliers found in AIGs: all architectures, also after sweeping and after ABC's resyn2.

Nothing is believed: every cell, and the sum of every tree, is simulated.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import dynomite
from benchmarks.harness import abc_program
from dmt_dialect.aig import Aig
from dmt_dialect.arith import Arithmetic, find_arithmetic, word_name
from dmt_dialect.bitblast import Architecture, BitVec, blast, word_inputs, word_outputs
from dynomite._native.base import Stop
from dynomite._native.sim import node_values
from dynomite.formats.base import read_circuit, write_circuit
from tests.support.generators import random_aig

ADDERS = ("ripple", "kogge-stone", "brent-kung")
MULTIPLIERS = ("array", "wallace", "dadda", "booth")
WIDTHS = (2, 3, 4, 5, 8, 13, 16)


def verified(aig: Aig) -> Arithmetic:
    """`find_arithmetic`, every claim simulated on 256 patterns."""
    found = find_arithmetic(aig)
    report = found.report
    assert report.complete
    values = node_values(aig, 256, seed=7)
    assert values is not None

    def value(raw: NDArray[np.uint32]) -> NDArray[np.uint64]:
        return values[raw >> 1] ^ np.where(raw & 1, ~np.uint64(0), np.uint64(0))[..., None]

    cells = report.cells
    a, b, c, total, carry = (value(cells[:, column]) for column in range(5))
    assert (total == a ^ b ^ c).all()
    assert (carry == (a & b) | (a & c) | (b & c)).all()
    for tree, (_, tops, width, _, _) in enumerate(report.tree_sizes().tolist()):
        sums: list[list[int]] = []
        for rows in (report.leaves(tree), report.outputs(tree)):
            words = value(rows[:, 1])
            sums.append(
                [
                    sum(
                        int(word[k // 64]) >> (k % 64) & 1 and 1 << weight
                        for weight, word in zip(rows[:, 0].tolist(), words, strict=True)
                    )
                    for k in (0, 1, 77, 255)
                ]
            )
        constant = sum(1 << weight for weight in report.constants(tree).tolist())
        for inside, outside in zip(*sums, strict=True):
            difference = inside + constant - outside
            assert (difference % (1 << width) if tops else difference) == 0
    return found


def product_circuit(op: str, width: int, architecture: Architecture, other: int | None = None) -> Aig:
    aig = Aig()
    a, b = word_inputs(aig, "a", width), word_inputs(aig, "b", other or width)
    word_outputs(aig, "y", blast(aig, op, a, b, architecture=architecture))
    return aig


def bits(name: str, width: int) -> tuple[str, ...]:
    return tuple(f"{name}[{index}]" for index in range(width))


def check_product(found: Arithmetic, op: str, kind: str, width: int, other: int) -> None:
    assert len(found.multipliers) == 1
    product = found.multipliers[0]
    assert (product.kind, product.signed) == ("booth" if kind == "booth" else "simple", op == "SMULW")
    assert (product.a, product.b) == (bits("a", width), bits("b", other))


@pytest.mark.parametrize("adder", ADDERS)
@pytest.mark.parametrize("kind", MULTIPLIERS)
@pytest.mark.parametrize("op", ["MUL", "UMULW", "SMULW"])
def test_multipliers_of_all_architectures(op: str, kind: str, adder: str) -> None:
    architecture = Architecture.parse(f"multiplier={kind},adder={adder}")
    for width in WIDTHS:
        found = verified(product_circuit(op, width, architecture))
        # At two bits a product has hardly a cell, at three a Booth product hardly a row.
        if width > (3 if kind == "booth" else 2):
            check_product(found, op, kind, width, width)
            outputs = found.multipliers[0].outputs
            assert tuple(str(name).removeprefix("~") for name in outputs[: 2 * width]) == bits(
                "y", width if op == "MUL" else 2 * width
            )


@pytest.mark.parametrize("kind", MULTIPLIERS)
def test_operands_of_two_widths(kind: str) -> None:
    architecture = Architecture.parse(f"multiplier={kind}")
    for width, other in ((8, 5), (5, 8), (4, 16)):
        found = verified(product_circuit("UMULW", width, architecture, other))
        check_product(found, "UMULW", kind, width, other)


def test_cells_of_an_array_are_counted() -> None:
    for width in (3, 4, 8, 16):
        found = verified(product_circuit("UMULW", width, Architecture()))
        assert (found.full_adders, found.half_adders) == (width * (width - 2), width)
        assert found.multipliers[0].outputs == bits("y", 2 * width)


@pytest.mark.parametrize("op", ["ADD", "SUB"])
def test_ripple_adders(op: str) -> None:
    for width in WIDTHS:
        found = verified(product_circuit(op, width, Architecture()))
        assert found.multipliers == ()
        assert found.full_adders + found.half_adders == width - 1
        (adder,) = found.adders
        assert adder.width == width
        assert adder.outputs == bits("y", width)
        names = {name.removeprefix("~") for operand in adder.operands for name in operand if name}
        assert names == {*bits("a", width), *bits("b", width)}
        assert {name.partition("[")[0] for name in adder.operands[0] if name} in (
            {"a"},
            {"~a"},
            {"~b"},
            {"b"},
        )


def simulated_sum(aig: Aig, found: Arithmetic, index: int) -> None:
    """The reported adder adds: its literals, under random patterns of the inputs."""
    *words, carry_in, total, carry_out = found.report.prefix_adder(index)
    values = node_values(aig, 64, seed=7)
    assert values is not None

    def bit(raw: int, at: int) -> int:
        return (int(values[raw >> 1][0]) >> at & 1) ^ (raw & 1)

    for at in range(64):
        a, b, s = (sum(bit(raw, at) << i for i, raw in enumerate(w.tolist())) for w in (*words, total))
        exact = a + b + bit(carry_in, at)
        assert exact % (1 << len(total)) == s
        if carry_out > 1:
            assert exact >> len(total) == bit(carry_out, at)


@pytest.mark.parametrize("adder", ADDERS[1:])
@pytest.mark.parametrize("op", ["ADD", "SUB"])
@pytest.mark.parametrize("change", ["none", "swept", "rewritten"])
def test_prefix_adders(op: str, adder: str, change: str, tmp_path: Path) -> None:
    for width in (4, 5, 8, 16, 33, 64):
        aig = product_circuit(op, width, Architecture.parse(f"adder={adder}"))
        if change == "swept":
            aig = swept(aig, tmp_path)
        elif change == "rewritten":
            aig = through_abc(aig, tmp_path, "strash; balance; rewrite")
        found = verified(aig)
        assert len(found.adders) == 1, (width, str(found))
        (adder_found,) = found.adders
        names = {name.removeprefix("~") for operand in adder_found.operands for name in operand if name}
        assert names == {*bits("a", width), *bits("b", width)}
        assert tuple(str(name).removeprefix("~") for name in adder_found.outputs) == bits("y", width)
        if adder_found.tree is None:
            simulated_sum(aig, found, 0)


def test_a_prefix_adder_with_carries_in_and_out() -> None:
    aig = Aig()
    a, b, (c,) = word_inputs(aig, "a", 8), word_inputs(aig, "b", 8), word_inputs(aig, "c", 1)
    wide = blast(
        aig,
        "ADD",
        (c, *a, aig.false),
        (c, *b, aig.false),
        architecture=Architecture(adder="kogge-stone"),
    )
    word_outputs(aig, "y", wide[1:])
    found = verified(aig)
    assert found.report.prefix_adder_count == 1
    simulated_sum(aig, found, 0)
    assert found.adders[0].outputs == bits("y", 9)


@pytest.mark.parametrize("kind", MULTIPLIERS)
def test_a_sum_of_three_words_ends_in_a_prefix_adder(kind: str) -> None:
    """The last adder behind a tree: here a product and a word, whose sum is no product."""
    aig = Aig()
    a, b, c = word_inputs(aig, "a", 6), word_inputs(aig, "b", 6), word_inputs(aig, "c", 12)
    chosen = Architecture.parse(f"multiplier={kind}")
    product = blast(aig, "UMULW", a, b, architecture=chosen)
    word_outputs(aig, "y", blast(aig, "ADD", product, c, architecture=Architecture(adder="brent-kung")))
    found = verified(aig)
    outputs = [tuple(str(name).removeprefix("~") for name in adder.outputs) for adder in found.adders]
    assert bits("y", 12) in outputs
    check_product(found, "UMULW", kind, 6, 6)


def test_dividers_are_rows_of_adders() -> None:
    found = verified(product_circuit("UDIV", 8, Architecture()))
    assert found.multipliers == ()
    assert len(found.adders) >= 6


def test_sum_of_products_and_multiply_add() -> None:
    aig = Aig()
    words = [word_inputs(aig, name, 6) for name in "abcd"]
    first = blast(aig, "UMULW", words[0], words[1])
    second = blast(aig, "UMULW", words[2], words[3])
    word_outputs(aig, "y", blast(aig, "ADD", first, second))
    found = verified(aig)
    assert {(m.a[0], m.b[0]) for m in found.multipliers} == {("a[0]", "b[0]"), ("c[0]", "d[0]")}


def test_operands_may_be_inner_words() -> None:
    for kind in MULTIPLIERS:
        aig = Aig()
        a, b, c = (word_inputs(aig, name, 6) for name in "abc")
        inner = blast(aig, "XOR", a, c)
        word_outputs(
            aig, "y", blast(aig, "UMULW", inner, b, architecture=Architecture.parse(f"multiplier={kind}"))
        )
        found = verified(aig)
        if kind == "booth":  # where the operand ends cannot be told from its exclusive or
            continue
        assert len(found.multipliers) == 1
        assert "b[5:0]" in str(found)


def test_a_square() -> None:
    aig = Aig()
    a = word_inputs(aig, "a", 8)
    word_outputs(aig, "y", blast(aig, "UMULW", a, a))
    verified(aig)  # every product occurs twice: a tree, but no claim


@pytest.mark.parametrize("seed", range(30))
def test_random_circuits_give_no_false_cell(seed: int) -> None:
    verified(random_aig(random.Random(seed), inputs=8, ands=300, outputs=8))


def through_abc(aig: Aig, folder: Path, script: str) -> Aig:
    abc = abc_program()
    if abc is None:
        pytest.skip("Berkeley ABC is not installed")
    write_circuit(aig, folder / "in.aig")
    command = f"read {folder / 'in.aig'}; {script}; write {folder / 'out.aig'}"
    subprocess.run([abc, "-q", command], capture_output=True, check=True, timeout=60)
    return read_circuit(folder / "out.aig")


RESYN2 = "balance; rewrite; refactor; balance; rewrite; rewrite -z; balance; refactor -z; rewrite -z; balance"


def swept(aig: Aig, _: Path) -> Aig:
    return dynomite.sweep(aig)[0]


def resynthesised(aig: Aig, folder: Path) -> Aig:
    return through_abc(aig, folder, f"strash; {RESYN2}")


@pytest.mark.parametrize(
    ("kind", "share"), [("array", 1.0), ("wallace", 0.85), ("dadda", 0.85), ("booth", 0.5)]
)
def test_after_sweeping(kind: str, share: float, tmp_path: Path) -> None:
    check_survivors(kind, share, swept, tmp_path)


@pytest.mark.parametrize(
    ("kind", "share"), [("array", 0.6), ("wallace", 0.5), ("dadda", 0.5), ("booth", 0.4)]
)
def test_after_resyn2(kind: str, share: float, tmp_path: Path) -> None:
    check_survivors(kind, share, resynthesised, tmp_path)


def check_survivors(kind: str, share: float, change: Callable[[Aig, Path], Aig], folder: Path) -> None:
    """At least `share` of the full adders are still found, and none is false."""
    for width in (4, 8, 16):
        before = product_circuit("UMULW", width, Architecture.parse(f"multiplier={kind}"))
        count = find_arithmetic(before).full_adders
        after = verified(change(before, folder))
        print(
            f"{kind} {width}: {after.full_adders} of {count} full adders, {len(after.multipliers)} multiplier"
        )
        assert after.full_adders >= share * count
        if width > 4 and kind != "booth":
            check_product(after, "UMULW", kind, width, width)
            assert after.multipliers[0].outputs[:width] == bits("y", width)


def test_large_circuits(shared: Path) -> None:
    found = verified(read_circuit(shared / "circuits" / "epfl" / "adder.aig"))
    assert str(found).splitlines()[1].startswith("adder 129: a[127:0] + b[127:0] -> ")
    found = find_arithmetic(read_circuit(shared / "circuits" / "epfl" / "hyp.aig"))
    assert found.full_adders > 10000
    for name, kind in (
        ("array", "simple"),
        ("dadda", "simple"),
        ("wallace_kogge", "simple"),
        ("booth", "booth"),
    ):
        stem = name if "_" in name else f"{name}_ripple"
        found = find_arithmetic(read_circuit(shared / "circuits" / "multipliers" / f"{stem}_16.blif"))
        assert [(m.kind, len(m.a), len(m.b)) for m in found.multipliers] == [(kind, 16, 16)]
        assert found.multipliers[0].outputs == tuple(f"p{bit}" for bit in range(32))
    found = find_arithmetic(read_circuit(shared / "circuits" / "arith" / "square16_folded.aig"))
    assert [(m.kind, m.a, m.width) for m in found.multipliers] == [("square", bits("a", 16), 32)]


def test_json_figures() -> None:
    data: dict[str, Any] = find_arithmetic(product_circuit("UMULW", 4, Architecture())).as_dict()
    assert data["full_adders"] == 8
    assert data["multipliers"][0]["widths"] == [4, 4, 8]
    assert data["multipliers"][0]["a"] == ("a[0]", "a[1]", "a[2]", "a[3]")
    assert data["adders"] == data["trees"] == []


def test_nothing_to_find() -> None:
    aig = Aig()
    a, b = aig.add_inputs(["a", "b"])
    aig.add_output(a & b, "y")
    assert str(find_arithmetic(aig)) == "full adders 0, half adders 0, in 0 trees"
    assert str(find_arithmetic(Aig())) == "full adders 0, half adders 0, in 0 trees"


def test_a_stopped_search_finds_nothing() -> None:
    stop = Stop()
    stop.cancel()
    found = find_arithmetic(product_circuit("UMULW", 8, Architecture()), stop=stop)
    assert not found.report.complete
    assert found.full_adders == 0


def test_names() -> None:
    assert word_name(["a[3]", "a[4]"]) == "a[4:3]"
    assert word_name([None]) == "nothing"
    assert word_name(["~x", "y"]) == "y..~x"


def test_constants_in_the_sum() -> None:
    aig = Aig()
    a = word_inputs(aig, "a", 8)
    word_outputs(aig, "y", blast(aig, "ADD", a, BitVec(77, 8)))
    verified(aig)
