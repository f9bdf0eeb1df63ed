"""Multipliers and dividers through `dynomite lec A B`, as processes with their start (`bench_lec --hard`).

Every figure is the slowest of its pairs in wall-clock seconds: two architectures of a width (`mul16_s` to
`mul128_s`; those of the shared folder up to 64 bits, our own at 128), one side after `resyn2` (`mul16_opt_s`;
our own recipe, and ABC's where ABC is installed), one gate of 64 bits changed (`mul64_wrong_s`); the
restoring against the non-restoring divider and square root of the shared folder (`div32_s`,
`sqrt64_s`). A pair that is not decided within the limit counts as the limit; a wrong answer is an error.
"""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import dynomite
from benchmarks.harness import abc_program, shared_circuits
from dmt_dialect.bitblast import Architecture, blast, word_inputs, word_outputs
from dynomite import Aig

LIMIT_SECONDS = 120.0
ARCHITECTURES = ("array_ripple", "booth_ripple", "dadda_ripple", "wallace_kogge")
OWN = (
    "multiplier=array",
    "multiplier=wallace,adder=kogge-stone",
    "multiplier=dadda,adder=brent-kung",
    "multiplier=booth,adder=kogge-stone",
)
RESYN2 = "balance; rewrite; refactor; balance; rewrite; rewrite -z; balance; refactor -z; rewrite -z; balance"
WRONG_GATES = 5


@dataclass(frozen=True)
class Timed:
    """One call of `dynomite lec`."""

    left: str
    right: str
    status: str
    seconds: float


def run_lec(left: Path, right: Path, expected: str) -> Timed:
    """Times the command; a wrong answer raises."""
    start = time.monotonic()
    command = [sys.executable, "-m", "dynomite", "lec", str(left), str(right), "--match", "order"]
    outcome = subprocess.run(
        [*command, "--timeout", str(LIMIT_SECONDS)], capture_output=True, text=True, check=False
    )
    seconds = time.monotonic() - start
    status = outcome.stdout.split(":")[0].split(" ")[0].strip()
    if status not in (expected, "undecided"):
        raise RuntimeError(
            f"{left.name} and {right.name} are {expected}, not {outcome.stdout}{outcome.stderr}"
        )
    if status == "undecided":
        seconds = max(seconds, LIMIT_SECONDS)
    print(f"{left.name} {right.name}: {status} {seconds:.2f} s", file=sys.stderr)
    return Timed(left.name, right.name, status, seconds)


def own_multiplier(width: int, architecture: str, folder: Path) -> Path:
    """Writes a multiplier of our own bit-blasting."""
    aig = Aig()
    a, b = word_inputs(aig, "a", width), word_inputs(aig, "b", width)
    chosen = Architecture.parse(architecture)
    word_outputs(aig, "p", blast(aig, "UMULW", a, b, architecture=chosen))
    path = folder / f"{architecture.replace('multiplier=', '').replace(',adder=', '_')}_{width}.aig"
    dynomite.write(aig, path)
    return path


def shared_multipliers(width: int, circuits: Path, folder: Path) -> list[Path]:
    """The shared multipliers of a width as AIGER files (BLIF takes longer to read)."""
    paths: list[Path] = []
    for architecture in ARCHITECTURES:
        source = next((circuits / "multipliers").glob(f"{architecture}_{width}.blif*"))
        paths.append(folder / f"{architecture}_{width}.aig")
        dynomite.write(dynomite.read(source), paths[-1])
    return paths


def with_wrong_gate(path: Path, seed: int) -> Path:
    """The circuit with one edge complemented, so that it is another function."""
    aig = dynomite.read(path)
    rng = random.Random(seed)
    while True:
        rows = np.array(aig.fanins)
        first = 1 + aig.num_inputs
        rows[rng.randrange(first, len(rows)), rng.randrange(2)] ^= 1
        wrong = Aig.from_fanins(rows)
        for lit in aig.literals("outputs").tolist():
            wrong.add_output(wrong.lit(lit))
        if dynomite.lec(aig, wrong, match="order", timeout=LIMIT_SECONDS).different:
            break
    target = path.with_name(f"{path.stem}_wrong{seed}.aig")
    dynomite.write(wrong, target)
    return target


def optimised(path: Path) -> list[Path]:
    """The circuit after `resyn2`: by our own recipe, and by ABC if it is there."""
    own = path.with_name(f"{path.stem}_opt.aig")
    subprocess.run(
        [sys.executable, "-m", "dynomite", "opt", str(path), str(own), "--recipe", "resyn2"],
        check=True,
        capture_output=True,
    )
    program = abc_program()
    if program is None:
        return [own]
    other = path.with_name(f"{path.stem}_abc.aig")
    commands = f"read {path}; strash; {RESYN2}; write {other}"
    subprocess.run([program, "-q", commands], check=True, capture_output=True)
    return [own, other]


def figures(*, smoke: bool) -> dict[str, float]:
    """All figures; with `smoke` those of 16 bits, over fewer pairs."""
    circuits = shared_circuits()
    result: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def slowest(pairs: list[tuple[Path, Path]], expected: str = "equivalent") -> float:
            return max(run_lec(left, right, expected).seconds for left, right in pairs)

        for width in (16,) if smoke else (16, 32, 64, 128):
            if circuits is None or width > 64:
                paths = [own_multiplier(width, architecture, folder) for architecture in OWN]
            else:
                paths = shared_multipliers(width, circuits, folder)
            pairs = list(itertools.combinations(paths, 2))
            result[f"mul{width}_s"] = slowest(pairs[:2] if smoke else pairs)
            if width == 16:
                sources = paths[:1] if smoke else paths
                pairs = [(paths[0], small) for source in sources for small in optimised(source)]
                result["mul16_opt_s"] = slowest(pairs)
            if width == 64:
                wrong = [(paths[0], with_wrong_gate(paths[-1], seed)) for seed in range(WRONG_GATES)]
                result["mul64_wrong_s"] = slowest(wrong, "different")
        if circuits is not None and not smoke:
            for kind in ("div32", "sqrt64"):
                first, second = (
                    circuits / "arith" / f"{kind}_{side}.aig" for side in ("restoring", "nonrestoring")
                )
                result[f"{kind}_s"] = slowest([(first, second)])
    return result
