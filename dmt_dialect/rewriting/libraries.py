"""Libraries of rules: text files of this package, and reading rules from text.

>>> from dmt_dialect.rewriting.libraries import library_names, load_library
>>> "words" in library_names()
True
>>> len(load_library("words").rules) > 80
True
"""

from __future__ import annotations

import functools
import os
from importlib import resources
from pathlib import Path

from dmt_dialect.ops import OP
from dynomite.errors import UsageError
from dynomite.ir import Context, Module, load, parse
from dynomite.rewriting import syntax as s
from dynomite.rewriting.checks import check_declared
from dynomite.rewriting.ir_form import rules_of

SUFFIX = ".rules"


def library_names() -> list[str]:
    """The libraries there are, sorted."""
    folder = resources.files("dmt_dialect.rewriting") / "library"
    return sorted(item.name.removesuffix(SUFFIX) for item in folder.iterdir() if item.name.endswith(SUFFIX))


@functools.cache
def load_library(name: str) -> s.RuleSet:
    """The rules of a library, in the order of its file; read once.

    Raises:
        UsageError: There is no such library.
    """
    if name not in library_names():
        raise UsageError(f"there is no library of rules {name!r}; there are {', '.join(library_names())}")
    file = resources.files("dmt_dialect.rewriting") / "library" / (name + SUFFIX)
    return read_rules(file.read_text("utf-8"), path=f"{name}{SUFFIX}", name=name)


def load_rules(source: str | os.PathLike[str], *, context: Context | None = None) -> s.RuleSet:
    """The rules of a file, or of a library by its name.

    Args:
        source: A path or a name.
        context: Knows the dialects that a file is about; `op` is known without.

    Raises:
        ParseError: The file is no text of rules, or a rule is wrong.
        UsageError: There is no such library.
        OSError: The file cannot be read.
    """
    text = os.fspath(source)
    if text in library_names():
        return load_library(text)
    if not Path(text).exists() and os.sep not in text and "." not in text:
        raise UsageError(f"there is no file and no library {text!r}; there are {', '.join(library_names())}")
    return read_rules(Path(text).read_bytes(), path=text, name=Path(text).stem, context=context)


def read_rules(
    source: str | bytes, *, path: str = "<text>", name: str = "rules", context: Context | None = None
) -> s.RuleSet:
    """All rules of a text, those of its sets where these stand; `op` is known.

    Args:
        source: The text.
        path: Its name in messages.
        name: The name of the whole.
        context: Knows the dialects; what the text declares is added. A new one if none.

    Raises:
        ParseError: With every error found, or a rule is wrong.
    """
    if context is None:
        context = Context()
        load(context, OP)
    module = parse(source, context, path=path, locations=True)
    return rules_in(module, name=name, source=source)


def rules_in(module: Module, *, name: str = "rules", source: str | bytes | None = None) -> s.RuleSet:
    """All rules of a module, those of its sets where these stand.

    Args:
        module: May hold anything else too.
        name: The name of the whole.
        source: The text it comes from, for the lines in messages.

    Raises:
        ParseError: A rule is wrong.
        UsageError: The same where places are not known; or an instruction is no rule.
    """
    found: dict[str, s.Rule] = {}
    for one in rules_of(module).values():
        for rule in one.rules if isinstance(one, s.RuleSet) else (one,):
            found.setdefault(rule.name, rule)
    rules = s.RuleSet(name, tuple(found.values()))
    check_declared(rules, module.context, source)
    return rules
