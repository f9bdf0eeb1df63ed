"""`dynomite.optimize`: a circuit through a pipeline."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dmt_dialect.synthesis.defaults import DEFAULT_PIPELINE
from dmt_dialect.synthesis.pipeline import Pipeline, parse_pipeline
from dmt_dialect.synthesis.runner import Runner, Size, State, StepRecord
from dynomite._native.base import Stop
from dynomite.errors import UsageError, VerifyError
from dynomite.formats.base import read_circuit
from dynomite.progress import Progress

if TYPE_CHECKING:
    from dmt_dialect.verdict import Verdict
    from dynomite._native.aig import Aig
    from dynomite._native.map import LutNetwork


@dataclass(frozen=True)
class Optimized:
    """What `optimize` made.

    Attributes:
        aig: The circuit.
        before: Size of the given circuit.
        after: Size of `aig`.
        steps: One record for each pass that ran.
        pipeline: The pipeline, as text.
        stop: Why it ended: "done", "timeout" or "cancelled". Not "done" means that `aig` is the smallest
            circuit seen until then, the given one included.
        seconds: Time without reading and proving.
        verified: Whether `aig` was proved equal to the given circuit.
        extra: The network of LUTs of a last pass `lutmap`; else None.
        notes: What the reader of the file has skipped or taken for granted.
    """

    aig: Aig = field(repr=False)
    before: Size
    after: Size
    steps: tuple[StepRecord, ...] = field(repr=False)
    pipeline: str
    stop: str
    seconds: float
    verified: bool = False
    extra: LutNetwork | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    _source: Aig | None = field(default=None, repr=False, compare=False)
    _state: State | None = field(default=None, repr=False, compare=False)

    @cached_property
    def gains(self) -> tuple[PassGain, ...]:
        """What each pass saved in all, the best first."""
        totals: dict[str, list[float]] = {}
        for step in self.steps:
            total = totals.setdefault(step.name, [0, 0, 0, 0.0])
            levels = step.before.levels - step.after.levels
            for index, value in enumerate((1, step.gain, levels, step.seconds)):
                total[index] += value
        gains = [PassGain(name, int(t[0]), int(t[1]), int(t[2]), t[3]) for name, t in totals.items()]
        return tuple(sorted(gains, key=lambda gain: (-gain.ands, -gain.levels, gain.name)))

    def prove(
        self,
        *,
        timeout: float | None = None,
        seed: int = 1,
        progress: Callable[[Progress], None] | None = None,
        cancel: Stop | None = None,
    ) -> Verdict:
        """Proves `aig` (or the network, if there is one) equal to the given circuit; see `proving`.

        Args:
            timeout: Seconds; None for no limit.
            seed: Seed of random patterns.
            progress: Called as the work goes on.
            cancel: Ends the proof undecided.
        """
        from dmt_dialect.synthesis.proving import prove

        assert self._source is not None
        assert self._state is not None
        return prove(
            self._source,
            self.aig if self.extra is None else self.extra.to_aig(),
            self._state.latches,
            timeout=timeout,
            seed=seed,
            progress=progress,
            cancel=cancel,
        )

    def as_verified(self) -> Optimized:
        """The same after a proof; nothing is checked here."""
        return replace(self, verified=True)

    def __str__(self) -> str:
        """Sizes before and after, in one line."""
        parts = [f"{self.before.ands} ANDs -> {self.after.ands}"]
        parts.append(f"{self.before.levels} levels -> {self.after.levels}")
        if self.before.latches != self.after.latches:
            parts.append(f"{self.before.latches} latches -> {self.after.latches}")
        if self.extra is not None:
            parts.append(f"{self.extra.num_luts} LUTs of {self.extra.num_levels} levels")
        return f"{', '.join(parts)}, {self.seconds:.2f} s"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without the circuits."""
        network = self.extra
        luts = {} if network is None else {"luts": network.num_luts, "lut_levels": network.num_levels}
        return {
            "pipeline": self.pipeline,
            "stop": self.stop,
            **{f"{name}_before": value for name, value in self.before._asdict().items()},
            **{f"{name}_after": value for name, value in self.after._asdict().items()},
            "seconds": self.seconds,
            "verified": self.verified,
            **luts,
            "steps": [step.to_dict() for step in self.steps],
            "gains": [gain.to_dict() for gain in self.gains],
            "notes": list(self.notes),
        }

    def to_json(self, indent: int | None = 2) -> str:
        """`to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent)


@dataclass(frozen=True, slots=True)
class PassGain:
    """What all runs of a pass came to.

    Attributes:
        name: The pass.
        runs: How often it ran.
        ands: ANDs it saved.
        levels: Levels it saved.
        seconds: Its time.
    """

    name: str
    runs: int
    ands: int
    levels: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.name,
            "runs": self.runs,
            "ands": self.ands,
            "levels": self.levels,
            "seconds": self.seconds,
        }


def optimize(
    circuit: str | os.PathLike[str] | Aig,
    pipeline: str | Pipeline = DEFAULT_PIPELINE,
    *,
    verify: bool = False,
    timeout: float | None = None,
    conflicts: int | None = None,
    threads: int | None = None,
    seed: int = 1,
    progress: Callable[[Progress], None] | None = None,
    on_step: Callable[[StepRecord], None] | None = None,
    cancel: Stop | None = None,
) -> Optimized:
    """Makes a circuit smaller or shallower by a pipeline of passes.

    Inputs, outputs, latches, properties and names stay, in their order; a net name stays where its node does.
    Only the pass `scl` leaves latches out.

    Args:
        circuit: A circuit file or an `Aig`, which stays as it is.
        pipeline: Passes, recipes and loops in text, such as "fast" or "balance; until-converge(3){rewrite}";
            `dynomite opt --list` and docs/synthesis.md say what there is.
        verify: Prove the result equal to the given circuit, without a time limit.
        timeout: Seconds after which the smallest circuit so far is taken.
        conflicts: Conflicts that a proof inside of a pass may take, where the pipeline does not say it.
        threads: Threads that passes may use; None for one a processor. The result does not depend on it.
        seed: Seed of random patterns and choices.
        progress: Called with a `Progress` as each step begins.
        on_step: Called with the record of each step.
        cancel: Ends the run as `timeout` does, which sets its deadline.

    Returns:
        The circuit, and a record of each step.

    Raises:
        ParseError: The file is not what its format says, or the pipeline is none; with its place.
        UsageError: A limit is wrong.
        VerifyError: The proof of `verify` was cut short.
        AssertionError: `verify` found a difference: a bug.
        KeyboardInterrupt: At Ctrl-C, unless signals go to `cancel`.
    """
    _check_limits(timeout, conflicts, threads)
    steps = parse_pipeline(pipeline) if isinstance(pipeline, str) else pipeline
    stop = Stop() if cancel is None else cancel
    notes: list[str] = []
    aig = read_circuit(circuit, notes=notes) if isinstance(circuit, str | os.PathLike) else circuit
    if timeout is not None:
        stop.set_timeout(timeout)
    start = time.perf_counter()
    runner = Runner(
        aig,
        stop=stop,
        threads=(os.cpu_count() or 1) if threads is None else threads,
        seed=seed,
        conflicts=conflicts,
        on_step=on_step,
    )
    if progress is not None:
        tell = progress
        runner.on_start = lambda step: tell(
            Progress(len(runner.records), 0, f"{step}: {runner.state.size.ands} ANDs")
        )
    before = runner.state.size
    runner.run(steps.items)
    state = runner.best if runner.ended else runner.state
    result = Optimized(
        aig=state.aig,
        before=before,
        after=state.size,
        steps=tuple(runner.records),
        pipeline=str(steps),
        stop=("timeout" if stop.reason == "deadline" else "cancelled") if runner.ended else "done",
        seconds=time.perf_counter() - start,
        verified=False,
        extra=runner.extra,
        notes=tuple(notes),
        _source=aig,
        _state=state,
    )
    return _verified(result, seed, progress) if verify else result


def _verified(result: Optimized, seed: int, progress: Callable[[Progress], None] | None) -> Optimized:
    verdict = result.prove(seed=seed, progress=progress)
    if verdict.different:
        raise AssertionError(f"the result differs from the given circuit: a pass is wrong\n{verdict}")
    if not verdict.equivalent:
        raise VerifyError(f"the result was not proved equal to the given circuit\n{verdict}")
    return result.as_verified()


def _check_limits(timeout: float | None, conflicts: int | None, threads: int | None) -> None:
    if timeout is not None and not timeout >= 0:
        raise UsageError(f"optimize: timeout must not be negative, it is {timeout}")
    if conflicts is not None and conflicts < 1:
        raise UsageError(f"optimize: conflicts must be at least 1, it is {conflicts}")
    if threads is not None and threads < 1:
        raise UsageError(f"optimize: threads must be at least 1, it is {threads}")
