"""What the steps of execution graphs on circuits do."""

from __future__ import annotations

import re

from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.passes.sweep import sweep
from dmt_dialect.verdict import Verdict
from dynomite.exec.kinds import Outcome, Task


def run_lec(task: Task) -> Outcome:
    """Proves two circuits equal."""
    params = dict(task.params)
    timeout = params.pop("timeout")
    left, right = task.inputs
    verdict = lec(left, right, timeout=timeout or None, cancel=task.stop, **params)  # type: ignore[arg-type]
    counts = {status: len(verdict.with_status(status)) for status in ("equivalent", "different", "undecided")}
    stats = {"status": verdict.status, **{key: count for key, count in counts.items() if count}}
    return Outcome(verdict, stats=stats, final=not verdict.undecided, notes=verdict.assumptions)


def run_sweep(task: Task) -> Outcome:
    """Sweeps a circuit."""
    params = dict(task.params)
    timeout = params.pop("timeout")
    aig, stats = sweep(task.inputs[0], timeout=timeout or None, cancel=task.stop, **params)  # type: ignore[arg-type]
    counts = {"ands_before": stats.ands_before, "ands_after": stats.ands_after, "ended": stats.stop}
    return Outcome(aig, stats=counts, final=stats.stop == "done")


def run_stats(task: Task) -> Outcome:
    """Counts what a circuit consists of."""
    figures = task.inputs[0].stats()
    text = "\n".join(f"{key.replace('_', ' ')} {value}" for key, value in figures.items())
    return Outcome(text, stats=figures)


def show_verdict(verdict: Verdict) -> str:
    """The text of a verdict without its time."""
    first, *rest = str(verdict).splitlines()
    return "\n".join([re.sub(r", [0-9.]+ s$", "", first), *rest])


def encode_verdict(verdict: Verdict) -> bytes:
    """A verdict as bytes."""
    return verdict.to_json(indent=None).encode("utf-8", "surrogatepass")


def decode_verdict(data: bytes) -> Verdict:
    """A verdict from bytes."""
    return Verdict.from_json(data.decode("utf-8", "surrogatepass"))
