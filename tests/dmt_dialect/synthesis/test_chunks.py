"""Passes in chunks: right, and the same for every number of threads."""

from __future__ import annotations

import random
import threading

import pytest

from dmt_dialect.synthesis import SynthPass, known_passes
from dynomite import lec
from dynomite._native.aig import circuit_hash
from dynomite._native.base import Stop
from tests.support.generators import random_aig

PASSES = [known_passes()[name] for name in ("rewrite", "refactor", "resub")]


@pytest.mark.parametrize("entry", PASSES, ids=lambda entry: entry.name)
def test_threads_do_not_change_the_result(entry: SynthPass, rng: random.Random) -> None:
    for _ in range(6):
        aig = random_aig(rng, 12, rng.randint(200, 900), 30, rng.choice([0, 3]))
        params = {"chunk": rng.randint(20, 90)}
        if entry.name == "resub" and rng.random() < 0.5:
            params |= {"sat": True, "odc": 4}
        results = [entry(aig, params, Stop(), threads=count).aig for count in (1, 2, 8)]
        assert len({circuit_hash(result) for result in results}) == 1, params
        assert lec(aig, results[0]).equivalent, params
        whole = entry(aig, {**params, "chunk": 0}, Stop()).aig
        assert results[0].num_ands < aig.num_ands or whole.num_ands == aig.num_ands


@pytest.mark.parametrize("entry", PASSES, ids=lambda entry: entry.name)
def test_a_stop_ends_all_threads(entry: SynthPass, rng: random.Random) -> None:
    aig = random_aig(rng, 40, 60_000, 500)
    stop = Stop()
    timer = threading.Timer(0.05, stop.cancel)
    timer.start()
    result = entry(aig, {"chunk": 5_000}, stop, threads=2).aig
    timer.join()
    assert result.num_ands <= aig.num_ands
    assert result.num_outputs == aig.num_outputs
