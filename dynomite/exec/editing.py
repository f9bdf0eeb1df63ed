"""Changing the steps to come, from a running step: skip, insert, repeat.

    def tidy(task: Task) -> None:
        for step in task.graph.remaining:
            if step.name == "core.exec.cse":
                task.graph.skip(step)
        task.graph.insert("core.exec.dce", task.graph.operand(0))

Kinds that do so are declared with `edits=True`: everything behind them waits, so that the outcome does not
depend on the number of threads. Changes take effect when the step ends, and not at all if it raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynomite.errors import UsageError
from dynomite.exec.kinds import Code, Param, known_steps
from dynomite.exec.plan import PlannedStep, Slot, copy_steps


class GraphEditor:
    """The steps behind a running one, in the same body."""

    def __init__(self, step: PlannedStep, steps: list[PlannedStep]) -> None:
        self._step = step
        at = steps.index(step)
        self._before = steps[: at + 1]
        self._later = steps[at + 1 :]
        self._skipped: list[PlannedStep] = []
        self._next = 0

    @property
    def remaining(self) -> tuple[PlannedStep, ...]:
        """The later steps in order, without those skipped by now."""
        return tuple(step for step in self._later if not step.is_skipped and step not in self._skipped)

    def operand(self, index: int) -> Slot:
        """An operand of the running step, to hand it to `insert`."""
        return self._step.inputs[index]

    def skip(self, step: PlannedStep) -> None:
        """Leaves a later step out. Its results, if it has any, are its first operand.

        Raises:
            UsageError: The step is not a later one, or its result is data that others need.
        """
        self._check(step)
        for slot in step.results:
            if slot.root is slot and any(slot in other.reads for other in self.remaining):
                raise UsageError(f"step {step.title} cannot be skipped: its result is used")
        self._skipped.append(step)

    def insert(
        self,
        name: str,
        *operands: Slot | Code | str | int,
        params: dict[str, Param] | None = None,
        before: PlannedStep | None = None,
    ) -> PlannedStep:
        """Puts a step in, behind the running one and what was inserted there, or in front of a later one.

        Args:
            name: Full name of its operation.
            *operands: Results of steps (`PlannedStep.results`, `operand`), strings and numbers.
            params: Parameters that differ from their defaults.
            before: The later step in front of which it goes.

        Returns:
            The new step; its results can be operands of others.
        """
        kind = known_steps().get(name)
        if kind is None or kind.control:
            raise UsageError(f"'{name}' is no step that can be inserted")
        unknown = set(params or ()) - set(kind.defaults)
        if unknown:
            raise UsageError(f"{name} has no parameter '{min(unknown)}'")
        inputs = [self._slot(operand) for operand in operands]
        low, high = kind.operands
        if not low <= len(inputs) <= high:
            raise UsageError(f"{name} does not take {len(inputs)} operands")
        results: list[Slot] = []
        if kind.result != "none":
            results.append(Slot(name.rpartition(".")[2]))
            if kind.result == "same" and inputs:
                results[0].home, results[0].root = inputs[0].home, inputs[0].root
            elif kind.result == "code":
                results[0].home = results[0]
        made = PlannedStep(kind, inputs, {**kind.defaults, **(params or {})}, results, path=self._step.path)
        self._put([made], before)
        return made

    def repeat(self, *steps: PlannedStep, before: PlannedStep | None = None) -> list[PlannedStep]:
        """Puts copies of steps in.

        Args:
            *steps: Steps of the body, in order; earlier or later ones.
            before: The later step in front of which they go; by default right behind the last one that is
                repeated, if that is to come, or behind the running one.

        Raises:
            UsageError: They would use what is made behind them.
        """
        copies = copy_steps(steps)
        late = [self._later.index(step) for step in steps if step in self._later]
        if before is None and late:
            at = max(late) + 1
            self._later[at:at] = copies
        else:
            self._put(copies, before)
        return copies

    def _slot(self, operand: Slot | Code | str | int) -> Slot:
        if isinstance(operand, Slot):
            return operand
        if isinstance(operand, Code):
            raise UsageError("code is handed on by its slot: `operand`, or `results` of a step")
        return Slot(value=operand)

    def _put(self, steps: list[PlannedStep], before: PlannedStep | None) -> None:
        if before is None:
            self._later[self._next : self._next] = steps
            self._next += len(steps)
            return
        self._check(before)
        at = self._later.index(before)
        self._later[at:at] = steps
        if at < self._next:
            self._next += len(steps)

    def _check(self, step: PlannedStep) -> None:
        if step not in self._later or step in self._skipped:
            raise UsageError(f"step {step.title} is not one of the steps to come")

    def check(self) -> None:
        """Raises UsageError if a step would use what is made behind it."""
        behind = {slot for step in self._later for slot in step.results}
        for step in self._later:
            if any(slot in behind for slot in step.inputs):
                raise UsageError(f"{step.name} is put in front of a step whose result it uses")
            behind.difference_update(step.results)

    def commit(self, replace: Callable[[list[PlannedStep]], Any]) -> None:
        """Makes the changes; the scheduler's to call."""
        for step in self._skipped:
            step.is_skipped = True
        replace(self._before + self._later)
