"""Two designs over shared inputs in one AIG: the miter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dynomite._native.aig import Aig

if TYPE_CHECKING:
    from dmt_dialect.matching import Matched
    from dynomite._native.base import Stop


@dataclass(frozen=True, slots=True)
class Miter:
    """One AIG that holds both designs.

    Attributes:
        aig: Its inputs are the variables: one a pair of inputs, then one a pair of latches.
        pairs: Literals of `aig` to be proved equal, one row a compared function.
        left_variables: Variable that each input, then latch, of the left design reads.
        right_variables: The same for the right design.
    """

    aig: Aig
    pairs: NDArray[np.uint32]
    left_variables: NDArray[np.uint32]
    right_variables: NDArray[np.uint32]


def build_miter(
    left: Aig, right: Aig, matched: Matched, *, hashed: bool = True, stop: Stop | None = None
) -> Miter:
    """Copies both designs into a new AIG. Linear.

    Args:
        left: One design.
        right: The other.
        matched: How their ports are paired.
        hashed: Share equal logic of the two at once; False keeps every gate as read, for a proof that covers
            the sharing too.
        stop: Ends the call early.

    Raises:
        LimitError: `stop` ended it.
    """
    from dynomite._native.sweep import append

    aig = Aig()
    aig.add_inputs(len(matched.input_names) + len(matched.latch_names))
    variable_lits = aig.literals("inputs")
    columns: list[NDArray[np.uint32]] = []
    variables: list[NDArray[np.uint32]] = []
    for design, inputs, latches, lits in (
        (left, matched.inputs.left, matched.latches.left, [f.left for f in matched.functions]),
        (right, matched.inputs.right, matched.latches.right, [f.right for f in matched.functions]),
    ):
        variable_of = port_variables(design, inputs, latches)
        ci_map = np.asarray(variable_lits[variable_of], dtype=np.uint32)
        node_map = append(aig, design, ci_map, hashed=hashed, stop=stop)
        raw = np.array(lits, dtype=np.uint32)
        columns.append(np.asarray(node_map[raw >> 1] ^ (raw & 1), dtype=np.uint32))
        variables.append(variable_of)
    return Miter(aig, np.stack(columns, axis=1), *variables)


def port_variables(design: Aig, inputs: tuple[int, ...], latches: tuple[int, ...]) -> NDArray[np.uint32]:
    """The number of the pair of each input, then latch, of a design: inputs first.

    Args:
        design: One design.
        inputs: Its input in each pair of inputs; -1 for none.
        latches: Its latch in each pair of latches.
    """
    result = np.zeros(design.num_inputs + design.num_latches, dtype=np.uint32)
    for offset, base, positions in ((0, 0, inputs), (design.num_inputs, len(inputs), latches)):
        for variable, position in enumerate(positions, base):
            if position >= 0:
                result[offset + position] = variable
    return result
