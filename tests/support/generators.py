"""Random circuits for tests."""

from __future__ import annotations

import random

import numpy as np

from dynomite._native.aig import Aig, Lit


def random_aig(
    rng: random.Random,
    inputs: int,
    ands: int,
    outputs: int,
    latches: int = 0,
    *,
    raw: bool = False,
) -> Aig:
    """A random AIG; at most `ands` ANDs. With `raw`, gates are stored as drawn: constants, equal and
    opposite fanins included, exactly `ands` of them."""
    aig = Aig()
    lits: list[Lit] = [aig.false, *aig.add_inputs(inputs)]
    states = [aig.add_latch(rng.choice([0, 1, None])) for _ in range(latches)]
    lits += states

    def draw() -> Lit:
        # Recent literals more often than old ones, so that depth grows.
        index = max(rng.randrange(len(lits)), rng.randrange(len(lits)))
        return ~lits[index] if rng.random() < 0.5 else lits[index]

    if raw:
        aig = _raw_aig(rng, aig, ands)
        lits = [aig.lit(2 * i) for i in range(aig.num_nodes)]
        states = list(aig.latches)
    else:
        for _ in range(ands):
            lits.append(draw() & draw())
    for _ in range(outputs):
        aig.add_output(draw())
    for state in states:
        aig.set_next(state, draw())
    return aig


def _raw_aig(rng: random.Random, ports: Aig, ands: int) -> Aig:
    rows: list[list[int]] = ports.fanins.tolist()
    for _ in range(ands):
        nodes = len(rows)
        rows.append([rng.randrange(2 * nodes), max(rng.randrange(2 * nodes), rng.randrange(2 * nodes))])
    aig = Aig.from_fanins(np.array(rows, dtype=np.uint32))
    for latch, reset in zip(aig.latches, ports.resets, strict=True):
        aig.set_reset(latch, reset)
    return aig
