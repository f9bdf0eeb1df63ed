"""Pipelines in text: passes, recipes and loops.

    balance; rewrite; refactor
    resub(k=8, zero=true); until-converge(3){ rewrite; balance }    # comments end with the line
    fast; repeat(2){ compress2rs }; best{ rewrite(zero=true); balance }

`until-converge(N)` repeats its steps while a round gains ANDs (or, at the same number of them, levels), N
times at most, 10 without a number; `repeat(N)` repeats them N times; `best` keeps the smallest circuit of
those before and after each of its steps. Loops nest up to a limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NoReturn, TypeAlias

from dmt_dialect.synthesis.passes import Param, SynthPass, Value, known_passes
from dmt_dialect.synthesis.recipes import known_recipes
from dynomite.errors import ParseError

MOST_NESTED = 32
MOST_ROUNDS = 1_000_000
_MOST_DIGITS = 18
_DEFAULT_ROUNDS = {"until-converge": 10, "repeat": 0, "best": 1}
"""Blocks, and their rounds without a number; 0: a number is needed."""

_TOKEN = re.compile(
    r"(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*)"
    r"|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)"
    r'|(?P<text>"[^"\n]*")'
    r"|(?P<mark>[;(){}=,])"
)
_SPACE = re.compile(r"(?:\s|#[^\n]*)*")


@dataclass(frozen=True, slots=True)
class Call:
    """A pass with its parameters, all of them; `given` are those the text has."""

    entry: SynthPass
    params: Mapping[str, Value]
    given: frozenset[str] = frozenset()

    def __str__(self) -> str:
        """The text form, with the parameters that were given."""
        shown = ", ".join(
            f"{param.name}={_value_text(self.params[param.name])}"
            for param in self.entry.params
            if param.name in self.given
        )
        return f"{self.entry.name}({shown})" if shown else self.entry.name


@dataclass(frozen=True, slots=True)
class Block:
    """Steps in a loop, or the steps of a recipe (`kind` is "recipe", `name` the recipe's)."""

    kind: str
    name: str
    rounds: int
    body: tuple[Item, ...]

    def __str__(self) -> str:
        """The text form; a recipe is its name."""
        if self.kind == "recipe":
            return self.name
        count = "" if self.rounds == _DEFAULT_ROUNDS[self.kind] else f"({self.rounds})"
        return f"{self.kind}{count}{{ {'; '.join(map(str, self.body))} }}"


Item: TypeAlias = "Call | Block"


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A list of steps. `str` gives the text form, which parses back to the same."""

    items: tuple[Item, ...]

    def __str__(self) -> str:
        """The text form."""
        return "; ".join(map(str, self.items))

    def walk(self) -> Iterator[Item]:
        """Every step and block, those inside of blocks behind them."""
        waiting = list(reversed(self.items))
        while waiting:
            item = waiting.pop()
            yield item
            if isinstance(item, Block):
                waiting += reversed(item.body)

    def calls(self) -> list[Call]:
        """The passes it names, each as often as it is written, those of recipes included."""
        return [item for item in self.walk() if isinstance(item, Call)]

    def recipes(self) -> set[str]:
        """Names of the recipes it uses, directly or through others."""
        return {item.name for item in self.walk() if isinstance(item, Block) and item.kind == "recipe"}


def parse_pipeline(text: str, path: str = "<pipeline>") -> Pipeline:
    """Reads the text form; an empty text is the empty pipeline.

    Args:
        text: The text.
        path: What errors call it.

    Raises:
        ParseError: With line and column of what is no pipeline, no known pass, recipe or parameter, or no
            value for it.
    """
    return Pipeline(_Parser(text, path).items(0))


def _value_text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else repr(value)


class _Parser:
    """Recursive descent; the depth of blocks is limited, so recursion is too."""

    def __init__(self, text: str, path: str) -> None:
        self._text, self._path = text, path
        self._kind, self._token, self._at, self._end = "", "", 0, 0
        self._next()

    def items(self, depth: int) -> tuple[Item, ...]:
        """Steps up to the end of the text or, inside of a block, a closing brace."""
        found: list[Item] = []
        while True:
            while self._token == ";":
                self._next()
            if not self._token and depth:
                self._fail("'}' is missing")
            if not self._token or (self._token == "}" and depth):
                self._check_last(found)
                return tuple(found)
            found.append(self._item(depth))
            if self._token not in (";", "}", ""):
                self._fail("';' is needed between steps")

    def _check_last(self, found: list[Item]) -> None:
        for item in found[:-1]:
            for step in Pipeline((item,)).walk():
                if isinstance(step, Call) and step.entry.last:
                    self._fail(f"nothing can follow '{step.entry.name}', whose result is no AIG")

    def _item(self, depth: int) -> Item:
        if self._kind != "name":
            self._fail("the name of a pass or recipe is needed")
        name, at = self._token, self._at
        self._next()
        if name in _DEFAULT_ROUNDS:
            return self._block(name, at, depth)
        passes, recipes = known_passes(), known_recipes()
        if name in recipes:
            if self._token in ("(", "{"):
                self._fail(f"the recipe '{name}' has no parameters")
            body = _Parser(recipes[name].text, f"<recipe {name}>").items(0)
            return Block("recipe", name, 1, body)
        if name not in passes:
            near = get_close_matches(name, [*passes, *recipes, *_DEFAULT_ROUNDS], 1)
            hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join([*passes, *recipes])}"
            self._fail(f"unknown pass or recipe '{name}'; {hint}", at)
        given = self._params(passes[name]) if self._token == "(" else {}
        if self._token == "{":
            self._fail(f"'{name}' is no loop (loops: {', '.join(_DEFAULT_ROUNDS)})")
        return Call(passes[name], {**passes[name].defaults, **given}, frozenset(given))

    def _block(self, kind: str, at: int, depth: int) -> Block:
        if depth >= MOST_NESTED:
            self._fail(f"loops are nested more than {MOST_NESTED} deep", at)
        rounds = _DEFAULT_ROUNDS[kind]
        if self._token == "(":
            self._next()
            rounds = self._rounds(kind)
            self._expect(")")
        elif not rounds:
            self._fail(f"'{kind}' needs a number of rounds, such as {kind}(3){{...}}")
        if self._token != "{":
            self._fail(f"'{kind}' needs its steps in '{{}}'")
        self._next()
        body = self.items(depth + 1)
        self._next()
        if any(isinstance(i, Call) and i.entry.last for i in Pipeline(body).walk()):
            self._fail(f"a pass whose result is no AIG cannot stand in '{kind}'", at)
        return Block(kind, kind, rounds, body)

    def _rounds(self, kind: str) -> int:
        if kind == "best":
            self._fail("'best' has no number of rounds")
        if not re.fullmatch(r"[0-9]{1,9}", self._token) or not 1 <= int(self._token) <= MOST_ROUNDS:
            self._fail(f"the number of rounds is 1 to {MOST_ROUNDS}")
        rounds = int(self._token)
        self._next()
        return rounds

    def _params(self, entry: SynthPass) -> dict[str, Value]:
        given: dict[str, Value] = {}
        self._next()
        while self._token != ")":
            at, name = self._at, self._token
            param = entry.param(name)
            if self._kind != "name":
                self._fail("a parameter NAME=VALUE is needed")
            if param is None:
                known = ", ".join(each.name for each in entry.params) or "none"
                self._fail(f"'{entry.name}' has no parameter '{name}' (there are: {known})")
            if name in given:
                self._fail(f"the parameter '{name}' comes twice", at)
            self._next()
            self._expect("=")
            given[name] = self._value(param)
            if self._token != ")":
                self._expect(",")
        self._next()
        return given

    def _value(self, param: Param) -> Value:
        at = self._at
        value = self._literal(param)
        problem = param.problem(value)
        if problem is not None:
            self._fail(f"the parameter '{param.name}' {problem}", at)
        self._next()
        return value

    def _literal(self, param: Param) -> Value:
        token = self._token
        if self._kind == "text":
            return token[1:-1]
        if self._kind == "name":
            return token == "true" if token in ("true", "false") else token
        if self._kind != "number":
            self._fail(f"a value for '{param.name}' is needed")
        if not re.fullmatch(r"-?[0-9]+", token) or isinstance(param.default, float):
            return float(token)
        if len(token) > _MOST_DIGITS:
            self._fail("the number is too large")
        return int(token)

    def _expect(self, mark: str) -> None:
        if self._token != mark:
            self._fail(f"'{mark}' is needed")
        self._next()

    def _next(self) -> None:
        space = _SPACE.match(self._text, self._end)
        self._at = self._end if space is None else space.end()
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            if self._at < len(self._text):
                self._fail(f"unexpected {self._text[self._at]!r}")
            self._kind, self._token, self._end = "end", "", self._at
            return
        self._kind, self._token, self._end = found.lastgroup or "", found.group(), found.end()

    def _fail(self, message: str, at: int | None = None) -> NoReturn:
        at = self._at if at is None else at
        start = self._text.rfind("\n", 0, at) + 1
        row = self._text[start:].partition("\n")[0]
        column = len(self._text[start:at].encode("utf-8", "surrogatepass")) + 1
        offset = len(self._text[:at].encode("utf-8", "surrogatepass"))
        raise ParseError(message, self._path, self._text.count("\n", 0, at) + 1, column, offset, row[:200])
