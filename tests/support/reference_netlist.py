"""An independent evaluator of BLIF with hierarchy, and a printer: slow, recursive, small circuits only.

Written from the format's description; shares no code with the toolkit. Values are Python ints, one bit a
pattern.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Names:
    """`.names`: rows of input part and output value."""

    inputs: tuple[str, ...]
    output: str
    rows: tuple[str, ...]
    phase: int


@dataclass(frozen=True)
class LatchLine:
    """`.latch` with the fields as written; None where the line has none."""

    input: str
    output: str
    type: str | None
    control: str | None
    init: int | None


@dataclass(frozen=True)
class Subckt:
    """`.subckt` with its connections formal -> net."""

    model: str
    pins: tuple[tuple[str, str], ...]


@dataclass
class NetlistModel:
    """One model."""

    name: str
    inputs: list[str] = field(default_factory=list[str])
    outputs: list[str] = field(default_factory=list[str])
    elements: list[Names | LatchLine | Subckt] = field(default_factory=list[Names | LatchLine | Subckt])


def to_blif(models: Sequence[NetlistModel]) -> str:
    """The text of a file."""
    lines: list[str] = []
    for model in models:
        lines.append(f".model {model.name}")
        lines.append(" ".join([".inputs", *model.inputs]))
        lines.append(" ".join([".outputs", *model.outputs]))
        for element in model.elements:
            match element:
                case Names():
                    lines.append(" ".join([".names", *element.inputs, element.output]))
                    lines += [f"{row} {element.phase}".lstrip() for row in element.rows]
                case LatchLine():
                    fields = [element.input, element.output]
                    if element.type is not None and element.control is not None:
                        fields += [element.type, element.control]
                    if element.init is not None:
                        fields.append(str(element.init))
                    lines.append(" ".join([".latch", *fields]))
                case Subckt():
                    pins = [f"{formal}={net}" for formal, net in element.pins]
                    lines.append(" ".join([".subckt", element.model, *pins]))
        lines.append(".end")
    return "\n".join(lines) + "\n"


class Evaluator:
    """Values of the nets of one instance of a model, asked for by name; children are evaluators too."""

    def __init__(
        self,
        models: Mapping[str, NetlistModel],
        model: NetlistModel,
        path: str,
        state: Mapping[str, int],
        mask: int,
        outer: Mapping[str, int] | tuple[Evaluator, dict[str, str]],
    ) -> None:
        """`state`: values of all latches by hierarchical name; `outer`: the inputs' values, or the parent."""
        self.model = model
        self.path = path
        self.state = state
        self.mask = mask
        self.outer = outer
        self.values: dict[str, int] = {}
        self.drivers: dict[str, Names | LatchLine | tuple[Evaluator, str]] = {}
        self.children: list[Evaluator] = []
        seen: dict[str, int] = {}
        for element in model.elements:
            if isinstance(element, Subckt):
                number = seen.get(element.model, 0)
                seen[element.model] = number + 1
                child_path = f"{path}{element.model}:{number}/"
                pins = dict(element.pins)
                child = Evaluator(models, models[element.model], child_path, state, mask, (self, pins))
                self.children.append(child)
                for formal in child.model.outputs:
                    if formal in pins:
                        self.drivers[pins[formal]] = (child, formal)
            else:
                self.drivers[element.output] = element

    def value(self, net: str) -> int:
        """The value of a net."""
        if net not in self.values:
            self.values[net] = self._compute(net)
        return self.values[net]

    def _compute(self, net: str) -> int:
        if net in self.model.inputs:
            if isinstance(self.outer, tuple):
                parent, pins = self.outer
                return parent.value(pins[net])
            return self.outer[net]
        driver = self.drivers[net]
        if isinstance(driver, LatchLine):
            return self.state[self.path + net]
        if isinstance(driver, tuple):
            child, formal = driver
            return child.value(formal)
        total = 0
        for row in driver.rows:
            term = self.mask
            for operand, care in zip(driver.inputs, row, strict=True):
                if care != "-":
                    value = self.value(operand)
                    term &= value if care == "1" else value ^ self.mask
            total |= term
        if not driver.rows:
            return 0
        return total if driver.phase else total ^ self.mask

    def latches(self) -> dict[str, tuple[int, int | None]]:
        """Hierarchical name of every latch below, in order: its next value and its initial value field."""
        result: dict[str, tuple[int, int | None]] = {}
        level = [self]
        while level:  # all instances of one depth before the next
            for instance in level:
                for element in instance.model.elements:
                    if isinstance(element, LatchLine):
                        name = instance.path + element.output
                        result[name] = (instance.value(element.input), element.init)
            level = [child for instance in level for child in instance.children]
        return result

    def latch_names(self) -> list[str]:
        """Names of the latches, without values."""
        own = [self.path + e.output for e in self.model.elements if isinstance(e, LatchLine)]
        return own + [name for child in self.children for name in child.latch_names()]
