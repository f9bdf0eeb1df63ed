"""The decision log of a run: which engine was started when and why, what it answered, who was stopped."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from dynomite.errors import UsageError

LogEvent = Literal["start", "answer", "round", "stopped", "ended", "decided"]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One decision of a run.

    Attributes:
        seconds: When, from the start of the call.
        engine: Which engine it is about; "lec" for the run as a whole.
        event: "start" of an engine; an "answer" of one; a "round" of sweeping that is over; "stopped" by the
            run, "ended" by itself; "decided": the run is over.
        text: The same in words, with the reason.
        values: Numbers that belong to it: limits, counts, and under "took" the seconds from the request to
            stop until the engine was gone.
    """

    seconds: float
    engine: str
    event: LogEvent
    text: str
    values: Mapping[str, int | float] = field(default_factory=dict[str, "int | float"])

    def to_dict(self) -> dict[str, Any]:
        """Plain data; see `docs/verdict.md`."""
        return {
            "seconds": self.seconds,
            "engine": self.engine,
            "event": self.event,
            "text": self.text,
            "values": dict(self.values),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> LogEntry:
        """The inverse of `to_dict`.

        Raises:
            UsageError: Keys are missing or of a wrong type.
        """
        try:
            event = data["event"]
            if event not in get_args(LogEvent):
                raise TypeError
            values = {str(key): value for key, value in dict(data["values"]).items()}
            if not all(type(value) in (int, float) for value in (data["seconds"], *values.values())):
                raise TypeError
            return cls(data["seconds"], str(data["engine"]), event, str(data["text"]), values)
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"not a verdict: an entry of its log is {data!r:.60}") from error


class RunLog:
    """Collects the entries of one run; written by the thread that runs it.

    Args:
        start: When the run began (`time.monotonic`).
    """

    def __init__(self, start: float) -> None:
        self.entries: list[LogEntry] = []
        self._start = start

    def add(self, engine: str, event: LogEvent, text: str, **values: float) -> None:
        """Notes a decision that is made now."""
        self.entries.append(LogEntry(time.monotonic() - self._start, engine, event, text, values))

    def add_stopped(self, engine: str, why: str, took: float) -> None:
        """Notes that an engine was stopped, and how many seconds later it was gone."""
        self.add(engine, "stopped", f"{why}; gone after {1000 * took:.1f} ms", took=took)


def log_lines(entries: Iterable[LogEntry]) -> list[str]:
    """The log as text, one line a decision: seconds, engine, event, words."""
    rows = list(entries)
    width = max((len(entry.engine) for entry in rows), default=0)
    return [f"{e.seconds:9.3f}  {e.engine:<{width}}  {e.event:<7}  {e.text}" for e in rows]
