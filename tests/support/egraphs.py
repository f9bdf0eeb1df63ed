"""What has to hold of an e-graph whenever it is rebuilt."""

from __future__ import annotations

from dynomite.ir import Const
from dynomite.rewriting.egraph import EGraph, Head


def check_invariants(graph: EGraph) -> None:
    """Nodes are unique up to equality (congruence), in their classes, and known to their operands."""
    seen: dict[object, int] = {}
    members = {cls: list(graph.members(cls)) for cls in graph.classes()}
    users = {cls: list(graph.users(cls)) for cls in graph.classes()}
    constants: dict[int, Const] = {}
    for number, node in enumerate(graph.nodes):
        if node.dead:
            continue
        assert node.operands == tuple(map(graph.find, node.operands))
        key = (node.head, node.operands)
        assert key not in seen, "two nodes are the same"
        seen[key] = number
        assert members[graph.find(node.cls)].count(number) == 1
        for operand in set(node.operands):
            assert users[operand].count(number) == 1
        if isinstance(node.head, Const):
            constants[graph.find(node.cls)] = node.head
        elif isinstance(node.head, Head) and node.head.type is not None:
            assert graph.type(node.cls) == node.head.type
    assert len(graph) == len(seen)
    assert sum(map(len, members.values())) == len(seen)
    assert all(members.values())
    for cls in members:
        assert graph.const(cls) == constants.get(cls)
