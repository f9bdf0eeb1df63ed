"""BLIF and EBLIF files: netlists with hierarchy, flattened to AIGs or kept as they are.

`read_netlist` gives what the file says, model by model; `read_blif` resolves and flattens it. Signals without
a driver or with several, combinational loops, rows that do not fit, recursive and missing models are errors
with their place. What is legal and carries no logic (areas, delays, don't-cares...) is skipped with a
note; `read_blif_with_notes` returns the notes.

Names in an AIG may hold characters that BLIF cannot (blanks, `#`, a backslash): these and `%` are written as
`%` and two upper-case hexadecimal digits. A port without a name is written as `%i0`, `%o0` or `%l0` (input,
output, latch and its number), a name that two signals share gets such a mark at its end (`q%o3`). Reading
undoes both, so that a written circuit has its names again when it is read.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dynomite._native import hw as _hw
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite._native.hw import Netlist
from dynomite._native.map import LutNetwork
from dynomite.errors import UsageError
from dynomite.formats.compression import compression_of
from dynomite.formats.streams import Source, Target, display_name, read_source, replacing, write_target

if TYPE_CHECKING:
    from hw_dialect.cells.library import CellLibrary

Note = tuple[int, str]
"""Line of the file (0: no particular one) and what there is to say about it."""


def read_netlist(source: Source, *, stop: Stop | None = None) -> Netlist:
    r"""Reads a BLIF or EBLIF file as a netlist: models, ports, elements and attributes, nothing resolved.

    Args:
        source: A path ("-" is standard input; .gz, .xz and .zst are unpacked), the data as bytes, or a binary
            stream.
        stop: Ends the call from another thread or at a deadline.

    Raises:
        ParseError: with line and column, if a line is not what BLIF demands.
        UsageError: if the file cannot be read.
        LimitError: if a documented size limit is met or `stop` ends the call.

    Cost:
        Linear.

    Example:
        >>> netlist = read_netlist(b".model inv\n.inputs a\n.outputs y\n.names a y\n0 1\n.end\n")
        >>> [(cell.kind, cell.inputs, cell.output) for cell in netlist.models[0].cells]
        [('names', ['a'], 'y')]
    """
    data, name = read_source(source)
    return _hw.read_netlist(data, name, stop=stop)


def read_blif(
    source: Source | Netlist,
    *,
    black_boxes: bool = False,
    free_undriven: bool = False,
    net_names: bool = False,
    top: str = "",
    max_flattened: int = 1 << 24,
    library: CellLibrary | str | os.PathLike[str] | None = None,
    stop: Stop | None = None,
) -> Aig:
    r"""Reads a BLIF or EBLIF file as one flat AIG.

    Inputs and outputs keep the order of the file; latches come instance by instance, those of the top first.
    Latches and black boxes below the top are called `instance/signal`, an instance by its `.cname`, else by
    its model and number (`adder:0`). A latch that starts at 2 or 3, or does not say, is uninitialised.
    Clocks are dropped; `read_blif_with_notes` says when there was more than one.

    Args:
        source: A path ("-" is standard input; .gz, .xz and .zst are unpacked), the data as bytes, a binary
            stream, or a netlist.
        black_boxes: Cut the circuit where a model is missing or has `.blackbox`: its outputs become inputs,
            its inputs become outputs, called `instance/port`. Otherwise that is an error.
        free_undriven: Signals without a driver become inputs. Otherwise that is an error.
        net_names: Keep names of internal nets (`Aig.net_names`).
        top: The model to take; by default the first of the file.
        max_flattened: Limit of nets and instances that flattening makes, so that a small file cannot fill the
            memory; four times what the file itself has is always allowed.
        library: Cells for instances whose model the file does not have: a genlib or Liberty file, or what
            `read_library` made of it. Not with a netlist.
        stop: Ends the call from another thread or at a deadline.

    Raises:
        ParseError: with line and column, and both lines when a signal has two drivers; loops are named signal
            by signal.
        UsageError: if the file cannot be read, or has no model `top`.
        LimitError: if the hierarchy flattens to too much, or `stop` ends the call.

    Cost:
        Linear in the flattened netlist.

    Example:
        >>> aig = read_blif(b".model m\n.inputs a b\n.outputs y\n.names a b y\n11 1\n.end\n")
        >>> aig.num_inputs, aig.num_ands
        (2, 1)
    """
    aig, _ = read_blif_with_notes(
        source,
        black_boxes=black_boxes,
        free_undriven=free_undriven,
        net_names=net_names,
        top=top,
        max_flattened=max_flattened,
        library=library,
        stop=stop,
    )
    return aig


def read_blif_with_notes(
    source: Source | Netlist,
    *,
    black_boxes: bool = False,
    free_undriven: bool = False,
    net_names: bool = False,
    top: str = "",
    max_flattened: int = 1 << 24,
    library: CellLibrary | str | os.PathLike[str] | None = None,
    stop: Stop | None = None,
) -> tuple[Aig, list[Note]]:
    """As `read_blif`, with notes on lines that were skipped and on what was taken for granted.

    Returns:
        The circuit, and notes in the order of lines.
    """
    if isinstance(source, Netlist):
        if library is not None:
            raise UsageError("read_blif: give the file, not a netlist, with a cell library")
        return _hw.elaborate(
            source,
            black_boxes=black_boxes,
            free_undriven=free_undriven,
            net_names=net_names,
            top=top,
            max_flattened=max_flattened,
            stop=stop,
        )
    data, name = read_source(source)
    if library is not None:
        data += _cells_for(data, name, library, stop)
    return _hw.read_blif(
        data,
        name,
        black_boxes=black_boxes,
        free_undriven=free_undriven,
        net_names=net_names,
        top=top,
        max_flattened=max_flattened,
        stop=stop,
    )


def _cells_for(
    data: bytes, name: str, library: CellLibrary | str | os.PathLike[str], stop: Stop | None
) -> bytes:
    """Models, to be put behind a file, of the library's cells that it uses and does not have itself."""
    from hw_dialect.cells.library import CellLibrary, read_library

    if not isinstance(library, CellLibrary):
        library = read_library(library)
    netlist = _hw.read_netlist(data, name, stop=stop)
    own = {model.name for model in netlist.models}
    used = dict.fromkeys(
        cell.model for model in netlist.models for cell in model.cells if cell.model and cell.model not in own
    )
    return b"\n" + library.models(used).encode("utf-8", "surrogateescape")


def read_dont_cares(source: Source | Netlist, *, stop: Stop | None = None) -> Aig:
    r"""Reads the external don't-cares of a BLIF file: the network after `.exdc` in its first model.

    Args:
        source: As for `read_netlist`, or a netlist.
        stop: Ends the call from another thread or at a deadline.

    Returns:
        A circuit with the outputs that have don't-cares, 1 where the model's output of that name does not
        count, over the inputs of the network (those of the model if it lists none).

    Raises:
        ParseError: if a line is not what BLIF demands.
        UsageError: if the first model has no `.exdc`, or its network more than `.names`.
        LimitError: if `stop` ends the call.

    Cost:
        Linear.

    Example:
        >>> text = b".model m\n.inputs a b\n.outputs y\n.names a b y\n11 1\n"
        >>> text += b".exdc\n.outputs y\n.names a y\n0 1\n"
        >>> aig = read_dont_cares(text)
        >>> aig.names("inputs"), aig.num_outputs
        (['a', 'b'], 1)
    """
    netlist = source if isinstance(source, Netlist) else read_netlist(source, stop=stop)
    model = netlist.models[0]
    network = model.exdc
    if network is None:
        raise UsageError(f"{netlist.path}: the model {model.name} has no external don't-cares (.exdc)")
    lines = [
        ".model dont_cares",
        f".inputs {' '.join(network.inputs or model.inputs)}",
        f".outputs {' '.join(network.outputs or model.outputs)}",
    ]
    for cell in network.cells:
        if cell.kind != "names" or cell.output is None:
            raise UsageError(
                f"{netlist.path}:{cell.line}: error: external don't-cares are made of .names only"
            )
        lines.append(f".names {' '.join([*cell.inputs, cell.output])}")
        lines += [f"{row} {int(cell.phase)}".strip() for row in cell.rows]
    return read_blif("\n".join([*lines, ".end", ""]).encode("utf-8", "surrogateescape"), stop=stop)


def write_blif(
    circuit: Aig | LutNetwork | Netlist,
    target: Target,
    *,
    drop_properties: bool = False,
    stop: Stop | None = None,
) -> list[str]:
    """Writes an AIG or a network of LUTs as one flat BLIF model, a `.names` for each AND or LUT.

    A netlist is written as it is: hierarchy, attributes, clocks and all.

    Args:
        circuit: What to write. Dangling AND nodes are written too.
        target: A path ("-" is standard output; .gz, .xz and .zst are packed) or a binary stream. A file is
            replaced only when all is written.
        drop_properties: Leave bad states, constraints, justice and fairness out, which BLIF cannot hold.
        stop: Ends the call from another thread or at a deadline.

    Returns:
        Notes: names that were made up or marked (see above), properties that were dropped.

    Raises:
        UsageError: if the file cannot be written, or the circuit has properties and `drop_properties` is not
            set.
        LimitError: if `stop` ends the call.

    Cost:
        Linear; about 30 bytes an AND.
    """
    path = os.fspath(target) if isinstance(target, str | os.PathLike) else "-"
    if isinstance(circuit, Netlist):
        write_target(target, _hw.netlist_bytes(circuit, stop=stop))
        return []
    if isinstance(circuit, LutNetwork):
        data, notes = _hw.lut_blif_bytes(circuit, drop_properties=drop_properties, stop=stop)
        write_target(target, data)
        return notes
    if path != "-" and compression_of(path) is None:
        with replacing(path) as stream:
            return _hw.write_blif(
                circuit, stream.fileno(), display_name(path), drop_properties=drop_properties, stop=stop
            )
    data, notes = _hw.blif_bytes(circuit, drop_properties=drop_properties, stop=stop)
    write_target(target, data)
    return notes


write_eblif = write_blif
"""EBLIF is BLIF with attributes; an AIG has none, so both formats are written alike."""


def convert_netlist(source: Source, target: Target, *, stop: Stop | None = None) -> list[Note]:
    """Copies a BLIF or EBLIF file through the netlist: checked line by line, hierarchy and all else kept.

    Nothing is flattened or resolved, so a netlist with missing models is copied too. Comments and the layout
    of lines are not kept.

    Returns:
        Notes of the reader.
    """
    netlist = read_netlist(source, stop=stop)
    write_blif(netlist, target, stop=stop)
    return netlist.notes
