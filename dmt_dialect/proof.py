"""Proofs of equivalence: writing them beside a run, and checking them.

A proof is a pair of files. The CNF says that some pair of outputs of the two designs, as read and over shared
inputs, differs: node i of the miter is variable i + 1, then one variable a pair. The proof is a refutation in
DRAT text form in which every step follows by unit propagation (RUP), from hashing and merging as well as from
the solver. Any DRAT checker accepts it; `check_proof` is a small native one that shares no code with the
solver. Proofs by algebra are certificates of their own (`dmt_dialect.algebra_proof`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from dmt_dialect.algebra_proof import Words
from dynomite.errors import UsageError

if TYPE_CHECKING:
    from dmt_dialect.engines.race import Board
    from dmt_dialect.miter import Miter
    from dynomite._native.base import Stop
    from dynomite._native.sweep import Sweeper


ALGEBRA = b"dynomite-algebra"
"""How an algebraic certificate begins."""


class ProofFiles:
    """The files of one run's proof; they are removed unless the run ends with everything equal.

    If sweeping has proved all pairs its refutation is the proof. If algebra was needed, it is a certificate
    of the words that algebra has proved, and of the other pairs, which sweeping proves once more for it.
    """

    def __init__(self, proof: str) -> None:
        self._path = proof
        self._files: tuple[str, ...] = ()
        self._sweeper: Sweeper | None = None
        self.words = Words()
        self.why_none = ""
        """After `finish`, why there is no proof; empty if there is one."""

    def start(self, sweeper: Sweeper) -> None:
        """Writes the CNF and has `sweeper` log its steps. Raises UsageError if a file cannot be written."""
        self._files = (self._path, f"{self._path}.cnf")
        sweeper.log_proof(*self._files)
        self._sweeper = sweeper

    def finish(self, board: Board, miter: Miter | None) -> tuple[str, ...]:
        """Ends the proof if every pair is equal, else removes the files; the paths that are left.

        Raises:
            UsageError: A file cannot be written.
        """
        self.why_none = "the designs were not proved equal"
        if miter is None or not board.done or not all(each.equal for each in board.decisions.values()):
            self.discard()
            return ()
        proved: set[int] = set()
        if self._sweeper is not None:
            proved.update(np.flatnonzero(self._sweeper.statuses() == 1).tolist())
            if len(proved) == board.total:
                self._sweeper.finish_proof()
                self.why_none = ""
                return self._files
        self.discard()
        board.tell("writing the certificate")
        self._files = self.words.write(self._path, miter.aig, miter.pairs, proved, board.stop)
        self.why_none = "" if self._files else "the equality was not proved again in time"
        return self._files

    def discard(self) -> None:
        """Removes what has been written."""
        for path in self._files:
            Path(path).unlink(missing_ok=True)
        self._files = ()


@dataclass(frozen=True, slots=True)
class ProofCheck:
    """What a checker says of a proof.

    Attributes:
        result: "verified", "rejected", or "stopped" before the end.
        reason: Why it was rejected, with the line of the step; empty otherwise.
        clauses: Clauses of the CNF.
        steps: Steps of the proof that were read.
    """

    result: Literal["verified", "rejected", "stopped"]
    reason: str
    clauses: int
    steps: int

    @property
    def verified(self) -> bool:
        """Whether the proof refutes the CNF."""
        return self.result == "verified"


def check_proof(
    proof: str | os.PathLike[str], cnf: str | os.PathLike[str] | None = None, *, stop: Stop | None = None
) -> ProofCheck:
    """Checks a proof that `lec(..., proof=FILE)` wrote, or any RUP refutation in DRAT text form.

    An algebraic certificate is told by its first line; `dmt_dialect.algebra_checker` checks it.

    Args:
        proof: The proof.
        cnf: The DIMACS file it refutes; by default the proof's name with ".cnf" behind it.
        stop: Ends the check early.

    Raises:
        ParseError: A file is malformed.
        UsageError: A file cannot be read.

    Cost: every step is propagated over all clauses before it; memory is linear in the files.
    """
    from dynomite._native.sweep import check_proof as check

    text = _read(os.fspath(proof))
    if text.startswith(ALGEBRA):
        if cnf is not None:
            raise UsageError("check_proof: an algebraic certificate has no clauses of its own")
        return _check_certificate(text, os.fspath(proof), stop)
    cnf_path = f"{os.fspath(proof)}.cnf" if cnf is None else os.fspath(cnf)
    answer = check(_read(cnf_path), text, cnf_name=cnf_path, proof_name=os.fspath(proof), stop=stop)
    return ProofCheck(
        cast(Literal["verified", "rejected", "stopped"], answer["result"]),
        str(answer["reason"]),
        int(answer["clauses"]),
        int(answer["steps"]),
    )


def _check_certificate(text: bytes, path: str, stop: Stop | None) -> ProofCheck:
    from dmt_dialect.algebra_checker import Checker, RejectedError, lines_of, refutation_path
    from dynomite._native.sweep import check_proof as check

    checker = Checker(lines_of(text), (lambda: False) if stop is None else stop.poll)
    clauses = steps = 0
    try:
        checker.run()
        steps = checker.certificate.steps
        if checker.stopped:
            return ProofCheck("stopped", "", 0, steps)
        for key in sorted(checker.certificate.equalities):
            refutation = refutation_path(path, key)
            if not Path(refutation).is_file():
                raise RejectedError(f"{refutation} is not there: claims of equality are not proved")
            answer = check(
                checker.certificate.cnf(key),
                _read(refutation),
                cnf_name=f"the clauses of {refutation}",
                proof_name=refutation,
                stop=stop,
            )
            clauses += int(answer["clauses"])
            steps += int(answer["steps"])
            if answer["result"] != "verified":
                result = cast(Literal["rejected", "stopped"], answer["result"])
                return ProofCheck(result, f"{refutation}: {answer['reason']}", clauses, steps)
    except RejectedError as error:
        return ProofCheck("rejected", str(error), clauses, checker.certificate.steps)
    return ProofCheck("verified", "", clauses, steps)


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
