"""A plain Python model of a module, for comparison: what is where, and the order of use lists."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

from dynomite.ir import InstrRef, Module, ValueRef
from dynomite.ir.tables import all_blocks


@dataclass
class ModelInstr:
    name: str
    defs: list[int]
    uses: list[int]
    attrs: dict[str, int] = field(default_factory=dict[str, int])


@dataclass
class Model:
    """Instructions, values and blocks by key; a value's uses are (instruction, operand), latest first."""

    instrs: dict[int, ModelInstr] = field(default_factory=dict[int, ModelInstr])
    uses: dict[int, list[tuple[int, int]]] = field(default_factory=dict[int, list[tuple[int, int]]])
    names: dict[int, str] = field(default_factory=dict[int, str])
    blocks: dict[int, list[int]] = field(default_factory=dict[int, list[int]])

    def copy(self) -> Model:
        return copy.deepcopy(self)

    def create(self, key: int, name: str, defs: list[int], uses: list[int]) -> None:
        self.instrs[key] = ModelInstr(name, defs, list(uses))
        for value in defs:
            self.uses[value] = []
        for index, value in enumerate(uses):
            self.uses[value].insert(0, (key, len(defs) + index))

    def erase(self, key: int) -> None:
        for value in set(self.instrs[key].uses):
            self.uses[value] = [use for use in self.uses[value] if use[0] != key]
        for value in self.instrs[key].defs:
            del self.uses[value]
            self.names.pop(value, None)
        for block in self.blocks.values():
            if key in block:
                block.remove(key)
        del self.instrs[key]

    def can_erase(self, key: int) -> bool:
        return all(user == key for value in self.instrs[key].defs for user, _ in self.uses[value])

    def set_operand(self, key: int, index: int, value: int) -> None:
        instr = self.instrs[key]
        operand = len(instr.defs) + index
        self.uses[instr.uses[index]].remove((key, operand))
        instr.uses[index] = value
        self.uses[value].insert(0, (key, operand))

    def replace_all_uses(self, old: int, new: int) -> None:
        if old == new:
            return
        for key, operand in self.uses[old]:
            self.instrs[key].uses[operand - len(self.instrs[key].defs)] = new
        self.uses[new] = self.uses[old] + self.uses[new]
        self.uses[old] = []


def snapshot(module: Module) -> Model:
    """The module as a model; keys are the ids."""
    model = Model()
    for instr in module.instrs():
        uses = [operand.ref.id for operand in instr.uses if isinstance(operand, ValueRef)]
        model.instrs[_id(instr)] = ModelInstr(instr.name, [value.ref.id for value in instr.defs], uses)
        for value in instr.defs:
            model.uses[value.ref.id] = [(_id(user), operand) for user, operand in value.uses]
            if value.name is not None:
                model.names[value.ref.id] = value.name
    for block in all_blocks(module):
        model.blocks[block.ref.id] = [_id(instr) for instr in block]
    return model


def _id(instr: InstrRef) -> int:
    return instr.ref.id
