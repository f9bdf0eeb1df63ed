"""Building modules of a netlist in Python.

    >>> from hw_dialect.builder import module
    >>> with module("fma") as m:
    ...     a, b, c = m.input("a", 8), m.input("b", 8), m.input("c", 8)
    ...     m.output("y", a * b + c)
    >>> print(m.design.text(), end="")
    hw.MODULE @fma {
      hw.IN %a:def(hw.wire(8))
      hw.IN %b:def(hw.wire(8))
      hw.IN %c:def(hw.wire(8))
      op.MUL %0:def(hw.wire(8)) %a %b
      op.ADD %1:def(hw.wire(8)) %0 %c
      hw.OUT "y" %1
    }

A module is complete when its block ends. Instructions know the line of the program that built them.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self, cast

from dmt_dialect import ops as op
from dmt_dialect.folding import FOLDING
from dynomite.errors import UsageError
from dynomite.ir import (
    Builder,
    Const,
    Context,
    Def,
    InstrRef,
    Module,
    Op,
    SymbolRef,
    Type,
    ValueRef,
    load,
    print_module,
    set_folding,
)
from dynomite.ir.operands import Operand
from hw_dialect import ops as hw
from hw_dialect.signals import Signal, SignalLike, bounds, caller

MAX_WIDTH = 1 << 20
"""Widest word."""


def context() -> Context:
    """A new context with the dialects `op` and `hw`."""
    made = Context()
    load(made, op.OP, hw.HW)
    return made


class Design:
    """Modules under construction, in one IR module.

    Args:
        ir: The IR module to add to; a new one if none.
        folding: Build what operators fold to.
        merging: Build equal operations once.
    """

    def __init__(self, ir: Module | None = None, *, folding: bool = True, merging: bool = True) -> None:
        self.ir = Module(context()) if ir is None else ir
        self.modules: dict[str, ModuleBuilder] = {}
        self.folding = folding
        self.merging = merging

    def module(self, name: str) -> ModuleBuilder:
        """A new module, to be used in a `with` block."""
        if name in self.modules:
            raise UsageError(f"the design has a module '{name}' already")
        self.modules[name] = made = ModuleBuilder(self, name)
        return made

    def text(self) -> str:
        """All modules as text of the IR."""
        return print_module(self.ir)


def module(name: str) -> ModuleBuilder:
    """A new module in a design of its own, to be used in a `with` block."""
    return Design().module(name)


class Wire(Signal):
    """A signal that is driven after it was made, as a whole or in parts."""

    __slots__ = ()

    def drive(self, signal: SignalLike) -> None:
        """Gives the wire its value."""
        self[self.width - 1 : 0] = signal

    def __setitem__(self, key: int | slice, signal: SignalLike) -> None:
        """`w[7:4] = x` drives bits 7 to 4."""
        high, low = bounds(key, self.width)
        part = self.module.signal(signal, high - low + 1)
        parts: tuple[int, ...] = () if part.width == self.width else (high, low)
        self.module.statement(hw.DRIVE, self.word, part.word, *parts)


class Reg(Signal):
    """A register; `next` is set once."""

    __slots__ = ("_instr", "_is_set")

    def __init__(self, module: ModuleBuilder, instr: InstrRef) -> None:
        super().__init__(module, instr.result)
        self._instr = instr
        self._is_set = False

    @property
    def is_driven(self) -> bool:
        """True once `next` was set."""
        return self._is_set

    @property
    def next(self) -> Signal:
        """The value it takes at the next clock edge."""
        return Signal(self.module, cast("ValueRef | Const", self._instr.uses[0]))

    @next.setter
    def next(self, signal: SignalLike) -> None:
        if self._is_set:
            raise UsageError(f"the register {self!r} has a next value already")
        self.module.builder.set_operand(self._instr, 1, self.module.signal(signal, self.width).word)
        self._is_set = True


class Mem:
    """A memory of a module."""

    def __init__(self, module: ModuleBuilder, value: ValueRef, width: int) -> None:
        self.module = module
        self.value = value
        self.width = width
        self._ports = 0

    def read(self, address: Signal) -> Signal:
        """The word at an address, without delay; 0 beyond the depth."""
        return self.module.define(hw.READ, self.width, self.value, address.word)

    def write(
        self, address: Signal, data: SignalLike, *, enable: Signal | None = None, clock: Signal | None = None
    ) -> None:
        """Stores a word at the clock edge; of two writes to one address the later call wins.

        Args:
            address: Where; nothing happens beyond the depth.
            data: The word.
            enable: One bit, or one for each bit of the word.
            clock: The clock.
        """
        operands: list[Operand] = [self.value, address.word, self.module.signal(data, self.width).word]
        for role, signal in (("enable", enable), ("clock", clock)):
            if signal is not None:
                operands += [role, signal.word]
        self.module.statement(hw.WRITE, *operands, attrs={"port": self._ports})
        self._ports += 1


class Instance:
    """An instance of a module: `u["port"]` is the signal at an output port."""

    def __init__(self, outputs: dict[str, Signal]) -> None:
        self._outputs = outputs

    def __getitem__(self, port: str) -> Signal:
        """The signal at an output port."""
        if port not in self._outputs:
            raise UsageError(f"no output port '{port}'; there are {', '.join(self._outputs) or 'none'}")
        return self._outputs[port]


class ModuleBuilder:
    """A module under construction; see the head of this file."""

    def __init__(self, design: Design, name: str) -> None:
        self.design = design
        self.name = name
        self.inputs: dict[str, int] = {}
        self.outputs: dict[str, int] = {}
        self.params: dict[str, int] = {}
        self._regs: list[Reg] = []
        self._types: dict[int, Type] = {}
        self.builder = Builder(design.ir, merging=design.merging)
        if design.folding:
            set_folding(self.builder, FOLDING)
        region = self.builder.create_region()
        block = self.builder.create_block(region)
        self.instr = self.builder.build(hw.MODULE, Def(region), attrs={"sym_name": name}, loc=caller())
        self.builder.set_place(block)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            for reg in self._regs:
                if not reg.is_driven:
                    raise UsageError(f"the register {reg!r} has no next value")

    # What ports and statements are made of.
    def type(self, width: int) -> Type:
        """`hw.wire(width)`.

        Raises:
            UsageError: The width is no number from 1 to 2^20.
        """
        found = self._types.get(width)
        if found is None:
            if not 0 < width <= MAX_WIDTH:
                raise UsageError(f"a signal has 1 to {MAX_WIDTH} bits, not {width}")
            found = self._types[width] = self.design.ir.type(hw.WIRE_TYPE, width)
        return found

    def constant(self, value: int, width: int) -> Signal:
        """A constant; negative numbers are taken in two's complement.

        Raises:
            UsageError: It does not fit into the width.
        """
        self.type(width)
        if not -(1 << (width - 1)) <= value < 1 << width:
            raise UsageError(f"the constant {value} does not fit into {width} bits")
        return Signal(self, Const(value, width))

    def signal(self, signal: SignalLike, width: int) -> Signal:
        """A signal of this width of this module, or a constant for a whole number."""
        if isinstance(signal, int):
            return self.constant(signal, width)
        if signal.module is not self:
            raise UsageError(f"{signal!r} belongs to the module '{signal.module.name}', not to '{self.name}'")
        if signal.width != width:
            raise UsageError(f"{signal!r} has {signal.width} bits, {width} are needed")
        return signal

    def build(self, operation: Op, width: int, *operands: Signal | int) -> Signal:
        """An operator of the dialect `op`."""
        words: list[Operand] = []
        for operand in operands:
            if isinstance(operand, Signal) and operand.module is not self:
                self.signal(operand, operand.width)
            words.append(operand.word if isinstance(operand, Signal) else operand)
        if operation.traits.isdisjoint({"same_type"}):
            self._check(operation, width, [o.width if isinstance(o, Signal) else 0 for o in operands])
        return Signal(self, self.builder.value(operation, self.type(width), *words, loc=caller()))

    def _check(self, operation: Op, width: int, widths: list[int]) -> None:
        if operation in (op.ZEXT, op.SEXT) and width < widths[0]:
            raise UsageError(f"{operation.name}: {widths[0]} bits do not fit into {width}")
        if operation is op.MUX and widths[0] != 1:
            raise UsageError(f"MUX: the select has {widths[0]} bits, it must have 1")
        if operation is op.LUT and widths[1] != width << widths[0]:
            raise UsageError(f"LUT: 2^{widths[0]} entries are needed")

    def slice(self, signal: Signal, high: int, low: int) -> Signal:
        """Bits `high` to `low`."""
        return self.build(op.SLICE, high - low + 1, signal, high, low)

    def define(self, operation: Op, width: int, *operands: Operand, name: str | None = None) -> Signal:
        """An operation of the dialect `hw` that defines a word."""
        return Signal(
            self, self.builder.value(operation, self.type(width), *operands, name=name, loc=caller())
        )

    def statement(
        self, operation: Op, *operands: Operand | Def, attrs: dict[str, Operand] | None = None
    ) -> InstrRef:
        """An operation of the dialect `hw` that defines nothing, or several words."""
        return self.builder.build(operation, *operands, attrs=attrs, loc=caller())

    # Ports and state.
    def input(self, name: str, width: int = 1) -> Signal:
        """An input port."""
        if name in self.inputs:
            raise UsageError(f"the module '{self.name}' has an input port '{name}' already")
        signal = self.define(hw.IN, width, name=name)
        self.inputs[name] = width
        return signal

    def output(self, name: str, signal: Signal) -> None:
        """An output port and its value."""
        if name in self.outputs:
            raise UsageError(f"the output port '{name}' of the module '{self.name}' is driven twice")
        self.outputs[name] = signal.width
        self.statement(hw.OUT, name, self.signal(signal, signal.width).word)

    def param(self, name: str, width: int, value: int) -> Signal:
        """A constant that instances may replace."""
        self.params[name] = width
        return self.define(hw.PARAM, width, self.constant(value, width).word, name=name)

    def wire(self, name: str, width: int = 1) -> Wire:
        """A wire to be driven later."""
        return Wire(self, self.builder.value(hw.WIRE, self.type(width), name=name, loc=caller()))

    def reg(
        self,
        name: str,
        width: int = 1,
        *,
        clock: Signal | None = None,
        enable: Signal | None = None,
        reset: Signal | None = None,
        reset_value: SignalLike = 0,
        init: int | None = None,
        asynchronous: bool = False,
        negative_edge: bool = False,
    ) -> Reg:
        """A register, whose `next` is to be set.

        Args:
            name: Its name.
            width: Its bits.
            clock: What clocks it; netlists have one clock, so this is for documentation and export.
            enable: Keeps its value while this is 0.
            reset: Takes the reset value while this is 1, whatever `enable` says.
            reset_value: What it takes then.
            init: What it holds at the start; unknown if None.
            asynchronous: The reset counts at once, not at the clock edge.
            negative_edge: The clock's falling edge counts.
        """
        kind = self.type(width)
        operands: list[Operand] = [Const(0, width)]
        for role, signal in (("clock", clock), ("enable", enable), ("reset", reset)):
            if signal is not None:
                operands += [role, self.signal(signal, 1).word]
        if reset is not None:
            operands.append(self.signal(reset_value, width).word)
        attrs: dict[str, Operand] = {}
        if init is not None:
            attrs["init"] = self.constant(init, width).word
        if asynchronous:
            attrs["asynchronous"] = True
        if negative_edge:
            attrs["negative_edge"] = True
        instr = self.builder.build(hw.REG, Def(kind, name), *operands, attrs=attrs, loc=caller())
        made = Reg(self, instr)
        self._regs.append(made)
        return made

    def mem(self, name: str, depth: int, width: int, *, init: list[int] | None = None) -> Mem:
        """A memory of `depth` words; `init` has its words, from address 0 up."""
        kind = self.design.ir.type(hw.MEMORY_TYPE, depth, width)
        attrs: dict[str, Operand] = {}
        if init is not None:
            if len(init) > depth:
                raise UsageError(f"{len(init)} words for a memory of {depth}")
            bits = sum(word << (i * width) for i, word in enumerate(init))
            attrs["init"] = Const(bits, depth * width)
        return Mem(self, self.builder.value(hw.MEM, kind, attrs=attrs, name=name, loc=caller()), width)

    def instance(
        self,
        of: ModuleBuilder,
        name: str,
        *,
        params: dict[str, int] | None = None,
        **inputs: SignalLike,
    ) -> Instance:
        """An instance of another module of the design.

        Args:
            of: The module.
            name: Name of the instance.
            params: Constants in place of the module's.
            **inputs: What is connected to the input ports, all of them.
        """
        missing = [port for port in of.inputs if port not in inputs]
        if missing:
            raise UsageError(f"the input port '{missing[0]}' of '{of.name}' is not connected")
        operands: list[Operand | Def] = [SymbolRef(of.name), name]
        for port, signal in inputs.items():
            if port not in of.inputs:
                raise UsageError(f"'{of.name}' has no input port '{port}'; there are {', '.join(of.inputs)}")
            operands += [port, self.signal(signal, of.inputs[port]).word]
        for port, width in of.outputs.items():
            operands += [port, Def(self.type(width))]
        attrs: dict[str, Operand] = {}
        if params:
            attrs["params"] = {
                key: self.constant(value, of.params[key]).word for key, value in params.items()
            }
        instr = self.statement(hw.INSTANCE, *operands, attrs=attrs)
        return Instance(
            {port: Signal(self, value) for port, value in zip(of.outputs, instr.defs, strict=True)}
        )

    def claim(self, signal: Signal, name: str = "") -> None:
        """The signal, one bit, has to be 1 always."""
        self.statement(op.ASSERT, self.signal(signal, 1).word, attrs={"name": name} if name else None)

    def assume(self, signal: Signal, name: str = "") -> None:
        """The signal, one bit, is taken to be 1."""
        self.statement(op.ASSUME, self.signal(signal, 1).word, attrs={"name": name} if name else None)
