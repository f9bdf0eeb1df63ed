"""Checking and shrinking counterexamples."""

from typing import Annotated

import numpy
from numpy.typing import NDArray

import dynomite._native.aig
import dynomite._native.base


def evaluate(aig: dynomite._native.aig.Aig, values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', writable=False)], lits: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
    """
    Three-valued simulation of one pattern: `values` of the inputs, then the latches (0, 1, 2 for unknown); returns the values of the literals.
    """

def needed_variables(left: dynomite._native.aig.Aig, left_lit: int, left_variables: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)], right: dynomite._native.aig.Aig, right_lit: int, right_variables: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)], values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', writable=False)], *, budget: int, stop: dynomite._native.base.Stop) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
    """
    Flags the variables that keep both literals at their values. `left_variables` and `right_variables` say which variable each input, then latch, of a design reads; at most `budget` node visits are spent on leaving variables out one by one.
    """
