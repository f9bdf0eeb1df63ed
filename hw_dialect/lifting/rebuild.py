"""A module of the words that were found, and of gates of one bit for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dmt_dialect import ops as op
from dmt_dialect.buses import Bus, group_buses
from dynomite.ir import Const, Def, InstrRef, ValueRef
from dynomite.ir.operands import Operand
from hw_dialect import ops as hw
from hw_dialect.builder import Design
from hw_dialect.lifting.combined import led
from hw_dialect.lifting.order import Bit, Item, Literals, Need, Wanted

if TYPE_CHECKING:
    from dmt_dialect.folding import Word
    from dynomite._native.aig import Aig
    from hw_dialect.lifting.combined import Combined
    from hw_dialect.lifting.matching import Match
    from hw_dialect.net_view import Register

_OPERATORS = {operation.name: operation for operation in op.OP.ops}
_ROLES = ("next", "enable", "reset", "reset value")


class _State(NamedTuple):
    """A register to be made: its word, its latches in the circuit, what feeds it."""

    name: str
    word: int
    latches: list[int]
    rows: dict[str, list[Wanted]]
    source: Register | None


class Rebuilder:
    """Builds the module: `plan`, then `build`.

    Attributes:
        built: The operators that the module has.
        gates: Number of its ANDs of one bit.
        notes: What has another form than in the netlist.
    """

    def __init__(self, circuit: Aig, combined: Combined, matches: list[Match], name: str) -> None:
        self.circuit = circuit
        self.combined = combined
        self.view = combined.view
        self.matches = matches
        self.literals = Literals(combined, matches)
        self.built: set[int] = set()
        self.gates = 0
        self.notes: list[str] = []
        self.design = Design(merging=False, folding=False)
        self.m = self.design.module(name)
        self._words: dict[int, Word] = {}
        self._bits: dict[int, Word] = {0: Const(0, 1), 1: Const(1, 1)}
        self._slices: dict[tuple[int, int, int], Word] = {}
        self._extras = 0
        self._raws: dict[str, list[int]] = {}
        self._states: list[_State] = []
        self._outputs: list[tuple[str, list[Wanted]]] = []
        self._order: list[Need] = []
        self._nodes = {position: node for node, position in combined.sources.items()}

    def plan(self) -> set[int]:
        """Orders what is to be made.

        Returns:
            Registers whose latches are wanted without their asynchronous reset: matches that take them for
            words are of no use then.
        """
        sections = ("outputs", "next_states", "bad", "constraints")
        leads = self.combined.circuit_map
        self._raws = {name: led(leads, self.circuit.literals(name)).tolist() for name in sections}
        with self.m:
            self._inputs()
        self._states = self._all_states(self._raws["next_states"])
        for bus in group_buses(self.circuit.names("outputs"), "o"):
            given = [self._raws["outputs"][position] for position in bus.positions]
            self._outputs.append((bus.name, self.literals.wanted(given, self._output_bits(bus))))
        roots = [wanted for _, row in self._outputs for wanted in row]
        roots += [wanted for state in self._states for row in state.rows.values() for wanted in row]
        roots += [Wanted(raw) for raw in self._raws["bad"] + self._raws["constraints"]]
        self._order = self.literals.order(roots)
        return self.literals.exposed

    def build(self) -> Design:
        """The module as planned, in a design of its own."""
        with self.m:
            instrs = [self._register(state) for state in self._states]
            for kind, number, _ in self._order:
                if kind == "gate":
                    self._gate(number)
                elif self.view.nodes[number].kind == "operator":
                    self._operator(number)
            for state, instr in zip(self._states, instrs, strict=True):
                self._connect(state, instr)
            for name, row in self._outputs:
                self.m.statement(hw.OUT, name, self._row(row))
            self._claims(self._raws["bad"], self._raws["constraints"])
        return self.design

    def _output_bits(self, bus: Bus) -> list[tuple[int, int]] | None:
        for name, width, row in self.view.outputs:
            if name == bus.name and width == len(bus.positions):
                return self.combined.bit_sources(row)
        return None

    # Words.
    def _gate(self, node: int) -> None:
        a, b = (self._bit(self.literals.item(Wanted(raw))) for raw in self.literals.fanins[node])
        loc = self.combined.origins.of(node)
        self._bits[2 * node] = self.m.builder.value(op.AND, self.m.type(1), a, b, loc=loc)
        self.gates += 1

    def _operator(self, number: int) -> None:
        node, name = self.view.nodes[number], self.view.names[number]
        instr = self.combined.net.instr(number)
        assert instr is not None
        words = [self._row(row) for row in self.literals.operands(number)]
        self._words[number] = self.m.builder.value(
            _OPERATORS[node.operator],
            self.m.type(node.width),
            *words,
            loc=instr.location,
            name=None if name == f"n{number}" else name,
        )
        self.built.add(number)

    def _bit(self, item: Item) -> Word:
        """A word of one bit."""
        if isinstance(item, Bit):
            return self._slice(item.word, item.bit, item.bit)
        found = self._bits.get(item)
        if found is None:
            made = self.literals.made_by(item >> 1)
            if made is not None and not item & 1:
                inverted: Item = made[0]  # the bit is the complement of the node
            else:
                inverted = self.literals.item(Wanted(item ^ 1))
            found = self._bits[item] = self.m.builder.value(op.NOT, self.m.type(1), self._bit(inverted))
        return found

    def _slice(self, word: int, high: int, low: int) -> Word:
        width = high - low + 1
        whole = self._words.get(word)
        if whole is None:
            constant = self.view.nodes[word].extra
            assert constant is not None
            return Const(constant >> low & ((1 << width) - 1), width)
        if width == _width(whole):
            return whole
        key = (word, high, low)
        if key not in self._slices:
            self._slices[key] = self.m.builder.value(op.SLICE, self.m.type(width), whole, high, low)
        return self._slices[key]

    def _row(self, row: Sequence[Wanted]) -> Word:
        """A word of these bits, the lowest first."""
        items = [self.literals.item(wanted) for wanted in row]
        parts: list[Word] = []
        at = 0
        while at < len(items):
            item, end = items[at], at + 1
            if isinstance(item, Bit):
                while end < len(items) and items[end] == Bit(item.word, item.bit + end - at):
                    end += 1
                parts.append(self._slice(item.word, item.bit + end - at - 1, item.bit))
            else:
                parts.append(self._bit(item))
            at = end
        if len(parts) == 1:
            return parts[0]
        return self.m.builder.value(op.CONCAT, self.m.type(len(items)), *reversed(parts))

    # Ports and state.
    def _extra(self, bus: Bus, positions: Sequence[int]) -> int:
        """A word for a port that only the circuit has; `positions` are among inputs and latches."""
        self._extras -= 1
        for bit, position in enumerate(positions):
            self.literals.ports[self._nodes[position]] = Bit(self._extras, bit)
        return self._extras

    def _inputs(self) -> None:
        for name, width, node in self.view.inputs:
            self._words[node] = self.m.input(name, width).word
        own = set(self.combined.source_at.tolist())
        names = self.circuit.names("inputs")
        extra = [at for at in range(len(names)) if at not in own]
        for bus in group_buses([names[at] for at in extra], "i"):
            number = self._extra(bus, [extra[at] for at in bus.positions])
            self._words[number] = self.m.input(self.view.fresh(bus.name), len(bus.positions)).word
            self.notes.append(f"the netlist has no input {bus.name!r}")

    def _all_states(self, next_states: list[int]) -> list[_State]:
        """The netlist's registers, then what else the circuit has of latches."""
        inputs, states = self.circuit.num_inputs, list[_State]()
        start = sum(width for _, width, _ in self.view.inputs)
        taken: set[int] = set()
        for register in self.view.registers:
            latches: list[int] = (self.combined.source_at[start : start + register.width] - inputs).tolist()
            start += register.width
            taken.update(latches)
            raws = [next_states[latch] for latch in latches]
            if not self.matches[register.node].is_word:
                self.notes.append(f"the asynchronous reset of {register.name!r} is made of gates")
                word = self._extra(Bus(register.name, ()), [inputs + latch for latch in latches])
                rows = {"next": [Wanted(raw) for raw in raws]}
                states.append(_State(register.name, word, latches, rows, None))
            else:
                rows = self._register_rows(register, raws)
                states.append(_State(register.name, register.node, latches, rows, register))
        names = self.circuit.names("latches")
        extra = [at for at in range(len(names)) if at not in taken]
        for bus in group_buses([names[at] for at in extra], "l"):
            latches = [extra[at] for at in bus.positions]
            word = self._extra(bus, [inputs + latch for latch in latches])
            rows = {"next": [Wanted(next_states[latch]) for latch in latches]}
            states.append(_State(self.view.fresh(bus.name), word, latches, rows, None))
        return states

    def _register_rows(self, register: Register, raws: list[int]) -> dict[str, list[Wanted]]:
        """Next value, enable and reset, as the netlist has them if that is what the circuit computes."""
        given = zip(
            _ROLES, (register.next, register.enable, register.reset, register.reset_value), strict=True
        )
        sources = {role: self.combined.bit_sources(row) for role, row in given if row}
        known: dict[str, list[int]] = {}
        for role, bits in sources.items():
            known[role] = [raw for raw in (self.matches[n].leaf(i) for n, i in bits) if raw is not None]
        if all(len(known[role]) == len(bits) for role, bits in sources.items()):
            made = self._next_literals(register, known)
            if made == raws:
                return {role: self.literals.wanted(known[role], bits) for role, bits in sources.items()}
        if self.view.nodes[register.node].operands:
            self.literals.exposed.add(register.node)
        if register.enable or register.reset:
            self.notes.append(f"enable and reset of {register.name!r} are made of gates")
        return {"next": self.literals.wanted(raws, sources["next"])}

    def _next_literals(self, register: Register, known: dict[str, list[int]]) -> list[int]:
        """What the latches take next, by the netlist."""
        lit = self.combined.aig.lit
        made: list[int] = []
        for bit, raw in enumerate(known["next"]):
            to = lit(raw)
            if "enable" in known:
                now = self.combined.latches[register.node][bit]
                to = lit(known["enable"][0]).mux(to, lit(now))
            if "reset" in known:
                to = lit(known["reset"][0]).mux(lit(known["reset value"][bit]), to)
            made.append(to.raw)
        return made

    def _register(self, state: _State) -> InstrRef:
        """The instruction, with constants where its operands will be."""
        width, source = len(state.latches), state.source
        resets = [self.circuit.resets[latch] for latch in state.latches]
        known = sum(1 << bit for bit, reset in enumerate(resets) if reset is not None)
        attrs: dict[str, Operand] = {}
        if known:
            attrs["init"] = Const(sum(1 << bit for bit, reset in enumerate(resets) if reset), width)
        if known and known != (1 << width) - 1:
            attrs["init_mask"] = Const(known, width)
        if source is not None and source.negative_edge:
            attrs["negative_edge"] = True
        if source is not None and source.asynchronous and "reset" in state.rows:
            attrs["asynchronous"] = True
        operands: list[Operand] = [Const(0, width)]
        if source is not None and source.clock:
            operands += ["clock", Const(0, 1)]
        if "enable" in state.rows:
            operands += ["enable", Const(0, 1)]
        if "reset" in state.rows:
            operands += ["reset", Const(0, 1), Const(0, width)]
        instr = self.m.builder.build(hw.REG, Def(self.m.type(width), state.name), *operands, attrs=attrs)
        self._words[state.word] = instr.result
        return instr

    def _connect(self, state: _State, instr: InstrRef) -> None:
        words = [self._row(state.rows["next"])]
        if state.source is not None and state.source.clock:
            bits = self.combined.bit_sources(state.source.clock)
            clock = [self.matches[n].leaf(i) for n, i in bits]
            words.append(self._row(self.literals.wanted([raw or 0 for raw in clock], bits)))
        words += [self._row(state.rows[role]) for role in _ROLES[1:] if role in state.rows]
        places = [at for at, operand in enumerate(instr.operands) if isinstance(operand, Const)]
        for at, word in zip(places, words, strict=True):
            self.m.builder.set_operand(instr, at, word)

    def _claims(self, bad: list[int], constraints: list[int]) -> None:
        for raws, section, operation in (
            ([raw ^ 1 for raw in bad], "bad", op.ASSERT),
            (constraints, "constraints", op.ASSUME),
        ):
            for raw, name in zip(raws, self.circuit.names(section), strict=True):
                word = self._bit(self.literals.item(Wanted(raw)))
                self.m.statement(operation, word, attrs={"name": name} if name else None)


def _width(word: Word) -> int:
    if isinstance(word, Const):
        return word.width
    assert isinstance(word, ValueRef)
    assert word.type is not None
    width = word.type.params[0]
    assert isinstance(width, Const)
    return width.value
