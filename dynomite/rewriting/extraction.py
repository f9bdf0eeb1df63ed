"""The cheapest terms of an e-graph."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

from dynomite.errors import UsageError
from dynomite.ir import Const, ValueRef
from dynomite.rewriting.egraph import EGraph, Head, type_width

Extraction: TypeAlias = Literal["dag", "tree"]
"""`tree`: each value is as cheap as it can be by itself; `dag`: then what they have in common counts too."""

_PASSES = 8
_STEPS = 1_000_000
_STEPS_A_NODE = 100
_LARGEST_SIZE = 1 << 40


class Operand(NamedTuple):
    """What a cost is told of an operand.

    Attributes:
        cost: Its own cost; 0 of constants and of what is not chosen here.
        width: Its width, if it has one.
        const: The constant it is.
    """

    cost: int
    width: int | None
    const: Const | None


class Cost(Protocol):
    """What values cost.

    Attributes:
        shared: The whole costs the sum over all operations, one used twice once; otherwise the maximum over
            the values that are used.
    """

    @property
    def shared(self) -> bool:
        """See the class."""
        ...

    def cost(self, op: str, operands: Sequence[Operand], width: int | None) -> int | None:
        """The cost of a value, that of its operands included.

        It is not less than the cost of any operand, and does not fall where that of an operand rises. Where
        costs are shared it is the sum of the operands' costs and what the operation itself costs.

        Args:
            op: Full name of the operation.
            operands: Its operands.
            width: The width of its value, if it has one.

        Returns:
            None if it does not know the operation: such instructions stay as they are.
        """
        ...


class OperationCount:
    """The number of operations."""

    shared = True

    def cost(self, op: str, operands: Sequence[Operand], width: int | None) -> int | None:
        """One more than the operands."""
        del op, width
        return 1 + sum(operand.cost for operand in operands)


class _Settled(NamedTuple):
    cls: int
    node: int
    weight: tuple[int, ...]


class Extractor:
    """Chooses a node of each class so that the choice has no cycles.

    Constants are always chosen. Nodes that need a value made later than others of their class do are not, so
    that everything is there in time.

    Cost: n log n in the nodes, and one question for the cost of each.
    """

    def __init__(self, graph: EGraph, cost: Cost, made_at: dict[int, int]) -> None:
        """Chooses by tree cost.

        Args:
            graph: The classes.
            cost: What is minimised.
            made_at: For classes of values: where these are made; -1 if that is not specified.
        """
        self.graph = graph
        self.cost = cost
        self.choice: dict[int, int] = {}
        self._own: dict[int, int | None] = {}
        self._births: dict[int, int] = {}
        self._allowed: set[int] = set()
        self._left = 0
        self._find_births(made_at)
        self._choose_trees()

    # Costs.

    def node_cost(self, number: int, costs: Sequence[int]) -> int | None:
        """The cost of a node, operands costing this."""
        graph, node = self.graph, self.graph.nodes[number]
        if not isinstance(node.head, Head):
            return 0
        operands = [
            Operand(cost, graph.width(cls), graph.const(cls))
            for cls, cost in zip(node.operands, costs, strict=True)
        ]
        return self.cost.cost(node.head.op, operands, type_width(node.head.type))

    def own_cost(self, number: int) -> int | None:
        """What a node costs without its operands."""
        if number not in self._own:
            self._own[number] = self.node_cost(number, [0] * len(self.graph.nodes[number].operands))
        return self._own[number]

    def total(self, roots: Sequence[int]) -> tuple[int, int]:
        """The cost of what is chosen for these classes, and how many operations that are."""
        chosen = self.needed(roots)
        operations = [n for n in chosen if isinstance(self.graph.nodes[n].head, Head)]
        if self.cost.shared:
            return sum(self.own_cost(n) or 0 for n in operations), len(operations)
        costs: dict[int, int] = {}
        for number in chosen:
            node = self.graph.nodes[number]
            found = self.node_cost(number, [costs[self.graph.find(cls)] for cls in node.operands])
            assert found is not None
            costs[self.graph.find(node.cls)] = found
        return max((costs[self.graph.find(root)] for root in roots), default=0), len(operations)

    def needed(self, roots: Sequence[int]) -> list[int]:
        """The nodes chosen for classes, operands first."""
        order: list[int] = []
        done: set[int] = set()
        stack = [(self.graph.find(root), False) for root in reversed(roots)]
        while stack:
            cls, entered = stack.pop()
            if entered:
                order.append(self.choice[cls])
                continue
            if cls in done:
                continue
            done.add(cls)
            stack.append((cls, True))
            operands = self.graph.nodes[self.choice[cls]].operands
            stack += [(self.graph.find(operand), False) for operand in reversed(operands)]
        return order

    # When values are there, and trees. Classes are settled in the order of their weights, each once, as in
    # D. E. Knuth, "A generalization of Dijkstra's algorithm", 1977: no value weighs less than its operands.
    # An operation chosen has operands that were settled before, so what is chosen has no cycles.

    def _settle(self, nodes: Sequence[int], weigh: Callable[[int], tuple[int, ...]]) -> Iterator[_Settled]:
        find = self.graph.find
        missing = {n: len(set(map(find, self.graph.nodes[n].operands))) for n in nodes}
        heap = [(weigh(n), n) for n in nodes if missing[n] == 0]
        heapq.heapify(heap)
        done: set[int] = set()
        while heap:
            weight, number = heapq.heappop(heap)
            cls = find(self.graph.nodes[number].cls)
            if cls in done:
                continue
            done.add(cls)
            yield _Settled(cls, number, weight)
            for user in dict.fromkeys(self.graph.users(cls)):
                if user in missing:
                    missing[user] -= 1
                    if missing[user] == 0:
                        heapq.heappush(heap, (weigh(user), user))

    def _find_births(self, made_at: dict[int, int]) -> None:
        at = {self.graph.find(cls): place for cls, place in made_at.items()}

        def weigh(number: int) -> tuple[int]:
            node = self.graph.nodes[number]
            if isinstance(node.head, ValueRef):
                return (at.get(self.graph.find(node.cls), -1),)
            return (self._available(number),)

        known = [
            n for n, node in enumerate(self.graph.nodes) if not node.dead and self.own_cost(n) is not None
        ]
        for cls, _, (place,) in self._settle(known, weigh):
            self._births[cls] = place
        self._allowed = {n for n in known if self._is_in_time(n)}

    def _available(self, number: int) -> int:
        """When all operands of a node are there."""
        operands = self.graph.nodes[number].operands
        return max((self._births[self.graph.find(cls)] for cls in operands), default=-1)

    def _is_in_time(self, number: int) -> bool:
        node = self.graph.nodes[number]
        cls = self.graph.find(node.cls)
        if self.graph.const(cls) is not None:
            return isinstance(node.head, Const)
        if not all(self.graph.find(operand) in self._births for operand in node.operands):
            return False
        return isinstance(node.head, ValueRef) or self._available(number) <= self._births[cls]

    def _choose_trees(self) -> None:
        best: dict[int, tuple[int, ...]] = {}

        def weigh(number: int) -> tuple[int, int]:
            node = self.graph.nodes[number]
            if not isinstance(node.head, Head):
                return 0, 0
            bests = [best[self.graph.find(cls)] for cls in node.operands]
            cost = self.node_cost(number, [one[0] for one in bests])
            assert cost is not None
            if any(cost < one[0] for one in bests):
                raise UsageError(f"the cost of {node.head.op} is less than that of an operand")
            return cost, min(1 + sum(one[1] for one in bests), _LARGEST_SIZE)

        for cls, number, weight in self._settle(sorted(self._allowed), weigh):
            best[cls] = weight
            self.choice[cls] = number

    # Graphs: from the choice by trees, each class takes another node where that makes the whole cheaper, by
    # counting how often each class is needed. A node whose operands need the class itself is left out.

    def share(self, roots: Sequence[int]) -> None:
        """Makes the choice cheaper as a graph, if costs are shared.

        Cost: the alternatives of classes that are needed, times what one needs alone; it ends after 100 looks
        a node of the graph and a million more, and after 8 passes.
        """
        if not self.cost.shared:
            return
        self._left = _STEPS + _STEPS_A_NODE * len(self.graph)
        counts: dict[int, int] = {}
        for root in roots:
            self._need(self.graph.find(root), counts)
        for _ in range(_PASSES):
            changed = False
            for number in self.needed(roots):
                cls = self.graph.find(self.graph.nodes[number].cls)
                if counts.get(cls) and len(self.graph.nodes[number].operands):
                    changed |= self._improve(cls, counts)
            if not changed:
                return

    def _improve(self, cls: int, counts: dict[int, int]) -> bool:
        """Tries all nodes of a class that is needed."""
        present = self.choice[cls]
        others = [n for n in self.graph.members(cls) if n != present and n in self._allowed]
        if not others or self._left < 0:
            return False
        best, best_cost = present, self._release(present, counts)
        for number in others:
            cost = self._take(number, counts)
            self._release(number, counts)
            if cost < best_cost and not self._leads_to(number, cls):
                best, best_cost = number, cost
        self._take(best, counts)
        self.choice[cls] = best
        return best != present

    def _weight(self, number: int) -> tuple[int, int]:
        return self.own_cost(number) or 0, int(isinstance(self.graph.nodes[number].head, Head))

    def _need(self, cls: int, counts: dict[int, int]) -> tuple[int, int]:
        """Counts one use of a class; the cost of what that adds."""
        counts[cls] = counts.get(cls, 0) + 1
        return self._take(self.choice[cls], counts) if counts[cls] == 1 else (0, 0)

    def _take(self, number: int, counts: dict[int, int]) -> tuple[int, int]:
        cost, operations = self._weight(number)
        left = list(self.graph.nodes[number].operands)
        while left:
            cls = self.graph.find(left.pop())
            counts[cls] = counts.get(cls, 0) + 1
            if counts[cls] == 1:
                more = self._weight(self.choice[cls])
                cost, operations = cost + more[0], operations + more[1]
                left += self.graph.nodes[self.choice[cls]].operands
        return cost, operations

    def _release(self, number: int, counts: dict[int, int]) -> tuple[int, int]:
        cost, operations = self._weight(number)
        left = list(self.graph.nodes[number].operands)
        while left:
            cls = self.graph.find(left.pop())
            self._left -= 1
            counts[cls] -= 1
            if counts[cls] == 0:
                more = self._weight(self.choice[cls])
                cost, operations = cost + more[0], operations + more[1]
                left += self.graph.nodes[self.choice[cls]].operands
        return cost, operations

    def _leads_to(self, number: int, target: int) -> bool:
        """Whether a node needs a class, as things are chosen; also if it takes too long to say."""
        seen: set[int] = set()
        left = list(self.graph.nodes[number].operands)
        while left:
            cls = self.graph.find(left.pop())
            self._left -= 1
            if cls == target or self._left < 0:
                return True
            if cls not in seen:
                seen.add(cls)
                left += self.graph.nodes[self.choice[cls]].operands
        return False
