"""What the steps of execution graphs on netlists of words do."""

from __future__ import annotations

from dmt_dialect.passes.canonicalize import Canonicalize, CanonicalizeParams
from dynomite.errors import UsageError
from dynomite.exec.kinds import Outcome, Task
from dynomite.ir import InstrRef
from dynomite.passes.base import Pass
from hw_dialect.elaborate import elaborate, lower
from hw_dialect.passes.inline import Inline, InlineParams


def run_inline(task: Task) -> Outcome:
    """Inlines all instances of code."""
    return _run(task, Inline(InlineParams(limit=int(task.params["limit"]))))


def run_simplify(task: Task) -> Outcome:
    """Canonicalises code."""
    return _run(task, Canonicalize(CanonicalizeParams(dead=bool(task.params["dead"]))))


def _run(task: Task, work: Pass[InlineParams] | Pass[CanonicalizeParams]) -> Outcome:
    module, instr = task.code
    result = work(module, within=instr, builder=task.builder, stop=task.stop)
    return Outcome(task.code, result.changed, dict(result.stats), result.notes, result.stop)


def run_circuit(task: Task) -> Outcome:
    """Lowers code."""
    module, instr = task.code
    top = str(task.params["top"])
    if instr is not None:
        if top:
            raise UsageError("hw.exec.circuit: 'top' goes with the whole module")
        top = path_of(instr)
    net = elaborate(module, top, stop=task.stop)
    aig = lower(net, architecture=str(task.params["architecture"]), stop=task.stop)
    return Outcome(aig, stats={"ands": aig.num_ands}, notes=tuple(net.notes))


def path_of(instr: InstrRef) -> str:
    """The name of a module as `elaborate` takes it: with the tables around it."""
    names: list[str] = []
    at: InstrRef | None = instr
    while at is not None:
        name = at.symbol_name
        if name is None:
            raise UsageError(f"{at.name} has no name: it cannot be lowered")
        names.append(name)
        at = at.parent
    return "::".join(reversed(names))
