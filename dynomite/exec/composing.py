"""Composing a pipeline of stages that know only what they have to come behind and in front of.

    numpy-to-linalg:   before bufferization
    torch-to-linalg:   before bufferization
    bufferization
    linalg-to-cpu:     after bufferization

Bufferization knows neither its frontends nor its backends. The order is stable: among stages that may come
next the one with the least name does, in whatever order they were registered. Clean-ups between which nothing
was written run once.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dynomite.errors import UsageError
from dynomite.exec.plan import PlannedStep, Slot


@dataclass
class Stage:
    """Some steps with their place among others.

    Attributes:
        name: What other stages call it.
        steps: Its steps, in order.
        after: Stages that come earlier if they are there.
        before: Stages that come later if they are there.
        cleanup: Steps behind its own that help whatever follows.
    """

    name: str
    steps: list[PlannedStep]
    after: Sequence[str] = ()
    before: Sequence[str] = ()
    cleanup: list[PlannedStep] = field(default_factory=list[PlannedStep])


def order_stages(stages: Iterable[Stage]) -> list[Stage]:
    """A stable order that respects all dependencies.

    Raises:
        UsageError: Two stages have one name, a stage depends on one that is not there, or there is a cycle,
            which is shown.
    """
    by_name: dict[str, Stage] = {}
    for stage in stages:
        if stage.name in by_name:
            raise UsageError(f"there are two stages '{stage.name}'")
        by_name[stage.name] = stage
    later: dict[str, set[str]] = {name: set() for name in by_name}
    for stage in by_name.values():
        for other in (*stage.after, *stage.before):
            if other not in by_name:
                names = ", ".join(sorted(by_name))
                raise UsageError(
                    f"the stage '{stage.name}' depends on '{other}', which is not there ({names})"
                )
        for other in stage.after:
            later[other].add(stage.name)
        later[stage.name].update(stage.before)
    waits = dict.fromkeys(by_name, 0)
    for names in later.values():
        for name in names:
            waits[name] += 1
    ready = [name for name, count in waits.items() if not count]
    heapq.heapify(ready)
    order: list[Stage] = []
    while ready:
        name = heapq.heappop(ready)
        order.append(by_name[name])
        for other in later[name]:
            waits[other] -= 1
            if not waits[other]:
                heapq.heappush(ready, other)
    if len(order) < len(by_name):
        raise UsageError(f"stages depend on each other in a circle: {' -> '.join(_cycle(later, waits))}")
    return order


def _cycle(later: dict[str, set[str]], waits: dict[str, int]) -> list[str]:
    """One circle among the stages that still wait, from its least name."""
    earlier = {
        name: min(other for other, names in later.items() if name in names and waits[other])
        for name, count in waits.items()
        if count
    }
    name = min(earlier)
    seen: list[str] = []
    while name not in seen:
        seen.append(name)
        name = earlier[name]
    circle = list(reversed(seen[seen.index(name) :]))
    first = circle.index(min(circle))
    return [*circle[first:], *circle[: first + 1]]


def compose(stages: Iterable[Stage]) -> list[PlannedStep]:
    """The steps of stages in order, each stage followed by its clean-up.

    Raises:
        UsageError: As `order_stages`.
    """
    return [step for stage in order_stages(stages) for step in (*stage.steps, *stage.cleanup)]


LONGEST_ROW = 8
"""Longest row of clean-ups that is compared with the row in front of it."""


def drop_repeated_cleanups(steps: list[PlannedStep]) -> list[tuple[PlannedStep, str]]:
    """Takes steps out that do what was done already, with nothing written between; returns them.

    Such steps are clean-ups and checks (`StepKind.cleanup`) with the same operands and parameters. A row of
    clean-ups goes if it repeats the row in front of it: `cse; dce; cse; dce` is `cse; dce`. The results of
    the earlier steps stand for those of the dropped ones.

    Cost: linear.
    """
    dropper = _Dropper()
    dropper.visit(steps)
    return [(step, "it repeats what was done, and nothing was written between") for step in dropper.dropped]


class _Dropper:
    def __init__(self) -> None:
        self.dropped: dict[PlannedStep, None] = {}
        self.became: dict[Slot, Slot] = {}

    def visit(self, steps: list[PlannedStep]) -> None:
        rows: dict[object, list[tuple[PlannedStep, object]]] = {}
        checked: dict[object, dict[object, PlannedStep]] = {}
        for step in steps:
            if self.became:
                self.rename(step)
            for body in step.bodies:
                self.visit(body)
            home = step.inputs[0].home if step.kind.cleanup and step.inputs else None
            if home is None:
                for what in step.writes:
                    rows.pop(what, None)
                    checked.pop(what, None)
                continue
            key = (
                step.kind.name,
                tuple(sorted(step.params.items())),
                tuple(slot.root for slot in step.inputs),
            )
            if step.kind.effect != "writes":
                earlier = checked.setdefault(home, {}).setdefault(key, step)
                if earlier is not step:
                    self.drop(step, earlier)
                continue
            row = rows.setdefault(home, [])
            row.append((step, key))
            if not self.repeats(row):
                checked.pop(home, None)
        if self.dropped:
            steps[:] = [step for step in steps if step not in self.dropped]

    def repeats(self, row: list[tuple[PlannedStep, object]]) -> bool:
        for length in range(1, min(LONGEST_ROW, len(row) // 2) + 1):
            late, early = row[-length:], row[-2 * length : -length]
            if all(a[1] == b[1] for a, b in zip(late, early, strict=True)):
                for (step, _), (earlier, _) in zip(late, early, strict=True):
                    self.drop(step, earlier)
                del row[-length:]
                return True
        return False

    def drop(self, step: PlannedStep, earlier: PlannedStep) -> None:
        self.dropped[step] = None
        for n, slot in enumerate(step.results):
            if n == len(earlier.results):
                earlier.results.append(Slot(slot.name, slot.home, root=slot.root))
                earlier.find_effects()
            self.became[slot] = earlier.results[n]

    def rename(self, step: PlannedStep) -> None:
        waiting = [step]
        while waiting:
            one = waiting.pop()
            one.inputs = [self.became.get(slot, slot) for slot in one.inputs]
            waiting += [inner for body in one.bodies for inner in body]
        for one in step.inner_first():
            one.find_effects()
