"""And-inverter graphs: `Aig`, its literals `Lit`, its nodes `NodeRef`.

    >>> from dmt_dialect.aig import Aig
    >>> aig = Aig()
    >>> a, b, carry = aig.add_inputs(["a", "b", "c"])
    >>> aig.add_output(a ^ b ^ carry, "sum")
    >>> aig.add_output((a & b) | (carry & (a ^ b)), "carry")
    >>> aig
    <Aig: 3 inputs, 2 outputs, 7 ANDs>

The classes are native; this is their public place. A literal or node keeps its AIG alive. For graphs of more
than some thousand nodes build with `Aig.add_ands` or `Aig.from_arrays` and look at them through
`Aig.fanins`, `Aig.levels` and the other arrays, which have one row a node and are indexed by `NodeRef.id`.
"""

from __future__ import annotations

from dynomite._native.aig import (
    Aig,
    Lit,
    NodeId,
    NodeKind,
    NodeRef,
    circuit_hash,
    first_difference,
    same_circuit,
)

__all__ = [
    "Aig",
    "Lit",
    "NodeId",
    "NodeKind",
    "NodeRef",
    "circuit_hash",
    "first_difference",
    "same_circuit",
]


def restore_aig(data: bytes) -> Aig:
    """Unpickles an AIG."""
    return Aig.from_bytes(data)


def restore_lit(aig: Aig, raw: int) -> Lit:
    """Unpickles a literal: its AIG and its AIGER number."""
    return aig.lit(raw)


def restore_node(aig: Aig, raw: int) -> NodeRef:
    """Unpickles a node: its AIG and the AIGER number of its positive literal."""
    return aig.lit(raw).node
