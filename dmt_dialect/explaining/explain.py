"""An explanation of a difference: where it begins, and what would repair it.

    left:  n3 = a & b,   y = n3 & c
    right: n3 = a & ~b,  y = n3 & c    ->  begins at n3 = a & b, n3 = a & ~b; made from a, b, c

Equal signals are found by simulation and proved by sweeping; what a proof refutes becomes a pattern, and the
search is repeated. Limits: `EXPLAINED` functions, `SECONDS` of time.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from dmt_dialect.explaining.frontier import Region, find_region
from dmt_dialect.explaining.partners import Partners, find_partners
from dmt_dialect.explaining.proofs import DIFFERENT, EQUAL, SharedCircuit
from dmt_dialect.explaining.repairs import RepairSearch
from dmt_dialect.explaining.sides import UNKNOWN, Bits, Sides, start_sides
from dmt_dialect.explaining.time_budget import TimeBudget
from dmt_dialect.explanation import (
    Bit,
    Difference,
    EqualSignals,
    Explanation,
    OutputExplanation,
    Repair,
)

if TYPE_CHECKING:
    from dmt_dialect.matching import Matched
    from dmt_dialect.miter import Miter
    from dmt_dialect.verdict import Counterexample
    from dynomite._native.aig import Aig
    from dynomite._native.base import Stop

LOCATING, REPAIRING = 0.3, 0.3
"""Parts of the time: to find where the difference begins, and to find repairs of each side."""
EXPLAINED = 4
"""Differing functions that are explained."""
SECONDS = 10.0
"""Time for one explanation."""
SHOWN = 8
"""Signals of one kind that are shown of each function."""
MOST_ASSUMED = 5_000
"""Pairs of signals to be proved equal in one round."""
ROUNDS = 40
"""Times the search is repeated because a proof refuted equal signals."""


Assumption = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Found:
    """An explanation, and what a drawing of it needs."""

    explanation: Explanation
    sides: Sides
    partners: Partners
    regions: tuple[Region, ...]
    pattern: Bits


def explain(
    designs: tuple[Aig, Aig],
    matched: Matched,
    miter: Miter,
    shown: Mapping[int, Counterexample],
    unequal: frozenset[int],
    *,
    seed: int,
    stop: Stop,
    seconds: float = SECONDS,
) -> Found:
    """Explains the first differing functions.

    Args:
        designs: Both circuits as read.
        matched: How their ports are paired.
        miter: Both over shared inputs.
        shown: Counterexamples by function; at least one.
        unequal: Functions that are not known to be equal.
        seed: Seed of random patterns.
        stop: Ends the search early; what is found until then is kept.
        seconds: Time for it.

    Cost:
        Linear for each explained function and each round, besides proofs with limited conflicts and the
        simulation of single changes, which time limits.
    """
    start = time.monotonic()
    functions = sorted(shown)[:EXPLAINED]
    variables = [*matched.input_names, *matched.latch_names]
    patterns = {function: _pattern(shown[function], variables) for function in functions}
    with TimeBudget(seconds, stop) as budget:
        sides = start_sides(designs, matched, miter, list(patterns.values()), seed)
        shared = SharedCircuit(sides, len(variables), unequal, seed)
        with TimeBudget(LOCATING * seconds, budget.stop) as part:
            located = _locate(sides, shared, functions, part)
            if located is None:
                located = _Located(find_partners(sides), [], set())
        partners, regions = located.partners, located.regions
        outputs = tuple(
            _explained(
                sides,
                partners,
                region,
                patterns[region.function],
                matched.functions[region.function].name,
                located.proved,
            )
            for region in regions
        )
        outputs = tuple(
            _with_complement(output, sides, shared, region.function, budget)
            for output, region in zip(outputs, regions, strict=True)
        )
        complete = len(regions) == len(functions) and not budget.expired
        repairs: list[Repair] = []
        for side in (0, 1):
            near = frozenset(n for r in regions for n in (r.begins_left, r.begins_right)[side])
            with TimeBudget(REPAIRING * seconds, budget.stop) as part:
                partner = (partners.of_left, partners.of_right)[side]
                search = RepairSearch(sides, side, shared, near, partner, part, REPAIRING * seconds)
                repairs += search.run()
            complete = complete and search.complete
    explanation = Explanation(
        outputs, tuple(repairs), len(sides.patterns), complete, time.monotonic() - start
    )
    first = regions[0].function if regions else functions[0]
    return Found(explanation, sides, partners, tuple(regions), patterns[first])


def _pattern(counterexample: Counterexample, variables: list[str]) -> Bits:
    values = counterexample.inputs | counterexample.latches
    bits = (values[name] for name in variables)
    return np.array([UNKNOWN if bit is None else bit for bit in bits], dtype=np.uint8)


@dataclass(slots=True)
class _Located:
    """What one round has found."""

    partners: Partners
    regions: list[Region]
    proved: set[Assumption]


def _locate(sides: Sides, shared: SharedCircuit, functions: list[int], budget: TimeBudget) -> _Located | None:
    """Differences, and what was proved of their assumptions; None if there was no time for one round."""
    located = None
    for _ in range(ROUNDS):
        partners = find_partners(sides)
        regions: list[Region] = []
        for function in functions:
            region = None if budget.expired else find_region(sides, partners, function, budget.stop)
            if region is not None:
                regions.append(region)
        if not regions:
            break
        assumed = sorted({assumption for region in regions for assumption in region.assumed})[:MOST_ASSUMED]
        result = shared.prove(
            [
                (shared.literal(0, 2 * left), shared.literal(side, partners.literal_like(side, node, left)))
                for side, node, left in assumed
            ],
            budget.stop,
        )
        by_status = list(zip(assumed, result.statuses, strict=True))
        refuted = {assumption for assumption, status in by_status if status == DIFFERENT}
        proved = {assumption for assumption, status in by_status if status == EQUAL}
        located = _Located(partners, [r for r in regions if not refuted.intersection(r.assumed)], proved)
        if not refuted or budget.expired or not sides.add(result.patterns):
            break
    return located


def _explained(
    sides: Sides,
    partners: Partners,
    region: Region,
    pattern: Bits,
    name: str,
    proved: set[Assumption],
) -> OutputExplanation:
    left, right = sides.both()
    begins = _pair_up(sides, partners, region)
    equal = region.equal[:SHOWN]
    values = left.three_valued(pattern, [2 * node for node, _ in equal])
    return OutputExplanation(
        output=name,
        equal=tuple(
            EqualSignals(
                left.signal(2 * pair[0]),
                right.signal(partners.literal_like(1, pair[1], pair[0])),
                value,
                (1, pair[1], pair[0]) in proved,
            )
            for pair, value in zip(equal, values, strict=True)
        ),
        equal_total=len(region.equal),
        proved=proved.issuperset(region.assumed),
        begins=tuple(_difference(sides, pattern, *place) for place in begins[:SHOWN]),
        begins_total=len(begins),
        left_ands=sum(left.is_and(node) for node in region.left),
        right_ands=sum(right.is_and(node) for node in region.right),
    )


def _pair_up(sides: Sides, partners: Partners, region: Region) -> list[tuple[int | None, int | None]]:
    """Beginnings of both sides in pairs: those made from the same signals, else those that are most alike."""
    left, right = sides.both()
    free = list(region.begins_right)

    def made_from_left(node: int) -> frozenset[int]:
        fanins = left.rows[node] if left.is_and(node) else []
        return frozenset(partners.left_first[lit >> 1] for lit in fanins)

    def made_from_right(node: int) -> frozenset[int]:
        fanins = right.rows[node] if right.is_and(node) else []
        return frozenset(partners.of_right[lit >> 1] for lit in fanins)

    pairs: list[tuple[int | None, int | None]] = []
    for node in region.begins_left[: 4 * SHOWN]:
        if not free:
            pairs.append((node, None))
            continue
        own, name = made_from_left(node), left.signal(2 * node).name
        ranked: list[tuple[bool, bool, int, int]] = []
        for other in free[: 16 * SHOWN]:
            unlike = left.values[node] ^ right.values[other]
            count = int(np.unpackbits(unlike.view(np.uint8)).sum())
            same_name = name is not None and right.signal(2 * other).name == name
            alike = min(count, 64 * len(unlike) - count)
            ranked.append((not same_name, made_from_right(other) != own, alike, other))
        best = min(ranked)[-1]
        free.remove(best)
        pairs.append((node, best))
    pairs += [(node, None) for node in region.begins_left[4 * SHOWN :]]
    return pairs + [(None, node) for node in free]


def _difference(sides: Sides, pattern: Bits, left: int | None, right: int | None) -> Difference:
    def look(side: int, node: int | None) -> tuple[Bit, str | None]:
        if node is None:
            return None, None
        circuit = sides.both()[side]
        return circuit.three_valued(pattern, [2 * node])[0], circuit.gate_text(node)

    left_value, left_gate = look(0, left)
    right_value, right_gate = look(1, right)
    return Difference(
        left=None if left is None else sides.left.signal(2 * left),
        right=None if right is None else sides.right.signal(2 * right),
        left_value=left_value,
        right_value=right_value,
        left_gate=left_gate,
        right_gate=right_gate,
    )


def _with_complement(
    output: OutputExplanation, sides: Sides, shared: SharedCircuit, function: int, budget: TimeBudget
) -> OutputExplanation:
    """The same, with what is known about the sides being complements."""
    left, right = (circuit.root_words(circuit.values)[function] for circuit in sides.both())
    if (left ^ right ^ np.uint64(0xFFFFFFFFFFFFFFFF)).any():
        return output
    roots = [int(circuit.roots[function]) for circuit in sides.both()]
    result = shared.prove([(shared.literal(0, roots[0]), shared.literal(1, roots[1]) ^ 1)], budget.stop)
    if result.patterns:
        return output
    how: Literal["proved", "simulated"] = "proved" if result.all_equal else "simulated"
    return replace(output, complement=how)
