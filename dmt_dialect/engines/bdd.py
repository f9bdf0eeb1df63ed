"""Answers by binary decision diagrams: our own package, or on request one of dd's for comparison.

Variables stand in the order in which a walk from the outputs meets them, and are reordered as the diagrams
grow. Past `node_limit` nodes the engine gives up and leaves what is open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from dmt_dialect.bdd.backends import Backend, open_manager
from dmt_dialect.engines.problem import NOT_AND, Answer, ConeWalker, Problem, Report

NODE_LIMIT = 20_000_000
FIRST_REORDERING = 200_000
_CHECK_EVERY = 64


def solve(
    problem: Problem,
    report: Report,
    *,
    node_limit: int = NODE_LIMIT,
    backend: Backend = "dynomite",
    **_options: Any,
) -> Iterator[Answer]:
    """The engine; see `dmt_dialect.engines.problem.Engine`."""
    manager = open_manager(backend, auto_reorder=FIRST_REORDERING, max_nodes=node_limit)
    functions: dict[int, Any] = {0: manager.false}
    readers = _readers(problem)
    cones = ConeWalker(problem)
    count = 0
    try:
        for pair in problem.order():
            lits: list[int] = problem.pairs[pair].tolist()
            for node, first, second in cones.new_nodes(*lits):
                if first == NOT_AND:
                    if node:
                        manager.declare([f"x{second}"])
                        functions[node] = manager.var(f"x{second}")
                    continue
                functions[node] = _take(functions, readers, first) & _take(functions, readers, second)
                count += 1
                if count % _CHECK_EVERY == 0 and manager.total() > node_limit:
                    report.outcome = "limit"
                    return
            a, b = (_take(functions, readers, lit) for lit in lits)
            if a == b:
                yield Answer(pair, equal=True)
            else:
                yield Answer(
                    pair, equal=False, values=_inputs(manager.pick(manager.xor(a, b)), problem.inputs)
                )
            del a, b
    except Exception as error:
        if not manager.out_of_room(error):
            raise
        report.outcome = "limit"
    finally:
        report.stats["nodes"] = manager.total()
        functions.clear()


def _readers(problem: Problem) -> Counter[int]:
    """How often each node is read, so that a diagram is let go with its last reader."""
    readers: Counter[int] = Counter((problem.pairs >> 1).ravel().tolist())
    ands = problem.fanins[problem.fanins[:, 0] != NOT_AND]
    readers.update((ands >> 1).ravel().tolist())
    return readers


def _take(functions: dict[int, Any], readers: Counter[int], lit: int) -> Any:
    node = lit >> 1
    readers[node] -= 1
    function = functions[node] if readers[node] or not node else functions.pop(node)
    return ~function if lit & 1 else function


def _inputs(chosen: dict[str, bool] | None, count: int) -> bytes:
    assert chosen is not None, "two different diagrams have a point where they differ"
    values = bytearray(count)
    for name, value in chosen.items():
        values[int(name[1:])] = value
    return bytes(values)
