"""The dialect `dmt`: and-inverter graphs, decision diagrams and variables of solvers as instructions.

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
instructions and back in `dmt_dialect.dmt_aig`.

    dmt.BDD_IN %v:def(dmt.bdd) %a 0
    dmt.BDD_IN %w:def(dmt.bdd) %a 1
    dmt.BDD_TRUE %t:def(dmt.bdd)
    dmt.BDD_NOT %2:def(dmt.bdd) %t
    dmt.BDD_NODE %3:def(dmt.bdd) %w %t %2
    dmt.BDD_NODE %4:def(dmt.bdd) %v %3 %2
    dmt.BDD %z:def(dmt.wire(1)) %a %4 {name = "z"}

A decision diagram: `BDD_IN` is a variable, and the order of these is that of the diagram; `BDD_NODE` chooses
between a function if its variable is 1 and one if it is 0; `BDD` is an output wire, a function of the wires
behind it, with a root for each bit, bit 0 first (`dmt_dialect.dmt_bdd`).

    dmt.VAR %x:def(op.bits(8)) {name = "x"}
    op.ULT %c:def(op.bits(1)) %x constant(9, 8)
    op.ASSERT %c

A question for solvers: values of the variables for which all that is asserted and assumed is 1
(`dmt_dialect.problems`).
"""

from __future__ import annotations

from dynomite.ir import VERIFY, Const, Dialect, InstrRef, ValueRef

DMT = Dialect("dmt")
"""The dialect, to be loaded into contexts."""

WIRE = DMT.type("wire", params={"width": "unsigned"}, doc="A row of bits, bit 0 the lowest.")
NODE = DMT.type("node", doc="A node of an and-inverter graph, or its complement.")

BDD_TYPE = DMT.type("bdd", doc="A function, as a node of a decision diagram or its complement.")

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

BDD_TRUE = DMT.op("BDD_TRUE", defs=1, pure=True, doc="The function that is 1 always.")
BDD_IN = DMT.op("BDD_IN", defs=1, uses=2, pure=True, doc="The variable that is a bit of a wire.")
BDD_NOT = DMT.op("BDD_NOT", defs=1, uses=1, pure=True, same_type=True, doc="Complement of a function.")
BDD_NODE = DMT.op(
    "BDD_NODE", defs=1, uses=3, pure=True, same_type=True, doc="A variable, the functions if it is 1 and 0."
)
BDD = DMT.op("BDD", defs=1, uses=1, variadic=True, doc="An output wire: wires it depends on, then its roots.")

VAR = DMT.op("VAR", defs=1, doc="A variable of a solver, a word; called as its name attribute or its value.")


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


@VERIFY.of(BDD_IN)
def check_bdd_in(instr: InstrRef) -> str | None:
    """The wire has the bit."""
    return check_aig_in(instr)


@VERIFY.of(BDD_NODE)
def check_bdd_node(instr: InstrRef) -> str | None:
    """Its variable is one, and the branches differ."""
    variable, high, low = instr.uses
    if not isinstance(variable, ValueRef) or variable.instr.name != "dmt.BDD_IN":
        return "its first operand must be a variable"
    return "both branches are the same" if high == low else None


@VERIFY.of(BDD)
def check_bdd(instr: InstrRef) -> str | None:
    """Wires first, then a root for each bit of the output."""
    width, uses = width_of(instr.result), instr.uses
    if width is None:
        return "its result must be a wire"
    wires, roots = uses[: max(len(uses) - width, 0)], uses[-width:]
    if len(uses) < width or any(width_of(root) is not None for root in roots):
        return f"a wire of {width} bits needs as many roots"
    return "behind its result come wires, then roots" if None in map(width_of, wires) else None
