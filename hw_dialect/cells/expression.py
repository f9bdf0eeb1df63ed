"""Boolean expressions of cell libraries: `!(A*B) + C'`, as genlib and Liberty write them.

`!` in front and `'` behind complement; `^` is XOR; `*`, `&` or nothing between two operands is AND; `+` and
`|` are OR; 0, 1, CONST0, CONST1 are constants. Binding, tightest first: complement, XOR, AND, OR (Liberty).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dynomite.errors import ParseError

Postfix = tuple[tuple[str, str], ...]
"""Steps of a stack machine: ("pin", name), ("const", "0" or "1"), ("not", ""), ("and", ""), ("or", "")..."""

_TOKEN = re.compile(r"\s*(?:([A-Za-z_0-9\[\].<>$\\]+)|([!'^*&+|()]))")
_BINDING = {"or": 1, "and": 2, "xor": 3, "not": 4}
_BINARY = {"+": "or", "|": "or", "*": "and", "&": "and", "^": "xor"}
_CONSTANTS = {"0": "0", "1": "1", "CONST0": "0", "CONST1": "1"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text stands, for messages."""

    path: str
    line: int
    column: int
    text: str = ""

    def error(self, message: str, shift: int = 0) -> ParseError:
        """An error here, or so many characters further."""
        return ParseError(message, self.path, self.line, self.column + shift, text=self.text[:200])


def parse_expression(text: str, place: Place) -> Postfix:
    """The steps that compute an expression. Linear.

    Args:
        text: The expression.
        place: Where it begins.

    Raises:
        ParseError: It is none.
    """
    steps: list[tuple[str, str]] = []
    waiting: list[str] = []
    after_operand = False
    at = 0

    def reduce(binding: int) -> None:
        while waiting and waiting[-1] != "(" and _BINDING[waiting[-1]] >= binding:
            steps.append((waiting.pop(), ""))

    def binary(operation: str) -> None:
        reduce(_BINDING[operation])
        waiting.append(operation)

    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise place.error(f"unexpected character {text[at:].strip()[0]!r} in an expression", at)
        name, sign = match.groups()
        start = match.start(1) if name else match.start(2)
        at = match.end()
        if sign == "'":
            if not after_operand:
                raise place.error("' stands behind an operand", start)
            steps.append(("not", ""))
        elif sign == ")":
            if not after_operand:
                raise place.error("an operand is missing in front of )", start)
            reduce(0)
            if not waiting:
                raise place.error(") without (", start)
            waiting.pop()
        elif sign in _BINARY:
            if not after_operand:
                raise place.error(f"an operand is missing in front of {sign}", start)
            binary(_BINARY[sign])
            after_operand = False
        else:
            if after_operand:
                binary("and")
            after_operand = False
            if sign == "(":
                waiting.append("(")
            elif sign == "!":
                waiting.append("not")
            else:
                steps.append(("const", _CONSTANTS[name]) if name in _CONSTANTS else ("pin", name))
                after_operand = True
    if not after_operand:
        raise place.error("an operand is missing at the end of an expression", len(text))
    reduce(0)
    if waiting:
        raise place.error("( without )", len(text))
    return tuple(steps)


def pins_of(expression: Postfix) -> list[str]:
    """The pins of an expression, each once, in the order of their first appearance."""
    return list(dict.fromkeys(name for kind, name in expression if kind == "pin"))


def evaluate(expression: Postfix, values: dict[str, bool]) -> bool:
    """The value of an expression."""
    stack: list[bool] = []
    for kind, name in expression:
        if kind == "pin":
            stack.append(values[name])
        elif kind == "const":
            stack.append(name == "1")
        elif kind == "not":
            stack.append(not stack.pop())
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(
                left and right if kind == "and" else left or right if kind == "or" else left != right
            )
    return stack.pop()


_COVERS = {"not": ("0 1",), "and": ("11 1",), "or": ("1- 1", "-1 1"), "xor": ("10 1", "01 1")}


def blif_of(expression: Postfix, output: str, prefix: str) -> list[str]:
    """Lines of BLIF that compute an expression; nets between are called `prefix` and a number. Linear."""
    lines: list[str] = []
    stack: list[str] = []
    count = 0
    for position, (kind, name) in enumerate(expression):
        if kind == "pin":
            stack.append(name)
            continue
        is_last = position == len(expression) - 1
        count += 1
        result = output if is_last else f"{prefix}{count}"
        if kind == "const":
            lines += [f".names {result}", *(["1"] if name == "1" else [])]
        else:
            operands = [stack.pop() for _ in range(1 if kind == "not" else 2)][::-1]
            lines += [f".names {' '.join([*operands, result])}", *_COVERS[kind]]
        stack.append(result)
    if expression[-1][0] == "pin":
        lines += [f".names {stack[-1]} {output}", "1 1"]
    return lines
