"""A live bar on standard error, on a terminal only, and only for runs that take a while."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from dynomite.progress import Progress

_PATIENCE = 0.5


class ProgressBar:
    """Call it with each state; the bar appears after half a second and is gone when the run is over."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._shown = sys.stderr.isatty()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, state: Progress) -> None:
        """Shows a state."""
        if not self._shown or time.monotonic() - self._start < _PATIENCE:
            return
        if self._bar is None:
            from rich import progress as rich_progress
            from rich.console import Console

            self._bar = rich_progress.Progress(
                rich_progress.TextColumn("{task.description}"),
                rich_progress.BarColumn(),
                rich_progress.MofNCompleteColumn(),
                rich_progress.TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task("")
            self._bar.start()
        self._bar.update(
            self._task, description=state.doing, completed=state.decided, total=state.total or None
        )

    def steps(self, done: int, known: int, title: str) -> None:
        """Shows how far the steps of an execution graph are."""
        self(Progress(done, known, title))

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
