"""Single changes that make two circuits equal.

A node can be the place of a repair only if in every pattern some value of it makes all functions right (the
condition of error location by simulation; Veneris, Hajj, "Design error diagnosis and correction via test
vector simulation", 1999). Nodes that pass are tried by proof, and what refutes a proof is a new pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from dmt_dialect.explaining.sides import WORD, Bits, Circuit, Sides, Words, filled_up
from dmt_dialect.explaining.time_budget import TimeBudget
from dmt_dialect.explanation import Repair, RepairKind
from dynomite._native.explain import common_cone, flip_effects

if TYPE_CHECKING:
    from dmt_dialect.explaining.proofs import SharedCircuit

MOST_REPAIRS = 3
"""Repairs shown of each side."""
MOST_TRIED = 24
"""Candidates of each side that are tried by proof."""
MOST_CANDIDATES = 512
CONE_ROOTS = 16
PROOF_PART = 0.25
AND_TABLE = 0b1000

_TEXTS = {
    0b0000: "0",
    0b0001: "{na} & {nb}",
    0b0010: "{a} & {nb}",
    0b0011: "{nb}",
    0b0100: "{na} & {b}",
    0b0101: "{na}",
    0b0110: "{a} ^ {b}",
    0b0111: "{na} | {nb}",
    0b1000: "{a} & {b}",
    0b1001: "~({a} ^ {b})",
    0b1010: "{a}",
    0b1011: "{a} | {nb}",
    0b1100: "{b}",
    0b1101: "{na} | {b}",
    0b1110: "{a} | {b}",
    0b1111: "1",
}
"""Functions of two literals; bit a + 2b of the key is the value for a and b."""


class RepairSearch:
    """Looks for repairs of one side.

    Args:
        sides: Both circuits with their values.
        side: Which one is to be changed: 0 left, 1 right.
        shared: For proofs.
        near: Nodes where the difference begins, to be tried first.
        partner: For each node the first one of the other side that is like it, -1 for none.
        budget: The time.
        seconds: How much that is; one proof gets a quarter.
    """

    def __init__(
        self,
        sides: Sides,
        side: int,
        shared: SharedCircuit,
        near: frozenset[int],
        partner: list[int],
        budget: TimeBudget,
        seconds: float,
    ) -> None:
        self.complete = True
        self._slice = PROOF_PART * seconds
        self._side = side
        self._this: Circuit = sides.both()[side]
        self._other: Circuit = sides.both()[1 - side]
        self._sides = sides
        self._shared = shared
        self._near = near
        self._partner = partner
        self._budget = budget
        self._stop = budget.stop
        self._below: frozenset[int] = frozenset()
        self._codes: dict[int, int] = {}
        self._outputs: list[int] = []

    def run(self) -> Iterator[Repair]:
        """The repairs, the most likely first."""
        found = tried = 0
        for nodes in self._nodes():
            self._find_candidates(nodes)
            while self._codes and found < MOST_REPAIRS and tried < MOST_TRIED and not self._budget.expired:
                node = min(self._codes, key=self._rank)
                tried += 1
                repair = self._in_time(self._try, node)
                if repair is not None:
                    found += 1
                    yield repair
        if not found and self._outputs and not self._budget.expired:
            repair = self._in_time(self._try_signal, self._outputs[0])
            if repair is not None:
                yield repair
        self.complete = not self._budget.expired

    def _in_time(self, attempt: Callable[[int], Repair | None], node: int) -> Repair | None:
        """One attempt within its part of the time. Nobody else may poll the whole budget meanwhile."""
        with TimeBudget(self._slice, self._budget.stop) as part:
            self._stop = part.stop
            repair = attempt(node)
        self._stop = self._budget.stop
        return repair

    def _nodes(self) -> tuple[list[int], list[int]]:
        """ANDs below all wrong functions: those where the difference begins or may begin, and the others."""
        this = self._this
        wrong = this.root_words(this.values) ^ self._other.root_words(self._other.values)
        roots = np.flatnonzero(wrong.any(axis=1))[:CONE_ROOTS]
        nodes = common_cone(this.aig, this.roots[roots])
        # Without a partner though both fanins have one, as those of `begins` are.
        alone = np.array(self._partner) < 0
        fanins = this.aig.fanins[nodes] >> 1
        lowest = nodes[alone[nodes] & ~alone[fanins].any(axis=1)].tolist()[:MOST_CANDIDATES]
        self._near |= frozenset(lowest)
        # A wrong gate that equals another signal of the other side has a partner; its readers have none.
        self._below = frozenset(
            lit >> 1 for node in self._near if this.is_and(node) for lit in this.rows[node]
        )
        first = self._near | self._below
        inside: list[int] = nodes.tolist()
        return [n for n in inside if n in first], [n for n in inside if n not in first]

    def _find_candidates(self, nodes: list[int]) -> None:
        """Those that pass all patterns, with what is required of them as functions of their fanins."""
        failing = self._sides.failing()[:WORD]
        if not len(failing) or self._budget.expired:
            return
        # Patterns that fail leave few nodes; these see all patterns.
        few = self._requirements(nodes, self._sides.patterns[failing])
        left = list(few)[:MOST_CANDIDATES]
        self._codes = self._requirements(left, None)

    def _requirements(self, nodes: list[int], patterns: Bits | None) -> dict[int, int]:
        """Codes of `flip_effects` of the nodes that pass; `patterns` None for all."""
        this, other = self._this, self._other
        values, wanted = this.values, other.values
        if patterns is not None:
            filled = filled_up(list(patterns))
            values, wanted = this.simulate(filled), other.simulate(filled)
        codes, _ = self._flip(nodes, values, other.root_words(wanted))
        return {node: code for node, code in zip(nodes, codes, strict=True) if code >= 0}

    def _flip(self, nodes: list[int], values: Words, targets: Words) -> tuple[list[int], Words]:
        codes, musts = flip_effects(
            self._this.aig,
            values,
            self._this.roots,
            targets,
            np.array(nodes, dtype=np.uint32),
            stop=self._stop,
        )
        return codes.tolist(), musts

    def _rank(self, node: int) -> tuple[bool, bool, bool, int]:
        """Where the difference begins comes first, then what another gate repairs, then what is lower."""
        near = node in self._near
        return not near, not near and node not in self._below, not _is_gate(self._codes[node]), node

    def _try(self, node: int) -> Repair | None:
        code = self._codes.pop(node)
        if _is_gate(code):
            table = (AND_TABLE & ~(code >> 4) | code) & 15
            proved = self._shared.gate_repair(self._side, node, table, self._stop)
            if not proved.patterns:
                text = self._table_text(node, table)
                return self._repair(node, "gate", text, proved=proved.all_equal)
            self._learn(node, code, proved.patterns)
            return None
        if self._is_root(node):
            # An output can always be replaced by that of the other side: only if there is nothing better.
            self._outputs.append(node)
            return None
        return self._try_signal(node)

    def _try_signal(self, node: int) -> Repair | None:
        other = self._fitting_signal(node)
        if other is not None:
            proved = self._shared.signal_repair(self._side, node, other, self._stop)
            if not proved.patterns:
                text = f"{self._other.signal(other)} of the {('right', 'left')[self._side]} side"
                return self._repair(node, "signal", text, proved=proved.all_equal)
        proved = self._shared.some_repair(self._side, node, self._stop)
        if proved.patterns:
            self._learn(node, None, proved.patterns)
            return None
        return self._repair(node, "signal", None, proved=proved.all_equal)

    def _fitting_signal(self, node: int) -> int | None:
        """The first literal of the other side that has the values the node needs."""
        _, musts = self._flip([node], self._this.values, self._other.root_words(self._other.values))
        must0, must1 = musts[0]
        values = self._other.values
        for complement, (ones, zeros) in enumerate(((must1, must0), (must0, must1))):
            fits = ~(((values & zeros) | (~values & ones)).any(axis=1))
            fitting = np.flatnonzero(fits)
            if len(fitting):
                return 2 * int(fitting[0]) + complement
        return None

    def _learn(self, node: int, code: int | None, patterns: list[Bits]) -> None:
        """Takes patterns that refuted a repair of a node, which stays a candidate if it has a code."""
        self._sides.add(patterns)
        nodes = [node, *self._codes] if code is not None else list(self._codes)
        fresh = self._requirements(nodes, np.array(patterns, dtype=np.uint8))
        known = {**self._codes, node: code} if code is not None else self._codes
        self._codes = {n: (known[n] or 0) | fresh[n] for n in nodes if n in fresh}

    def _is_root(self, node: int) -> bool:
        return bool((self._this.roots >> 1 == node).any())

    def _table_text(self, node: int, table: int) -> str:
        a, b = self._this.rows[node]
        return _TEXTS[table].format(
            a=self._this.signal(a),
            b=self._this.signal(b),
            na=self._this.signal(a ^ 1),
            nb=self._this.signal(b ^ 1),
        )

    def _repair(self, node: int, kind: RepairKind, instead: str | None, *, proved: bool) -> Repair:
        now = self._this.gate_text(node)
        assert now is not None
        side = "right" if self._side else "left"
        return Repair(side, kind, self._this.signal(2 * node), now, instead, proved)


def _is_gate(code: int) -> bool:
    """Whether some function of the two fanins meets all requirements."""
    return not code & 15 & code >> 4
