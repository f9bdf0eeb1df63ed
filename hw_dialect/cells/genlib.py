"""Genlib files: gates with an output, an expression and pins.

    GATE nand2 2.0 O=!(a*b); PIN * INV 1 999 0.9 0.3 0.9 0.3

Areas and delays are read over. `LATCH` entries are kept as cells that cannot be used: their clocking is
described by pin tables that BLIF has no counterpart for.
"""

from __future__ import annotations

import re

from hw_dialect.cells.expression import Place, parse_expression, pins_of
from hw_dialect.cells.library import LibraryCell

_WORD = re.compile(r'"([^"\n]*)"|(\S+)')


def read_genlib(text: str, path: str) -> list[LibraryCell]:
    """The cells of a file. Linear.

    Args:
        text: What is in it.
        path: Its name.

    Raises:
        ParseError: It is not genlib.
    """
    cells: list[LibraryCell] = []
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        line = _without_comment(lines[number])
        start = number
        number += 1
        words = list(_WORD.finditer(line))
        if not words:
            continue
        keyword = words[0][0].upper()
        place = Place(path, start + 1, words[0].start() + 1, line)
        if keyword in ("PIN", "SEQ", "CONTROL", "CONSTRAINT"):
            if not cells:
                raise place.error(f"{words[0][0]} in front of the first gate")
            cells[-1] = _with_pin(cells[-1], [word[1] or word[0] for word in words[1:]], keyword)
            continue
        if keyword not in ("GATE", "LATCH"):
            raise place.error(f"expected GATE, LATCH or PIN, found {words[0][0]!r}")
        # The expression goes up to the first semicolon, maybe some lines further.
        while ";" not in line:
            if number == len(lines):
                raise place.error("the expression of this gate has no ';' at its end")
            line += "\n" + _without_comment(lines[number])
            number += 1
        head, _, rest = line.partition(";")
        cells.append(_gate(head, place, is_latch=keyword == "LATCH"))
        if rest.strip():
            # What follows on the same line is read as a line of its own.
            number -= 1
            lines[number] = rest
    return cells


def _without_comment(line: str) -> str:
    return line.partition("#")[0].rstrip("\r")


def _gate(head: str, place: Place, *, is_latch: bool) -> LibraryCell:
    words = list(_WORD.finditer(head))
    if len(words) < 4 and "=" not in head:
        raise place.error("a gate has a name, an area and OUTPUT=EXPRESSION")
    if len(words) < 3:
        raise place.error("a gate has a name, an area and OUTPUT=EXPRESSION")
    name = words[1][1] or words[1][0]
    try:
        float(words[2][0])
    except ValueError:
        raise place.error(f"the area of a gate is a number, not {words[2][0]!r}", words[2].start()) from None
    start = words[2].end()
    output, equals, expression = head[start:].partition("=")
    if not equals or not output.strip() or len(output.split()) != 1:
        raise place.error("a gate has OUTPUT=EXPRESSION behind its area", start)
    steps = parse_expression(
        expression, Place(place.path, place.line, place.column + start + len(output) + 1, head)
    )
    pin = output.strip().strip('"')
    problem = "genlib latches are not supported" if is_latch else ""
    return LibraryCell(
        name=name, inputs=tuple(pins_of(steps)), outputs={pin: steps}, problem=problem, line=place.line
    )


def _with_pin(cell: LibraryCell, words: list[str], keyword: str) -> LibraryCell:
    """Pins that the expression does not use are pins all the same."""
    if keyword != "PIN" or not words or words[0] == "*" or words[0] in cell.inputs:
        return cell
    return LibraryCell(
        name=cell.name,
        inputs=(*cell.inputs, words[0]),
        outputs=cell.outputs,
        problem=cell.problem,
        line=cell.line,
    )
