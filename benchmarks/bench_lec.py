"""The main job against its rivals, and the figures of its parts.

    python -m benchmarks.bench_lec              a table
    python -m benchmarks.bench_lec --json       one JSON object
    python -m benchmarks.bench_lec --smoke      seconds, to see that it works; the figures mean little
    python -m benchmarks.bench_lec --pairs "sin|div"    only pairs whose names match
    python -m benchmarks.bench_lec --hard       multipliers (`hard_arith`); the pairs against the fastest
                                                way of ABC, and a million ANDs (`hard_pairs`); the cost of
                                                proofs (`proof_cost`)

Method. A pair is timed from two paths to the verdict: ours in this process, reading included, with the
package already imported; Berkeley ABC's `&cec` as a process, less the median time of an ABC process that only
quits (`lec_vs_abc_geomean_with_start` is the ratio without that subtraction); aigverse's
`equivalence_checking` in a Python process of its own that times reading and checking after its imports.
Everybody gets the same decompressed files; aigverse reads no BLIF, so it gets these as AIGER written
beforehand. Wall-clock time, the median of three runs when a run takes less than three seconds, one run
otherwise. The limit is 60 s for everybody; a timeout counts as 60 s and is told as `timeout`. The two
geometric means run over the pairs that ABC decides within the limit; below 1 means that ours is faster.
"""

from __future__ import annotations

import argparse
import csv
import json
import lzma
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import dynomite
from benchmarks import bench_aig, bench_io, bench_sim, hard_arith, hard_pairs, proof_cost
from benchmarks.harness import (
    Row,
    abc_program,
    as_json,
    geometric_mean,
    has_module,
    measure,
    shared_circuits,
)
from benchmarks.rivals import Answer, abc_cec, abc_start_seconds, aigverse_cec

LIMIT_SECONDS = 60.0
LEAST_SECONDS = 1e-4  # below this a difference of two process times says nothing


@dataclass(frozen=True)
class Pair:
    """A row of pairs.csv."""

    left: str
    right: str
    expected: str
    match: Literal["order", "auto"]

    @property
    def name(self) -> str:
        """Short name of the right side, which tells both."""
        return Path(self.right).name.partition(".")[0]


@dataclass(frozen=True)
class Measured:
    """One pair, everybody's times."""

    pair: Pair
    ours: Answer
    abc: Answer | None
    aigverse: Answer | None

    def row(self) -> dict[str, Any]:
        """As the report shows it."""
        row: dict[str, Any] = {
            "name": self.pair.name,
            "ours_s": self.ours.seconds,
            "abc_s": self.abc.seconds if self.abc else None,
            "aigverse_s": self.aigverse.seconds if self.aigverse else None,
            "verdict": self.ours.verdict,
            "expected": self.pair.expected,
        }
        for rival, answer in (("abc", self.abc), ("aigverse", self.aigverse)):
            if answer is not None and answer.verdict != self.pair.expected:
                row[f"{rival}_verdict"] = answer.verdict
        return row


def pairs_of(circuits: Path, pattern: str) -> list[Pair]:
    """The pairs of the EPFL suite with optimised and best published circuits."""
    with (circuits / "pairs.csv").open(newline="", encoding="utf-8") as stream:
        pairs = [
            Pair(
                row["left"],
                row["right"],
                row["expected"],
                "order" if row["match"].startswith("order") else "auto",
            )
            for row in csv.DictReader(stream)
        ]
    return [
        pair
        for pair in pairs
        if pair.right.startswith(("epfl_opt/", "epfl_best/")) and re.search(pattern, pair.name)
    ]


def unpacked(path: Path, folder: Path) -> Path:
    """`path` itself, or its decompressed copy in `folder`."""
    if path.suffix != ".xz":
        return path
    copy = folder / path.name.removesuffix(".xz")
    with lzma.open(path) as source, copy.open("wb") as target:
        shutil.copyfileobj(source, target)
    return copy


def ours(left: Path, right: Path, match: Literal["order", "auto"]) -> Answer:
    """Our own time for a pair."""
    timed = measure(lambda: dynomite.lec(left, right, match=match, timeout=LIMIT_SECONDS))
    return Answer(timed.result.status, timed.seconds, timed.repeats)


def run_pair(pair: Pair, circuits: Path, folder: Path, rivals: frozenset[str]) -> Measured:
    """Times everybody on one pair."""
    left, right = unpacked(circuits / pair.left, folder), unpacked(circuits / pair.right, folder)
    abc = abc_cec(left, right, limit=LIMIT_SECONDS) if "abc" in rivals else None
    aigverse = None
    if "aigverse" in rivals:
        aiger = right
        if right.suffix != ".aig":
            aiger = folder / f"{pair.name}.aig"
            dynomite.write(dynomite.read(right), aiger)
        aigverse = aigverse_cec(left, aiger, limit=LIMIT_SECONDS)
    return Measured(pair, ours(left, right, pair.match), abc, aigverse)


def report(measured: list[Measured], start_seconds: float, parts: dict[str, Any]) -> dict[str, Any]:
    """The JSON object."""
    decided = [m for m in measured if m.abc is not None and m.abc.verdict in ("equivalent", "different")]
    if not any(m.abc for m in measured):
        decided = measured

    def mean(time_of: Callable[[Measured], float | None]) -> float | None:
        ratios: list[float] = []
        for m in decided:
            theirs = time_of(m)
            if theirs is not None:
                ratios.append(max(m.ours.seconds, LEAST_SECONDS) / max(theirs, LEAST_SECONDS))
        return geometric_mean(ratios)

    subjects: list[tuple[str, Callable[[Measured], Answer | None]]] = [
        ("dynomite", lambda m: m.ours),
        ("abc", lambda m: m.abc),
        ("aigverse", lambda m: m.aigverse),
    ]
    rows = [
        Row("lec", subject, answer.seconds, {"pair": m.pair.name}, 1, answer.verdict, answer.repeats)
        for m in measured
        for subject, of in subjects
        if (answer := of(m)) is not None
    ]
    return {
        "lec_vs_abc_geomean": mean(lambda m: m.abc.seconds - start_seconds if m.abc else None),
        "lec_vs_abc_geomean_with_start": mean(lambda m: m.abc.seconds if m.abc else None),
        "lec_vs_aigverse_geomean": mean(lambda m: m.aigverse.seconds if m.aigverse else None),
        "abc_start_s": start_seconds,
        "pairs_in_means": len(decided),
        "wrong_verdicts": [
            m.pair.name for m in measured if m.ours.verdict not in (m.pair.expected, "undecided")
        ],
        **parts,
        "rows": [m.row() for m in measured],
        "harness_rows": as_json(rows),
    }


def part_figures(*, smoke: bool) -> dict[str, Any]:
    """Figures of reading, writing, building and simulation, from their own benchmarks."""
    return {
        **bench_io.figures(smoke=smoke),
        **bench_aig.figures(smoke=smoke),
        **bench_sim.figures(smoke=smoke),
    }


def hard_pair_figures(options: argparse.Namespace) -> dict[str, Any]:
    """Those of `hard_pairs`; none without the shared circuits."""
    circuits = shared_circuits()
    if circuits is None:
        return {}
    pattern = "^(ctrl|int2float|router)_" if options.smoke and not options.pairs else options.pairs
    with tempfile.TemporaryDirectory() as folder:
        return hard_pairs.figures(
            pairs_of(circuits, pattern), unpacked, ours, Path(folder), million=not options.smoke
        )


def print_table(data: dict[str, Any]) -> None:
    """The report for people."""
    print(f"{'pair':28} {'ours':>9} {'ABC':>9} {'aigverse':>9}  verdict")
    for row in data["rows"]:
        times = [row[key] for key in ("ours_s", "abc_s", "aigverse_s")]
        shown = " ".join(f"{'-':>9}" if t is None else f"{t:9.3f}" for t in times)
        extra = " ".join(f"{key}={value}" for key, value in row.items() if key.endswith("_verdict"))
        print(f"{row['name']:28} {shown}  {row['verdict']} {extra}")
    print_figures(data)


def print_figures(data: dict[str, Any]) -> None:
    """The single figures of a report."""
    for key, value in data.items():
        if not isinstance(value, list) or key == "wrong_verdicts":
            print(f"{key:32} {value:.4g}" if isinstance(value, float) else f"{key:32} {value}")


def main() -> int:
    """Entry point; exit status 1 after a wrong verdict."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--smoke", action="store_true", help="a few small pairs and short figures")
    parser.add_argument("--pairs", default="", metavar="REGEX", help="only pairs whose name matches")
    parser.add_argument("--hard", action="store_true", help="multipliers, as processes, instead of the pairs")
    parser.add_argument("--no-parts", action="store_true", help="only the pairs")
    options = parser.parse_args()
    if options.hard:
        hard = {
            **hard_arith.figures(smoke=options.smoke),
            **hard_pair_figures(options),
            **proof_cost.figures(smoke=options.smoke),
        }
        if options.json:
            print(json.dumps(hard, indent=1))
        else:
            print_figures(hard)
        return 0
    circuits = shared_circuits()
    pairs: list[Pair] = []
    if circuits is not None:
        pattern = "^(ctrl|int2float|router)_" if options.smoke and not options.pairs else options.pairs
        pairs = pairs_of(circuits, pattern)
    else:
        print("the folder `shared` is absent: no pairs", file=sys.stderr)
    rivals = {"abc"} if abc_program() else set[str]()
    if has_module("aigverse"):
        rivals.add("aigverse")
    measured: list[Measured] = []
    with tempfile.TemporaryDirectory() as folder:
        for pair in pairs:
            assert circuits is not None
            measured.append(run_pair(pair, circuits, Path(folder), frozenset(rivals)))
            print(json.dumps(measured[-1].row()), file=sys.stderr)
    parts = {} if options.no_parts else part_figures(smoke=options.smoke)
    data = report(measured, abc_start_seconds() if "abc" in rivals else 0.0, parts)
    if options.json:
        print(json.dumps(data, indent=1))
    else:
        print_table(data)
    return 1 if data["wrong_verdicts"] else 0


if __name__ == "__main__":
    sys.exit(main())
