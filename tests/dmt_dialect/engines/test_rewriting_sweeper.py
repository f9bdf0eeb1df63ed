"""A sweeper that gets stuck rewrites its circuit; what is left still is what it was asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.aig import Aig
from dmt_dialect.bitblast import Architecture, blast, word_inputs, word_outputs
from dmt_dialect.matching import match_ports
from dmt_dialect.miter import Miter, build_miter
from dynomite._native.base import Stop
from dynomite._native.sim import Schedule
from dynomite._native.sweep import Sweeper


def quotient(divider: str, width: int, *, wrong: bool = False) -> Aig:
    """a / b by a structure; `wrong`: with a bit of the result wrong where a = b = 2^width - 1."""
    aig = Aig()
    a, b = word_inputs(aig, "a", width), word_inputs(aig, "b", width)
    result = list(blast(aig, "UDIV", a, b, architecture=Architecture.parse(f"divider={divider}")))
    if wrong:
        result[3] = result[3] ^ aig.and_all([*a, *b])
    word_outputs(aig, "q", result)
    return aig


def stuck_sweeper(left: Aig, right: Aig) -> tuple[Miter, Sweeper]:
    miter = build_miter(left, right, match_ports(left, right))
    sweeper = Sweeper(miter.aig, miter.pairs, seed=1)
    for limit in (2, 90, 90):
        sweeper.run(limit, Stop())
    return miter, sweeper


def values(aig: Aig, lits: list[int]) -> NDArray[np.uint64]:
    found = Schedule(aig, np.array(lits, dtype=np.uint32)).run(1 << 14, seed=5)
    assert found is not None
    return found[0]


def test_what_is_left_is_what_was_asked() -> None:
    left, right = quotient("restoring", 14), quotient("non-restoring", 14)
    miter, sweeper = stuck_sweeper(left, right)
    assert sweeper.stats()["rewrites"] > 0
    rest, pairs = sweeper.residual()
    open_pairs = [
        pair for pair, status in zip(miter.pairs.tolist(), sweeper.statuses(), strict=True) if not status
    ]
    assert len(open_pairs) == len(pairs) > 0
    before = values(miter.aig, [lit for pair in open_pairs for lit in pair])
    assert np.array_equal(before, values(rest, pairs.reshape(-1).tolist()))


def test_a_rare_difference_is_not_lost() -> None:
    miter, sweeper = stuck_sweeper(quotient("restoring", 10), quotient("non-restoring", 10, wrong=True))
    assert sweeper.stats()["rewrites"] > 0
    limit = 1000
    while 0 in sweeper.statuses() and limit < 10**7:
        sweeper.run(limit, Stop())
        limit *= 4
    statuses = sweeper.statuses().tolist()
    assert statuses[3] == 2
    assert set(sweeper.counterexample(3).tolist()) == {1}
    assert 2 not in statuses[:3] + statuses[4:]
    assert len(miter.pairs) == 10
