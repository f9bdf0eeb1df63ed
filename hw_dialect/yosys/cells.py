"""Cells of Yosys as text of the dialects `op` and `hw`, one module at a time.

Bits are numbers or "0", "1", "x", "z"; every number has one driver: a port, or the output of a cell. A cell's
output is one value; a row of bits is a value, a slice of one, a constant, or a concatenation of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

Bit: TypeAlias = "int | str"
Bits: TypeAlias = "list[Bit]"

_PLACE = re.compile(r"([^|]+):(\d+)\.(\d+)(?:-\d+\.\d+)?")


MAX_MEMORY_BITS = 1 << 24


class CellError(Exception):
    """A cell that has no counterpart, or is not as Yosys writes it."""


class Driver(NamedTuple):
    """What drives a bit: a bit of a value."""

    value: str
    bit: int


def check_size(memory: str, size: int, width: int) -> None:
    """Refuses memories that are too large to be netlists.

    Raises:
        CellError: More than `MAX_MEMORY_BITS` bits.
    """
    if not 0 < size * width <= MAX_MEMORY_BITS:
        raise CellError(
            f"the memory {memory} has {size} words of {width} bits, at most {MAX_MEMORY_BITS} bits are known"
        )


def quoted(name: str) -> str:
    """A name as the text of the IR has it, without its sigil."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.$]*", name):
        return name
    return string(name)


def string(text: str) -> str:
    """A string of the text."""
    octets = text.encode("utf-8", "surrogatepass").decode("utf-8", "backslashreplace")
    octets = octets.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return '"' + octets + '"'


class Cell:
    """One cell, with its parameters and connections."""

    def __init__(self, name: str, data: dict[str, Any]) -> None:
        self.name = name
        self.type: str = data["type"]
        self.parameters: dict[str, Any] = data.get("parameters", {})
        self.connections: dict[str, Bits] = data["connections"]
        self.directions: dict[str, str] = data.get("port_directions", {})
        self.src: str = str(data.get("attributes", {}).get("src", ""))

    def bits_of(self, name: str) -> str:
        """A parameter as a string of 0, 1 and x, the highest first."""
        value = self.parameters[name]
        return format(value & 0xFFFFFFFF, "b") if isinstance(value, int) else str(value)

    def number(self, name: str, default: int | None = None) -> int:
        """A parameter as a number."""
        if name not in self.parameters and default is not None:
            return default
        value = self.parameters[name]
        return value if isinstance(value, int) else int(str(value).replace("x", "0") or "0", 2)

    @property
    def memory_id(self) -> str:
        """The memory that a port belongs to."""
        return str(self.parameters["MEMID"]).lstrip("\\")

    def flag(self, name: str) -> bool:
        """A parameter that is 0 or 1; 0 if missing."""
        return self.number(name, 0) != 0


class ModuleWriter:
    """Writes one module."""

    def __init__(
        self, name: str, data: dict[str, Any], modules: dict[str, Any], notes: dict[str, None]
    ) -> None:
        self.name = name
        self.data = data
        self.modules = modules
        self.notes = notes
        attributes = data.get("attributes", {})
        self.is_top = "1" in str(attributes.get("top", "0"))
        self._lines: list[str] = []
        self._drivers: dict[Bit, Driver] = {}
        self._widths: dict[str, int] = {}
        self._init: dict[Bit, str] = {}
        self._names: dict[tuple[Bit, ...], str] = {}
        self._bit_names: dict[Bit, tuple[str, int]] = {}
        self._hidden: set[str] = set()
        self._used: set[str] = set()
        self._cache: dict[tuple[Bit, ...], str] = {}
        self._fresh = 0
        self._loc = self._src = ""
        self.memories: dict[str, tuple[str, int, int]] = {}

    # Text.
    def emit(self, line: str) -> None:
        """One instruction, with the place of the cell at hand."""
        self._lines.append(f"  {line}{self._loc}")

    def fresh(self) -> str:
        """A value without a name."""
        self._fresh += 1
        return f"%{self._fresh}"

    def define(self, operation: str, width: int, *operands: str, value: str | None = None) -> str:
        """An operation that defines a word; returns its value."""
        value = self.fresh() if value is None else value
        self.emit(" ".join([operation, f"{value}:def(wire({width}))", *operands]))
        self._widths[value] = width
        return value

    def constant(self, value: int, width: int) -> str:
        """A constant, modulo its width."""
        return f"constant({value & ((1 << width) - 1)}, {width})"

    def note(self, text: str) -> None:
        """Says what was taken for granted, once."""
        self.notes[f"module {self.name}: {text}"] = None

    # Bits.
    def word(self, bits: Bits) -> str:
        """An operand for a row of bits, the lowest first."""
        key = tuple(bits)
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = self._make_word(bits)
        return found

    def _make_word(self, bits: Bits) -> str:
        if not bits:
            raise CellError("a word without bits")
        parts: list[str] = []
        at = 0
        while at < len(bits):
            first = bits[at]
            end = at + 1
            if isinstance(first, str):
                while end < len(bits) and isinstance(bits[end], str):
                    end += 1
                parts.append(self._constant_word(bits[at:end]))
            else:
                driver = self._driver(first)
                while end < len(bits):
                    bit = bits[end]
                    if isinstance(bit, str) or self._driver(bit) != (driver.value, driver.bit + end - at):
                        break
                    end += 1
                parts.append(self._slice(driver, end - at))
            at = end
        return parts[0] if len(parts) == 1 else self.define("CONCAT", len(bits), *reversed(parts))

    def _constant_word(self, bits: Bits) -> str:
        if "z" in bits:
            raise CellError("a bit that is z")
        if "x" in bits:
            self.note("constant bits that are x are taken as 0")
        return self.constant(sum(1 << i for i, bit in enumerate(bits) if bit == "1"), len(bits))

    def _driver(self, bit: Bit) -> Driver:
        assert isinstance(bit, int)
        found = self._drivers.get(bit)
        if found is None:
            raise CellError(f"the net {self._net_name(bit)} has no driver")
        return found

    def _net_name(self, bit: int) -> str:
        for name, net in self.data.get("netnames", {}).items():
            if bit in net["bits"]:
                return name if len(net["bits"]) == 1 else f"{name}[{net['bits'].index(bit)}]"
        return str(bit)

    def _slice(self, driver: Driver, width: int) -> str:
        if width == self._widths[driver.value]:
            return driver.value
        return self.define("SLICE", width, driver.value, str(driver.bit + width - 1), str(driver.bit))

    def extended(self, bits: Bits, width: int, *, signed: bool) -> str:
        """A row of bits cut or extended to a width."""
        if len(bits) >= width:
            return self.word(bits[:width])
        if all(isinstance(bit, str) for bit in bits):
            return self.word([*bits, *[bits[-1] if signed else "0"] * (width - len(bits))])
        return self.define("SEXT" if signed else "ZEXT", width, self.word(bits))

    def fitted(self, value: str, width: int, wanted: int, result: str | None, *, signed: bool = False) -> str:
        """A value cut or extended to the width of a cell's output, under the output's name."""
        if wanted < width:
            return self.define("SLICE", wanted, value, str(wanted - 1), "0", value=result)
        return self.define("SEXT" if signed else "ZEXT", wanted, value, value=result)

    def init_of(self, bits: Bits) -> str:
        """The attributes of a register for the initial values of its bits."""
        values = [self._init.get(bit, "x") if isinstance(bit, int) else "x" for bit in bits]
        known = sum(1 << i for i, value in enumerate(values) if value in "01")
        if not known:
            return ""
        init = sum(1 << i for i, value in enumerate(values) if value == "1")
        text = f"init = {self.constant(init, len(bits))}"
        if known != (1 << len(bits)) - 1:
            text += f", init_mask = {self.constant(known, len(bits))}"
        return text

    def set_init(self, bit: Bit, value: str) -> None:
        """The initial value of a bit."""
        if value in "01":
            self._init[bit] = value

    def declare(self, value: str, width: int) -> None:
        """Says how wide a value is that is written by `emit`."""
        self._widths[value] = width

    # The module.
    def lines(self) -> list[str]:
        """The text of the module."""
        self._lines = [f"MODULE @{quoted(self.name)} {{"]
        cells = [Cell(name, data) for name, data in self.data.get("cells", {}).items()]
        cells = [cell for cell in cells if cell.type not in _IGNORED]
        self._read_names()
        ports = self.data.get("ports", {})
        for name, port in ports.items():
            if port["direction"] == "inout":
                raise CellError(f"the port {name} is an inout")
            if port["direction"] == "input" and port["bits"]:
                value = self.name_value(name)
                self._drive(port["bits"], value)
                self.emit(f"IN {value}:def(wire({len(port['bits'])})) {string(name)}")
        from hw_dialect.yosys.operators import outputs_of

        self._declare_memories(cells)
        results: list[dict[str, str]] = []
        for cell in cells:
            self._see(cell)
            own: dict[str, str] = {}
            for port in self._instance_outputs(cell) if cell.type in self.modules else outputs_of(cell):
                bits = cell.connections.get(port)
                if bits:
                    own[port] = self._result_name(cell, port, bits)
                    self._drive(bits, own[port])
            results.append(own)
        for cell, own in zip(cells, results, strict=True):
            self._see(cell)
            self._write(cell, own)
        self._loc = self._src = ""
        for name, port in ports.items():
            if port["direction"] == "output" and port["bits"]:
                self.emit(f"OUT {string(name)} {self.word(port['bits'])}")
        for bits, name in self._names.items():
            # Names of nets that are no output of one cell.
            if name not in self._hidden and name not in ports and all(bit in self._drivers for bit in bits):
                self.define("CONCAT", len(bits), self.word(list(bits)), value=self.name_value(name))
        self._lines.append("}")
        return self._lines

    def _declare_memories(self, cells: list[Cell]) -> None:
        """Memories whose ports are cells of their own."""
        for name, memory in self.data.get("memories", {}).items():
            width, size = int(memory["width"]), int(memory["size"])
            offset = int(memory.get("start_offset", 0))
            check_size(name, size, width)
            init: int | None = None
            for cell in cells:
                if not cell.type.startswith("$meminit") or cell.memory_id != name:
                    continue
                at = sum(1 << i for i, bit in enumerate(cell.connections["ADDR"]) if bit == "1") - offset
                data = cell.connections["DATA"]
                if not 0 <= at < size or len(data) > (size - at) * width:
                    raise CellError(f"initial words beyond the memory {name}")
                if "x" in data:
                    self.note(f"words of the memory {name} that start at x start at 0")
                value = sum(1 << i for i, bit in enumerate(data) if bit == "1")
                mask = (1 << len(data)) - 1
                init = ((init or 0) & ~(mask << (at * width))) | value << (at * width)
            value_name = self.name_value(name)
            self.memories[name] = (value_name, width, offset)
            text = "" if init is None else f" {{init = {self.constant(init, size * width)}}}"
            self.emit(f"MEM {value_name}:def(memory({size}, {width})){text}")

    def _read_names(self) -> None:
        nets = self.data.get("netnames", {})
        ports = self.data.get("ports", {})
        for name, net in sorted(nets.items(), key=lambda item: int(item[1].get("hide_name", 0))):
            bits = net["bits"]
            init = net.get("attributes", {}).get("init")
            if init is not None:
                text = str(init) if isinstance(init, str) else format(init, "b")
                for bit, value in zip(bits, reversed(text.rjust(len(bits), "0")), strict=False):
                    if isinstance(bit, int) and value in "01":
                        self._init[bit] = value
            if not int(net.get("hide_name", 0)):
                for index, bit in enumerate(bits):
                    self._bit_names.setdefault(bit, (name, index))
            if bits and (name not in ports or ports[name]["direction"] == "output"):
                self._names.setdefault(tuple(bits), name)
                if int(net.get("hide_name", 0)):
                    self._hidden.add(name)

    def name_value(self, name: str) -> str:
        """A new value with this name, made different from others."""
        unique, number = name, 1
        while unique in self._used:
            number += 1
            unique = f"{name}_{number}"
        self._used.add(unique)
        return "%" + quoted(unique)

    def _result_name(self, cell: Cell, port: str, bits: Bits) -> str:
        return self.value_for(bits, f"{cell.name}.{port}")

    def value_for(self, bits: Bits, otherwise: str) -> str:
        """A new value called as the net of these bits, if they have a name."""
        name = self._names.pop(tuple(bits), None)
        if name is None and bits[0] in self._bit_names:
            # Some bits of a net with a name.
            net, low = self._bit_names[bits[0]]
            if all(self._bit_names.get(bit) == (net, low + i) for i, bit in enumerate(bits)):
                name = self._part_name(net, low, len(bits))
        return self.name_value(name if name is not None else otherwise)

    def _part_name(self, net: str, low: int, width: int) -> str:
        total = len(self.data["netnames"][net]["bits"])
        if width == total:
            return net
        return f"{net}[{low}]" if width == 1 else f"{net}[{low + width - 1}:{low}]"

    def _drive(self, bits: Bits, value: str) -> None:
        self._widths[value] = len(bits)
        for index, bit in enumerate(bits):
            if not isinstance(bit, int):
                continue
            if bit in self._drivers:
                other = self._drivers[bit].value
                raise CellError(f"the net {self._net_name(bit)} is driven twice, by {other} and {value}")
            self._drivers[bit] = Driver(value, index)

    @property
    def place(self) -> str:
        """The place in the source of the cell at hand, if there is one, for messages."""
        return f" ({self._src})" if self._src else ""

    def _see(self, cell: Cell) -> None:
        self._src = cell.src
        match = _PLACE.match(cell.src)
        self._loc = f" loc({string(match[1])}:{match[2]}:{match[3]})" if match else ""

    def _instance_outputs(self, cell: Cell) -> list[str]:
        ports = self.modules[cell.type]["ports"]
        return [name for name, port in ports.items() if port["direction"] == "output"]

    def _write(self, cell: Cell, results: dict[str, str]) -> None:
        from hw_dialect.yosys.operators import CELLS, gate
        from hw_dialect.yosys.state import register_of_gate

        if cell.type in self.modules:
            self._write_instance(cell, results)
            return
        write: Callable[[ModuleWriter, Cell, dict[str, str]], None] | None = (
            CELLS.get(cell.type) or gate(cell.type) or register_of_gate(cell.type)
        )
        if write is None:
            known = (
                "a cell that has no counterpart"
                if cell.type.startswith("$")
                else "a module that is not in the file"
            )
            raise CellError(f"the cell {cell.name} is of the type {cell.type}, {known}")
        write(self, cell, results)

    def _write_instance(self, cell: Cell, results: dict[str, str]) -> None:
        parts = [f"INSTANCE @{quoted(cell.type)} {string(cell.name)}"]
        for port, data in self.modules[cell.type]["ports"].items():
            bits = cell.connections.get(port, [])
            width = len(data["bits"])
            if data["direction"] == "input" and width:
                if not bits:
                    raise CellError(f"the input port {port} of the instance {cell.name} is not connected")
                parts.append(f"{string(port)} {self.extended(bits, width, signed=False)}")
            elif port in results:
                if len(bits) != width:
                    raise CellError(
                        f"the port {port} of {cell.name} has {width} bits, {len(bits)} are connected"
                    )
                parts.append(f"{string(port)} {results[port]}:def(wire({width}))")
        self.emit(" ".join(parts))


_IGNORED = {"$scopeinfo", "$print", "$check_print", "$cover"}
"""Cells without logic."""
