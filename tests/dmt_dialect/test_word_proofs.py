"""Gates of word operators against z3 and against each other, proved.

Gates against values, exhaustively and for every architecture, is tests/native/test_word.cpp.
"""

from __future__ import annotations

import pytest

import dynomite
from dmt_dialect.bitblast import Architecture, BitVec, WordAttr, WordOpInfo, WordShape, evaluate, operators
from tests.support.word_proofs import (
    ARCHITECTURES,
    Form,
    circuit,
    forms,
    info,
    is_square,
    prove_lookup_with_z3,
    prove_with_z3,
)

NAMES = [op.name for op in operators() if op.name != "LUT"]
by_name = pytest.mark.parametrize("name", NAMES)
ALL = [
    f"adder={adder},multiplier={multiplier},divider={divider}"
    for adder in ARCHITECTURES["adder"]
    for multiplier in ARCHITECTURES["multiplier"]
    for divider in ARCHITECTURES["divider"]
]
SQUARES = [name for name in NAMES if is_square(info(name))]
OTHERS = [name for name in NAMES if name not in SQUARES]


@by_name
def test_gates_are_proved_against_z3(name: str) -> None:
    op = info(name)
    for width in range(1, 7):
        for widths, params in forms(op, width):
            if sum(widths) <= 12 or width == 6:
                prove_with_z3(op, widths, params)


def wide_forms(op: WordOpInfo, width: int) -> list[Form]:
    """The forms at a greater width that differ most."""
    if op.shape in (WordShape.SHIFT, WordShape.INDEX):
        short: Form = ((width, width.bit_length()), {})
        # A remainder of a wide amount takes z3 minutes.
        return [short] if op.name in ("ROL", "ROR") and width > 24 else [((width, width), {}), short]
    if op.shape == WordShape.WIDEN:
        return [((width, width), {}), ((width, 3), {})]
    if op.attr == WordAttr.RANGE:
        ends = [(0, 0), (width - 1, 0), (width - 1, width - 1), (width - 2, 1), (width // 2, width // 3)]
        return [((width,), {"hi": hi, "lo": lo}) for hi, lo in ends]
    return forms(op, width)[-2:]


@pytest.mark.parametrize("name", OTHERS)
def test_wide_gates_are_proved_against_z3(name: str) -> None:
    for width in (7, 12, 31, 32, 33, 64):
        for widths, params in wide_forms(info(name), width):
            prove_with_z3(info(name), widths, params)


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_gates_of_7_to_64_bits_are_proved_against_z3(name: str) -> None:
    for width in range(7, 65):
        for widths, params in wide_forms(info(name), width):
            prove_with_z3(info(name), widths, params)


@pytest.mark.parametrize(
    ("name", "width"),
    [(name, 7) for name in SQUARES if not name.endswith("MULW")]
    + [pytest.param(name, 8, marks=pytest.mark.slow) for name in SQUARES],
)
def test_products_and_quotients_are_proved_against_z3(name: str, width: int) -> None:
    prove_with_z3(info(name), (width, width), {}, seconds=500)


@pytest.mark.parametrize("index", range(1, 7))
@pytest.mark.parametrize("width", [1, 2, 5])
def test_lookup_tables_are_proved_against_z3(index: int, width: int) -> None:
    entries = [(7 * i * i + 3 * i + index) % (1 << width) for i in range(1 << index)]
    prove_lookup_with_z3(index, width, entries)
    table = BitVec(sum(entry << (i * width) for i, entry in enumerate(entries)), width << index)
    assert [evaluate("LUT", BitVec(i, index), table=table).unsigned for i in range(1 << index)] == entries


@by_name
def test_architectures_are_proved_equal(name: str) -> None:
    op = info(name)
    for widths, params in wide_forms(op, 6 if is_square(op) else 8):
        reference = circuit(op, widths, params)
        seen = [reference.fanins.tobytes()]
        for text in ALL:
            other = circuit(op, widths, params, Architecture.parse(text))
            if other.fanins.tobytes() not in seen:
                seen.append(other.fanins.tobytes())
                assert dynomite.lec(reference, other).status == "equivalent", (widths, params, text)
        assert len(seen) > 1 or not is_square(op)


@pytest.mark.slow
@by_name
def test_wider_architectures_are_proved_equal(name: str) -> None:
    op = info(name)
    for width in (8, 9) if is_square(op) else (16, 33, 64):
        for widths, params in wide_forms(op, width):
            reference = circuit(op, widths, params)
            for text in ALL:
                other = circuit(op, widths, params, Architecture.parse(text))
                verdict = dynomite.lec(reference, other, timeout=300)
                assert verdict.status == "equivalent", (widths, params, text)
