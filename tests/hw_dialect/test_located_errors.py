"""What is wrong with a netlist of words is said with file, line and column, on the command line as well."""

from __future__ import annotations

from pathlib import Path

import pytest

import dynomite
from dynomite.errors import ParseError
from dynomite.tools.cli import Exit, main


def module(*lines: str) -> str:
    return "".join(["MODULE @m {\n", *(f"  {line}\n" for line in lines), "}\n"])


CHILD = """MODULE @c {
  IN %a:def(wire(4))
  IN %b:def(wire(4))
  AND %y:def(wire(4)) %a %b
  OUT "y" %y
}
"""
# What is wrong, the line and column of the error in the text below the two `using`, a part of the message.
WRONG = {
    "widths": (
        module(
            "IN %a:def(wire(4))",
            "IN %b:def(wire(5))",
            "ADD %y:def(wire(4)) %a %b",
            'OUT "y" %y',
        ),
        (4, 26),
        r"hw\.wire\(5\), the ones before have hw\.wire\(4\)",
    ),
    "widths at a port": (
        CHILD
        + module(
            "IN %x:def(wire(5))",
            'INSTANCE @c "u" "a" %x "b" %x "y" %w:def(wire(4))',
            'OUT "y" %w',
        ),
        (9, 3),
        "the port 'a' has 4 bits, what is connected to it 5 bits",
    ),
    "unknown operation": (
        module(
            "IN %a:def(wire(4))",
            "ADDD %y:def(wire(4)) %a %a",
            'OUT "y" %y',
        ),
        (3, 3),
        "unknown operation 'ADDD'; did you mean 'ADD'",
    ),
    "unknown value": (
        module(
            'OUT "y" %nope',
        ),
        (2, 11),
        "unknown value %nope",
    ),
    "two drivers": (
        module(
            "IN %a:def(wire(3))",
            "IN %b:def(wire(2))",
            "WIRE %w:def(wire(4))",
            "DRIVE %w %a 3 1",
            "DRIVE %w %b 1 0",
            'OUT "y" %w',
        ),
        (5, 3),
        "%w is driven twice, bit 1",
    ),
    "two full drivers": (
        module(
            "IN %a:def(wire(4))",
            "WIRE %w:def(wire(4))",
            "DRIVE %w %a",
            "DRIVE %w %a",
            'OUT "y" %w',
        ),
        (5, 3),
        "%w is driven twice, bits 3 to 0",
    ),
    "no driver": (
        module(
            "WIRE %w:def(wire(4))",
            'OUT "y" %w',
        ),
        (2, 3),
        "%w has no driver",
    ),
    "loop through hierarchy": (
        CHILD
        + module(
            "IN %x:def(wire(4))",
            'INSTANCE @c "u1" "a" %x "b" %z "y" %w:def(wire(4))',
            'INSTANCE @c "u2" "a" %x "b" %w "y" %z:def(wire(4))',
            'OUT "y" %w',
        ),
        (4, 3),
        r"combinational loop: u[12]/y <- u[12]/y <- u[12]/y",
    ),
    "unconnected port": (
        CHILD
        + module(
            "IN %x:def(wire(4))",
            'INSTANCE @c "u" "a" %x "y" %w:def(wire(4))',
            'OUT "y" %w',
        ),
        (9, 3),
        "the input port 'b' is not connected",
    ),
    "unknown port": (
        CHILD
        + module(
            "IN %x:def(wire(4))",
            'INSTANCE @c "u" "a" %x "q" %x "y" %w:def(wire(4))',
            'OUT "y" %w',
        ),
        (9, 3),
        "@c has no input port 'q'; did you mean",
    ),
    "unknown module": (
        module(
            "IN %x:def(wire(4))",
            'INSTANCE @d "u" "a" %x',
            'OUT "y" %x',
        ),
        (3, 12),
        "unknown symbol @d",
    ),
    "module in itself": (
        module(
            "IN %x:def(wire(4))",
            'INSTANCE @m "u" "x" %x',
            'OUT "y" %x',
        ),
        (3, 3),
        "contains itself",
    ),
    "bits beyond": (
        module(
            "IN %a:def(wire(4))",
            "SLICE %y:def(wire(4)) %a 7 4",
            'OUT "y" %y',
        ),
        (3, 3),
        "bit 7 is beyond %a, which has 4 bits",
    ),
    "no width": (
        module(
            "IN %a:def(wire(0))",
        ),
        (2, 3),
        "at least one bit",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_have_a_place(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, (line, column), message = WRONG[name]
    file = tmp_path / "wrong.dyno"
    file.write_text(f"using op\nusing hw\n{text}")
    with pytest.raises(ParseError, match=message) as caught:
        dynomite.read(file)
    assert (caught.value.path, caught.value.line, caught.value.column) == (str(file), line + 2, column)
    assert caught.value.text == text.splitlines()[line - 1]
    assert main(["stats", str(file)]) == Exit.BAD_INPUT
    assert capsys.readouterr().err.startswith(f"dynomite: {file}:{line + 2}:{column}: error: ")
