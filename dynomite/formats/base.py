"""Registry of circuit formats, and reading and writing by suffix.

The registry holds names of functions as strings ("package.module:function") and imports them when a file of
that format is met: this package depends on no dialect. Adding a format takes one file with `read_x` and
`write_x` and one line here, or a call of `register_format`.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from dynomite.errors import UsageError
from dynomite.formats.compression import SUFFIXES, compress, compression_of
from dynomite.formats.streams import Source, Target, write_target

if TYPE_CHECKING:
    from dynomite._native.aig import Aig
    from dynomite._native.base import Stop
    from dynomite._native.map import LutNetwork

    Reader = Callable[..., Aig]
    NotedReader = Callable[..., tuple[Aig, list[tuple[int, str]]]]
    Writer = Callable[..., list[str] | None]


@dataclass(frozen=True)
class Format:
    """One file format.

    Attributes:
        name: What `fmt` and the command line call it; its suffix without the dot.
        title: What it is, for messages and help.
        reader: "package.module:function" of `read_x(source) -> Aig`, or None if it can only be written.
        writer: "package.module:function" of `write_x(aig, target)`, or None if it can only be read. It may
            return notes on what it had to change.
        noted_reader: "package.module:function" of `read_x_with_notes(source)`, which returns the circuit and
            notes, each with its line (0: none); None if there is never anything to say.
        holds_properties: Whether bad states, constraints, justice and fairness have a place in the format. If
            not, the writer refuses them unless it is called with `drop_properties=True`.
        has_modules: Whether a file may hold several modules: its reader then takes the name of one as `top`,
            and `FILE::MODULE` means one of them.
        takes_library: Whether its reader takes a file of cells as `library`.
        has_nets: Whether its reader keeps the names of internal nets if it is called with `net_names=True`.
    """

    name: str
    title: str
    reader: str | None
    writer: str | None
    noted_reader: str | None = None
    holds_properties: bool = True
    has_modules: bool = False
    takes_library: bool = False
    has_nets: bool = False

    def load_reader(self) -> Reader:
        """Imports the reader.

        Raises:
            UsageError: if the format cannot be read.
        """
        if self.reader is None:
            raise UsageError(f"{self.title} files can be written, not read")
        return cast("Reader", _load(self.reader))

    def load_writer(self) -> Writer:
        """Imports the writer.

        Raises:
            UsageError: if the format cannot be written.
        """
        if self.writer is None:
            raise UsageError(f"{self.title} files can be read, not written")
        return cast("Writer", _load(self.writer))


def _load(function: str) -> object:
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)


_formats: dict[str, Format] = {}
_LUT_FORMATS = ("blif", "eblif")


def register_format(entry: Format) -> None:
    """Adds a format, or replaces the one of the same name."""
    _formats[entry.name] = entry


def known_formats() -> tuple[Format, ...]:
    """All formats, in the order they were registered."""
    return tuple(_formats.values())


_AIGER, _BLIF, _BENCH = "dmt_dialect.formats.aiger", "hw_dialect.formats.blif", "hw_dialect.formats.bench"
_DYNO, _YOSYS = "hw_dialect.formats.dyno", "hw_dialect.formats.yosys_json"
for _entry in (
    Format("aag", "ASCII AIGER", f"{_AIGER}:read_aiger", f"{_AIGER}:write_aag"),
    Format("aig", "binary AIGER", f"{_AIGER}:read_aiger", f"{_AIGER}:write_aig"),
    Format(
        "blif",
        "BLIF",
        f"{_BLIF}:read_blif",
        f"{_BLIF}:write_blif",
        f"{_BLIF}:read_blif_with_notes",
        False,
        takes_library=True,
        has_nets=True,
    ),
    Format(
        "eblif",
        "extended BLIF",
        f"{_BLIF}:read_blif",
        f"{_BLIF}:write_eblif",
        f"{_BLIF}:read_blif_with_notes",
        False,
        takes_library=True,
        has_nets=True,
    ),
    Format(
        "bench",
        "ISCAS bench",
        f"{_BENCH}:read_bench",
        f"{_BENCH}:write_bench",
        f"{_BENCH}:read_bench_with_notes",
        False,
        has_nets=True,
    ),
    Format(
        "dyno",
        "dynomite text",
        f"{_DYNO}:read_dyno",
        f"{_DYNO}:write_dyno",
        f"{_DYNO}:read_dyno_with_notes",
        holds_properties=False,
        has_modules=True,
    ),
    Format(
        "json",
        "Yosys JSON",
        f"{_YOSYS}:read_yosys_json",
        None,
        f"{_YOSYS}:read_yosys_json_with_notes",
        has_modules=True,
    ),
    Format("v", "Verilog", None, "hw_dialect.formats.verilog:write_verilog", holds_properties=False),
    Format("smt2", "SMT-LIB", None, "hw_dialect.formats.smtlib:write_smtlib", holds_properties=False),
):
    register_format(_entry)


def _known() -> str:
    return f"known formats: {', '.join(_formats)}, each also with {' '.join(SUFFIXES)}"


def split_module(path: object) -> tuple[object, str]:
    """`FILE::MODULE` as the two; other paths, data and streams as they are with an empty name.

    The file's suffix has to be that of a format whose files hold several modules.
    """
    if not isinstance(path, str):
        return path, ""
    at = path.find("::")
    while at >= 0:
        stem = path[:at]
        packed = compression_of(stem)
        suffix = os.path.splitext(stem[: -len(packed)] if packed else stem)[1].lower().removeprefix(".")
        if suffix in _formats and _formats[suffix].has_modules:
            return stem, path[at + 2 :]
        at = path.find("::", at + 1)
    return path, ""


def detect_format(path: object, fmt: str | None = None) -> tuple[Format, str | None]:
    """The format of a file, and its compression suffix or None.

    Args:
        path: A path, "-", `FILE::MODULE`, or anything else (bytes, a stream), which needs `fmt`.
        fmt: Name of the format, which then counts instead of the path's suffix; "aig.gz" means compressed.

    Raises:
        UsageError: if neither says the format; the message lists the known ones.
    """
    path, _ = split_module(path)
    text = os.fspath(cast("str | os.PathLike[str]", path)) if isinstance(path, str | os.PathLike) else ""
    is_file = isinstance(path, str | os.PathLike) and text != "-"
    compression = compression_of(text) if is_file else None
    if fmt is not None:
        stem, dot, packed = fmt.lower().removeprefix(".").partition(".")
        if stem not in _formats or (dot and f".{packed}" not in SUFFIXES):
            raise UsageError(f"unknown format {fmt!r}; {_known()}")
        return _formats[stem], compression or (f".{packed}" if dot else None)
    if not is_file:
        what = "standard input or output" if text == "-" else "data that is not a file"
        raise UsageError(f"the format of {what} must be given; {_known()}")
    suffix = os.path.splitext(text[: -len(compression)] if compression else text)[1]
    name = suffix.lower().removeprefix(".")
    if name not in _formats:
        which = f"unknown suffix {suffix!r}" if suffix else "no suffix that says the format"
        raise UsageError(f"{text or repr(text)}: {which}; {_known()} (or give the format)")
    return _formats[name], compression


def read_circuit(
    path: Source,
    fmt: str | None = None,
    *,
    notes: list[str] | None = None,
    library: str | os.PathLike[str] | None = None,
    net_names: bool = False,
    stop: Stop | None = None,
) -> Aig:
    """Reads a circuit file of any known format.

    Args:
        path: A path, possibly with .gz, .xz or .zst behind the format's suffix; "-" is standard input;
            `FILE::MODULE` is one module of a file that holds several. With `fmt` also the data itself or a
            binary stream. Compressed data is recognised by its first bytes.
        fmt: Name of the format, such as "aag" or "dyno"; by default the suffix says it.
        notes: Takes a sentence on everything that was skipped or taken for granted, such as don't-cares.
        library: File of cells (genlib, Liberty) for a format whose circuits may be made of cells; others do
            without.
        net_names: Keep the names of internal nets (`Aig.net_names`) where the format has them.
        stop: Ends the call from another thread or at a deadline.

    Returns:
        The circuit as the file has it.

    Raises:
        ParseError: if the data is not what the format demands, with its place.
        UsageError: if the file cannot be read or its format is unknown.
        LimitError: if a documented size limit is met, or `stop` ends the call.

    Example:
        >>> aig = read_circuit("adder.aig.xz")  # doctest: +SKIP
    """
    entry, _ = detect_format(path, fmt)
    options: dict[str, object] = {} if stop is None else {"stop": stop}
    path, module = cast("tuple[Source, str]", split_module(path))
    if module:
        options["top"] = module
    if library is not None and entry.takes_library:
        options["library"] = library
    if net_names and entry.has_nets:
        options["net_names"] = True
    if notes is None or entry.noted_reader is None:
        return entry.load_reader()(path, **options)
    aig, found = cast("NotedReader", _load(entry.noted_reader))(path, **options)
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else "<data>"
    notes += [f"{name}:{line}: {text}" if line else f"{name}: {text}" for line, text in found]
    return aig


def write_circuit(
    aig: Aig | LutNetwork,
    path: Target,
    fmt: str | None = None,
    *,
    drop_properties: bool = False,
    notes: list[str] | None = None,
) -> None:
    """Writes a circuit file of any known format.

    Args:
        aig: The circuit; a network of LUTs goes to BLIF only.
        path: A path, possibly with .gz, .xz or .zst behind the format's suffix; "-" is standard output. With
            `fmt` also a binary stream. A file is replaced only when all is written.
        fmt: Name of the format, possibly with a compression ("aig.gz"); by default the suffix says it.
        drop_properties: Leave properties out that the format cannot hold, instead of refusing the circuit.
        notes: Takes a sentence on everything that was dropped, made up or renamed.

    Raises:
        UsageError: if the file cannot be written, its format is unknown or cannot hold the circuit.

    Example:
        >>> write_circuit(aig, "adder.aag")  # doctest: +SKIP
    """
    entry, compression = detect_format(path, fmt)
    if entry.name not in _LUT_FORMATS and isinstance(aig, import_module("dynomite._native.map").LutNetwork):
        raise UsageError(f"a network of LUTs cannot be written as {entry.title}; make it an AIG (`to_aig`)")
    writer = entry.load_writer()
    options = {} if entry.holds_properties or not drop_properties else {"drop_properties": True}
    suffixed = (
        isinstance(path, str | os.PathLike) and os.fspath(path) != "-" and compression_of(os.fspath(path))
    )
    if compression is None or suffixed:
        found = writer(aig, path, **options)
    else:  # Compression asked for by `fmt` alone.
        buffer = io.BytesIO()
        found = writer(aig, buffer, **options)
        write_target(path, compress(buffer.getvalue(), compression))
    if notes is not None and found:
        notes += found
