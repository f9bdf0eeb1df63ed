"""What an engine is asked, what it answers, and how both cross a pipe.

A problem is a combinational AIG and pairs of its literals; the engine says of each pair whether the two are
equal for all inputs. Engines are generators: they yield an answer as soon as they have it and return when all
pairs are answered or their limit is met.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

NOT_AND = 0xFFFFFFFF
"""First word in the row of a node that is no AND; the second is then its input number (node 0: constant)."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Pairs of literals to be proved equal.

    Attributes:
        fanins: One row a node, as `Aig.fanins` shows it; node 0 is the constant false.
        inputs: Number of inputs.
        pairs: Literals, one row a pair.
    """

    fanins: NDArray[np.uint32]
    inputs: int
    pairs: NDArray[np.uint32]

    def write(self, stream: IO[bytes], **options: Any) -> None:
        """Sends the problem."""
        header = {
            "nodes": len(self.fanins),
            "inputs": self.inputs,
            "pairs": len(self.pairs),
            "options": options,
        }
        stream.write(json.dumps(header).encode() + b"\n")
        for array in (self.fanins, self.pairs):
            stream.write(np.ascontiguousarray(array, dtype=np.uint32).data)
        stream.flush()

    @classmethod
    def read(cls, stream: IO[bytes]) -> tuple[Problem, dict[str, Any]]:
        """Receives what `write` sent, and its options."""
        header = json.loads(stream.readline())

        def rows(count: int) -> NDArray[np.uint32]:
            data = stream.read(8 * count)
            if len(data) != 8 * count:
                raise EOFError("the problem is cut short")
            return np.frombuffer(data, dtype=np.uint32).reshape(count, 2)

        return cls(rows(header["nodes"]), header["inputs"], rows(header["pairs"])), header["options"]

    def order(self) -> list[int]:
        """Pairs by the topological place of their later literal: what is nearer to the inputs comes first."""
        return np.argsort(self.pairs.max(axis=1, initial=0), kind="stable").tolist()


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer for one pair.

    Attributes:
        pair: Its row in the problem.
        equal: Whether the two literals are equal for all inputs.
        values: If not, an input for which they differ, one byte (0 or 1) an input.
    """

    pair: int
    equal: bool
    values: bytes | None = None


@dataclass(slots=True)
class Report:
    """Counters an engine fills while it runs, and how it ended: "done" or "limit"."""

    outcome: str = "done"
    stats: dict[str, int | float] = field(default_factory=dict[str, int | float])


class Engine(Protocol):
    """An engine: a module-level function of this form."""

    def __call__(self, problem: Problem, report: Report, **options: Any) -> Iterator[Answer]:
        """Answers the pairs of `problem` in any order."""
        ...


class ConeWalker:
    """Visits the nodes below given literals, fanins first, each once over all calls. No recursion."""

    def __init__(self, problem: Problem) -> None:
        self._first: list[int] = problem.fanins[:, 0].tolist()
        self._second: list[int] = problem.fanins[:, 1].tolist()
        self._seen = bytearray(len(self._first))

    def new_nodes(self, *literals: int) -> Iterator[tuple[int, int, int]]:
        """The nodes not yet visited below `literals`: (node, first word, second word), fanins first."""
        first, second, seen = self._first, self._second, self._seen
        stack = [lit >> 1 for lit in reversed(literals)]
        while stack:
            node = stack[-1]
            if seen[node]:
                stack.pop()
                continue
            a, b = first[node], second[node]
            if a != NOT_AND:
                waiting = [f for f in (b >> 1, a >> 1) if not seen[f]]
                if waiting:
                    stack += waiting
                    continue
            seen[node] = 1
            stack.pop()
            yield node, a, b
