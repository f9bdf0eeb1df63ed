"""Proof that a synthesised circuit is equal to the one it was made of, sequential clean-up included.

Latches that are still there are cut and compared one by one, as `lec` does it. Where latches were left out
(`LatchMap`), the claim is that each of them always equals a constant or another latch. It is proved by
induction over time, in one combinational check: with the claims put into the original circuit in place of
these latches, every output and every next state of a kept latch has to be the result's, and the next state of
each of these latches that of what it is said to equal; the resets have to agree with the claims as well.
(van Eijk, "Sequential equivalence checking based on structural similarities", IEEE TCAD 2000.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.synthesis.latch_map import LatchMap
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
        left, right = prepared(original, result, latches)
    return lec(left, right, match="order", timeout=timeout, seed=seed, progress=progress, cancel=cancel)


def prepared(original: Aig, result: Aig, latches: LatchMap) -> tuple[Aig, Aig]:
    """Two circuits that are equal if and only if `result` is right and the claims hold.

    Both have the kept latches as latches, and as inputs those that nothing needs but claims are about.
    """
    claims = list(latches.claims())
    resets = original.resets
    left = _Frame(original, [resets[latch] for latch in latches.kept], latches)
    right = _Frame(original, result.resets, latches)
    sides = left.copy(original, left.leaves), right.copy(result, right.kept_leaves)
    _copy_properties(left.aig, original, sides[0])
    _copy_properties(right.aig, result, sides[1])
    nexts = original.next_states
    for state, latch in zip(left.states, latches.kept, strict=True):
        left.aig.set_next(state, sides[0](nexts[latch].raw))
    for state, lit in zip(right.states, result.next_states, strict=True):
        right.aig.set_next(state, sides[1](lit.raw))
    lead = right.copy(original, right.leaves) if claims else sides[1]
    for latch, code in claims:
        flip, other = bool(code & 1), (code >> 1) - 1
        constant = code < 2
        name = f"next state of latch {latch}, which was left out"
        value = right.aig.false if constant else lead(nexts[other].raw)
        left.aig.add_output(sides[0](nexts[latch].raw), name)
        right.aig.add_output(~value if flip else value, name)
        reset = 0 if constant else resets[other]
        agrees = reset is not None and resets[latch] == reset ^ flip
        name = f"reset of latch {latch}, which was left out"
        left.aig.add_output(left.aig.true, name)
        right.aig.add_output(right.aig.true if agrees else right.aig.false, name)
    return left.aig, right.aig


class _Frame:
    """A circuit with all inputs and the latches that are left, and no gates yet.

    Attributes:
        aig: The circuit.
        states: Its latches.
        leaves: What stands for each input and latch of the original, the claims put in.
        kept_leaves: What stands for each input and latch of the result.
    """

    def __init__(self, original: Aig, resets: Sequence[int | None], latches: LatchMap) -> None:
        self.aig = Aig()
        inputs = list(self.aig.add_inputs(original.num_inputs))
        kept = set(latches.kept)
        unneeded = [
            latch for latch, code in enumerate(latches.codes) if code >> 1 == latch + 1 and latch not in kept
        ]
        free = self.aig.add_inputs(len(unneeded))
        self.states = [self.aig.add_latch(reset) for reset in resets]
        own = {**dict(zip(unneeded, free, strict=True)), **dict(zip(latches.kept, self.states, strict=True))}
        self.leaves = [*inputs, *(self._value(code, own) for code in latches.codes)]
        self.kept_leaves = [*inputs, *self.states]

    def _value(self, code: int, own: dict[int, Lit]) -> Lit:
        value = self.aig.false if code < 2 else own[(code >> 1) - 1]
        return ~value if code & 1 else value

    def copy(self, source: Aig, leaves: list[Lit]) -> Lead:
        """Copies the gates of a circuit over `leaves`; how its literals are called here."""
        ci_map = np.array([lit.raw for lit in leaves], dtype=np.uint32)
        image: NDArray[np.uint32] = append(self.aig, source, ci_map, hashed=True)

        def lead(raw: int) -> Lit:
            return self.aig.lit(int(image[raw >> 1]) ^ (raw & 1))

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
