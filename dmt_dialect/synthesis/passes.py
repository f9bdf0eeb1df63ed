"""The passes that pipelines name: what each is called, its parameters, and where its function is.

A pass takes a circuit and gives a new one with the same inputs, outputs, latches, properties and names; the
given one stays as it is. Only passes that say so (`LatchMap`) may leave latches out. Adding a native one:

    register_pass(
        SynthPass("balance", Native("balance"), "Fewer levels at no more ANDs.", (Param("xor", True, "..."),))
    )
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from dynomite.errors import UsageError

if TYPE_CHECKING:
    from dmt_dialect.synthesis.latch_map import LatchMap
    from dynomite._native.aig import Aig
    from dynomite._native.base import Stop

Value: TypeAlias = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of a pass.

    Attributes:
        name: Its name in pipelines.
        default: Its value if none is given; its type is the parameter's type.
        doc: One sentence.
        low: Least number allowed.
        high: Largest number allowed.
        choices: Texts allowed, all if empty.
    """

    name: str
    default: Value
    doc: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def problem(self, value: Value) -> str | None:
        """What is wrong with a value, or None."""
        if isinstance(self.default, bool):
            return None if isinstance(value, bool) else "is true or false"
        if isinstance(self.default, str):
            if isinstance(value, str) and (not self.choices or value in self.choices):
                return None
            return f"is one of {', '.join(self.choices)}" if self.choices else "is a text"
        if isinstance(value, bool | str) or (isinstance(self.default, int) and isinstance(value, float)):
            return "is a whole number" if isinstance(self.default, int) else "is a number"
        if self.low is not None and value < self.low:
            return f"is at least {self.low:g}"
        if self.high is not None and value > self.high:
            return f"is at most {self.high:g}"
        return None


class PassResult(NamedTuple):
    """What a pass gives back.

    Attributes:
        aig: The new circuit.
        stats: Counts, by name. "stop" among them says why it ended early: "limit", "stopped".
        latches: What became of the latches; None if all are there still, in their order.
        extra: A result that is no AIG, such as a network of LUTs.
    """

    aig: Aig
    stats: Mapping[str, Any] = {}
    latches: LatchMap | None = None
    extra: Any = None


PassFunction: TypeAlias = "Callable[[Aig, Mapping[str, Value], Stop, int, int], PassResult]"
"""Circuit, parameters (all of them), stop, threads, seed."""


@dataclass(frozen=True, slots=True)
class Native:
    """A function of `dynomite._native.opt` as a pass.

    It is called with the circuit, the parameters by keyword, and `stop`; it returns the new circuit and a
    mapping of counts.

    Attributes:
        function: Its name.
        takes: Which of "threads" and "seed" it wants besides.
    """

    function: str
    takes: tuple[str, ...] = ()

    def __call__(
        self, aig: Aig, params: Mapping[str, Value], stop: Stop, threads: int, seed: int
    ) -> PassResult:
        """Calls it."""
        function = getattr(importlib.import_module("dynomite._native.opt"), self.function)
        offered = {"threads": threads, "seed": seed}
        taken = {name: offered[name] for name in self.takes}
        made, counts = function(aig, **params, **taken, stop=stop)
        return PassResult(made, counts)


@dataclass(frozen=True)
class SynthPass:
    """A pass by name.

    Attributes:
        name: Its name in pipelines.
        run: Its function, or "module:function", imported when it is first used.
        doc: One sentence.
        params: Its parameters.
        last: Its result is no AIG (`PassResult.extra`): nothing can follow it in a pipeline.
    """

    name: str
    run: str | PassFunction
    doc: str
    params: tuple[Param, ...] = field(default=())
    last: bool = False

    @property
    def step(self) -> str:
        """The operation of execution graphs that runs it, without its dialect."""
        return f"exec.AIG_{self.name.upper().replace('-', '_')}"

    @property
    def defaults(self) -> dict[str, Value]:
        """The parameters' defaults."""
        return {param.name: param.default for param in self.params}

    def param(self, name: str) -> Param | None:
        """The parameter of a name."""
        return next((param for param in self.params if param.name == name), None)

    def __call__(
        self, aig: Aig, params: Mapping[str, Value], stop: Stop, threads: int = 1, seed: int = 1
    ) -> PassResult:
        """Runs it; parameters that are not given have their defaults."""
        function = self.run
        if isinstance(function, str):
            module, _, name = function.partition(":")
            function = cast("PassFunction", getattr(importlib.import_module(module), name))
        return function(aig, {**self.defaults, **params}, stop, threads, seed)


_passes: dict[str, SynthPass] = {}


def register_pass(entry: SynthPass) -> SynthPass:
    """Makes a pass known to pipelines, or replaces the one of the same name.

    Raises:
        UsageError: A default is not what its own parameter allows.
    """
    for param in entry.params:
        problem = param.problem(param.default)
        if problem is not None:
            raise UsageError(f"register_pass: the default of '{param.name}' of '{entry.name}' {problem}")
    _passes[entry.name] = entry
    return entry


def known_passes() -> dict[str, SynthPass]:
    """All passes by name."""
    importlib.import_module("dmt_dialect.synthesis.own_passes")
    return _passes
