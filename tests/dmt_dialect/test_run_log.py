"""The decision log: what ran and why; losers are gone within 100 ms."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from dmt_dialect.engines.problem import Problem
from dmt_dialect.engines.race import WORKER_DELAY, Board, race
from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.run_log import LogEntry, RunLog, log_lines
from dmt_dialect.verdict import Verdict
from dynomite._native.base import Stop
from dynomite.errors import UsageError
from dynomite.formats.base import write_circuit
from dynomite.tools.cli import Exit, main
from tests.support.circuit_pairs import multiplier
from tests.support.patience import patience

STOPPED_WITHIN = 0.1


def test_entries_as_data() -> None:
    log = RunLog(time.monotonic())
    log.add("cadical", "stopped", "everything is answered; gone after 3.0 ms", took=0.003)
    entry = log.entries[0]
    assert LogEntry.from_dict(entry.to_dict()) == entry
    assert log_lines([entry])[0].split() == [
        f"{entry.seconds:.3f}",
        "cadical",
        "stopped",
        *["everything", "is", "answered;", "gone", "after", "3.0", "ms"],
    ]
    for key, wrong in (
        ("event", "x"),
        ("values", 3),
        ("values", {"a": "b"}),
        ("seconds", "1"),
        ("text", None),
    ):
        data = entry.to_dict() | {key: wrong}
        if key == "text":
            del data[key]
        with pytest.raises(UsageError, match="an entry of its log"):
            LogEntry.from_dict(data)


def test_a_run_tells_its_decisions() -> None:
    verdict = lec(multiplier(6, columns_first=True), multiplier(6, columns_first=False))
    events = [(entry.engine, entry.event) for entry in verdict.log]
    assert events[0] == ("structure", "ended")
    assert ("sweep", "start") in events
    assert ("sweep", "round") in events
    assert events[-1] == ("lec", "decided")
    assert verdict.log[-1].text.startswith("equivalent: 12 of 12")
    times = [entry.seconds for entry in verdict.log]
    assert times == sorted(times)
    assert Verdict.from_json(verdict.to_json()).log == verdict.log


def hard_run(seconds: float) -> Verdict:
    left, right = (multiplier(24, columns_first=first, step=2) for first in (True, False))
    return lec(left, right, timeout=seconds)


def test_losers_stop_within_a_tenth_of_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweeper and worker are both at work when the time is over: each is gone at once."""
    monkeypatch.setattr("dmt_dialect.engines.race.WORKER_DELAY_BESIDE_TWO", WORKER_DELAY)
    verdict = hard_run(WORKER_DELAY + 1.5)
    assert verdict.undecided
    stopped = {e.engine: e.values["took"] for e in verdict.log if e.event == "stopped"}
    assert {"sweep", "cadical"} <= set(stopped) <= {"sweep", "sweep-2", "cadical", "algebra"}
    assert max(stopped.values()) < patience(STOPPED_WITHIN), stopped
    started = next(e for e in verdict.log if (e.engine, e.event) == ("cadical", "start"))
    assert f"sweeping had {WORKER_DELAY} s alone" in started.text or "left functions open" in started.text


def test_the_worker_loses() -> None:
    """A worker without hope is ended as soon as the sweeper has answered everything."""

    class SlowSweeper:
        """Answers after the worker has started: y is y, whatever the gates."""

        def run(self, conflict_limit: int, stop: Stop) -> str:
            del conflict_limit
            time.sleep(WORKER_DELAY + 1.0)
            assert not stop.poll()
            return "done"

        def statuses(self):  # noqa: ANN202 - as the native class
            import numpy as np

            return np.ones(len(problem.pairs), dtype=np.uint8)

        def counterexample(self, pair: int):  # noqa: ANN202 - never called
            raise AssertionError(pair)

        def engines(self) -> list[str]:
            return ["sat"] * len(problem.pairs)

        def progress(self) -> float:
            return 0.5

        def residual(self):  # noqa: ANN202 - never called
            raise AssertionError

        def stats(self) -> dict[str, int | float]:
            return {}

    from dmt_dialect.matching import match_ports
    from dmt_dialect.miter import build_miter

    left, right = multiplier(20, columns_first=True), multiplier(20, columns_first=False)
    miter = build_miter(left, right, match_ports(left, right))
    problem = Problem(miter.aig.fanins, miter.aig.num_inputs, miter.pairs)
    board = Board(total=len(miter.pairs), start=time.monotonic(), stop=Stop())
    race(board, problem, SlowSweeper(), "cadical")
    assert board.done
    last = board.log.entries[-1]
    assert (last.engine, last.event) == ("cadical", "stopped")
    assert last.text.startswith("everything is answered; gone after")
    assert last.values["took"] < patience(STOPPED_WITHIN)


def test_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(tmp_path / name) for name in ("a.aig", "b.aig")]
    for path, columns_first in zip(paths, (True, False), strict=True):
        write_circuit(multiplier(4, columns_first=columns_first), path)
    assert main(["lec", *paths, "--log", "-"]) == Exit.YES
    out = capsys.readouterr().out
    assert "structure  ended" in out
    assert "lec        decided  equivalent: 8 of 8" in out
    assert main(["lec", *paths, "--log", str(tmp_path / "run.log")]) == Exit.YES
    assert "decided" not in capsys.readouterr().out
    assert (tmp_path / "run.log").read_text().rstrip().endswith("8 of 8 functions answered")
    assert main(["lec", *paths, "--log", "-", "--json"]) == Exit.BAD_INPUT
    assert "--log - and --json" in capsys.readouterr().err
