"""What an execution did: one record a step, with time, memory and counts, as a tree or as plain data."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Record:
    """One run of one step.

    Attributes:
        number: Where it stands, such as "3" or "3.2"; in later rounds of a loop with the round behind it.
        name: Full name of its operation.
        path: Groups and stages around it.
        state: "done", "cached", "skipped", "failed"; "waiting" if it never ran.
        seconds: From its start to its end.
        cpu: Processor time of its thread; of the steps inside for control.
        memory: Growth of the process's memory meanwhile, in bytes; other steps at the time included.
        changed: Whether it changed code.
        stop: Why it ended early, "none" if it did not.
        stats: Counts.
        notes: What a user should know.
        text: What it printed.
        inner: The steps inside, in order of their runs.
    """

    number: str
    name: str
    path: tuple[str, ...] = ()
    state: str = "waiting"
    seconds: float = 0.0
    cpu: float = 0.0
    memory: int = 0
    changed: bool = False
    stop: str = "none"
    stats: Mapping[str, Any] = field(default_factory=dict[str, Any])
    notes: tuple[str, ...] = ()
    text: str = ""
    inner: list[Record] = field(default_factory=list["Record"])

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        data: dict[str, Any] = {
            "number": self.number,
            "step": self.name,
            "path": list(self.path),
            "state": self.state,
            "seconds": round(self.seconds, 6),
            "cpu": round(self.cpu, 6),
            "memory": self.memory,
            "changed": self.changed,
            "stop": self.stop,
            "stats": dict(self.stats),
            "notes": list(self.notes),
        }
        if self.inner:
            data["steps"] = [one.to_dict() for one in self.inner]
        return data


@dataclass
class Report:
    """What one execution of a graph did.

    Attributes:
        graph: Its name.
        records: The steps, in order.
        results: Values of the results that have names, the latest of each name.
        jobs: Threads.
        seconds: Time of all.
        peak_bytes: Largest memory of the process so far.
        stop: Why it ended early, "none" if it did not.
    """

    graph: str
    records: list[Record] = field(default_factory=list[Record])
    results: dict[str, Any] = field(default_factory=dict[str, Any])
    jobs: int = 1
    seconds: float = 0.0
    peak_bytes: int = 0
    stop: str = "none"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "graph": self.graph,
            "stop": self.stop,
            "jobs": self.jobs,
            "seconds": round(self.seconds, 6),
            "peak_bytes": self.peak_bytes,
            "steps": [record.to_dict() for record in self.records],
        }

    def __str__(self) -> str:
        """A tree: seconds, processor seconds, memory, step, counts."""
        lines = [f"{'seconds':>9} {'cpu':>8} {'memory':>9}  @{self.graph}, {self.jobs} thread(s)"]
        _tree(self.records, 0, "", lines)
        lines.append(f"{self.seconds:9.4f} {'':8} {_size(self.peak_bytes):>9}  in all, largest memory")
        return "\n".join(lines)


def _tree(records: Iterable[Record], depth: int, last: str, lines: list[str]) -> None:
    for record in records:
        group = "/".join(record.path)
        inside = depth + bool(group)
        if group != last and group:
            lines.append(f"{'':30}{'  ' * depth}{group}")
        last = group
        marks = "" if record.state == "done" else f" [{record.state}]"
        counts = ", ".join(f"{key} {value}" for key, value in record.stats.items())
        lines.append(
            f"{record.seconds:9.4f} {record.cpu:8.4f} {_size(record.memory):>9}  {'  ' * inside}"
            f"{record.number}: {record.name}{marks}{' changed' if record.changed else ''}"
            f"{f': {counts}' if counts else ''}"
        )
        _tree(record.inner, inside + 1, "", lines)


def _size(count: int) -> str:
    return f"{count / 1e6:.1f}M" if abs(count) >= 100_000 else f"{count / 1e3:.0f}k" if count else "0"


if sys.platform == "linux":
    _PAGE = os.sysconf("SC_PAGE_SIZE")

    def memory_of_process() -> int:
        """Bytes of memory the process has now; 0 where it cannot be asked."""
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
else:

    def memory_of_process() -> int:
        """Bytes of memory the process has now; 0 where it cannot be asked."""
        return 0
