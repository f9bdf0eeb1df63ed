"""Formulas as text: `~ & ^ | => <=>` in falling strength, `ite(f, g, h)`, `true`, `false`, parentheses.

Read as well: `!` for not, a slash and a backslash as in mathematics for and and or, `->` and `<->`. Names are
letters, digits and `_ . $ [ ]`, not beginning with a digit; other names stand between double quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from dynomite._native.bdd import Bdd, BddRef
from dynomite.errors import LimitError, ParseError

TOKEN = re.compile(
    r"""\s*(?:(?P<op><=>|<->|=>|->|/\\|\\/|[~!&^|(),])|"(?P<quoted>[^"\n]+)"|(?P<name>[A-Za-z_$.][\w$.\[\]]*))"""
)
SAME = {"!": "~", "/\\": "&", "\\/": "|", "->": "=>", "<->": "<=>"}
STRENGTH = {"<=>": 1, "=>": 2, "|": 3, "^": 4, "&": 5, "~": 6}
APPLY: dict[str, Callable[[BddRef, BddRef], BddRef]] = {
    "<=>": lambda f, g: f.equiv(g),
    "=>": lambda f, g: f.implies(g),
    "|": lambda f, g: f | g,
    "^": lambda f, g: f ^ g,
    "&": lambda f, g: f & g,
}
PLAIN_NAME = re.compile(r"(?!(?:true|false|ite)$)[A-Za-z_$.][\w$.\[\]]*", re.IGNORECASE)
MAX_LENGTH = 1_000_000
"""`to_expression` writes no more characters than this."""


def parse_expression(bdd: Bdd, text: str, *, declare: bool = False) -> BddRef:
    """The function of a formula.

    Args:
        bdd: The manager.
        text: The formula.
        declare: Add variables the manager does not have; otherwise they are an error.

    Raises:
        ParseError: With the place in `text`.
    """
    return _Parser(bdd, text, declare).parse()


class _Parser:
    """Operator precedence with explicit stacks, so that nesting has no limit."""

    def __init__(self, bdd: Bdd, text: str, declare: bool) -> None:
        self._bdd = bdd
        self._text = text
        self._declare = declare
        self._known = set(bdd.vars)
        self._values: list[BddRef] = []
        self._operators: list[tuple[str, int]] = []
        self._skip = 0

    def parse(self) -> BddRef:
        at, wants_operand = 0, True
        end = len(self._text.rstrip())
        while at < end:
            match = TOKEN.match(self._text, at)
            if match is None:
                at += len(self._text[at:]) - len(self._text[at:].lstrip())
                self._fail(f"unexpected {self._text[at]!r}", at)
            start = match.start(match.lastgroup or 0) - (match.lastgroup == "quoted")
            at = self._skip = match.end()
            operator = match["op"]
            if wants_operand:
                wants_operand = self._operand(match, SAME.get(operator, operator), start)
                at = self._skip
            elif operator is None or operator in "~!(":
                self._fail("an operator is missing here", start)
            else:
                wants_operand = self._operator(SAME.get(operator, operator), start)
        if wants_operand:
            self._fail("a formula is missing at the end", end)
        self._reduce(0)
        if self._operators:
            self._fail("this parenthesis is not closed", self._operators[-1][1])
        return self._values.pop()

    def _operand(self, match: re.Match[str], operator: str | None, start: int) -> bool:
        """Takes a token where an operand may begin; whether one is still wanted."""
        if operator in ("~", "("):
            self._operators.append((operator, start))
            return True
        if operator is not None:
            self._fail("a formula is missing here", start)
        name = match["name"] or match["quoted"]
        word = (match["name"] or "").lower()
        if word == "ite":
            opening = TOKEN.match(self._text, match.end())
            if opening is None or opening["op"] != "(":
                self._fail("ite needs three formulas in parentheses", start)
            # The parenthesis that follows is taken with it.
            self._operators.append(("ite(", start))
            self._skip = opening.end()
            return True
        if word in ("true", "false"):
            self._values.append(self._bdd.true if word == "true" else self._bdd.false)
            return False
        if name not in self._known:
            if not self._declare:
                self._fail(f"there is no variable {name!r}", start)
            self._bdd.declare(name)
            self._known.add(name)
        self._values.append(self._bdd.var(name))
        return False

    def _operator(self, operator: str, start: int) -> bool:
        """Takes a token behind an operand; whether an operand is wanted next."""
        if operator in STRENGTH:
            # `=>` groups to the right.
            self._reduce(STRENGTH[operator] + (operator == "=>"))
            self._operators.append((operator, start))
            return True
        self._reduce(0)
        opened = [kind for kind, _ in self._operators[-3:]]
        if operator == "," and opened[-1:] in (["ite("], [","]):
            if opened[-2:] == [",", ","]:
                self._fail("ite has three formulas", start)
            self._operators.append((",", start))
            return True
        if operator == ")" and opened[-1:] == ["("]:
            self._operators.pop()
            return False
        if operator == ")" and opened == ["ite(", ",", ","]:
            del self._operators[-3:]
            f, g, h = self._values[-3:]
            self._values[-3:] = [f.ite(g, h)]
            return False
        if operator == ")" and opened[-1:] in (["ite("], [","]):
            self._fail("ite has three formulas", start)
        return self._fail(f"unexpected {operator!r}", start)

    def _reduce(self, least: int) -> None:
        """Applies waiting operators of this strength or more."""
        while self._operators:
            operator = self._operators[-1][0]
            if STRENGTH.get(operator, -1) < max(least, 0):
                return
            self._operators.pop()
            right = self._values.pop()
            self._values.append(~right if operator == "~" else APPLY[operator](self._values.pop(), right))

    def _fail(self, message: str, at: int) -> NoReturn:
        line = self._text.count("\n", 0, at) + 1
        begin = self._text.rfind("\n", 0, at) + 1
        shown = self._text[begin:].split("\n", 1)[0][:200]
        raise ParseError(message, "<formula>", line, at - begin + 1, at, shown)


def to_expression(function: BddRef) -> str:
    """A formula for a function, one `ite` a node, or what is shorter for it; shared nodes are repeated.

    Raises:
        LimitError: The text would be longer than `MAX_LENGTH`.
    """
    texts: dict[BddRef, str] = {function.bdd.true: "true", function.bdd.false: "false"}
    stack = [function]
    total = 0
    while stack:
        node = stack[-1]
        if node in texts:
            stack.pop()
            continue
        high, low = node.high, node.low
        waiting = [branch for branch in (low, high) if branch not in texts]
        if waiting:
            stack += waiting
            continue
        texts[node] = _node_text(node.var, high, low, texts)
        total += len(texts[node])
        if total > MAX_LENGTH:
            raise LimitError(f"the formula is longer than {MAX_LENGTH} characters")
    return texts[function]


def _node_text(name: str, high: BddRef, low: BddRef, texts: dict[BddRef, str]) -> str:
    var = name if PLAIN_NAME.fullmatch(name) else f'"{name}"'
    if high.is_true:
        return var if low.is_false else f"({var} | {texts[low]})"
    if high.is_false:
        return f"~{var}" if low.is_true else f"(~{var} & {texts[low]})"
    if low.is_false:
        return f"({var} & {texts[high]})"
    if low.is_true:
        return f"(~{var} | {texts[high]})"
    if high == ~low:
        return f"({var} ^ {texts[low]})"
    return f"ite({var}, {texts[high]}, {texts[low]})"
