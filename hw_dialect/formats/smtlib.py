"""Netlists as SMT-LIB 2: one function a word, for bit-vector solvers.

    (set-logic QF_BV)
    (declare-const a (_ BitVec 8))
    (define-fun n2 () (_ BitVec 8) (bvmul a b))
    (define-fun y () (_ BitVec 8) n2)

Inputs and registers are constants to be chosen. The next value of a register `q` is the function `q.next`,
its initial value `q.init` (if it has one, and `q.known` marks the bits if only some have). Memories are
arrays, with
`m.next` likewise. What is assumed is asserted; what is asserted is a function `name.holds`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dynomite._native.word_net import WordNet
from dynomite.errors import UsageError
from dynomite.formats.streams import Target, write_target
from hw_dialect.bits_to_words import module_of_aig
from hw_dialect.elaborate import elaborate
from hw_dialect.net_view import Memory, NetView, Node, Register, Row, width_of

if TYPE_CHECKING:
    from dynomite._native.aig import Aig

_SIMPLE = re.compile(r"[A-Za-z~!@$%^&*_+=<>.?/-][A-Za-z0-9~!@$%^&*_+=<>.?/-]*")
_RESERVED = frozenset(
    (
        *(
            "as",
            "assert",
            "exists",
            "forall",
            "let",
            "match",
            "par",
            "true",
            "false",
            "not",
            "and",
            "or",
            "xor",
        ),
        *("ite", "select", "store", "concat", "extract", "distinct", "BINARY", "DECIMAL", "HEXADECIMAL"),
    )
)


def symbol(name: str) -> str:
    """A name as a symbol of SMT-LIB, quoted where it needs to be."""
    if _SIMPLE.fullmatch(name) and name not in _RESERVED and not name.startswith("bv"):
        return name
    return "|" + name.replace("\\", "/").replace("|", "!") + "|"


def _sort(width: int) -> str:
    return f"(_ BitVec {width})"


def _constant(value: int, width: int) -> str:
    return f"(_ bv{value & ((1 << width) - 1)} {width})"


def _bit(condition: str) -> str:
    return f"(ite {condition} #b1 #b0)"


def _extended(word: str, width: int, wanted: int, *, signed: bool = False) -> str:
    if wanted == width:
        return word
    return f"((_ {'sign' if signed else 'zero'}_extend {wanted - width}) {word})"


def _extract(word: str, high: int, low: int) -> str:
    return f"((_ extract {high} {low}) {word})"


_SAME = {
    "ADD": "bvadd", "SUB": "bvsub", "NEG": "bvneg", "MUL": "bvmul", "UDIV": "bvudiv", "UREM": "bvurem",
    "SDIV": "bvsdiv", "SREM": "bvsrem", "SMOD": "bvsmod", "AND": "bvand", "OR": "bvor", "XOR": "bvxor",
    "NOT": "bvnot",
}  # fmt: skip
_COMPARE = {
    "EQ": "=", "ULT": "bvult", "ULE": "bvule", "UGT": "bvugt", "UGE": "bvuge",
    "SLT": "bvslt", "SLE": "bvsle", "SGT": "bvsgt", "SGE": "bvsge",
}  # fmt: skip


def _overflow(operator: str, words: list[str], width: int) -> str:
    """An operation that does not fit: the exact result differs from the one cut and extended again."""
    signed = operator[0] == "S"
    exact_width = 2 * width if "MUL" in operator else width + 1
    function = {"ADD": "bvadd", "SUB": "bvsub", "MUL": "bvmul"}[operator[1:-1]]
    exact = f"({function} {' '.join(_extended(word, width, exact_width, signed=signed) for word in words)})"
    back = _extended(_extract(exact, width - 1, 0), width, exact_width, signed=signed)
    return _bit(f"(distinct {exact} {back})")


def _shifted(operator: str, words: list[str], widths: list[int]) -> str:
    width, amount_width = widths
    if operator in ("ROL", "ROR"):
        wide = max(amount_width, width.bit_length() + 1)
        amount = f"(bvurem {_extended(words[1], amount_width, wide)} {_constant(width, wide)})"
        rest = f"(bvsub {_constant(width, wide)} {amount})"
        first, second = ("SHL", "LSHR") if operator == "ROL" else ("LSHR", "SHL")
        parts = [_shifted(op, [words[0], by], [width, wide]) for op, by in ((first, amount), (second, rest))]
        return f"(bvor {parts[0]} {parts[1]})"
    wide = max(width, amount_width)
    word = _extended(words[0], width, wide, signed=operator == "ASHR")
    amount = _extended(words[1], amount_width, wide)
    function = {"SHL": "bvshl", "LSHR": "bvlshr", "ASHR": "bvashr"}[operator]
    shifted = f"({function} {word} {amount})"
    return shifted if wide == width else _extract(shifted, width - 1, 0)


class _Writer:
    def __init__(self, net: WordNet) -> None:
        outputs = [name for name, _, _ in net.outputs()]
        self.view = NetView(net, outputs)
        self.names = {number: symbol(name) for number, name in self.view.names.items()}

    def row(self, row: Row) -> str:
        """A row of bits as a term."""
        terms = self.view.terms(row, self.names, _constant, _extract)
        term = terms[0]
        for higher in terms[1:]:
            term = f"(concat {higher} {term})"
        return term

    def operator(self, node: Node) -> str:
        """The term of an operator."""
        name = node.operator
        words = [self.row(row) for row in node.operands]
        widths = [width_of(row) for row in node.operands]
        if name in _SAME:
            return f"({_SAME[name]} {' '.join(words)})" if len(words) < 3 else self._chain(_SAME[name], words)
        if name in _COMPARE:
            return _bit(f"({_COMPARE[name]} {words[0]} {words[1]})")
        special: dict[str, Callable[[], str]] = {
            "NE": lambda: _bit(f"(distinct {words[0]} {words[1]})"),
            "NAND": lambda: f"(bvnot (bvand {words[0]} {words[1]}))",
            "NOR": lambda: f"(bvnot (bvor {words[0]} {words[1]}))",
            "XNOR": lambda: f"(bvnot (bvxor {words[0]} {words[1]}))",
            "ABS": lambda: (
                f"(ite (bvslt {words[0]} {_constant(0, widths[0])}) (bvneg {words[0]}) {words[0]})"
            ),
            "REDAND": lambda: _bit(f"(= {words[0]} {_constant(-1, widths[0])})"),
            "REDOR": lambda: _bit(f"(distinct {words[0]} {_constant(0, widths[0])})"),
            "REDXOR": lambda: self._chain("bvxor", [_extract(words[0], i, i) for i in range(widths[0])]),
            "MUX": lambda: f"(ite (= {words[0]} #b1) {words[1]} {words[2]})",
            "NEGO": lambda: _bit(f"(= {words[0]} {_constant(1 << (widths[0] - 1), widths[0])})"),
            "SDIVO": lambda: _bit(
                f"(and (= {words[0]} {_constant(1 << (widths[0] - 1), widths[0])}) "
                f"(= {words[1]} {_constant(-1, widths[1])}))"
            ),
            "INDEX": lambda: _extract(_shifted("LSHR", words, widths), 0, 0),
            "LUT": lambda: self._lut(node, words, widths),
        }
        if name in special:
            return special[name]()
        if name in ("SMULW", "UMULW"):
            signed = name == "SMULW"
            wide = [
                _extended(w, width, node.width, signed=signed) for w, width in zip(words, widths, strict=True)
            ]
            return f"(bvmul {wide[0]} {wide[1]})"
        if name in ("SHL", "LSHR", "ASHR", "ROL", "ROR"):
            return _shifted(name, words, widths)
        return _overflow(name, words, widths[0])

    @staticmethod
    def _chain(function: str, words: list[str]) -> str:
        term = words[0]
        for word in words[1:]:
            term = f"({function} {term} {word})"
        return term

    def _lut(self, node: Node, words: list[str], widths: list[int]) -> str:
        wide = max(widths[1], widths[0] + node.width.bit_length() + 1)
        index = f"(bvmul {_extended(words[0], widths[0], wide)} {_constant(node.width, wide)})"
        return _extract(f"(bvlshr {_extended(words[1], widths[1], wide)} {index})", node.width - 1, 0)

    def read(self, node: Node) -> str:
        """A word of a memory, 0 beyond its depth."""
        assert node.extra is not None
        memory = self.view.memories[node.extra]
        address, width = self.row(node.operands[0]), width_of(node.operands[0])
        bits = _address_bits(memory)
        wide = max(width, bits + 1)
        inside = f"(bvult {_extended(address, width, wide)} {_constant(memory.depth, wide)})"
        word = f"(select {symbol(memory.name)} {self._cut(address, width, bits)})"
        return f"(ite {inside} {word} {_constant(0, memory.width)})"

    @staticmethod
    def _cut(address: str, width: int, bits: int) -> str:
        return _extract(address, bits - 1, 0) if width > bits else _extended(address, width, bits)

    def next_memory(self, memory: Memory) -> str:
        """A memory behind the clock edge."""
        term = symbol(memory.name)
        bits = _address_bits(memory)
        for write in memory.writes:
            width = width_of(write.address)
            wide = max(width, bits + 1)
            address = self.row(write.address)
            inside = f"(bvult {_extended(address, width, wide)} {_constant(memory.depth, wide)})"
            at = self._cut(address, width, bits)
            data = self.row(write.data)
            if write.enable:
                enable = self.row(write.enable)
                if width_of(write.enable) == 1 and memory.width > 1:
                    enable = f"((_ repeat {memory.width}) {enable})"
                old = f"(select {term} {at})"
                data = f"(bvor (bvand {data} {enable}) (bvand {old} (bvnot {enable})))"
            term = f"(ite {inside} (store {term} {at} {data}) {term})"
        return term

    def lines(self) -> Iterator[str]:
        """The text."""
        view = self.view
        yield f"(set-logic {'QF_ABV' if view.memories else 'QF_BV'})"
        for _, width, node in view.inputs:
            yield f"(declare-const {self.names[node]} {_sort(width)})"
        state: dict[int, str] = {}
        for register in view.registers:
            own = self.names[register.node]
            if register.asynchronous and register.reset:
                own = state[register.node] = symbol(view.fresh(view.names[register.node] + ".state"))
            yield f"(declare-const {own} {_sort(register.width)})"
        for memory in view.memories:
            yield f"(declare-const {symbol(memory.name)} {_array(memory)})"
        for number, node in enumerate(view.nodes):
            if node.kind in ("operator", "read"):
                term = self.operator(node) if node.kind == "operator" else self.read(node)
                yield f"(define-fun {self.names[number]} () {_sort(node.width)} {term})"
            elif number in state:
                reset, value = (self.row(row) for row in node.operands)
                term = f"(ite (= {reset} #b1) {value} {state[number]})"
                yield f"(define-fun {self.names[number]} () {_sort(node.width)} {term})"
        for name, width, row in view.outputs:
            yield f"(define-fun {symbol(name)} () {_sort(width)} {self.row(row)})"
        for register in view.registers:
            yield from self._register(register, state)
        for memory in view.memories:
            own, term = symbol(memory.name + ".next"), self.next_memory(memory)
            yield f"(define-fun {own} () {_array(memory)} {term})"
        for number, (name, row, assumed) in enumerate(view.claims):
            if assumed:
                yield f"(assert (= {self.row(row)} #b1))"
            else:
                own = symbol(view.fresh((name or f"claim{number}") + ".holds"))
                yield f"(define-fun {own} () Bool (= {self.row(row)} #b1))"

    def _register(self, register: Register, state: dict[int, str]) -> Iterator[str]:
        node = register.node
        own, sort = self.view.names[node], _sort(register.width)
        term = self.row(register.next)
        if register.enable:
            term = f"(ite (= {self.row(register.enable)} #b1) {term} {state.get(node, self.names[node])})"
        if register.reset:
            term = f"(ite (= {self.row(register.reset)} #b1) {self.row(register.reset_value)} {term})"
        yield f"(define-fun {symbol(own + '.next')} () {sort} {term})"
        if register.init is not None:
            yield f"(define-fun {symbol(own + '.init')} () {sort} {_constant(register.init, register.width)})"
            if register.init_mask is not None:
                mask = _constant(register.init_mask, register.width)
                yield f"(define-fun {symbol(own + '.known')} () {sort} {mask})"


def _address_bits(memory: Memory) -> int:
    return max((memory.depth - 1).bit_length(), 1)


def _array(memory: Memory) -> str:
    return f"(Array {_sort(_address_bits(memory))} {_sort(memory.width)})"


def smtlib_text(net: WordNet) -> str:
    """A netlist as SMT-LIB 2."""
    return "\n".join(_Writer(net).lines()) + "\n"


def write_smtlib(circuit: Aig | WordNet, target: Target, *, drop_properties: bool = False) -> list[str]:
    """Writes a netlist, or an AIG as one, as SMT-LIB 2.

    Args:
        circuit: What to write.
        target: A path ("-" is standard output) or a binary stream.
        drop_properties: Leave out what has no place there: justice and fairness.

    Returns:
        Notes on what was left out.

    Raises:
        UsageError: There is such a property and `drop_properties` is not set.
    """
    notes: list[str] = []
    net = net_of(circuit, notes)
    if notes and not drop_properties:
        raise UsageError("SMT-LIB holds no justice and fairness properties (drop_properties leaves them out)")
    write_target(target, smtlib_text(net).encode("utf-8", "surrogateescape"))
    return notes


def net_of(circuit: Aig | WordNet, notes: list[str]) -> WordNet:
    """A netlist as it is; an AIG as a netlist of gates. Notes say which properties are lost."""
    if isinstance(circuit, WordNet):
        return circuit
    found: list[str] = []
    module = module_of_aig(circuit, found)
    notes += [note for note in found if "left out" in note]
    return elaborate(module)
