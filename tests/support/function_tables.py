"""The functions of small circuits as truth tables, by Python's integers: nothing of the native engines."""

from __future__ import annotations

from typing import cast

from dynomite._native.aig import Aig

NO_AND, LATCH_BIT = 0xFFFFFFFF, 0x80000000


def column(variable: int, count: int) -> int:
    """The table of a variable among `count`: bit k is bit `variable` of k."""
    block = ((1 << (1 << variable)) - 1) << (1 << variable)
    for width in range(variable + 1, count):
        block |= block << (1 << width)
    return block


def tables(aig: Aig) -> dict[str, list[int]]:
    """For each section the tables of its literals, over inputs and then latches. Cost: 2^inputs a node."""
    count = aig.num_inputs + aig.num_latches
    full = (1 << (1 << count)) - 1
    values: list[int] = []
    for left, right in cast("list[list[int]]", aig.fanins.tolist()):
        if left != NO_AND:
            a, b = values[left >> 1], values[right >> 1]
            values.append((a ^ full if left & 1 else a) & (b ^ full if right & 1 else b))
        elif not values:
            values.append(0)
        else:
            latch = bool(right & LATCH_BIT)
            values.append(column((right & ~LATCH_BIT) + latch * aig.num_inputs, count))

    def table(literal: int) -> int:
        return values[literal >> 1] ^ (full if literal & 1 else 0)

    sections = ("next_states", "outputs", "bad", "constraints", "fairness")
    found = {name: [table(lit) for lit in aig.literals(name).tolist()] for name in sections}
    found["justice"] = [table(lit.raw) for group in aig.justice for lit in group]
    return found
