"""What the steps of execution graphs on circuits do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.passes.sweep import sweep
from dmt_dialect.verdict import Verdict
from dynomite.errors import UsageError
from dynomite.exec.kinds import Outcome, Task

if TYPE_CHECKING:
    from dmt_dialect.synthesis.runner import Size


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


def run_pipeline(task: Task) -> Outcome:
    """Synthesises a circuit by a pipeline."""
    from dmt_dialect.synthesis.optimize import optimize
    from dmt_dialect.synthesis.pipeline import parse_pipeline

    params = dict(task.params)
    pipeline, timeout = str(params.pop("pipeline")), params.pop("timeout")
    steps = parse_pipeline(pipeline)
    if any(step.entry.last for step in steps.calls()):
        raise UsageError(f"the pipeline gives look-up tables, a circuit is needed: {pipeline}")
    made = optimize(task.inputs[0], steps, timeout=timeout or None, cancel=task.stop, **params)  # type: ignore[arg-type]
    return Outcome(made.aig, stats=_sizes(made.before, made.after, made.stop), final=made.stop == "done")


def run_pass(task: Task) -> Outcome:
    """Runs the pass that has the step's name."""
    from dmt_dialect.synthesis.passes import known_passes
    from dmt_dialect.synthesis.runner import State

    entry = next(p for p in known_passes().values() if task.name == f"dmt.{p.step}")
    params = dict(task.params)
    threads, seed = int(params.pop("threads")), int(params.pop("seed"))
    for name, value in params.items():
        param = entry.param(name)
        problem = None if param is None else param.problem(value)
        if problem is not None:
            raise UsageError(f"the parameter '{name}' {problem}")
    made = entry(task.inputs[0], params, task.stop, threads, seed)
    ended = "cancelled" if task.stop.reason != "none" else str(made.stats.get("stop", "done"))
    before, after = State.of(task.inputs[0]).size, State.of(made.aig).size
    return Outcome(made.aig, stats=_sizes(before, after, ended), final=ended in ("done", "none"))


def _sizes(before: Size, after: Size, ended: str) -> dict[str, int | str]:
    stats: dict[str, int | str] = {"ands_before": before.ands, "ands_after": after.ands}
    stats |= {"levels_before": before.levels, "levels_after": after.levels}
    if before.latches != after.latches:
        stats |= {"latches_before": before.latches, "latches_after": after.latches}
    return {**stats, "ended": ended}


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
