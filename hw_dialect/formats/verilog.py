r"""Netlists as structural Verilog (IEEE 1364-2005): one wire and one assignment a word.

    module fma(input [7:0] a, input [7:0] b, input [7:0] c, output [7:0] y);
      wire [7:0] n3 = a * b;
      wire [7:0] n4 = n3 + c;
      assign y = n4;
    endmodule

The netlist is flat; names that are no identifiers are escaped (`\u1/q `). Registers without a clock get the
input
`clock`. What Verilog leaves open (division by 0, addresses beyond a memory) is written out. Claims are left
out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dynomite.errors import UsageError
from dynomite.formats.streams import Target, write_target
from hw_dialect.formats.smtlib import net_of
from hw_dialect.net_view import Memory, NetView, Node, Register, Row, Write, width_of

if TYPE_CHECKING:
    from dynomite._native.aig import Aig
    from dynomite._native.word_net import WordNet

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_KEYWORD_TEXT = """
    always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign
    default defparam design disable edge else end endcase endconfig endfunction endgenerate
    endmodule endprimitive endspecify endtable endtask event for force forever fork function
    generate genvar highz0 highz1 if ifnone incdir include initial inout input instance integer join
    large liblist library localparam macromodule medium module nand negedge nmos nor noshowcancelled
    not notif0 notif1 or output parameter pmos posedge primitive pull0 pull1 pulldown pullup
    pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg release repeat rnmos rpmos rtran
    rtranif0 rtranif1 scalared showcancelled signed small specify specparam strong0 strong1 supply0
    supply1 table task time tran tranif0 tranif1 tri tri0 tri1 triand trior trireg unsigned use
    uwire vectored wait wand weak0 weak1 while wire wor xnor xor logic bit byte int shortint longint
    assert assume property interface
"""
_KEYWORDS = frozenset(_KEYWORD_TEXT.split())


def identifier(name: str) -> str:
    """A name as an identifier, escaped where it needs to be."""
    if _IDENTIFIER.fullmatch(name) and name not in _KEYWORDS:
        return name
    octets = name.encode("utf-8", "surrogateescape")
    return "\\" + "".join(chr(c) if 33 <= c <= 126 else f"%{c:02X}" for c in octets) + " "


def _range(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""


def _constant(value: int, width: int) -> str:
    return f"{width}'h{value & ((1 << width) - 1):x}"


_BINARY = {
    "ADD": "+", "SUB": "-", "MUL": "*", "AND": "&", "OR": "|", "XOR": "^", "UMULW": "*",
    "EQ": "==", "NE": "!=", "ULT": "<", "ULE": "<=", "UGT": ">", "UGE": ">=", "SHL": "<<", "LSHR": ">>",
}  # fmt: skip
_SIGNED = {"SLT": "<", "SLE": "<=", "SGT": ">", "SGE": ">=", "SMULW": "*"}
_PREFIX = {"NEG": "-", "NOT": "~", "REDAND": "&", "REDOR": "|", "REDXOR": "^"}
_NEGATED = {"NAND": "&", "NOR": "|", "XNOR": "^"}


def _bits(word: str, high: int, low: int) -> str:
    return f"{word}[{low}]" if high == low else f"{word}[{high}:{low}]"


class _Writer:
    def __init__(self, net: WordNet) -> None:
        outputs = [name for name, _, _ in net.outputs()]
        self.view = NetView(net, outputs)
        self.names = {number: identifier(name) for number, name in self.view.names.items()}
        self.memories = [identifier(self.view.fresh(memory.name)) for memory in self.view.memories]
        self.helpers: list[str] = []

    # Terms.
    def row(self, row: Row) -> str:
        """A row of bits as an expression that is as wide by itself."""
        terms = self.view.terms(row, self.names, _constant, _bits)
        return terms[0] if len(terms) == 1 else "{" + ", ".join(reversed(terms)) + "}"

    def wire(self, width: int, term: str, *, signed: bool = False) -> str:
        """A wire with the value of a term; the term itself if it is one."""
        if not signed and (_IDENTIFIER.fullmatch(term) or re.fullmatch(r"\\\S+ ", term)):
            return term
        name = self.view.fresh("t")
        self.helpers.append(f"  wire {'signed ' if signed else ''}{_range(width)}{name} = {term};")
        return name

    def operator(self, node: Node) -> str:
        """The expression of an operator, to be assigned to a wire of its width."""
        name = node.operator
        words = [self.row(row) for row in node.operands]
        if name in _BINARY:
            return f" {_BINARY[name]} ".join(words)
        if name in _SIGNED:
            return f" {_SIGNED[name]} ".join(f"$signed({word})" for word in words)
        if name in _PREFIX:
            return f"{_PREFIX[name]}{words[0]}"
        if name in _NEGATED:
            return f"~({words[0]} {_NEGATED[name]} {words[1]})"
        # What is used in parts needs a name.
        widths = [width_of(row) for row in node.operands]
        a = self.wire(widths[0], words[0])
        b = self.wire(widths[1], words[1]) if len(words) > 1 else ""
        width = widths[0]
        top = f"[{width - 1}]" if width > 1 else ""
        zero = _constant(0, width)
        least, ones = _constant(1 << (width - 1), width), _constant(-1, width)
        special: dict[str, Callable[[], str]] = {
            "ABS": lambda: f"{a}{top} ? -{a} : {a}",
            "UDIV": lambda: f"{b} == {zero} ? {ones} : {a} / {b}",
            "UREM": lambda: f"{b} == {zero} ? {a} : {a} % {b}",
            "SDIV": lambda: self._signed_division(
                "/", a, b, width, f"({a}{top} ? {_constant(1, width)} : {ones})"
            ),
            "SREM": lambda: self._signed_division("%", a, b, width, a),
            "SMOD": lambda: self._modulo(a, b, width, top),
            "ASHR": lambda: f"$signed({a}) >>> {b}",
            "ROL": lambda: f"({a} << ({b} % {width})) | ({a} >> ({width} - ({b} % {width})))",
            "ROR": lambda: f"({a} >> ({b} % {width})) | ({a} << ({width} - ({b} % {width})))",
            "INDEX": lambda: f"{a} >> {b}",
            "MUX": lambda: f"{a} ? {b} : {words[2]}",
            "LUT": lambda: f"{b} >> ({a} * {node.width})",
            "NEGO": lambda: f"{a} == {least}",
            "SDIVO": lambda: f"({a} == {least}) && ({b} == {ones})",
            "UADDO": lambda: self.wire(width + 1, f"{a} + {b}") + f"[{width}]",
            "USUBO": lambda: f"{a} < {b}",
            "UMULO": lambda: f"{self.wire(2 * width, f'{a} * {b}')} > {_constant(-1, width)}",
            "SADDO": lambda: self._signed_overflow("+", a, b, width, width + 1),
            "SSUBO": lambda: self._signed_overflow("-", a, b, width, width + 1),
            "SMULO": lambda: self._signed_overflow("*", a, b, width, 2 * width),
        }
        return special[name]()

    def _signed_division(self, symbol: str, a: str, b: str, width: int, by_zero: str) -> str:
        if width == 1:
            # -1 / -1 does not fit: the quotient is -1, the remainder 0.
            return f"{b} ? {a if symbol == '/' else _constant(0, 1)} : {by_zero}"
        found = self.wire(width, f"$signed({a}) {symbol} $signed({b})", signed=True)
        return f"{b} == {_constant(0, width)} ? {by_zero} : {found}"

    def _modulo(self, a: str, b: str, width: int, top: str) -> str:
        rest = self.wire(width, self._signed_division("%", a, b, width, a))
        zero = _constant(0, width)
        return f"({rest} != {zero} && {b} != {zero} && {rest}{top} != {b}{top}) ? {rest} + {b} : {rest}"

    def _signed_overflow(self, symbol: str, a: str, b: str, width: int, wide: int) -> str:
        exact = self.wire(wide, f"$signed({a}) {symbol} $signed({b})", signed=True)
        return f"{exact}[{wide - 1}:{width - 1}] != {{{wide - width + 1}{{{exact}[{wide - 1}]}}}}"

    def read(self, node: Node) -> str:
        """A word of a memory."""
        assert node.extra is not None
        memory = self.view.memories[node.extra]
        address = self.row(node.operands[0])
        word = f"{self.memories[node.extra]}[{address}]"
        if 1 << width_of(node.operands[0]) <= memory.depth:
            return word
        return f"{address} < {memory.depth} ? {word} : {_constant(0, memory.width)}"

    # The module.
    def lines(self) -> Iterator[str]:
        """The text."""
        view = self.view
        body = list(self._body())
        ports = [f"input {_range(width)}{self.names[node]}" for _, width, node in view.inputs]
        if self._clock:
            ports.append(f"input {self._clock}")
        ports += [f"output {_range(width)}{identifier(name)}" for name, width, _ in view.outputs]
        yield f"module {identifier(view.net.name or 'top')}({', '.join(ports)});"
        yield from body
        yield "endmodule"

    _clock = ""

    def _edge(self, clock: Row, *, negative: bool) -> str:
        if not clock:
            self._clock = self._clock or identifier(self.view.fresh("clock"))
            return f"posedge {self._clock}"
        term = self.row(clock)
        if not _IDENTIFIER.fullmatch(term) and not term.startswith("\\"):
            term = self.wire(1, term)
        return f"{'neg' if negative else 'pos'}edge {term}"

    def _body(self) -> Iterator[str]:
        view = self.view
        for register in view.registers:
            yield f"  reg {_range(register.width)}{self.names[register.node]}{_start(register)};"
        for name, memory in zip(self.memories, view.memories, strict=True):
            yield f"  reg {_range(memory.width)}{name} [0:{memory.depth - 1}];"
        for number, node in enumerate(view.nodes):
            if node.kind not in ("operator", "read"):
                continue
            term = self.operator(node) if node.kind == "operator" else self.read(node)
            yield from self._taken()
            yield f"  wire {_range(node.width)}{self.names[number]} = {term};"
        for register in view.registers:
            yield from self._register(register)
        for name, memory in zip(self.memories, view.memories, strict=True):
            yield from self._memory(name, memory)
        for name, _, row in view.outputs:
            term = self.row(row)
            yield f"  assign {identifier(name)} = {term};"

    def _taken(self) -> list[str]:
        found, self.helpers = self.helpers, []
        return found

    def _register(self, register: Register) -> Iterator[str]:
        own = self.names[register.node]
        edge = self._edge(register.clock, negative=register.negative_edge)
        step = f"{own} <= {self.row(register.next)};"
        if register.enable:
            step = f"if ({self.row(register.enable)}) {step}"
        if register.reset:
            reset = self.row(register.reset)
            if register.asynchronous:
                reset = self.wire(1, reset)
                edge += f" or posedge {reset}"
            step = f"if ({reset}) {own} <= {self.row(register.reset_value)}; else {step}"
            if register.enable and not step.endswith(";"):
                step += ";"
        yield from self._taken()
        yield f"  always @({edge}) {step}"

    def _memory(self, name: str, memory: Memory) -> Iterator[str]:
        if memory.init is not None:
            mask = (1 << memory.width) - 1
            yield "  initial begin"
            for i in range(memory.depth):
                word = _constant(memory.init >> (i * memory.width) & mask, memory.width)
                yield f"    {name}[{i}] = {word};"
            yield "  end"
        by_edge: dict[str, list[Write]] = {}
        for write in memory.writes:
            by_edge.setdefault(self._edge(write.clock, negative=write.negative_edge), []).append(write)
        for edge, writes in by_edge.items():
            lines: list[str] = []
            for write in writes:
                lines += self._write(name, memory, write)
            yield from self._taken()
            yield f"  always @({edge}) begin"
            yield from lines
            yield "  end"

    def _write(self, name: str, memory: Memory, write: Write) -> Iterator[str]:
        address = self.wire(width_of(write.address), self.row(write.address))
        data = self.wire(memory.width, self.row(write.data))
        guard = "" if 1 << width_of(write.address) <= memory.depth else f"{address} < {memory.depth}"
        if not write.enable or width_of(write.enable) == 1:
            conditions = [c for c in (guard, self.row(write.enable) if write.enable else "") if c]
            condition = f"if ({' && '.join(conditions)}) " if conditions else ""
            yield f"    {condition}{name}[{address}] <= {data};"
            return
        enable = self.wire(memory.width, self.row(write.enable))
        for bit in range(memory.width):
            condition = f"{guard} && {enable}[{bit}]" if guard else f"{enable}[{bit}]"
            yield f"    if ({condition}) {name}[{address}][{bit}] <= {data}[{bit}];"


def _start(register: Register) -> str:
    if register.init is None:
        return ""
    if register.init_mask is None:
        return f" = {_constant(register.init, register.width)}"
    bits = "".join(
        str(register.init >> i & 1) if register.init_mask >> i & 1 else "x"
        for i in reversed(range(register.width))
    )
    return f" = {register.width}'b{bits}"


def verilog_text(net: WordNet) -> str:
    """A netlist as a Verilog module."""
    return "\n".join(_Writer(net).lines()) + "\n"


def write_verilog(circuit: Aig | WordNet, target: Target, *, drop_properties: bool = False) -> list[str]:
    """Writes a netlist, or an AIG as one of gates, as a Verilog module.

    Args:
        circuit: What to write.
        target: A path ("-" is standard output) or a binary stream.
        drop_properties: Leave out what has no place there: assertions, assumptions, justice, fairness.

    Returns:
        Notes on what was left out.

    Raises:
        UsageError: There is such a property and `drop_properties` is not set.
    """
    notes: list[str] = []
    net = net_of(circuit, notes)
    if net.claims():
        notes.append("assertions and assumptions were left out")
    if notes and not drop_properties:
        raise UsageError("Verilog holds no properties here (drop_properties leaves them out)")
    write_target(target, verilog_text(net).encode("utf-8", "surrogateescape"))
    return notes
