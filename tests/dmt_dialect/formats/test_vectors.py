"""Vectors files and AIGER witnesses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmt_dialect.bit_rows import characters_of, lines_of
from dmt_dialect.formats.vectors import Vectors, format_vectors, read_vectors
from dynomite.errors import ParseError


def read(text: str, *names: str, latches: int = 0) -> Vectors:
    return read_vectors(text.encode("utf-8", "surrogateescape"), names, latches=latches, path="v.txt")


def lines(text: str, *names: str) -> list[str]:
    return lines_of(read(text, *names).table)


def test_plain_lines_comments_blanks() -> None:
    text = "# all\n01  # one\r\n\n  1 0\n0_X\n11\n.\n# end\n"
    assert lines(text, "a", "b") == ["01", "10", "0x", "11"]


def test_no_line_end_and_nothing() -> None:
    assert lines("01", "a", "b") == ["01"]
    assert lines("", "a") == []
    assert lines("# x\n") == []


def test_a_header_orders_the_columns() -> None:
    assert lines(".inputs c a b  # order\n001\n1x0\n", "a", "b", "c") == ["010", "x01"]


def test_odd_names_in_a_header() -> None:
    names = ["a b", 'q"', "x\\y", "h#1", "ü", "\udcff"]
    text = format_vectors(names, ["010101", "111000"])
    assert lines(text, *reversed(names)) == ["101010", "000111"]


def test_a_circuit_without_inputs() -> None:
    assert read("-\n-\n").table.shape == (2, 0)
    assert read(format_vectors([], ["", "", ""])).table.shape == (3, 0)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_what_is_written_reads_back(data: st.DataObject) -> None:
    name = st.text(st.characters(blacklist_characters="\n\r\0", codec="utf-8"), min_size=1, max_size=5)
    names = data.draw(st.lists(name.filter(lambda n: n.isprintable()), max_size=6, unique=True))
    vectors = data.draw(st.lists(st.text("01x", min_size=len(names), max_size=len(names)), max_size=5))
    assert lines(format_vectors(names, vectors), *names) == vectors


def test_witness() -> None:
    found = read("1\nb0\n0x\n10\n01\n.\nc comment\n", "a", "b", latches=2)
    assert lines_of(found.table) == ["10", "01"]
    assert found.state is not None
    assert bytes(found.state) == b"0x"


def test_witness_of_a_circuit_without_inputs() -> None:
    found = read("1\nb0\n0\n\n\n.\n\n", latches=1)
    assert found.table.shape == (2, 0)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("01\n011\n", 2, 1, "3 characters .* 2 inputs"),
        ("01\n 2 1\n", 2, 2, "'2' in a vector"),
        ("01\n1 z # c\n", 2, 3, "'z' in a vector"),
        (".inputs a\n1\n", 1, 1, "leaves out 1 inputs: b"),
        (".inputs a b a\n", 1, 13, "'a' is named twice"),
        (".inputs a  d\n", 1, 12, "no input 'd'"),
        ('.inputs a "b\n', 1, 11, "does not end"),
        (".outputs a\n", 1, 1, "unknown line '.outputs'"),
        ("01\n.inputs a b\n", 2, 1, "before the first vector"),
        ("01\n.\n10\n", 3, 1, "which ends the vectors"),
        ("-\n", 1, 1, "'-' in a vector"),
        ("2\nb0\n0\n.\n", 1, 1, "status is '2'"),
        ("1\nb0\n", 2, 1, "before its initial state"),
        ("1\nb0\n00\n01\n.\n", 3, 1, "2 characters .* 1 latch"),
        ("1\nb0\n0\n011\n.\n", 4, 1, "3 characters"),
        ("1\nb0\n0\n01\n", 4, 1, "without its last line"),
        ("1\nb0\n0\n01\n.\n1\nb0\n", 6, 1, "more than one witness"),
    ],
)
def test_faults_have_a_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ParseError, match=message) as caught:
        read(text, "a", "b", latches=1)
    assert (caught.value.path, caught.value.line, caught.value.column) == ("v.txt", line, column)


def test_ambiguous_names_cannot_be_in_a_header() -> None:
    with pytest.raises(ParseError, match="2 inputs are called 'a'"):
        read(".inputs a a\n01\n", "a", "a")
    assert lines("01\n", "a", "a") == ["01"]


def test_a_large_file_is_fast() -> None:
    text = ("0110" * 8 + "\n") * 100_000
    table = read(text, *(f"i{k}" for k in range(32))).table
    assert table.shape == (100_000, 32)
    assert (table[-1:] == characters_of(["0110" * 8], 32)).all()
