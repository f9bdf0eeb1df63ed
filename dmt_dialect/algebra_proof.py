"""Writing algebraic certificates: what `dmt_dialect.algebra_checker` checks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dynomite._native.aig import Aig
from dynomite._native.sweep import Sweeper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmt_dialect.engines.race import Board
    from dynomite._native.algebra import WordComparison
    from dynomite._native.base import Stop

SIDES = ("left", "right")
_NOT_AND = 0xFFFFFFFF
_ADDER = 2
_FIRST_LIMIT, _GROWTH, _LAST_LIMIT = 100, 10, 10**9


class CertificateFiles:
    """The certificate of one run; it is removed unless the run ends with everything equal."""

    def __init__(self, proof: str) -> None:
        self._proof = proof
        self._written: list[str] = []

    def write(self, aig: Aig, pairs: NDArray[np.uint32], result: WordComparison, stop: Stop) -> bool:
        """Writes the certificate of a word; False if `stop` ended it, or an equality was not proved again.

        Raises:
            OSError: A file cannot be written.
        """
        sides = [result.explanation(side) for side in range(len(SIDES))]
        rows = np.vstack([np.asarray(aig.fanins), *(gates for gates, *_ in sides)])
        for (_, equalities, cuts, _, _), name in zip(sides, SIDES, strict=True):
            # In the order in which the checker meets them: by bits, then by steps.
            different = equalities[equalities[:, 0] != equalities[:, 1]]
            for number, cut in enumerate(cuts):
                chosen = different[different[:, 2] == number, :2]
                path = f"{self._proof}.{name}{number}"
                if len(chosen):
                    self._written.append(path)
                    if not _refute(_with_inputs(rows, cut), chosen, path, stop):
                        self.discard()
                        return False
        self._written.insert(0, self._proof)
        with Path(self._proof).open("w", encoding="ascii") as stream:
            stream.write(f"dynomite-algebra 1\ninputs {aig.num_inputs}\n")
            gates = rows[rows[:, 0] != _NOT_AND].tolist()
            stream.writelines(f"g {a} {b}\n" for a, b in gates)
            stream.writelines(f"w {a} {b}\n" for a, b in pairs.tolist())
            for _, _, _, word, steps in sides:
                stream.write(f"s {' '.join(map(str, word))}\n")
                stream.writelines(_line(step) for step in steps.tolist())
        return True

    def finish(self, board: Board) -> tuple[str, ...]:
        """The paths of the certificate if every pair is equal; else it is removed."""
        if board.done and all(decision.equal for decision in board.decisions.values()):
            return tuple(self._written)
        self.discard()
        return ()

    def discard(self) -> None:
        """Removes what has been written."""
        for path in self._written:
            Path(path).unlink(missing_ok=True)
        self._written.clear()


def _line(step: Sequence[int]) -> str:
    kind, *lits = step
    if kind == 0:
        return f"a {lits[0]}\n"
    if kind != _ADDER:
        return f"x {lits[0]} {lits[1]} {lits[2]}\n"
    count = 7 if lits[5] else 5
    return f"c {' '.join(map(str, lits[:count]))}\n"


def _with_inputs(rows: NDArray[np.uint32], nodes: Sequence[int]) -> Aig:
    """The circuit with some nodes as inputs: numbers of nodes stay, and what holds there holds for all."""
    cut = rows.copy()
    cut[list(nodes), 0] = _NOT_AND
    inputs = np.nonzero(cut[:, 0] == _NOT_AND)[0][1:]
    cut[inputs, 1] = np.arange(len(inputs))
    return Aig.from_fanins(cut)


def _refute(aig: Aig, pairs: NDArray[np.uint32], path: str, stop: Stop) -> bool:
    """Proves the pairs equal once more and logs it. The clauses are for the checker to make."""
    sweeper = Sweeper(aig, np.ascontiguousarray(pairs))
    clauses = f"{path}.cnf"
    try:
        sweeper.log_proof(path, clauses)
        limit = _FIRST_LIMIT
        while (outcome := sweeper.run(limit, stop)) == "limit" and limit < _LAST_LIMIT:
            limit *= _GROWTH
        if outcome != "done" or (sweeper.statuses() != 1).any():
            return False
        sweeper.finish_proof()
        return True
    finally:
        Path(clauses).unlink(missing_ok=True)
