"""The worker process: reads a problem from standard input, writes answers as JSON lines.

It ends when its parent does, whatever happens to the parent.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import signal
import sys
import time
from typing import Any

from dmt_dialect.engines.problem import Engine, Problem, Report

ENGINES = {
    "cadical": "dmt_dialect.engines.sat",
    "bdd": "dmt_dialect.engines.bdd",
    "z3": "dmt_dialect.engines.smt",
}
"""Name of an engine, module whose `solve` it is."""

_PR_SET_PDEATHSIG = 1


def main(parent: int) -> None:
    """Serves one problem; `parent` is the process that started this one."""
    die_with(parent)
    # Solvers may print; only answers go where the parent listens.
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)

    def send(**message: Any) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    problem, options = Problem.read(sys.stdin.buffer)
    engine: Engine = importlib.import_module(ENGINES[options.pop("engine")]).solve
    sys.setrecursionlimit(1_000_000)  # dd's own manager recurses as deep as there are variables
    report = Report()
    start = time.monotonic()
    for answer in engine(problem, report, **options):
        values = None if answer.values is None else answer.values.hex()
        send(pair=answer.pair, equal=answer.equal, values=values)
    send(outcome=report.outcome, stats=report.stats, seconds=time.monotonic() - start)


def die_with(parent: int) -> None:
    """Asks the kernel to end this process with its parent (Linux; elsewhere the parent must see to it)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the parent's business
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it has ended before the request was made
        os._exit(0)
