"""Inlining: instances are replaced by what is in their modules, all the way down.

    INSTANCE @half "u1" "a" %x "b" %y "s" %s:def(wire(1))    ->    XOR %"u1/s":def(wire(1)) %x %y

Values, registers and memories get the instance's path in front of their names; parameters become constants,
and instructions keep their origins, to which that of the instance is added. Limits: at most `limit`
instructions are made, so that a hierarchy that doubles at every level is refused; modules have to be free of
errors (`hw_dialect.elaborate`).
"""

from __future__ import annotations

from dataclasses import dataclass

from dynomite._native import passes as native
from dynomite._native import word_net
from dynomite._native.base import Stop
from dynomite.errors import LimitError, VerifyError
from dynomite.ir import Builder, Const, InstrRef, SymbolRef, ValueRef
from dynomite.ir.operands import Operand
from dynomite.ir.symbols import symbol_lookup
from dynomite.passes.base import Params, Pass, PassResult
from hw_dialect import ops as hw


@dataclass(frozen=True)
class InlineParams(Params):
    """Parameters of `Inline`.

    Attributes:
        limit: Most instructions that are made.
    """

    limit: int = 10_000_000


class Inline(Pass[InlineParams]):
    """Inlines all instances of a scope; see the head of this file."""

    name = "inline"
    Params = InlineParams

    def run(self, builder: Builder, within: InstrRef | None, stop: Stop) -> PassResult:
        """Does the work.

        Raises:
            VerifyError: The modules are not right.
            LimitError: More instructions than the limit would be made.
        """
        module = builder.module
        violations, text = word_net.module_violations(module, stop=stop)
        if violations:
            raise VerifyError(text)
        scope = module.instrs() if within is None else _inside(within)
        waiting = [instr for instr in scope if instr.is_op(hw.INSTANCE)]
        waiting.reverse()
        targets = _targets(builder)
        count = made = 0
        while waiting and not stop.poll():
            instance = waiting.pop()
            count += 1
            source = targets[instance].regions[0].entry
            made += 0 if source is None else len(source)
            if made > self.params.limit:
                raise LimitError(f"inline: more than {self.params.limit} instructions")
            waiting += reversed(_inline(builder, instance, targets))
        return PassResult(count > 0, {"instances": count}, stop.reason)


def _inside(within: InstrRef) -> list[InstrRef]:
    return [instr for region in within.regions for block in region.blocks for instr in block]


def _targets(builder: Builder) -> dict[InstrRef, InstrRef]:
    """The module of every instance. Looked up once for each name in a table."""
    known: dict[tuple[InstrRef | None, Operand], InstrRef] = {}
    targets: dict[InstrRef, InstrRef] = {}
    for instr in builder.module.instrs():
        if not instr.is_op(hw.INSTANCE):
            continue
        reference = next(operand for operand in instr.operands if isinstance(operand, SymbolRef))
        around = instr.parent
        key = (None if around is None else around.parent, reference)
        if key not in known:
            found = symbol_lookup(instr, reference)
            assert found is not None
            known[key] = found
        targets[instr] = known[key]
    return targets


@dataclass(frozen=True)
class _Connections:
    """What an instance says: by port, or in order where it names none."""

    name: str
    inputs: list[tuple[str, ValueRef | Const]]
    outputs: list[tuple[str, ValueRef]]


def _read(instance: InstrRef) -> _Connections:
    name: str | None = None
    port = ""
    inputs: list[tuple[str, ValueRef | Const]] = []
    outputs: list[tuple[str, ValueRef]] = []
    for index, operand in enumerate(instance.operands):
        if isinstance(operand, str):
            if name is None:
                name = operand
            else:
                port = operand
        elif isinstance(operand, ValueRef | Const):
            if isinstance(operand, ValueRef) and instance.is_def(index):
                outputs.append((port, operand))
            else:
                inputs.append((port, operand))
            port = ""
    assert name is not None
    return _Connections(name, inputs, outputs)


def _replace(builder: Builder, old: ValueRef, new: ValueRef | Const) -> None:
    if isinstance(new, ValueRef):
        builder.replace_all_uses(old, new)
        return
    for user, index in old.uses:
        builder.set_operand(user, index, new)


def _inline(builder: Builder, instance: InstrRef, targets: dict[InstrRef, InstrRef]) -> list[InstrRef]:
    """Puts the code of the module in place of the instance; returns the instances in it."""
    said = _read(instance)
    home = instance.block
    assert home is not None
    source = targets.pop(instance).regions[0]
    region = native.clone_region(builder, source)
    block = region.entry
    assert block is not None
    assert source.entry is not None
    code = list(block)
    for original, copy in zip(source.entry, code, strict=True):
        if original in targets:
            targets[copy] = targets[original]
    params = instance.attribute("params")
    chosen = params if isinstance(params, dict) else {}
    if code:
        builder.splice(home, block, code[0], code[-1], behind=instance)
    builder.erase_block(block)
    builder.erase_region(region)
    inputs = dict(said.inputs) if any(port for port, _ in said.inputs) else None
    in_order = iter([value for _, value in said.inputs])
    outputs: list[tuple[str, ValueRef | Const]] = []
    inner: list[InstrRef] = []
    for instr in code:
        if instr.is_op(hw.IN):
            given = next((use for use in instr.uses if isinstance(use, str)), instr.result.name or "")
            _replace(builder, instr.result, next(in_order) if inputs is None else inputs[given])
            builder.erase(instr)
        elif instr.is_op(hw.OUT):
            port, value = instr.uses[:2]
            assert isinstance(port, str)
            assert isinstance(value, ValueRef | Const)
            outputs.append((port, value))
            builder.erase(instr)
        elif instr.is_op(hw.PARAM):
            given = next((use for use in instr.uses if isinstance(use, str)), instr.result.name or "")
            default = next(use for use in instr.uses if isinstance(use, Const))
            value = chosen.get(given, default)
            assert isinstance(value, Const)
            _replace(builder, instr.result, value)
            builder.erase(instr)
        else:
            _move(builder, instr, said.name, instance)
            if instr.is_op(hw.INSTANCE):
                inner.append(instr)
    _connect_outputs(builder, said, outputs)
    builder.erase(instance)
    return inner


def _move(builder: Builder, instr: InstrRef, path: str, instance: InstrRef) -> None:
    """Names and origins of an instruction in its new place."""
    for value in instr.defs:
        if value.name is not None:
            builder.set_value_name(value, f"{path}/{value.name}")
    if instr.is_op(hw.INSTANCE):
        index = next(i for i, operand in enumerate(instr.operands) if isinstance(operand, str))
        builder.set_operand(instr, index, f"{path}/{instr.operands[index]}")
    name = instr.attribute("name")
    if isinstance(name, str):
        builder.set_attributes(instr, {**instr.attributes, "name": f"{path}/{name}"})
    places = dict.fromkeys([*instr.location, *instance.location])
    if places:
        builder.set_location(instr, list(places))


def _connect_outputs(
    builder: Builder, said: _Connections, outputs: list[tuple[str, ValueRef | Const]]
) -> None:
    by_name = dict(outputs)
    named = any(port for port, _ in [*said.inputs, *said.outputs])
    for index, (port, value) in enumerate(said.outputs):
        _replace(builder, value, by_name[port] if named else outputs[index][1])
