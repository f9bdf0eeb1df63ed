"""Random word-level modules, and values of their AIGs as words."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from dmt_dialect import ops as op
from dmt_dialect.simulate import simulate, simulate_cycles
from dynomite import Aig
from dynomite.ir import Op
from hw_dialect.builder import Design, ModuleBuilder, Reg
from hw_dialect.signals import Signal, cat, lut, mux

SAME = (
    op.ADD, op.SUB, op.MUL, op.UDIV, op.UREM, op.SDIV, op.SREM, op.SMOD, op.AND, op.OR, op.XOR,
    op.NAND, op.NOR, op.XNOR,
)  # fmt: skip
UNARY = (op.NEG, op.ABS, op.NOT)
WIDEN = (op.SMULW, op.UMULW)
REDUCE = (op.REDAND, op.REDOR, op.REDXOR, op.NEGO)
COMPARE = (
    op.EQ, op.NE, op.ULT, op.ULE, op.UGT, op.UGE, op.SLT, op.SLE, op.SGT, op.SGE, op.UADDO,
    op.SADDO, op.USUBO, op.SSUBO, op.UMULO, op.SMULO, op.SDIVO,
)  # fmt: skip
SHIFT = (op.SHL, op.LSHR, op.ASHR, op.ROL, op.ROR)
VARIADIC = (op.ADD, op.MUL, op.AND, op.OR, op.XOR)


class Grower:
    """Adds random operators to a module under construction."""

    def __init__(self, m: ModuleBuilder, rng: random.Random, most: int) -> None:
        self.m = m
        self.rng = rng
        self.most = most
        self.signals: list[Signal] = []

    def pick(self) -> Signal:
        """A signal, newer ones more often; sometimes a constant."""
        rng = self.rng
        if rng.random() < 0.12:
            width = rng.randint(1, self.most)
            special = (0, 1, (1 << width) - 1, 1 << (width - 1), rng.getrandbits(width))
            return self.m.constant(rng.choice(special) & ((1 << width) - 1), width)
        if rng.random() < 0.5:
            return self.signals[-1 - min(len(self.signals) - 1, int(rng.expovariate(0.3)))]
        return rng.choice(self.signals)

    def fit(self, signal: Signal, width: int) -> Signal:
        """The signal cut or extended."""
        if signal.width > width:
            low = self.rng.randint(0, signal.width - width)
            return signal[low + width - 1 : low]
        return signal.sext(width) if self.rng.random() < 0.5 else signal.zext(width)

    def pair(self) -> tuple[Signal, Signal]:
        a = self.pick()
        return a, self.fit(self.pick(), a.width)

    def grow(self) -> None:
        """One more operator, of any kind."""
        rng, m = self.rng, self.m
        kinds: Sequence[Callable[[], Signal]] = (
            lambda: self._same(rng.choice(SAME)),
            lambda: self._same(rng.choice(SAME)),
            lambda: self._unary(rng.choice(UNARY)),
            lambda: self._variadic(rng.choice(VARIADIC)),
            lambda: self._compare(rng.choice(COMPARE)),
            lambda: m.build(rng.choice(REDUCE), 1, self.pick()),
            lambda: self._shift(rng.choice(SHIFT)),
            lambda: self._widen(rng.choice(WIDEN)),
            self._cat,
            self._slice,
            self._mux,
            lambda: self.pick()[self.pick()],
            self._extend,
            self._lut,
        )
        self.signals.append(rng.choice(kinds)())

    def _same(self, operation: Op) -> Signal:
        a, b = self.pair()
        return self.m.build(operation, a.width, a, b)

    def _unary(self, operation: Op) -> Signal:
        a = self.pick()
        return self.m.build(operation, a.width, a)

    def _variadic(self, operation: Op) -> Signal:
        a = self.pick()
        others = [self.fit(self.pick(), a.width) for _ in range(self.rng.randint(1, 4))]
        return self.m.build(operation, a.width, a, *others)

    def _compare(self, operation: Op) -> Signal:
        return self.m.build(operation, 1, *self.pair())

    def _shift(self, operation: Op) -> Signal:
        a = self.pick()
        return self.m.build(operation, a.width, a, self.pick())

    def _widen(self, operation: Op) -> Signal:
        a, b = self.pick(), self.pick()
        a, b = self.fit(a, min(a.width, self.most // 2 or 1)), self.fit(b, min(b.width, self.most // 2 or 1))
        return self.m.build(operation, a.width + b.width, a, b)

    def _cat(self) -> Signal:
        parts = [self.pick() for _ in range(self.rng.randint(1, 3))]
        joined = cat(*parts)
        return self.fit(joined, self.most) if joined.width > self.most else joined

    def _slice(self) -> Signal:
        a = self.pick()
        low = self.rng.randrange(a.width)
        return a[self.rng.randint(low, a.width - 1) : low]

    def _mux(self) -> Signal:
        return mux(self.fit(self.pick(), 1), *self.pair())

    def _extend(self) -> Signal:
        a = self.pick()
        if self.rng.random() < 0.3 and 2 * a.width <= self.most:
            return a.repeat(self.rng.randint(1, self.most // a.width))
        width = self.rng.randint(a.width, max(a.width, self.most))
        return a.sext(width) if self.rng.random() < 0.5 else a.zext(width)

    def _lut(self) -> Signal:
        index = self.fit(self.pick(), self.rng.randint(1, 3))
        width = self.rng.randint(1, 4)
        return lut(index, [self.rng.getrandbits(width) for _ in range(1 << index.width)], width)


def random_design(
    rng: random.Random, *, operators: int = 12, most: int = 8, registers: int = 0, folding: bool = True
) -> Design:
    """A design with one module `m` of random operators, with ports and registers of random widths."""
    design = Design(folding=folding, merging=folding)
    with design.module("m") as m:
        grower = Grower(m, rng, most)
        for i in range(rng.randint(1, 3)):
            grower.signals.append(m.input(f"i{i}", rng.randint(1, most)))
        regs: list[Reg] = []
        for i in range(registers):
            width = rng.randint(1, most)
            enable = grower.fit(grower.pick(), 1) if rng.random() < 0.5 else None
            reset = grower.fit(grower.pick(), 1) if rng.random() < 0.5 else None
            reg = m.reg(
                f"q{i}",
                width,
                init=rng.getrandbits(width),
                enable=enable,
                reset=reset,
                reset_value=rng.getrandbits(width),
                asynchronous=reset is not None and rng.random() < 0.5,
            )
            regs.append(reg)
            grower.signals.append(reg)
        for _ in range(operators):
            grower.grow()
        for reg in regs:
            reg.next = grower.fit(grower.pick(), reg.width)
        for i, signal in enumerate(grower.signals[-6:]):
            m.output(f"o{i}", signal)
    return design


def random_stimuli(rng: random.Random, inputs: Mapping[str, int], cycles: int) -> list[dict[str, int]]:
    """Input values for some cycles; corner values are frequent."""
    rows: list[dict[str, int]] = []
    for _ in range(cycles):
        row: dict[str, int] = {}
        for name, width in inputs.items():
            corners = (0, 1, (1 << width) - 1, 1 << (width - 1))
            row[name] = (
                rng.choice(corners) & ((1 << width) - 1) if rng.random() < 0.4 else rng.getrandbits(width)
            )
        rows.append(row)
    return rows


def words_of_ports(names: Sequence[str | None], bits: Sequence[int]) -> dict[str, int]:
    """Values of ports `a[0]`, `a[1]`... as words."""
    result: dict[str, int] = {}
    pairs = zip(names, bits, strict=True)
    for base, group in groupby(pairs, key=lambda pair: str(pair[0]).rpartition("[")[0] or str(pair[0])):
        result[base] = sum(bit << i for i, (_, bit) in enumerate(group))
    return result


def simulate_aig(aig: Aig, stimuli: Sequence[Mapping[str, int]]) -> list[dict[str, int]]:
    """Output words of an AIG made of a module, cycle by cycle."""
    patterns: list[str] = []
    names = aig.names("inputs")
    for stimulus in stimuli:
        row = ""
        for base, group in groupby(names, key=lambda name: str(name).rpartition("[")[0] or str(name)):
            row += "".join(str(stimulus[base] >> i & 1) for i, _ in enumerate(group))
        patterns.append(row)
    run = simulate_cycles(aig, patterns) if aig.num_latches else simulate(aig, patterns)
    return [words_of_ports(aig.names("outputs"), [int(c) for c in line]) for line in run.outputs.lines()]
