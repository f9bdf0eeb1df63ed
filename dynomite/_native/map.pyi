"""Mapping to look-up tables."""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray

import dynomite._native.aig
import dynomite._native.base


class LutNetwork:
    """
    A circuit of look-up tables, read-only, with the ports of the AIG it was made from.

    A signal is a number: first the inputs, then the latches, then the LUTs in topological order. A
    constant is a LUT without inputs. Arrays are copies.
    """

    @property
    def k(self) -> int:
        """Most inputs a LUT may have."""

    @property
    def num_inputs(self) -> int:
        """Number of inputs of the circuit."""

    @property
    def num_latches(self) -> int:
        """Number of latches."""

    @property
    def num_luts(self) -> int:
        """Number of LUTs."""

    @property
    def first_lut(self) -> int:
        """Signal of LUT 0; the others follow."""

    @property
    def num_pins(self) -> int:
        """Inputs of all LUTs together."""

    @property
    def num_levels(self) -> int:
        """LUTs on the longest path to a root. Linear."""

    @property
    def levels(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """
        Level of every LUT: one more than that of its highest input; 0 for a constant. Linear.
        """

    @property
    def starts(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """Where in `fanins` the inputs of LUT i begin; one row more than LUTs."""

    @property
    def fanins(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """Signals that the LUTs read, one LUT after the other."""

    @property
    def functions(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, 4), order='C')]:
        """
        Functions, a row of four words a LUT: bit i is the value under input number i. Functions of few inputs repeat.
        """

    @property
    def origins(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """
        Literal (AIGER's number) of the mapped AIG that each LUT is; that of a constant where it is none.
        """

    def inputs_of(self, lut: int) -> list[int]:
        """Signals that LUT number `lut` reads."""

    def function_of(self, lut: int) -> int:
        """
        Function of LUT number `lut` as a number: bit i is the value where input k has bit k of i.
        """

    def to_aig(self, *, stop: dynomite._native.base.Stop | None = None) -> dynomite._native.aig.Aig:
        """
        The same circuit as an AIG, each LUT by an irredundant sum of products. Linear, without the GIL.
        """

    def __repr__(self) -> str: ...

    @property
    def outputs(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """Signals of the outputs."""

    @property
    def next_states(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """Signals of the latches' next states."""

    @property
    def bad(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """Signals of the bad states."""

    @property
    def constraints(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """Signals of the constraints."""

    @property
    def fairness(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """Signals of the fairness constraints."""

    @property
    def justice(self) -> list[list[int]]:
        """Signals of the justice properties."""

    @property
    def name(self) -> str:
        """Name of the circuit; may be empty."""

    @property
    def input_names(self) -> list[str | None]:
        """Names of the inputs, None where there is none."""

    @property
    def latch_names(self) -> list[str | None]:
        """Names of the latches, None where there is none."""

    @property
    def output_names(self) -> list[str | None]:
        """Names of the outputs, None where there is none."""

class LutMapStats:
    """What a mapping did."""

    def __init__(self) -> None: ...

    @property
    def fewest_levels(self) -> int:
        """Levels of the mapping with the fewest."""

    @property
    def choices(self) -> int:
        """Further structures of nodes, from other versions."""

    @property
    def luts_by_round(self) -> list[int]:
        """LUTs after each round."""

def cover_by_gates(aig: dynomite._native.aig.Aig, *, xor2: bool = False, mux: bool = False, majority: bool = False, xor3: bool = False, stop: dynomite._native.base.Stop | None = None) -> LutNetwork:
    """
    Covers an AIG by gates; see `dmt_dialect.synthesis.gate_views`. Without the GIL.
    """

def gate_kinds(network: LutNetwork) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
    """
    What each LUT is: 0 constant, 1 buffer or inverter, 2 AND, 3 XOR, 4 multiplexer, 5 majority, 6 XOR of three, 7 something else. Linear.
    """

def map_luts(aig: dynomite._native.aig.Aig, versions: Sequence[dynomite._native.aig.Aig], *, k: int = 6, effort: str = 'normal', cuts: int = 0, area_only: bool = False, max_levels: int | None = None, extra_levels: int = 0, stats: LutMapStats | None = None, stop: dynomite._native.base.Stop | None = None) -> LutNetwork:
    """
    Covers an AIG by LUTs; see `dmt_dialect.synthesis.lut_mapping.map_luts`. Without the GIL.
    """
