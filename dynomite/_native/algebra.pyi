"""Polynomials of words."""

from typing import Annotated

import numpy
import numpy.typing
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

    def explanation(self, side: int) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32], list[list[int]], list[int], numpy.typing.NDArray[numpy.uint32]]:
        """
        If equal and explained: how a side (0 left, 1 right) became its polynomial, in literals of the AIG.

        Returns:
            Gates to be added to the AIG, those of the right side behind those of the left one; pairs of literals whose
            equality is to be proved, each with the number of a set of nodes that may be inputs for that; these sets;
            the word that was rewritten; and the steps, rows of a kind, six literals and the number of a set (see
            `dmt_dialect.algebra_checker`).
        """

    def stats(self) -> dict[str, int]:
        """Counts of both sides: 'left_cells', 'right_terms' ..."""

def count_cells(aig: dynomite._native.aig.Aig, *, stop: dynomite._native.base.Stop | None = None) -> tuple[int, int]:
    """
    Numbers of full adders and of exclusive ors, by their gates (`dmt_dialect.arith`); 0 if `stop` ended it. Cost: linear.
    """

def compare_words(aig: dynomite._native.aig.Aig, pairs: Annotated[NDArray[numpy.uint32], dict(shape=(None, 2), order='C', device='cpu', writable=False)], *, most_terms: int = 200000, most_monomials: int = 3000000, explain: bool = False, stop: dynomite._native.base.Stop | None = None) -> WordComparison:
    """
    Compares two words of one AIG as polynomials in the inputs, modulo 2^n for n bits.

    Args:
        aig: Holds both words; latches count as inputs.
        pairs: uint32 of shape (n, 2): literals of bit i of the one word and of the other.
        most_terms: Terms a polynomial may have at a time; undecided beyond.
        most_monomials: Monomials one may have over all; undecided beyond.
        explain: Keep for `WordComparison.explanation` how it was done.
        stop: Ends the call early: undecided.

    Raises:
        UsageError: No bits or more than 1024, or a literal that is not in the AIG.

    Cost: near-linear where the words are sums of adder cells; else up to the limits.
    """
