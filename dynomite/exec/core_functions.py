"""What the steps of the dialect core do."""

from __future__ import annotations

from typing import Any

from dynomite._native.passes import clone_module, clone_only
from dynomite.errors import UsageError, VerifyError
from dynomite.exec.kinds import Code, Outcome, Task, printed
from dynomite.formats.base import read_circuit, write_circuit
from dynomite.ir import InstrRef, print_module
from dynomite.passes.pipeline import pass_class


def run_pass(task: Task) -> Outcome:
    """Runs the pass that has the step's name."""
    return _run_pass(task, task.name.removeprefix("core.exec."))


def _run_pass(task: Task, name: str) -> Outcome:
    cls = pass_class(name)
    module, instr = task.code
    result = cls(cls.Params(**task.params))(module, within=instr, builder=task.builder, stop=task.stop)
    return Outcome(task.code, result.changed, dict(result.stats), result.notes, result.stop)


def print_value(task: Task) -> Outcome:
    """Prints code as text, and anything else as `str` has it."""
    return Outcome(text=shown(task.inputs[0]), changed=False)


def shown(value: Any) -> str:
    """The text of a value, which ends a line."""
    if isinstance(value, Code):
        text = print_module(
            value.module if value.instr is None else clone_only(value.instr), declarations=value.instr is None
        )
    else:
        text = printed(value)
    return text if text.endswith("\n") or not text else f"{text}\n"


def snapshot(task: Task) -> Code:
    """Copies code."""
    module, instr = task.code
    if instr is None:
        return Code(clone_module(module), None)
    copy = clone_only(instr)
    return Code(copy, copy.body.first)


def join(task: Task) -> Any:
    """Hands the first operand on."""
    return task.inputs[0]


def instrs_below(code: Code) -> list[InstrRef]:
    """All instructions of code, its own one included."""
    if code.instr is None:
        return list(code.module.instrs())
    found = [code.instr]
    for instr in found:
        found += [inner for region in instr.regions for block in region.blocks for inner in block]
    return found


def count(task: Task) -> int:
    """Counts instructions of an operation."""
    name = task.inputs[1]
    if not isinstance(name, str):
        raise UsageError("the name of an operation is needed as the second operand")
    return sum(instr.name == name for instr in instrs_below(task.code))


def changed(task: Task) -> bool:
    """Tells whether a step changed anything."""
    return task.inputs_changed


def is_true(value: Any) -> bool:
    """What conditions make of a value: a verdict is true if the circuits are equivalent."""
    status = getattr(value, "equivalent", None)
    return bool(value if status is None else status)


def expect(task: Task) -> None:
    """Fails unless the operand is as expected."""
    value = task.inputs[0]
    if len(task.inputs) == 1:
        if not is_true(value):
            raise VerifyError(f"this is not true: {shown(value).rstrip()}")
        return
    wanted = task.inputs[1]
    given = getattr(value, "status", value)
    if str(given) != str(wanted):
        raise VerifyError(f"'{wanted}' was expected, this is: {shown(value).rstrip()}")


def read(task: Task) -> Outcome:
    """Reads a circuit."""
    notes: list[str] = []
    aig = read_circuit(str(task.inputs[0]), str(task.params["format"]) or None, notes=notes, stop=task.stop)
    return Outcome(aig, notes=tuple(notes))


def write(task: Task) -> Outcome:
    """Writes a circuit."""
    notes: list[str] = []
    aig, path = task.inputs
    write_circuit(aig, str(path), str(task.params["format"]) or None, notes=notes)
    return Outcome(notes=tuple(notes))


def skip_unless_used(task: Task) -> Outcome:
    """Skips steps that have nothing to do."""
    _, used, name = task.inputs
    if any(instr.name == used for instr in instrs_below(task.code)):
        return Outcome()
    skipped = [step for step in task.graph.remaining if step.name == name]
    for step in skipped:
        task.graph.skip(step)
    return Outcome(stats={"skipped": len(skipped)})
