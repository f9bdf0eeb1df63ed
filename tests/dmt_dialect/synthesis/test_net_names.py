"""Nets keep their names where their function is still there; no name moves to another function."""

from __future__ import annotations

import random

import pytest

from dmt_dialect.synthesis import SynthPass, known_passes
from dynomite import lec
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from tests.support.generators import random_aig

PASSES = [entry for entry in known_passes().values() if not entry.last]


def with_names_as_outputs(aig: Aig, names: dict[str, int]) -> Aig:
    copy = aig.copy()
    for name in sorted(names):
        copy.add_output(copy.lit(names[name]), name)
    return copy


def names_of(aig: Aig) -> dict[str, int]:
    return {name: lit.raw for lit, name in aig.net_names}


@pytest.mark.parametrize("entry", PASSES, ids=lambda entry: entry.name)
def test_a_name_stays_with_its_function(entry: SynthPass, rng: random.Random) -> None:
    kept = 0
    for _ in range(25):
        aig = random_aig(rng, rng.randint(2, 8), rng.randint(5, 120), 5, 0, raw=rng.random() < 0.5)
        for node in aig.ands():
            if rng.random() < 0.5:
                aig.add_net_name(node.lit ^ (rng.random() < 0.5), f"net_{node.lit.raw}")
        params = (
            {"sat": True, "odc": rng.choice([0, 4])} if entry.name == "resub" and rng.random() < 0.7 else {}
        )
        result = entry(aig, params, Stop()).aig
        after = names_of(result)
        before = {name: raw for name, raw in names_of(aig).items() if name in after}
        kept += len(after)
        verdict = lec(with_names_as_outputs(aig, before), with_names_as_outputs(result, after))
        assert verdict.equivalent, (entry.name, params)
    assert kept > 40
