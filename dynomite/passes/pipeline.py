"""Lists of passes and their text form.

    cse; dce; symbol_dce
    cse(commutative=false); verify(limit=10)

Passes run in order; `bisect` ends the list early to find the pass that breaks something. A failure names
the pass.
"""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from dynomite._native.base import Stop
from dynomite.errors import ParseError, UsageError
from dynomite.ir import Builder, Module
from dynomite.passes.base import Params, Pass, PassResult

PASSES = {
    "canonicalize": "dmt_dialect.passes.canonicalize:Canonicalize",
    "cse": "dynomite.passes.cse:Cse",
    "dce": "dynomite.passes.dce:Dce",
    "inline": "hw_dialect.passes.inline:Inline",
    "rewrite": "dmt_dialect.passes.rewrite:Rewrite",
    "statistics": "dynomite.passes.statistics:Statistics",
    "symbol_dce": "dynomite.passes.symbol_dce:SymbolDce",
    "verify": "dynomite.passes.verify:Verify",
}
"""Name in pipelines, "module:class"; imported when asked for."""

_ENTRY = re.compile(r"\s*(?P<name>[A-Za-z_][\w.]*)\s*(?:\((?P<params>[^()]*)\))?\s*")
_PARAM = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<value>\"[^\"]*\"|[^\s,\"]+)\s*")


@dataclass(frozen=True)
class Step:
    """One pass that ran."""

    name: str
    result: PassResult
    seconds: float


def pass_class(name: str) -> type[Pass[Any]]:
    """The pass of a name.

    Raises:
        UsageError: There is none; names the nearest.
    """
    if name not in PASSES:
        near = get_close_matches(name, PASSES, 1)
        hint = f"; did you mean '{near[0]}'?" if near else f"; there are {', '.join(sorted(PASSES))}"
        raise UsageError(f"unknown pass '{name}'{hint}")
    module, _, attribute = PASSES[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


def make_pass(name: str, values: Iterable[tuple[str, str]] = ()) -> Pass[Any]:
    """A pass by name with parameters as text.

    Raises:
        UsageError: No such pass or parameter, or a value of another type.
    """
    cls = pass_class(name)
    declared = {f.name: f.default for f in fields(cls.Params)}
    chosen: dict[str, bool | int | str] = {}
    for key, text in values:
        if key not in declared:
            known = ", ".join(declared) or "none"
            raise UsageError(f"the pass '{name}' has no parameter '{key}' (there are: {known})")
        if key in chosen:
            raise UsageError(f"the parameter '{key}' of '{name}' comes twice")
        chosen[key] = _value(name, key, text, declared[key])
    return cls(cls.Params(**chosen))


def _value(name: str, key: str, text: str, default: object) -> bool | int | str:
    if isinstance(default, bool):
        if text not in ("true", "false"):
            raise UsageError(f"the parameter '{key}' of '{name}' is true or false, not {text}")
        return text == "true"
    if isinstance(default, int):
        if not re.fullmatch(r"-?[0-9]{1,18}", text):
            raise UsageError(f"the parameter '{key}' of '{name}' is a number, not {text}")
        return int(text)
    return text.strip('"')


class Pipeline:
    """A list of passes that run in order."""

    def __init__(self, passes: Sequence[Pass[Any]]) -> None:
        self.passes = tuple(passes)

    @staticmethod
    def parse(text: str) -> Pipeline:
        """Reads the text form; an empty text is the empty pipeline.

        Raises:
            ParseError: With the column of what is no pipeline.
            UsageError: Unknown pass or parameter.
        """
        passes: list[Pass[Any]] = []
        at = 0
        while text[at:].strip():
            found = _ENTRY.match(text, at)
            if found is None or (found.end() < len(text) and text[found.end()] != ";"):
                place = at if found is None else found.end()
                raise ParseError(
                    "a pass name with parameters in '()' and ';' is needed",
                    "<pipeline>",
                    1,
                    place + 1,
                    place,
                    text,
                )
            passes.append(make_pass(found["name"], _params(text, found)))
            at = found.end() + 1
        return Pipeline(passes)

    def __str__(self) -> str:
        """The text form; parses back."""
        return "; ".join(map(_text, self.passes))

    def run(
        self,
        module: Module,
        *,
        stop: Stop | None = None,
        builder: Builder | None = None,
        bisect: int | None = None,
    ) -> list[Step]:
        """Runs the passes.

        Args:
            module: What they work on.
            stop: Ends them early; the rest of the list is left out then.
            builder: Makes the changes, see `Pass`.
            bisect: Runs only so many passes.

        Returns:
            One step for each pass that ran.
        """
        stop = Stop() if stop is None else stop
        steps: list[Step] = []
        for item in self.passes[:bisect]:
            start = time.perf_counter()
            try:
                result = item(module, builder=builder, stop=stop)
            except Exception as error:
                error.add_note(f"in pass {len(steps) + 1} of {len(self.passes)}: {_text(item)}")
                raise
            steps.append(Step(item.name, result, time.perf_counter() - start))
            if result.stop != "none":
                break
        return steps


def _params(text: str, entry: re.Match[str]) -> list[tuple[str, str]]:
    values: list[tuple[str, str]] = []
    if entry["params"] is None or not entry["params"].strip():
        return values
    at, end = entry.span("params")
    while True:
        found = _PARAM.match(text, at, end)
        if found is None or (found.end() < end and text[found.end()] != ","):
            place = at if found is None else found.end()
            raise ParseError("a parameter 'NAME=VALUE' is needed", "<pipeline>", 1, place + 1, place, text)
        values.append((found["name"], found["value"]))
        if found.end() >= end:
            return values
        at = found.end() + 1


def _text(item: Pass[Any]) -> str:
    params: Params = item.params
    shown: list[str] = []
    for field in fields(params):
        value = getattr(params, field.name)
        if value == field.default:
            continue
        text = (
            str(value).lower()
            if isinstance(value, bool)
            else f'"{value}"'
            if isinstance(value, str)
            else str(value)
        )
        shown.append(f"{field.name}={text}")
    return item.name + (f"({', '.join(shown)})" if shown else "")
