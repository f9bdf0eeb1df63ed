"""The independent models of the file formats, against truth tables made by hand."""

from __future__ import annotations

from tests.support import reference_aiger, reference_blif
from tests.support.shared_data import read_cases, shared_folder

XOR = b"aag 5 2 0 1 3\n2\n4\n10\n10 7 9\n6 2 4\n8 3 5\ni0 a\no0 a xor b\nc\nnote\n"
XOR_BINARY = b"aig 5 2 0 1 3\n10\n\x02\x02\x03\x02\x01\x02i0 a\no0 a xor b\nc\nnote\n"
TOGGLE = b"aag 2 1 1 1 0\n2\n4 5 1\n4\n"
BLIF = """# comment
.model m
.inputs a \\
 b
.outputs y z
.names a b y
10 1
01 1
.names a b z
11 0
.end
"""


def test_ascii_and_binary_aiger_are_the_same_circuit() -> None:
    ascii_model, binary_model = reference_aiger.parse(XOR), reference_aiger.parse(XOR_BINARY)
    assert ascii_model.truth() == binary_model.truth() == ["0110"]
    assert ascii_model.symbols == binary_model.symbols == {"i0": "a", "o0": "a xor b"}
    assert ascii_model.comment == binary_model.comment == ["note"]
    assert ascii_model.names("i") == ["a", None]


def test_latches_start_at_their_reset_value() -> None:
    assert reference_aiger.parse(TOGGLE).trace(["0", "0", "0"]) == ["1", "0", "1"]


def test_input_patterns() -> None:
    assert [reference_aiger.bits(reference_aiger.input_pattern(i, 2), 4) for i in range(2)] == [
        "0101",
        "0011",
    ]


def test_blif_covers_of_both_phases() -> None:
    assert reference_blif.parse(BLIF).truth() == ["0110", "1110"]


def test_blif_latch_forms() -> None:
    model = reference_blif.parse(".model m\n.inputs d c\n.outputs q\n.latch d q re c 1\n.latch q r\n.end\n")
    assert [(latch.type, latch.control, latch.init) for latch in model.latches] == [
        ("re", "c", 1),
        (None, None, 3),
    ]


def test_cases_with_known_truth_tables() -> None:
    folder = shared_folder()
    for case in read_cases():
        if folder is None or "truth" not in case.data:
            continue
        name = case.files[0]
        if name.endswith(".aag") and case.kind.startswith("aiger"):
            assert reference_aiger.parse((folder / "cases" / name).read_bytes()).truth() == case.data["truth"]
