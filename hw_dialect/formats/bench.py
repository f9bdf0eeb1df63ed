"""ISCAS .bench files: gates and flip-flops as one flat list.

Read are AND NAND OR NOR XOR XNOR NOT BUFF MUX DFF in any case and any order, the constants gnd and vdd, and
what Berkeley ABC adds: `LUT 0xHEX (...)`, DFF0, DFF1 and DFFRSE with its set, reset and enable at gnd. A DFF
starts uninitialised, DFF0 at 0, DFF1 at 1; the same are written. Names are escaped and marked as in BLIF (see
`hw_dialect.formats.blif`); parentheses, commas and `=` need it here as well.
"""

from __future__ import annotations

import os

from dynomite._native import hw as _hw
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite.formats.compression import compression_of
from dynomite.formats.streams import Source, Target, display_name, read_source, replacing, write_target


def read_bench(
    source: Source, *, free_undriven: bool = False, net_names: bool = False, stop: Stop | None = None
) -> Aig:
    r"""Reads an ISCAS .bench file.

    Args:
        source: A path ("-" is standard input; .gz, .xz and .zst are unpacked), the data as bytes, or a binary
            stream.
        free_undriven: Signals without a driver become inputs. Otherwise that is an error.
        net_names: Keep names of internal nets (`Aig.net_names`).
        stop: Ends the call from another thread or at a deadline.

    Raises:
        ParseError: with line and column; loops are named signal by signal.
        UsageError: if the file cannot be read.
        LimitError: if a documented size limit is met or `stop` ends the call.

    Cost:
        Linear.

    Example:
        >>> aig = read_bench(b"INPUT(a)\nINPUT(b)\nOUTPUT(y)\ny = NAND(a, b)\n")
        >>> aig.num_inputs, aig.num_ands
        (2, 1)
    """
    aig, _ = read_bench_with_notes(source, free_undriven=free_undriven, net_names=net_names, stop=stop)
    return aig


def read_bench_with_notes(
    source: Source, *, free_undriven: bool = False, net_names: bool = False, stop: Stop | None = None
) -> tuple[Aig, list[tuple[int, str]]]:
    """As `read_bench`, with notes (line, text) on what was skipped or taken for granted."""
    data, name = read_source(source)
    return _hw.read_bench(data, name, free_undriven=free_undriven, net_names=net_names, stop=stop)


def write_bench(
    aig: Aig, target: Target, *, drop_properties: bool = False, stop: Stop | None = None
) -> list[str]:
    """Writes an AIG as an ISCAS .bench file of AND, NOT, BUFF, DFF, DFF0, DFF1, gnd and vdd.

    Args:
        aig: The circuit.
        target: A path ("-" is standard output; .gz, .xz and .zst are packed) or a binary stream. A file is
            replaced only when all is written.
        drop_properties: Leave bad states, constraints, justice and fairness out: they have no place in it.
        stop: Ends the call from another thread or at a deadline.

    Returns:
        Notes: names that were made up or marked, properties that were dropped.

    Raises:
        UsageError: if the file cannot be written, or the circuit has properties and `drop_properties` is not
            set.
        LimitError: if `stop` ends the call.

    Cost:
        Linear.
    """
    path = os.fspath(target) if isinstance(target, str | os.PathLike) else "-"
    if path != "-" and compression_of(path) is None:
        with replacing(path) as stream:
            return _hw.write_bench(
                aig, stream.fileno(), display_name(path), drop_properties=drop_properties, stop=stop
            )
    data, notes = _hw.bench_bytes(aig, drop_properties=drop_properties, stop=stop)
    write_target(target, data)
    return notes
