"""What `dynomite opt --list` prints: passes with their parameters, recipes, loops."""

from __future__ import annotations

import json

from dmt_dialect.synthesis.passes import Param, known_passes
from dmt_dialect.synthesis.recipes import known_recipes

_LOOPS = (
    (
        "until-converge(N){...}",
        "repeats its steps while a round makes the circuit smaller, N (10) times at most",
    ),
    ("repeat(N){...}", "repeats its steps N times"),
    ("best{...}", "keeps the smallest of the circuits before and after each of its steps"),
)


def listing() -> str:
    """Everything a pipeline may name."""
    lines = ["Passes:"]
    for entry in known_passes().values():
        lines += _entry(entry.name, entry.doc)
        lines += [
            f"      {param.name}={_default(param)}  {param.doc}{_range(param)}" for param in entry.params
        ]
    lines += ["", "Recipes:"]
    for recipe in known_recipes().values():
        lines += _entry(recipe.name, recipe.doc)
        lines.append(f"      {recipe.text}")
    lines += ["", "Loops:"]
    for form, doc in _LOOPS:
        lines += _entry(form, doc)
    return "\n".join(lines)


def _entry(name: str, doc: str) -> list[str]:
    return [f"  {name:14} {doc}"] if len(name) <= 14 else [f"  {name}", f"  {'':14} {doc}"]


def _default(param: Param) -> str:
    return json.dumps(param.default)


def _range(param: Param) -> str:
    if param.choices:
        return f" ({', '.join(param.choices)})"
    if param.low is None and param.high is None:
        return ""
    if param.high is None:
        return f" (at least {param.low:g})"
    return f" (at most {param.high:g})" if param.low is None else f" ({param.low:g} to {param.high:g})"
