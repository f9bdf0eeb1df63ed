"""Running pipelines: one step after the other, a record of each, and the best circuit when time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from dmt_dialect.synthesis.latch_map import LatchMap
from dmt_dialect.synthesis.passes import PassResult
from dmt_dialect.synthesis.pipeline import Block, Call, Item
from dynomite.errors import LimitError

if TYPE_CHECKING:
    from dynomite._native.aig import Aig
    from dynomite._native.base import Stop


class Size(NamedTuple):
    """Size of a circuit; the smaller one has fewer ANDs, or as many and fewer levels."""

    ands: int
    levels: int
    latches: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """A circuit, its size, and what became of the latches since the start."""

    aig: Aig
    size: Size
    latches: LatchMap

    @staticmethod
    def of(aig: Aig, latches: LatchMap | None = None) -> State:
        """A circuit with its size. Cost: linear."""
        size = Size(aig.num_ands, int(aig.depth), aig.num_latches)
        return State(aig, size, LatchMap.identity(aig.num_latches) if latches is None else latches)


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One run of a pass.

    Attributes:
        step: The pass with its parameters, as text.
        name: The pass.
        within: The recipes and loops it stands in, outermost first, rounds counted from 1.
        before: Size of the circuit it was given.
        after: Size of what it made.
        seconds: Its time.
        stop: Why it ended early, "none" if it did not.
        stats: What the pass counts.
    """

    step: str
    name: str
    within: tuple[str, ...]
    before: Size
    after: Size
    seconds: float
    stop: str = "none"
    stats: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def gain(self) -> int:
        """ANDs that it saved."""
        return self.before.ands - self.after.ands

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "step": self.step,
            "within": list(self.within),
            **{f"{name}_before": value for name, value in self.before._asdict().items()},
            **{f"{name}_after": value for name, value in self.after._asdict().items()},
            "gain": self.gain,
            "seconds": self.seconds,
            "stop": self.stop,
            "stats": dict(self.stats),
        }


class Runner:
    """Runs steps on a circuit.

    Attributes:
        state: The circuit as the last step left it.
        best: The smallest circuit so far, the given one included.
        records: One for each step that ran.
        ended: Whether the stop ended the run before the last step was through.
        extra: The result of a last step that is no AIG.
        on_start: Called with the text of each step before it runs.
    """

    def __init__(
        self,
        aig: Aig,
        *,
        stop: Stop,
        threads: int = 1,
        seed: int = 1,
        conflicts: int | None = None,
        on_step: Callable[[StepRecord], None] | None = None,
    ) -> None:
        self.state = self.best = State.of(aig)
        self.records: list[StepRecord] = []
        self.ended = False
        self.extra: Any = None
        self._stop, self._threads, self._seed, self._conflicts = stop, threads, seed, conflicts
        self._on_step = on_step
        self.on_start: Callable[[str], None] | None = None
        self._within: list[str] = []

    def run(self, items: Sequence[Item]) -> None:
        """Runs steps in order. Blocks nest up to a limit, so recursion is bounded."""
        for item in items:
            if self.ended:
                return
            if isinstance(item, Call):
                self._call(item)
            elif item.kind == "best":
                self._best_of(item)
            else:
                self._rounds(item)

    def _call(self, call: Call) -> None:
        before = self.state
        if self.on_start is not None:
            self.on_start(str(call))
        start = time.perf_counter()
        made, stop = self._apply(call, before.aig)
        seconds = time.perf_counter() - start
        if made is not None:
            latches = before.latches if made.latches is None else before.latches.then(made.latches)
            self.state = State.of(made.aig, latches)
            self.best = min(self.best, self.state, key=lambda state: state.size)
            self.extra = made.extra
        counts = {} if made is None else {key: value for key, value in made.stats.items() if key != "stop"}
        within, after = tuple(self._within), self.state.size
        record = StepRecord(str(call), call.entry.name, within, before.size, after, seconds, stop, counts)
        self.records.append(record)
        if self._on_step is not None:
            self._on_step(record)

    def _apply(self, call: Call, aig: Aig) -> tuple[PassResult | None, str]:
        """Runs a pass; its result, if it was not stopped without one, and why it ended early."""
        params = dict(call.params)
        if self._conflicts is not None and "conflicts" in params and "conflicts" not in call.given:
            params["conflicts"] = self._conflicts
        try:
            made = call.entry(aig, params, self._stop, self._threads, self._seed)
        except LimitError:
            if not self.must_stop():
                raise
            self.ended = True
            return None, "stopped"
        # A pass that gives what it has when it is stopped may also have come to its end just then.
        self.ended = self.must_stop()
        told = str(made.stats.get("stop", "none"))
        return made, "stopped" if self.ended else "none" if told in ("none", "done") else told

    def must_stop(self) -> bool:
        """Whether the run has to end."""
        # `poll` reads the clock once in 64 calls; steps are long.
        return any(self._stop.poll() for _ in range(64))

    def _rounds(self, block: Block) -> None:
        for number in range(1, block.rounds + 1):
            before = self.state
            self._within.append(block.name if block.kind == "recipe" else f"{block.name} {number}")
            self.run(block.body)
            self._within.pop()
            if self.ended:
                return
            if block.kind == "until-converge":
                if self.state.size > before.size:
                    self.state = before
                if self.state.size >= before.size:
                    return

    def _best_of(self, block: Block) -> None:
        best = self.state
        self._within.append(block.name)
        for item in block.body:
            self.run((item,))
            best = min(best, self.state, key=lambda state: state.size)
        self._within.pop()
        self.state = best
