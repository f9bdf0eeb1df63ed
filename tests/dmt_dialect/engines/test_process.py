"""Worker processes: answers, ends, and no orphans."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from dmt_dialect.engines.problem import Answer, Problem
from dmt_dialect.engines.process import Ended, EngineProcess
from dynomite._native.aig import Aig
from dynomite.peak_memory import peak_of_process
from tests.support.shared_data import REPOSITORY


def easy() -> Problem:
    aig = Aig()
    a, b = aig.add_inputs(2)
    return Problem(aig.fanins, 2, np.array([[a.raw, b.raw], [a.raw, a.raw]], dtype=np.uint32))


def run(engine: str, problem: Problem) -> tuple[EngineProcess, queue.Queue[Answer | Ended]]:
    events: queue.Queue[Answer | Ended] = queue.Queue()
    return EngineProcess(engine, problem, lambda _, event: events.put(event)), events


@pytest.mark.parametrize("engine", ["cadical", "bdd", "z3"])
def test_answers_come_back(engine: str) -> None:
    worker, events = run(engine, easy())
    answers = [events.get(timeout=30), events.get(timeout=30)]
    ended = events.get(timeout=30)
    assert all(isinstance(a, Answer) for a in answers)
    assert {(a.pair, a.equal) for a in answers if isinstance(a, Answer)} == {(0, False), (1, True)}
    assert isinstance(ended, Ended)
    assert ended.outcome == "done"
    worker.kill()
    assert worker.peak_bytes > 1 << 20


def test_a_failure_says_why() -> None:
    broken = Problem(np.zeros((1, 2), dtype=np.uint32), 0, np.array([[8, 9]], dtype=np.uint32))
    worker, events = run("cadical", broken)
    ended = events.get(timeout=30)
    assert isinstance(ended, Ended)
    assert ended.outcome == "failed"
    assert "IndexError" in ended.error
    worker.kill()


def test_kill_is_at_once_and_may_be_repeated() -> None:
    worker, events = run("z3", easy())
    start = time.monotonic()
    worker.kill()
    worker.kill()
    assert time.monotonic() - start < 1
    while not isinstance(event := events.get(timeout=5), Ended):
        pass
    assert event.outcome in ("stopped", "done")


PARENT = """
import sys, time
import numpy as np
from dmt_dialect.engines.problem import Problem
from dmt_dialect.engines.process import EngineProcess
from dynomite._native.aig import Aig
sys.path.insert(0, sys.argv[1])
from tests.support.circuit_pairs import multiplier
from dmt_dialect.matching import match_ports
from dmt_dialect.miter import build_miter
left, right = multiplier(20, columns_first=True), multiplier(20, columns_first=False)
miter = build_miter(left, right, match_ports(left, right))
problem = Problem(miter.aig.fanins, miter.aig.num_inputs, miter.pairs)
worker = EngineProcess("cadical", problem, lambda *_: None)
print(worker._process.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's help against orphans is Linux's")
def test_a_worker_dies_with_its_parent(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(REPOSITORY)], stdout=subprocess.PIPE, env=environment, cwd=tmp_path
    )
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    time.sleep(0.5)
    assert psutil.pid_exists(worker)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    for _ in range(100):
        if not psutil.pid_exists(worker) or psutil.Process(worker).status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.05)
    pytest.fail("the worker lives on")


def test_peak_memory() -> None:
    before = peak_of_process()
    block = bytearray(64 << 20)
    block[::4096] = b"x" * len(block[::4096])
    assert peak_of_process() >= max(before, 64 << 20)
    assert peak_of_process(2**22 + 1) == 0
