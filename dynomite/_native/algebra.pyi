"""Polynomials of words."""

from typing import Annotated

import numpy
from numpy.typing import NDArray

import dynomite._native.aig
import dynomite._native.base


class WordComparison:
    """What `compare_words` found."""

    @property
    def status(self) -> str:
        """'equal', 'different' or 'undecided'."""

    @property
    def counterexample(self) -> bytes:
        """
        If different: a byte (0 or 1) for each input, then each latch, for which the words differ.
        """

    @property
    def differing(self) -> list[int]:
        """If different: the bits that differ there, by simulation."""

    def stats(self) -> dict[str, int]:
        """Counts of both sides: 'left_cells', 'right_terms' ..."""

def count_adders(aig: dynomite._native.aig.Aig, *, stop: dynomite._native.base.Stop | None = None) -> int:
    """
    Number of full adders by their gates (`dmt_dialect.arith`); 0 if `stop` ended it. Cost: linear.
    """

def compare_words(aig: dynomite._native.aig.Aig, pairs: Annotated[NDArray[numpy.uint32], dict(shape=(None, 2), order='C', device='cpu', writable=False)], *, most_terms: int = 200000, most_monomials: int = 3000000, stop: dynomite._native.base.Stop | None = None) -> WordComparison:
    """
    Compares two words of one AIG as polynomials in the inputs, modulo 2^n for n bits.

    Args:
        aig: Holds both words; latches count as inputs.
        pairs: uint32 of shape (n, 2): literals of bit i of the one word and of the other.
        most_terms: Terms a polynomial may have at a time; undecided beyond.
        most_monomials: Monomials one may have over all; undecided beyond.
        stop: Ends the call early: undecided.

    Raises:
        UsageError: No bits or more than 1024, or a literal that is not in the AIG.

    Cost: near-linear where the words are sums of adder cells; else up to the limits.
    """
