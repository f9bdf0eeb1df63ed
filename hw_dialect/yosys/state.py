"""Registers and memories of Yosys as `hw.REG` and `hw.MEM`."""

from __future__ import annotations

import re

from hw_dialect.yosys.cells import Bits, Cell, CellError, ModuleWriter, check_size
from hw_dialect.yosys.operators import CELLS, Results, Write


def _level(w: ModuleWriter, bits: Bits, *, high: bool) -> str:
    """A control signal as one that counts when it is 1."""
    value = w.word(bits)
    return value if high else w.define("NOT", 1, value)


def _register(
    w: ModuleWriter,
    result: str,
    bits: Bits,
    following: str,
    *,
    clock: tuple[Bits, bool] | None = None,
    enable: str | None = None,
    reset: tuple[str, str] | None = None,
    asynchronous: bool = False,
) -> None:
    parts = [f"REG {result}:def(wire({len(bits)})) {following}"]
    attributes = [w.init_of(bits)]
    if clock is not None:
        parts.append(f'"clock" {w.word(clock[0])}')
        if not clock[1]:
            attributes.append("negative_edge = true")
    if enable is not None:
        parts.append(f'"enable" {enable}')
    if reset is not None:
        parts.append(f'"reset" {reset[0]} {reset[1]}')
        if asynchronous:
            attributes.append("asynchronous = true")
    attributes = [text for text in attributes if text]
    if attributes:
        parts.append("{" + ", ".join(attributes) + "}")
    w.emit(" ".join(parts))


def _ff(w: ModuleWriter, cell: Cell, results: Results) -> None:
    """All word-level registers: the ports and parameters say what they have."""
    kind = cell.type
    q = cell.connections["Q"]
    if "Q" not in results:
        return
    following = w.word(cell.connections["D"])
    clock = (cell.connections["CLK"], cell.flag("CLK_POLARITY")) if "CLK" in cell.connections else None
    enable = (
        _level(w, cell.connections["EN"], high=cell.flag("EN_POLARITY")) if "EN" in cell.connections else None
    )
    if "SET" in cell.connections:
        _set_and_clear(w, cell, results["Q"], clock, enable, following)
        return
    reset: tuple[str, str] | None = None
    asynchronous = False
    if "ARST" in cell.connections:
        active = _level(w, cell.connections["ARST"], high=cell.flag("ARST_POLARITY"))
        reset, asynchronous = (active, w.constant(cell.number("ARST_VALUE"), len(q))), True
    elif "ALOAD" in cell.connections:
        active = _level(w, cell.connections["ALOAD"], high=cell.flag("ALOAD_POLARITY"))
        reset, asynchronous = (active, w.word(cell.connections["AD"])), True
    elif "SRST" in cell.connections:
        active = _level(w, cell.connections["SRST"], high=cell.flag("SRST_POLARITY"))
        value = w.constant(cell.number("SRST_VALUE"), len(q))
        if kind == "$sdffce":
            following = w.define("MUX", len(q), active, value, following)
        else:
            reset = active, value
    _register(
        w, results["Q"], q, following, clock=clock, enable=enable, reset=reset, asynchronous=asynchronous
    )


def _set_and_clear(
    w: ModuleWriter,
    cell: Cell,
    result: str,
    clock: tuple[Bits, bool] | None,
    enable: str | None,
    following: str,
) -> None:
    """$dffsr: every bit has a set and a clear of its own; clear wins."""
    q, d = cell.connections["Q"], cell.connections["D"]
    del following
    parts: list[str] = []
    for i, bit in enumerate(q):
        set_ = _level(w, cell.connections["SET"][i : i + 1], high=cell.flag("SET_POLARITY"))
        clear = _level(w, cell.connections["CLR"][i : i + 1], high=cell.flag("CLR_POLARITY"))
        active = w.define("OR", 1, set_, clear)
        part = w.fresh()
        parts.append(part)
        value = w.define("NOT", 1, clear)
        _register(
            w,
            part,
            [bit],
            w.word(d[i : i + 1]),
            clock=clock,
            enable=enable,
            reset=(active, value),
            asynchronous=True,
        )
    w.define("CONCAT", len(q), *reversed(parts), value=result)


_GATE = re.compile(
    r"\$_(?:(?P<ff>FF)|(?P<dff>DFFE?)_(?P<clk>[PN])(?P<en>[PN])?|"
    r"(?P<rst>DFFE?|SDFFE?|SDFFCE)_(?P<rclk>[PN])(?P<pol>[PN])(?P<val>[01])(?P<ren>[PN])?|"
    r"(?P<al>ALDFFE?)_(?P<aclk>[PN])(?P<apol>[PN])(?P<aen>[PN])?|"
    r"(?P<sr>DFFSRE?)_(?P<sclk>[PN])(?P<set>[PN])(?P<clr>[PN])(?P<sen>[PN])?)_"
)


def register_of_gate(kind: str) -> Write | None:
    """A register of one bit by its name, which says all polarities."""
    match = _GATE.fullmatch(kind)
    if match is None:
        return None

    def write(w: ModuleWriter, cell: Cell, results: Results) -> None:
        wires = cell.connections
        if "Q" not in results:
            return
        q = wires["Q"]
        clock_polarity = match["clk"] or match["rclk"] or match["aclk"] or match["sclk"]
        clock = (wires["C"], clock_polarity == "P") if clock_polarity else None
        enable_polarity = match["en"] or match["ren"] or match["aen"] or match["sen"]
        enable = _level(w, wires["E"], high=enable_polarity == "P") if enable_polarity else None
        following = w.word(wires["D"])
        reset: tuple[str, str] | None = None
        asynchronous = False
        if match["sr"]:
            set_ = _level(w, wires["S"], high=match["set"] == "P")
            clear = _level(w, wires["R"], high=match["clr"] == "P")
            reset = w.define("OR", 1, set_, clear), w.define("NOT", 1, clear)
            asynchronous = True
        elif match["al"]:
            reset, asynchronous = (
                (_level(w, wires["L"], high=match["apol"] == "P"), w.word(wires["AD"])),
                True,
            )
        elif match["rst"]:
            active = _level(w, wires["R"], high=match["pol"] == "P")
            value = w.constant(int(match["val"]), 1)
            if match["rst"] == "SDFFCE":
                following = w.define("MUX", 1, active, value, following)
            else:
                reset, asynchronous = (active, value), match["rst"].startswith("DFF")
        _register(
            w, results["Q"], q, following, clock=clock, enable=enable, reset=reset, asynchronous=asynchronous
        )

    return write


def _memory(w: ModuleWriter, cell: Cell, results: Results) -> None:
    """$mem_v2: a memory with all its ports."""
    width, size, offset = cell.number("WIDTH"), cell.number("SIZE"), cell.number("OFFSET", 0)
    if cell.number("RD_WIDE_CONTINUATION", 0) or cell.number("WR_WIDE_CONTINUATION", 0):
        raise CellError(f"the memory {cell.name} has ports wider than its words")
    memory = w.name_value(cell.memory_id)
    init = cell.bits_of("INIT") if "INIT" in cell.parameters else "x"
    check_size(cell.memory_id, size, width)
    attributes = ""
    if set(init) & {"0", "1"}:
        if "x" in init:
            w.note(f"words of the memory {cell.name} that start at x start at 0")
        bits = init.replace("x", "0")[-size * width :].rjust(size * width, "0")
        attributes = f" {{init = {w.constant(int(bits, 2), size * width)}}}"
    w.emit(f"MEM {memory}:def(memory({size}, {width})){attributes}")
    address_bits = cell.number("ABITS")

    def address(bits: Bits) -> str:
        value = w.word(bits)
        return w.define("SUB", address_bits, value, w.constant(offset, address_bits)) if offset else value

    writes: list[tuple[str, str, str]] = []
    for port in range(cell.number("WR_PORTS")):
        at = address(cell.connections["WR_ADDR"][port * address_bits : (port + 1) * address_bits])
        data = w.word(cell.connections["WR_DATA"][port * width : (port + 1) * width])
        enable = w.word(cell.connections["WR_EN"][port * width : (port + 1) * width])
        clock = w.word(cell.connections["WR_CLK"][port : port + 1])
        if not cell.number("WR_CLK_ENABLE") >> port & 1:
            raise CellError(f"the memory {cell.name} is written without a clock")
        edge = "" if cell.number("WR_CLK_POLARITY") >> port & 1 else ", negative_edge = true"
        w.emit(f'WRITE {memory} {at} {data} "enable" {enable} "clock" {clock} {{port = {port}{edge}}}')
        writes.append((at, data, enable))
    if "RD_DATA" not in results:
        return
    parts: list[str] = []
    ports = cell.number("RD_PORTS")
    for port in range(ports):
        at = address(cell.connections["RD_ADDR"][port * address_bits : (port + 1) * address_bits])
        word = w.define("READ", width, memory, at)
        if cell.number("RD_CLK_ENABLE") >> port & 1:
            result = results["RD_DATA"] if ports == 1 else None
            word = _clocked_read(w, cell, port, at, word, writes, result)
            if ports == 1:
                return
        parts.append(word)
    w.define("CONCAT", width * len(parts), *reversed(parts), value=results["RD_DATA"])


def _clocked_read(
    w: ModuleWriter,
    cell: Cell,
    port: int,
    at: str,
    word: str,
    writes: list[tuple[str, str, str]],
    result: str | None,
) -> str:
    width = cell.number("WIDTH")
    transparent = cell.number("RD_TRANSPARENCY_MASK", 0) >> (port * len(writes))
    for number, (target, data, enable) in enumerate(writes):
        if not transparent >> number & 1:
            continue
        here = w.define("REPEAT", width, w.define("EQ", 1, at, target))
        taken = w.define("AND", width, here, enable)
        kept = w.define("AND", width, word, w.define("NOT", width, taken))
        word = w.define("OR", width, kept, w.define("AND", width, data, taken))
    clock = cell.connections["RD_CLK"][port : port + 1], bool(cell.number("RD_CLK_POLARITY") >> port & 1)
    enable_bits = cell.connections["RD_EN"][port : port + 1]
    enable = None if enable_bits == ["1"] else w.word(enable_bits)

    def value_of(name: str) -> str:
        text = cell.bits_of(name)[::-1][port * width : (port + 1) * width][::-1].replace("x", "0")
        return w.constant(int(text or "0", 2), width)

    reset: tuple[str, str] | None = None
    asynchronous = False
    arst, srst = (cell.connections[name][port : port + 1] for name in ("RD_ARST", "RD_SRST"))
    if arst not in (["0"], ["x"]):
        reset, asynchronous = (w.word(arst), value_of("RD_ARST_VALUE")), True
    elif srst not in (["0"], ["x"]):
        reset = w.word(srst), value_of("RD_SRST_VALUE")
        if cell.number("RD_CE_OVER_SRST", 0) >> port & 1 and enable is not None:
            word = w.define("MUX", width, reset[0], reset[1], word)
            reset = None
    bits = cell.connections["RD_DATA"][port * width : (port + 1) * width]
    if result is None:
        result = w.value_for(bits, f"{cell.name}.read{port}")
    start = (
        cell.bits_of("RD_INIT_VALUE")[::-1][port * width : (port + 1) * width]
        if "RD_INIT_VALUE" in cell.parameters
        else ""
    )
    for bit, value in zip(bits, start, strict=False):
        w.set_init(bit, value)
    w.declare(result, width)
    _register(w, result, bits, word, clock=clock, enable=enable, reset=reset, asynchronous=asynchronous)
    return result


def _read_port(w: ModuleWriter, cell: Cell, results: Results) -> None:
    """$memrd_v2: one reading port."""
    memory, width, offset = w.memories[cell.memory_id]
    if cell.flag("CLK_ENABLE"):
        raise CellError(f"the cell {cell.name}: a clocked reading port; run `memory -nomap`")
    address = cell.connections["ADDR"]
    at = w.word(address)
    if offset:
        at = w.define("SUB", len(address), at, w.constant(offset, len(address)))
    if "DATA" in results:
        w.define("READ", width, memory, at, value=results["DATA"])


def _write_port(w: ModuleWriter, cell: Cell, results: Results) -> None:
    """$memwr_v2: one writing port."""
    del results
    memory, _, offset = w.memories[cell.memory_id]
    if not cell.flag("CLK_ENABLE"):
        raise CellError(f"the memory {cell.memory_id} is written without a clock")
    address = cell.connections["ADDR"]
    at = w.word(address)
    if offset:
        at = w.define("SUB", len(address), at, w.constant(offset, len(address)))
    data, enable, clock = (w.word(cell.connections[port]) for port in ("DATA", "EN", "CLK"))
    edge = "" if cell.flag("CLK_POLARITY") else ", negative_edge = true"
    port = cell.number("PORTID", 0)
    w.emit(f'WRITE {memory} {at} {data} "enable" {enable} "clock" {clock} {{port = {port}{edge}}}')


def _nothing(w: ModuleWriter, cell: Cell, results: Results) -> None:
    """$meminit_v2 is read with the memory."""
    del w, cell, results


_REGISTERS = "ff dff dffe adff adffe sdff sdffe sdffce aldff aldffe dffsr dffsre"
for _kind in _REGISTERS.split():
    CELLS[f"${_kind}"] = _ff
CELLS["$mem_v2"] = _memory
CELLS["$memrd_v2"] = CELLS["$memrd"] = _read_port
CELLS["$memwr_v2"] = CELLS["$memwr"] = _write_port
CELLS["$meminit_v2"] = CELLS["$meminit"] = _nothing
