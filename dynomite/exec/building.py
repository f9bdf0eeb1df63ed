"""Building: from a `core.ExecutionGraph` of a module to a `Plan`, checked before anything runs."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager

from dynomite._native.passes import symbol_lookup
from dynomite.errors import DynomiteError, ExecutionError, UsageError
from dynomite.exec.composing import Stage, compose, drop_repeated_cleanups
from dynomite.exec.core_steps import GRAPH
from dynomite.exec.kinds import Code, Param, StepKind, known_steps
from dynomite.exec.plan import Plan, PlannedStep, Slot, number_steps
from dynomite.ir import BlockRef, Const, InstrRef, Module, SymbolRef, ValueRef
from dynomite.ir.operands import Operand

HOME = "the module of the graph"
"""Resource of the module that holds the graph."""
MAX_ROUNDS = 1_000
"""Largest bound of `core.exec.until_converge`."""
MAX_NESTING = 50
"""Loops, conditions, groups, stages and called graphs in each other."""


def graphs(module: Module) -> dict[str, InstrRef]:
    """The execution graphs of a module by name, in order."""
    found = (instr for instr in module.body if instr.is_op(GRAPH))
    return {name: instr for instr in found if (name := instr.symbol_name) is not None}


def plan_graph(module: Module, graph: InstrRef | str) -> Plan:
    """Plans a graph.

    Args:
        module: What holds the graph and the code.
        graph: One of `graphs(module)`, or its name.

    Raises:
        ExecutionError: Stage "building" or "scheduling": a step has operands or parameters that mean nothing
            to it, stages form a cycle, graphs call each other in a circle; with the step and its place.
        UsageError: There is no such graph.
    """
    if isinstance(graph, str):
        known = graphs(module)
        if graph not in known:
            raise UsageError(f"no execution graph '{graph}' (there are: {', '.join(known) or 'none'})")
        graph = known[graph]
    name = graph.symbol_name or ""
    builder = _Builder(module, name)
    steps = builder.body(graph, [name])
    steps[:0] = builder.first_copies.values()
    plan = Plan(name, steps, Code(module, None))
    plan.dropped = drop_repeated_cleanups(plan.steps)
    if plan.dropped or builder.first_copies:
        number_steps(plan.steps)
    return plan


class _Builder:
    def __init__(self, module: Module, name: str) -> None:
        self.module = module
        self.name = name
        self.kinds: dict[int, StepKind] = {}
        self.known = known_steps()
        self.slots: dict[ValueRef, Slot] = {}
        self.whole = Slot("", HOME, Code(module, None))
        self.code: dict[InstrRef, Slot] = {}
        self.found: dict[tuple[BlockRef | None, tuple[str, ...]], InstrRef] = {}
        self.first_copies: dict[Slot, PlannedStep] = {}
        self.depth = 0
        self.constants: dict[tuple[type, object], Slot] = {}

    # Bodies -----------------------------------------------------------------------------------------------

    def body(
        self, owner: InstrRef, calls: list[str], path: tuple[str, ...] = (), region: int = 0
    ) -> list[PlannedStep]:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise UsageError(f"steps are nested more than {MAX_NESTING} deep")
        steps = self.body_of(owner, calls, path, region)
        self.depth -= 1
        return steps

    def body_of(
        self, owner: InstrRef, calls: list[str], path: tuple[str, ...], region: int
    ) -> list[PlannedStep]:
        regions = owner.regions
        if len(regions) <= region:
            return []
        blocks = regions[region].blocks
        if len(blocks) > 1:
            raise self.error(owner, "steps have to be in one block")
        return self.block(blocks[0], calls, path) if blocks else []

    def block(self, block: BlockRef, calls: list[str], path: tuple[str, ...]) -> list[PlannedStep]:
        steps: list[PlannedStep] = []
        stages: list[Stage] = []
        places: list[str] = []
        at = -1
        for number, instr in enumerate(block, 1):
            with self.naming(instr, number):
                kind = self.kind_of(instr)
                if kind.control == "stage":
                    stage = self.stage(instr, calls, path)
                    if at >= 0 and len(steps) != at:
                        raise UsageError("stages have to follow each other; this one is behind other steps")
                    at = len(steps)
                    stages.append(stage)
                    places.append(place_of(instr))
                elif kind.control in ("group", "call"):
                    steps += self.inlined(instr, kind, calls, path)
                else:
                    steps += self.step(instr, kind, calls, path)
        if stages:
            try:
                steps[at:at] = compose(stages)
            except UsageError as error:
                raise ExecutionError("scheduling", self.name, str(error), place=places[0]) from error
        return steps

    def kind_of(self, instr: InstrRef) -> StepKind:
        opcode = int(instr.opcode)
        kind = self.kinds.get(opcode)
        if kind is None:
            kind = self.known.get(instr.name)
            if kind is None:
                raise UsageError("this is no step of an execution graph")
            self.kinds[opcode] = kind
        return kind

    def stage(self, instr: InstrRef, calls: list[str], path: tuple[str, ...]) -> Stage:
        uses, attributes = _operands(instr)
        if len(uses) != 1 or not isinstance(name := uses[0], str):
            raise UsageError("a stage has one operand, its name")
        lists: dict[str, tuple[str, ...]] = {}
        for key in ("after", "before"):
            given = attributes.pop(key, ())
            names = given if isinstance(given, list | tuple) else (given,)
            if not all(isinstance(one, str) for one in names):
                raise UsageError(f"'{key}' is a list of names of stages")
            lists[key] = tuple(str(one) for one in names)
        if attributes:
            raise UsageError(
                f"a stage has no parameter '{next(iter(attributes))}' (there are: after, before)"
            )
        inner = (*path, name)
        return Stage(
            name,
            self.body(instr, calls, inner),
            after=lists["after"],
            before=lists["before"],
            cleanup=self.body(instr, calls, inner, 1),
        )

    def inlined(
        self, instr: InstrRef, kind: StepKind, calls: list[str], path: tuple[str, ...]
    ) -> list[PlannedStep]:
        """The steps of a group, or of another graph, in place of what names it."""
        uses, attributes = _operands(instr)
        if attributes:
            raise UsageError(f"{kind.name} has no parameters")
        if kind.control == "group":
            names = [use for use in uses if isinstance(use, str)]
            if len(names) != len(uses) or len(names) > 1:
                raise UsageError("a group has one operand at most, its name")
            return self.body(instr, calls, (*path, *names))
        called = self.callee(uses[0]) if len(uses) == 1 else None
        name = None if called is None else called.symbol_name
        if called is None or name is None:
            raise UsageError("the operand has to be the symbol of an execution graph")
        if name in calls:
            raise UsageError(f"graphs call each other in a circle: {' -> '.join([*calls, name])}")
        before = self.slots
        self.slots = {}
        steps = self.body(called, [*calls, name], (*path, name))
        self.slots = before
        return steps

    def callee(self, use: Operand) -> InstrRef | None:
        found = use if isinstance(use, InstrRef) else None
        if isinstance(use, SymbolRef):
            found = graphs(self.module).get("::".join(use.path))
        return found if found is not None and found.is_op(GRAPH) else None

    # Steps ------------------------------------------------------------------------------------------------

    def step(
        self, instr: InstrRef, kind: StepKind, calls: list[str], path: tuple[str, ...]
    ) -> Iterator[PlannedStep]:
        uses, attributes = _operands(instr)
        inputs = [self.operand(instr, use) for use in uses]
        low, high = kind.operands
        if not low <= len(inputs) <= high:
            raise UsageError(f"{kind.name} takes {_counted(low, high)}")
        if kind.other and len(inputs) == 1 and inputs[0].home is not None:
            inputs.append(self.other(inputs[0]))
        lower: list[PlannedStep] = []
        if kind.takes == "circuit":
            inputs = [self.circuit(slot, lower, path) for slot in inputs]
        elif kind.takes == "code" and (inputs[0].home is None if inputs else not kind.whole):
            raise UsageError(f"the first operand of {kind.name} has to be code")
        if kind.whole and not inputs:
            inputs = [self.whole]
        params = self.params(kind, attributes)
        regions = len(instr.regions)
        bodies: list[list[PlannedStep]] = []
        if kind.control:
            self.check_control(kind, inputs, regions)
            bodies = [self.body(instr, calls, (), which) for which in range(regions)]
        elif regions:
            raise UsageError(f"{kind.name} has no steps inside")
        results = [self.result(value, kind, inputs) for value in instr.defs]
        if results and kind.result == "none":
            raise UsageError(f"{kind.name} has no result")
        yield from lower
        yield PlannedStep(
            kind, inputs, params, results, bodies=bodies, instr=instr, path=path, place=place_of(instr)
        )

    def check_control(self, kind: StepKind, inputs: list[Slot], regions: int) -> None:
        if kind.control == "until_converge":
            bound = inputs[-1].value
            if not isinstance(bound, int) or not 1 <= bound <= MAX_ROUNDS:
                raise UsageError(f"the last operand, the largest number of rounds, is 1 to {MAX_ROUNDS}")
            if regions != 1:
                raise UsageError("one region with the steps to be repeated is needed")
        elif kind.control == "if" and regions not in (1, 2):
            raise UsageError("a region with steps is needed, and another one for 'else' if wanted")

    def circuit(self, slot: Slot, lower: list[PlannedStep], path: tuple[str, ...]) -> Slot:
        """The circuit that a slot is, or will be once a step in front has lowered the code."""
        if slot.home is None:
            return slot
        kind = self.known.get("hw.exec.circuit")
        if kind is None:
            raise UsageError("circuits are needed as operands; nothing here makes circuits of code")
        made = Slot(slot.name)
        lower.append(PlannedStep(kind, [slot], kind.defaults, [made], path=path))
        return made

    def other(self, slot: Slot) -> Slot:
        """What code is compared with when nothing is said."""
        code = slot.root.value
        if not isinstance(code, Code) or code.instr is None:
            raise UsageError("a second operand is needed to compare this with")
        others = [
            instr
            for instr in self.module.body
            if instr.opcode == code.instr.opcode and instr.symbol_name is not None and instr != code.instr
        ]
        if len(others) > 1:
            names = ", ".join(f"%{instr.symbol_name}" for instr in others)
            raise UsageError(f"a second operand is needed; it may be {names}")
        if others:
            return self.code_slot(others[0])
        if slot.root not in self.first_copies:
            kind = self.known["core.exec.snapshot"]
            made = Slot(slot.root.name)
            made.home = made
            self.first_copies[slot.root] = PlannedStep(kind, [slot.root], kind.defaults, [made])
        return self.first_copies[slot.root].results[0]

    def code_slot(self, instr: InstrRef) -> Slot:
        if instr not in self.code:
            self.code[instr] = Slot(instr.symbol_name or "", HOME, Code(self.module, instr))
        return self.code[instr]

    def result(self, value: ValueRef, kind: StepKind, inputs: list[Slot]) -> Slot:
        slot = Slot(value.name or "")
        if kind.result == "same" and inputs:
            slot.home = inputs[0].home
            slot.root = inputs[0].root
        if kind.result == "code":
            slot.home = slot
        self.slots[value] = slot
        return slot

    def operand(self, instr: InstrRef, use: Operand) -> Slot:
        if isinstance(use, ValueRef):
            slot = self.slots.get(use)
            if slot is None:
                raise UsageError(f"%{use.name or '?'} is no result of an earlier step")
            return slot
        if isinstance(use, SymbolRef):
            # Looking up takes time linear in what is in scope, which is the same for a whole block.
            scope = (instr.block, use.path)
            found = self.found.get(scope) or symbol_lookup(instr, use)
            if found is None:
                raise UsageError(f"{use} names no code")
            use = self.found[scope] = found
        if isinstance(use, InstrRef):
            return self.code_slot(use)
        value = use.value if isinstance(use, Const) else use
        if isinstance(value, str | int):
            key = (type(value), value)
            if key not in self.constants:
                self.constants[key] = Slot(value=value)
            return self.constants[key]
        raise UsageError(f"the operand {use!r} names no code and no earlier step")

    def params(self, kind: StepKind, given: Mapping[str, Operand]) -> Mapping[str, Param]:
        defaults = kind.defaults
        if not given:
            return defaults
        chosen = dict(defaults)
        for key, value in given.items():
            if key not in defaults:
                known = ", ".join(defaults) or "none"
                raise UsageError(f"{kind.name} has no parameter '{key}' (there are: {known})")
            chosen[key] = _param(kind.name, key, value, defaults[key])
        return chosen

    # Errors -----------------------------------------------------------------------------------------------

    @contextmanager
    def naming(self, instr: InstrRef, number: int) -> Generator[None]:
        try:
            yield
        except ExecutionError:
            raise
        except DynomiteError as error:
            raise self.error(instr, str(error), f"{number}: {instr.name}") from error

    def error(self, instr: InstrRef, message: str, step: str = "") -> ExecutionError:
        return ExecutionError("building", self.name, message, step=step, place=place_of(instr))


def place_of(instr: InstrRef | None) -> str:
    """Where an instruction is written, "FILE:LINE:COLUMN", or nothing."""
    if instr is None or not instr.is_live:
        return ""
    for origin in instr.location:
        return f"{origin.file}:{origin.line}:{origin.column}"
    return ""


def _operands(instr: InstrRef) -> tuple[list[Operand], dict[str, Operand]]:
    """What a step uses, and its dictionary, which may stand in front of regions too."""
    attributes = instr.attributes
    uses: list[Operand] = []
    for use in instr.uses:
        if isinstance(use, dict):
            attributes |= use
        else:
            uses.append(use)
    return uses, attributes


def _counted(low: int, high: int) -> str:
    if low == high:
        return "no operand" if not low else "one operand" if low == 1 else f"{low} operands"
    if low == 0 and high == 1:
        return "one operand, or none for the whole module"
    return f"{low} to {high} operands" if high < 1_000 else f"at least {low} operands"


def _param(step: str, key: str, value: Operand, default: Param) -> Param:
    number = value.value if isinstance(value, Const) else value
    if isinstance(default, bool):
        if number not in (0, 1) or isinstance(number, str):
            raise UsageError(f"the parameter '{key}' of {step} is true or false, not {number}")
        return bool(number)
    if isinstance(default, int):
        if not isinstance(number, int):
            raise UsageError(f"the parameter '{key}' of {step} is a number, not {number!r}")
        if isinstance(value, Const) and number >> (value.width - 1):
            number -= 1 << value.width
        return number
    if isinstance(default, float):
        try:
            return float(number)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise UsageError(f"the parameter '{key}' of {step} is a number, not {number!r}") from None
    if not isinstance(number, str):
        raise UsageError(f"the parameter '{key}' of {step} is a string, not {number}")
    return number
