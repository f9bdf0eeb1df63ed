"""What the cells of Yosys compute, as operations of the dialects `op` and `hw`.

After Yosys' own description of its cell library: operands of arithmetic are extended to the widest of
operands and result, as signed numbers if all operands are signed; results are cut. Division by zero, which
Verilog leaves open, is that of the dialect.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from hw_dialect.yosys.cells import Bits, Cell, CellError, ModuleWriter

Results: TypeAlias = "dict[str, str]"
MAX_TABLE_INPUTS = 16
Write: TypeAlias = Callable[[ModuleWriter, Cell, Results], None]


def outputs_of(cell: Cell) -> list[str]:
    """The output ports of a cell of the library."""
    if cell.directions:
        return [port for port, direction in cell.directions.items() if direction == "output"]
    names = {"$fa": ["X", "Y"], "$alu": ["X", "Y", "CO"], "$lcu": ["CO"], "$mem_v2": ["RD_DATA"]}
    return names.get(cell.type, ["Q"] if "Q" in cell.connections else ["Y"])


def _signed(cell: Cell, *ports: str) -> bool:
    return all(cell.flag(f"{port}_SIGNED") for port in ports)


def _put(w: ModuleWriter, cell: Cell, results: Results, value: str, width: int) -> None:
    """A value as the output Y, cut or extended with zeros."""
    if "Y" in results:
        w.fitted(value, width, len(cell.connections["Y"]), results["Y"])


def _arithmetic(operation: str, signed_operation: str | None = None) -> Write:
    def write(w: ModuleWriter, cell: Cell, results: Results) -> None:
        a, b, y = (cell.connections[port] for port in "ABY")
        signed = _signed(cell, "A", "B")
        width = max(len(a), len(b), len(y))
        chosen = signed_operation if signed and signed_operation is not None else operation
        operands = w.extended(a, width, signed=signed), w.extended(b, width, signed=signed)
        if width == len(y) and "Y" in results:
            w.define(chosen, width, *operands, value=results["Y"])
        else:
            _put(w, cell, results, w.define(chosen, width, *operands), width)

    return write


def _floor(w: ModuleWriter, cell: Cell, results: Results) -> None:
    a, b, y = (cell.connections[port] for port in "ABY")
    signed = _signed(cell, "A", "B")
    width = max(len(a), len(b), len(y))
    x, d = w.extended(a, width, signed=signed), w.extended(b, width, signed=signed)
    if cell.type == "$modfloor":
        value = w.define("SMOD" if signed else "UREM", width, x, d)
    elif not signed:
        value = w.define("UDIV", width, x, d)
    else:
        # Rounded down: one less than the quotient where remainders differ.
        quotient, rest = w.define("SDIV", width, x, d), w.define("SREM", width, x, d)
        floor = w.define("SMOD", width, x, d)
        less = w.define("SUB", width, quotient, w.constant(1, width))
        value = w.define("MUX", width, w.define("EQ", 1, rest, floor), quotient, less)
    _put(w, cell, results, value, width)


def _unary(operation: str | None) -> Write:
    def write(w: ModuleWriter, cell: Cell, results: Results) -> None:
        a, y = cell.connections["A"], cell.connections["Y"]
        width = max(len(a), len(y))
        value = w.extended(a, width, signed=_signed(cell, "A"))
        _put(w, cell, results, value if operation is None else w.define(operation, width, value), width)

    return write


def _truth(w: ModuleWriter, bits: Bits) -> str:
    return w.word(bits) if len(bits) == 1 else w.define("REDOR", 1, w.word(bits))


def _reduction(operation: str, *, inverted: bool = False) -> Write:
    def write(w: ModuleWriter, cell: Cell, results: Results) -> None:
        value = w.define(operation, 1, w.word(cell.connections["A"]))
        _put(w, cell, results, w.define("NOT", 1, value) if inverted else value, 1)

    return write


def _logic(operation: str) -> Write:
    def write(w: ModuleWriter, cell: Cell, results: Results) -> None:
        value = w.define(operation, 1, _truth(w, cell.connections["A"]), _truth(w, cell.connections["B"]))
        _put(w, cell, results, value, 1)

    return write


def _comparison(operation: str, signed_operation: str) -> Write:
    def write(w: ModuleWriter, cell: Cell, results: Results) -> None:
        a, b = cell.connections["A"], cell.connections["B"]
        signed = _signed(cell, "A", "B")
        width = max(len(a), len(b))
        chosen = signed_operation if signed else operation
        operands = w.extended(a, width, signed=signed), w.extended(b, width, signed=signed)
        _put(w, cell, results, w.define(chosen, 1, *operands), 1)

    return write


def _shift(operation: str, signed_operation: str) -> Write:
    def write(w: ModuleWriter, cell: Cell, results: Results) -> None:
        a, b, y = (cell.connections[port] for port in "ABY")
        width = max(len(a), len(y))
        signed = _signed(cell, "A")
        value = w.extended(a, width, signed=signed)
        _put(
            w,
            cell,
            results,
            w.define(signed_operation if signed else operation, width, value, w.word(b)),
            width,
        )

    return write


def _part(w: ModuleWriter, cell: Cell, results: Results) -> None:
    """$shift and $shiftx: to the right by B, to the left by a negative B."""
    a, b, y = (cell.connections[port] for port in "ABY")
    width = max(len(a), len(y))
    value = w.extended(a, width, signed=cell.type == "$shift" and _signed(cell, "A"))
    amount = w.word(b)
    right = w.define("LSHR", width, value, amount)
    if _signed(cell, "B"):
        left = w.define("SHL", width, value, w.define("NEG", len(b), amount))
        sign = w.word(b[-1:])
        right = w.define("MUX", width, sign, left, right)
    _put(w, cell, results, right, width)


def _power(w: ModuleWriter, cell: Cell, results: Results) -> None:
    a, b, y = (cell.connections[port] for port in "ABY")
    width = max(len(a), len(y))
    base = w.extended(a, width, signed=_signed(cell, "A"))
    if all(bit in ("0", "1") for bit in a) and not _signed(cell, "B"):
        number = sum(1 << i for i, bit in enumerate(a) if bit == "1")
        if number == 2:
            _put(w, cell, results, w.define("SHL", width, w.constant(1, width), w.word(b)), width)
            return
    if not all(bit in ("0", "1") for bit in b) or (_signed(cell, "B") and b[-1] == "1"):
        raise CellError(f"the cell {cell.name}: powers are known with a constant exponent, or of 2")
    exponent = sum(1 << i for i, bit in enumerate(b) if bit == "1")
    result: str | None = None
    while exponent:
        if exponent & 1:
            result = base if result is None else w.define("MUL", width, result, base)
        exponent >>= 1
        if exponent:
            base = w.define("MUL", width, base, base)
    _put(w, cell, results, result if result is not None else w.constant(1, width), width)


def _mux(w: ModuleWriter, cell: Cell, results: Results) -> None:
    a, b, s = (w.word(cell.connections[port]) for port in "ABS")
    w.define("MUX", len(cell.connections["Y"]), s, b, a, value=results["Y"])


def _pmux(w: ModuleWriter, cell: Cell, results: Results) -> None:
    b, s, width = cell.connections["B"], cell.connections["S"], len(cell.connections["Y"])
    value = w.word(cell.connections["A"])
    for i in range(len(s)):
        value = w.define("MUX", width, w.word(s[i : i + 1]), w.word(b[i * width : (i + 1) * width]), value)
    _put(w, cell, results, value, width)


def _bmux(w: ModuleWriter, cell: Cell, results: Results) -> None:
    a, s, width = cell.connections["A"], cell.connections["S"], len(cell.connections["Y"])
    words = [w.word(a[i : i + width]) for i in range(0, len(a), width)]
    for bit in s:
        select = w.word([bit])
        words = [w.define("MUX", width, select, words[i + 1], words[i]) for i in range(0, len(words), 2)]
    _put(w, cell, results, words[0], width)


def _demux(w: ModuleWriter, cell: Cell, results: Results) -> None:
    a, s = cell.connections["A"], cell.connections["S"]
    if len(s) > MAX_TABLE_INPUTS:
        raise CellError(f"the cell {cell.name}: a selection of more than {MAX_TABLE_INPUTS} bits")
    total = len(a) << len(s)
    wide = w.extended(a, total, signed=False)
    amount = w.define(
        "MUL", len(s) + 32, w.extended(s, len(s) + 32, signed=False), w.constant(len(a), len(s) + 32)
    )
    _put(w, cell, results, w.define("SHL", total, wide, amount), total)


def _bwmux(w: ModuleWriter, cell: Cell, results: Results) -> None:
    a, b, s = (w.word(cell.connections[port]) for port in "ABS")
    width = len(cell.connections["Y"])
    low = w.define("AND", width, a, w.define("NOT", width, s))
    w.define("OR", width, low, w.define("AND", width, b, s), value=results["Y"])


def _slice(w: ModuleWriter, cell: Cell, results: Results) -> None:
    offset, width = cell.number("OFFSET"), len(cell.connections["Y"])
    _put(w, cell, results, w.word(cell.connections["A"][offset : offset + width]), width)


def _concat(w: ModuleWriter, cell: Cell, results: Results) -> None:
    both = cell.connections["A"] + cell.connections["B"]
    _put(w, cell, results, w.word(both), len(both))


def _lut(w: ModuleWriter, cell: Cell, results: Results) -> None:
    a = cell.connections["A"]
    if len(a) > MAX_TABLE_INPUTS:
        raise CellError(f"the cell {cell.name}: a table of more than {MAX_TABLE_INPUTS} inputs")
    table = w.constant(cell.number("LUT"), 1 << len(a))
    w.define("LUT", 1, w.word(a), table, value=results["Y"])


def _full_adder(w: ModuleWriter, cell: Cell, results: Results) -> None:
    a, b, c = (w.word(cell.connections[port]) for port in "ABC")
    width = len(cell.connections["A"])
    if "Y" in results:
        w.define("XOR", width, a, b, c, value=results["Y"])
    if "X" in results:
        pairs = [w.define("AND", width, p, q) for p, q in ((a, b), (a, c), (b, c))]
        w.define("OR", width, *pairs, value=results["X"])


def _alu(w: ModuleWriter, cell: Cell, results: Results) -> None:
    """Y = A + (BI ? ~B : B) + CI; X = A ^ (BI ? ~B : B); CO are the carries."""
    y = cell.connections["Y"] if "Y" in results else cell.connections.get("X", cell.connections.get("CO", []))
    width = len(y)
    a = w.extended(cell.connections["A"], width, signed=_signed(cell, "A", "B"))
    b = w.extended(cell.connections["B"], width, signed=_signed(cell, "A", "B"))
    inverted = w.define("REPEAT", width, w.word(cell.connections["BI"]))
    b = w.define("XOR", width, b, inverted)
    carry = w.extended(cell.connections["CI"], width, signed=False)
    total = w.define("ADD", width, a, b, carry)
    if "Y" in results:
        w.define("CONCAT", width, total, value=results["Y"])
    if "X" in results:
        w.define("XOR", width, a, b, value=results["X"])
    if "CO" in results:
        # The carry out of a bit: two of a, b and the complement of the sum.
        rest = w.define("AND", width, w.define("OR", width, a, b), w.define("NOT", width, total))
        w.define("OR", width, w.define("AND", width, a, b), rest, value=results["CO"])


def _claim(operation: str) -> Write:
    def write(w: ModuleWriter, cell: Cell, results: Results) -> None:
        del results
        a, enable = w.word(cell.connections["A"]), w.word(cell.connections["EN"])
        value = w.define("OR", 1, a, w.define("NOT", 1, enable))
        w.emit(f'{operation} {value} {{name = "{_plain(cell.name)}"}}')

    return write


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.$]", "_", name)


def _check(w: ModuleWriter, cell: Cell, results: Results) -> None:
    flavors = {"assert": "ASSERT", "assume": "ASSUME"}
    flavor = str(cell.parameters.get("FLAVOR", "")).strip()
    if flavor == "cover":
        return
    if flavor not in flavors:
        raise CellError(f"the cell {cell.name}: {cell.type} {flavor} has no counterpart")
    _claim(flavors[flavor])(w, cell, results)


# Registers and memories are in their own file; the table is completed there.
CELLS: dict[str, Write] = {
    "$not": _unary("NOT"),
    "$pos": _unary(None),
    "$buf": _unary(None),
    "$neg": _unary("NEG"),
    "$and": _arithmetic("AND"),
    "$or": _arithmetic("OR"),
    "$xor": _arithmetic("XOR"),
    "$xnor": _arithmetic("XNOR"),
    "$add": _arithmetic("ADD"),
    "$sub": _arithmetic("SUB"),
    "$mul": _arithmetic("MUL"),
    "$div": _arithmetic("UDIV", "SDIV"),
    "$mod": _arithmetic("UREM", "SREM"),
    "$divfloor": _floor,
    "$modfloor": _floor,
    "$pow": _power,
    "$reduce_and": _reduction("REDAND"),
    "$reduce_or": _reduction("REDOR"),
    "$reduce_bool": _reduction("REDOR"),
    "$reduce_xor": _reduction("REDXOR"),
    "$reduce_xnor": _reduction("REDXOR", inverted=True),
    "$logic_not": _reduction("REDOR", inverted=True),
    "$logic_and": _logic("AND"),
    "$logic_or": _logic("OR"),
    "$lt": _comparison("ULT", "SLT"),
    "$le": _comparison("ULE", "SLE"),
    "$gt": _comparison("UGT", "SGT"),
    "$ge": _comparison("UGE", "SGE"),
    "$eq": _comparison("EQ", "EQ"),
    "$ne": _comparison("NE", "NE"),
    "$eqx": _comparison("EQ", "EQ"),
    "$nex": _comparison("NE", "NE"),
    "$shl": _shift("SHL", "SHL"),
    "$sshl": _shift("SHL", "SHL"),
    "$shr": _shift("LSHR", "LSHR"),
    "$sshr": _shift("LSHR", "ASHR"),
    "$shift": _part,
    "$shiftx": _part,
    "$mux": _mux,
    "$pmux": _pmux,
    "$bmux": _bmux,
    "$demux": _demux,
    "$bwmux": _bwmux,
    "$slice": _slice,
    "$concat": _concat,
    "$lut": _lut,
    "$fa": _full_adder,
    "$alu": _alu,
    "$assert": _claim("ASSERT"),
    "$assume": _claim("ASSUME"),
    "$check": _check,
}

_GATES = {
    "BUF": "a",
    "NOT": "~a",
    "AND": "a&b",
    "NAND": "~(a&b)",
    "OR": "a|b",
    "NOR": "~(a|b)",
    "XOR": "a^b",
    "XNOR": "~(a^b)",
    "ANDNOT": "a&~b",
    "ORNOT": "a|~b",
    "MUX": "s?b:a",
    "NMUX": "~(s?b:a)",
    "AOI3": "~(a&b|c)",
    "OAI3": "~((a|b)&c)",
    "AOI4": "~(a&b|c&d)",
    "OAI4": "~((a|b)&(c|d))",
    "MUX4": "t?(s?d:c):(s?b:a)",
}


def gate(kind: str) -> Write | None:
    """A gate of one bit, `$_AND_`; its function is a formula over its ports."""
    formula = _GATES.get(kind.removeprefix("$_").removesuffix("_")) if kind.startswith("$_") else None
    if formula is None:
        return None

    def write(w: ModuleWriter, cell: Cell, results: Results) -> None:
        if "Y" in results:
            _Formula(w, cell, formula).write(results["Y"])

    return write


class _Formula:
    """Writes a formula over ports: `~ & ^ |`, `c?x:y`, brackets; bounded by the table above."""

    def __init__(self, w: ModuleWriter, cell: Cell, text: str) -> None:
        self.w = w
        self.cell = cell
        self.text = text
        self.at = 0

    def write(self, value: str) -> None:
        found = self._choice()
        self.w.define("CONCAT", 1, found, value=value)

    def _next(self, symbol: str) -> bool:
        if self.text[self.at : self.at + 1] != symbol:
            return False
        self.at += 1
        return True

    def _choice(self) -> str:
        select = self._binary(0)
        if not self._next("?"):
            return select
        then = self._choice()
        self._next(":")
        return self.w.define("MUX", 1, select, then, self._choice())

    def _binary(self, level: int) -> str:
        if level == 3:
            return self._unary()
        symbol, operation = (("|", "OR"), ("^", "XOR"), ("&", "AND"))[level]
        found = self._binary(level + 1)
        while self._next(symbol):
            found = self.w.define(operation, 1, found, self._binary(level + 1))
        return found

    def _unary(self) -> str:
        if self._next("~"):
            return self.w.define("NOT", 1, self._unary())
        if self._next("("):
            found = self._choice()
            self._next(")")
            return found
        self.at += 1
        return self.w.word(self.cell.connections[self.text[self.at - 1].upper()])
