"""Where two circuits begin to differ."""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray

import dynomite._native.aig
import dynomite._native.base


def flip_effects(aig: dynomite._native.aig.Aig, values: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', writable=False)], roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)], targets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', writable=False)], nodes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)], *, stop: dynomite._native.base.Stop | None = None) -> tuple[Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None, 2, None), order='C')]]:
    """
    What value each of some ANDs needs, pattern by pattern, for the roots to take wanted values.

    Args:
        aig: The circuit.
        values: Words of all nodes, as `sim.node_values` gives them; every bit is a pattern.
        roots: AIGER literals.
        targets: The words the roots should have, one row a root.
        nodes: Indices of ANDs; each is tried alone.
        stop: Ends the call; nodes that were not tried have code -2.

    Returns:
        A code a node, and must-be-0 and must-be-1 words a node (n x 2 x words). Code -1: some pattern is met by
        neither value. Else bit a + 2b says that the AND must be 1 when its fanin literals are a and b in some
        pattern, bit 4 + a + 2b that it must be 0.

    Cost: for each node the part of its fanout cone that changes.
    """

def common_cone(aig: dynomite._native.aig.Aig, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
    """
    Indices of the ANDs in the fanin cones of all `roots` (AIGER literals). Cost: linear for each root.
    """

def min_vertex_cut(edges: Annotated[NDArray[numpy.uint32], dict(shape=(None, 2), order='C', writable=False)], cuttable: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', writable=False)], sources: Sequence[int], sinks: Sequence[int], *, near_sources: bool, most: int, stop: dynomite._native.base.Stop | None = None) -> list[int] | None:
    """
    A smallest set of cuttable vertices on all paths from sources to sinks, ends included.

    Args:
        edges: Rows (from, to).
        cuttable: One flag a vertex.
        sources: Where paths begin.
        sinks: Where they end.
        near_sources: Of all smallest sets that nearest to the sources, else to the sinks.
        most: Largest set looked for.
        stop: Ends the search.

    Returns:
        The set, sorted; None if it is larger than `most`, some path has nothing to cut, or `stop` ended it.

    Cost: linear for each vertex of the set.
    """
