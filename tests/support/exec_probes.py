"""Steps for the tests: waiting, failing, changing code, changing the graph."""

from __future__ import annotations

import threading
import time
from typing import Any

from dynomite.exec import Outcome, StepKind, Task, register_dialect, register_step
from dynomite.ir import Dialect

PROBE = register_dialect(Dialect("probe"))
NOP = PROBE.op("NOP", doc="Nothing.")
MARK = PROBE.op("MARK", variadic=True, doc="What steps leave behind.")

threads: set[str] = set()
calls: list[str] = []


def nothing(task: Task) -> Any:
    return task.inputs[0] if task.inputs else 1


def sleep(task: Task) -> int:
    """Sleeps milliseconds and says on how many threads this went on."""
    threads.add(threading.current_thread().name)
    end = time.monotonic() + int(task.params["ms"]) / 1000
    while time.monotonic() < end and not task.stop.poll():
        time.sleep(0.002)
    return int(task.params["ms"])


def mark(task: Task) -> Outcome:
    """Puts a mark at the end of code, as often as `times`; then fails if asked to."""
    module, instr = task.code
    block = module.body if instr is None else instr.regions[0].blocks[0]
    marks = sum(one.is_op(MARK) for one in block)
    wanted = int(task.params["upto"])
    if marks < wanted:
        task.builder.set_place(block)
        task.builder.build(MARK, str(task.params["text"]))
    if task.params["fail"]:
        raise RuntimeError("as told")
    return Outcome(task.code, marks < wanted, {"marks": marks})


def fail(task: Task) -> None:
    raise ValueError(f"failed {task.inputs[0]}")


def call(task: Task) -> int:
    calls.append(str(task.inputs[0]))
    return len(str(task.inputs[0]))


def edit(task: Task) -> None:
    """Skips steps `skip`, repeats the ones called `repeat`, inserts a mark."""
    graph = task.graph
    for step in graph.remaining:
        if step.name == task.params["skip"]:
            graph.skip(step)
    repeated = [step for step in graph.remaining if step.name == task.params["repeat"]]
    if repeated:
        graph.repeat(repeated[0])
    if task.params["insert"]:
        graph.insert("probe.exec.mark", graph.operand(0), params={"text": "inserted", "upto": 100})


def _step(name: str, run: Any, *, defs: int = 0, uses: int = 0, **facts: Any) -> None:
    op = PROBE.op(f"exec.{name}", defs=defs, uses=uses, variadic=True, doc="For tests.")
    register_step(StepKind(op, run, **facts))


_step("nothing", nothing, defs=1, result="same", operands=(0, 9))
_step("sleep", sleep, defs=1, result="data", operands=(0, 9), params={"ms": 100})
_step(
    "mark",
    mark,
    defs=1,
    result="same",
    effect="writes",
    takes="code",
    whole=True,
    params={"text": "m", "upto": 1_000, "fail": False},
)
_step("fail", fail, operands=(1, 2))
_step("call", call, defs=1, result="data", operands=(1, 2), caches=True)
_step("unshippable", nothing, defs=1, result="data", operands=(0, 9))
_step("unnamed", nothing, defs=1, result="data", operands=(0, 9), ships=True)
_step("shipped", "tests.support.exec_probes:call", defs=1, result="data", operands=(1, 2), ships=True)
_step(
    "edit",
    edit,
    effect="reads",
    takes="code",
    edits=True,
    operands=(1, 1),
    params={"skip": "", "repeat": "", "insert": False},
)
