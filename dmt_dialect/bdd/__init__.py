"""Binary decision diagrams: `Bdd`, the manager, and `BddRef`, a function in it.

    >>> from dmt_dialect.bdd import Bdd
    >>> bdd = Bdd()
    >>> a, b, c = bdd.add_vars(["a", "b", "c"])
    >>> f = (a & b) | ~c
    >>> f.count(), f.support
    (5, ('a', 'b', 'c'))
    >>> f.exist("c").is_true
    True
    >>> next(f.cubes())
    {'a': False, 'c': False}

The classes are native; this is their public place. `circuit_functions` makes the functions of a circuit,
`functions_circuit` a circuit of functions; `parse_expression` and `to_expression` are for text, `to_dot` and
`to_svg` for pictures, `read_dddmp` and `write_dddmp` for files.
"""

from __future__ import annotations

from dmt_dialect.bdd.circuits import CircuitFunctions, circuit_functions, functions_circuit
from dmt_dialect.bdd.drawing import to_dot, to_svg
from dmt_dialect.bdd.expressions import parse_expression, to_expression
from dmt_dialect.bdd.files import read_dddmp, write_dddmp
from dynomite._native.bdd import Bdd, BddRef

__all__ = [
    "Bdd",
    "BddRef",
    "CircuitFunctions",
    "circuit_functions",
    "functions_circuit",
    "parse_expression",
    "read_dddmp",
    "to_dot",
    "to_expression",
    "to_svg",
    "write_dddmp",
]
