"""An independent reader of flat BLIF, for comparison with the toolkit's own writers.

Covers exactly what a writer of flat, single-model files needs: `.model .inputs .outputs .names .latch .end`,
continuation lines and comments. Written from the format's description; shares no code with the toolkit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.support.reference_aiger import bits, input_pattern


@dataclass
class BlifLatch:
    """`.latch input output [type control] [init]`."""

    input: str
    output: str
    type: str | None
    control: str | None
    init: int


@dataclass
class Cover:
    """`.names`: the rows' input parts, and the phase they all have."""

    inputs: list[str]
    rows: list[str] = field(default_factory=list[str])
    phase: int = 1


@dataclass
class BlifModel:
    """One flat model."""

    name: str = ""
    inputs: list[str] = field(default_factory=list[str])
    outputs: list[str] = field(default_factory=list[str])
    latches: list[BlifLatch] = field(default_factory=list[BlifLatch])
    covers: dict[str, Cover] = field(default_factory=dict[str, Cover])

    def order(self) -> list[str]:
        """Cover outputs, definitions before uses."""
        order: list[str] = []
        done: set[str] = set()
        for root in self.covers:
            stack = [(root, False)]
            while stack:
                name, visited = stack.pop()
                if name in done or name not in self.covers:
                    continue
                if visited:
                    done.add(name)
                    order.append(name)
                else:
                    stack.append((name, True))
                    stack.extend((operand, False) for operand in self.covers[name].inputs)
        return order

    def values(self, inputs: Sequence[int], state: Sequence[int], width: int) -> dict[str, int]:
        """Bit-parallel value of each signal."""
        mask = (1 << width) - 1
        value = dict(zip(self.inputs, inputs, strict=True))
        value.update({latch.output: word for latch, word in zip(self.latches, state, strict=True)})
        for name in self.order():
            cover = self.covers[name]
            total = 0
            for row in cover.rows:
                term = mask
                for operand, care in zip(cover.inputs, row, strict=True):
                    if care != "-":
                        term &= value[operand] if care == "1" else value[operand] ^ mask
                total |= term
            value[name] = total if cover.phase else total ^ mask
        return value

    def truth(self) -> list[str]:
        """One string an output, character k for input number k; combinational only."""
        count = len(self.inputs)
        width = 1 << count
        value = self.values([input_pattern(index, count) for index in range(count)], [], width)
        return [bits(value[name], width) for name in self.outputs]

    def trace(self, inputs: Sequence[str], uninitialised: int = 0) -> list[str]:
        """Outputs before each clock edge, from the reset state."""
        state = [latch.init if latch.init < 2 else uninitialised for latch in self.latches]
        outputs: list[str] = []
        for row in inputs:
            value = self.values([int(c) for c in row], state, 1)
            outputs.append("".join(str(value[name]) for name in self.outputs))
            state = [value[latch.input] for latch in self.latches]
        return outputs


def parse(text: str) -> BlifModel:
    """Reads one flat model; trusts that the file is well-formed, and fails on what it does not know."""
    model = BlifModel()
    cover: Cover | None = None
    for line in text.replace("\\\n", " ").split("\n"):
        words = line.partition("#")[0].split()
        if not words:
            continue
        match words[0]:
            case ".model":
                assert not model.name, "a second model"
                model.name = words[1]
            case ".inputs":
                model.inputs += words[1:]
            case ".outputs":
                model.outputs += words[1:]
            case ".latch":
                typed = len(words) >= 5
                init = int(words[-1]) if len(words) in (4, 6) else 3
                assert init in (0, 1, 2, 3), line
                model.latches.append(
                    BlifLatch(
                        words[1], words[2], words[3] if typed else None, words[4] if typed else None, init
                    )
                )
            case ".names":
                assert words[-1] not in model.covers, f"two drivers of {words[-1]}"
                cover = model.covers[words[-1]] = Cover(words[1:-1])
            case ".end":
                break
            case first if first.startswith("."):
                raise AssertionError(f"unexpected line: {line}")
            case _:
                assert cover is not None, line
                cover.rows.append("" if len(words) == 1 else words[0])
                cover.phase = int(words[-1])
    return model
