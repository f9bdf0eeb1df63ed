"""Native sweepers, algebra and a worker process side by side; the first answer for a pair wins.

The sweepers run in threads (they release the interpreter lock), see `dmt_dialect.engines.sweep_team`. After
each round that leaves pairs open, the smaller problem it has made is offered to the worker: a new worker
starts if there is none, or if the problem has shrunk much since the running one started. Everything else,
starting and ending processes included, happens in the calling thread.
"""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dmt_dialect.engines.algebra import AlgebraThread, Words, WordsRound
from dmt_dialect.engines.problem import Answer, Problem
from dmt_dialect.engines.process import Ended, EngineProcess
from dmt_dialect.engines.sweep_team import SECOND_DELAY, Round, SecondSweeper, SweeperLike, SweepTeam
from dmt_dialect.run_log import RunLog
from dmt_dialect.verdict import EngineRun
from dynomite.progress import Progress

if TYPE_CHECKING:
    from dynomite._native.base import Stop

SHRUNK = 0.7
"""A running worker is replaced when the new problem has at most this part of the nodes of its own."""
GRACE_SECONDS = 2.0
"""Once a difference is known, the others get this long, or as long as the run has taken, if longer."""
WORKER_DELAY = 0.5
"""The sweeper has this long alone; most runs are over then, and a process takes a part of it to start."""
WORKER_DELAY_BESIDE_TWO = 6.0
"""Where two sweepers keep all processors busy, they have this long before the worker competes with them,
unless what a round has left is small."""
SMALL_NODES = 10_000
WORKER_MOST_NODES = 500_000
"""Beside sweepers a worker gets no larger problem: it would take more memory than all else, and be the last
to answer."""
LOGGED_ANSWERS = 20
"""Answers of a worker that the decision log shows one by one."""
_TICK = 0.02


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


_Event = tuple[EngineProcess, Answer | Ended] | Round | WordsRound | BaseException


class _Race:
    """State of one race; see `race`."""

    def __init__(self, board: Board, second: SecondSweeper | None) -> None:
        self.board = board
        self.events: queue.Queue[_Event] = queue.Queue()
        self.sweep = SweepTeam(board.log, self.events.put, second)
        self.algebra: AlgebraThread | None = None
        self.worker: EngineProcess | None = None
        self._worker_pairs: list[int] = []
        self._worker_nodes = 0
        self._worker_answers = [0, 0]

    @property
    def at_work(self) -> bool:
        """Whether anything runs that may bring an answer."""
        return self.sweep.at_work or self.algebra is not None or self.worker is not None

    def end_worker(self, why: str) -> None:
        """Ends the worker, if there is one, and notes its run."""
        if self.worker is not None:
            name, asked = self.worker.engine, time.monotonic()
            self.worker.kill()
            self._note_worker(Ended("stopped"))
            self.board.log.add_stopped(name, why, time.monotonic() - asked)

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

    def on_round(self, event: Round) -> None:
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
                self.board.log.add_stopped("algebra", why, over - asked)

    def take(self, event: _Event) -> None:
        """Takes an event."""
        if isinstance(event, BaseException):
            raise event
        if isinstance(event, Round):
            self.on_round(event)
        elif isinstance(event, WordsRound):
            self.on_words(event)
        else:
            self.on_worker(*event)

    def close(self) -> None:
        """Ends what still runs."""
        board = self.board
        why = "everything is answered" if board.done else f"the run ends ({board.reason or 'limit'})"
        asked = self.sweep.cancel()
        if self.algebra is not None:
            self.algebra.cancel()
        try:
            self.end_worker(why)
        finally:
            self.sweep.join(why, asked)
            self.end_algebra(why)


def race(
    board: Board,
    problem: Problem,
    sweeper: SweeperLike | None,
    worker: str | None,
    words: Words | None = None,
    second: SecondSweeper | None = None,
) -> None:
    """Runs engines until every pair is answered, time is over, or nothing is left to run.

    Args:
        board: Takes the answers. Pairs it knows already are not asked again of the worker.
        problem: The pairs of the board. The worker gets them at once without a sweeper, and when the
            sweeper's first round takes long; else it gets what the sweeper leaves.
        sweeper: The native sweeper over the same pairs, or None to do without.
        worker: Engine of the worker process, or None to do without.
        words: The same pairs as words for algebra, or None to do without.
        second: What a second sweeper needs, or None to do without. It waits until algebra has ended.
    """
    state = _Race(board, second)
    start = time.monotonic()
    if sweeper is None:
        alone, why = 0.0, "it is the only engine"
    else:
        alone = WORKER_DELAY if second is None or (os.cpu_count() or 1) > 2 else WORKER_DELAY_BESIDE_TWO
        why = f"sweeping had {alone} s alone"
    offered: tuple[Problem, Sequence[int], str] | None = (problem, range(board.total), why)
    try:
        if sweeper is not None:
            state.sweep.start_first(sweeper, board.total, len(board.open()), len(problem.fanins))
        if words is not None:
            state.algebra = AlgebraThread(words, state.events.put)
        while not board.must_stop():
            seconds = time.monotonic() - start
            if worker is not None and offered is not None and seconds >= alone:
                if len(offered[0].fanins) <= WORKER_MOST_NODES or not state.sweep.at_work:
                    state.offer(worker, *offered)
                offered = None
            if board.done or not state.at_work:
                break
            if seconds >= SECOND_DELAY and state.algebra is None:
                state.sweep.start_second_on_all()
            board.tell(_at_work(state.sweep, state.algebra is not None, state.worker))
            try:
                event = state.events.get(timeout=_TICK)
            except queue.Empty:
                continue
            state.take(event)
            if isinstance(event, Round) and not board.done:
                state.sweep.take(event)
                if event.residual is not None:
                    aig, pairs = event.residual
                    left = Problem(aig.fanins, aig.num_inputs, pairs)
                    offered = (left, event.left, "a round of sweeping has left functions open")
                    if len(left.fanins) <= SMALL_NODES:
                        alone = min(alone, WORKER_DELAY)
    finally:
        state.close()
    # What arrived while the engines were ending: the interrupted round counts too.
    while not state.events.empty():
        state.take(state.events.get())
    if not board.done and board.reason is None:
        failed = any(run.outcome == "failed" for run in board.runs)
        board.reason = "engine failed" if failed else "limit"


def _at_work(sweep: SweepTeam, algebra: bool, worker: EngineProcess | None) -> str:
    names = [f"sweep {sweep.progress():.0%}"] if sweep.at_work else []
    if algebra:
        names.append("algebra")
    if worker is not None:
        names.append(worker.engine)
    return ", ".join(names)
