"""Canonical numberings of a circuit's nodes: levels, made as far as they are asked for.

>>> from dmt_dialect.aig import Aig
>>> from dmt_dialect.aig_numbering import AigLevels
>>> aig = Aig()
>>> a, b, c = aig.add_inputs(3)
>>> levels = AigLevels(aig)
>>> both = a & b
>>> levels.has_number(both.node), levels[both.node]
(False, 1)
>>> every = both & c
>>> levels.unnumbered().tolist() == [int(every.node.id)], levels[every.node]
(True, 2)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dmt_dialect.aig import Aig, NodeRef
from dynomite.errors import UsageError

_FEW = 64  # new nodes are numbered one by one up to here


class AigLevels:
    """Levels of nodes: 0 for inputs, latches and the constant, one more than the higher fanin for an AND.

    Nodes never change and come behind their fanins, so numbers stay right and only new nodes need one.

    Args:
        aig: Whose nodes.

    Cost: 4 bytes a node; asking is constant time and, for new nodes, some microseconds each up to 64 of them,
    else linear in the circuit as `Aig.levels` is.
    """

    def __init__(self, aig: Aig) -> None:
        self.aig = aig
        self._levels: npt.NDArray[np.uint32] = np.zeros(0, np.uint32)
        self._count = 0

    def has_number(self, node: NodeRef) -> bool:
        """True if the node has a number already; makes none."""
        return self._index(node) < self._count

    def unnumbered(self) -> npt.NDArray[np.intp]:
        """Ids of the nodes without a number."""
        return np.arange(self._count, self.aig.num_nodes)

    def renumber(self) -> None:
        """Gives every new node its number."""
        count = self.aig.num_nodes
        new = count - self._count
        if new > _FEW or self._count == 0:
            self._levels, self._count = self.aig.levels(), count
            return
        if count > len(self._levels):
            self._levels = np.concatenate([self._levels, np.zeros(max(_FEW, count // 2), np.uint32)])
        for index in range(self._count, count):
            node = self.aig.lit(2 * index).node
            if node.is_and:
                self._levels[index] = 1 + max(int(self._levels[lit.node.id]) for lit in node.operands)
        self._count = count

    @property
    def array(self) -> npt.NDArray[np.uint32]:
        """The level of every node by id."""
        self.renumber()
        return self._levels[: self._count]

    def __getitem__(self, node: NodeRef) -> int:
        index = self._index(node)
        if index >= self._count:
            self.renumber()
        return int(self._levels[index])

    def _index(self, node: NodeRef) -> int:
        if node.aig is not self.aig:
            raise UsageError("the levels are of another circuit")
        return int(node.id)
