"""Where the nodes of an AIG come from: for each node a set of places in sources.

    aig, origins = lower_with_origins(design)       # hw_dialect.elaborate
    swept, node_map, stats = sweep_tracked(aig)     # dmt_dialect.passes.sweep
    origins.nodes(aig).moved(node_map, swept.num_nodes)

Nodes that become one unite their origins, as instructions of the IR do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dynomite.errors import UsageError
from dynomite.ir import Origin

Places = tuple[Origin, ...]
"""A set of origins, without doubles."""

NO_NODE = 0xFFFFFFFF
"""In a map of nodes: there is none."""


def united(first: Places, second: Places) -> Places:
    """Both sets together, those of `first` in front."""
    return first if first == second or not second else tuple(dict.fromkeys((*first, *second)))


class NodeOrigins:
    """The origins of all nodes of an AIG; few different sets, and a number for each node.

    Args:
        sets: The different sets.
        numbers: uint32 a node: which of `sets` it has.
    """

    def __init__(self, sets: Sequence[Places], numbers: NDArray[np.uint32]) -> None:
        if len(numbers) and int(numbers.max()) >= len(sets):
            raise UsageError("NodeOrigins: a node has a set that is not there")
        self.sets = tuple(sets)
        self.numbers = numbers

    @classmethod
    def collect(cls, places: Iterable[Places]) -> NodeOrigins:
        """From the origins of each node in turn."""
        known: dict[Places, int] = {(): 0}
        numbers = [known.setdefault(place, len(known)) for place in places]
        return cls(tuple(known), np.array(numbers, dtype=np.uint32))

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self.numbers)

    def of(self, node: int) -> Places:
        """The origins of a node, by number."""
        return self.sets[int(self.numbers[node])]

    def nodes_from(self, places: Collection[Origin]) -> NDArray[np.uint32]:
        """Numbers of the nodes with one of these origins, in order. Cost: linear in the nodes."""
        wanted = set(places)
        has = np.array([not wanted.isdisjoint(each) for each in self.sets], dtype=bool)
        return np.flatnonzero(has[self.numbers]).astype(np.uint32)

    def moved(self, node_map: NDArray[np.uint32], num_nodes: int) -> NodeOrigins:
        """The origins in a circuit that was made of this one.

        Args:
            node_map: uint32 a node of this circuit: a literal of the other one, `NO_NODE` for none.
            num_nodes: Nodes of the other one.

        Raises:
            UsageError: The map has another length, or a literal that is not in the other circuit.

        Cost: linear.
        """
        if len(node_map) != len(self.numbers):
            raise UsageError(f"moved: a map of {len(node_map)} nodes for {len(self.numbers)}")
        known: dict[Places, int] = {(): 0}
        sets: list[Places] = [()]
        numbers = [0] * num_nodes
        old_numbers: list[int] = self.numbers.tolist()
        literals: list[int] = node_map.tolist()
        for old, literal in zip(old_numbers, literals, strict=True):
            if literal == NO_NODE:
                continue
            if literal >> 1 >= num_nodes:
                raise UsageError(f"moved: there is no literal {literal} in a circuit of {num_nodes} nodes")
            places = united(sets[numbers[literal >> 1]], self.sets[old])
            number = known.setdefault(places, len(known))
            if number == len(sets):
                sets.append(places)
            numbers[literal >> 1] = number
        return NodeOrigins(sets, np.array(numbers, dtype=np.uint32))
