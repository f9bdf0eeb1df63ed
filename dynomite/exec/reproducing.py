"""Reproducers: a file with the code and the steps that were left when one of them failed.

The file is text of the IR and runs as it is: `dynomite exec FILE --graph NAME`. Circuits that finished steps
had made lie beside it as binary AIGER files, which the steps left read.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from dynomite._native.aig import Aig
from dynomite.errors import ExecutionError
from dynomite.exec.core_steps import GRAPH
from dynomite.exec.kinds import Code, Param
from dynomite.exec.plan import Plan, PlannedStep, Slot
from dynomite.formats.base import write_circuit
from dynomite.ir import Module, print_module


def write_reproducer(
    path: str | os.PathLike[str], module: Module, plan: Plan, error: ExecutionError, command: str = ""
) -> None:
    """Writes what is needed to see a failure again.

    Args:
        path: The file.
        module: The code, as it is after the failure.
        plan: The plan that failed.
        error: The failure.
        command: The command line that met it.

    Raises:
        OSError: A file cannot be written.
    """
    target = Path(path)
    writer = _Writer(target, module, plan)
    name = plan.name
    lines = [f"// RUN: dynomite exec {target.name} --graph {name} -j 1"]
    lines += [f"// {line}" for line in str(error).splitlines()]
    if command:
        lines.append(f"// command: {command}")
    code = _without_graphs(print_module(module), module)
    steps = writer.steps(plan.steps, "  ")
    text = "\n".join([*lines, code + f"let {name} = ExecutionGraph {{", *steps, "}", ""])
    target.write_text(text, "utf-8", "surrogateescape")


def _without_graphs(text: str, module: Module) -> str:
    """Printed code without the graphs, which are instructions at the top and end with a line `}`."""
    names = {instr.symbol_name for instr in module.body if instr.is_op(GRAPH)}
    heads = {f"let {name} = ExecutionGraph" for name in names}
    kept: list[str] = []
    skipping = False
    for line in text.splitlines():
        if not skipping and any(line.startswith(head) for head in heads):
            skipping = not line.endswith("}")
            continue
        if skipping:
            skipping = line != "}"
            continue
        kept.append(line)
    return "\n".join(kept) + "\n"


class _Writer:
    def __init__(self, target: Path, module: Module, plan: Plan) -> None:
        self.target = target
        self.module = module
        self.names: dict[Slot, str] = {}
        self.used: set[str] = {step.symbol_name or "" for step in module.body}
        self.files = 0
        self.plan = plan

    def steps(self, steps: list[PlannedStep], indent: str) -> list[str]:
        lines: list[str] = []
        for step in steps:
            if step.is_done or step.is_skipped:
                continue
            operands: list[str] = []
            for slot in step.inputs:
                operand = self.operand(slot, lines, indent)
                if operand is None:
                    lines.append(f"{indent}// left out, its operand is not kept: {step.name}")
                    break
                operands.append(operand)
            else:
                lines += self.step(step, operands, indent)
        return lines

    def step(self, step: PlannedStep, operands: list[str], indent: str) -> list[str]:
        params = {key: value for key, value in step.params.items() if value != step.kind.defaults.get(key)}
        defined = [f"def(%{self.name(slot)})" for slot in step.results]
        if not defined and step.kind.result != "none":
            defined = [f"def(%{self.name(Slot('unused'))})"]
        words = [step.name, *defined, *operands]
        if params:
            shown = ", ".join(f"{key} = {_literal(value)}" for key, value in params.items())
            words.append(f"{{{shown}}}")
        if not step.bodies:
            return [indent + " ".join(words)]
        lines: list[str] = []
        for number, body in enumerate(step.bodies):
            lines.append(f"{indent}{' '.join(words)} {{" if number == 0 else f"{indent}}} {{")
            lines += self.steps(body, indent + "  ")
        return [*lines, f"{indent}}}"]

    def name(self, slot: Slot) -> str:
        if slot not in self.names:
            base = slot.name if slot.name.isidentifier() else "v"
            name, number = base, 0
            while name in self.used:
                number += 1
                name = f"{base}_{number}"
            self.used.add(name)
            self.names[slot] = name
        return self.names[slot]

    def operand(self, slot: Slot, lines: list[str], indent: str) -> str | None:
        """How a step names an operand; puts a step that reads it in front if needed."""
        if slot in self.names:
            return f"%{self.names[slot]}"
        value: Any = slot.root.value if slot.home is not None else slot.value
        if isinstance(value, Code) and value.module is self.module:
            if value.instr is None or not value.instr.is_live:
                return "" if value.instr is None else None
            name = value.instr.symbol_name
            return None if name is None else f"@{_symbol(name)}"
        if isinstance(value, str) and slot.producer is None:
            return _literal(value)
        if isinstance(value, int) and slot.producer is None:
            return str(value)
        if isinstance(value, Aig):
            self.files += 1
            path = self.target.with_name(f"{self.target.stem}.{self.files}.aig")
            write_circuit(value, path)
            lines.append(f"{indent}core.exec.read def(%{self.name(slot)}) {_literal(str(path))}")
            return f"%{self.names[slot]}"
        return None


def _symbol(name: str) -> str:
    plain = name.replace("_", "a").replace(".", "a").replace("$", "a")
    return name if plain.isascii() and plain.isalnum() and not name[0].isdigit() else _literal(name)


def _literal(value: Param) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    text = str(value).encode("utf-8", "surrogateescape")
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\x{b:02X}" for b in text) + '"'
