"""The native sweeper, algebra and a worker process side by side; the first answer for a pair wins.

The sweeper runs in a thread (it releases the interpreter lock) with a conflict limit that grows from round
to round. After each round that leaves pairs open, the smaller problem it has made is offered to the worker: a
new worker starts if there is none, or if the problem has shrunk much since the running one started.
Everything else, starting and ending processes included, happens in the calling thread.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.engines.algebra import AlgebraThread, Words, WordsRound
from dmt_dialect.engines.problem import Answer, Problem
from dmt_dialect.engines.process import Ended, EngineProcess
from dmt_dialect.run_log import RunLog
from dmt_dialect.verdict import EngineRun
from dynomite._native.base import Stop
from dynomite.progress import Progress

if TYPE_CHECKING:
    from dynomite._native.aig import Aig

FIRST_CONFLICT_LIMIT = 10
SECOND_CONFLICT_LIMIT = 10_000
"""What the first round of sweeping leaves is swept by a second thread as well, which does not give up soon:
limits in between make some hard circuits harder, as what is not merged low makes all above it fail."""
SECOND_LIMIT_GROWTH = 10
SECOND = "sweep-2"
"""Its name among the runs."""
SECOND_DELAY = 0.5
"""The second thread starts after a round that ends later than this; less is no work for two."""
CONFLICT_LIMIT_GROWTH = 3
LARGEST_CONFLICT_LIMIT = 2**40
SHRUNK = 0.7
"""A running worker is replaced when the new problem has at most this part of the nodes of its own."""
GRACE_SECONDS = 2.0
"""Once a difference is known, the others get this long, or as long as the run has taken, if longer."""
WORKER_DELAY = 0.5
"""The sweeper has this long alone; most runs are over then, and a process takes a part of it to start."""
LOGGED_ANSWERS = 20
"""Answers of a worker that the decision log shows one by one."""
_TICK = 0.02

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


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer for one pair: by whom, when, and where the two literals differ if they do."""

    equal: bool
    engine: str
    seconds: float
    values: bytes | None = None


@dataclass(slots=True)
class Board:
    """What is known of every pair, and what ran.

    Attributes:
        total: Number of pairs.
        start: When the whole call began (`time.monotonic`).
        stop: Ends the run: cancelled, or at its deadline.
        decisions: Answers by pair.
        runs: Finished runs of engines.
        reason: Why the run ended with open pairs, once it has.
        peak_workers: Greatest memory of a worker process in bytes.
        progress: Told of every change.
        log: The decisions of the run.
    """

    total: int
    start: float
    stop: Stop
    progress: Callable[[Progress], None] | None = None
    decisions: dict[int, Decision] = field(default_factory=dict[int, Decision])
    runs: list[EngineRun] = field(default_factory=list[EngineRun])
    reason: str | None = None
    peak_workers: int = 0
    log: RunLog = field(init=False)
    _first_difference: float | None = None

    def __post_init__(self) -> None:
        self.log = RunLog(self.start)

    def open(self) -> list[int]:
        """Pairs without an answer, in order."""
        return [pair for pair in range(self.total) if pair not in self.decisions]

    @property
    def done(self) -> bool:
        """Whether every pair has an answer."""
        return len(self.decisions) == self.total

    def decide(self, pair: int, *, equal: bool, engine: str, values: bytes | None = None) -> bool:
        """Notes an answer; False if the pair had one already."""
        if pair in self.decisions:
            return False
        seconds = time.monotonic() - self.start
        if not equal and self._first_difference is None:
            self._first_difference = seconds
        self.decisions[pair] = Decision(equal, engine, seconds, values)
        return True

    def tell(self, doing: str) -> None:
        """Passes the state on to the progress callback."""
        if self.progress is not None:
            self.progress(Progress(len(self.decisions), self.total, doing))

    def must_stop(self) -> bool:
        """Whether time is over or the caller wants the run to end; sets `reason`."""
        now = time.monotonic()
        if self.stop.poll():
            self.reason = "timeout" if self.stop.reason == "deadline" else "cancelled"
        elif self._first_difference is not None and now - self.start > self._first_difference + max(
            GRACE_SECONDS, self._first_difference
        ):
            self.reason = "limit"
        return self.reason is not None


Residual: TypeAlias = "tuple[Aig, NDArray[np.uint32]]"
"""What sweeping has left: the AIG with all inputs, and its pairs of literals."""


@dataclass(frozen=True, slots=True)
class _Round:
    """What one round of the sweeper has brought: new answers with their engine, and the problem that is left.

    `left` are the pairs of the board without an answer, one a row of the residual problem.
    """

    run: EngineRun
    answers: tuple[tuple[Answer, str], ...]
    left: tuple[int, ...]
    residual: Residual | None

    @property
    def again(self) -> bool:
        """Whether the same thread sweeps on."""
        return self.run.outcome == "limit"


_Event = tuple[EngineProcess, Answer | Ended] | _Round | WordsRound | BaseException


class _SweepThread:
    """The sweeper in a thread of its own, round after round."""

    def __init__(
        self,
        sweeper: SweeperLike,
        post: Callable[[_Event], None],
        *,
        pairs: Sequence[int],
        name: str = "sweep",
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
        self._post(_Round(run, tuple(answers), tuple(left), residual))
        return outcome


class _Race:
    """State of one race; see `race`."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.events: queue.Queue[_Event] = queue.Queue()
        self.sweep: _SweepThread | None = None
        self.second: _SweepThread | None = None
        self.sweeping: set[str] = set()
        self.algebra: AlgebraThread | None = None
        self.worker: EngineProcess | None = None
        self._worker_pairs: list[int] = []
        self._worker_nodes = 0
        self._worker_answers = [0, 0]

    def end_worker(self, why: str) -> None:
        """Ends the worker, if there is one, and notes its run."""
        if self.worker is not None:
            name, asked = self.worker.engine, time.monotonic()
            self.worker.kill()
            self._note_worker(Ended("stopped"))
            self._note_stopped(name, why, asked, time.monotonic())

    def _note_stopped(self, engine: str, why: str, asked: float, over: float) -> None:
        took = over - asked
        self.board.log.add(engine, "stopped", f"{why}; gone after {1000 * took:.1f} ms", took=took)

    def _note_worker(self, ended: Ended) -> None:
        worker = self.worker
        assert worker is not None
        self.worker = None
        self.board.peak_workers = max(self.board.peak_workers, worker.peak_bytes)
        different, equal = self._worker_answers
        seconds = time.monotonic() - worker.started
        if ended.outcome != "stopped":
            self.board.log.add(
                worker.engine,
                "ended",
                f"{ended.outcome}: {equal} equal, {different} different in {seconds:.3f} s"
                + (f"; {ended.error}" if ended.error else ""),
                equal=equal,
                different=different,
            )
        self.board.runs.append(
            EngineRun(
                worker.engine, ended.outcome, equal, different, seconds, ended.stats, ended.error or None
            )
        )

    def offer(self, engine: str, problem: Problem, pairs: Sequence[int], why: str) -> None:
        """Gives a problem, whose row k is pair `pairs[k]` of the board, to a worker if that is worth it."""
        rows = [row for row, pair in enumerate(pairs) if pair not in self.board.decisions]
        if not rows:
            return
        if self.worker is not None:
            if len(problem.fanins) > SHRUNK * self._worker_nodes:
                return
            why = f"the problem has shrunk from {self._worker_nodes} nodes"
            self.end_worker(f"{why} to {len(problem.fanins)}, it starts anew")
        text = f"{why}: {len(rows)} open functions, {len(problem.fanins)} nodes, no limit but the time"
        self.board.log.add(engine, "start", text, functions=len(rows), nodes=len(problem.fanins))
        self._worker_pairs = [pairs[row] for row in rows]
        self._worker_nodes = len(problem.fanins)
        self._worker_answers = [0, 0]
        self.worker = EngineProcess(
            engine,
            replace(problem, pairs=problem.pairs[rows]),
            lambda worker, event: self.events.put((worker, event)),
        )

    def on_worker(self, worker: EngineProcess, event: Answer | Ended) -> None:
        """Takes an event of a worker."""
        if worker is not self.worker:
            return  # the last words of one that was replaced
        if isinstance(event, Ended):
            self._note_worker(event)
            return
        self._worker_answers[event.equal] += 1
        pair = self._worker_pairs[event.pair]
        first = self.board.decide(pair, equal=event.equal, engine=worker.engine, values=event.values)
        if sum(self._worker_answers) <= LOGGED_ANSWERS:
            text = f"function {pair} is {'equal' if event.equal else 'different'}"
            if not first:
                text += ", which was known"
            self.board.log.add(worker.engine, "answer", text, function=pair, equal=int(event.equal))

    def on_round(self, event: _Round) -> None:
        """Takes the answers of one round of a sweeper."""
        run = event.run
        self.board.runs.append(run)
        for answer, engine in event.answers:
            self.board.decide(answer.pair, equal=answer.equal, engine=engine, values=answer.values)
        self.board.log.add(
            run.name,
            "round",
            f"{run.outcome}: {run.equal} equal, {run.different} different, {len(event.left)} left after "
            f"{run.stats['conflict_limit']} conflicts a query, {run.seconds:.3f} s",
            equal=run.equal,
            different=run.different,
            left=len(event.left),
            conflict_limit=run.stats["conflict_limit"],
        )
        if not event.again:
            self.sweeping.discard(run.name)

    def start_second(self, event: _Round, make: MakeSweeper) -> None:
        """Sweeps what a round has left in a second thread, if there is none and it is worth one."""
        if self.second is not None or event.residual is None or event.run.seconds < SECOND_DELAY:
            return
        aig, pairs = event.residual
        text = f"{len(event.left)} open functions, {aig.num_ands} nodes"
        self.board.log.add(SECOND, "start", f"{text}; {SECOND_CONFLICT_LIMIT} conflicts a query")
        self.sweeping.add(SECOND)
        self.second = _SweepThread(
            make(aig, pairs),
            self.events.put,
            pairs=event.left,
            name=SECOND,
            first_limit=SECOND_CONFLICT_LIMIT,
            growth=SECOND_LIMIT_GROWTH,
        )

    def on_words(self, event: WordsRound) -> None:
        """Takes the answers for one word, or what there is to say about them."""
        if event.run is not None:
            self.board.runs.append(event.run)
        for answer in event.answers:
            self.board.decide(answer.pair, equal=answer.equal, engine="algebra", values=answer.values)
        self.board.log.add("algebra", event.kind, event.text)
        if event.kind == "ended" and self.algebra is not None:
            self.algebra.join()
            self.algebra = None

    def end_algebra(self, why: str) -> None:
        """Ends algebra, if it runs."""
        if self.algebra is not None:
            asked = time.monotonic()
            self.algebra.cancel()
            over = self.algebra.join()
            self.algebra = None
            if over > asked:
                self._note_stopped("algebra", why, asked, over)

    def take(self, event: _Event) -> None:
        """Takes an event."""
        if isinstance(event, BaseException):
            raise event
        if isinstance(event, _Round):
            self.on_round(event)
        elif isinstance(event, WordsRound):
            self.on_words(event)
        else:
            self.on_worker(*event)

    def close(self) -> None:
        """Ends what still runs."""
        board = self.board
        why = "everything is answered" if board.done else f"the run ends ({board.reason or 'limit'})"
        asked = time.monotonic()
        for thread in (self.sweep, self.second, self.algebra):
            if thread is not None:
                thread.cancel()
        try:
            self.end_worker(why)
        finally:
            for name, thread in (("sweep", self.sweep), (SECOND, self.second)):
                over = 0.0 if thread is None else thread.join()
                if over > asked:
                    self._note_stopped(name, why, asked, over)
            self.end_algebra(why)


def race(
    board: Board,
    problem: Problem,
    sweeper: SweeperLike | None,
    worker: str | None,
    words: Words | None = None,
    make_sweeper: MakeSweeper | None = None,
) -> None:
    """Runs engines until every pair is answered, time is over, or nothing is left to run.

    Args:
        board: Takes the answers. Pairs it knows already are not asked again of the worker.
        problem: The pairs of the board. The worker gets them at once without a sweeper, and when the
            sweeper's first round takes long; else it gets what the sweeper leaves.
        sweeper: The native sweeper over the same pairs, or None to do without.
        worker: Engine of the worker process, or None to do without.
        words: The same pairs as words for algebra, or None to do without.
        make_sweeper: Makes the sweeper of the second thread over what the first one leaves, or None to do
            without.
    """
    state = _Race(board)
    alone = sweeper is None
    worker_from = time.monotonic() + (0.0 if alone else WORKER_DELAY)
    why = "it is the only engine" if alone else f"the sweeper had {WORKER_DELAY} s alone"
    offered: tuple[Problem, Sequence[int], str] | None = (problem, range(board.total), why)
    try:
        if sweeper is not None:
            text = f"{len(board.open())} open functions, {len(problem.fanins)} nodes"
            board.log.add("sweep", "start", f"{text}; {FIRST_CONFLICT_LIMIT} conflicts a query at first")
            state.sweeping.add("sweep")
            state.sweep = _SweepThread(sweeper, state.events.put, pairs=range(board.total))
        if words is not None:
            state.algebra = AlgebraThread(words, state.events.put)
        while not board.must_stop():
            if worker is not None and offered is not None and time.monotonic() >= worker_from:
                state.offer(worker, *offered)
                offered = None
            if board.done or not (state.sweeping or state.algebra is not None or state.worker is not None):
                break
            board.tell(_at_work(sweeper if state.sweeping else None, state.algebra is not None, state.worker))
            try:
                event = state.events.get(timeout=_TICK)
            except queue.Empty:
                continue
            state.take(event)
            if isinstance(event, _Round) and event.residual is not None and not board.done:
                aig, pairs = event.residual
                left = Problem(aig.fanins, aig.num_inputs, pairs)
                offered = (left, event.left, "a round of sweeping has left functions open")
                if make_sweeper is not None:
                    state.start_second(event, make_sweeper)
    finally:
        state.close()
    # What arrived while the engines were ending: the interrupted round counts too.
    while not state.events.empty():
        state.take(state.events.get())
    if not board.done and board.reason is None:
        failed = any(run.outcome == "failed" for run in board.runs)
        board.reason = "engine failed" if failed else "limit"


def _at_work(sweeper: SweeperLike | None, algebra: bool, worker: EngineProcess | None) -> str:
    names = [] if sweeper is None else [f"sweep {sweeper.progress():.0%}"]
    if algebra:
        names.append("algebra")
    if worker is not None:
        names.append(worker.engine)
    return ", ".join(names)
