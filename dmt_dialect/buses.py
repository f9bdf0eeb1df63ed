"""Ports of one bit as words: `a[0]`, `a[1]` ... as one bus `a`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_BIT = re.compile(r"(.*)\[(0|[1-9][0-9]{0,6})\]", re.DOTALL)


class Bus(NamedTuple):
    """A word made of ports.

    Attributes:
        name: Its name.
        positions: Positions of its bits among the ports, bit 0 first.
    """

    name: str
    positions: tuple[int, ...]


def group_buses(names: Sequence[str | None], letter: str) -> list[Bus]:
    """Ports `a[0]` to `a[n]` that follow each other as one bus `a`; every other port as a bus of one bit.

    The order of ports stays. Names are made different from each other; a port without a name is called by
    letter and position.
    """
    shown = [name if name else f"{letter}{i}" for i, name in enumerate(names)]
    taken = set(shown)
    buses: list[Bus] = []
    used: set[str] = set()

    def add(name: str, first: int, count: int) -> None:
        unique, number = name, 1
        while unique in used or (number > 1 and unique in taken):
            number += 1
            unique = f"{name}_{number}"
        used.add(unique)
        buses.append(Bus(unique, tuple(range(first, first + count))))

    at = 0
    while at < len(shown):
        match = _BIT.fullmatch(shown[at])
        count = 1
        if match is not None and match[2] == "0" and match[1] not in taken and match[1] not in used:
            while at + count < len(shown) and shown[at + count] == f"{match[1]}[{count}]":
                count += 1
        add(shown[at] if match is None or count == 1 else match[1], at, count)
        at += count
    return buses
