"""Sweepers in threads: one from cheap queries to dear ones, and a second one that does not give up soon.

The first sweeps with a conflict limit that grows from round to round. Limits in between make some hard
circuits harder, as what is not merged low makes all above it fail; the second thread therefore begins with a
high limit, on the whole problem where the first is not done soon, and again on what a round of the first has
left where that is less than what the second has still before it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.engines.problem import Answer
from dmt_dialect.run_log import RunLog
from dmt_dialect.verdict import EngineRun
from dynomite._native.base import Stop

if TYPE_CHECKING:
    from dynomite._native.aig import Aig

FIRST_CONFLICT_LIMIT = 10
CONFLICT_LIMIT_GROWTH = 3
SECOND_CONFLICT_LIMIT = 10_000
SECOND_LIMIT_GROWTH = 10
LARGEST_CONFLICT_LIMIT = 2**40
FIRST, SECOND = "sweep", "sweep-2"
"""Their names among the runs."""
SECOND_DELAY = 0.3
"""The second thread starts when the first has had this long; less is no work for two."""
SECOND_MOST_NODES = 400_000
"""Larger problems have no second sweeper before a round of the first has made them smaller: memory."""

EQUAL, DIFFERENT = 1, 2


class SweeperLike(Protocol):
    """What is used of `dynomite._native.sweep.Sweeper`."""

    def run(self, conflict_limit: int, stop: Stop) -> str:
        """See the native class."""
        ...

    def statuses(self) -> NDArray[np.uint8]:
        """See the native class."""
        ...

    def counterexample(self, pair: int) -> NDArray[np.uint8]:
        """See the native class."""
        ...

    def engines(self) -> list[str]:
        """See the native class."""
        ...

    def progress(self) -> float:
        """See the native class."""
        ...

    def residual(self) -> tuple[Aig, NDArray[np.uint32]]:
        """See the native class."""
        ...

    def stats(self) -> Mapping[str, int | float]:
        """See the native class."""
        ...


MakeSweeper: TypeAlias = "Callable[[Aig, NDArray[np.uint32]], SweeperLike]"


Residual: TypeAlias = "tuple[Aig, NDArray[np.uint32]]"
"""What sweeping has left: the AIG with all inputs, and its pairs of literals."""


@dataclass(frozen=True, slots=True)
class Round:
    """What one round of the sweeper has brought: new answers with their engine, and the problem that is left.

    `source` is the thread; `left` are the pairs of the board without an answer, one a row of the residual
    problem.
    """

    source: SweepThread
    run: EngineRun
    answers: tuple[tuple[Answer, str], ...]
    left: tuple[int, ...]
    residual: Residual | None

    @property
    def again(self) -> bool:
        """Whether the same thread sweeps on."""
        return self.run.outcome == "limit"


class SweepThread:
    """The sweeper in a thread of its own, round after round."""

    def __init__(
        self,
        sweeper: SweeperLike,
        post: Callable[[Round | BaseException], None],
        *,
        pairs: Sequence[int],
        name: str = FIRST,
        first_limit: int = FIRST_CONFLICT_LIMIT,
        growth: int = CONFLICT_LIMIT_GROWTH,
    ) -> None:
        self._stop = Stop()
        self._sweeper = sweeper
        self._post = post
        self._pairs = pairs  # of the board, by pair of the sweeper
        self._name = name
        self._first_limit = first_limit
        self._growth = growth
        self._known: set[int] = set()
        self._over = 0.0
        self._thread = threading.Thread(target=self._run, name="dynomite-sweep", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Ends the current round; returns at once."""
        self._stop.cancel()

    def join(self) -> float:
        """Waits for the thread; when it was over (`time.monotonic`)."""
        self._thread.join()
        return self._over

    def progress(self) -> float:
        """How far the present round is, 0 to 1."""
        return self._sweeper.progress()

    def _run(self) -> None:
        try:
            limit = self._first_limit
            while self._round(limit) == "limit":
                limit = min(limit * self._growth, LARGEST_CONFLICT_LIMIT)
        except BaseException as error:  # raised again by the thread that waits for the rounds
            self._post(error)
        finally:
            self._over = time.monotonic()

    def _round(self, limit: int) -> str:
        sweeper = self._sweeper
        start = time.monotonic()
        outcome = sweeper.run(limit, self._stop)
        answers: list[tuple[Answer, str]] = []
        left: list[int] = []
        engines = sweeper.engines()
        for pair, status in enumerate(sweeper.statuses().tolist()):
            if status not in (EQUAL, DIFFERENT):
                left.append(self._pairs[pair])
            elif pair not in self._known:
                self._known.add(pair)
                values = None if status == EQUAL else sweeper.counterexample(pair).tobytes()
                answer = Answer(self._pairs[pair], status == EQUAL, values)
                answers.append((answer, f"sweep-{engines[pair]}"))
        residual = None
        if outcome == "limit":
            aig, pairs = sweeper.residual()
            residual = aig, pairs
        equal = sum(answer.equal for answer, _ in answers)
        stats = {**sweeper.stats(), "conflict_limit": limit}
        run = EngineRun(self._name, outcome, equal, len(answers) - equal, time.monotonic() - start, stats)
        self._post(Round(self, run, tuple(answers), tuple(left), residual))
        return outcome


@dataclass(frozen=True, slots=True)
class SecondSweeper:
    """How a second sweeper is made, and the problem of the first."""

    make: MakeSweeper
    whole: Residual


class SweepTeam:
    """The two threads over one set of pairs.

    Args:
        log: Takes what is begun and ended.
        post: Takes the rounds, in the threads.
        second: What a second sweeper needs; None to do without it.
    """

    def __init__(
        self, log: RunLog, post: Callable[[Round | BaseException], None], second: SecondSweeper | None
    ) -> None:
        self._log = log
        self._post = post
        self._given = second
        self._first: SweepThread | None = None
        self._second: SweepThread | None = None
        self._second_nodes = 0
        self._at_work: set[SweepThread] = set()

    @property
    def at_work(self) -> bool:
        """Whether a round is still to come."""
        return bool(self._at_work)

    def start_first(self, sweeper: SweeperLike, pairs: int, open_pairs: int, nodes: int) -> None:
        """Starts the first sweeper, over all `pairs`."""
        text = (
            f"{open_pairs} open functions, {nodes} nodes; {FIRST_CONFLICT_LIMIT} conflicts a query at first"
        )
        self._log.add(FIRST, "start", text)
        self._first = SweepThread(sweeper, self._post, pairs=range(pairs))
        self._at_work.add(self._first)

    def start_second_on_all(self) -> None:
        """Starts the second sweeper beside the first round of the first, unless the problem is large.

        Does nothing when it has been started, or there is no first.
        """
        given = self._given
        if self._first is None or given is None or self._second is not None:
            return
        if given.whole[0].num_ands <= SECOND_MOST_NODES:
            why = f"the first had {SECOND_DELAY} s alone"
            self._start_second(given.make, given.whole, range(len(given.whole[1])), why)

    def take(self, event: Round) -> None:
        """Notes the end of a round; starts the second sweeper, or starts it anew, if that is worth while."""
        if not event.again:
            self._at_work.discard(event.source)
        if event.residual is None:
            return
        nodes = event.residual[0].num_ands
        if event.source is self._second:
            self._second_nodes = nodes
        elif event.source is not self._first or self._given is None:
            return
        elif self._second is None:
            if event.run.seconds >= SECOND_DELAY:
                self._start_second(
                    self._given.make, event.residual, event.left, "a round has left functions open"
                )
        elif nodes < (1 - self._second.progress()) * self._second_nodes:
            asked = time.monotonic()
            self._second.cancel()
            took = max(self._second.join() - asked, 0.0)
            why = f"a round has left {nodes} nodes of {self._second_nodes}"
            self._log.add_stopped(SECOND, why, took)
            self._start_second(self._given.make, event.residual, event.left, why)

    def cancel(self) -> float:
        """Ends the rounds; returns at once, the time (`time.monotonic`)."""
        asked = time.monotonic()
        for thread in (self._first, self._second):
            if thread is not None:
                thread.cancel()
        return asked

    def join(self, why: str, asked: float) -> None:
        """Waits for the threads, and notes those that ended later than `asked`."""
        for name, thread in ((FIRST, self._first), (SECOND, self._second)):
            took = 0.0 if thread is None else thread.join() - asked
            if took > 0:
                self._log.add_stopped(name, why, took)

    def progress(self) -> float:
        """How far the present round of the first sweeper is, 0 to 1."""
        return 0.0 if self._first is None else self._first.progress()

    def _start_second(self, make: MakeSweeper, problem: Residual, pairs: Sequence[int], why: str) -> None:
        aig, literals = problem
        text = f"{len(pairs)} open functions, {aig.num_ands} nodes; {SECOND_CONFLICT_LIMIT} conflicts a query"
        self._log.add(SECOND, "start", f"{why}: {text}")
        self._second_nodes = aig.num_ands
        self._second = SweepThread(
            make(aig, literals),
            self._post,
            pairs=pairs,
            name=SECOND,
            first_limit=SECOND_CONFLICT_LIMIT,
            growth=SECOND_LIMIT_GROWTH,
        )
        self._at_work.add(self._second)
