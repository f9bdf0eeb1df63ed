"""How far a run has come: what long calls tell their progress callbacks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """A state of a run.

    Attributes:
        decided: Functions with an answer.
        total: All functions; 0 while that is not known.
        doing: What is at work.
    """

    decided: int
    total: int
    doing: str
