"""What a step of an execution graph is: its declaration, and what it is given when it runs.

A step is an operation of a dialect with a `StepKind` beside it. The kind says everything that planning needs
without running anything: what the step reads and writes, which parameters it has, whether its result may be
cached or computed on another machine. What it does is a function of one `Task`, named by a string and
imported when it is first run:

    DEMO = Dialect("demo")
    register_step(
        StepKind(DEMO.op("exec.depth", defs=1, uses=1), "demo_steps:depth", takes="circuit", result="data")
    )

    def depth(task: Task) -> int:  # in demo_steps.py
        return task.inputs[0].depth()
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from dynomite._native.base import Stop
from dynomite.errors import UsageError
from dynomite.ir import Builder, Dialect, InstrRef, Module, Op, Tracking

if TYPE_CHECKING:
    from dynomite.exec.editing import GraphEditor

Param: TypeAlias = bool | int | float | str


class Code(NamedTuple):
    """Code that a step works on: an instruction with everything below, or all of a module."""

    module: Module
    instr: InstrRef | None


@dataclass(slots=True)
class Outcome:
    """What a step may return in place of its bare result.

    Attributes:
        value: Its result.
        changed: Whether it changed the code it writes.
        stats: Counts, by name.
        notes: What a user should know, one sentence each.
        stop: Why it ended early, "none" if it did not.
        text: What it prints.
        final: False for a result that another run might better, which is not cached.
    """

    value: Any = None
    changed: bool = False
    stats: Mapping[str, Any] = field(default_factory=dict[str, Any])
    notes: tuple[str, ...] = ()
    stop: str = "none"
    text: str = ""
    final: bool = True


class Task:
    """One run of a step.

    Attributes:
        name: Full name of the step's operation.
        inputs: Values of its operands: `Code`, results of other steps, strings, numbers.
        params: All its parameters, defaults included.
        stop: To be polled in long work.
        inputs_changed: Whether a step that made one of the operands changed code.
    """

    __slots__ = ("_builder", "_editor", "inputs", "inputs_changed", "name", "params", "stop")

    def __init__(
        self,
        name: str,
        inputs: list[Any],
        params: Mapping[str, Param],
        stop: Stop,
        editor: Callable[[], GraphEditor] | None = None,
        inputs_changed: bool = False,
    ) -> None:
        self.name = name
        self.inputs = inputs
        self.params = params
        self.stop = stop
        self.inputs_changed = inputs_changed
        self._editor = editor
        self._builder: Builder | None = None

    @property
    def code(self) -> Code:
        """The first operand, which has to be code."""
        found = self.inputs[0] if self.inputs else None
        if not isinstance(found, Code):
            raise UsageError("code is needed as the first operand")
        return found

    @property
    def builder(self) -> Builder:
        """Changes the module of `code`. Everything it did is taken back if the step raises."""
        if self._builder is None:
            self._builder = Builder(self.code.module, tracking=Tracking.LAZY_TRACKING)
        return self._builder

    @property
    def graph(self) -> GraphEditor:
        """Changes the steps to come; for kinds with `edits`."""
        if self._editor is None:
            raise UsageError("only steps declared with edits=True may change the graph")
        return self._editor()

    def take_back(self) -> None:
        """Undoes what `builder` did."""
        if self._builder is not None:
            self._builder.rollback()


Function: TypeAlias = Callable[[Task], Any]


@dataclass(frozen=True)
class StepKind:
    """Declaration of a step.

    Attributes:
        op: Its operation.
        run: "module:function", or the function. Empty for control, which planning knows.
        params: Parameters with their defaults, whose types count; "module:function" gives them later.
        effect: What it does with operands that are code.
        takes: What operands it wants; code given for a circuit is lowered by a step put in front.
        result: Nothing, the code it was given, other code, or data.
        whole: Without an operand it works on the whole module.
        operands: Least and largest number of operands, strings and numbers included.
        files: Numbers of operands that name files, read ("r") or written ("w").
        cleanup: Running it again without changes between does nothing: doubles are dropped.
        caches: Its result depends on operands and parameters only, and has a codec (`dynomite.exec.cache`).
        ships: It may run in another process: its values can be pickled and `run` can be imported.
        edits: It may change the steps to come, which wait for it.
        other: A lone operand that is code is joined by the one other code of its kind (`CFG`) in the file,
            or, if there is none, by itself as it was at the start.
        control: What planning makes of it: "until_converge", "if", "group", "call", "stage".
        version: To be raised when its results change, so that cached ones do not count any more.
    """

    op: Op
    run: str | Function = ""
    params: Mapping[str, Param] | str = field(default_factory=dict[str, Param])
    effect: Literal["none", "reads", "writes"] = "none"
    takes: Literal["any", "code", "circuit"] = "any"
    result: Literal["none", "same", "code", "data"] = "none"
    whole: bool = False
    operands: tuple[int, int] = (0, 1)
    files: tuple[tuple[int, Literal["r", "w"]], ...] = ()
    cleanup: bool = False
    caches: bool = False
    ships: bool = False
    edits: bool = False
    other: bool = False
    control: str = ""
    version: int = 1

    @property
    def name(self) -> str:
        """Full name of the operation."""
        return self.op.full_name

    @cached_property
    def function(self) -> Function:
        """What it does, imported."""
        return self.run if callable(self.run) else load_name(self.run)

    @cached_property
    def defaults(self) -> Mapping[str, Param]:
        """The parameters, imported."""
        return load_name(self.params)(self) if isinstance(self.params, str) else self.params


@cache
def load_name(name: str) -> Any:
    """What "module:attribute" names."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


_kinds: dict[str, StepKind] = {}
_dialects: list[Dialect] = []
_printers: dict[str, str] = {}

PACKAGES = ("dynomite.exec.core_steps", "dmt_dialect.exec", "hw_dialect.exec")
"""Modules that register the steps of the project's own packages."""
CODE_DIALECTS = ("dmt_dialect.ops:OP", "hw_dialect.ops:HW")
"""Dialects of code that graphs work on, known without a declaration."""


def register_step(kind: StepKind) -> StepKind:
    """Makes a step known, or replaces the one of the same name."""
    _kinds[kind.name] = kind
    return kind


def register_dialect(dialect: Dialect) -> Dialect:
    """Makes the operations of a dialect known to graphs that are read from files."""
    if dialect not in _dialects:
        _dialects.append(dialect)
    return dialect


def register_printer(cls: str, function: str) -> None:
    """Says how `core.exec.print` shows values of a class, both given as "module:name".

    The text must not depend on time or threads.
    """
    _printers[cls] = function


def printed(value: Any) -> str:
    """The text of a value that is no code."""
    function = _printers.get(f"{type(value).__module__}:{type(value).__name__}")
    return str(value) if function is None else load_name(function)(value)


def registered_steps() -> dict[str, StepKind]:
    """The steps that are registered so far, by name."""
    return _kinds


def known_steps() -> dict[str, StepKind]:
    """All steps by name."""
    for name in PACKAGES:
        importlib.import_module(name)
    return _kinds


def dialects() -> list[Dialect]:
    """All dialects that graphs may use, steps and code."""
    known_steps()
    return [*_dialects, *map(load_name, CODE_DIALECTS)]
