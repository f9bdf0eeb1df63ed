"""The parent's side of `dmt_dialect.solve_worker`: a solver in a process that can be ended at once."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from typing import IO, TYPE_CHECKING, Any, cast

from dynomite.errors import DynomiteError
from dynomite.peak_memory import peak_of_process

if TYPE_CHECKING:
    from dynomite._native.base import Stop

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from dmt_dialect.solve_worker import main; main(int(sys.argv[2]))"
)
_TICK = 0.02


class EngineError(DynomiteError):
    """A solver has failed; there is no answer. The message says how."""


class SolverProcess:
    """A solver in a process of its own, started when it is first asked.

    Args:
        engine: "cadical", "glucose" or "z3".
    """

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.peak_bytes = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes]  # a file, so that no amount of text can block the solver

    @property
    def running(self) -> bool:
        """Whether there is a process that remembers what it was told."""
        return self._process is not None

    def ask(
        self, message: dict[str, Any], payload: bytes | memoryview, stop: Stop
    ) -> tuple[dict[str, Any], bytes] | None:
        """Sends a message and waits for its answer; None, with the process ended, once `stop` says so.

        Raises:
            EngineError: The process has ended by itself.
        """
        process = self._process or self._start()
        answers: queue.Queue[tuple[dict[str, Any], bytes] | None] = queue.Queue()
        thread = threading.Thread(target=_talk, args=(process, message, payload, answers), daemon=True)
        thread.start()
        try:
            while True:
                try:
                    answer = answers.get(timeout=_TICK)
                    break
                except queue.Empty:
                    if stop.poll():
                        self.close()
                        return None
        except BaseException:
            self.close()
            raise
        thread.join()
        self._note_peak()
        if answer is None:
            raise self._failure()
        return answer

    def close(self) -> None:
        """Ends the process now; it is started anew, knowing nothing, if it is asked again."""
        if self._process is None:
            return
        self._note_peak()
        process, self._process = self._process, None
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, self._errors):
            if stream is not None:
                with contextlib.suppress(OSError, ValueError):
                    stream.close()

    def _start(self) -> subprocess.Popen[bytes]:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _START, json.dumps(sys.path), str(os.getpid()), self.engine],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            process_group=0,
        )
        return self._process

    def _note_peak(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self.peak_bytes = max(self.peak_bytes, peak_of_process(self._process.pid))

    def _failure(self) -> EngineError:
        process = self._process
        assert process is not None
        status = process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        self.close()
        return EngineError(
            f"{self.engine}: the solver ended with status {status}: {lines[-1] if lines else 'no message'}"
        )


def _talk(
    process: subprocess.Popen[bytes],
    message: dict[str, Any],
    payload: bytes | memoryview,
    answers: queue.Queue[tuple[dict[str, Any], bytes] | None],
) -> None:
    stdin, stdout = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
    answer: tuple[dict[str, Any], bytes] | None = None
    with contextlib.suppress(OSError, ValueError):  # it has ended, or was ended
        stdin.write(json.dumps({**message, "bytes": len(payload)}).encode() + b"\n")
        stdin.write(payload)
        stdin.flush()
        line = stdout.readline()
        if line:
            head: dict[str, Any] = json.loads(line)
            data = stdout.read(head["bytes"])
            if len(data) == head["bytes"]:
                answer = head, data
    answers.put(answer)
