"""The parent's side of a worker process: start, listen, end at once."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any, cast

from dmt_dialect.engines.problem import Answer, Problem
from dynomite.peak_memory import peak_of_process

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from dmt_dialect.engines.worker import main; main(int(sys.argv[2]))"
)


@dataclass(frozen=True, slots=True)
class Ended:
    """The worker is over.

    Attributes:
        outcome: "done", "limit", "stopped" (ended by `EngineProcess.kill`) or "failed".
        stats: The engine's counters.
        error: What a failed worker said last.
    """

    outcome: str
    stats: dict[str, int | float] = field(default_factory=dict[str, int | float])
    error: str = ""


class EngineProcess:
    """One engine at work on one problem, in a process of its own.

    Args:
        engine: A key of `dmt_dialect.engines.worker.ENGINES`.
        problem: What to solve.
        post: Called from a thread of this object with every answer and, last, with `Ended`.
        options: Passed to the engine.
    """

    def __init__(
        self,
        engine: str,
        problem: Problem,
        post: Callable[[EngineProcess, Answer | Ended], None],
        **options: Any,
    ) -> None:
        self.engine = engine
        self.started = time.monotonic()
        self.peak_bytes = 0
        self._killed = False
        self._post = post
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _START, json.dumps(sys.path), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            process_group=0,
        )
        self._thread = threading.Thread(
            target=self._serve, args=(problem, options), name=f"dynomite-{engine}", daemon=True
        )
        self._thread.start()

    def kill(self) -> None:
        """Ends the worker now; returns when it is gone. Safe to call again."""
        self._killed = True
        self._note_peak()
        self._process.kill()
        self._process.wait()
        self._thread.join()

    def _note_peak(self) -> None:
        if self._process.returncode is None:  # else its number may belong to another process by now
            self.peak_bytes = max(self.peak_bytes, peak_of_process(self._process.pid))

    def _serve(self, problem: Problem, options: dict[str, Any]) -> None:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        ended: Ended | None = None
        errors: list[bytes] = []
        listener = threading.Thread(target=_read_all, args=(process.stderr, errors), daemon=True)
        listener.start()
        try:
            problem.write(process.stdin, engine=self.engine, **options)
            for line in process.stdout:
                message = cast("dict[str, Any]", json.loads(line))
                self._note_peak()
                if "outcome" in message:
                    ended = Ended(message["outcome"], message["stats"])
                    continue
                values = message["values"]
                answer = Answer(
                    message["pair"], message["equal"], None if values is None else bytes.fromhex(values)
                )
                self._post(self, answer)
        except (BrokenPipeError, json.JSONDecodeError):
            pass  # it has died; its status and last words are looked at below
        status = process.wait()
        listener.join()
        process.stdout.close()
        process.stderr.close()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        if ended is None:
            if self._killed:
                ended = Ended("stopped")
            else:
                text = b"".join(errors).decode(errors="replace").strip()
                why = text.splitlines()[-1] if text else "no message"
                ended = Ended("failed", error=f"the worker ended with status {status}: {why}")
        self._post(self, ended)


def _read_all(stream: IO[bytes], into: list[bytes]) -> None:
    into.append(stream.read())
