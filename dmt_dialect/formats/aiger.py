"""AIGER 1.9 files, ASCII (.aag) and binary (.aig): circuits with latches and properties.

Circuits are kept as they are: reading does not hash or fold, and what is written reads back to the same
circuit with the same names and comments.
"""

from __future__ import annotations

import os

from dynomite._native import io as _io
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite.formats.compression import compression_of
from dynomite.formats.streams import Source, Target, display_name, read_source, replacing, write_target


def read_aiger(source: Source, *, stop: Stop | None = None) -> Aig:
    r"""Reads an AIGER file, ASCII or binary, whatever its suffix.

    All of AIGER 1.9 is read: latches with reset 0, 1 or uninitialised, outputs, bad states, constraints,
    justice properties, fairness constraints, symbols of all of them, comments. ANDs of ASCII files may come
    in any order. Nodes are numbered inputs first, then latches, then ANDs.

    Not accepted, with an error that says so: reset functions (a reset that is neither 0, 1 nor the latch
    itself), DOS line ends, two symbols for one port, blocks of ABC's extensions other than the name.

    Args:
        source: A path ("-" is standard input; .gz, .xz and .zst are unpacked), the data as bytes, or a binary
            stream.
        stop: Ends the call from another thread or at a deadline.

    Returns:
        The circuit, nothing folded or hashed.

    Raises:
        ParseError: with line and column in ASCII parts, with a byte offset in binary parts.
        UsageError: if the file cannot be read.
        LimitError: if more than 2^31 - 2 nodes are needed, compressed data grows too large, or `stop` ends
            the call.

    Cost:
        Linear, about 5 ns an AND in binary files; 8 bytes a node are kept.

    Example:
        >>> aig = read_aiger(b"aag 3 2 0 1 1\n2\n4\n6\n6 2 4\n")
        >>> aig.num_inputs, aig.num_ands
        (2, 1)
    """
    data, name = read_source(source)
    return _io.read_aiger(data, name, stop=stop)


def write_aiger(aig: Aig, target: Target, *, binary: bool | None = None, stop: Stop | None = None) -> None:
    """Writes an AIGER file.

    Counts that are zero at the end of the header are left out, symbols come in the order of their ports. The
    circuit's name and the names of nets have no place in the format and are not written.

    Args:
        aig: The circuit.
        target: A path ("-" is standard output; .gz, .xz and .zst are packed) or a binary stream. A file is
            replaced only when all is written.
        binary: Binary or ASCII; by default a path decides (ASCII for .aag), and else it is binary.
        stop: Ends the call from another thread or at a deadline.

    Raises:
        UsageError: if the file cannot be written, or a name has a line end or a NUL byte.
        LimitError: if `stop` ends the call.

    Cost:
        Linear, about 6 ns an AND in binary files.
    """
    path = os.fspath(target) if isinstance(target, str | os.PathLike) else "-"
    compression = compression_of(path)
    if binary is None:
        stem = path[: -len(compression)] if compression else path
        binary = not stem.lower().endswith(".aag")
    if path != "-" and compression is None:
        with replacing(path) as stream:
            _io.write_aiger(aig, stream.fileno(), display_name(path), binary=binary, stop=stop)
    else:
        write_target(target, _io.aiger_bytes(aig, binary=binary, stop=stop))


def write_aag(aig: Aig, target: Target) -> None:
    """Writes an ASCII AIGER file; see `write_aiger`."""
    write_aiger(aig, target, binary=False)


def write_aig(aig: Aig, target: Target) -> None:
    """Writes a binary AIGER file; see `write_aiger`."""
    write_aiger(aig, target, binary=True)
