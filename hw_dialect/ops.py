"""The dialect `hw`: modules, ports, wires, registers, memories and instances of a netlist.

    using op
    using hw
    MODULE @counter {
      IN %clk:def(wire(1))
      IN %up:def(wire(1))
      ADD %next:def(wire(8)) %q constant(1, 8)
      REG %q:def(wire(8)) %next "clock" %clk "enable" %up {init = constant(0, 8)}
      OUT "count" %q
    }
    MODULE @top {
      IN %clk:def(wire(1))
      INSTANCE @counter "u1" "clk" %clk "up" constant(1, 1) "count" %n:def(wire(8))
      OUT "n" %n
    }

In a module the order of instructions means nothing. Logic is made of the operations of the dialect `op`
(`dmt_dialect.ops`) on values of the type `wire`. docs/hardware.md describes each operation.
"""

from __future__ import annotations

from dynomite.ir import Dialect

HW = Dialect("hw")
"""The dialect, to be loaded into contexts."""

WIRE_TYPE = HW.type("wire", params=("width",), doc="A row of bits of a netlist, bit 0 the lowest.")
MEMORY_TYPE = HW.type("memory", params=("depth", "width"), doc="Words of one width, read by address.")

MODULE = HW.op("MODULE", symbol=True, isolated=True, graph_region=True, doc="A module: ports and logic.")
IN = HW.op("IN", defs=1, variadic=True, doc="An input port, called as the string operand or as its value.")
OUT = HW.op("OUT", uses=2, doc="An output port: its name and its value.")
PARAM = HW.op("PARAM", defs=1, uses=1, variadic=True, doc="A constant that instances may replace.")
WIRE = HW.op("WIRE", defs=1, variadic=True, doc="A wire, driven by DRIVE.")
DRIVE = HW.op("DRIVE", uses=2, variadic=True, doc="Drives a wire, or its bits `high` to `low`.")
INSTANCE = HW.op("INSTANCE", uses=2, variadic=True, doc="An instance of a module: module, name, connections.")
REG = HW.op("REG", defs=1, uses=1, variadic=True, doc="A register: next value, then clock, enable, reset.")
MEM = HW.op("MEM", defs=1, variadic=True, doc="A memory.")
READ = HW.op("READ", defs=1, uses=2, doc="The word of a memory at an address, without delay.")
WRITE = HW.op("WRITE", uses=3, variadic=True, doc="Stores a word into a memory at the clock edge.")
