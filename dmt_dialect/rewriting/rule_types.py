"""Whether the widths in a rule about word operators can fit, asked when it is declared."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

from dmt_dialect.rewriting.meaning import IllTypedError, Meaning, UndefinedError, enumerated_names
from dmt_dialect.rewriting.shapes import Constant, Leaf, NotWordsError, Shape, Term, shapes_of
from dmt_dialect.rewriting.widths import Case, Cases
from dynomite.rewriting import syntax as s

WIDEST = 6
CASES_A_SHAPE = 24
CASES = 200


class NoWords:
    """A backend that computes nothing: only widths are looked at."""

    def constant(self, value: int, width: int) -> str:
        """Nothing."""
        del value, width
        return ""

    def input(self, name: str, width: int) -> str:
        """Nothing."""
        del name, width
        return ""

    def apply(self, op: str, words: Sequence[str], width: int, high: int = 0, low: int = 0) -> str:
        """Nothing."""
        del op, words, width, high, low
        return ""


def enumerated_terms(rule: s.Rule, shape: Shape) -> list[Term]:
    """Constants of a shape whose values have to be chosen before anything is built."""
    found: dict[Term, None] = {}
    for name in sorted(enumerated_names(rule)):
        bound = shape.state.names.get(name)
        if isinstance(bound, Leaf) or (
            isinstance(bound, Constant) and bound.value is None and not bound.is_number
        ):
            found[bound] = None
    return list(found)


def type_problems(rule: s.Rule) -> Iterator[str]:
    """What is wrong with the widths of a rule: at most one complaint.

    Rules about operations that are no word operators are not looked at.

    Cost: some hundred small cases.
    """
    fits = False
    looked = 0
    try:
        for shape in shapes_of(rule):
            for meaning in itertools.islice(_meanings(rule, shape), CASES_A_SHAPE):
                looked += 1
                fits = True
                try:
                    meaning.claims()
                except IllTypedError as error:
                    yield f"{error} ({widths_text(meaning.shape, meaning.case)})"
                    return
                except UndefinedError:
                    continue
            if looked > CASES:
                break
    except NotWordsError:
        return
    if not fits:
        yield "it cannot match: no widths and no constants fit"


def _meanings(rule: s.Rule, shape: Shape) -> Iterator[Meaning[str]]:
    cases = Cases(shape)
    terms = enumerated_terms(rule, shape)
    large = cases.some((16, 17, 24, 32, 64, 128), 60, random.Random(1))
    for case in itertools.chain(cases.all(WIDEST), large):
        choices = [range(min(1 << case.widths[term], 70)) for term in terms]
        for values in itertools.product(*choices):
            meaning = Meaning(rule, shape, case, dict(zip(terms, values, strict=True)), NoWords())
            try:
                if meaning.assumptions() is not None:
                    yield meaning
            except UndefinedError:
                continue


def widths_text(shape: Shape, case: Case) -> str:
    """The widths of named operands, for messages."""
    named = {
        name: case.widths[bound]
        for name, bound in shape.state.names.items()
        if isinstance(bound, Leaf | Constant) and bound in case.widths
    }
    return ", ".join(f"width(%{name}) = {width}" for name, width in named.items()) or "any widths"
