"""What a pass is: frozen parameters, one call on a module, and a result.

A pass is a class with a `name`, a `Params` dataclass and `run`; parameters are its only state, so that the
same parameters give the same result. Results say whether the module changed, what was counted, and why it
ended.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, Generic, TypeVar

from dynomite._native.base import Stop
from dynomite.ir import Builder, InstrRef, Module


@dataclass(frozen=True)
class Params:
    """Parameters of a pass; fields are bool, int or str and all have defaults."""


@dataclass(frozen=True)
class PassResult:
    """What a pass did.

    Attributes:
        changed: Whether the module is another one now.
        stats: Counts, by name.
        stop: Why it ended early: "cancelled", "deadline" or "signal"; "none" if it did not.
        notes: What a user should know, one sentence each.
    """

    changed: bool
    stats: Mapping[str, int] = field(default_factory=lambda: MappingProxyType(dict[str, int]()))
    stop: str = "none"
    notes: tuple[str, ...] = ()


P = TypeVar("P", bound=Params)


class Pass(ABC, Generic[P]):
    """Base of all passes over modules.

    Attributes:
        name: As in pipelines.
        params: This object's parameters.
    """

    name: ClassVar[str]
    Params: ClassVar[type[Params]] = Params

    def __init__(self, params: P) -> None:
        self.params: P = params

    def __call__(
        self,
        module: Module,
        *,
        within: InstrRef | None = None,
        builder: Builder | None = None,
        stop: Stop | None = None,
    ) -> PassResult:
        """Runs the pass.

        Args:
            module: What it works on.
            within: Changes only what is in the regions of this instruction.
            builder: Makes the changes; with its tracking they can be rolled back. Its own, without a log, if
                none.
            stop: Ends it early.
        """
        stop = Stop() if stop is None else stop
        return self.run(Builder(module) if builder is None else builder, within, stop)

    @abstractmethod
    def run(self, builder: Builder, within: InstrRef | None, stop: Stop) -> PassResult:
        """Does the work on `builder.module`."""
