"""Pairing of ports by what they do, for designs whose names were changed and whose ports were permuted.

    left: y = ab + c    right: q = rs + p    ->    a-r  b-s  c-p  y-q

Ports whose names are on both sides, once each, are partners. The others are told apart by signatures
(`dmt_dialect.port_colors`), which exclude every other pairing; inputs that are left together are paired at
once where the designs are symmetric in them, else one after the other, with a way back. The result has
agreed on `CHECKED_PATTERNS` patterns; whether it makes the designs equal is for the comparison to prove.

With `complements` outputs may be complemented as well; complemented inputs and latches are not found. Limits:
about 4,000 inputs without a common name; `MOST_TRIES` dead ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.pairing import Names, Pairing
from dmt_dialect.port_colors import (
    Coloring,
    Colors,
    NoPairingError,
    Side,
    color_patterns,
    compare,
    refine,
    split_by_partners,
)
from dmt_dialect.verdict import How, cut_list
from dynomite.errors import LimitError, UsageError

if TYPE_CHECKING:
    from dynomite._native.aig import Aig
    from dynomite._native.base import Stop

CHECKED_PATTERNS = 4096
MOST_TRIES = 1000
_COLORS_TRIED = 3
_SWAPS = 24
_MOST_SYMMETRIC = 2000
_MOST_PAIRED = 300
_SECTIONS = ("outputs", "bad", "constraints", "fairness")


@dataclass(frozen=True, slots=True)
class FunctionMatching:
    """A pairing of all ports, found by function.

    Attributes:
        pairings: By section: "inputs", "latches", "outputs", "bad", "constraints", "fairness".
        right: The right design, with complements at the outputs that `complemented` lists; else as it was.
        complemented: Positions of outputs of the right design.
        chosen: Pairs that were chosen among several; 0: signatures exclude every other pairing.
        note: How sure it is, one sentence.
    """

    pairings: dict[str, Pairing]
    right: Aig
    complemented: tuple[int, ...]
    chosen: int
    note: str


def match_by_function(
    left: Aig, right: Aig, *, complements: bool = False, seed: int = 1, stop: Stop
) -> FunctionMatching:
    """Pairs the ports of two designs by function.

    Some simulations with as many patterns as inputs, on both sides; more where inputs resist.

    Args:
        left: One design.
        right: The other.
        complements: Outputs may be complemented.
        seed: Seed of the patterns.
        stop: Ends it.

    Raises:
        UsageError: The numbers of ports differ, there is justice, or no pairing was found; the message says
            whether one can exist.
        LimitError: `stop` ended it, or there are too many ports.
    """
    _check_counts(left, right)
    rng = np.random.default_rng(seed)
    sides = Side(left, _roots(left)), Side(right, _roots(right))
    if complements:
        _turn_outputs(sides, stop)
    _check_possible(sides, rng, stop)
    for by_structure in (True, False):
        most = MOST_TRIES // 10 if by_structure else MOST_TRIES
        for tries, (coloring, chosen) in enumerate(_search(sides, by_structure, rng, stop), 1):
            if coloring is not None:
                return _result(sides, coloring, chosen, complements)
            if tries == most:
                break
    raise UsageError("no pairing of the ports by function was found; there may be one all the same")


def _check_possible(sides: tuple[Side, Side], rng: np.random.Generator, stop: Stop) -> None:
    try:
        refine(sides, _first_colors(sides), rng, stop)
    except NoPairingError:
        raise UsageError(
            "no pairing of the ports makes the designs equal, partners by name taken as given: "
            "simulation excludes every one"
        ) from None


def _check_counts(left: Aig, right: Aig) -> None:
    if left.justice or right.justice:
        raise UsageError("justice properties cannot be paired by function; take --match name or order")
    for section in ("inputs", "latches", *_SECTIONS):
        counts = len(left.names(section)), len(right.names(section))
        if counts[0] != counts[1]:
            raise UsageError(f"the ports do not match: {counts[0]} {section} left, {counts[1]} right")


def _roots(aig: Aig) -> NDArray[np.uint32]:
    return np.concatenate([aig.literals(section) for section in (*_SECTIONS, "next_states")])


def _first_colors(sides: tuple[Side, Side]) -> Coloring:
    """Colours by kind and reset, and one for each name that is once on both sides."""
    designs = sides[0].aig, sides[1].aig
    sources, names = (_color_by_names(designs, sections) for sections in (("inputs", "latches"), _SECTIONS))
    latches = designs[0].num_latches
    roots = [np.concatenate([rows, np.full(latches, -1, dtype=np.int64)]) for rows in names]
    coloring = Coloring(sources, (roots[0], roots[1]), latches)
    resets: list[NDArray[np.uint64]] = []
    for design in designs:
        known = [3 if reset is None else 1 + reset for reset in design.resets]
        resets.append(np.array([0] * design.num_inputs + known, dtype=np.uint64))
    coloring.split("sources", (resets[0], resets[1]))
    none = [np.zeros(len(rows), dtype=np.uint64) for rows in roots]
    coloring.split("roots", (none[0], none[1]))
    return coloring


def _color_by_names(designs: tuple[Aig, Aig], sections: Sequence[str]) -> tuple[Colors, Colors]:
    colors: tuple[list[int], list[int]] = ([], [])
    fresh = 0
    for section in sections:
        names = [design.names(section) for design in designs]
        common = _common_names(names[0], names[1])
        place = {name: fresh + 1 + number for number, name in enumerate(common)}
        for side, own in zip(colors, names, strict=True):
            side += [fresh if name is None else place.get(name, fresh) for name in own]
        fresh += 1 + len(common)
    return np.array(colors[0], dtype=np.int64), np.array(colors[1], dtype=np.int64)


def _common_names(left: Names, right: Names) -> list[str]:
    counts = Counter(left), Counter(right)
    return [name for name in left if name is not None and counts[0][name] == counts[1][name] == 1]


def _turn_outputs(sides: tuple[Side, Side], stop: Stop) -> None:
    """Complements outputs so that they are 0 where all sources are."""
    for side in sides:
        zeros = side.values(np.zeros((side.num_sources, 1), dtype=np.uint8), stop)[:, 0]
        zeros[side.aig.num_outputs :] = 0
        side.root_flips = zeros.astype(np.bool_)


def _search(
    sides: tuple[Side, Side], by_structure: bool, rng: np.random.Generator, stop: Stop
) -> Iterator[tuple[Coloring | None, int]]:
    """Colourings in which every source is alone, and how many pairs were chosen; None for a dead end."""
    try:
        start = _first_colors(sides)
    except NoPairingError:
        return
    start.by_structure = by_structure
    stack: list[tuple[Coloring, int]] = [(start, 0)]
    while stack:
        if stop.poll():
            raise LimitError("pairing of ports was stopped")
        coloring, chosen = stack.pop()
        try:
            refine(sides, coloring, rng, stop)
        except NoPairingError:
            yield None, chosen
            continue
        twins = _twins(sides, coloring, rng, stop)
        if twins:
            for (a, more_a), (b, more_b) in twins:
                coloring.single_out(a, b)
                coloring.single_out(more_a, more_b)
            stack.append((coloring, chosen + len(twins)))
            continue
        color, stays_together = _most_telling(sides[0], coloring, rng, stop)
        if color is None:
            try:
                compare(sides, coloring, CHECKED_PATTERNS, rng, stop)
            except NoPairingError:
                yield None, chosen
            else:
                yield coloring, chosen
            continue
        left, right = coloring.members(color)
        is_symmetric = stays_together and all(
            _symmetric(side, members, rng, stop) for side, members in zip(sides, (left, right), strict=True)
        )
        if not is_symmetric and len(left) <= _MOST_PAIRED:
            before = coloring.count
            try:
                split_by_partners(sides, coloring, color, rng, stop)
            except NoPairingError:
                yield None, chosen
                continue
            if coloring.count > before:
                stack.append((coloring, chosen))
                continue
        for b in reversed(right):
            branch = coloring.copy()
            branch.single_out(int(left[0]), int(b))
            stack.append((branch, chosen + 1))
        if is_symmetric:
            for a, b in zip(left, right, strict=True):
                coloring.single_out(int(a), int(b))
            stack.append((coloring, chosen + len(left) - 1))


def _twins(
    sides: tuple[Side, Side], coloring: Coloring, rng: np.random.Generator, stop: Stop
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Colours of two sources in which both sides are symmetric: the sources, left and right."""
    found: list[tuple[tuple[int, int], tuple[int, int]]] = []
    for color in coloring.open_colors():
        left, right = coloring.members(color)
        if len(left) == 2 and all(
            _symmetric(side, members, rng, stop) for side, members in zip(sides, (left, right), strict=True)
        ):
            found.append(((int(left[0]), int(left[1])), (int(right[0]), int(right[1]))))
    return found


def _most_telling(
    side: Side, coloring: Coloring, rng: np.random.Generator, stop: Stop
) -> tuple[int | None, bool]:
    """The colour where singling one out splits the most, and whether its others then stay together.

    Looks at the smallest and the largest colours; None if all sources are alone.
    """
    colors = coloring.open_colors()
    if len(colors) > 2 * _COLORS_TRIED:
        colors = colors[:_COLORS_TRIED] + colors[-_COLORS_TRIED:]
    best: tuple[int | None, bool] = None, False
    most = -1
    for color in colors:
        alone = coloring.copy()
        alone.sources = alone.sources[0], alone.sources[0].copy()
        alone.roots = alone.roots[0], alone.roots[0].copy()
        members = alone.members(color)[0]
        alone.single_out(int(members[0]), int(members[0]))
        refine((side, side), alone, rng, stop)
        if alone.count > most:
            best = color, len(np.unique(alone.sources[0][members[1:]])) == 1
            most = alone.count
    return best


def _symmetric(side: Side, members: Colors, rng: np.random.Generator, stop: Stop) -> bool:
    """Whether no pattern tried changes when the first of the inputs changes places with another one."""
    others = members[1:]
    if members[-1] >= side.aig.num_inputs or len(others) > _MOST_SYMMETRIC:
        return False
    bits = color_patterns(side.num_sources, len(others) * _SWAPS, rng)
    columns: Colors = np.arange(len(others) * _SWAPS, dtype=np.int64)
    swapped = bits.copy()
    partner = np.tile(others, _SWAPS)
    bits[members[0]], swapped[members[0]] = 0, 1
    bits[partner, columns], swapped[partner, columns] = 1, 0
    return bool(np.array_equal(side.values(bits, stop), side.values(swapped, stop)))


def _orders(coloring: Coloring) -> tuple[tuple[Colors, Colors], tuple[Colors, Colors]]:
    """Positions by colour: sources left and right, roots left and right; partners stand at one place."""
    made = [
        tuple(np.argsort(rows, kind="stable") for rows in both) for both in (coloring.sources, coloring.roots)
    ]
    return (made[0][0], made[0][1]), (made[1][0], made[1][1])


def _result(sides: tuple[Side, Side], coloring: Coloring, chosen: int, complements: bool) -> FunctionMatching:
    left, right = (side.aig for side in sides)
    (left_sources, right_sources), (left_roots, right_roots) = _orders(coloring)
    sources, roots = np.empty_like(left_sources), np.empty_like(left_roots)
    sources[left_sources] = right_sources
    roots[left_roots] = right_roots
    pairings: dict[str, Pairing] = {}
    first = 0
    for section, count in (("inputs", left.num_inputs), ("latches", left.num_latches)):
        pairings[section] = _pairing(sources[first : first + count] - first)
        first += count
    first = 0
    for section in _SECTIONS:
        count = len(left.names(section))
        pairings[section] = _pairing(roots[first : first + count] - first)
        first += count
    turned = (sides[0].root_flips ^ sides[1].root_flips[roots])[: left.num_outputs]
    complemented = (
        tuple(sorted(np.asarray(pairings["outputs"].right)[turned].tolist())) if turned.any() else ()
    )
    total = sum(len(pairing.left) for pairing in pairings.values())
    named = sum(len(_common_names(left.names(section), right.names(section))) for section in pairings)
    note = (
        f"ports are paired by function: of {total} pairs {named} by a common name, {chosen} chosen among "
        "several that simulation does not tell apart, the others because signatures exclude other partners"
    )
    if complements:
        names = [right.get_name("outputs", position) or f"o{position}" for position in complemented]
        note += f"; outputs of the right design that are complemented: {cut_list(names) if names else 'none'}"
    return FunctionMatching(pairings, _complemented(right, complemented), complemented, chosen, note)


def _pairing(partners: Colors) -> Pairing:
    how: How = "function" if len(partners) else "empty"
    return Pairing(how, tuple(range(len(partners))), tuple(partners.tolist()))


def _complemented(aig: Aig, outputs: tuple[int, ...]) -> Aig:
    if not outputs:
        return aig
    made = aig.copy()
    for position in outputs:
        made.set_output(position, ~made.outputs[position])
    return made
