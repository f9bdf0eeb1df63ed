"""Formulas in conjunctive normal form: DIMACS files, circuits as clauses, clauses as circuits.

cnf = read_cnf("hard.cnf.xz")
encoded = aig_to_cnf(aig, method="cuts")
write_cnf(encoded.cnf, "circuit.cnf")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from dynomite._native import cnf as _cnf
from dynomite._native.cnf import Cnf, MappedCnf
from dynomite.errors import UsageError
from dynomite.formats.streams import Source, Target, read_source, write_target

if TYPE_CHECKING:
    from dynomite._native.aig import Aig, Lit
    from dynomite._native.base import Stop

__all__ = [
    "Cnf",
    "MappedCnf",
    "aig_to_cnf",
    "clauses_of",
    "cnf_from_clauses",
    "cnf_to_aig",
    "read_cnf",
    "write_cnf",
]

Method = Literal["tseitin", "plaisted-greenbaum", "cuts"]


def read_cnf(source: Source, *, stop: Stop | None = None) -> Cnf:
    r"""Reads a DIMACS CNF file, strictly.

    Comments may stand anywhere; clauses may share a line, run over several, and be empty. The header must be
    true: as many clauses, and no variable above its number.

    Args:
        source: A path ("-" is standard input; .gz, .xz and .zst are unpacked), bytes, or a binary stream.
        stop: Ends the call from another thread or at a deadline.

    Raises:
        ParseError: with line and column.
        UsageError: if the file cannot be read.
        LimitError: if `stop` ends the call.

    Example:
        >>> read_cnf(b"p cnf 3 2\n1 -3 0\n2 3 -1 0\n").num_clauses
        2
    """
    data, name = read_source(source)
    return _cnf.read_dimacs(data, name, stop=stop)


def write_cnf(cnf: Cnf, target: Target, *, comment: str = "", stop: Stop | None = None) -> None:
    """Writes a DIMACS CNF file, one clause a line; a file is replaced only when all is written."""
    write_target(target, _cnf.dimacs_bytes(cnf, comment=comment, stop=stop))


def cnf_from_clauses(clauses: Iterable[Iterable[int]], variables: int = 0) -> Cnf:
    """A formula from clauses of signed numbers, with at least so many variables.

    Example:
        >>> cnf_from_clauses([[1, -2], []]).num_clauses
        2
    """
    flat: list[int] = []
    for clause in clauses:
        literals = list(clause)
        if 0 in literals:
            raise UsageError("cnf_from_clauses: 0 is no literal")
        flat += [*literals, 0]
    cnf = Cnf()
    try:
        cnf.append(np.array(flat, dtype=np.int32))
    except OverflowError as error:
        raise UsageError("cnf_from_clauses: variables go up to 2^31 - 2") from error
    cnf.grow_variables(variables)
    return cnf


def clauses_of(cnf: Cnf) -> Iterator[list[int]]:
    """The clauses as lists of signed numbers."""
    data = cnf.data
    start = 0
    for end in np.flatnonzero(data == 0).tolist():
        yield data[start:end].tolist()
        start = end + 1


def aig_to_cnf(
    aig: Aig, roots: Sequence[Lit] | None = None, *, method: Method = "cuts", stop: Stop | None = None
) -> MappedCnf:
    """Clauses for the gates of a circuit. Nothing is asserted: add a unit clause for what has to be true.

    Args:
        aig: The circuit; latches are inputs here.
        roots: The literals wanted; by default outputs, next states, bad states and constraints.
        method: "tseitin": three clauses a gate. "plaisted-greenbaum": only what makes a root false when it
            has to be; its complement must not be asserted. "cuts": the circuit is covered by cells of four
            inputs first (Een, Mishchenko, Sorensson 2007), which leaves far fewer variables.
        stop: Ends the call.

    Returns:
        The formula; `variables[node]` is the variable of each node (0: none), `nodes[v - 1]` the node of each
        variable. Roots always have one.

    Raises:
        UsageError: A literal is not of this circuit.
        LimitError: if `stop` ends the call.

    Cost:
        Linear. "cuts" takes about 180 bytes a node while it runs.
    """
    wanted = list(roots) if roots is not None else _all_roots(aig)
    for lit in wanted:
        if lit.aig is not aig:
            raise UsageError("aig_to_cnf: a root of another circuit")
    raws: NDArray[np.uint32] = np.array([lit.raw for lit in wanted], dtype=np.uint32)
    return _cnf.encode(aig, raws, method, stop=stop)


def _all_roots(aig: Aig) -> list[Lit]:
    return [*aig.outputs, *aig.next_states, *aig.bad, *aig.constraints]


def cnf_to_aig(cnf: Cnf, *, stop: Stop | None = None) -> Aig:
    """The formula as a circuit: input i is variable i + 1; the one output is 1 where every clause is true.

    Raises:
        LimitError: if `stop` ends the call.

    Cost:
        Linear.
    """
    return _cnf.to_aig(cnf, stop=stop)
