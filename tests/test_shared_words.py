"""Rows of the shared cases of kind `word-level`: every operator row by value and through its gates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dynomite
from dmt_dialect.aig import Aig, Lit
from dmt_dialect.bitblast import BitVec, blast, evaluate, word_inputs, word_op, word_outputs
from tests.support.oracles import evaluate as evaluate_aig
from tests.support.shared_data import Case, read_cases

CASES = [case for case in read_cases() if case.kind == "word-level"]
ROWS = [case for case in CASES if case.operation.startswith("bitblast and simulate")]
ATTRIBUTES = {"slice": ("hi", "lo"), "repeat": ("number",), "zext": ("number",), "sext": ("number",)}


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Rows with all their fields, also of files that give columns for operators of one width."""
    data = json.loads(path.read_text("utf-8"))
    if "columns" not in data:
        return data["rows"]
    rows: list[dict[str, Any]] = []
    for row in data["rows"]:
        fields = dict(zip(data["columns"], row, strict=True))
        width = fields["width"]
        rows.append({**fields, "aw": width, "bw": width})
    return rows


def gate_value(op: str, operands: list[BitVec], params: dict[str, int]) -> BitVec:
    """The value of an operator on inputs of an AIG, simulated."""
    aig = Aig()
    words = [word_inputs(aig, f"x{index}", operand.width) for index, operand in enumerate(operands)]
    word_outputs(aig, "y", blast(aig, op, *words, **params))  # pyright: ignore[reportArgumentType]
    inputs = [bit == "1" for operand in operands for bit in reversed(operand.binary)]
    bits = evaluate_aig(aig, inputs)
    return BitVec(sum(1 << index for index, bit in enumerate(bits) if bit), len(bits))


@pytest.mark.parametrize("case", ROWS, ids=lambda case: case.id)
def test_rows(case: Case, shared: Path) -> None:
    rows = rows_of(shared / "cases" / case.files[0])
    assert rows
    for row in rows:
        operands = [BitVec(row["a"], row["aw"])]
        if "b" in row:
            operands.append(BitVec(row["b"], row["bw"]))
        given: Any = row.get("param", [])
        names = ATTRIBUTES.get(row["op"], ())
        params: dict[str, int] = (
            dict(zip(names, given if names and len(names) > 1 else [given], strict=True)) if names else {}
        )
        value = evaluate(row["op"], *operands, **params)  # pyright: ignore[reportArgumentType]
        assert value.unsigned == row["result"], row
        assert value.width == row.get("rw", value.width), row
        assert gate_value(row["op"], operands, params) == value, row


def multiply_subtract(aig: Aig, operands: dict[str, tuple[Lit, ...]], product: tuple[Lit, ...]) -> None:
    difference = blast(aig, "SUB", product, operands["c"])
    word_outputs(aig, "out", blast(aig, "SUB", difference, operands["d"]))


def test_fma_signed(shared: Path) -> None:
    assert [case.id for case in CASES if case not in ROWS] == ["word-fma-signed"]
    widths = {"a": 5, "b": 5, "c": 11, "d": 11}
    circuits: list[Aig] = []
    for shift_and_add in (False, True):
        aig = Aig()
        operands = {name: word_inputs(aig, name, width) for name, width in widths.items()}
        # Sign extension by copies of the top bit in front.
        a, b = (
            blast(aig, "CONCAT", blast(aig, "REPEAT", word[4:], number=6), word)
            for word in (operands["a"], operands["b"])
        )
        if shift_and_add:
            total = blast(aig, "ZEXT", (aig.false,), number=11)
            for index, bit in enumerate(b):
                row = blast(aig, "SHL", a, BitVec(index, 4))
                masked = blast(aig, "AND", row, blast(aig, "REPEAT", (bit,), number=11))
                total = blast(aig, "ADD", total, masked)
        else:
            total = blast(aig, "MUL", a, b)
        multiply_subtract(aig, operands, total)
        circuits.append(aig)
        for values, expected in ((dict.fromkeys("abcd", 0), 0), ({"a": 16, "b": 16, "c": 0, "d": 0}, 256)):
            inputs = [bool(values[name] >> index & 1) for name in widths for index in range(widths[name])]
            bits = evaluate_aig(aig, inputs)
            assert sum(1 << index for index, bit in enumerate(bits) if bit) == expected
    assert dynomite.lec(*circuits).status == "equivalent"


def test_every_row_names_an_operator(shared: Path) -> None:
    for case in ROWS:
        for row in rows_of(shared / "cases" / case.files[0]):
            assert word_op(row["op"]).name == row["op"].upper()
