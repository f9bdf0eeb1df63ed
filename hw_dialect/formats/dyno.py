"""Text of the IR with modules of the dialects `op` and `hw`, as a circuit file.

    using op
    using hw
    MODULE @adder {
      IN %a:def(wire(8))
      IN %b:def(wire(8))
      ADD %s:def(wire(8)) %a %b
      OUT "s" %s
    }

Both dialects are known, nothing needs to be declared. A file may hold several modules: `FILE::MODULE` names
one where a file is asked for; without, it is the only one that no other module instantiates. docs/hardware.md
describes the dialects, docs/language.md the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynomite.errors import UsageError
from dynomite.formats.streams import Source, Target, read_source, write_target
from dynomite.ir import Module, parse, print_module
from hw_dialect.bits_to_words import module_of_aig
from hw_dialect.builder import context
from hw_dialect.elaborate import FileLimits, elaborate_text, file_limits, lower, naming

if TYPE_CHECKING:
    from dynomite._native.aig import Aig
    from dynomite._native.base import Stop
    from dynomite._native.word_net import WordNet


def read_module(source: Source, *, stop: Stop | None = None) -> Module:
    """Reads the text as it is; instructions know their places.

    Raises:
        ParseError: The text is not what the language demands.
        UsageError: The file cannot be read.
    """
    data, name = read_source(source)
    return parse(data, context(), path=name, locations=True, stop=stop)


def read_net(source: Source, *, top: str = "", stop: Stop | None = None) -> WordNet:
    """Reads a module as a flat netlist of words.

    Args:
        source: A path, "-", the data, or a binary stream.
        top: Name of the module; see `hw_dialect.elaborate.elaborate`.
        stop: Ends the call early.

    Raises:
        ParseError: The text is wrong, or what it describes; with all errors.
        UsageError: There is no such module, or the file cannot be read.
        LimitError: It flattens to too much.
    """
    return _net(source, top, stop)[0]


def _net(source: Source, top: str, stop: Stop | None) -> tuple[WordNet, FileLimits, str]:
    data, name = read_source(source)
    module = parse(data, context(), path=name, locations=True, stop=stop)
    with naming(name):
        return elaborate_text(module, data, name, top, stop=stop), file_limits(len(data)), name


def read_dyno(source: Source, *, top: str = "", stop: Stop | None = None) -> Aig:
    """Reads a module as an AIG; see `read_net`, `hw_dialect.elaborate.lower` and `file_limits` beside it."""
    net, limits, name = _net(source, top, stop)
    with naming(name):
        return lower(net, stop=stop, **limits)


def read_dyno_with_notes(
    source: Source, *, top: str = "", stop: Stop | None = None
) -> tuple[Aig, list[tuple[int, str]]]:
    """As `read_dyno`, with notes on what was taken for granted."""
    net, limits, name = _net(source, top, stop)
    with naming(name):
        return lower(net, stop=stop, **limits), [(0, note) for note in net.notes]


def write_dyno(circuit: Aig | Module, target: Target, *, drop_properties: bool = False) -> list[str]:
    """Writes an AIG as a module of gates with words at its ports, or modules as they are.

    Ports `a[0]`, `a[1]`... that follow each other become one port `a`.

    Args:
        circuit: What to write.
        target: A path ("-" is standard output) or a binary stream.
        drop_properties: Leave justice and fairness out, which have no place in the dialect.

    Returns:
        Notes on what was left out or renamed.

    Raises:
        UsageError: The circuit has such properties and `drop_properties` is not set.
    """
    notes: list[str] = []
    if isinstance(circuit, Module):
        module = circuit
    else:
        if not drop_properties and (len(circuit.justice) or len(circuit.literals("fairness"))):
            raise UsageError(
                "dynomite text holds no justice and fairness properties (drop_properties leaves them out)"
            )
        module = module_of_aig(circuit, notes)
    write_target(target, print_module(module).encode("utf-8", "surrogateescape"))
    return notes
