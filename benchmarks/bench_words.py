"""Netlists of words: a module of 100,000 operators from its text to an AIG.

    python -m benchmarks.bench_words [--json] [--operators N]

`module_s` is the time of parsing, elaborating and lowering a module of random operators of 8 bits; its parts
are `parse_s`, `elaborate_s` and `lower_s`. Times are CPU time, the least of three.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from itertools import pairwise

from dynomite.ir import parse
from hw_dialect.builder import context
from hw_dialect.elaborate import elaborate, lower

SAME = ("ADD", "SUB", "AND", "OR", "XOR", "NAND")


def module_text(operators: int, seed: int = 1) -> str:
    """A module of random operators, most of them on recent values."""
    rng = random.Random(seed)
    lines = ["using op", "using hw", "MODULE @m {"]
    lines += [f"  IN %v{i}:def(wire(8))" for i in range(16)]
    for number in range(16, 16 + operators):
        a, b = (number - 1 - min(number - 1, int(rng.expovariate(0.02))) for _ in "ab")
        kind = rng.random()
        if kind < 0.7:
            lines.append(f"  {rng.choice(SAME)} %v{number}:def(wire(8)) %v{a} %v{b}")
        elif kind < 0.8:
            lines.append(f"  ULT %c{number}:def(wire(1)) %v{a} %v{b}")
            lines.append(f"  MUX %v{number}:def(wire(8)) %c{number} %v{a} %v{b}")
        else:
            lines.append(f"  NOT %v{number}:def(wire(8)) %v{a}")
    lines += [f'  OUT "o{i}" %v{15 + operators - i}' for i in range(min(32, operators))]
    return "\n".join([*lines, "}"])


def measure(operators: int, rounds: int = 3) -> dict[str, float]:
    """Seconds of each step, and what came out."""
    text = module_text(operators)
    best: dict[str, float] = {}
    for _ in range(rounds):
        times = [time.process_time()]
        module = parse(text, context(), locations=True)
        times.append(time.process_time())
        net = elaborate(module)
        times.append(time.process_time())
        aig = lower(net)
        times.append(time.process_time())
        steps = [after - before for before, after in pairwise(times)]
        row: dict[str, float] = dict(zip(("parse_s", "elaborate_s", "lower_s"), steps, strict=True))
        row["module_s"] = sum(steps)
        best = {key: min(value, best.get(key, value)) for key, value in row.items()}
        best["operators"] = len(net)
        best["ands"] = aig.num_ands
    return best


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--operators", type=int, default=100_000, metavar="N")
    options = parser.parse_args()
    figures = measure(options.operators)
    if options.json:
        print(json.dumps(figures))
    else:
        for key, value in figures.items():
            print(f"{key:12} {value:.3f}" if key.endswith("_s") else f"{key:12} {value}")


if __name__ == "__main__":
    main()
