"""DDDMP 2.0, the files in which CUDD and OxiDD store decision diagrams: text and binary.

A file holds several functions, which may have names. Variables are matched by name; what the manager does not
have is added, in the order of the file. The orders of file and manager need not agree.
"""

from __future__ import annotations

from collections.abc import Mapping

from dynomite._native.bdd import Bdd, BddRef
from dynomite.errors import ParseError
from dynomite.formats.streams import Source, Target, read_source, write_target


def read_dddmp(bdd: Bdd, source: Source) -> dict[str, BddRef]:
    """The functions of a file by name; those without are called f0, f1 and so on.

    Args:
        bdd: The manager that gets them.
        source: A path (.gz, .xz and .zst are unpacked), the file's bytes, or a binary stream.

    Raises:
        ParseError: The file is malformed; the manager may have got variables of its header.
        UsageError: The file cannot be read.
    """
    data, path = read_source(source)
    refs, names = bdd.read_dddmp(data, path)
    functions = dict(zip(names or [f"f{index}" for index in range(len(refs))], refs, strict=True))
    if len(functions) < len(refs):
        twice = next(name for name in functions if names.count(name) > 1)
        raise ParseError(f"two functions are called {twice!r}", path)
    return functions


def write_dddmp(
    bdd: Bdd, functions: Mapping[str, BddRef], target: Target | None = None, *, binary: bool = False
) -> bytes:
    """The bytes of a file with these functions, written to `target` if that is given.

    Raises:
        UsageError: A name of a variable or function has blanks, which the format cannot hold, or the file
            cannot be written.
    """
    data = bdd.write_dddmp(list(functions.values()), list(functions), binary=binary)
    if target is not None:
        write_target(target, data)
    return data
