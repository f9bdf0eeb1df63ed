from __future__ import annotations

import random

import numpy as np
import pytest

from dmt_dialect.aig import Aig
from dmt_dialect.aig_numbering import AigLevels
from dynomite.errors import UsageError


@pytest.mark.parametrize("batch", [1, 3, 200])
def test_levels_of_a_growing_circuit(batch: int) -> None:
    rng = random.Random(batch)
    aig = Aig()
    lits = list(aig.add_inputs(4))
    levels = AigLevels(aig)
    for _ in range(30):
        known = aig.num_nodes
        assert len(levels.array) == known
        for _ in range(batch):
            a, b = rng.sample(lits, 2)
            lits.append(~a & b if rng.random() < 0.5 else a & b)
        if rng.random() < 0.3:
            lits.append(aig.add_input())
        assert levels.unnumbered().tolist() == list(range(known, aig.num_nodes))
        asked = rng.choice(lits).node
        assert levels.has_number(asked) == (int(asked.id.__index__()) < known)
        assert levels[asked] == aig.levels()[asked.id]
        assert np.array_equal(levels.array, aig.levels())
    with pytest.raises(UsageError, match="another circuit"):
        _ = levels[Aig().false.node]
