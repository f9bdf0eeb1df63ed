"""Why two circuits differ: where the difference begins, and which single change would undo it.

An `Explanation` belongs to a verdict with status "different"; `docs/verdict.md` describes the keys. It is
made by `dmt_dialect.explaining`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

from dynomite.errors import UsageError

Side = Literal["left", "right"]
RepairKind = Literal["gate", "signal"]
Bit = Literal[0, 1] | None


@dataclass(frozen=True, slots=True)
class Signal:
    """A literal of one of the two circuits.

    Attributes:
        literal: Its AIGER number in that circuit.
        name: The name it has there, with ~ in front if the complement has it; None without one.
    """

    literal: int
    name: str | None = None

    def __str__(self) -> str:
        """The name, `n17` (node 17) without one."""
        if self.name is not None:
            return self.name
        if self.literal < 2:
            return str(self.literal)
        return f"{'~' if self.literal & 1 else ''}n{self.literal >> 1}"


@dataclass(frozen=True, slots=True)
class EqualSignals:
    """A signal of each side that are the same function of the inputs.

    Attributes:
        left: The left one.
        right: The right one.
        value: Their value under the counterexample; None if it depends on inputs that do not matter.
        proved: Whether equality was proved; otherwise it holds for all simulated patterns.
    """

    left: Signal
    right: Signal
    value: Bit
    proved: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where the two sides begin to differ: a signal without an equal one on the other side.

    Attributes:
        left: The signal of the left side; None if only the right side has one here.
        right: That of the right side.
        left_value: Its value under the counterexample.
        right_value: The same on the right.
        left_gate: What it is made of, such as `a & ~n17`.
        right_gate: The same on the right.
    """

    left: Signal | None
    right: Signal | None
    left_value: Bit
    right_value: Bit
    left_gate: str | None
    right_gate: str | None


@dataclass(frozen=True, slots=True)
class OutputExplanation:
    """Where one differing function begins to differ.

    Attributes:
        output: Its name.
        equal: The smallest set of equal signals from which both sides make it; the first ones of them.
        equal_total: How many there are.
        proved: Whether it was proved that both sides are made from these, and are equal there.
        begins: The first signals that differ; the first ones of them.
        begins_total: How many there are, pairs counted once.
        left_ands: ANDs of the left side between equal signals and the output that have no equal partner.
        right_ands: The same on the right.
        complement: Whether one side is the other's complement: "proved", "simulated", or None if not.
    """

    output: str
    equal: tuple[EqualSignals, ...]
    equal_total: int
    proved: bool
    begins: tuple[Difference, ...]
    begins_total: int
    left_ands: int
    right_ands: int
    complement: Literal["proved", "simulated"] | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """A single signal whose change makes all compared functions equal.

    Attributes:
        side: The circuit to change.
        kind: "gate": the AND becomes another function of its two fanins; "signal": it has to be something
            else.
        signal: The signal to change.
        now: What it is.
        instead: What it has to be; None if no signal of the other side was found that does.
        proved: Whether it was proved that all functions are equal then; otherwise for all simulated patterns.
    """

    side: Side
    kind: RepairKind
    signal: Signal
    now: str
    instead: str | None
    proved: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why two circuits differ.

    Attributes:
        outputs: The first differing functions.
        repairs: Single changes that undo the difference, the most likely first; none if there are none, or
            none was found in time.
        patterns: Patterns that were simulated.
        complete: False if time was over before all was looked at.
        seconds: Time it took.
    """

    outputs: tuple[OutputExplanation, ...]
    repairs: tuple[Repair, ...]
    patterns: int
    complete: bool
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data; see `docs/verdict.md`."""
        return _listed(asdict(self))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Explanation:
        """The inverse of `to_dict`.

        Raises:
            UsageError: Keys are missing or of another form.
        """
        try:
            return cls(
                outputs=tuple(_output(entry) for entry in data["outputs"]),
                repairs=tuple(
                    Repair(**{**_known(entry, Repair), "signal": _signal(entry["signal"])})
                    for entry in data["repairs"]
                ),
                patterns=int(data["patterns"]),
                complete=bool(data["complete"]),
                seconds=float(data["seconds"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"not a verdict: its explanation is malformed: {error!r:.60}") from error

    def lines(self) -> list[str]:
        """The same in words."""
        lines: list[str] = []
        for output in self.outputs:
            lines += _output_lines(output)
        for repair in self.repairs:
            how = "proved" if repair.proved else f"for {self.patterns} patterns"
            if repair.instead is None:
                what = f"{repair.now}; some other function there makes all outputs equal"
            else:
                what = f"{repair.now}; with {repair.instead} instead all outputs are equal"
            lines.append(f"repair on the {repair.side} ({how}): {repair.signal} = {what}")
        if not self.complete:
            lines.append("the time for explaining was over: there may be more")
        return lines


def _output_lines(output: OutputExplanation) -> list[str]:
    lines = [f"{output.output} begins to differ:"]
    if output.complement is not None:
        lines.append(f"  one side is the complement of the other ({output.complement})")
    for place in output.begins:
        sides = [
            f"{side} {signal}{f' = {gate}' if gate else ''} is {'x' if value is None else value}"
            for side, signal, gate, value in (
                ("left", place.left, place.left_gate, place.left_value),
                ("right", place.right, place.right_gate, place.right_value),
            )
            if signal is not None
        ]
        lines.append("  " + ", ".join(sides))
    if output.begins_total > len(output.begins):
        lines.append(f"  and at {output.begins_total - len(output.begins)} more")
    same = [
        f"{e.left}{'' if str(e.left) == str(e.right) else f' = {e.right}'}"
        f" ({'x' if e.value is None else e.value}{'' if e.proved else ', simulated'})"
        for e in output.equal
    ]
    more = f" and {output.equal_total - len(same)} more" if output.equal_total > len(same) else ""
    signals = "1 equal signal" if output.equal_total == 1 else f"{output.equal_total} equal signals"
    lines.append(
        f"  made from {signals}{'' if output.proved else ' (simulated)'} by "
        f"{output.left_ands} ANDs left and {output.right_ands} right that have no equal partner: "
        f"{', '.join(same)}{more}"
    )
    return lines


def _listed(data: Any) -> Any:
    """Tuples as lists, as JSON has them."""
    if isinstance(data, dict):
        return {key: _listed(value) for key, value in cast("dict[str, Any]", data).items()}
    if isinstance(data, list | tuple):
        return [_listed(value) for value in cast("Iterable[Any]", data)]
    return data


def _known(data: Mapping[str, Any], of: type) -> dict[str, Any]:
    return {key: data[key] for key in of.__slots__}  # type: ignore[attr-defined]


def _signal(data: Mapping[str, Any] | None) -> Any:
    return None if data is None else Signal(int(data["literal"]), data["name"])


def _output(data: Mapping[str, Any]) -> OutputExplanation:
    def with_signals(entry: Mapping[str, Any], of: type) -> dict[str, Any]:
        return {**_known(entry, of), "left": _signal(entry["left"]), "right": _signal(entry["right"])}

    entries = _known(data, OutputExplanation)
    entries["equal"] = tuple(EqualSignals(**with_signals(e, EqualSignals)) for e in data["equal"])
    entries["begins"] = tuple(Difference(**with_signals(e, Difference)) for e in data["begins"])
    return OutputExplanation(**entries)
