"""Truth tables of functions of a few variables: the independent model of decision diagrams."""

from __future__ import annotations

import random
from dataclasses import dataclass

from dmt_dialect.bdd import Bdd, BddRef

NAMES = ["u", "v", "w", "x", "y", "z"]
FULL = (1 << (1 << len(NAMES))) - 1


@dataclass(frozen=True)
class Table:
    """Bit p is the value at the point where variable i has the value of bit i of p."""

    bits: int

    def __and__(self, other: Table) -> Table:
        return Table(self.bits & other.bits)

    def __or__(self, other: Table) -> Table:
        return Table(self.bits | other.bits)

    def __xor__(self, other: Table) -> Table:
        return Table(self.bits ^ other.bits)

    def inverted(self) -> Table:
        """The complement."""
        return Table(self.bits ^ FULL)

    def cofactor(self, index: int, value: int) -> Table:
        """The function with a variable fixed, as a function of all variables."""
        bits = 0
        for point in range(1 << len(NAMES)):
            at = point & ~(1 << index) | value << index
            bits |= (self.bits >> at & 1) << point
        return Table(bits)


def values_at(point: int) -> dict[str, bool]:
    """The assignment of a point."""
    return {name: bool(point >> index & 1) for index, name in enumerate(NAMES)}


def table_of(function: BddRef) -> Table:
    """By evaluation at all points."""
    return Table(sum(function.evaluate(values_at(p)) << p for p in range(1 << len(NAMES))))


def from_table(bdd: Bdd, table: Table) -> BddRef:
    """By the disjunction of minterms."""
    function = bdd.false
    for point in range(1 << len(NAMES)):
        if table.bits >> point & 1:
            function = function | bdd.cube(values_at(point))
    return function


def random_table(rng: random.Random) -> Table:
    """Any function."""
    return Table(rng.getrandbits(1 << len(NAMES)))
