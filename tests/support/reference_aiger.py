"""An independent model of AIGER files, for comparison with the toolkit's own readers and writers.

Shares no code with the toolkit: written from the format's description, in plain Python, without any hashing
or simplification. Simulation is bit-parallel over Python integers of any width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

UNINITIALISED = None


@dataclass
class Latch:
    """A latch; `reset` is 0, 1 or None for uninitialised."""

    literal: int
    next: int
    reset: int | None


@dataclass
class Model:
    """A file as it stands: literals are the file's own."""

    maxvar: int = 0
    inputs: list[int] = field(default_factory=list[int])
    latches: list[Latch] = field(default_factory=list[Latch])
    outputs: list[int] = field(default_factory=list[int])
    bad: list[int] = field(default_factory=list[int])
    constraints: list[int] = field(default_factory=list[int])
    justice: list[list[int]] = field(default_factory=list[list[int]])
    fairness: list[int] = field(default_factory=list[int])
    ands: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    symbols: dict[str, str] = field(default_factory=dict[str, str])
    comment: list[str] = field(default_factory=list[str])

    def names(self, kind: str) -> list[str | None]:
        """Symbols of a section ("i", "l", "o", "b", "c", "j", "f") by index."""
        counts = {
            "i": len(self.inputs),
            "l": len(self.latches),
            "o": len(self.outputs),
            "b": len(self.bad),
            "c": len(self.constraints),
            "j": len(self.justice),
            "f": len(self.fairness),
        }
        return [self.symbols.get(f"{kind}{index}") for index in range(counts[kind])]

    def values(self, inputs: Sequence[int], state: Sequence[int], width: int) -> dict[int, int]:
        """Bit-parallel value of each variable, `width` patterns in one integer."""
        mask = (1 << width) - 1
        value = {0: 0}
        value.update({literal >> 1: word for literal, word in zip(self.inputs, inputs, strict=True)})
        value.update({latch.literal >> 1: word for latch, word in zip(self.latches, state, strict=True)})
        for lhs, rhs0, rhs1 in self.sorted_ands():
            left = value[rhs0 >> 1] ^ (mask if rhs0 & 1 else 0)
            right = value[rhs1 >> 1] ^ (mask if rhs1 & 1 else 0)
            value[lhs >> 1] = left & right
        return value

    def sorted_ands(self) -> list[tuple[int, int, int]]:
        """ANDs with definitions before uses."""
        if all(lhs > max(rhs0, rhs1) for lhs, rhs0, rhs1 in self.ands):
            return sorted(self.ands)
        gate = {lhs >> 1: (lhs, rhs0, rhs1) for lhs, rhs0, rhs1 in self.ands}
        order: list[tuple[int, int, int]] = []
        done: set[int] = set()
        for root in gate:
            stack = [(root, False)]
            while stack:
                variable, visited = stack.pop()
                if variable in done or variable not in gate:
                    continue
                if visited:
                    done.add(variable)
                    order.append(gate[variable])
                else:
                    stack.append((variable, True))
                    stack.extend((operand >> 1, False) for operand in gate[variable][1:])
        return order

    def pick(self, value: dict[int, int], literals: Sequence[int], width: int) -> list[int]:
        """Values of literals."""
        mask = (1 << width) - 1
        return [value[literal >> 1] ^ (mask if literal & 1 else 0) for literal in literals]

    def truth(self) -> list[str]:
        """One string an output, character k for input number k (input 0 is bit 0); combinational only."""
        count = len(self.inputs)
        width = 1 << count
        value = self.values([input_pattern(index, count) for index in range(count)], [], width)
        return [bits(word, width) for word in self.pick(value, self.outputs, width)]

    def trace(self, inputs: Sequence[str], uninitialised: int = 0) -> list[str]:
        """Outputs before each clock edge, from the reset state."""
        state = [uninitialised if latch.reset is None else latch.reset for latch in self.latches]
        outputs: list[str] = []
        for row in inputs:
            value = self.values([int(c) for c in row], state, 1)
            outputs.append("".join(str(bit) for bit in self.pick(value, self.outputs, 1)))
            state = self.pick(value, [latch.next for latch in self.latches], 1)
        return outputs


def input_pattern(index: int, count: int) -> int:
    """The column of input `index` in the table of all 2**count input vectors."""
    period = 1 << index
    block = ((1 << period) - 1) << period
    word = 0
    for start in range(0, 1 << count, 2 * period):
        word |= block << start
    return word


def bits(word: int, width: int) -> str:
    """The lowest bit first."""
    return format(word, f"0{width}b")[::-1]


def parse(data: bytes) -> Model:
    """Reads ASCII or binary AIGER; trusts that the file is well-formed."""
    header, _, _ = data.partition(b"\n")
    fields = header.split(b" ")
    counts = [int(text) for text in fields[1:]] + [0] * (10 - len(fields))
    maxvar, ninputs, nlatches, noutputs, nands, nbad, nconstraints, njustice, nfairness = counts
    binary = fields[0] == b"aig"
    position = len(header) + 1

    def line() -> list[int]:
        nonlocal position
        end = data.index(b"\n", position)
        numbers = [int(text) for text in data[position:end].split(b" ")]
        position = end + 1
        return numbers

    model = Model(maxvar)
    model.inputs = [2 * (i + 1) for i in range(ninputs)] if binary else [line()[0] for _ in range(ninputs)]
    for index in range(nlatches):
        numbers = ([2 * (ninputs + index + 1)] if binary else []) + line()
        reset: int | None = 0 if len(numbers) == 2 else numbers[2]
        if reset == numbers[0]:
            reset = UNINITIALISED
        model.latches.append(Latch(numbers[0], numbers[1], reset))
    model.outputs = [line()[0] for _ in range(noutputs)]
    model.bad = [line()[0] for _ in range(nbad)]
    model.constraints = [line()[0] for _ in range(nconstraints)]
    sizes = [line()[0] for _ in range(njustice)]
    model.justice = [[line()[0] for _ in range(size)] for size in sizes]
    model.fairness = [line()[0] for _ in range(nfairness)]

    def delta() -> int:
        nonlocal position
        value = shift = 0
        while data[position] & 0x80:
            value |= (data[position] & 0x7F) << shift
            shift += 7
            position += 1
        value |= data[position] << shift
        position += 1
        return value

    for index in range(nands):
        if binary:
            lhs = 2 * (ninputs + nlatches + index + 1)
            rhs0 = lhs - delta()
            model.ands.append((lhs, rhs0, rhs0 - delta()))
        else:
            lhs, rhs0, rhs1 = line()
            model.ands.append((lhs, rhs0, rhs1))
    lines = data[position:].decode("utf-8", "surrogateescape").split("\n")
    for number, text in enumerate(lines):
        if text == "c":
            model.comment = lines[number + 1 :]
            if model.comment and not model.comment[-1]:
                model.comment.pop()
            break
        if text:
            place, _, name = text.partition(" ")
            model.symbols[place] = name
    return model
