"""Answers by binary decision diagrams: CUDD through dd, or dd's own Python manager where CUDD is missing.

Variables stand in the order in which a walk from the outputs meets them, and are reordered as the diagrams
grow. Past `node_limit` nodes the engine gives up and leaves what is open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from dmt_dialect.engines.problem import NOT_AND, Answer, ConeWalker, Problem, Report

NODE_LIMIT = 5_000_000
_MEMORY_LIMIT = 4 << 30
_CHECK_EVERY = 64


def solve(
    problem: Problem, report: Report, *, node_limit: int = NODE_LIMIT, **_options: Any
) -> Iterator[Answer]:
    """The engine; see `dmt_dialect.engines.problem.Engine`."""
    manager = _manager(report)
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
                        manager.declare(f"x{second}")
                        functions[node] = manager.var(f"x{second}")
                    continue
                functions[node] = _take(functions, readers, first) & _take(functions, readers, second)
                count += 1
                if count % _CHECK_EVERY == 0 and len(manager) > node_limit:
                    report.outcome = "limit"
                    return
            a, b = (_take(functions, readers, lit) for lit in lits)
            if a == b:
                yield Answer(pair, equal=True)
            else:
                yield Answer(
                    pair,
                    equal=False,
                    values=_inputs(manager.pick(manager.apply("xor", a, b)), problem.inputs),
                )
            del a, b
    except Exception as error:
        if not _out_of_room(error):
            raise
        report.outcome = "limit"
    finally:
        report.stats["nodes"] = len(manager)
        functions.clear()


def _manager(report: Report) -> Any:
    try:
        manager: Any = import_module("dd.cudd").BDD()
    except ImportError:
        report.stats["cudd"] = 0
        return import_module("dd.autoref").BDD()
    report.stats["cudd"] = 1
    manager.configure(max_memory=_MEMORY_LIMIT)
    return manager


def _out_of_room(error: Exception) -> bool:
    """Whether a manager had no room for one more node: CUDD then gives dd a null pointer."""
    if isinstance(error, MemoryError | RecursionError):
        return True
    return isinstance(error, ValueError | RuntimeError) and "NULL" in str(error)


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
