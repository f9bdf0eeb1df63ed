"""Simulation of words: values of operators by their table, without gates.

    >>> from hw_dialect.builder import module
    >>> from hw_dialect.simulate import simulate_words
    >>> with module("counter") as m:
    ...     q = m.reg("q", 4, init=14)
    ...     q.next = q + m.input("step", 4)
    ...     m.output("count", q)
    >>> run = simulate_words(m.design, [{"step": 1}] * 3)
    >>> [cycle["count"] for cycle in run.outputs]
    [14, 15, 0]

It shares nothing with the way through an AIG but the netlist, so the two check each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynomite._native import word_net as native
from dynomite.errors import UsageError
from hw_dialect.elaborate import Source, elaborate

if TYPE_CHECKING:
    from dynomite._native.base import Stop


@dataclass(frozen=True)
class WordRun:
    """Values, one table a clock cycle; all are those before the clock edge.

    Attributes:
        outputs: Output ports.
        registers: Registers; those without an initial value start at 0.
        claims: What was asserted and assumed, by name.
        signals: The signals that were asked for.
    """

    outputs: list[dict[str, int]]
    registers: list[dict[str, int]]
    claims: list[dict[str, int]]
    signals: list[dict[str, int]]


def simulate_words(
    source: Source,
    stimuli: Iterable[Mapping[str, int]],
    top: str = "",
    *,
    signals: Sequence[str] = (),
    stop: Stop | None = None,
) -> WordRun:
    """Simulates clock cycle by clock cycle from the initial state.

    Args:
        source: Modules or a netlist.
        stimuli: For each cycle the value of every input port.
        top: Which module; see `elaborate`.
        signals: Paths of internal signals whose values are wanted, such as "u1/sum".
        stop: Ends the call early.

    Raises:
        UsageError: An input is missing or unknown, or a value does not fit.

    Cost: linear in the operators a cycle.
    """
    net = elaborate(source, top, stop=stop)
    names = [name for name, _, _ in net.inputs()]
    rows: list[list[int]] = []
    for stimulus in stimuli:
        unknown = stimulus.keys() - set(names)
        missing = [name for name in names if name not in stimulus]
        if unknown or missing:
            wrong = f"no input '{min(unknown)}'" if unknown else f"no value for the input '{missing[0]}'"
            raise UsageError(f"simulate: {wrong}; the inputs are {', '.join(names) or 'none'}")
        rows.append([stimulus[name] for name in names])
    numbers: list[int] = []
    if signals:
        known = {name: number for number, (name, _, _) in enumerate(net.signals())}
        for name in signals:
            if name not in known:
                raise UsageError(f"simulate: no signal '{name}'")
            numbers.append(known[name])
    outputs = [name for name, _, _ in net.outputs()]
    registers = [reg[0] for reg in net.registers()]
    claims = [name or f"claim{number}" for number, (name, _, _) in enumerate(net.claims())]
    run = WordRun([], [], [], [])
    for row in native.simulate(net, rows, numbers, stop=stop):
        for table, keys, values in zip(
            (run.outputs, run.registers, run.claims, run.signals),
            (outputs, registers, claims, signals),
            row,
            strict=True,
        ):
            table.append(dict(zip(keys, values, strict=True)))
    return run
