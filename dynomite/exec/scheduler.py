"""Scheduling: runs a plan on threads, every step once all it waits for is done.

Among the steps that may run, the earliest of the plan runs first. After a failure nothing behind the failed
step starts any more, but what stands in front of it still runs: so the failure that is reported is that of
the earliest step that fails, on any number of threads, and so is everything printed. Texts come out in
the order of the plan.
"""

from __future__ import annotations

import heapq
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dynomite._native.base import Stop
from dynomite.errors import DynomiteError, ExecutionError, LimitError, UsageError
from dynomite.exec.core_functions import is_true
from dynomite.exec.editing import GraphEditor
from dynomite.exec.kinds import Outcome, Task
from dynomite.exec.plan import Plan, PlannedStep, link, number_steps
from dynomite.exec.report import Record, Report, memory_of_process
from dynomite.peak_memory import peak_of_process

if TYPE_CHECKING:
    from dynomite.exec.cache import Cache

POLL = 0.05
"""Seconds between looks of the waiting thread at the request to stop."""


class Executor:
    """How the function of a step is called; the base calls it where it is."""

    def check(self, plan: Plan) -> None:
        """Raises ExecutionError, stage "scheduling", if a step cannot be run by this executor."""

    def call(self, step: PlannedStep, task: Task) -> Any:
        """Calls the function of a step."""
        return step.kind.function(task)

    @property
    def jobs(self) -> int:
        """Threads, unless the user says otherwise."""
        return os.cpu_count() or 1

    def close(self) -> None:
        """Ends what was started."""


@dataclass
class Options:
    """How to run a plan.

    Attributes:
        jobs: Threads; None for what the executor suggests.
        executor: Calls the functions of steps.
        cache: Keeps results; None for no caching.
        stop: Ends the run early.
        on_record: Called with the record of each step, in the order of the plan, once all before are done.
        on_progress: Called with the number of steps done and known, and the title of the one just done.
        measure: Asks for the process's memory around each step, which costs some 20 us.
    """

    jobs: int | None = None
    executor: Executor | None = None
    cache: Cache | None = None
    stop: Stop | None = None
    on_record: Callable[[Record], None] | None = None
    on_progress: Callable[[int, int, str], None] | None = None
    measure: bool = False


def run_plan(plan: Plan, options: Options | None = None) -> Report:
    """Runs a plan.

    Returns:
        What happened. `stop` tells if it was ended early; the steps left have the state "waiting".

    Raises:
        ExecutionError: Stage "scheduling": nothing ran. Stage "running": a step raised; what it changed was
            taken back, steps in front of it are done.
        UsageError: The plan was run before.
        KeyboardInterrupt: After all threads have ended.
    """
    options = Options() if options is None else options
    if plan.was_run:
        raise UsageError("the plan was run already; plan the graph again")
    executor = Executor() if options.executor is None else options.executor
    executor.check(plan)
    jobs = executor.jobs if options.jobs is None else options.jobs
    if jobs < 1:
        raise UsageError(f"the number of threads is at least 1, not {jobs}")
    plan.was_run = True
    return _Run(plan, options, executor, jobs).run()


class _Frame:
    """Steps that run together: the graph itself, or one run of a body."""

    __slots__ = ("at", "mark", "on_end", "owner", "records", "steps", "suffix", "undone")

    def __init__(
        self,
        steps: list[PlannedStep],
        owner: PlannedStep | None,
        records: list[Record],
        on_end: Callable[[], None],
        suffix: str = "",
    ) -> None:
        self.steps = steps
        self.owner = owner
        self.records = records
        self.mark = len(records)
        self.on_end = on_end
        self.suffix = suffix
        self.undone = 0
        self.at = 0


class _Run:
    def __init__(self, plan: Plan, options: Options, executor: Executor, jobs: int) -> None:
        self.plan = plan
        self.options = options
        self.executor = executor
        self.jobs = jobs
        self.cache = options.cache
        self.stop = Stop() if options.stop is None else options.stop
        self.condition = threading.Condition(threading.Lock())
        self.ready: list[tuple[tuple[int, ...], int, PlannedStep]] = []
        self.entries = 0
        self.idle = 0
        self.active = 0
        self.finished = self.known = 0
        self.is_over = False
        self.failure: tuple[tuple[int, ...], PlannedStep, BaseException] | None = None
        self.report = Report(plan.name, jobs=jobs)
        self.trouble: BaseException | None = None
        self.running: dict[Stop, PlannedStep] = {}
        self.stops: list[Stop] = []
        self.measures = options.measure

    # The whole --------------------------------------------------------------------------------------------

    def run(self) -> Report:
        start = time.perf_counter()
        top = _Frame(self.plan.steps, None, self.report.records, self.end)
        with self.condition:
            self.begin(top)
        try:
            if self.stop.poll():
                self.is_over = True
            elif self.jobs == 1:
                self.work(self.stop)
            else:
                self.work_together()
        finally:
            report = self.report
            report.seconds = time.perf_counter() - start
            report.peak_bytes = peak_of_process()
            self.emit(top)
            report.records[:] = [self.record(step, top) for step in self.plan.steps]
        for step in self.plan.steps:
            report.results |= {slot.name: slot.value for slot in step.results if slot.name and step.is_done}
        if self.trouble is not None:
            raise self.trouble
        if self.failure is not None:
            self.fail(*self.failure[1:])
        if self.finished < self.known and self.stop.poll():
            report.stop = self.stop.reason
        return report

    def fail(self, step: PlannedStep, error: BaseException) -> None:
        if not isinstance(error, Exception):
            raise error
        from dynomite.exec.building import place_of

        message = str(error) if isinstance(error, DynomiteError) else f"{type(error).__name__}: {error}"
        failure = ExecutionError(
            "running",
            self.plan.name,
            message,
            step=step.title,
            place=step.place or place_of(step.instr),
            cause=error,
        )
        failure.plan = self.plan
        raise failure from error

    def end(self) -> None:
        self.is_over = True
        self.condition.notify_all()

    def work_together(self) -> None:
        """Runs the workers; this thread waits for them and hands requests to stop on."""
        self.stops = [Stop() for _ in range(self.jobs)]
        threads = [
            threading.Thread(target=self.work, args=(stop,), name=f"dynomite-{n}", daemon=True)
            for n, stop in enumerate(self.stops)
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(POLL)
                    if self.stop.poll():
                        self.cancel()
        except BaseException:  # an interrupt from the keyboard
            self.cancel()
            for thread in threads:
                thread.join()
            raise

    def cancel(self) -> None:
        for stop in self.stops:
            stop.cancel()
        with self.condition:
            self.condition.notify_all()

    # Frames; with the condition held ----------------------------------------------------------------------

    def begin(self, frame: _Frame) -> None:
        link(frame.steps)
        owner = frame.owner
        for index, step in enumerate(frame.steps, 1):
            step.frame = frame
            if owner is not None:
                step.order = (*owner.order, index)
            if not step.is_done:
                frame.undone += 1
                self.known += 1
                if not step.waits:
                    self.push(step)
        if not frame.undone:
            frame.on_end()

    def push(self, step: PlannedStep) -> None:
        self.entries += 1
        heapq.heappush(self.ready, (step.order, self.entries, step))

    def finish(self, step: PlannedStep) -> None:
        frame: _Frame = step.frame
        step.is_done = True
        self.finished += 1
        for user in step.users:
            user.waits -= 1
            if not user.waits:
                self.push(user)
        if frame.owner is None:
            try:
                self.emit(frame)
            except BaseException as error:  # of who takes the texts, such as a closed pipe
                self.trouble, self.is_over = error, True
        if self.options.on_progress is not None:
            self.options.on_progress(self.finished, self.known, step.title)
        frame.undone -= 1
        if not frame.undone:
            frame.records[frame.mark :] = [one.record for one in frame.steps if one.record is not None]
            frame.on_end()
        if self.idle and len(self.ready) > 1:
            self.condition.notify(min(self.idle, len(self.ready) - 1))

    def emit(self, frame: _Frame) -> None:
        """Hands out the records of the steps that are done, up to the first that is not."""
        steps, show = frame.steps, self.options.on_record
        while frame.at < len(steps) and steps[frame.at].is_done:
            if show is not None:
                waiting = [steps[frame.at].record]
                while waiting:
                    record = waiting.pop()
                    if record is not None:
                        show(record)
                        waiting += reversed(record.inner)
            frame.at += 1

    def record(self, step: PlannedStep, frame: _Frame) -> Record:
        if step.record is None:
            step.record = Record(f"{step.number}{frame.suffix}", step.kind.name, step.path)
        return step.record

    # Workers ----------------------------------------------------------------------------------------------

    def work(self, stop: Stop) -> None:
        condition = self.condition
        while True:
            with condition:
                step = self.next_step(stop)
            if step is None:
                return
            try:
                self.run_step(step, stop)
            except BaseException as error:
                with condition:
                    self.note_failure(step, error, stop)
                    self.active -= 1
                    condition.notify_all()
                if self.jobs == 1 and not isinstance(error, Exception):
                    raise
            finally:
                self.running.pop(stop, None)

    def note_failure(self, step: PlannedStep, error: BaseException, stop: Stop) -> None:
        """Keeps the failure of the earliest step and ends the steps behind it."""
        if isinstance(error, LimitError) and stop.poll():
            step.record.state = "stopped"
            return
        step.record.state = "failed"
        if self.failure is not None and self.failure[0] < step.order:
            return
        self.failure = (step.order, step, error)
        for other, late in list(self.running.items()):
            if late.order > step.order and other is not self.stop:
                other.cancel()

    def next_step(self, stop: Stop) -> PlannedStep | None:
        while True:
            if self.is_over or stop.poll():
                self.condition.notify_all()
                return None
            if self.ready and (self.failure is None or self.ready[0][0] < self.failure[0]):
                self.active += 1
                step = self.running[stop] = heapq.heappop(self.ready)[2]
                return step
            if not self.active:
                self.is_over = True
                self.condition.notify_all()
                return None
            self.idle += 1
            self.condition.wait()
            self.idle -= 1

    def run_step(self, step: PlannedStep, stop: Stop) -> None:
        frame: _Frame = step.frame
        record = step.record = Record(f"{step.number}{frame.suffix}", step.kind.name, step.path)
        step.is_started = True
        if frame.owner is not None:
            frame.records.append(record)
        if step.is_skipped:
            record.state = "skipped"
            for slot in step.results:
                slot.value = step.inputs[0].value if step.inputs else None
            self.complete(step)
            return
        if step.kind.control:
            self.run_control(step, record)
            return
        memory = memory_of_process() if self.measures else 0
        start, cpu = time.perf_counter(), time.thread_time()
        editor = self.call(step, record, stop)
        record.cpu = time.thread_time() - cpu
        record.seconds = time.perf_counter() - start
        if self.measures:
            record.memory = memory_of_process() - memory
        step.changed = record.changed
        self.complete(step, editor)

    def complete(self, step: PlannedStep, editor: GraphEditor | None = None) -> None:
        with self.condition:
            if editor is not None:
                frame: _Frame = step.frame
                editor.commit(lambda steps: self.replace(frame, step, steps))
            self.finish(step)
            self.active -= 1

    def replace(self, frame: _Frame, editing: PlannedStep, steps: list[PlannedStep]) -> None:
        """Makes `steps` the steps of a frame; those behind the editing step have not begun."""
        known = set(frame.steps)
        added = [step for step in steps if step not in known]
        frame.steps[:] = steps
        at = steps.index(editing) + 1
        base = editing.order[:-1]
        number_steps(added, f"{editing.number}+")
        # Orders of later steps are made anew: they stay behind all that have begun.
        first = editing.order[-1] + 1
        for index, step in enumerate(steps[at:], first):
            step.order = (*base, index)
        for step in added:
            step.frame = frame
        frame.undone += len(added)
        self.known += len(added)
        link(steps)

    def call(self, step: PlannedStep, record: Record, stop: Stop) -> GraphEditor | None:
        kind = step.kind
        key = None
        if self.cache is not None and kind.caches:
            key = self.cache.key(step, stop)
            hit, value = self.cache.find(key, record)
            if hit:
                record.state = "cached"
                self.store(step, value)
                return None
        editors: list[GraphEditor] = []

        def edit() -> GraphEditor:
            if not editors:
                with self.condition:
                    editors.append(GraphEditor(step, step.frame.steps))
            return editors[0]

        task = Task(
            kind.name,
            [slot.value for slot in step.inputs],
            step.params,
            stop,
            edit if kind.edits else None,
            any(slot.changed for slot in step.inputs),
        )
        try:
            value = self.executor.call(step, task)
            if editors:
                editors[0].check()
        except BaseException as error:
            try:
                task.take_back()
            except DynomiteError as trouble:
                text = f"{error} (and what the step changed could not be taken back: {trouble})"
                raise UsageError(text) from error
            raise
        final = True
        if isinstance(value, Outcome):
            record.changed, record.stats, record.notes = value.changed, value.stats, value.notes
            record.stop, record.text, final = value.stop, value.text, value.final
            value = value.value
        self.store(step, value)
        for slot in step.results:
            slot.changed = record.changed
        if key is not None and final and self.cache is not None:
            self.cache.keep(key, value, record)
        record.state = "done"
        return editors[0] if editors else None

    def store(self, step: PlannedStep, value: Any) -> None:
        results = step.results
        if len(results) == 1:
            results[0].value = value
            results[0].digest = None
        elif results:
            for slot, one in zip(results, value, strict=True):
                slot.value, slot.digest = one, None

    # Control ----------------------------------------------------------------------------------------------

    def run_control(self, step: PlannedStep, record: Record) -> None:
        start = time.perf_counter()

        def done() -> None:
            record.state = "done"
            record.seconds = time.perf_counter() - start
            record.cpu = sum(one.cpu for one in record.inner)
            record.memory = sum(one.memory for one in record.inner)
            record.changed = step.changed = any(one.changed for one in record.inner)
            for slot in step.results:
                slot.value, slot.changed = step.inputs[0].value, record.changed
            self.finish(step)

        if step.kind.control == "if":
            which = 0 if is_true(step.inputs[0].value) else 1
            record.stats = {"taken": "then" if which == 0 else "else"}
            body = step.bodies[which] if which < len(step.bodies) else []
            start_body = lambda: self.begin(_Frame(list(body), step, record.inner, done))  # noqa: E731
        else:
            start_body = lambda: self.round(step, record, 1, done)  # noqa: E731
        with self.condition:
            start_body()
            self.active -= 1
            self.condition.notify_all()

    def round(self, step: PlannedStep, record: Record, number: int, done: Callable[[], None]) -> None:
        """Begins one round of a loop, with the condition held."""
        bound: int = step.inputs[-1].value
        body = step.bodies[0]
        mark = len(record.inner)

        def ended() -> None:
            changed = any(one.changed for one in record.inner[mark:])
            record.stats = {"rounds": number, "converged": not changed}
            if changed and number < bound:
                for one in body:
                    for inner in one.inner_first():
                        inner.is_done = inner.is_started = inner.is_skipped = False
                self.round(step, record, number + 1, done)
                return
            if changed:
                record.notes = (
                    f"{step.title}: there were still changes in round {bound}, the last one allowed",
                )
            done()

        self.begin(_Frame(list(body), step, record.inner, ended, f"@{number}" if number > 1 else ""))
