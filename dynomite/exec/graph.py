"""Execution graphs as lists of steps.

    let prog = CFG { ... }
    let test = ExecutionGraph {
      core.exec.cse def(%a) %prog
      core.exec.dce def(%b) %a
      core.exec.print %b
    }

A step works in place on what its operand names, `let NAME = ...` or the result of an earlier step; its
result, if it has one, stands for the same code afterwards. Attributes are the parameters of the pass.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import fields

from dynomite._native.base import Stop
from dynomite.errors import UsageError
from dynomite.ir import Const, Dialect, InstrRef, Module, ValueRef
from dynomite.passes.pipeline import PASSES, Step, make_pass, pass_class

EXEC = Dialect("core")
"""Operations of execution graphs, to be loaded beside the dialects of the code."""

GRAPH = EXEC.op("ExecutionGraph", symbol=True, isolated=True, doc="Steps to be executed.")
PRINT = EXEC.op("exec.print", variadic=True, doc="Prints code, or the whole module without an operand.")
_STEPS = {f"core.exec.{name}": name for name in PASSES}
for _name in PASSES:
    EXEC.op(f"exec.{_name}", defs=1, variadic=True, doc=f"Runs {_name} on code, or on the whole module.")


def graphs(module: Module) -> dict[str, InstrRef]:
    """The execution graphs of a module by name, in order."""
    found = (instr for instr in module.body if instr.is_op(GRAPH))
    return {name: instr for instr in found if (name := instr.symbol_name) is not None}


def run_graph(
    module: Module,
    graph: InstrRef,
    *,
    show: Callable[[InstrRef | None], object],
    stop: Stop | None = None,
) -> Iterator[Step]:
    """Executes the steps of `graph` in order.

    Args:
        module: What holds the graph and the code.
        graph: One of `graphs(module)`.
        show: What `core.exec.print` does with code; None is the whole module.
        stop: Ends it early; the remaining steps are left out.

    Yields:
        Each pass that ran.

    Raises:
        UsageError: A step has operands or attributes that mean nothing to it; says which.
    """
    stop = Stop() if stop is None else stop
    code: dict[ValueRef, InstrRef | None] = {}
    steps = [instr for region in graph.regions for block in region.blocks for instr in block]
    for number, step in enumerate(steps, 1):
        try:
            target = _target(step, code)
            if step.is_op(PRINT):
                show(target)
            elif step.name in _STEPS:
                yield _run(module, step, target, stop)
            else:
                raise UsageError("this is no step of an execution graph")
        except Exception as error:
            error.add_note(f"in step {number} of @{graph.symbol_name}: {step.name}")
            raise
        code |= dict.fromkeys(step.defs, target)
        if stop.poll():
            return


def _target(step: InstrRef, code: dict[ValueRef, InstrRef | None]) -> InstrRef | None:
    uses = [use for use in step.uses if not isinstance(use, dict)]
    if len(uses) > 1:
        raise UsageError(f"{step.name} takes one operand")
    for use in uses:
        if isinstance(use, InstrRef):
            return use
        if isinstance(use, ValueRef) and use in code:
            return code[use]
        raise UsageError(f"the operand of {step.name} names no code and no earlier step")
    return None


def _run(module: Module, step: InstrRef, target: InstrRef | None, stop: Stop) -> Step:
    name = _STEPS[step.name]
    flags = {field.name for field in fields(pass_class(name).Params) if isinstance(field.default, bool)}
    values: list[tuple[str, str]] = []
    for key, value in step.attributes.items():
        number = value.value if isinstance(value, Const) else value
        text = str(bool(number)).lower() if key in flags and number in (0, 1) else str(number)
        values.append((key, text))
    item = make_pass(name, values)
    start = time.perf_counter()
    result = item(module, within=target, stop=stop)
    return Step(name, result, time.perf_counter() - start)
