"""Ctrl-C and termination as a request to end with what is known, instead of an exception anywhere."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

from dynomite._native.base import Stop


class Interruption:
    """While entered, the first SIGINT or SIGTERM cancels `stop`; a second one acts as usual.

    Attributes:
        stop: Given to the calls that are to end.
        signal: The signal that came, or None.
    """

    _SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self.stop = Stop()
        self.signal: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        # Handlers can be set from the main thread only; elsewhere signals act as usual.
        for number in self._SIGNALS if threading.current_thread() is threading.main_thread() else ():
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()

    def _restore(self) -> None:
        while self._before:
            signal.signal(*self._before.popitem())

    def _note(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.signal = number
        self.stop.cancel()
        self._restore()
