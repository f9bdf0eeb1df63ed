"""The AIG as a networkx graph, for algorithms and drawings off the hot path."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import networkx

    from dmt_dialect.aig import Aig, Lit

GraphNode: TypeAlias = int | tuple[str, int]
"""A node's number, or the section and position of what reads the graph."""


def to_networkx(aig: Aig) -> networkx.DiGraph[GraphNode]:
    """Exports the graph: signals flow along the edges.

    Nodes of the AIG are the numbers of their ids, with the attributes `kind` ("const", "input", "latch",
    "and"), `level`, for inputs and latches `name` (None without one), for latches `reset`. What reads the
    graph from outside is a node of its own, a pair of its section and its position, such as
    ("output", 0), with `kind` and `name`; sections are output, next_state, bad, constraint, justice and
    fairness. Every edge has `complemented`; edges into ANDs have `operand` (0 or 1) in a list `operands`,
    which holds both where both fanins are the same node, with `complements` beside it.

    Args:
        aig: The AIG. All nodes are exported, dangling ones too; `Aig.cleanup` removes them first.

    Returns:
        A directed acyclic graph, but for latches: the node ("next_state", i) belongs to latch i.
    """
    import networkx

    graph: networkx.DiGraph[GraphNode] = networkx.DiGraph(name=aig.name)
    levels = aig.levels().tolist()
    input_names = aig.names("inputs")
    latch_names = aig.names("latches")
    resets = aig.resets
    for index, node in enumerate(aig.nodes()):
        kind = node.kind.name.lower()
        if node.is_input:
            graph.add_node(index, kind=kind, level=0, name=input_names[node.position])
        elif node.is_latch:
            position = node.position
            graph.add_node(index, kind=kind, level=0, name=latch_names[position], reset=resets[position])
        else:
            graph.add_node(index, kind=kind, level=levels[index])
        for operand, lit in enumerate(node.operands):
            source = lit.raw >> 1
            if graph.has_edge(source, index):
                edge = graph.edges[source, index]
                edge["operands"].append(operand)
                edge["complements"].append(lit.is_complemented)
            else:
                graph.add_edge(
                    source,
                    index,
                    complemented=lit.is_complemented,
                    operands=[operand],
                    complements=[lit.is_complemented],
                )
    for kind, position, lit, name in readers(aig):
        graph.add_node((kind, position), kind=kind, name=name)
        graph.add_edge(lit.raw >> 1, (kind, position), complemented=lit.is_complemented)
    return graph


def readers(aig: Aig) -> list[tuple[str, int, Lit, str | None]]:
    """All that reads the graph from outside: section, position, literal, name.

    The literals of a justice property share its position and name in the returned list.
    """
    rows: list[tuple[str, int, Lit, str | None]] = []
    for kind, section, lits in (
        ("output", "outputs", aig.outputs),
        ("next_state", "latches", aig.next_states),
        ("bad", "bad", aig.bad),
        ("constraint", "constraints", aig.constraints),
        ("fairness", "fairness", aig.fairness),
    ):
        names = aig.names(section)
        rows.extend((kind, i, lit, names[i]) for i, lit in enumerate(lits))
    names = aig.names("justice")
    for i, group in enumerate(aig.justice):
        rows.extend(("justice", i, lit, names[i]) for lit in group)
    return rows
