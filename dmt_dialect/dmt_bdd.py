"""Decision diagrams as instructions of the dialect `dmt` (`dmt_dialect.dmt_ops`), and back.

    functions = circuit_functions(aig)
    module = module_from_bdd(functions.bdd, {"y": functions.outputs[0]})
    bdd, functions = bdd_from_module(module)

`gates_to_bdd` and `bdd_to_gates` turn modules of gates into modules of diagrams and back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dmt_dialect import dmt_ops as dmt
from dmt_dialect.bdd import Bdd, BddRef, circuit_functions
from dmt_dialect.bdd.circuits import Order, input_names
from dmt_dialect.buses import Bus, group_buses
from dmt_dialect.dmt_aig import aig_from_module, module_from_aig, only_block
from dmt_dialect.dmt_ops import DMT, width_of
from dynomite.errors import UsageError, VerifyError
from dynomite.ir import Builder, Const, Context, InstrRef, Module, ValueRef, load

if TYPE_CHECKING:
    from dynomite._native.aig import Aig
    from dynomite._native.base import Stop


def module_from_bdd(
    bdd: Bdd,
    functions: Mapping[str, BddRef],
    context: Context | None = None,
    *,
    inputs: Sequence[str] = (),
) -> Module:
    """Functions as instructions: a wire for each bus of variables, and one for each bus of functions.

    Args:
        bdd: Their manager; all its variables become inputs.
        functions: The functions by name.
        context: Where the dialect is to be loaded; by default a new one.
        inputs: Names of the inputs in their order; variables that are not among them follow by number.

    Cost:
        Linear in the nodes of the shared diagram.
    """
    context = Context() if context is None else context
    load(context, DMT)
    return _Writer(bdd, Module(context)).write(functions, inputs)


class _Writer:
    def __init__(self, bdd: Bdd, module: Module) -> None:
        self.bdd = bdd
        self.module = module
        self.builder = Builder(module)
        self.kind = module.type(dmt.BDD_TYPE)
        self.variables: dict[str, ValueRef] = {}
        self.nodes: dict[BddRef, ValueRef] = {}

    def write(self, functions: Mapping[str, BddRef], inputs: Sequence[str]) -> Module:
        build, module = self.builder.value, self.module
        wires: list[ValueRef] = []
        bits: dict[str, tuple[ValueRef, int]] = {}
        names = list(dict.fromkeys((*inputs, *self.bdd.vars)))
        for bus in group_buses(names, "i"):
            kind = module.type(dmt.WIRE, len(bus.positions))
            wires.append(build(dmt.INPUT, kind, attrs={"name": bus.name}))
            bits.update({names[at]: (wires[-1], bit) for bit, at in enumerate(bus.positions)})
        for name in self.bdd.order:
            self.variables[name] = build(dmt.BDD_IN, self.kind, *bits[name])
            self.nodes[self.bdd.var(name)] = self.variables[name]
        self._make(list(functions.values()))
        outputs = list(functions)
        for bus in group_buses(outputs, "o"):
            roots = [self.nodes[functions[outputs[at]]] for at in bus.positions]
            kind = module.type(dmt.WIRE, len(roots))
            build(dmt.BDD, kind, *wires, *roots, attrs={"name": self._name(bus, outputs)})
        return module

    @staticmethod
    def _name(bus: Bus, outputs: list[str]) -> str:
        return bus.name if len(bus.positions) > 1 else outputs[min(bus.positions)]

    def _make(self, roots: list[BddRef]) -> None:
        """Makes all nodes below the roots, children first."""
        stack = list(reversed(roots))
        while stack:
            ref = stack[-1]
            if ref in self.nodes:
                stack.pop()
                continue
            below = [~ref] if ref.is_complemented else [] if ref.is_constant else [ref.high, ref.low]
            missing = [child for child in below if child not in self.nodes]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            build = self.builder.value
            if ref.is_complemented:
                self.nodes[ref] = build(dmt.BDD_NOT, self.kind, self.nodes[~ref])
            elif ref.is_constant:
                self.nodes[ref] = build(dmt.BDD_TRUE, self.kind)
            else:
                high, low = (self.nodes[child] for child in below)
                self.nodes[ref] = build(dmt.BDD_NODE, self.kind, self.variables[ref.var], high, low)


def bdd_from_module(
    module: Module, within: InstrRef | None = None, *, bdd: Bdd | None = None
) -> tuple[Bdd, dict[str, BddRef]]:
    """The functions of a module's `dmt.BDD` instructions, by name, bits as in "y[1]".

    Args:
        module: Where the instructions are: in its outermost block,
        within: or in the one block of an instruction's region.
        bdd: The manager; a new one by default, its variables in the order of the `BDD_IN`. Variables that it
            has already, by name, are used as they are.

    Raises:
        VerifyError: An operation is none of these, or a value is not defined by one of them.
        UsageError: Two functions have one name.

    Cost:
        Linear in the instructions if they are a reduced diagram in the manager's order; nodes of any other
        order are built by if-then-else.
    """
    reader = _Reader(Bdd() if bdd is None else bdd)
    for instr in only_block(module, within):
        reader.read(instr)
    return reader.bdd, reader.functions


class _Reader:
    def __init__(self, bdd: Bdd) -> None:
        self.bdd = bdd
        self.functions: dict[str, BddRef] = {}
        self.wires: dict[ValueRef, list[str]] = {}
        self.nodes: dict[ValueRef, BddRef] = {}

    def node(self, value: object) -> BddRef:
        if not isinstance(value, ValueRef) or value not in self.nodes:
            raise VerifyError(f"bdd_from_module: {value!r} is no function defined before")
        return self.nodes[value]

    def read(self, instr: InstrRef) -> None:
        """Takes one instruction."""
        uses = instr.uses
        match instr.name:
            case "dmt.INPUT":
                self.wires[instr.result] = _bit_names(instr, f"i{len(self.wires)}")
            case "dmt.BDD_IN":
                wire, bit = uses
                names = self.wires.get(wire) if isinstance(wire, ValueRef) else None
                if names is None or not isinstance(bit, Const) or bit.value >= len(names):
                    raise VerifyError(f"bdd_from_module: {wire!r} has no bit {bit!r}")
                self.bdd.declare(names[bit.value])
                self.nodes[instr.result] = self.bdd.var(names[bit.value])
            case "dmt.BDD_TRUE":
                self.nodes[instr.result] = self.bdd.true
            case "dmt.BDD_NOT":
                self.nodes[instr.result] = ~self.node(uses[0])
            case "dmt.BDD_NODE":
                variable, high, low = map(self.node, uses)
                self.nodes[instr.result] = variable.ite(high, low)
            case "dmt.BDD":
                names = _bit_names(instr, f"o{len(self.functions)}")
                for name, root in zip(names, uses[-len(names) :], strict=True):
                    if name in self.functions:
                        raise UsageError(f"bdd_from_module: two functions are called {name!r}")
                    self.functions[name] = self.node(root)
            case other:
                raise VerifyError(f"bdd_from_module: {other} is no operation of decision diagrams")


def _bit_names(instr: InstrRef, default: str) -> list[str]:
    """Names of the bits of the wire that an instruction defines."""
    width, name = width_of(instr.result) or 0, instr.attributes.get("name")
    base = name if isinstance(name, str) else default
    return [base] if width == 1 else [f"{base}[{bit}]" for bit in range(width)]


def aig_to_bdd(
    aig: Aig, context: Context | None = None, *, order: Order = "depth", stop: Stop | None = None
) -> Module:
    """A circuit's outputs as instructions of diagrams.

    Args:
        aig: A circuit without latches or properties.
        context: Where the dialect is to be loaded; by default a new one.
        order: How variables are ordered (`dmt_dialect.bdd.circuits`).
        stop: Ends the call with a `LimitError`.

    Raises:
        UsageError: It has latches or properties, or two ports have one name.
    """
    if aig.latches or aig.bad or aig.constraints:
        raise UsageError("aig_to_bdd: latches, bad states and constraints have no place in dmt.BDD")
    found = circuit_functions(aig, order=order, stop=stop)
    names = [name or f"o{at}" for at, name in enumerate(aig.names("outputs"))]
    if len(set(names)) < len(names):
        raise UsageError("aig_to_bdd: two outputs have one name")
    outputs = dict(zip(names, found.outputs, strict=True))
    return module_from_bdd(found.bdd, outputs, context, inputs=input_names(aig))


def bdd_to_aig(module: Module, within: InstrRef | None = None) -> Aig:
    """The circuit of a module of diagrams: a multiplexer for each node, inputs in the order of the wires."""
    from dmt_dialect.aig import Aig

    bdd, functions = bdd_from_module(module, within)
    wires = [instr for instr in only_block(module, within) if instr.name == "dmt.INPUT"]
    names = [name for at, wire in enumerate(wires) for name in _bit_names(wire, f"i{at}")]
    aig = Aig()
    inputs = dict(zip(names, aig.add_inputs(names), strict=True))
    roots = bdd.to_aig(aig, list(functions.values()), [inputs[name] for name in bdd.vars])
    for name, root in zip(functions, roots, strict=True):
        aig.add_output(root, name)
    return aig


def gates_to_bdd(module: Module, *, order: Order = "depth", stop: Stop | None = None) -> Module:
    """A module of `dmt.AIG` as one of `dmt.BDD`."""
    return aig_to_bdd(aig_from_module(module), module.context, order=order, stop=stop)


def bdd_to_gates(module: Module) -> Module:
    """A module of `dmt.BDD` as one of `dmt.AIG`."""
    return module_from_aig(bdd_to_aig(module), module.context)
