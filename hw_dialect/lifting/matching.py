"""Which operators of a netlist a circuit still has.

An operator is found if every bit of its result that the netlist needs is a literal of the circuit: the same
one by hashing, or one proved equal. Bits may be missing if nothing else of its region is seen from outside.
It is looked for over the literals that its operands have by the netlist, and, where gates were changed in
front of it, over those that its region (the nodes of its origin) is fed with.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dynomite._native.sweep import Sweeper
from dynomite.errors import LimitError
from hw_dialect.elaborate import places_of
from hw_dialect.lifting.combined import Combined, Raws
from hw_dialect.lifting.leaves import settle

if TYPE_CHECKING:
    from dynomite._native.base import Stop

MOST_ROUNDS = 16
"""Rounds of matching and proving."""


@dataclass
class Match:
    """What became of a node of the netlist.

    Attributes:
        value: Literal that stands for each bit; None if there is none.
        same: Whether that literal is the function the bit has by the netlist.
        found: The circuit's literal of each bit, where it has one.
        is_word: Whether the word is there: a port, a register, a constant, or an operator that was found.
        leaves: Literals its operands stand for, by (node, bit).
        tried: The literals that its gates over `leaves` have; of an operator that was found.
        twins: All literals of the circuit that were proved equal to each bit, where proofs were needed.
        region: Number of the circuit's nodes that come from it.
        reason: Why it was not found.
        by_proof: Whether some bit was found by a proof.
    """

    value: list[int | None]
    same: list[bool]
    found: list[int | None]
    is_word: bool
    leaves: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    tried: list[int] = field(default_factory=list[int])
    twins: list[list[int]] = field(default_factory=list[list[int]])
    region: int = 0
    reason: str = ""
    by_proof: bool = False

    def leaf(self, bit: int) -> int | None:
        """The literal of a bit that the circuit, or an operator that was found, has."""
        return self.value[bit] if self.is_word else self.found[bit]


class Matcher:
    """Matches a circuit and a netlist.

    Args:
        combined: Both.
        conflict_limit: Conflicts of the solver a proof may take.
        stop: Ends the proofs early.

    Attributes:
        held: Registers whose asynchronous reset is to stay gates.
    """

    def __init__(self, combined: Combined, conflict_limit: int, stop: Stop) -> None:
        self.combined = combined
        self.conflict_limit = conflict_limit
        self.stop = stop
        self.matches: list[Match] = []
        self.next_states: list[list[bool]] = []
        self._pairs: dict[tuple[int, int], None] = {}
        self._proved: dict[int, list[int]] = {}
        self.held: set[int] = set()
        self._refuted: set[tuple[int, int]] = set()

    def run(self) -> list[Match]:
        """Matches, proves what was taken to be equal, and matches again without what is not."""
        for last in (number == MOST_ROUNDS - 1 for number in range(MOST_ROUNDS)):
            self.matches, self._pairs = [], {}
            self._only_proved = last
            for number in range(len(self.combined.view.nodes)):
                self.matches.append(self._match(number))
            if self._prove():
                break
        for match in self.matches:
            match.twins = [self._proved.get(raw, []) for raw in match.tried]
        return self.matches

    def _prove(self) -> bool:
        """Proves the pairs that were used; whether all hold."""
        pairs = [pair for pair in self._pairs if pair[1] not in self._proved.get(pair[0], ())]
        if not pairs:
            return True
        sweeper = Sweeper(self.combined.aig, np.array(pairs, dtype=np.uint32))
        if sweeper.run(self.conflict_limit, self.stop) == "stopped":
            raise LimitError("lift: stopped")
        patterns: list[Raws] = []
        for number, status in enumerate(sweeper.statuses().tolist()):
            if status == 1:
                self._proved.setdefault(pairs[number][0], []).append(pairs[number][1])
            else:
                self._refuted.add(pairs[number])
                if status == 2:
                    patterns.append(sweeper.counterexample(number).astype(np.uint32))
        self.combined.learn(patterns)
        return self._refuted.isdisjoint(pairs)

    def _locate(self, literal: int, region: set[int]) -> int | None:
        """The circuit's literal for one that may be a tried one."""
        if self.combined.is_own(literal):
            return literal
        options = [raw for raw in self.combined.alike(literal) if (literal, raw) not in self._refuted]
        if self._only_proved:
            options = [raw for raw in options if raw in self._proved.get(literal, ())]
        if not options:
            return None
        best = next((raw for raw in options if raw >> 1 in region), options[0])
        for raw in options:
            if raw == best or raw >> 1 in region:
                self._pairs[literal, raw] = None
        return best

    def _match(self, number: int) -> Match:
        node, bits = self.combined.view.nodes[number], self.combined.bits[number]
        if node.kind in ("constant", "input") or (node.kind == "register" and not node.operands):
            return Match(list(bits), [True] * node.width, list(bits), True)
        instr = self.combined.net.instr(number)
        region = set[int]() if instr is None else self.combined.nodes_from(places_of(instr))
        if node.kind == "register":
            return self._asynchronous(number, region)
        if node.kind != "operator":
            found = [self._locate(raw, region) for raw in bits]
            made = Match(list(found), [True] * node.width, found, False, region=len(region))
            made.reason = "reads of memories stay gates"
            return made
        return self._operator(number, region)

    def _asynchronous(self, number: int, region: set[int]) -> Match:
        """A register whose reset counts at once: what it shows is its reset value or its latches."""
        combined = self.combined
        rows = combined.view.nodes[number].operands
        leaves = {(n, i): self.matches[n].leaf(i) for row in rows for n, i in combined.bit_sources(row)}
        built = {bit: raw for bit, raw in leaves.items() if raw is not None}
        same = all(self.matches[n].same[i] for n, i in leaves)
        bits = combined.bits[number]
        if len(built) == len(leaves) and not same:
            (reset,), values = ([built[bit] for bit in combined.bit_sources(row)] for row in rows)
            lit, both = combined.aig.lit, zip(values, combined.latches[number], strict=True)
            bits = [lit(reset).mux(lit(value), lit(latch)).raw for value, latch in both]
        match = self._found(bits, region, same)
        complete = len(built) == len(leaves) and self._complete(match, combined.needed[number])
        if complete and number not in self.held:
            return self._word(match, bits, built, region)
        match.reason = "the asynchronous reset is not found"
        return match

    def _operator(self, number: int, region: set[int]) -> Match:
        combined = self.combined
        needed = combined.needed[number]
        sources = [bit for row in combined.view.nodes[number].operands for bit in combined.bit_sources(row)]
        leaves = {(n, i): self.matches[n].leaf(i) for n, i in sources}
        built = {bit: raw for bit, raw in leaves.items() if raw is not None}
        every = len(built) == len(leaves)
        same = all(self.matches[n].same[i] for n, i in leaves)
        first = None
        if same or every:
            bits = combined.bits[number] if same else self._gates(number, built)
            first = self._found(bits, region, same)
            if every and (self._complete(first, needed) or self._covers(first, region)):
                return self._word(first, bits, built, region)
        settled = settle(combined, number, region, leaves)
        if settled is not None:
            bits = self._gates(number, settled)
            second = self._found(bits, region, False)
            if self._complete(second, needed) or self._covers(second, region):
                return self._word(second, bits, settled, region)
        return self._gone(number, first, needed, region, every)

    def _gates(self, number: int, leaves: dict[tuple[int, int], int]) -> list[int]:
        rows = self.combined.view.nodes[number].operands
        return self.combined.gates(
            number, [[leaves[bit] for bit in self.combined.bit_sources(row)] for row in rows]
        )

    def _found(self, bits: list[int], region: set[int], same: bool) -> Match:
        found = [self._locate(raw, region) for raw in bits]
        made = Match(list(found), [same] * len(bits), found, False, region=len(region))
        made.by_proof = any(
            there is not None and there != raw for raw, there in zip(bits, found, strict=True)
        )
        return made

    @staticmethod
    def _complete(match: Match, needed: list[bool]) -> bool:
        return all(raw is not None or not wanted for raw, wanted in zip(match.found, needed, strict=True))

    def _covers(self, match: Match, region: set[int]) -> bool:
        """Whether all that others see of a region are bits of the result; other bits became useless."""
        bits = {raw >> 1 for raw in match.found if raw is not None}
        return bool(bits & region) and bits.issuperset(self.combined.visible(region))

    def _word(
        self, match: Match, bits: list[int], leaves: dict[tuple[int, int], int], region: set[int]
    ) -> Match:
        match.value = [raw if there is None else there for raw, there in zip(bits, match.found, strict=True)]
        match.is_word = True
        match.tried = bits
        match.leaves = leaves
        match.region = len(region)
        return match

    def _gone(
        self, number: int, first: Match | None, needed: list[bool], region: set[int], every: bool
    ) -> Match:
        width = self.combined.view.nodes[number].width
        match = first or Match([None] * width, [False] * width, [None] * width, False, region=len(region))
        match.by_proof = False
        lost = [bit for bit, raw in enumerate(match.found) if raw is None and needed[bit]]
        if not region and len(lost) == sum(needed):
            match.reason = "no node comes from it any more"
        elif not every:
            match.reason = "the circuit has lost some bits of its operands"
        elif len(lost) == sum(needed):
            match.reason = "no bit of its result is left"
        else:
            shown = ", ".join(str(bit) for bit in lost[:8]) + (", ..." if len(lost) > 8 else "")
            match.reason = f"its region computes something else: bit {shown} of {width} not found"
        return match
