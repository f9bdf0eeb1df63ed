"""The text form of modules; docs/language.md describes the language.

>>> from dynomite.ir import Context, parse, print_module
>>> text = '''
... dialect demo {
...   let word = type { let params = list { %width:core.unsigned } }
...   let IN = core.instr { let defs = 1 }
...   let ADD = core.instr { let defs = 1; let uses = 2; let same_type = true }
... }
... using demo
... IN %a:def(word(8))
... ADD %b:def %a %a
... '''
>>> module = parse(text, Context())
>>> print(print_module(module, declarations=False), end="")
demo.IN %a:def(demo.word(8))
demo.ADD %b:def(demo.word(8)) %a %a
"""

from __future__ import annotations

from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING

from dynomite._native import ir as _native
from dynomite._native.ir import DEFAULT_STORE, Context, Module, StoreKind
from dynomite.errors import UsageError

if TYPE_CHECKING:
    from os import PathLike

    from dynomite._native.base import Stop


def parse(
    source: str | bytes,
    context: Context,
    *,
    path: str = "<text>",
    store: StoreKind = DEFAULT_STORE,
    locations: bool = False,
    check_symbols: bool = True,
    max_errors: int = 20,
    stop: Stop | None = None,
) -> Module:
    """Reads a module from its text.

    Cost: linear in the text; several million instructions a second. Nothing recurses: regions and lists
    may be nested as deep as the text is long.

    Args:
        source: The text; bytes are UTF-8.
        context: Knows the dialects; those that the text declares are added to it.
        path: Name of the source in messages and locations.
        store: How the module gives out ids and memory; see `StoreKind`.
        locations: Gives every instruction without `loc(...)` its place in the text.
        check_symbols: Every symbol reference has to resolve.
        max_errors: So many errors are collected before giving up.
        stop: Ends the call early.

    Raises:
        ParseError: With every error found; the context stays as it was.
        UsageError: The text has a surrogate that stands for no byte.
        LimitError: `stop` ended it.
    """
    if isinstance(source, str) and not source.isascii():
        try:
            source = source.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            raise UsageError(f"parse: a surrogate that stands for no byte at {error.start}") from None
    return _native.parse(
        source,
        context,
        path=path,
        store=store,
        locations=locations,
        check_symbols=check_symbols,
        max_errors=max_errors,
        stop=stop,
    )


def parse_file(
    path: str | PathLike[str],
    context: Context,
    *,
    locations: bool = True,
    check_symbols: bool = True,
    stop: Stop | None = None,
) -> Module:
    """Reads a module from a file; instructions get their places in it. Linear in the file; see `parse`."""
    data = Path(path).read_bytes()
    return parse(
        data, context, path=fspath(path), locations=locations, check_symbols=check_symbols, stop=stop
    )


def print_module(
    module: Module, *, locations: bool = False, declarations: bool = True, stop: Stop | None = None
) -> str:
    """The canonical text of a module: `parse` makes the identical module of it.

    Cost: linear in the module; several million instructions a second.

    Args:
        module: What to print.
        locations: Writes the origins of instructions, `loc("file":line:column)`.
        declarations: Writes the dialects that were declared in a text in front, as far as they are used.
        stop: Ends the call early.

    Raises:
        UsageError: Instructions are in regions that belong to no instruction.
        LimitError: `stop` ended it, or an attribute with shared parts gets too long.
    """
    return _native.print_module(module, locations=locations, declarations=declarations, stop=stop)
