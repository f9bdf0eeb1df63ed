"""A counterexample as a waveform: inputs, latches, and what each design makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from dmt_dialect.formats.vcd import Section, write_vcd

if TYPE_CHECKING:
    from dmt_dialect.verdict import Bit, Counterexample


def counterexample_vcd(counterexample: Counterexample) -> Iterator[str]:
    """The lines of a VCD file with one step; bits that do not matter are x.

    Ports `a[0]`, `a[1]`... are vectors. The scopes are inputs, latches, left and right.
    """
    sections = {
        "inputs": counterexample.inputs,
        "latches": counterexample.latches,
        "left": counterexample.left,
        "right": counterexample.right,
    }
    yield from write_vcd({name: _section(bits) for name, bits in sections.items()}, module="counterexample")


def _section(bits: Mapping[str, Bit]) -> Section:
    text = "".join("x" if bit is None else str(bit) for bit in bits.values())
    table = np.frombuffer(text.encode("ascii"), dtype=np.uint8).reshape(1, len(bits))
    return Section(list(bits), table)
