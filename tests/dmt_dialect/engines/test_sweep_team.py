"""The two threads that sweep: when the second starts, when it starts anew, and that both answer."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.engines import sweep_team
from dmt_dialect.engines.sweep_team import Round, SecondSweeper, SweepTeam
from dmt_dialect.matching import match_ports
from dmt_dialect.miter import build_miter
from dmt_dialect.run_log import RunLog
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from tests.support.circuit_pairs import multiplier

WAIT = 20.0


class ScriptedSweeper:
    """Says what a test tells it to; `run` takes until it is told, or stopped."""

    def __init__(self, aig: Aig, pairs: NDArray[np.uint32]) -> None:
        self.aig, self.pairs = aig, pairs
        self.known = np.zeros(len(pairs), dtype=np.uint8)
        self.limits: list[int] = []
        self.at = 0.0
        self.left: tuple[Aig, NDArray[np.uint32]] | None = None
        self._outcomes: queue.Queue[str] = queue.Queue()

    def end_round(self, outcome: str, equal: list[int]) -> None:
        """Ends the present round, or the next; `equal` are answered."""
        self.known[equal] = 1
        self._outcomes.put(outcome)

    def run(self, conflict_limit: int, stop: Stop) -> str:
        self.limits.append(conflict_limit)
        while not stop.poll():
            try:
                return self._outcomes.get(timeout=0.005)
            except queue.Empty:
                continue
        return "stopped"

    def statuses(self) -> NDArray[np.uint8]:
        return self.known

    def counterexample(self, pair: int) -> NDArray[np.uint8]:
        raise AssertionError(pair)

    def engines(self) -> list[str]:
        return ["sat"] * len(self.pairs)

    def progress(self) -> float:
        return self.at

    def residual(self) -> tuple[Aig, NDArray[np.uint32]]:
        assert self.left is not None
        return self.left

    def stats(self) -> dict[str, int | float]:
        return {}


class Team:
    """A team over two multipliers, with what it posts and the second sweepers it makes."""

    def __init__(self) -> None:
        self.whole = problem(6)
        self.events: queue.Queue[Round | BaseException] = queue.Queue()
        self.made: list[ScriptedSweeper] = []
        self.first = ScriptedSweeper(*self.whole)
        self.log = RunLog(time.monotonic())

        def make(aig: Aig, pairs: NDArray[np.uint32]) -> ScriptedSweeper:
            self.made.append(ScriptedSweeper(aig, pairs))
            return self.made[-1]

        self.team = SweepTeam(self.log, self.events.put, SecondSweeper(make, self.whole))
        total = len(self.whole[1])
        self.team.start_first(self.first, total, total, self.whole[0].num_ands)

    def take(self) -> Round:
        """The next round."""
        event = self.events.get(timeout=WAIT)
        assert isinstance(event, Round)
        self.team.take(event)
        return event

    def end(self) -> None:
        """Stops everything."""
        self.team.join("the test ends", self.team.cancel())
        while not self.events.empty():
            self.take()
        assert not self.team.at_work


def problem(width: int) -> tuple[Aig, NDArray[np.uint32]]:
    left, right = multiplier(width, columns_first=True), multiplier(width, columns_first=False)
    miter = build_miter(left, right, match_ports(left, right))
    return miter.aig, miter.pairs


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_the_second_answers_for_the_whole() -> None:
    team = Team()
    team.team.start_second_on_all()
    team.team.start_second_on_all()
    assert len(team.made) == 1
    second = team.made[0]
    assert second.aig is team.whole[0]
    wait_until(lambda: second.limits == [sweep_team.SECOND_CONFLICT_LIMIT])
    second.end_round("done", list(range(len(team.whole[1]))))
    event = team.take()
    assert event.run.name == "sweep-2"
    assert not event.again
    assert [answer.pair for answer, _ in event.answers] == list(range(len(team.whole[1])))
    assert team.team.at_work
    team.end()


def test_large_problems_wait_for_a_round() -> None:
    limit, sweep_team.SECOND_MOST_NODES = sweep_team.SECOND_MOST_NODES, 10
    try:
        team = Team()
        team.team.start_second_on_all()
        assert not team.made
        team.end()
    finally:
        sweep_team.SECOND_MOST_NODES = limit


def test_what_a_short_round_leaves_is_not_swept_twice() -> None:
    team = Team()
    team.first.left = problem(4)
    team.first.end_round("limit", [0, 1, 2, 3])
    team.take()
    assert not team.made
    team.end()


def start_anew(second_is_at: float) -> Team:
    """A round of the first leaves less than half of the nodes; the second is so far by then."""
    team = Team()
    team.team.start_second_on_all()
    team.made[0].at = second_is_at
    team.first.left = problem(4)
    assert 2 * team.first.left[0].num_ands < team.whole[0].num_ands
    team.first.end_round("limit", [0, 2, 4, 6])
    team.take()
    return team


def test_the_second_starts_anew_on_less() -> None:
    team = start_anew(0.1)
    assert len(team.made) == 2
    second = team.made[1]
    second.end_round("done", [0, 7])
    wait_until(lambda: team.events.qsize() >= 2)
    stopped = team.take()
    assert (stopped.run.name, stopped.run.outcome) == ("sweep-2", "stopped")
    assert team.team.at_work
    event = team.take()
    # Row 0 and row 7 of what was left are functions 1 and 11 of all.
    assert [answer.pair for answer, _ in event.answers] == [1, 11]
    team.end()
    ended = [entry for entry in team.log.entries if (entry.engine, entry.event) == ("sweep-2", "stopped")]
    assert len(ended) == 1
    assert ended[0].values["took"] < WAIT


def test_the_second_goes_on_when_it_has_less_before_it() -> None:
    team = start_anew(0.9)
    assert len(team.made) == 1
    team.end()
