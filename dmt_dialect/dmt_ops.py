"""The dialect `dmt`: solver problems as instructions. Here: and-inverter graphs.

    dmt.INPUT %a:def(dmt.wire(2)) {name = "a"}
    dmt.AIG_IN %a0:def(dmt.node) %a 0
    dmt.AIG_IN %a1:def(dmt.node) %a 1
    dmt.NOT %0:def(dmt.node) %a1
    dmt.AND %1:def(dmt.node) %a0 %0
    dmt.AIG_OUT %y:def(dmt.wire(1)) %1
    dmt.AIG %y %a {name = "y"}

`AIG_IN` takes a bit out of a wire, `AIG_OUT` puts nodes together to a wire, bit 0 first; `AIG` says that its
first wire is an output computed from the others. `module_from_aig` and `aig_from_module` convert both ways.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dynomite.errors import UsageError, VerifyError
from dynomite.ir import VERIFY, Builder, Const, Context, Dialect, InstrRef, Module, ValueRef, load

if TYPE_CHECKING:
    from dynomite._native.aig import Aig, Lit

DMT = Dialect("dmt")
"""The dialect, to be loaded into contexts."""

WIRE = DMT.type("wire", params={"width": "unsigned"}, doc="A row of bits, bit 0 the lowest.")
NODE = DMT.type("node", doc="A node of an and-inverter graph, or its complement.")

INPUT = DMT.op("INPUT", defs=1, doc="A wire from outside; its name is an attribute.")
FALSE = DMT.op("FALSE", defs=1, pure=True, doc="The constant node.")
AIG_IN = DMT.op("AIG_IN", defs=1, uses=2, pure=True, doc="The bit of a wire with a number.")
AND = DMT.op(
    "AND", defs=1, uses=2, pure=True, commutative=True, same_type=True, doc="Conjunction of two nodes."
)
NOT = DMT.op("NOT", defs=1, uses=1, pure=True, same_type=True, doc="Complement of a node.")
AIG_OUT = DMT.op("AIG_OUT", defs=1, uses=1, pure=True, variadic=True, doc="Nodes as a wire, bit 0 first.")
AIG = DMT.op("AIG", uses=1, variadic=True, doc="The first wire is an output, a function of the others.")


def _width(value: object) -> int | None:
    """Bits of a wire; None for anything else."""
    if not isinstance(value, ValueRef) or value.type is None or value.type.name != "dmt.wire":
        return None
    width = value.type.params[0]
    return width.value if isinstance(width, Const) else None


@VERIFY.of(AIG_IN)
def check_aig_in(instr: InstrRef) -> str | None:
    """The wire has the bit."""
    width, bit = _width(instr.uses[0]), instr.uses[1]
    if width is None:
        return "its first operand must be a wire"
    if not isinstance(bit, Const) or bit.value >= width:
        return f"a wire of {width} bits has no such bit"
    return None


@VERIFY.of(AIG_OUT)
def check_aig_out(instr: InstrRef) -> str | None:
    """As many nodes as the wire has bits."""
    width, given = _width(instr.operand(0)), len(instr.uses)
    return None if width == given else f"{given} nodes for a wire of {width} bits"


def module_from_aig(aig: Aig, context: Context | None = None) -> Module:
    """A circuit as instructions: an input wire and an output wire of one bit for each port.

    Names stay as attributes. Complements become `NOT`, one for each node that is used so.

    Args:
        aig: A combinational circuit with no properties.
        context: Where the dialect is to be loaded; by default a new one.

    Raises:
        UsageError: The circuit has latches or properties, which have no place in these operations.

    Cost:
        Linear.
    """
    if aig.latches or aig.bad or aig.constraints:
        raise UsageError("module_from_aig: latches, bad states and constraints have no place in dmt.AIG")
    context = Context() if context is None else context
    load(context, DMT)
    module = Module(context)
    builder = Builder(module)
    node_type, bit = module.type(NODE), module.type(WIRE, 1)
    wires: list[ValueRef] = []
    values: dict[int, ValueRef] = {}
    for name, literal in zip(aig.names("inputs"), aig.inputs, strict=True):
        wires.append(builder.value(INPUT, bit, attrs={"name": name} if name else None))
        values[literal.raw] = builder.value(AIG_IN, node_type, wires[-1], 0)

    def value(literal: int) -> ValueRef:
        if literal not in values:
            values[literal] = (
                builder.value(NOT, node_type, value(literal ^ 1))  # its node is there: one level deep
                if literal & 1
                else builder.value(FALSE, node_type)
            )
        return values[literal]

    for node, (first, second) in enumerate(aig.fanins.tolist()):
        if first != 0xFFFFFFFF:
            values[2 * node] = builder.value(AND, node_type, value(first), value(second))
    for name, literal in zip(aig.names("outputs"), aig.outputs, strict=True):
        out = builder.value(AIG_OUT, bit, value(literal.raw))
        builder.build(AIG, out, *wires, attrs={"name": name} if name else None)
    return module


def aig_from_module(module: Module) -> Aig:
    """The circuit of a module's `dmt.AIG` statements, in their order in the outermost block.

    Inputs are the bits of `INPUT` wires, outputs those of the first operands; wires of several bits give
    names with the bit behind, as in "a[1]".

    Raises:
        VerifyError: An operation is none of these, or a wire is not made by one of them.

    Cost:
        Linear. Gates are folded and hashed on the way.
    """
    from dynomite._native.aig import Aig

    aig = Aig()
    wires: dict[ValueRef, list[Lit]] = {}
    nodes: dict[ValueRef, Lit] = {}

    def node(value: object) -> Lit:
        if not isinstance(value, ValueRef) or value not in nodes:
            raise VerifyError(f"aig_from_module: {value!r} is no node defined before")
        return nodes[value]

    def wire(value: object) -> list[Lit]:
        if not isinstance(value, ValueRef) or value not in wires:
            raise VerifyError(f"aig_from_module: {value!r} is no wire defined before")
        return wires[value]

    for instr in module.body:
        uses = instr.uses
        result = instr.operand(0)
        match instr.name:
            case "dmt.INPUT":
                width = _width(result) or 0
                assert isinstance(result, ValueRef)
                wires[result] = [aig.add_input(name) for name in _bit_names(instr, width)]
            case "dmt.AIG_OUT":
                assert isinstance(result, ValueRef)
                wires[result] = [node(value) for value in uses]
            case "dmt.AIG":
                bits = wire(uses[0])
                for literal, name in zip(bits, _bit_names(instr, len(bits)), strict=True):
                    aig.add_output(literal, name)
            case _:
                assert isinstance(result, ValueRef)
                nodes[result] = _gate(aig, instr, node, wire)
    return aig


def _gate(
    aig: Aig, instr: InstrRef, node: Callable[[object], Lit], wire: Callable[[object], list[Lit]]
) -> Lit:
    uses = instr.uses
    match instr.name:
        case "dmt.FALSE":
            return aig.false
        case "dmt.AIG_IN":
            bit = uses[1]
            bits = wire(uses[0])
            if not isinstance(bit, Const) or bit.value >= len(bits):
                raise VerifyError(f"aig_from_module: a wire of {len(bits)} bits has no bit {bit!r}")
            return bits[bit.value]
        case "dmt.AND":
            return node(uses[0]) & node(uses[1])
        case "dmt.NOT":
            return ~node(uses[0])
        case other:
            raise VerifyError(f"aig_from_module: {other} is no operation of and-inverter graphs")


def _bit_names(instr: InstrRef, width: int) -> list[str | None]:
    name = instr.attributes.get("name")
    if not isinstance(name, str):
        return [None] * width
    return [name] if width == 1 else [f"{name}[{bit}]" for bit in range(width)]
