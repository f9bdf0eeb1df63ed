"""Execution on a Dask cluster: the same plan, the same results; steps that can be shipped run elsewhere.

Each thread of the scheduler hands a step to the cluster and waits for it, so order, failures, caching and
output are those of threads. Needs the packages of `pip install "dynomite[dask]"`.
"""

from __future__ import annotations

import importlib
import secrets
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from dynomite._native.base import Stop
from dynomite.errors import ExecutionError, LimitError, UsageError
from dynomite.exec.kinds import Param, StepKind, Task, known_steps
from dynomite.exec.plan import Plan, PlannedStep
from dynomite.exec.scheduler import Executor

POLL = 0.05
"""Seconds between looks at the request to stop."""
PATIENCE = 3.0
"""Seconds that a step which is asked to end has to do so; its worker is ended then."""


def can_ship(kind: StepKind) -> bool:
    """Whether a step may run in another process."""
    return kind.ships and isinstance(kind.run, str)


def stays(kind: StepKind) -> bool:
    """Whether a step belongs where the code is: it works on code, files or the graph, or costs nothing."""
    own = kind.name.startswith("core.exec.")
    return own or bool(kind.control) or kind.edits or kind.effect != "none" or bool(kind.files)


_shipped: dict[str, Stop] = {}
"""On a worker: what ends the steps that run or are to run there, by the name of their call."""


def run_shipped(
    call: str, name: str, inputs: list[Any], params: Mapping[str, Param], modules: tuple[str, ...]
) -> Any:
    """Runs a step on a worker."""
    stop = _shipped.setdefault(call, Stop())
    try:
        for module in modules:
            importlib.import_module(module)
        return known_steps()[name].function(Task(name, inputs, params, stop))
    finally:
        del _shipped[call]


async def stop_shipped(call: str) -> None:
    """Ends a step on a worker; called beside it."""
    _shipped.setdefault(call, Stop()).cancel()


class DaskExecutor(Executor):
    """Calls the functions of steps on a cluster.

    Args:
        address: Of a scheduler, such as "tcp://host:8786"; a cluster of processes on this machine if none.
        modules: Python modules that register steps, to be imported by workers.
        workers: Processes of a cluster on this machine.

    Raises:
        UsageError: Dask is not installed, or the scheduler cannot be reached.
    """

    def __init__(
        self, address: str | None = None, *, modules: Iterable[str] = (), workers: int | None = None
    ) -> None:
        try:
            from dask.distributed import Client  # type: ignore[import-untyped]
        except ImportError as error:
            raise UsageError('the executor dask needs: pip install "dynomite[dask]"') from error
        self._modules = tuple(modules)
        # No dashboard; the scheduler's own pages only here, at any free port.
        pages = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
        options: dict[str, Any] = {"processes": True, "threads_per_worker": 1, "scheduler_kwargs": pages}
        if workers is not None:
            options["n_workers"] = workers
        try:
            with _workers_without_sigint():
                self._client: Any = Client(address, timeout=10) if address is not None else Client(**options)
        except (OSError, ValueError) as error:
            raise UsageError(
                f"the Dask scheduler {address or 'on this machine'} cannot be used: {error}"
            ) from error

    @property
    def jobs(self) -> int:
        """Threads of all workers, and one for what stays here."""
        return sum(self._client.nthreads().values()) + 1

    def check(self, plan: Plan) -> None:
        """Refuses steps that neither can be shipped nor stay here."""
        for step in plan.every_step():
            if not can_ship(step.kind) and not stays(step.kind):
                why = (
                    "it is not declared with ships=True"
                    if not step.kind.ships
                    else "its function has no name"
                )
                raise ExecutionError(
                    "scheduling",
                    plan.name,
                    f"the step cannot be shipped: {why}",
                    step=step.title,
                    place=step.place,
                )

    def call(self, step: PlannedStep, task: Task) -> Any:
        """Ships the step, or calls it here if it stays."""
        if not can_ship(step.kind):
            return step.kind.function(task)
        done = threading.Event()
        call = secrets.token_hex(16)
        future = self._client.submit(
            run_shipped, call, task.name, task.inputs, dict(task.params), self._modules, pure=False
        )
        future.add_done_callback(_setter(done))
        while not done.wait(POLL):
            if task.stop.poll():
                self._client.run(stop_shipped, call, wait=False, on_error="ignore")
                if not done.wait(PATIENCE):
                    future.cancel()
                raise LimitError(f"{task.name} was stopped ({task.stop.reason})")
        return future.result()

    def close(self) -> None:
        """Ends the connection, and a cluster that was started here."""
        self._client.close()


@contextmanager
def _workers_without_sigint() -> Generator[None]:
    """Processes started inside of the block do not get Ctrl-C of the terminal: this process ends their work.

    One that comes meanwhile is delivered at the end.
    """
    resource_tracker.ensure_running()  # which would let the signal through again, were it started later
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _setter(event: threading.Event) -> Callable[[object], None]:
    def note(_: object) -> None:
        event.set()

    return note
