"""From modules of the IR to flat netlists of words and AIGs.

`elaborate` checks all modules (widths, ports, drivers, connections, recursion), flattens one with everything
below it and gives a `WordNet`: operators in topological order over rows of bits, with names like `u1/u2/sum`.
`lower` makes an AIG of it. Both are native and linear.

    net = elaborate(design, "top")
    aig = lower(net)
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypedDict, Union

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.origins import NodeOrigins, Places
from dynomite._native import word_net as native
from dynomite._native.word_net import WordNet
from dynomite.errors import LimitError, ParseError, ParseNote, UsageError, VerifyError
from dynomite.ir import InstrId, InstrRef, Module, Origin

if TYPE_CHECKING:
    from dynomite._native.aig import Aig, NodeRef
    from dynomite._native.base import Stop
    from hw_dialect.builder import Design

Source: TypeAlias = Union[Module, "Design", WordNet]
"""Modules in the IR, a design under construction, or a flat netlist."""

MAX_NODES = 1 << 24
"""Values of all instances together, by default."""
MAX_MEMORY_BITS = 1 << 16
"""Bits of all memories together that become latches, by default."""
MAX_BITS = 1 << 26
"""Bits of all values together, by default; also of all outputs."""
MAX_ANDS = 1 << 28
"""Gates, by default."""


class FileLimits(TypedDict):
    """Limits of `lower`."""

    max_bits: int
    max_ands: int


@dataclass(frozen=True)
class ModuleInfo:
    """One module.

    Attributes:
        name: Its symbol.
        instr: Its `hw.MODULE` (or the region with ports).
        inputs: Names and widths of the input ports.
        outputs: Names and widths of the output ports.
        is_instantiated: Whether another module has an instance of it.
    """

    name: str
    instr: InstrRef
    inputs: dict[str, int]
    outputs: dict[str, int]
    is_instantiated: bool


def _module_of(source: Module | Design) -> Module:
    return source if isinstance(source, Module) else source.ir


def modules(source: Module | Design, *, stop: Stop | None = None) -> list[ModuleInfo]:
    """The modules in order. What is wrong with them is `elaborate`'s to say."""
    return [
        ModuleInfo(name, instr, dict(inputs), dict(outputs), used)
        for name, instr, inputs, outputs, used in native.modules(_module_of(source), stop=stop)
    ]


def elaborate(
    source: Source, top: str = "", *, max_nodes: int = MAX_NODES, stop: Stop | None = None
) -> WordNet:
    """Checks all modules and flattens one.

    Args:
        source: The modules; a `WordNet` is returned as it is.
        top: Name of the module, `table::name` in symbol tables; by default the only one that no other one
            instantiates.
        max_nodes: Limit of the values of all instances, so that a small file cannot fill the memory.
        stop: Ends the call early.

    Raises:
        VerifyError: Lists everything that is wrong, with places.
        UsageError: There is no such module, or several could be meant.
        LimitError: The hierarchy flattens to too much, or `stop` ended the call.
    """
    if isinstance(source, WordNet):
        return source
    net, _, text = native.elaborate(_module_of(source), top, max_nodes=max_nodes, stop=stop)
    if net is None:
        raise VerifyError(text)
    return net


def elaborate_text(
    module: Module, data: bytes, path: str, top: str = "", *, stop: Stop | None = None
) -> WordNet:
    """As `elaborate` for a module that was read from `data`: errors show the line.

    Raises:
        ParseError: In place of `VerifyError`; further errors are in `others`.
    """
    net, violations, text = native.elaborate(module, top, stop=stop)
    if net is not None:
        return net
    lines = data.split(b"\n")

    def shown(instr: InstrRef | None) -> tuple[int, int, str]:
        places = instr.location if instr is not None else ()
        if not places or places[0].file != path or not 0 < places[0].line <= len(lines):
            return 0, 0, ""
        line = lines[places[0].line - 1].decode("utf-8", "replace").rstrip("\r")
        return places[0].line, places[0].column, line[:200]

    errors: list[ParseError] = []
    for message, instr, notes in violations:
        line, column, shown_text = shown(instr)
        remarks = tuple(ParseNote(note, *shown(at)) for note, at in notes)
        errors.append(ParseError(message, path, line, column, text=shown_text, notes=remarks))
    if not errors or not errors[0].line:
        raise VerifyError(text)
    first = errors[0]
    raise ParseError(
        first.message,
        path,
        first.line,
        first.column,
        text=first.text,
        notes=first.notes,
        others=tuple(errors[1:]),
    )


@contextmanager
def naming(path: str) -> Generator[None]:
    """Errors that name no place inside of the block begin with the file."""
    try:
        yield
    except VerifyError as error:
        lines = str(error).splitlines()
        text = "\n".join(f"{path}: {line}" if line.startswith("error: ") else line for line in lines)
        raise VerifyError(text) from None
    except (UsageError, LimitError) as error:
        raise type(error)(f"{path}: {error}") from None


@dataclass(frozen=True)
class Origins:
    """Which operation made which nodes of an AIG.

    Attributes:
        first: Nodes from `first[i]` on, up to the next one, were made for instruction `instrs[i]`.
        instrs: Ids of instructions.
        module: The IR.
    """

    first: NDArray[np.uint32]
    instrs: NDArray[np.uint32]
    module: Module

    def of(self, node: NodeRef | int) -> InstrRef | None:
        """The operation that made a node; None for inputs, latches and the constant."""
        number = node if isinstance(node, int) else int(node.id)
        at = int(np.searchsorted(self.first, number, side="right")) - 1
        return None if at < 0 else self.module.instr(InstrId(int(self.instrs[at])))

    def nodes(self, aig: Aig) -> NodeOrigins:
        """The places in the sources that each node comes from.

        An operation without a location is its own place: its name, and its number as the line.
        """
        sets: list[Places] = [()]
        numbers = np.zeros(aig.num_nodes, dtype=np.uint32)
        known: dict[int, int] = {}
        ends = [*self.first[1:].tolist(), aig.num_nodes]
        for start, end, raw in zip(self.first.tolist(), ends, self.instrs.tolist(), strict=True):
            number = known.get(raw)
            if number is None:
                number = known[raw] = len(sets)
                sets.append(places_of(self.module.instr(InstrId(raw))))
            numbers[start:end] = number
        return NodeOrigins(sets, numbers)


def places_of(instr: InstrRef) -> Places:
    """Where an operation comes from; one without a location is its own place."""
    return instr.location or (Origin(instr.name, int(instr.id)),)


def lower_with_origins(
    source: Source,
    top: str = "",
    *,
    architecture: str = "",
    max_memory_bits: int = MAX_MEMORY_BITS,
    max_bits: int = MAX_BITS,
    max_ands: int = MAX_ANDS,
    net_names: bool = False,
    stop: Stop | None = None,
) -> tuple[Aig, Origins]:
    """As `lower`, with the operations that the nodes come from."""
    net = elaborate(source, top, stop=stop)
    aig, first, instrs, _, _ = native.lower(
        net,
        architecture=architecture,
        max_memory_bits=max_memory_bits,
        max_bits=max_bits,
        max_ands=max_ands,
        net_names=net_names,
        stop=stop,
    )
    return aig, Origins(first, instrs, net.module)


def lower(
    source: Source,
    top: str = "",
    *,
    architecture: str = "",
    max_memory_bits: int = MAX_MEMORY_BITS,
    max_bits: int = MAX_BITS,
    max_ands: int = MAX_ANDS,
    net_names: bool = False,
    stop: Stop | None = None,
) -> Aig:
    """Makes an AIG of a module and everything below it.

    A port `a` of several bits becomes `a[0]`, `a[1]`... Registers and the words of memories become latches
    called by their paths. The clock is not in the AIG; an asynchronous reset acts on what a register shows at
    once.

    Args:
        source: The modules, or a netlist.
        top: Which module; see `elaborate`.
        architecture: How operators are built, such as "adder=kogge-stone,multiplier=booth".
        max_memory_bits: Limit of the bits of all memories.
        max_bits: Limit of the bits of all values, and of those of all outputs.
        max_ands: Limit of the gates; a product or quotient that would exceed it is refused before it is made.
        net_names: Keep the names of internal signals (`Aig.net_names`).
        stop: Ends the call early.

    Raises:
        VerifyError, UsageError, LimitError: As `elaborate`; what is above a limit.
    """
    aig, _ = lower_with_origins(
        source,
        top,
        architecture=architecture,
        max_memory_bits=max_memory_bits,
        max_bits=max_bits,
        max_ands=max_ands,
        net_names=net_names,
        stop=stop,
    )
    return aig


def file_limits(size: int) -> FileLimits:
    """What a file of `size` bytes may grow to, so that a few bytes cannot ask for all memory.

    `lower` with limits of one's own takes what this refuses.
    """
    return {"max_bits": 2**18 + 16 * size, "max_ands": 2**22 + 256 * size}
