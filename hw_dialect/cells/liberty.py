"""Liberty files (.lib): the functions of cells; areas, timing and power are read over.

    cell (NAND2X1) { pin (A) { direction : input; } pin (Y) { direction : output; function : "!(A)"; } }

Supported: outputs with `function`, flip-flops (`ff`) with one clock pin and neither clear nor preset. Cells
with latches, three-state outputs, buses or `statetable` are kept with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from hw_dialect.cells.expression import Place, Postfix, parse_expression
from hw_dialect.cells.library import LibraryCell, Register

_TOKEN = re.compile(
    r"(?P<skip>(?:[ \t\r\n,]|\\[ \t\r]*\n|/\*.*?\*/|//[^\n]*)+)"
    r'|(?P<string>"(?:[^"\\]|\\.)*")|(?P<sign>[{}();:])|(?P<word>[^\s"{}();:,]+)',
    re.DOTALL,
)


@dataclass(slots=True)
class _Group:
    """`kind (arguments) { ... }`."""

    kind: str
    arguments: list[str]
    place: Place
    attributes: dict[str, tuple[str, Place]] = field(default_factory=dict[str, tuple[str, Place]])
    groups: list[_Group] = field(default_factory=list["_Group"])

    def value(self, name: str) -> str:
        return self.attributes[name][0] if name in self.attributes else ""


def read_liberty(text: str, path: str) -> list[LibraryCell]:
    """The cells of a file. Linear; nesting does not recurse.

    Args:
        text: What is in it.
        path: Its name.

    Raises:
        ParseError: It is not Liberty.
    """
    library = _library(text, path)
    return [_cell(group) for group in library.groups if group.kind == "cell"]


def _tokens(text: str, path: str) -> Iterator[tuple[str, str, Place]]:
    at, line, line_start = 0, 1, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        place = Place(path, line, at - line_start + 1, text[line_start : at + 60].partition("\n")[0])
        if match is None:
            raise place.error(f"unexpected character {text[at]!r}")
        if match.lastgroup != "skip":
            yield match.lastgroup or "", match[0], place
        newlines = match[0].count("\n")
        if newlines:
            line += newlines
            line_start = match.start() + match[0].rindex("\n") + 1
        at = match.end()


def _library(text: str, path: str) -> _Group:
    tokens = _tokens(text, path)
    outside = _Group("", [], Place(path, 1, 1))
    stack = [outside]
    for kind, word, place in tokens:
        if word == "}" and kind == "sign":
            if len(stack) == 1:
                raise place.error("} without {")
            stack.pop()
            continue
        if word == ";" and kind == "sign":
            continue
        if kind != "word":
            raise place.error(f"expected the name of an attribute or group, found {word!r}")
        after = next(tokens, None)
        if after is None or after[1] not in (":", "("):
            raise place.error(f"expected ':' or '(' behind {word!r}")
        if after[1] == ":":
            stack[-1].attributes[word] = _simple_value(tokens, place)
            continue
        arguments: list[str] = []
        for _, argument, _ in tokens:
            if argument == ")":
                break
            arguments.append(_unquoted(argument))
        else:
            raise place.error("( without )")
        opened = next(tokens, None)
        if opened is not None and opened[1] == "{":
            group = _Group(word, arguments, place)
            stack[-1].groups.append(group)
            stack.append(group)
        elif opened is not None and opened[1] != ";":
            raise opened[2].error(f"expected '{{' or ';', found {opened[1]!r}")
    if len(stack) > 1:
        raise stack[-1].place.error(f"the group {stack[-1].kind} has no }}")
    libraries = [group for group in outside.groups if group.kind == "library"]
    if not libraries:
        raise Place(path, 1, 1).error("no library group; is this a Liberty file?")
    return libraries[0]


def _simple_value(tokens: Iterator[tuple[str, str, Place]], place: Place) -> tuple[str, Place]:
    words: list[str] = []
    where = place
    for kind, word, at in tokens:
        if kind == "sign" and word in (";", "}"):
            if word == "}":
                raise at.error("expected ';' in front of }")
            return " ".join(words), where
        if not words:
            where = Place(at.path, at.line, at.column + (kind == "string"), at.text)
        words.append(_unquoted(word))
    raise place.error("expected ';' at the end of an attribute")


def _unquoted(word: str) -> str:
    return word[1:-1] if word.startswith('"') else word


def _cell(group: _Group) -> LibraryCell:
    name = group.arguments[0] if group.arguments else ""
    if not name:
        raise group.place.error("a cell has a name")
    inputs: list[str] = []
    outputs: dict[str, Postfix] = {}
    problem = _unsupported(group)
    for pin in group.groups:
        if pin.kind != "pin":
            continue
        for pin_name in pin.arguments:
            direction = pin.value("direction")
            if direction == "input":
                inputs.append(pin_name)
            elif direction in ("output", "inout"):
                if "function" not in pin.attributes:
                    problem = problem or f"its output {pin_name} has no function"
                elif "three_state" in pin.attributes or direction == "inout":
                    problem = problem or f"its output {pin_name} has three states"
                else:
                    text, place = pin.attributes["function"]
                    outputs[pin_name] = parse_expression(text, place)
    registers: tuple[Register, ...] = ()
    if not problem:
        registers, problem = _registers(group, inputs)
    if not outputs and not problem:
        problem = "it has no output"
    return LibraryCell(
        name=name,
        inputs=tuple(inputs),
        outputs=outputs,
        registers=registers,
        problem=problem,
        line=group.place.line,
    )


def _unsupported(group: _Group) -> str:
    for inner in group.groups:
        if inner.kind in ("latch", "latch_bank", "ff_bank", "statetable", "bus", "bundle"):
            return f"{inner.kind} is not supported"
    return ""


def _registers(group: _Group, inputs: list[str]) -> tuple[tuple[Register, ...], str]:
    found: list[Register] = []
    for inner in group.groups:
        if inner.kind != "ff":
            continue
        for name in ("clear", "preset"):
            if name in inner.attributes:
                return (), f"its flip-flop has an asynchronous {name}"
        states = [*inner.arguments, "", ""]
        if not states[0] or "next_state" not in inner.attributes or "clocked_on" not in inner.attributes:
            raise inner.place.error("a flip-flop has a state, next_state and clocked_on")
        clock = inner.value("clocked_on").replace(" ", "").strip("()")
        falling = clock.startswith("!") or clock.endswith("'")
        pin = clock.strip("!'()")
        if pin not in inputs:
            return (), f"its clock {inner.value('clocked_on')!r} is no input pin"
        text, place = inner.attributes["next_state"]
        found.append(
            Register(
                state=states[0],
                inverted=states[1],
                next_state=parse_expression(text, place),
                clock=pin,
                falling=falling,
            )
        )
    return tuple(found), ""
