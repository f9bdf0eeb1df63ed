"""A time of its own for one part of a call, which still ends when the whole call has to."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

from dynomite._native.base import Stop

_TICK = 0.02


class TimeBudget:
    """A `Stop` with a deadline of its own that is also cancelled when another one ends.

    Args:
        seconds: Time of this part.
        whole: The `Stop` of the whole call; nobody else may poll it meanwhile.
    """

    def __init__(self, seconds: float, whole: Stop) -> None:
        self.stop = Stop()
        self.stop.set_timeout(seconds)
        self._whole = whole
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="dynomite-budget", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    @property
    def expired(self) -> bool:
        """Whether the time is over."""
        return self.stop.poll() or self.stop.reason != "none"

    def _watch(self) -> None:
        while not self._over.wait(_TICK):
            if self._whole.poll():
                self.stop.cancel()
                return
