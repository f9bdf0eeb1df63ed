r"""Netlists in the JSON that Yosys writes: modules of word-level cells (`$add`) and gates (`$_AND_`).

    yosys -p "read_verilog adder.v; proc; memory -nomap; flatten; write_json adder.json"

Every module becomes a `hw.MODULE` (`hw_dialect.ops`), with the places in the Verilog source where Yosys kept
them; instances of modules in the file stay instances. Names of nets are kept as names of values. Constant
bits that are x are taken as 0, with a note; initial values that are x are unknown. A register has one clock
in our netlists, so latches (`$dlatch`, `$sr`), tri-states and what formal tools only assume (`$anyconst`) are
errors, and so are cells of modules that the file does not have.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from dynomite.errors import ParseError
from dynomite.formats.streams import Source, read_source
from dynomite.ir import Module, parse
from hw_dialect.builder import context
from hw_dialect.elaborate import FileLimits, elaborate, file_limits, lower, naming
from hw_dialect.yosys.cells import CellError, ModuleWriter
from hw_dialect.yosys.shape import check_shape

if TYPE_CHECKING:
    from dynomite._native.aig import Aig
    from dynomite._native.base import Stop
    from dynomite._native.word_net import WordNet


def _load(data: bytes, name: str) -> dict[str, Any]:
    try:
        loaded: object = json.loads(data)
    except json.JSONDecodeError as error:
        raise ParseError(
            f"this is no JSON: {error.msg}", name, error.lineno, error.colno, error.pos
        ) from None
    except UnicodeDecodeError as error:
        raise ParseError(f"this is no JSON: {error}", name) from None
    except RecursionError:
        raise ParseError("the JSON is nested too deeply for a netlist", name) from None
    except ValueError:
        raise ParseError("a number in the JSON has more than 4300 digits", name) from None
    modules = cast("dict[str, Any]", loaded).get("modules") if isinstance(loaded, dict) else None
    if not isinstance(modules, dict):
        raise ParseError("a netlist of Yosys is an object with 'modules'", name, 1, 1)
    for module_name, module in cast("dict[str, Any]", modules).items():
        try:
            check_shape(module)
        except CellError as error:
            raise ParseError(f"module {module_name}: {error}", name, 1, 1) from None
    return cast("dict[str, Any]", modules)


def yosys_text(source: Source, notes: list[str] | None = None) -> tuple[str, str]:
    """The text of the IR for a netlist of Yosys, and the name of its top module ("" if none is marked).

    Raises:
        ParseError: The data is no such netlist, or has a cell that has no counterpart; says which.
        UsageError: The file cannot be read.
    """
    return _text(*read_source(source), notes)


def _text(data: bytes, name: str, notes: list[str] | None) -> tuple[str, str]:
    modules = _load(data, name)
    lines = ["using op", "using hw"]
    found: dict[str, None] = {}
    top = ""
    for module_name, module in modules.items():
        writer = ModuleWriter(module_name, module, modules, found)
        try:
            lines += writer.lines()
        except CellError as error:
            raise ParseError(f"module {module_name}: {error}{writer.place}", name, 1, 1) from None
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            text = f"module {module_name}: not as Yosys writes it ({type(error).__name__}: {error})"
            raise ParseError(text, name, 1, 1) from None
        if writer.is_top:
            top = module_name
    if notes is not None:
        notes += found
    return "\n".join(lines) + "\n", top


def read_yosys_module(
    source: Source, notes: list[str] | None = None, *, stop: Stop | None = None
) -> tuple[Module, str]:
    """Reads a netlist of Yosys as modules of the IR; also the name of its top module.

    Args:
        source: A path, "-", the data, or a binary stream.
        notes: Takes a sentence on everything that was taken for granted.
        stop: Ends the call early.

    Raises:
        ParseError, UsageError: As `yosys_text`.
    """
    read = _read(source, notes, stop)
    return read.module, read.top


class _Read(NamedTuple):
    """A netlist as modules of the IR: its top module, the file's name, the length of its text."""

    module: Module
    top: str
    name: str
    size: int


def _read(source: Source, notes: list[str] | None, stop: Stop | None) -> _Read:
    data, name = read_source(source)
    text, top = _text(data, name, notes)
    return _Read(parse(text, context(), path="<netlist>", stop=stop), top, name, len(text))


def _net(
    source: Source, top: str, notes: list[str] | None, stop: Stop | None
) -> tuple[WordNet, FileLimits, str]:
    read = _read(source, notes, stop)
    with naming(read.name):
        net = elaborate(read.module, top or read.top, stop=stop)
    if notes is not None:
        notes += net.notes
    return net, file_limits(read.size), read.name


def read_yosys_net(
    source: Source, *, top: str = "", notes: list[str] | None = None, stop: Stop | None = None
) -> WordNet:
    """Reads a netlist of Yosys as a flat netlist of words.

    Args:
        source: A path, "-", the data, or a binary stream.
        top: Which module; by default the one that Yosys marked, else the only one without instances.
        notes: Takes a sentence on everything that was taken for granted.
        stop: Ends the call early.
    """
    return _net(source, top, notes, stop)[0]


def read_yosys_json(source: Source, *, top: str = "", stop: Stop | None = None) -> Aig:
    """Reads a netlist of Yosys as an AIG; see `read_yosys_net` and `hw_dialect.elaborate.lower`."""
    net, limits, name = _net(source, top, None, stop)
    with naming(name):
        return lower(net, stop=stop, **limits)


def read_yosys_json_with_notes(
    source: Source, *, top: str = "", stop: Stop | None = None
) -> tuple[Aig, list[tuple[int, str]]]:
    """As `read_yosys_json`, with notes on what was taken for granted."""
    notes: list[str] = []
    net, limits, name = _net(source, top, notes, stop)
    with naming(name):
        return lower(net, stop=stop, **limits), [(0, note) for note in notes]
