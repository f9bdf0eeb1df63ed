"""What every benchmark shares: timing, rivals, rows that say where they come from, comparison of two runs.

A row holds the revision, the machine, the parameters, the seed, the time and the verdict, so that a figure
can be repeated. Two files of rows are compared by

    python -m benchmarks.harness OLD.json NEW.json
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

REPOSITORY = Path(__file__).resolve().parents[1]
SHORT_SECONDS = 3.0
T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """One measurement."""

    benchmark: str
    subject: str
    seconds: float
    params: dict[str, Any] = field(default_factory=dict[str, Any])
    seed: int = 1
    verdict: str = ""
    repeats: int = 1
    revision: str = ""
    machine: str = ""


@dataclass(frozen=True)
class Timed(Generic[T]):
    """A measured call: its result, the median of its times, how often it ran."""

    result: T
    seconds: float
    repeats: int


def measure(call: Callable[[], T], *, repeats: int = 3, short: float = SHORT_SECONDS) -> Timed[T]:
    """Times `call`: once when it takes longer than `short` seconds, else the median of `repeats` runs."""
    times: list[float] = []
    while True:
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
        if times[0] > short or len(times) >= repeats:
            return Timed(result, statistics.median(times), len(times))


def geometric_mean(ratios: Iterable[float]) -> float | None:
    """None for no ratios."""
    logs = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logs) / len(logs)) if logs else None


def abc_program() -> str | None:
    """Berkeley ABC, by its Debian name or its own."""
    return shutil.which("berkeley-abc") or shutil.which("abc")


def has_module(name: str) -> bool:
    """Whether a rival from PyPI is installed; does not import it."""
    return importlib.util.find_spec(name) is not None


def revision() -> str:
    """Short commit id, with `+` when the tree has changes; empty outside a repository."""
    git = shutil.which("git")
    if git is None:
        return ""

    def ask(*arguments: str) -> str:
        done = subprocess.run([git, *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    commit = ask("rev-parse", "--short", "HEAD")
    return commit + ("+" if commit and ask("status", "--porcelain", "-uno") else "")


def machine() -> str:
    """Processor model, number of cores, system."""
    model = platform.processor() or platform.machine()
    try:
        with Path("/proc/cpuinfo").open() as info:
            model = next(line.split(":", 1)[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def shared_circuits() -> Path | None:
    """The folder of the shared circuits, beside the repository or named by DYNOMITE_SHARED."""
    named = os.environ.get("DYNOMITE_SHARED")
    folder = (Path(named) if named else REPOSITORY.parent / "shared") / "circuits"
    return folder if folder.is_dir() else None


def figures_main(description: str, figures: Callable[..., Mapping[str, Any]]) -> int:
    """The command line of a benchmark that has figures only: `figures(smoke=...)` as a table or as JSON."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--smoke", action="store_true", help="small circuits, no rivals")
    options = parser.parse_args()
    data = figures(smoke=options.smoke)
    if options.json:
        print(json.dumps(data))
    else:
        for key, value in data.items():
            print(f"{key:28} {value:.4g}" if isinstance(value, float) else f"{key:28} {value}")
    return 0


def as_json(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows with revision and machine filled in."""
    here = {"revision": revision(), "machine": machine()}
    return [{**asdict(row), **here} for row in rows]


def compare(old: Iterable[Mapping[str, Any]], new: Iterable[Mapping[str, Any]]) -> list[str]:
    """One line for every measurement both runs have, slowest change first; a mean at the end."""

    def keyed(rows: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
        return {
            json.dumps([row["benchmark"], row["subject"], row["params"], row["seed"]], sort_keys=True): row
            for row in rows
        }

    before, after = keyed(old), keyed(new)
    ratios: list[tuple[float, str]] = []
    for key in before.keys() & after.keys():
        a, b = before[key], after[key]
        ratio = b["seconds"] / a["seconds"]
        changed = "" if a["verdict"] == b["verdict"] else f"  verdict: {a['verdict']} -> {b['verdict']}"
        ratios.append((ratio, f"{ratio:8.2f}x  {a['seconds']:9.4f} -> {b['seconds']:9.4f} s  {key}{changed}"))
    lines = [line for _, line in sorted(ratios, reverse=True)]
    mean = geometric_mean(ratio for ratio, _ in ratios)
    lines.append(f"geometric mean of new / old: {mean:.3f}" if mean else "no measurement in common")
    return lines


def main(arguments: list[str]) -> int:
    """Compares two files of rows, or two reports with a list `rows` of such rows."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2

    def rows_of(name: str) -> list[Mapping[str, Any]]:
        data = json.loads(Path(name).read_text("utf-8"))
        return cast("list[Mapping[str, Any]]", data["harness_rows"] if isinstance(data, dict) else data)

    print("\n".join(compare(rows_of(arguments[0]), rows_of(arguments[1]))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
