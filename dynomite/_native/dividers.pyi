"""Dividers and square roots in circuits."""

import numpy
import numpy.typing

import dynomite._native.aig
import dynomite._native.base


def build_bridge(aig: dynomite._native.aig.Aig, dividend: numpy.typing.NDArray[numpy.uint32], divisor: numpy.typing.NDArray[numpy.uint32] | None, *, stop: dynomite._native.base.Stop | None = None) -> tuple[dynomite._native.aig.Aig, numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32]] | None:
    """
    Puts a divider, or a square root, in front of the gates of an AIG for sweeping.

    Args:
        aig: Without latches.
        dividend: Literals of inputs, bit 0 first; for roots an even number.
        divisor: Equally many; None for a square root of the dividend.
        stop: Ends the call early.

    Returns:
        The AIG with the divider before the gates, which are hashed; the literal in it of each node of the given
        one; pairs of literals of the divider that were proved equal; the bits of all its words. None if `stop`
        ended it.

    Raises:
        UsageError: The operands do not fit, or are no inputs.

    Cost: linear, and 30 nodes for each bit of each stage.
    """
