"""Slow, plain models to compare with: one node, one pattern at a time, nothing of the native engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dynomite._native.aig import Aig

NO_AND = 0xFFFFFFFF
LATCH_BIT = 0x80000000

Value = bool | None
"""A three-valued bit: None is X."""


def _not(value: Value) -> Value:
    return None if value is None else not value


def _and(a: Value, b: Value) -> Value:
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def evaluate_nodes(aig: Aig, inputs: Sequence[Value], latches: Sequence[Value] = ()) -> list[Value]:
    """The value of every node's positive literal."""
    values: list[Value] = []
    for left, right in cast("list[list[int]]", aig.fanins.tolist()):
        if left != NO_AND:
            a, b = values[left >> 1], values[right >> 1]
            values.append(_and(_not(a) if left & 1 else a, _not(b) if right & 1 else b))
        elif not values:
            values.append(False)
        elif right & LATCH_BIT:
            values.append(latches[right & ~LATCH_BIT])
        else:
            values.append(inputs[right])
    return values


def lit_value(values: Sequence[Value], lit: int) -> Value:
    """The value of an AIGER literal, given those of the nodes."""
    value = values[lit >> 1]
    return _not(value) if lit & 1 else value


def evaluate(aig: Aig, inputs: Sequence[Value], latches: Sequence[Value] = ()) -> list[Value]:
    """The outputs' values."""
    values = evaluate_nodes(aig, inputs, latches)
    return [lit_value(values, lit) for lit in aig.literals("outputs").tolist()]


def evaluate_cycles(
    aig: Aig, inputs: Sequence[Sequence[Value]], state: Sequence[Value]
) -> tuple[list[list[Value]], list[Value]]:
    """Outputs of every clock cycle, taken before the clock edge, and the state after the last cycle."""
    current = list(state)
    rows: list[list[Value]] = []
    for row in inputs:
        values = evaluate_nodes(aig, row, current)
        rows.append([lit_value(values, lit) for lit in aig.literals("outputs").tolist()])
        current = [lit_value(values, lit.raw) for lit in aig.next_states]
    return rows, current


def truth_tables(aig: Aig) -> list[str]:
    """One string an output; character k is the output for input number k, input 0 being bit 0."""
    count = aig.num_inputs
    columns = [evaluate(aig, [bool(k >> i & 1) for i in range(count)]) for k in range(1 << count)]
    return ["".join("1" if column[o] else "0" for column in columns) for o in range(aig.num_outputs)]


def bit(words: NDArray[np.uint64], pattern: int) -> bool:
    """Bit of a pattern in a row of words."""
    return bool(int(words[pattern // 64]) >> (pattern % 64) & 1)
