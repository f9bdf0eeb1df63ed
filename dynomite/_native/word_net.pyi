"""Flat netlists of words, made of the dialects op and hw."""

from collections.abc import Sequence
from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray

import dynomite._native.aig
import dynomite._native.base
import dynomite._native.ir


class WordNet:
    """
    A flat netlist of words: nodes in topological order. See hw_dialect.elaborate.
    """

    @property
    def name(self) -> str:
        """Name of the top module."""

    @property
    def module(self) -> dynomite._native.ir.Module:
        """The IR it was made of."""

    def __len__(self) -> int: ...

    def inputs(self) -> list[tuple[str, int, int]]:
        """Name, width and node of each input port."""

    def outputs(self) -> list[tuple[str, int, list[tuple[int, int, int]]]]:
        """
        Name, width and bits (node, lowest bit, width; lowest first) of each output port.
        """

    def registers(self) -> list[tuple[str, int, int, list[tuple[int, int, int]], list[tuple[int, int, int]], list[tuple[int, int, int]], list[tuple[int, int, int]], int | None, int | None, bool, list[tuple[int, int, int]], bool]]:
        """
        Name, width, node, bits of next, enable, reset and reset value, initial value and its mask, whether the reset is asynchronous, bits of the clock, whether its falling edge counts.
        """

    def memories(self) -> list[tuple[str, int, int, int | None, list[tuple[list[tuple[int, int, int]], list[tuple[int, int, int]], list[tuple[int, int, int]], list[tuple[int, int, int]], bool]]]]:
        """
        Name, depth, width, initial value, and writes (bits of address, data, enable, clock; falling edge) of each memory.
        """

    def claims(self) -> list[tuple[str, list[tuple[int, int, int]], bool]]:
        """Name, bits and whether it is assumed, of each ASSERT and ASSUME."""

    def signals(self) -> list[tuple[str, int, list[tuple[int, int, int]]]]:
        """
        The name map: path, width and bits of every named value of every instance.
        """

    def node(self, number: int) -> tuple[str, str, int, list[list[tuple[int, int, int]]], int | None]:
        """
        Kind, operator, width, operands, and the value of a constant or the number of an input, register or memory.
        """

    def instr(self, number: int) -> dynomite._native.ir.InstrRef | None:
        """The operation a node comes from; None for a constant."""

    @property
    def notes(self) -> list[str]:
        """What was taken for granted."""

def elaborate(module: dynomite._native.ir.Module, top: str = '', *, max_nodes: int = 16777216, stop: dynomite._native.base.Stop | None = None) -> tuple[WordNet | None, list[tuple[str, dynomite._native.ir.InstrRef | None, list[tuple[str, dynomite._native.ir.InstrRef | None]]]], str]:
    """
    Checks all modules and flattens one; returns the netlist, or violations and their text.
    """

def operator_violations(module: dynomite._native.ir.Module, *, stop: dynomite._native.base.Stop | None = None) -> tuple[list[tuple[str, dynomite._native.ir.InstrRef | None, list[tuple[str, dynomite._native.ir.InstrRef | None]]]], str]:
    """Operators whose operands or widths are wrong, and the same as text."""

def module_violations(module: dynomite._native.ir.Module, *, stop: dynomite._native.base.Stop | None = None) -> tuple[list[tuple[str, dynomite._native.ir.InstrRef | None, list[tuple[str, dynomite._native.ir.InstrRef | None]]]], str]:
    """
    What is wrong with the modules, and the same as text; loops show when one is elaborated.
    """

def modules(module: dynomite._native.ir.Module, *, stop: dynomite._native.base.Stop | None = None) -> list[tuple[str, dynomite._native.ir.InstrRef, list[tuple[str, int]], list[tuple[str, int]], bool]]:
    """
    Name, instruction, input and output ports of each module, and whether another one has an instance.
    """

def lower(net: WordNet, *, architecture: str = '', max_memory_bits: int = 65536, max_bits: int = 67108864, max_ands: int = 268435456, net_names: bool = False, stop: dynomite._native.base.Stop | None = None) -> tuple[dynomite._native.aig.Aig, numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32]]:
    """
    Makes an AIG; also first nodes and ids of the instructions that made the nodes from there on, the literals of all words, and where those of each node of the netlist begin.
    """

def blast_operator(net: WordNet, number: int, aig: dynomite._native.aig.Aig, operands: Sequence[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)]], *, architecture: str = '', stop: dynomite._native.base.Stop | None = None) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
    """
    Builds the gates of one operator of a netlist in `aig`, over arrays of AIGER numbers.
    """

def simulate(net: WordNet, cycles: list[list[int]], signals: Sequence[int] = (), *, stop: dynomite._native.base.Stop | None = None) -> list[tuple[list[int], list[int], list[int], list[int]]]:
    """
    Values of outputs, registers (before the edge), claims and signals, cycle by cycle.
    """
