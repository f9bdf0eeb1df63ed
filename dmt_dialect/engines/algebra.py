"""Answers by algebra: both words of outputs as polynomials in the inputs, in a thread beside the sweeper.

Outputs are taken together as words, by their names or in their order, because carries cancel only between
the bits of a word: a multiplier's outputs are sums of its partial products, whatever adds them up. Nothing
depends on a guess of what the word computes: the polynomial of a word of n bits modulo 2^n is unique. The
native part is `dmt_dialect/native/algebra`.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.engines.problem import Answer
from dmt_dialect.run_log import LogEvent
from dmt_dialect.verdict import EngineRun
from dynomite._native.algebra import WordComparison, compare_words, count_cells
from dynomite._native.base import Stop

if TYPE_CHECKING:
    from dmt_dialect.algebra_proof import Words as Proved
    from dynomite._native.aig import Aig

DELAY = 0.1
"""Beside the sweeper, algebra begins so many seconds later: easy circuits are done by then."""
PROOF_DELAY = 0.02
"""With a proof: sweeping cannot decide small circuits by all assignments then."""
FEWEST_ADDERS = 4
MOST_ANDS_PER_ADDER = 100
"""Circuits with fewer full adders than these are no arithmetic."""
FEWEST_XORS = 16
MOST_ANDS_PER_XOR = 8
ADDERS_ARE_FEW = 8
"""With so many exclusive ors, and so many times as many as adders, bits are tried one by one, too."""
MOST_FAILURES = 3
"""Bits that may meet the limits before no more are tried."""
MOST_ANDS = 500_000
"""Beside the sweeper, larger circuits are left to it: looking for adders takes 200 bytes a node."""
MOST_BITS = 1024
"""Wider words are not tried."""
BIT_TERMS, BIT_MONOMIALS = 20_000, 300_000
"""Limits for a single bit; the circuits that have any hope stay far below."""
_INDEXED = re.compile(r"(.*?)([0-9]{1,6})(\D?)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Words:
    """What is to be compared.

    Attributes:
        aig: Holds both sides.
        pairs: One row a pair.
        words: Rows of each word, bit 0 first, in the order in which they are tried.
        always: Try even if the circuit does not look like arithmetic, and at once.
        proved: Told what was proved, and how, if that is wanted.
    """

    aig: Aig
    pairs: NDArray[np.uint32]
    words: tuple[tuple[int, ...], ...]
    always: bool
    proved: Proved | None = None


@dataclass(frozen=True, slots=True)
class WordsRound:
    """What algebra has to tell.

    Attributes:
        kind: "start", a "round" for each word, "ended".
        text: The same in words.
        run: Of the word.
        answers: For the word's pairs.
    """

    kind: LogEvent
    text: str
    run: EngineRun | None = None
    answers: tuple[Answer, ...] = ()


def indexed_words(names: Sequence[str]) -> list[tuple[int, ...]]:
    """Names that are the same but for a number at the end, as positions by that number.

    >>> indexed_words(["p1", "p0", "q[0]"])
    [(1, 0), (2,)]
    """
    groups: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for position, name in enumerate(names):
        match = _INDEXED.fullmatch(name)
        stem, number, end = (match[1], int(match[2]), match[3]) if match else (name, 0, "")
        groups.setdefault((stem, end), []).append((number, position))
    return [tuple(position for _, position in sorted(group)) for group in groups.values()]


def words_of(names: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """The words that outputs of these names may form, as positions.

    Names that end in numbers are bits of a word; then all together in their order, and the other way round.

    >>> words_of(["p1", "p0", "q[0]"])
    ((1, 0), (2,), (0, 1, 2), (2, 1, 0))
    """
    words = indexed_words(names)
    order = tuple(range(len(names)))
    if len(words) == len(names):
        words = []
    words += [order, order[::-1]]
    return tuple(word for word in dict.fromkeys(words) if 0 < len(word) <= MOST_BITS)


class AlgebraThread:
    """Tries words one after the other in a thread of its own."""

    def __init__(self, words: Words, post: Callable[[WordsRound | BaseException], None]) -> None:
        self._stop = Stop()
        self._words = words
        self._post = post
        self._begin = threading.Event()
        self._over = 0.0
        self._xors = False
        self._thread = threading.Thread(target=self._run, name="dynomite-algebra", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Ends it as soon as possible; returns at once."""
        self._stop.cancel()
        self._begin.set()

    def join(self) -> float:
        """Waits for the thread; when it was over."""
        self._thread.join()
        return self._over

    def _run(self) -> None:
        try:
            if not self._words.always:
                self._begin.wait(DELAY if self._words.proved is None else PROOF_DELAY)
            reason = self._reason_against()
            if reason is None:
                count = len(self._words.words)
                self._post(
                    WordsRound("start", f"the circuits are arithmetic by their gates: {count} words to try")
                )
                self._try_words()
            if not self._stop.poll():
                self._post(WordsRound("ended", reason or "there are no more words"))
        except BaseException as error:  # raised again by the thread that waits for the answers
            self._post(error)
        finally:
            self._over = time.monotonic()

    def _reason_against(self) -> str | None:
        """Why there is nothing to try; None if there is."""
        if self._words.always:
            return None
        if self._stop.poll():
            return "stopped before it began"
        ands = self._words.aig.num_ands
        if ands > MOST_ANDS:
            return f"not begun: {ands} ANDs are more than {MOST_ANDS}"
        adders, xors = count_cells(self._words.aig, stop=self._stop)
        self._xors = xors >= FEWEST_XORS and xors * MOST_ANDS_PER_XOR >= ands
        if adders >= FEWEST_ADDERS and adders * MOST_ANDS_PER_ADDER >= ands:
            self._xors = self._xors and adders * ADDERS_ARE_FEW < xors
            return None
        if self._xors:
            return None
        return f"not begun: {adders} full adders and {xors} XORs among {ands} ANDs"

    def _try_words(self) -> None:
        known: set[int] = set()
        different: list[set[int]] = []
        if self._xors:
            known = self._try_bits(range(len(self._words.pairs)))
        for word in self._words.words:
            if known.issuperset(word) or set(word) in different or self._stop.poll():
                continue
            answered = self._compare(word)
            known |= answered
            if answered and not answered.issuperset(word):
                different.append(set(word))
        if self._words.always:
            self._try_bits([pair for pair in range(len(self._words.pairs)) if pair not in known])

    def _try_bits(self, pairs: Sequence[int]) -> set[int]:
        """A single bit is a word, too, modulo 2: sums of products become polynomials where XOR is plus."""
        start, failures = time.monotonic(), 0
        answers: list[Answer] = []
        for pair in pairs:
            if self._stop.poll() or failures == MOST_FAILURES:
                break
            row = self._words.pairs[[pair]]
            found = compare_words(
                self._words.aig,
                row,
                most_terms=BIT_TERMS,
                most_monomials=BIT_MONOMIALS,
                explain=self._words.proved is not None,
                stop=self._stop,
            )
            self._note((pair,), found)
            if found.status == "undecided":
                failures += 1
            else:
                values = found.counterexample if found.status == "different" else None
                answers.append(Answer(pair, equal=values is None, values=values))
        equal = sum(answer.equal for answer in answers)
        seconds = time.monotonic() - start
        outcome = "stopped" if self._stop.poll() else "done" if len(answers) == len(pairs) else "limit"
        run = EngineRun("algebra", outcome, equal, len(answers) - equal, seconds, {"bits": 1})
        text = (
            f"{len(pairs)} bits one by one: {equal} equal, {len(answers) - equal} different, {seconds:.3f} s"
        )
        self._post(WordsRound("round", text, run, tuple(answers)))
        return {answer.pair for answer in answers}

    def _note(self, word: tuple[int, ...], result: WordComparison) -> None:
        """Keeps how equality was proved; what was stopped has no explanation."""
        if self._words.proved is not None and result.status == "equal" and not self._stop.poll():
            self._words.proved.note(word, result)

    def _compare(self, word: tuple[int, ...]) -> set[int]:
        """Compares one word; the pairs that have an answer."""
        start = time.monotonic()
        aig, pairs = self._words.aig, self._words.pairs[list(word)]
        result = compare_words(aig, pairs, explain=self._words.proved is not None, stop=self._stop)
        self._note(word, result)
        answers: list[Answer] = []
        if result.status == "equal":
            answers = [Answer(pair, equal=True) for pair in word]
        elif result.status == "different":
            values = result.counterexample
            answers = [Answer(word[bit], equal=False, values=values) for bit in result.differing]
        outcome = "done" if answers else "stopped" if self._stop.poll() else "limit"
        equal = len(word) if result.status == "equal" else 0
        stats: dict[str, int | float] = {**result.stats(), "bits": len(word)}
        seconds = time.monotonic() - start
        run = EngineRun("algebra", outcome, equal, len(answers) - equal, seconds, stats)
        text = f"a word of {len(word)} bits: {result.status}, {seconds:.3f} s"
        self._post(WordsRound("round", text, run, tuple(answers)))
        return {answer.pair for answer in answers}
