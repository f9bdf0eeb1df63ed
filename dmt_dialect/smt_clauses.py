"""Terms as one formula in clauses: satisfiable where all terms can be true together.

Terms are simplified and bit-blasted as for solving (`dmt_dialect.smt_engines`), gates become clauses by the
encoding of Plaisted and Greenbaum, and each term's literal is a clause of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dmt_dialect.cnf import Cnf
from dynomite._native.base import Stop
from dynomite._native.smt import Circuit, Term, Terms
from dynomite.errors import LimitError


def terms_cnf(terms: Terms, claims: Sequence[Term], *, stop: Stop | None = None) -> Cnf:
    """The clauses of Boolean terms that are to be true together.

    Args:
        terms: Their store.
        claims: The terms.
        stop: Ends the call.

    Raises:
        LimitError: There are too many gates, or `stop` ended the call.

    Cost: linear in the gates.
    """
    circuit = Circuit(terms)
    literals = circuit.literals(claims, stop=stop)
    if literals is None:
        raise LimitError("terms_cnf: stopped")
    open_literals = np.unique(literals[literals > 1])
    cnf = circuit.encode(open_literals, stop=stop)
    units = circuit.cnf_literals(open_literals)
    cnf.append(np.stack([units, np.zeros_like(units)], axis=1).ravel().astype(np.int32))
    if (literals == 0).any():
        cnf.append(np.zeros(1, dtype=np.int32))
    return cnf
