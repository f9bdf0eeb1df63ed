"""The static plan of an execution graph: its steps in order, and what each of them waits for.

Resources are what steps read and write: a module of IR, a result, a file. A step waits for the last writer of
what it reads or writes, and for the readers since of what it writes; nothing else orders steps, so the others
may run at the same time. Steps that edit the graph hold back everything behind them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dynomite.exec.kinds import Code, Param, StepKind
from dynomite.ir import InstrRef


class Slot:
    """A result that steps hand on.

    Attributes:
        name: Name in the text, or empty.
        home: Resource of the module it is code of; None for data.
        root: The slot of the same code from which it comes; itself for other code and data.
        value: The result, once it is there.
        changed: Whether the step that made it changed code.
    """

    __slots__ = ("changed", "digest", "home", "name", "producer", "root", "value")

    def __init__(
        self, name: str = "", home: object = None, value: Any = None, *, root: Slot | None = None
    ) -> None:
        self.name = name
        self.home = home
        self.root: Slot = self if root is None else root
        self.value = value
        self.changed = False
        self.digest: bytes | None = None
        self.producer: PlannedStep | None = None

    def __repr__(self) -> str:
        return f"<Slot %{self.name}>"


class PlannedStep:
    """One step of a plan.

    Attributes:
        kind: Its declaration.
        params: Its parameters.
        inputs: A `Slot` for each operand.
        results: A `Slot` for each result.
        bodies: The steps inside, for control.
        number: Where it stands, such as "3" or "3.2".
        path: Names of the groups and stages around it.
        instr: What it was made from; None for steps that were put in.
        place: Where that is written.
    """

    __slots__ = (
        "bodies",
        "changed",
        "frame",
        "inputs",
        "instr",
        "is_done",
        "is_skipped",
        "is_started",
        "kind",
        "number",
        "order",
        "params",
        "path",
        "place",
        "reads",
        "record",
        "results",
        "users",
        "waits",
        "writes",
    )

    def __init__(
        self,
        kind: StepKind,
        inputs: Sequence[Slot] = (),
        params: Mapping[str, Param] | None = None,
        results: Sequence[Slot] = (),
        *,
        bodies: Sequence[list[PlannedStep]] = (),
        instr: InstrRef | None = None,
        path: tuple[str, ...] = (),
        place: str = "",
    ) -> None:
        self.kind = kind
        self.inputs = list(inputs)
        self.params: Mapping[str, Param] = kind.defaults if params is None else params
        self.results = list(results)
        self.bodies = list(bodies)
        self.instr = instr
        self.path = path
        self.place = place
        self.number = ""
        self.changed = False
        self.is_started = self.is_done = self.is_skipped = False
        self.waits = 0
        self.users: list[PlannedStep] = []
        self.order: tuple[int, ...] = ()
        self.frame: Any = None
        self.record: Any = None
        self.reads: tuple[object, ...] = ()
        self.writes: tuple[object, ...] = ()
        self.find_effects()

    @property
    def name(self) -> str:
        """Full name of the operation."""
        return self.kind.name

    @property
    def title(self) -> str:
        """Number and name, for messages."""
        return f"{self.number}: {self.kind.name}"

    def find_effects(self) -> None:
        """Works out what the step reads and writes."""
        kind = self.kind
        reads: list[object] = list(self.inputs)
        writes: list[object] = list(self.results)
        homes = [slot.home for slot in self.inputs if slot.home is not None]
        if kind.effect == "writes":
            writes += homes[:1]
            reads += homes[1:]
        elif kind.effect == "reads":
            reads += homes
        for index, mode in kind.files:
            if index < len(self.inputs) and isinstance(name := self.inputs[index].value, str):
                (reads if mode == "r" else writes).append(("file", name))
        for slot in self.results:
            slot.producer = self
        for body in self.bodies:
            own = {slot for step in body for slot in step.results}
            for step in body:
                reads += [what for what in step.reads if what not in own]
                writes += [what for what in step.writes if what not in own]
        self.reads = tuple(reads)
        self.writes = tuple(writes)

    def inner_first(self) -> list[PlannedStep]:
        """The step and those inside, inner ones in front of outer ones."""
        found: list[PlannedStep] = []
        waiting = [self]
        while waiting:
            step = waiting.pop()
            found.append(step)
            waiting += [inner for body in step.bodies for inner in body]
        return found[::-1]

    def copy(self) -> PlannedStep:
        """The same step once more, with results of its own."""
        results = [
            Slot(slot.name, slot.home, root=None if slot.root is slot else slot.root) for slot in self.results
        ]
        for slot in results:
            if slot.home is not None and slot.root is slot:
                slot.home = slot
        return PlannedStep(
            self.kind,
            self.inputs,
            self.params,
            results,
            bodies=[copy_steps(body) for body in self.bodies],
            path=self.path,
            place=self.place,
        )

    def __repr__(self) -> str:
        return f"<step {self.title}>"


def copy_steps(steps: Iterable[PlannedStep]) -> list[PlannedStep]:
    """Copies of steps that use each other's results as the originals do."""
    copies: list[PlannedStep] = []
    became: dict[Slot, Slot] = {}
    for step in steps:
        made = step.copy()
        made.inputs = [became.get(slot, slot) for slot in made.inputs]
        made.find_effects()
        became |= zip(step.results, made.results, strict=True)
        copies.append(made)
    return copies


def link(steps: Iterable[PlannedStep]) -> None:
    """Sets for every step that is not done how many steps it waits for, and which wait for it.

    Cost: linear in what the steps read and write.
    """
    writers: dict[object, PlannedStep] = {}
    readers: dict[object, list[PlannedStep]] = {}
    barrier: PlannedStep | None = None
    for step in steps:
        if step.is_done:
            continue
        before: set[PlannedStep] = set() if barrier is None else {barrier}
        for what in step.reads:
            writer = writers.get(what)
            if writer is not None:
                before.add(writer)
            readers.setdefault(what, []).append(step)
        for what in step.writes:
            writer = writers.get(what)
            if writer is not None:
                before.add(writer)
            for reader in readers.pop(what, ()):
                before.add(reader)
            writers[what] = step
        before.discard(step)
        step.users = []
        step.waits = len(before)
        for other in before:
            other.users.append(step)
        if step.kind.edits:
            barrier = step


class Plan:
    """An execution graph that is ready to run, once.

    Attributes:
        name: Name of the graph.
        steps: Its steps in order.
        dropped: Steps left out since they would do nothing, with the reason.
    """

    def __init__(self, name: str, steps: list[PlannedStep], code: Code | None = None) -> None:
        self.name = name
        self.steps = steps
        self.code = code
        self.dropped: list[tuple[PlannedStep, str]] = []
        self.was_run = False
        number_steps(steps)

    def every_step(self) -> list[PlannedStep]:
        """All steps, those inside of others behind them."""
        found: list[PlannedStep] = []
        waiting = list(reversed(self.steps))
        while waiting:
            step = waiting.pop()
            found.append(step)
            waiting += [inner for body in reversed(step.bodies) for inner in reversed(body)]
        return found

    def __str__(self) -> str:
        """One line a step: number, operation, what it waits for."""
        link(self.steps)
        waits: dict[PlannedStep, list[str]] = {}
        for step in self.steps:
            for user in step.users:
                waits.setdefault(user, []).append(step.number)
        lines: list[str] = []
        for step in self.every_step():
            depth = step.number.count(".")
            group = f" [{'/'.join(step.path)}]" if step.path else ""
            after = f" after {', '.join(waits[step])}" if step in waits else ""
            lines.append(f"{'  ' * depth}{step.title}{group}{after}")
        lines += [f"dropped {step.name}: {why}" for step, why in self.dropped]
        return "\n".join(lines)


def number_steps(steps: Iterable[PlannedStep], prefix: str = "", order: tuple[int, ...] = ()) -> None:
    """Numbers steps and those inside of them."""
    for index, step in enumerate(steps, 1):
        step.number = f"{prefix}{index}"
        step.order = (*order, index)
        for which, body in enumerate(step.bodies):
            inner = f"{step.number}.{'abcdefgh'[which]}" if which else f"{step.number}."
            number_steps(body, inner, (*step.order, which))
