"""A circuit seen as a network of larger gates: XOR-AND graphs, majority graphs, multiplexers.

    >>> from dmt_dialect.aig import Aig
    >>> from dmt_dialect.synthesis.gate_views import mig, xag
    >>> aig = Aig()
    >>> a, b, c = aig.add_inputs(3)
    >>> aig.add_output(a ^ b ^ c)
    >>> aig.add_output(a & b | c & (a | b))
    >>> xag(aig)
    <GateView: 3 and, 2 xor; 3 levels>
    >>> view = mig(aig, xor3=True)
    >>> view
    <GateView: 1 majority, 1 xor3; 1 levels>
    >>> dynomite.lec(aig, view.to_aig()).status
    'equivalent'

A view is made from an AIG and can be made an AIG again or written as BLIF; passes work on AIGs. Gates are
found by the functions of cuts of up to three leaves, whatever ANDs they are made of, and chosen for few gates
(area flow, then exact local area); no claim that there is no smaller network.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dynomite._native import map as _map
from dynomite._native.map import LutNetwork

if TYPE_CHECKING:
    from dynomite._native.aig import Aig
    from dynomite._native.base import Stop

__all__ = ["GateView", "gate_view", "mig", "xag"]

KINDS = ("constant", "inverter", "and", "xor", "mux", "majority", "xor3", "other")
"""Names of the kinds; an inverter may be a buffer, an AND may have any inputs or its output complemented."""


class GateView:
    """A network of gates with the ports of a circuit.

    Attributes:
        network: The gates as look-up tables of up to three inputs, in topological order; its roots are
            those of the circuit, complements are in the functions.
    """

    def __init__(self, network: LutNetwork) -> None:
        self.network = network

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each gate, in order: one of `KINDS`."""
        numbers: list[int] = _map.gate_kinds(self.network).tolist()
        return tuple(KINDS[kind] for kind in numbers)

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of gates of each kind that there is, in the order of `KINDS`."""
        numbers = np.bincount(_map.gate_kinds(self.network), minlength=len(KINDS)).tolist()
        return {kind: number for kind, number in zip(KINDS, numbers, strict=True) if number}

    @property
    def num_gates(self) -> int:
        """Number of gates, constants, buffers and inverters not counted."""
        return sum(count for kind, count in self.counts.items() if kind not in ("constant", "inverter"))

    @property
    def num_levels(self) -> int:
        """Gates on the longest path to a root."""
        return self.network.num_levels

    def to_aig(self, stop: Stop | None = None) -> Aig:
        """The same circuit as an AIG.

        Raises:
            LimitError: `stop` ended it.
        """
        return self.network.to_aig(stop=stop)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {kind}" for kind, count in self.counts.items()) or "no gates"
        return f"<GateView: {counts}; {self.num_levels} levels>"


def gate_view(
    aig: Aig,
    *,
    xor: bool = False,
    mux: bool = False,
    majority: bool = False,
    xor3: bool = False,
    stop: Stop | None = None,
) -> GateView:
    """The circuit as a network of ANDs of two and the gates that are asked for.

    Linear, about 1 to 3 microseconds a node.

    Args:
        aig: The circuit.
        xor: Also XORs of two.
        mux: Also multiplexers.
        majority: Also majorities of three.
        xor3: Also XORs of three.
        stop: Ends the call from another thread or at a deadline.

    Raises:
        LimitError: `stop` ended it.
    """
    return GateView(_map.cover_by_gates(aig, xor2=xor, mux=mux, majority=majority, xor3=xor3, stop=stop))


def xag(aig: Aig, *, stop: Stop | None = None) -> GateView:
    """The circuit as an XOR-AND graph. See `gate_view`."""
    return gate_view(aig, xor=True, stop=stop)


def mig(aig: Aig, *, xor3: bool = False, stop: Stop | None = None) -> GateView:
    """The circuit as a majority-inverter graph, an AND being a majority with a constant.

    Args:
        aig: The circuit.
        xor3: Also XORs of three, as full adders have them (an XMG).
        stop: Ends the call.

    Raises:
        LimitError: `stop` ended it.
    """
    return gate_view(aig, majority=True, xor=xor3, xor3=xor3, stop=stop)
