"""What stands for a literal of the circuit, and in which order words and gates are made.

A literal is a bit of a word that was found, or of a port, or else an AND of two literals. A word that would
be fed by its own result is avoided by making one of its bits of gates: the circuit has no loops, so that
helps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dmt_dialect.origins import NO_NODE

if TYPE_CHECKING:
    from hw_dialect.lifting.combined import Combined
    from hw_dialect.lifting.matching import Match


class Bit(NamedTuple):
    """A bit of a word: of a node of the netlist, or (below 0) of a port that only the circuit has."""

    word: int
    bit: int


Item = Bit | int
"""A bit of a word, or a literal of the circuit."""


class Wanted(NamedTuple):
    """A literal, and the netlist's bit there, if both are known to be the same."""

    raw: int
    hint: Bit | None = None


class Need(NamedTuple):
    """A word or gate to be made; `through` is the node that led to a word, -1 if the netlist did."""

    kind: str
    number: int
    through: int = -1


class Literals:
    """Resolves literals.

    Attributes:
        ports: Bits of ports and registers, by node.
        hidden: Latches behind an asynchronous reset, by node: the register's node in the netlist.
        exposed: Those of the registers whose latches are wanted without the reset.
    """

    def __init__(self, combined: Combined, matches: list[Match]) -> None:
        self.combined = combined
        self.matches = matches
        self.nodes = combined.view.nodes
        self.fanins: list[list[int]] = combined.aig.fanins[: combined.base].tolist()
        self.ports: dict[int, Bit] = {}
        self.hidden: dict[int, int] = {}
        self.exposed: set[int] = set()
        self._made_by: dict[int, tuple[Bit, int]] = {}
        for number, match in enumerate(matches):
            if match.is_word:
                self._name(number, match)

    def _name(self, number: int, match: Match) -> None:
        kind, has_operands = self.nodes[number].kind, bool(self.nodes[number].operands)
        if kind == "register" and has_operands:
            self.hidden.update((raw >> 1, number) for raw in self.combined.latches[number])
        for bit, raw in enumerate(match.found):
            if raw is None or kind == "constant":
                continue
            if not has_operands:
                self.ports[raw >> 1] = Bit(number, bit)
                continue
            for equal in (raw, *match.twins[bit]):
                if self.fanins[equal >> 1][0] != NO_NODE:
                    self._made_by.setdefault(equal >> 1, (Bit(number, bit), equal & 1))

    def made_by(self, node: int) -> tuple[Bit, int] | None:
        """The bit of an operator that is a node, and 1 if it is its complement."""
        return self._made_by.get(node)

    def item(self, wanted: Wanted) -> Item:
        """What stands for a literal: a bit, if there is one with its sign."""
        if wanted.hint is not None:
            return wanted.hint
        node, flip = wanted.raw >> 1, wanted.raw & 1
        if node in self.ports:
            return wanted.raw if flip else self.ports[node]
        made = self._made_by.get(node)
        return made[0] if made is not None and made[1] == flip else wanted.raw

    def wanted(self, raws: Sequence[int], hints: Sequence[tuple[int, int]] | None) -> list[Wanted]:
        """Literals with the bits that the netlist has there, where they stand for the same."""
        if hints is None or len(hints) != len(raws):
            return [Wanted(raw) for raw in raws]
        found: list[Wanted] = []
        for raw, (number, bit) in zip(raws, hints, strict=True):
            match = self.matches[number]
            fits = match.is_word and match.value[bit] == raw
            found.append(Wanted(raw, Bit(number, bit) if fits else None))
        return found

    def operands(self, number: int) -> list[list[Wanted]]:
        """What feeds an operator that was found."""
        match = self.matches[number]
        rows = [self.combined.bit_sources(row) for row in self.nodes[number].operands]
        return [self.wanted([match.leaves[bit] for bit in row], row) for row in rows]

    def order(self, roots: Iterable[Wanted]) -> list[Need]:
        """Words and gates that the roots depend on, operands first. Cost: linear, again for every loop."""
        given = list(roots)
        while True:
            order, closing = self._walk(given)
            if closing is None:
                return order
            del self._made_by[closing]

    def _need(self, wanted: Wanted) -> Need | None:
        if wanted.hint is not None:
            number = wanted.hint.word
            return Need("word", number) if number >= 0 and self.nodes[number].operands else None
        node = wanted.raw >> 1
        if node in self._made_by:
            return Need("word", self._made_by[node][0].word, node)
        if node in self.hidden:
            self.exposed.add(self.hidden[node])
        return None if self.fanins[node][0] == NO_NODE else Need("gate", node)

    def _below(self, need: Need) -> list[Need]:
        if need.kind == "gate":
            wanted = [Wanted(raw) for raw in self.fanins[need.number]]
        else:
            wanted = [each for row in self.operands(need.number) for each in row]
        return [found for found in map(self._need, wanted) if found is not None]

    def _walk(self, roots: list[Wanted]) -> tuple[list[Need], int | None]:
        """Depth first; also the node through which words are fed by their own results, if they are."""
        order: list[Need] = []
        done: set[tuple[str, int]] = set()
        path: dict[tuple[str, int], int] = {}
        stack = [(need, False) for need in map(self._need, reversed(roots)) if need is not None]
        while stack:
            need, leaving = stack.pop()
            key = need[:2]
            if leaving:
                del path[key]
                done.add(key)
                order.append(need)
            elif key in path:
                keys = list(path)
                through = [need.through, *(path[each] for each in keys[keys.index(key) + 1 :])]
                closing = next((node for node in through if node >= 0), None)
                assert closing is not None, "the netlist has no loops, nor has the circuit"
                return [], closing
            elif key not in done:
                path[key] = need.through
                stack.append((need, True))
                stack.extend((below, False) for below in reversed(self._below(need)))
        return order, None
