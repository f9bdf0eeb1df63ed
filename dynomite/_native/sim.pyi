"""Bit-parallel simulation of AIGs."""

from typing import Annotated

import numpy
from numpy.typing import NDArray

import dynomite._native.aig
import dynomite._native.base


class Schedule:
    """
    The cones of chosen literals of an AIG, compiled for simulation.

    Independent of the AIG once made. Sources are its inputs, then its latches.
    """

    def __init__(self, aig: dynomite._native.aig.Aig, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)] | None = None, stop: dynomite._native.base.Stop | None = None) -> None:
        """
        Compiles the cones of `roots` (AIGER literals; default: the outputs). Cost: linear in the AIG. Raises LimitError when `stop` ends it.
        """

    @property
    def op_count(self) -> int:
        """ANDs in the cones."""

    @property
    def slot_count(self) -> int:
        """Values alive at one time, at most."""

    @property
    def source_count(self) -> int:
        """Inputs plus latches of the AIG."""

    @property
    def root_count(self) -> int:
        """Number of roots."""

    def run(self, patterns: int, *, cycles: int = 1, seed: int | None = None, values: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', writable=False)] | None = None, unknown: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', writable=False)] | None = None, state: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C')] | None = None, state_unknown: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C')] | None = None, ternary: bool = False, simd: str = 'auto', block_words: int = 0, stop: dynomite._native.base.Stop | None = None) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C')] | None] | None:
        """
        Simulates `patterns` patterns at a time for `cycles` clock cycles.

        Inputs are `values`, random from `seed`, or with neither every combination. With `state` (latches x words; changed in place to the state after the last cycle) the last sources are the latches and the last roots their next states. Returns (values, unknown) of the other roots, each cycles x roots x words, unknown only in ternary simulation; None if `stop` ended it.
        """

def node_values(aig: dynomite._native.aig.Aig, patterns: int, *, seed: int | None = None, values: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', writable=False)] | None = None, simd: str = 'auto', stop: dynomite._native.base.Stop | None = None) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C')] | None:
    """
    Values of all nodes, nodes x words. Inputs, then latches, are random from `seed`, the rows of `values`, or with neither every combination. None if `stop` ended it.
    """

def source_words(rows: int, patterns: int, *, cycles: int = 1, seed: int | None = None) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C')]:
    """
    The patterns `Schedule.run` uses for a seed, or every combination: cycles x rows x words.
    """

def simd_variants() -> list[str]:
    """Instruction sets this machine can use, best last."""
