"""Bit-blasting: words to AIG, beside z3 where it is installed.

    python -m benchmarks.bench_bitblast [--json] [--smoke]

    bitblast_mnodes_s      million AIG nodes a second for a 64-bit array multiplier: operands in, product out
    bitblast_growth        time a node of a 512-bit product over that of 64-bit ones: linear is 1, caches add
    <kind>_mnodes_s        the same for the other multipliers
    detect_mnodes_s        million nodes a second that `find_arithmetic` searches, on a 512-bit product
    z3_mnodes_s            the same product by z3's tactics `simplify, bit-blast, aig`, counted in our nodes
    bitblast_vs_z3         how many times faster

Times are CPU times, so that a busy machine counts less.
"""

from __future__ import annotations

import importlib
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import figures_main, has_module
from dmt_dialect.aig import Aig
from dmt_dialect.arith import find_arithmetic
from dmt_dialect.bitblast import Architecture, blast_array, word_inputs

WIDTH = 64
WIDE = 512
PRODUCTS = 8
REPEATS = 5


def product(width: int, products: int, architecture: Architecture) -> tuple[Aig, float]:
    """An AIG of `products` products of different words of `width` bits, and the CPU time to build them."""
    aig = Aig()
    words = [
        np.array([lit.raw for lit in word_inputs(aig, f"x{index}", width)], np.uint32)
        for index in range(products + 1)
    ]
    start = time.process_time()
    for index in range(products):
        blast_array(aig, "UMULW", words[index], words[index + 1], architecture=architecture)
    return aig, time.process_time() - start


def nanoseconds_a_node(width: int, products: int, architecture: Architecture, repeats: int) -> float:
    """Median CPU time of a node."""
    times: list[float] = []
    for _ in range(repeats):
        aig, seconds = product(width, products, architecture)
        times.append(seconds / aig.num_ands)
    return statistics.median(times) * 1e9


def cpu_seconds(call: Callable[[], object], repeats: int) -> float:
    """Median CPU time of a call."""
    times: list[float] = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times)


def z3_seconds(width: int) -> float:
    """CPU time of z3 for the same product."""
    z3: Any = importlib.import_module("z3")
    a, b, c = (z3.ZeroExt(width, z3.BitVec(name, width)) for name in "abc")
    goal = z3.Goal()
    goal.add(a * b == z3.Concat(z3.BitVec("h", width), z3.Extract(width - 1, 0, c)))
    tactic = z3.Then("simplify", "bit-blast", "aig")
    return cpu_seconds(lambda: tactic(goal), 1)


def figures(*, smoke: bool = False) -> dict[str, Any]:
    """Ours and the rival's figures."""
    repeats = 2 if smoke else REPEATS
    wide = 128 if smoke else WIDE
    single = nanoseconds_a_node(WIDTH, PRODUCTS, Architecture(), repeats)
    data: dict[str, Any] = {
        "bitblast_mnodes_s": 1e3 / single,
        "bitblast_growth": nanoseconds_a_node(wide, 1, Architecture(), repeats) / single,
    }
    for kind in ("wallace", "dadda", "booth"):
        architecture = Architecture.parse(f"multiplier={kind}")
        data[f"{kind}_mnodes_s"] = 1e3 / nanoseconds_a_node(WIDTH, PRODUCTS, architecture, repeats)
    aig, _ = product(wide, 1, Architecture())
    data["detect_mnodes_s"] = aig.num_ands / cpu_seconds(lambda: find_arithmetic(aig), repeats) / 1e6
    if not smoke and has_module("z3"):
        nodes = product(WIDTH, 1, Architecture())[0].num_ands
        data["z3_mnodes_s"] = nodes / z3_seconds(WIDTH) / 1e6
        data["bitblast_vs_z3"] = data["bitblast_mnodes_s"] / data["z3_mnodes_s"]
    return data


if __name__ == "__main__":
    sys.exit(figures_main("Bit-blasting words to AIGs.", figures))
