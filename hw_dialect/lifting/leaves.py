"""What an operator's gates in a changed circuit are fed with.

The operator's gates are made once more over variables, one a different bit of its operands. Those whose
literal is known are put in place; an AND of a known literal with a variable then has to be one of the
region's gates that this literal feeds, and its other operand is what the variable stands for. The variable's
candidates are what all such gates agree on.

This proposes only: whoever calls it proves the operator over the proposed literals equal to the region.
"""

from __future__ import annotations

import numpy as np

from dmt_dialect.origins import NO_NODE
from dynomite._native import word_net as native
from dynomite._native.aig import Aig
from hw_dialect.lifting.combined import Combined

MOST_PASSES = 256
"""Passes over the gates of an operator."""


def settle(
    combined: Combined, number: int, region: set[int], leaves: dict[tuple[int, int], int | None]
) -> dict[tuple[int, int], int] | None:
    """Finds the literals that feed a region.

    Args:
        combined: The circuit.
        number: The operator, a node of the netlist.
        region: The nodes of the circuit that come from it.
        leaves: The literal that each bit of the operands (node, bit) should be by the netlist; None if the
            circuit has none.

    Returns:
        A literal for each bit; None if nothing fits better than `leaves`.

    Cost: a few passes over the operator's gates, one for every few bits that are found.
    """
    fanins = combined.aig.fanins
    feeds: dict[int, list[int]] = {}
    border: set[int] = set()
    for node in region:
        a, b = fanins[node].tolist()
        if a == NO_NODE:
            continue
        feeds.setdefault(a, []).append(b)
        feeds.setdefault(b, []).append(a)
        border.update(raw >> 1 for raw in (a, b) if raw >> 1 not in region)
    known = {bit: raw for bit, raw in leaves.items() if raw is not None and raw >> 1 in border | {0}}
    open_bits = [bit for bit in leaves if bit not in known]
    if not open_bits:
        return None
    template = _Template(combined, number, leaves)
    for _ in range(min(MOST_PASSES, len(open_bits))):
        candidates = template.candidates(combined, feeds, known, open_bits)
        if not candidates:
            break
        taken = {raw >> 1 for raw in known.values()}
        sure = {bit: options for bit, options in candidates.items() if len(options) == 1}
        for bit, options in (sure or dict([next(iter(candidates.items()))])).items():
            fresh = sorted(raw for raw in options if raw >> 1 in border and raw >> 1 not in taken)
            known[bit] = fresh[0] if fresh else min(options)
        open_bits = [bit for bit in open_bits if bit not in known]
    for bit in open_bits:
        raw = leaves[bit]
        if raw is None:
            return None
        known[bit] = raw
    return None if known == leaves else known


class _Template:
    """The gates of an operator over variables."""

    def __init__(self, combined: Combined, number: int, leaves: dict[tuple[int, int], int | None]) -> None:
        self.aig = Aig()
        self.inputs: dict[int, tuple[int, int]] = {}
        literal: dict[tuple[int, int], int] = {}
        for bit, raw in leaves.items():
            if raw is not None and raw < 2:
                literal[bit] = raw
            else:
                literal[bit] = self.aig.add_input().raw
                self.inputs[literal[bit] >> 1] = bit
        words = [
            np.array([literal[bit] for bit in combined.bit_sources(row)], dtype=np.uint32)
            for row in combined.view.nodes[number].operands
        ]
        native.blast_operator(
            combined.net, number, self.aig, words, architecture=combined.architecture, stop=combined.stop
        )
        self.rows: list[list[int]] = self.aig.fanins.tolist()

    def candidates(
        self,
        combined: Combined,
        feeds: dict[int, list[int]],
        known: dict[tuple[int, int], int],
        open_bits: list[tuple[int, int]],
    ) -> dict[tuple[int, int], set[int]]:
        """What each bit that is open may be, where a gate tells."""
        aig = combined.aig
        wanted = set(open_bits)
        place: list[int | None] = [0]
        found: dict[tuple[int, int], set[int]] = {}
        for node, (a, b) in enumerate(self.rows[1:], 1):
            if a == NO_NODE:
                place.append(known.get(self.inputs[node]))
                continue
            left, right = place[a >> 1], place[b >> 1]
            if left is not None and right is not None:
                place.append((aig.lit(left ^ (a & 1)) & aig.lit(right ^ (b & 1))).raw)
                continue
            place.append(None)
            for here, there, other in ((left, a, b), (right, b, a)):
                bit = self.inputs.get(other >> 1)
                if here is None or bit is None or bit not in wanted:
                    continue
                options = {raw ^ (other & 1) for raw in feeds.get(here ^ (there & 1), ())}
                if options:
                    found[bit] = found[bit] & options or found[bit] if bit in found else options
        return found
