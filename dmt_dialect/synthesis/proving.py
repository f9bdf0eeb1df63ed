"""Proof that a synthesised circuit is equal to the one it was made of, sequential clean-up included.

Latches that are still there are cut and compared one by one, as `lec` does it. Where latches were left out
(`LatchMap`), the claim is that each of them always equals a constant or another latch. It is proved by
induction over time, in one combinational check: with the claims put into the original circuit in place of
these latches, every output and every next state of a kept latch has to be the result's, and the next state of
each left out latch what its claim says; the reset values have to agree with the claims as well. (van Eijk,
"Sequential equivalence checking based on structural similarities", IEEE TCAD 2000.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.synthesis.latch_map import UNUSED, LatchMap
from dmt_dialect.verdict import Verdict
from dynomite._native.aig import Aig, Lit
from dynomite._native.base import Stop
from dynomite._native.sweep import append
from dynomite.progress import Progress

Lead = Callable[[int], Lit]


def prove(
    original: Aig,
    result: Aig,
    latches: LatchMap,
    *,
    timeout: float | None = None,
    seed: int = 1,
    progress: Callable[[Progress], None] | None = None,
    cancel: Stop | None = None,
) -> Verdict:
    """Proves `result` equal to `original`, given what became of the latches.

    Args:
        original: The circuit as it was given.
        result: What was made of it.
        latches: From the latches of `original` to those of `result`.
        timeout: Seconds for the proof; None for no limit.
        seed: Seed of random patterns.
        progress: Called as the work goes on.
        cancel: Ends the proof undecided.

    Returns:
        The verdict. "different" means that a pass is wrong: a bug.
    """
    left, right = original, result
    if not latches.is_identity:
        left, right = substituted(original, result, latches), extended(original, result, latches)
    return lec(left, right, match="order", timeout=timeout, seed=seed, progress=progress, cancel=cancel)


def substituted(original: Aig, result: Aig, latches: LatchMap) -> Aig:
    """The original over the latches of the result, the claims in place of the others."""
    resets = [original.resets[origin] for origin in latches.kept]
    aig, inputs, states, free = _frame(original, resets, latches)
    unused = iter(free)
    leaves = [*inputs, *(_claim(aig, code, states, unused) for code in latches.codes)]
    lead = _copy(aig, original, leaves)
    _copy_properties(aig, original, lead)
    for position, origin in enumerate(latches.kept):
        aig.set_next(states[position], lead(original.next_states[origin].raw))
    nexts = original.next_states
    for origin, _ in _merged(latches):
        aig.add_output(lead(nexts[origin].raw), f"next state of latch {origin}, which was left out")
        aig.add_output(aig.true, f"reset of latch {origin}, which was left out")
    return aig


def extended(original: Aig, result: Aig, latches: LatchMap) -> Aig:
    """The result, and what the claims say about the next states and resets of left out latches."""
    aig, inputs, states, _ = _frame(original, result.resets, latches)
    lead = _copy(aig, result, [*inputs, *states])
    _copy_properties(aig, result, lead)
    nexts = [lead(lit.raw) for lit in result.next_states]
    for state, lit in zip(states, nexts, strict=True):
        aig.set_next(state, lit)
    for origin, code in _merged(latches):
        flip, position = code & 1, (code - 2) >> 1
        value = _constant(aig, code) if code < 2 else ~nexts[position] if flip else nexts[position]
        aig.add_output(value, f"next state of latch {origin}, which was left out")
        claimed = code if code < 2 else result.resets[position]
        agrees = claimed is not None and original.resets[origin] == (claimed ^ flip if code >= 2 else claimed)
        aig.add_output(_constant(aig, agrees), f"reset of latch {origin}, which was left out")
    return aig


def _merged(latches: LatchMap) -> list[tuple[int, int]]:
    """The latches that were left out with a claim."""
    kept = set(latches.kept)
    return [(i, code) for i, code in enumerate(latches.codes) if code != UNUSED and i not in kept]


def _frame(
    original: Aig, resets: Sequence[int | None], latches: LatchMap
) -> tuple[Aig, list[Lit], list[Lit], list[Lit]]:
    """An AIG with the inputs, an input for each unused latch, and the latches of the result."""
    aig = Aig()
    inputs = list(aig.add_inputs(original.num_inputs))
    free = list(aig.add_inputs(latches.codes.count(UNUSED)))
    states = [aig.add_latch(reset) for reset in resets]
    return aig, inputs, states, free


def _claim(aig: Aig, code: int, states: list[Lit], unused: Any) -> Lit:
    if code == UNUSED:
        return cast(Lit, next(unused))
    if code < 2:
        return _constant(aig, code)
    state = states[(code - 2) >> 1]
    return ~state if code & 1 else state


def _constant(aig: Aig, value: int | bool) -> Lit:
    return aig.true if value else aig.false


def _copy(aig: Aig, source: Aig, leaves: list[Lit]) -> Lead:
    """Copies the gates of `source` over `leaves`; how its literals are called in `aig`."""
    ci_map = np.array([lit.raw for lit in leaves], dtype=np.uint32)
    image: NDArray[np.uint32] = append(aig, source, ci_map, hashed=True)

    def lead(raw: int) -> Lit:
        return aig.lit(int(image[raw >> 1]) ^ (raw & 1))

    return lead


def _copy_properties(aig: Aig, source: Aig, lead: Lead) -> None:
    for lit in source.outputs:
        aig.add_output(lead(lit.raw))
    for lit in source.bad:
        aig.add_bad(lead(lit.raw))
    for lit in source.constraints:
        aig.add_constraint(lead(lit.raw))
    for lit in source.fairness:
        aig.add_fairness(lead(lit.raw))
    for group in source.justice:
        aig.add_justice([lead(lit.raw) for lit in group])
