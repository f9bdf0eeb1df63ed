"""Verdicts on random mutations of the shared pairs, judged by an oracle that shares nothing with the product.

    python -m benchmarks.mutate_pairs --count 10000     all; a table, exit status 1 after a wrong verdict
    python -m benchmarks.mutate_pairs --case 4711       one, as a failure names it
    python -m benchmarks.mutate_pairs --first 5000 --count 100 --json

A case is a row of `pairs.csv` or `pairs_more.csv` with small circuits, one side of which is changed
(`benchmarks.mutations`): gates, edges and outputs at random, changes that matter for few inputs only, or
changes that matter nowhere. Latches are cut. `dynomite.lec` answers by one of its engines, with ports
permuted for `--match function`, from files, or with a proof. Then

* "different" counts with a counterexample that holds on both circuits (`benchmarks.plain_circuit`);
* "equivalent" counts if all assignments agree, or 2^16 random ones do and a plain SAT call on the plain miter
  says so; where that meets its limit the answer is told as unconfirmed;
* a proof counts if `check_proof` verifies it.

A case depends on the seed, its number and the tables alone.
"""

from __future__ import annotations

import argparse
import csv
import functools
import importlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

import dynomite
from benchmarks.harness import shared_circuits
from benchmarks.mutations import mutated, shuffled_ports
from benchmarks.plain_circuit import ALL, PlainCircuit, all_patterns, miter, plain, random_patterns
from dmt_dialect.passes.check_equiv import EngineChoice
from dmt_dialect.proof import check_proof
from dmt_dialect.verdict import Bit, Counterexample, Verdict
from dynomite.errors import UsageError

LARGEST_FILE = 300_000
"""Bytes; what is larger has more gates than `MOST_GATES`."""
MOST_GATES = 1200
"""Of either side before it is changed."""
TIMEOUT = 2.0
KINDS = ("any", "any", "any", "rare", "rare", "neutral", "neutral", "none")
MODES = {
    "auto": 36,
    "auto+proof": 12,
    "sweep": 12,
    "sweep+proof": 6,
    "sat": 10,
    "bdd": 7,
    "smt": 3,
    "algebra": 5,
    "algebra+proof": 3,
    "function": 6,
}
"""How often each; "+proof" with one, "function" is `auto` with ports permuted and `--match function`."""
ARITHMETIC = ("mul", "mac", "square", "add", "sum", "c6288")
MOST_EXHAUSTIVE = 1 << 23
"""Words of values that comparing under all assignments may take."""
MOST_INPUTS = 24
RANDOM_WORDS = 1024
CONFLICTS, SECONDS = 10_000, 4
"""Limits of the SAT calls of the oracle: one in this process, then one of the program `cadical`."""
FILL_SEED = 7


@dataclass(frozen=True, slots=True)
class Case:
    """Two circuits and how they are to be compared.

    Ports of the same position belong together; of `right` those of `straight` do, where it is shuffled.
    """

    number: int
    name: str
    kind: str
    mode: str
    left: PlainCircuit
    right: PlainCircuit
    straight: PlainCircuit
    files: bool = False


@dataclass(slots=True)
class Judged:
    """One case: the verdict's status, and what was wrong with it; empty if nothing."""

    status: str
    wrong: list[str] = field(default_factory=list[str])
    unconfirmed: int = 0
    seconds: float = 0.0


@functools.cache
def small_pairs() -> tuple[tuple[str, str], ...]:
    """Rows with circuits that are small, as paths below the shared circuits."""
    folder = shared_circuits()
    if folder is None:
        return ()
    found: list[tuple[str, str]] = []
    for table in ("pairs.csv", "pairs_more.csv"):
        with (folder / table).open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                pair = row["left"], row["right"]
                if all((folder / name).stat().st_size <= LARGEST_FILE for name in pair):
                    found.append(pair)
    return tuple(dict.fromkeys(found))


@functools.cache
def circuit(name: str) -> PlainCircuit:
    """One of the shared circuits."""
    folder = shared_circuits()
    assert folder is not None
    return plain(dynomite.read(folder / name))


def case_of(seed: int, number: int) -> Case:
    """The case of a number."""
    rng = random.Random(f"{seed} {number}")
    while True:
        names = rng.choice(small_pairs())
        sides = [circuit(name) for name in names]
        ports = {(side.inputs, len(side.outputs)) for side in sides}
        sizes = [len(side.gates) for side in sides]
        if len(ports) == 1 and sides[0].inputs > 1 and min(sizes) > 0 and max(sizes) <= MOST_GATES:
            break
    kind = rng.choice(KINDS)
    place = rng.randrange(2)
    if rng.random() < 0.15:
        sides[1 - place] = sides[place]  # a circuit and its own mutation
    sides[place] = mutated(sides[place], kind, rng)
    mode = rng.choices(list(MODES), list(MODES.values()))[0]
    if mode.startswith("algebra") and not any(word in names[0] for word in ARITHMETIC):
        mode = mode.replace("algebra", "auto")
    right = shuffled_ports(sides[1], rng)[0] if mode == "function" else sides[1]
    return Case(number, "--".join(names), kind, mode, sides[0], right, sides[1], files=rng.random() < 0.1)


def answer(case: Case, folder: Path) -> tuple[Verdict, list[str]]:
    """The verdict of the product, and what is wrong with its proof."""
    engine, _, proved = case.mode.partition("+")
    chosen = cast(EngineChoice, "auto" if engine == "function" else engine)
    designs: list[Any] = [case.left.aig(), case.right.aig()]
    if case.files:
        for place, side in enumerate((case.left, case.right)):
            designs[place] = folder / f"{place}.aag"
            designs[place].write_text(side.aiger(), encoding="ascii")
    match: Literal["function", "order"] = "function" if engine == "function" else "order"
    proof = folder / "proof" if proved else None
    verdict = dynomite.lec(*designs, match=match, engine=chosen, timeout=TIMEOUT, proof=proof)
    wrong: list[str] = []
    if proof is not None and verdict.equivalent:
        if verdict.proof:
            check = check_proof(verdict.proof[0])
            wrong += [] if check.verified else [f"the proof is {check.result}: {check.reason}"]
        elif engine != "algebra":
            wrong.append("no proof was written")
    return verdict, wrong


def positions(pairs: Sequence[Sequence[str | None]]) -> dict[int, int]:
    """Pairs of names such as i3 or o12 as positions, left to right."""
    return {int(left[1:]): int(right[1:]) for left, right in pairs if left and right}


def judge(case: Case) -> Judged:
    """Answers a case and judges the answer."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        try:
            verdict, wrong = answer(case, Path(folder))
        except UsageError as error:
            return refused(case, str(error))
        seconds = time.perf_counter() - start
    judged = Judged(verdict.status, wrong, seconds=seconds)
    right = case.right
    if case.mode == "function":
        if verdict.matching is None:
            return judged
        right = paired(case, verdict)
    statuses = [output.status for output in verdict.outputs]
    expected = "different" if "different" in statuses else "undecided" if "undecided" in statuses else None
    if verdict.status != (expected or "equivalent"):
        judged.wrong.append(f"{verdict.status}, though the outputs are {sorted(set(statuses))}")
    different = [output for output in verdict.outputs if output.status == "different"]
    for output in different:
        if output.counterexample is None:
            # Only the first are kept where there are very many values.
            if output is different[0] or not can_differ(case.left, right, int(output.name[1:])):
                judged.wrong.append(f"{output.name} has no counterexample")
        elif not holds(case.left, right, output.counterexample):
            judged.wrong.append(f"the counterexample of {output.name} does not hold")
    equal = [int(output.name[1:]) for output in verdict.outputs if output.status == "equivalent"]
    confirm(case.left, right, equal, judged)
    return judged


def can_differ(left: PlainCircuit, right: PlainCircuit, output: int) -> bool:
    """Whether the two sides of an output differ, or that is not known."""
    found = differences(left, right)
    return output in found.outputs or (
        not found.complete and is_satisfiable(miter(left, right, [(output, output)])) is not False
    )


def refused(case: Case, error: str) -> Judged:
    """Judges an error: that no pairing makes the circuits equal is one, if that is so."""
    judged = Judged("refused")
    if case.mode != "function" or "no pairing" not in error:
        judged.wrong.append(f"an error: {error}")
    elif "may be one" in error:
        judged.status = "no pairing found"
    elif (difference := differences(case.left, case.straight)).complete and not difference.outputs:
        judged.wrong.append("no pairing, though there is one that makes all outputs equal")
    elif not difference.outputs:
        pairs = [(k, k) for k in range(len(case.left.outputs))]
        if is_satisfiable(miter(case.left, case.straight, pairs)) is False:
            judged.wrong.append("no pairing, though there is one that makes all outputs equal")
    return judged


def paired(case: Case, verdict: Verdict) -> PlainCircuit:
    """The right circuit with its ports in the order of their partners on the left."""
    assert verdict.matching is not None
    inputs, outputs = (
        positions(ports.pairs) for ports in (verdict.matching.inputs, verdict.matching.outputs)
    )
    node_of = {right + 1: left + 1 for left, right in inputs.items()}

    def lead(lit: int) -> int:
        return 2 * node_of.get(lit >> 1, lit >> 1) + (lit & 1)

    gates = tuple((lead(a), lead(b)) for a, b in case.right.gates)
    return PlainCircuit(
        case.right.inputs,
        gates,
        tuple(lead(case.right.outputs[outputs[k]]) for k in range(len(case.left.outputs))),
    )


def holds(left: PlainCircuit, right: PlainCircuit, shown: Counterexample) -> bool:
    """Whether both circuits have the values that a counterexample shows, and differ at its output."""
    inputs = random_patterns(left.inputs, 4, FILL_SEED)
    for position in range(left.inputs):
        value = shown.inputs[f"i{position}"]
        if value is not None:
            inputs[position] = ALL if value else 0
    for side, claimed in ((left, shown.left), (right, shown.right)):
        values = side.evaluate(inputs)
        if not all(_agrees(row, claimed[f"o{k}"]) for k, row in enumerate(values)):
            return False
    ours, theirs = shown.left[shown.output], shown.right[shown.output]
    return ours is not None and theirs is not None and ours != theirs


def _agrees(row: Any, bit: Bit) -> bool:
    return bit is None or bool((row == (ALL if bit else 0)).all())


@dataclass(frozen=True, slots=True)
class Differences:
    """Outputs that differ for some pattern; whether the patterns were all there are."""

    outputs: frozenset[int]
    complete: bool


def differences(left: PlainCircuit, right: PlainCircuit) -> Differences:
    """Compares under all assignments, if these are few, else under 2^16 random ones."""
    gates = len(left.gates) + len(right.gates)
    complete = left.inputs <= MOST_INPUTS and (gates << left.inputs) >> 6 <= MOST_EXHAUSTIVE
    seed = FILL_SEED + gates
    patterns = all_patterns(left.inputs) if complete else random_patterns(left.inputs, RANDOM_WORDS, seed)
    differ = (left.evaluate(patterns) != right.evaluate(patterns)).any(axis=1)
    return Differences(frozenset(np.flatnonzero(differ).tolist()), complete)


def confirm(left: PlainCircuit, right: PlainCircuit, equal: Sequence[int], judged: Judged) -> None:
    """Looks for a difference of outputs that are said to be equal."""
    if not equal:
        return
    found = differences(left, right)
    if not found.outputs.isdisjoint(equal):
        judged.wrong.append(f"outputs {sorted(found.outputs)[:10]} differ by simulation, said to be equal")
    elif not found.complete:
        satisfiable = is_satisfiable(miter(left, right, [(k, k) for k in equal]))
        if satisfiable is None:
            judged.unconfirmed = 1
        elif satisfiable:
            judged.wrong.append("outputs differ by SAT, though said to be equal")


def is_satisfiable(clauses: list[list[int]]) -> bool | None:
    """By Glucose, else by the program CaDiCaL; None at the limits of both."""
    glucose: Any = importlib.import_module("pysat.solvers").Glucose4
    with glucose(bootstrap_with=clauses) as solver:
        solver.conf_budget(CONFLICTS)
        found: bool | None = solver.solve_limited()
    program = shutil.which("cadical")
    if found is not None or program is None:
        return found
    top = max(abs(lit) for clause in clauses for lit in clause)
    text = [f"p cnf {top} {len(clauses)}", *(" ".join(map(str, [*clause, 0])) for clause in clauses), ""]
    done = subprocess.run(
        [program, "-q", "-n", "-t", str(SECONDS)],
        input="\n".join(text),
        text=True,
        capture_output=True,
        check=False,
    )
    return {10: True, 20: False}.get(done.returncode)


def run(seed: int, numbers: Sequence[int], *, show: bool = False) -> dict[str, Any]:
    """Judges cases; counts by kind and status, and the failures."""
    counts: Counter[str] = Counter()
    modes: Counter[str] = Counter()
    failures: list[dict[str, Any]] = []
    unconfirmed: list[int] = []
    times: list[float] = []
    start = time.monotonic()
    for number in numbers:
        case = case_of(seed, number)
        try:
            judged = judge(case)
        except Exception as error:  # whatever it is, it is a failure of this case
            judged = Judged("raised", [f"{type(error).__name__}: {error}"])
        counts[f"{case.kind} {judged.status}"] += 1
        modes[f"{case.mode} {judged.status}"] += 1
        times.append(judged.seconds)
        if judged.unconfirmed:
            unconfirmed.append(number)
        if judged.wrong:
            failures.append({"case": number, "name": case.name, "mode": case.mode, "wrong": judged.wrong})
            repeat = f"python -m benchmarks.mutate_pairs --seed {seed} --case {number}"
            print(
                f"{case.name} {case.kind} {case.mode}: {'; '.join(judged.wrong)}\n  {repeat}", file=sys.stderr
            )
        if show:
            print(f"{number} {case.name} {case.kind} {case.mode}: {judged.status} {judged.seconds:.3f} s")
    return {
        "cases": len(numbers),
        "wrong": len(failures),
        "unconfirmed": len(unconfirmed),
        "by_kind": dict(sorted(counts.items())),
        "by_mode": dict(sorted(modes.items())),
        "median_s": float(np.median(times)) if times else None,
        "seconds": time.monotonic() - start,
        "unconfirmed_cases": unconfirmed,
        "failures": failures,
    }


def main() -> int:
    """Entry point; exit status 1 after a wrong verdict."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first case")
    parser.add_argument("--count", type=int, default=200, metavar="N", help="how many cases")
    parser.add_argument("--case", type=int, metavar="N", help="only this one")
    parser.add_argument("--show", action="store_true", help="a line for each case")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if not small_pairs():
        print("the folder `shared` is absent: no pairs", file=sys.stderr)
        return 2
    numbers = range(options.first, options.first + options.count)
    if options.case is not None:
        numbers = range(options.case, options.case + 1)
    data = run(options.seed, numbers, show=options.show)
    if options.json:
        print(json.dumps(data, indent=1))
    else:
        for key in ("by_kind", "by_mode"):
            for name, count in data.pop(key).items():
                print(f"{key:18} {name:24} {count}")
        for key, value in data.items():
            print(f"{key:18} {value}")
    return 1 if data["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
