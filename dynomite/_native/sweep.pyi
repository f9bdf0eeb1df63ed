"""SAT sweeping."""

from typing import Annotated

import numpy
from numpy.typing import NDArray

import dynomite._native.aig
import dynomite._native.base


def append(target: dynomite._native.aig.Aig, source: dynomite._native.aig.Aig, ci_map: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, hashed: bool = True, stop: dynomite._native.base.Stop | None = None) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    Copies the AND nodes of `source` into `target`; ports are not copied.

    Args:
        target: AIG that grows.
        source: AIG to copy.
        ci_map: uint32 literals of `target`, one for each input, then each latch, of `source`.
        hashed: Whether gates are hashed and simplified; False keeps one node for each of the source.
        stop: Ends the call with a LimitError; what was copied until then stays in `target`.

    Returns:
        uint32 array, one literal of `target` for every node of `source`.

    Raises:
        UsageError: The map has the wrong length or a literal that is not in `target`.

    Cost: linear.
    """

def check_proof(cnf: bytes, proof: bytes, *, cnf_name: str = '<cnf>', proof_name: str = '<proof>', stop: dynomite._native.base.Stop | None = None) -> dict[str, str | int]:
    """
    Checks a DRAT text proof, whose steps must all be RUP, against a DIMACS formula.

    Returns:
        "result": "verified", "rejected" or "stopped"; "reason" of a rejection; "clauses" and "steps" read.

    Raises:
        ParseError: A file is malformed.
    """

class Sweeper:
    """
    SAT sweeping of one AIG: decides pairs of literals, or (without pairs) reduces it.

    The AIG is copied. Latches are cut: their outputs count as inputs.
    """

    def __init__(self, aig: dynomite._native.aig.Aig, pairs: Annotated[NDArray[numpy.uint32], dict(shape=(None, 2), order='C', device='cpu', writable=False)], *, seed: int = 1) -> None: ...

    def help(self, known: Annotated[NDArray[numpy.uint32], dict(shape=(None, 2), order='C', device='cpu', writable=False)], kept: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], patterns: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Tells what is known of the AIG; before the first run, and without a proof to log.

        Args:
            known: uint32 of shape (n, 2): literals that were proved equal. They are merged as they are: the answers rest
                on them.
            kept: uint32 literals whose gates are kept, because others may be equal to them.
            patterns: uint64, 64 patterns a row, a column for each input, then each latch; at most 64 rows.

        Raises:
            UsageError: A literal is not in the AIG, or it is too late.
        """

    def run(self, conflict_limit: int, stop: dynomite._native.base.Stop, *, most_unknown: int = 18446744073709551615) -> str:
        """
        One pass with at most `conflict_limit` conflicts a query.

        After `most_unknown` queries that met the limit the rest of the circuit is left as it is.

        Returns:
            "done" when every pair is decided, "limit" when some are left (call again with a larger limit),
            "stopped" when `stop` ended the pass.
        """

    def statuses(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """uint8 a pair: 0 undecided, 1 equal, 2 different."""

    def engines(self) -> list[str]:
        """
        What decided each pair: 'none', 'hashing', 'simulation', 'sat' or 'exhaustive'.
        """

    def progress(self) -> float:
        """How far the present pass is, 0 to 1; from any thread."""

    def counterexample(self, pair: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        uint8 values of the inputs, then the latches, under which the literals of a different pair differ.
        """

    def residual(self) -> tuple[dynomite._native.aig.Aig, Annotated[NDArray[numpy.uint32], dict(shape=(None, 2))]]:
        """
        The swept AIG (same inputs and latches) and the undecided pairs in it, uint32 of shape (n, 2).
        """

    def reduced(self) -> dynomite._native.aig.Aig:
        """The swept AIG with all ports, names and comments of the given one."""

    def node_map(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        uint32: the literal of the swept AIG for every node of the given one; 2^32 - 1 for a node that is not needed, or was proved constant.
        """

    def stats(self) -> dict[str, int]:
        """Counts since construction."""

    def log_proof(self, proof: str, cnf: str) -> None:
        """
        Before the first run: writes the miter as DIMACS to `cnf` and logs a DRAT proof to `proof`.
        """

    def finish_proof(self) -> None:
        """
        Ends the refutation; only when every pair was proved equal. Raises UsageError otherwise.
        """

    def falsify_for_tests(self, answer: str, number: int) -> None:
        """
        For tests of the proof check: makes the sweeper unsound. Of the queries that end as `answer`, 'refuted' or 'limit', the `number`th, from 0, is taken for a proof and logged as one.
        """
