"""Random mutations against a plain model, with rollback to any point."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,  # pyright: ignore[reportUnknownVariableType]
)

from dynomite.errors import StaleRefError, UsageError
from dynomite.ir import (
    BlockId,
    BlockRef,
    Builder,
    Def,
    InstrId,
    InstrRef,
    Operand,
    Origin,
    StoreKind,
    Tracking,
    ValueId,
    ValueRef,
    read_bytecode,
    write_bytecode,
)
from dynomite.ir.analyses import DominanceOrder, OpcodeIndex, UseCounts
from dynomite.ir.tables import all_blocks
from tests.dynomite.ir.demo_dialect import ADD, DEMO, IN, PAIR, SUB, USE, WORD, new_module
from tests.dynomite.ir.reference_module import Model, snapshot

OPS = [IN, ADD, SUB, PAIR, USE]


class Mutations(RuleBasedStateMachine):
    """Every rule does the same to a module and to the model."""

    store = StoreKind.ARENA
    tracking = Tracking.LAZY_TRACKING

    @initialize()
    def start(self) -> None:
        self.module, self.word = new_module(self.store)
        self.builder = Builder(self.module, tracking=self.tracking)
        self.index, self.counts = OpcodeIndex(self.module), UseCounts(self.module)
        self.order = DominanceOrder(self.module)
        if self.tracking == Tracking.EAGER:
            for analysis in (self.index, self.counts, self.order):
                analysis.follow(self.builder)
        for _ in range(2):
            self.builder.create_block(self.module.body.region)
        self.model = snapshot(self.module)
        self.marks: list[tuple[int, int, Model, bytes]] = []
        self.dead: list[InstrRef | ValueRef | BlockRef] = []
        self.save()

    def save(self) -> None:
        state = write_bytecode(self.module)
        self.marks.append((self.builder.mark, self.module.stamp, self.model.copy(), state))

    def pick(self, data: st.DataObject, keys: Any) -> int:
        return data.draw(st.sampled_from(sorted(keys)))

    def value(self, key: int) -> ValueRef:
        return self.module.value(ValueId(key))

    def instr(self, key: int) -> InstrRef:
        return self.module.instr(InstrId(key))

    def block(self, key: int) -> BlockRef:
        return self.module.block(BlockId(key))

    @rule(data=st.data())
    def build(self, data: st.DataObject) -> None:
        op = data.draw(st.sampled_from(OPS))
        block = self.pick(data, self.model.blocks)
        place = data.draw(st.integers(-1, len(self.model.blocks[block]) - 1))
        before = None if place < 0 else self.instr(self.model.blocks[block][place])
        self.builder.set_place(self.block(block), before=before)
        values = sorted(self.model.uses)
        count = 0 if op is IN or not values else data.draw(st.integers(1, 3))
        uses = [data.draw(st.sampled_from(values)) for _ in range(count)]
        operands = [self.value(key) for key in uses]
        attrs: dict[str, Operand] | None = data.draw(st.sampled_from([None, {"k": 1}, {"k": "text", "l": 2}]))
        made = self.builder.build(op, *[Def(self.word)] * op.defs, *operands, attrs=attrs)
        key = made.ref.id
        self.model.create(key, op.full_name, [value.ref.id for value in made.defs], uses)
        self.model.blocks[block].insert(len(self.model.blocks[block]) if place < 0 else place, key)

    @precondition(lambda self: self.model.instrs)
    @rule(data=st.data())
    def erase(self, data: st.DataObject) -> None:
        key = self.pick(data, self.model.instrs)
        instr = self.instr(key)
        if not self.model.can_erase(key):
            with pytest.raises(UsageError):
                self.builder.erase(instr)
            return
        self.dead += [instr, *instr.defs]
        self.builder.erase(instr)
        self.model.erase(key)

    @precondition(lambda self: self.model.instrs)
    @rule(data=st.data())
    def set_operand(self, data: st.DataObject) -> None:
        key = self.pick(data, self.model.instrs)
        if not self.model.instrs[key].uses:
            return
        index = data.draw(st.integers(0, len(self.model.instrs[key].uses) - 1))
        value = self.pick(data, self.model.uses)
        self.builder.set_operand(self.instr(key), len(self.model.instrs[key].defs) + index, self.value(value))
        self.model.set_operand(key, index, value)

    @precondition(lambda self: self.model.uses)
    @rule(data=st.data())
    def replace_all_uses(self, data: st.DataObject) -> None:
        old, new = self.pick(data, self.model.uses), self.pick(data, self.model.uses)
        self.builder.replace_all_uses(self.value(old), self.value(new))
        self.model.replace_all_uses(old, new)

    @precondition(lambda self: self.model.instrs)
    @rule(data=st.data())
    def set_opcode(self, data: st.DataObject) -> None:
        key = self.pick(data, self.model.instrs)
        op = data.draw(st.sampled_from([ADD, SUB]))
        self.builder.set_opcode(self.instr(key), op)
        self.model.instrs[key].name = op.full_name

    @precondition(lambda self: self.model.uses)
    @rule(data=st.data(), name=st.sampled_from(["a", "b", None]))
    def name(self, data: st.DataObject, name: str | None) -> None:
        key = self.pick(data, self.model.uses)
        self.builder.set_value_name(self.value(key), name)
        self.model.names.pop(key, None)
        if name is not None:
            self.model.names[key] = name

    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        """Moves a range of a block behind something in another one."""
        source, target = self.pick(data, self.model.blocks), self.pick(data, self.model.blocks)
        if source == target or not self.model.blocks[source]:
            return
        row, goal = self.model.blocks[source], self.model.blocks[target]
        first = data.draw(st.integers(0, len(row) - 1))
        last = data.draw(st.integers(first, len(row) - 1))
        behind = data.draw(st.integers(0, len(goal)))
        previous = None if behind == 0 else self.instr(goal[behind - 1])
        self.builder.splice(
            self.block(target),
            self.block(source),
            self.instr(row[first]),
            self.instr(row[last]),
            behind=previous,
        )
        goal[behind:behind] = row[first : last + 1]
        del row[first : last + 1]

    @rule(data=st.data())
    def blocks(self, data: st.DataObject) -> None:
        key = self.pick(data, self.model.blocks)
        if self.model.blocks[key] or key == self.module.body.ref.id:
            made = self.builder.create_block(self.module.body.region)
            self.model.blocks[made.ref.id] = []
        else:
            self.dead.append(self.block(key))
            self.builder.erase_block(self.block(key))
            del self.model.blocks[key]

    @precondition(lambda self: self.model.uses)
    @rule(data=st.data(), width=st.integers(1, 3), line=st.integers(0, 3))
    def what_the_model_does_not_know(self, data: st.DataObject, width: int, line: int) -> None:
        """Types, locations and attributes: nothing else may change by them, and rollback restores them."""
        value = self.value(self.pick(data, self.model.uses))
        self.builder.set_type(value, self.module.type(WORD, width))
        self.builder.set_location(value.instr, Origin("file", line))
        if value.instr.attributes:
            self.builder.set_attributes(value.instr, {"line": line})

    @invariant()
    def bytecode_is_the_module(self) -> None:
        state = write_bytecode(self.module)
        assert write_bytecode(read_bytecode(state, self.module.context)) == state

    @rule()
    def mark(self) -> None:
        self.save()

    @precondition(lambda self: self.store != StoreKind.POOL)
    @rule(data=st.data())
    def rollback(self, data: st.DataObject) -> None:
        which = data.draw(st.integers(0, len(self.marks) - 1))
        mark, stamp, model, state = self.marks[which]
        self.builder.rollback(mark)
        del self.marks[which + 1 :]
        self.model = model.copy()
        assert self.module.stamp == stamp
        assert write_bytecode(self.module) == state, "attributes, types and locations too"
        # What rollback brings back to life may be used again.
        self.dead = [ref for ref in self.dead if not ref.is_live]

    @invariant()
    def same_as_model(self) -> None:
        assert snapshot(self.module) == self.model
        assert len(self.module) == len(self.model.instrs)

    @invariant()
    def dead_handles_raise(self) -> None:
        for ref in self.dead:
            assert not ref.is_live
            with pytest.raises(StaleRefError):
                _ = ref.references if isinstance(ref, (InstrRef, BlockRef)) else ref.uses

    @invariant()
    def analyses_are_valid(self) -> None:
        if self.tracking != Tracking.EAGER:
            return
        for op in OPS:
            wanted = [key for key, instr in self.model.instrs.items() if instr.name == op.full_name]
            assert [instr.ref.id for instr in self.index.instrs(op)] == sorted(wanted)
            assert self.index.count(op) == len(wanted)
        for key, uses in self.model.uses.items():
            assert self.counts.count(self.value(key)) == len(uses)
        numbers = [self.order.number(instr) for instr in self.module.body]
        assert all(first < second for first, second in pairwise(numbers))


class CheckedMutations(Mutations):
    store = StoreKind.CHECKED


class PooledMutations(Mutations):
    store = StoreKind.POOL


class EagerMutations(Mutations):
    tracking = Tracking.EAGER


LIMITS = settings(
    max_examples=25,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.mark.parametrize("machine", [Mutations, CheckedMutations, PooledMutations, EagerMutations])
def test_random_mutations(machine: type[Mutations]) -> None:
    run_state_machine_as_test(machine, settings=LIMITS)


def test_the_dialect_is_what_the_model_knows() -> None:
    assert set(OPS) <= set(DEMO.ops)
    module, _ = new_module()
    assert [block.ref.id for block in all_blocks(module)] == [module.body.ref.id]
