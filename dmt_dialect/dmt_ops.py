"""The dialect `dmt`: and-inverter graphs and decision diagrams as instructions.

    dmt.INPUT %a:def(dmt.wire(2)) {name = "a"}
    dmt.AIG_IN %a0:def(dmt.node) %a 0
    dmt.AIG_IN %a1:def(dmt.node) %a 1
    dmt.NOT %0:def(dmt.node) %a1
    dmt.AND %1:def(dmt.node) %a0 %0
    dmt.AIG_OUT %y:def(dmt.wire(1)) %1
    dmt.AIG %y %a {name = "y"}

`AIG_IN` takes a bit out of a wire, `AIG_OUT` puts nodes together to a wire, bit 0 first; `AIG` says that its
first wire is an output computed from the others. A latch is `LATCH`, a node, with its next value in `NEXT`.
`op.ASSERT` and `op.ASSUME` on a wire of one bit are its properties. Circuits become such
instructions and back in `dmt_dialect.dmt_aig`, decision diagrams in `dmt_dialect.dmt_bdd`.
"""

from __future__ import annotations

from dynomite.ir import VERIFY, Const, Dialect, InstrRef, ValueRef

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
LATCH = DMT.op("LATCH", defs=1, doc="A latch; `reset` is what it holds at the start, unknown without.")
NEXT = DMT.op("NEXT", uses=2, doc="The value that a latch takes next.")
AIG = DMT.op("AIG", uses=1, variadic=True, doc="The first wire is an output, a function of the others.")


def width_of(value: object) -> int | None:
    """Bits of a wire; None for what is none."""
    if not isinstance(value, ValueRef) or value.type is None or value.type.name != "dmt.wire":
        return None
    width = value.type.params[0]
    return width.value if isinstance(width, Const) else None


@VERIFY.of(AIG_IN)
def check_aig_in(instr: InstrRef) -> str | None:
    """The wire has the bit."""
    width, bit = width_of(instr.uses[0]), instr.uses[1]
    if width is None:
        return "its first operand must be a wire"
    if not isinstance(bit, Const) or bit.value >= width:
        return f"a wire of {width} bits has no such bit"
    return None


@VERIFY.of(AIG_OUT)
def check_aig_out(instr: InstrRef) -> str | None:
    """As many nodes as the wire has bits."""
    width, given = width_of(instr.operand(0)), len(instr.uses)
    return None if width == given else f"{given} nodes for a wire of {width} bits"


@VERIFY.of(NEXT)
def check_next(instr: InstrRef) -> str | None:
    """What has a next value is a latch, and has one only."""
    latch = instr.uses[0]
    if not isinstance(latch, ValueRef) or latch.instr.name != "dmt.LATCH":
        return "its first operand must be a latch"
    others = sum(use.name == "dmt.NEXT" and number == 0 for use, number in latch.uses)
    return None if others == 1 else "the latch has several next values"
