"""Big circuits for the benchmarks of the parts."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import cast

from benchmarks.harness import abc_program, shared_circuits
from dmt_dialect.aig import Aig
from dynomite.formats import read_circuit, write_circuit

DOUBLINGS = 4


def big_circuit(folder: Path, *, smoke: bool = False) -> Path:
    """A binary AIGER file in `folder`: EPFL's `hyp` doubled four times, 3.43 million ANDs.

    Doubled by Berkeley ABC where it is installed, else by `doubled`. For a smoke run, and where the shared
    circuits are absent, a random circuit of 100,000 ANDs.
    """
    target = folder / "big.aig"
    circuits = shared_circuits()
    if smoke or circuits is None:
        write_circuit(random_circuit(100_000, seed=1), target)
        return target
    source = circuits / "epfl" / "hyp.aig"
    abc = abc_program()
    if abc is None:
        write_circuit(doubled(read_circuit(source), DOUBLINGS), target)
        return target
    script = f"read {source}; logic; {'double; ' * DOUBLINGS}strash; write {target}"
    subprocess.run([abc, "-q", script], check=True, capture_output=True)
    return target


def random_circuit(ands: int, *, seed: int, inputs: int = 64) -> Aig:
    """A random AIG without simplification in mind; same seed, same circuit."""
    rng = random.Random(seed)
    aig = Aig()
    lits = list(aig.add_inputs(inputs))
    while aig.num_ands < ands:
        # Near operands make it deep, far ones keep all of it alive.
        left, right = lits[-rng.randint(1, min(len(lits), 200))], lits[rng.randrange(len(lits))]
        lits.append((~left if rng.random() < 0.5 else left) & (~right if rng.random() < 0.5 else right))
    for lit in lits[-64:]:
        aig.add_output(lit)
    return aig


def doubled(aig: Aig, times: int) -> Aig:
    """`aig` beside itself, `times` times over: two independent copies, inputs and outputs of both.

    Combinational circuits only; names are dropped.
    """
    for _ in range(times):
        copy = Aig()
        inputs = copy.add_inputs(2 * aig.num_inputs)
        for start in (0, aig.num_inputs):
            image = [copy.false] * aig.num_nodes
            for position, lit in enumerate(aig.inputs):
                image[lit.raw >> 1] = inputs[start + position]
            rows = cast("list[list[int]]", aig.fanins.tolist())
            for node, (fanin0, fanin1) in enumerate(rows):
                if fanin0 != 0xFFFFFFFF:
                    left, right = image[fanin0 >> 1], image[fanin1 >> 1]
                    image[node] = (~left if fanin0 & 1 else left) & (~right if fanin1 & 1 else right)
            for lit in aig.outputs:
                output = image[lit.raw >> 1]
                copy.add_output(~output if lit.raw & 1 else output)
        aig = copy
    return aig
