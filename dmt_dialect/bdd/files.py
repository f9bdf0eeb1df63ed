"""DDDMP 2.0, the files in which CUDD and OxiDD store decision diagrams: text and binary.

A file holds several functions, which may have names. Variables are matched by name; what the manager does not
have is added, in the order of the file. The orders of file and manager need not agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dynomite._native.bdd import Bdd, BddRef


def read_dddmp(bdd: Bdd, source: str | Path | bytes) -> dict[str, BddRef]:
    """The functions of a file by name; those without are called f0, f1 and so on.

    Args:
        bdd: The manager that gets them.
        source: A path, or the file's bytes.

    Raises:
        ParseError: The file is malformed; the manager may have got variables of its header.
    """
    data = source if isinstance(source, bytes) else Path(source).read_bytes()
    refs, names = bdd.read_dddmp(data, "<bytes>" if isinstance(source, bytes) else str(source))
    return dict(zip(names or [f"f{index}" for index in range(len(refs))], refs, strict=True))


def write_dddmp(
    bdd: Bdd, functions: Mapping[str, BddRef], target: str | Path | None = None, *, binary: bool = False
) -> bytes:
    """The bytes of a file with these functions, written to `target` if that is given.

    Raises:
        UsageError: A name of a variable or function has blanks, which the format cannot hold.
    """
    data = bdd.write_dddmp(list(functions.values()), list(functions), binary=binary)
    if target is not None:
        Path(target).write_bytes(data)
    return data
