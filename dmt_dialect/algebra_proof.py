"""Writing algebraic certificates: what `dmt_dialect.algebra_checker` checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dynomite._native.aig import Aig
from dynomite._native.sweep import Sweeper
from dynomite.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dynomite._native.algebra import WordComparison
    from dynomite._native.base import Stop

SIDES = ("left", "right")
GROUPS = 5
"""Groups of claims of each word and side; the last is for claims about the word itself."""
_NOT_AND = 0xFFFFFFFF
_ADDER = 2
_FIRST_LIMIT, _GROWTH, _LAST_LIMIT = 100, 10, 10**9

Rows = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class _Claims:
    """Pairs of literals that are to be proved equal, with some nodes as inputs, in a file of their own."""

    name: str
    pairs: Rows
    cut: Sequence[int] = ()


@dataclass(slots=True)
class _Text:
    """A certificate in the making."""

    rows: Rows
    lines: list[str] = field(default_factory=list[str])
    claims: list[_Claims] = field(default_factory=list[_Claims])


class Words:
    """What algebra has proved of one circuit, and the certificate of it."""

    def __init__(self) -> None:
        self._found: list[tuple[tuple[int, ...], WordComparison]] = []

    def note(self, word: tuple[int, ...], result: WordComparison) -> None:
        """Keeps that the word made of these pairs is equal."""
        self._found.append((word, result))

    def write(self, path: str, aig: Aig, pairs: Rows, proved: Collection[int], stop: Stop) -> tuple[str, ...]:
        """Writes a certificate that all pairs are equal, and refutations beside it.

        Args:
            path: Its file; the refutations have longer names.
            aig: The circuit, whose inputs come first.
            pairs: All pairs.
            proved: Pairs that are equal by sweeping; those that no word holds are proved once more, in a
                refutation of their own.
            stop: Ends it.

        Returns:
            The files; none, and nothing is left, if `stop` ended it, or if a pair is neither in a word nor
            proved.

        Raises:
            UsageError: A file cannot be written.
        """
        text = _Text(np.asarray(aig.fanins))
        missing = set(range(len(pairs)))
        chosen = 0
        for word, result in self._found:
            if missing.isdisjoint(word):
                continue
            missing.difference_update(word)
            _add_word(text, aig.num_nodes, pairs[list(word)], result, chosen)
            chosen += 1
        if not missing.issubset(proved):
            return ()
        if missing:
            rest = np.asarray(pairs[sorted(missing)])
            text.lines += [f"e {a} {b}\n" for a, b in rest.tolist()]
            text.claims.append(_Claims("rest0", rest))
        written: list[str] = [path]
        try:
            for claims in text.claims:
                name = f"{path}.{claims.name}"
                written.append(name)
                if not _refute(_with_inputs(text.rows, claims.cut), claims.pairs, name, stop):
                    _remove(written)
                    return ()
            with Path(path).open("w", encoding="ascii") as stream:
                stream.write(f"dynomite-algebra 1\ninputs {aig.num_inputs}\n")
                gates = text.rows[text.rows[:, 0] != _NOT_AND].tolist()
                stream.writelines(f"g {a} {b}\n" for a, b in gates)
                stream.writelines(text.lines)
        except OSError as error:
            _remove(written)
            raise UsageError(f"cannot write the proof {path}: {error.strerror}") from error
        except BaseException:
            _remove(written)
            raise
        return tuple(written)


def _remove(paths: Sequence[str]) -> None:
    for path in paths:
        Path(path).unlink(missing_ok=True)


def _add_word(text: _Text, own: int, pairs: Rows, result: WordComparison, number: int) -> None:
    """Adds the steps of both sides; nodes that the circuit has not (from `own` on) come behind all others."""
    shift = 2 * (len(text.rows) - own)
    text.lines += [f"w {a} {b}\n" for a, b in pairs.tolist()]

    def moved(lits: Rows) -> Rows:
        return np.where(lits >= 2 * own, lits + shift, lits).astype(np.uint32)

    for side, name in enumerate(SIDES):
        gates, equalities, cuts, word, steps = result.explanation(side)
        text.rows = np.vstack([text.rows, moved(gates)])
        # In the order in which the checker meets them: by bits, then by steps.
        different = equalities[equalities[:, 0] != equalities[:, 1]]
        for group, cut in enumerate(cuts):
            chosen = moved(different[different[:, 2] == group, :2])
            if len(chosen):
                # The last one has no cut; a single bit has no other.
                place = GROUPS - 1 if group == len(cuts) - 1 else group
                text.claims.append(_Claims(f"{name}{GROUPS * number + place}", chosen, cut))
        text.lines.append(f"s {' '.join(map(str, moved(np.array(word, dtype=np.uint32)).tolist()))}\n")
        shown = steps.copy()
        shown[:, 1:7] = moved(steps[:, 1:7])
        shown[:, 7] += GROUPS * number
        text.lines += [_line(step) for step in shown.tolist()]


def _line(step: Sequence[int]) -> str:
    kind, *lits = step
    if kind == 0:
        return f"a {lits[0]}\n"
    if kind != _ADDER:
        return f"x {lits[0]} {lits[1]} {lits[2]}\n"
    count = 7 if lits[5] else 5
    return f"c {' '.join(map(str, lits[:count]))}\n"


def _with_inputs(rows: Rows, nodes: Sequence[int]) -> Aig:
    """The circuit with some nodes as inputs: numbers of nodes stay, and what holds there holds for all."""
    cut = rows.copy()
    cut[list(nodes), 0] = _NOT_AND
    inputs = np.nonzero(cut[:, 0] == _NOT_AND)[0][1:]
    cut[inputs, 1] = np.arange(len(inputs))
    return Aig.from_fanins(cut)


def _refute(aig: Aig, pairs: Rows, path: str, stop: Stop) -> bool:
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
