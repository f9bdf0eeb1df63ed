"""Conjunctive normal form."""

from typing import Annotated

import numpy
from numpy.typing import NDArray

import dynomite._native.aig
import dynomite._native.base


class Cnf:
    """
    A formula in conjunctive normal form: variables from 1, signed literals as in DIMACS.

    All clauses lie in one array, each ended by a 0.
    """

    def __init__(self) -> None: ...

    @property
    def num_variables(self) -> int:
        """Number of variables."""

    @property
    def num_clauses(self) -> int:
        """Number of clauses."""

    @property
    def data(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """All clauses as one new array, each ended by a 0. Linear."""

    def append(self, clauses: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]) -> None:
        """Adds clauses given as one array of int32, each ended by a 0."""

    def grow_variables(self, count: int) -> None:
        """At least so many variables."""

    def first_falsified(self, values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', writable=False)]) -> int | None:
        """
        Number, from 0, of the first clause that `values` does not satisfy; None if all are satisfied.

        `values[v - 1]` is variable v's, as uint8; missing ones are 0. Linear.
        """

class MappedCnf:
    """A formula made from an AIG, and which variables stand for which nodes."""

    @property
    def cnf(self) -> Cnf:
        """The formula."""

    @property
    def variables(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """Of each node of the AIG: its variable, 0 for none."""

    @property
    def nodes(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """Of variable v, at v - 1: its node."""

def read_dimacs(data: bytes, name: str = '<bytes>', *, stop: dynomite._native.base.Stop | None = None) -> Cnf:
    """
    Reads DIMACS CNF from bytes. Raises ParseError with line and column; LimitError when `stop` ends it.
    """

def dimacs_bytes(cnf: Cnf, *, comment: str = '', stop: dynomite._native.base.Stop | None = None) -> bytes:
    """The formula as the bytes of a DIMACS file."""

def encode(aig: dynomite._native.aig.Aig, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)], method: str, *, stop: dynomite._native.base.Stop | None = None) -> MappedCnf:
    """
    Clauses for the gates below `roots` (AIGER numbers): "tseitin", "plaisted-greenbaum", "cuts".

    The roots are not asserted. Linear, without the GIL.
    """

def to_aig(cnf: Cnf, *, stop: dynomite._native.base.Stop | None = None) -> dynomite._native.aig.Aig:
    """
    The formula as a circuit: an input a variable, one output that is true where all clauses are.
    """
