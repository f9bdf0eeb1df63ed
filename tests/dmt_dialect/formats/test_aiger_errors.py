"""One negative case an error message of the AIGER reader: message, line, column and offset."""

# ruff: noqa: E501 - the table has one case a line

from __future__ import annotations

import pytest

from dmt_dialect.formats.aiger import read_aiger
from dynomite.errors import ParseError

AND = b"aag 3 2 0 1 1\n2\n4\n6\n"  # an ASCII file up to its AND line
BIN = b"aig 3 2 0 1 1\n6\n"  # a binary file up to its deltas, 16 bytes
WIRE = b"aag 1 1 0 1 0\n2\n2\n"  # 18 bytes, 3 lines

CASES = {
    # the header
    "empty": (b"", 1, 1, 0, "empty file"),
    "no magic": (b"hello\n", 1, 1, 0, "not an AIGER file: it must begin with 'aag ' (ASCII) or 'aig ' (binary)"),
    "short magic": (b"ai", 1, 1, 0, "not an AIGER file"),
    "magic glued": (b"aag3 2 0 1 1\n", 1, 4, 3, "header fields are separated by one blank, found '3'"),
    "tab": (b"aag\t1 1 0 1 0\n", 1, 4, 3, "header fields are separated by one blank, found a tab"),
    "two blanks": (b"aag  1 1 0 1 0\n", 1, 5, 4, "expected M (maximal variable index) (header), found a blank"),
    "four counts": (b"aag 3 2 0 1\n2\n", 1, 12, 11, "the header has 4 counts, at least five are needed: M I L O A"),
    "one count": (b"aag 3\n", 1, 6, 5, "the header has 1 count, at least five"),
    "no count": (b"aag \n", 1, 5, 4, "the header has 0 counts"),
    "ten counts": (b"aag 0 0 0 0 0 0 0 0 0 0\n", 1, 22, 21, "the header has more than nine counts"),
    "blank at the end": (b"aag 0 0 0 0 0 \n", 1, 15, 14, "expected B (number of bad states) (header), found the end"),
    "header ends": (b"aag 0 0 0 0 0", 1, 14, 13, "expected the end of the line here (header), found the end of the file"),
    "negative": (b"aag 1 -1 0 0 0\n", 1, 7, 6, "negative count for I (number of inputs)"),
    "letters": (b"aag 1 x 0 0 0\n", 1, 7, 6, "expected I (number of inputs) (header), found 'x'"),
    "huge": (b"aag 99999999999 0 0 0 0\n", 1, 5, 4, "number 99999999999 does not fit 32 bits"),
    "very huge": (b"aag " + b"9" * 40 + b" 0\n", 1, 5, 4, "number " + "9" * 24 + "... does not fit 32 bits"),
    "limit": (b"aag 4000000000 0 0 0 0\n", 1, 5, 4, "M=4000000000 is above the limit 2147483645"),
    "M small": (b"aag 2 2 0 1 1\n", 1, 5, 4, "maximal variable index M=2 is below I+L+A=3"),
    "M binary": (b"aig 4 2 0 1 1\n", 1, 5, 4, "binary AIGER requires M = I+L+A, but M=4 and I+L+A=3"),
    "bomb": (b"aig 2000000000 2000000000 0 0 0\n", 1, 16, 15, "that take no bytes are above the limit of 2097168"),
    "DOS header": (b"aag 0 0 0 0 0\r\n", 1, 14, 13, "carriage return: lines of AIGER end with a line feed alone"),
    # lines of inputs, latches, outputs, properties
    "input missing": (b"aag 2 2 0 0 0\n2\n", 3, 1, 16, "end of file: input 2 of 2 is missing"),
    "input cut": (b"aag 2 2 0 0 0\n2\n4", 3, 2, 17, "expected the end of the line here (input 2 of 2), found the end"),
    "input byte": (b"aag 1 1 0 0 0\n\xff\n", 2, 1, 14, "expected input literal (input 1 of 1), found byte 0xff"),
    "input minus": (b"aag 1 1 0 0 0\n-2\n", 2, 1, 14, "negative number: input literal (input 1 of 1) must not be"),
    "input trail": (b"aag 1 1 0 0 0\n2 \n", 2, 2, 15, "expected the end of the line here (input 1 of 1), found a blank"),
    "input odd": (b"aag 1 1 0 0 0\n3\n", 2, 1, 14, "input literal 3 is complemented"),
    "input zero": (b"aag 1 1 0 0 0\n0\n", 2, 1, 14, "input literal 0 is the constant, which cannot be defined"),
    "input above": (b"aag 1 1 0 0 0\n4\n", 2, 1, 14, "literal 4 is above 2*M+1 = 3"),
    "input twice": (b"aag 2 2 0 0 0\n2\n2\n", 3, 1, 16, "variable 1 (literal 2) is defined twice, first as input 1 of 2"),
    "DOS input": (b"aag 1 1 0 0 0\n2\r\n", 2, 2, 15, "carriage return"),
    "latch missing": (b"aig 2 0 2 0 0\n2\n", 3, 1, 16, "end of file: latch 2 of 2 is missing"),
    "latch alone": (b"aag 1 0 1 0 0\n2\n", 2, 2, 15, "expected one blank here (latch 1 of 1), found the end of the line"),
    "latch cut": (b"aag 1 0 1 0 0\n2 ", 2, 3, 16, "end of file: latch 1 of 1: next state literal is missing"),
    "latch next": (b"aag 1 0 1 0 0\n2 7\n", 2, 3, 16, "literal 7 is above 2*M+1 = 3"),
    "latch reset": (b"aag 2 1 1 0 0\n2\n4 2 2\n", 3, 5, 20, "reset literal 2 of the latch with literal 4 is neither 0, 1 nor 4"),
    "latch reset far": (b"aig 1 0 1 0 0\n2 9\n", 2, 3, 16, "reset literal 9 of the latch with literal 2"),
    "latch four": (b"aag 1 0 1 0 0\n2 2 0 0\n", 2, 6, 19, "expected the end of the line here (latch 1 of 1), found a blank"),
    "latch again": (b"aag 1 1 1 0 0\n", 1, 5, 4, "M=1 is below I+L+A=2"),
    "latch is input": (b"aag 2 1 1 0 0\n2\n2 2\n", 3, 1, 16, "variable 1 (literal 2) is defined twice, first as input 1 of 1"),
    "output missing": (b"aag 0 0 0 2 0\n0\n", 3, 1, 16, "end of file: output 2 of 2 is missing"),
    "output above": (b"aag 0 0 0 1 0\n2\n", 2, 1, 14, "literal 2 is above 2*M+1 = 1"),
    "bad missing": (b"aag 1 1 0 0 0 2\n2\n3\n", 4, 1, 20, "end of file: bad state 2 of 2 is missing"),
    "constraint missing": (b"aag 0 0 0 0 0 0 1\n", 2, 1, 18, "end of file: constraint 1 of 1 is missing"),
    "justice missing": (b"aag 0 0 0 0 0 0 0 1\n", 2, 1, 20, "end of file: justice property 1 of 1 is missing"),
    "justice size": (b"aag 0 0 0 0 0 0 0 1\nx\n", 2, 1, 20, "expected number of literals (justice property 1 of 1)"),
    "justice literal": (b"aag 0 0 0 0 0 0 0 1\n2\n1\n", 4, 1, 24, "end of file: justice literal 2 of 2 is missing"),
    "justice bomb": (b"aag 0 0 0 0 0 0 0 1\n4000000000\n1\n", 4, 1, 33, "justice literal 2 of 4000000000 is missing"),
    "fairness missing": (b"aag 0 0 0 0 0 0 0 0 1\n", 2, 1, 22, "end of file: fairness constraint 1 of 1 is missing"),
    # ANDs of ASCII files
    "AND missing": (AND, 5, 1, 20, "end of file: AND 1 of 1 is missing"),
    "AND odd": (AND + b"7 2 4\n", 5, 1, 20, "left-hand side 7 is complemented"),
    "AND zero": (AND + b"0 2 4\n", 5, 1, 20, "left-hand side 0 is the constant"),
    "AND above": (AND + b"6 9 4\n", 5, 3, 22, "literal 9 is above 2*M+1 = 7"),
    "AND above second": (AND + b"6 2 8\n", 5, 5, 24, "literal 8 is above 2*M+1 = 7"),
    "AND two": (AND + b"6 2\n", 5, 4, 23, "expected one blank here (AND 1 of 1), found the end of the line"),
    "AND four": (AND + b"6 2 4 4\n", 5, 6, 25, "expected the end of the line here (AND 1 of 1), found a blank"),
    "AND is input": (AND + b"2 2 4\n", 5, 1, 20, "variable 1 (literal 2) is defined twice, first as input 1 of 2"),
    "AND twice": (b"aag 2 0 0 0 2\n2 0 0\n2 1 1\n", 3, 1, 20, "defined twice, first as AND 1 of 2"),
    "AND is latch": (b"aag 2 0 1 0 1\n4 2\n4 0 0\n", 3, 1, 18, "defined twice, first as latch 1 of 1"),
    "undefined fanin": (b"aag 4 2 0 1 1\n2\n4\n6\n6 8 4\n", 5, 3, 22, "variable 4 (literal 8) is used but never defined"),
    "undefined second": (b"aag 4 2 0 1 1\n2\n4\n6\n6 4 9\n", 5, 5, 24, "variable 4 (literal 9) is used but never defined"),
    "undefined output": (b"aag 2 1 0 2 0\n2\n2\n5\n", 4, 1, 18, "variable 2 (literal 5) is used but never defined"),
    "undefined next": (b"aag 3 1 1 0 0\n2\n4 6\n", 3, 3, 18, "variable 3 (literal 6) is used but never defined"),
    "undefined bad": (b"aag 1 0 0 1 0 1\n0\n2\n", 3, 1, 18, "variable 1 (literal 2) is used but never defined"),
    "undefined constraint": (b"aag 1 0 0 0 0 0 1\n3\n", 2, 1, 18, "variable 1 (literal 3) is used"),
    "undefined justice": (b"aag 1 0 0 0 0 0 0 2\n1\n1\n0\n2\n", 5, 1, 26, "variable 1 (literal 2) is used"),
    "undefined fairness": (b"aag 1 0 0 0 0 0 0 0 1\n2\n", 2, 1, 22, "variable 1 (literal 2) is used"),
    "undefined sparse": (b"aag 2000000 1 0 1 0\n4000000\n4\n", 3, 1, 28, "variable 2 (literal 4) is used but never"),
    "twice sparse": (b"aag 2000000 2 0 0 0\n6\n6\n", 3, 1, 22, "variable 3 (literal 6) is defined twice"),
    "self loop": (b"aag 1 0 0 0 1\n2 2 1\n", 2, 1, 14, "combinational cycle through variable 1"),
    "cycle": (b"aag 3 1 0 0 2\n2\n4 6 2\n6 2 5\n", 3, 1, 16, "combinational cycle through variables 2 and 3"),
    "cycle of three": (
        b"aag 4 0 0 0 4\n2 0 0\n4 6 2\n6 8 2\n8 4 1\n",
        3, 1, 20, "combinational cycle through variables 2, 3 and 4",
    ),
    # delta codes
    "delta missing": (BIN, 0, 0, 16, "end of file: a delta code of AND 1 of 1 is missing"),
    "second delta missing": (BIN + b"\x02", 0, 0, 17, "end of file: a delta code of AND 1 of 1 is missing"),
    "delta cut": (BIN + b"\x82", 0, 0, 17, "end of file inside a delta code of AND 1 of 1"),
    "delta too long": (BIN + b"\x82\x80\x80\x80\x80\x00\x02", 0, 0, 16, "does not fit the literal range (32 bits)"),
    "delta too big": (BIN + b"\xff\xff\xff\xff\x1f\x02" + b"i0 padding\n", 0, 0, 16, "does not fit the literal"),
    "first delta zero": (BIN + b"\x00\x02", 0, 0, 16, "first delta of AND 1 of 1 must be positive (lhs 6 > rhs0)"),
    "first delta": (BIN + b"\x07\x00", 0, 0, 16, "first delta 7 of AND 1 of 1 exceeds lhs 6"),
    "second delta": (BIN + b"\x02\x05", 0, 0, 17, "second delta 5 of AND 1 of 1 exceeds rhs0 4"),
    "second delta, far from the end": (
        BIN + b"\x02\x05" + b"c\n" + b"x" * 40,
        0, 0, 17, "second delta 5 of AND 1 of 1 exceeds rhs0 4",
    ),
    "zero, far from the end": (BIN + b"\x00\x05" + b"c\n" + b"x" * 40, 0, 0, 16, "first delta of AND 1 of 1 must be"),
    # symbols and comments
    "symbol kind": (WIRE + b"x0 name\n", 4, 1, 18, "expected a symbol (i, l, o, b, c, j or f and a position)"),
    "empty line": (WIRE + b"\n", 4, 1, 18, "the comment mark c or the end of the file, found the end of the line"),
    "symbol in binary": (b"aig 1 1 0 0 0\nx\n", 2, 1, 14, "expected a symbol"),
    "symbol after deltas": (BIN + b"\x02\x02x", 0, 1, 18, "expected a symbol"),
    "symbol number": (WIRE + b"i name\n", 4, 2, 19, "expected position of the port (symbol), found a blank"),
    "symbol index": (WIRE + b"i1 name\n", 4, 1, 18, "symbol i1, but the circuit has 1 of this kind (input)"),
    "latch symbol": (WIRE + b"l0 name\n", 4, 1, 18, "symbol l0, but the circuit has 0 of this kind (latch)"),
    "constraint symbol": (WIRE + b"c0 name\n", 4, 1, 18, "symbol c0, but the circuit has 0 of this kind (constraint)"),
    "justice symbol": (WIRE + b"j0 name\n", 4, 1, 18, "symbol j0, but the circuit has 0 of this kind (justice"),
    "symbol blank": (WIRE + b"i0\n", 4, 3, 20, "expected one blank here (symbol), found the end of the line"),
    "symbol cut": (WIRE + b"i0 name", 4, 8, 25, "end of file: the line of this symbol does not end"),
    "symbol NUL": (WIRE + b"i0 a\0b\n", 4, 5, 22, "NUL byte in a symbol"),
    "symbol twice": (WIRE + b"i0 a\no0 b\ni0 c\n", 6, 1, 28, "symbol i0 is given twice"),
    "empty symbol twice": (WIRE + b"i0 \ni0 c\n", 5, 1, 22, "symbol i0 is given twice"),
    "DOS symbols": (WIRE + b"\r\n", 4, 1, 18, "carriage return"),
    "comment blank": (WIRE + b"c hello\n", 4, 2, 19, "expected the end of the line after the comment mark c, found a blank"),
    "DOS comment": (WIRE + b"c\r\n", 4, 2, 19, "carriage return"),
    "ABC block": (WIRE + b"cm\0\0\0\0", 4, 2, 19, "of ABC's extension blocks only the name, 'n', can be read"),
    "ABC name cut": (WIRE + b"cn\0\0", 4, 5, 22, "end of file inside the name block of ABC"),
    "ABC name long": (WIRE + b"cn\0\0\0\x05abc\0", 4, 2, 19, "name block of ABC with 5 bytes, but 4 bytes follow"),
    "ABC name odd": (WIRE + b"cn\0\0\0\x04a\nb\0", 4, 8, 25, "NUL byte or line end in the name block of ABC"),
    "ABC second block": (WIRE + b"cn\0\0\0\x02a\0m", 4, 9, 26, "after the name block of ABC, found 'm'"),
    "comment bomb": (WIRE + b"c\n" + b"\n" * 1_300_000, 5, 1, 20, "too many comment lines: 1300001, the limit"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_error(case: str) -> None:
    data, line, column, offset, message = CASES[case]
    with pytest.raises(ParseError) as caught:
        read_aiger(data)
    error = caught.value
    assert message in error.message
    assert (error.line, error.column, error.offset) == (line, column, offset)
    assert error.path == "<bytes>"


def test_error_shows_the_line() -> None:
    with pytest.raises(ParseError) as caught:
        read_aiger(AND + b"6 9 4\n")
    assert str(caught.value) == "\n".join(
        ["<bytes>:5:3: error: literal 9 is above 2*M+1 = 7", "    6 9 4", "      ^"]
    )
    with pytest.raises(ParseError) as caught:
        read_aiger(BIN + b"\x02\x05")
    assert str(caught.value) == "<bytes>: byte 17: error: second delta 5 of AND 1 of 1 exceeds rhs0 4"


def test_long_and_unprintable_lines_are_cut() -> None:
    with pytest.raises(ParseError) as caught:
        read_aiger(WIRE + b"x\x1b[2J" + b"y" * 500)
    assert caught.value.text == "x?[2J" + "y" * 115


def test_long_cycle_names_the_first_variables() -> None:
    count = 1000
    lines = [f"{2 * i} {2 * (i % count + 1)} 1" for i in range(1, count + 1)]
    with pytest.raises(ParseError, match=r"variables 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 988 more"):
        read_aiger(f"aag {count} 0 0 0 {count}\n".encode() + "\n".join(lines).encode() + b"\n")


def test_every_prefix_of_a_file_is_an_error_or_a_smaller_file() -> None:
    """A file cut anywhere: located error, unless the cut leaves whole symbols or comments."""
    body = b"aag 5 2 1 1 1 2 1 1 1\n2\n4\n6 8\n8\n6\n9\n2\n2\n6\n7\n4\n8 2 4\n"
    tail = b"i0 a\ni1 b\nl0 q\nc\nfree text\n"
    whole = {len(body), *(len(body) + i for i in (5, 10, 15, 16)), *range(len(body) + 17, len(body + tail))}
    for length in range(len(body + tail)):
        if length in whole:
            read_aiger((body + tail)[:length])
        else:
            with pytest.raises(ParseError):
                read_aiger((body + tail)[:length])
