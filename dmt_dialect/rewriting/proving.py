"""Rules proved: both sides compared for every shape, width and constant, by circuits and by z3.

    >>> from dmt_dialect.rewriting.libraries import read_rules
    >>> from dmt_dialect.rewriting.proving import check_rule
    >>> rules = read_rules(
    ...     "using op; let r = InstrPat { match { ADD %d:def, %x, %x } emit { REPLACE_USES %d, %x } }"
    ... )
    >>> report = check_rule(rules.rules[0])
    >>> report.status, report.counterexample.values
    ('wrong', {'x': (1, 1)})

At widths up to 8 all cases go through the equivalence check of this project, at widths from 16 to 64 some go
to z3. Conditions that say nothing about values (`one_use`, Python functions) are left out: the rule has to
hold without them.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from dmt_dialect.aig import Aig
from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.rewriting.backends import Gates, Terms, Values
from dmt_dialect.rewriting.meaning import (
    Claim,
    IllTypedError,
    Meaning,
    UndefinedError,
)
from dmt_dialect.rewriting.rule_types import NoWords, enumerated_terms, widths_text
from dmt_dialect.rewriting.shapes import Constant, Leaf, NotWordsError, Shape, Term, shapes_of
from dmt_dialect.rewriting.widths import Case, Cases
from dynomite._native.base import Stop
from dynomite.errors import UsageError
from dynomite.rewriting import syntax as s

SMALL = 8
LARGE = (16, 17, 24, 32, 47, 64)
CASES_A_CIRCUIT = 200
MOST_CASES = 40_000
MOST_VALUES = 1 << 16
LARGE_CASES = 60
TRIED_CASES = 400
TRIED_VALUES = 60
Z3_SECONDS = 60.0
CIRCUIT_SECONDS = 300.0

Status: TypeAlias = Literal["proved", "wrong", "undecided"]


@dataclass(frozen=True)
class RuleCounterexample:
    """Where both sides of a rule differ.

    Attributes:
        widths: By name of operand.
        values: Value and width by name; operands without a name are called v0, v1...
        left: What the matched instruction computes.
        right: What replaces it.
    """

    widths: Mapping[str, int]
    values: Mapping[str, tuple[int, int]]
    left: int
    right: int

    def __str__(self) -> str:
        """`x = 1 (4 bits), ...: matched 2, replaced by 1`."""
        inputs = ", ".join(
            f"{name} = {value} ({width} bit{'' if width == 1 else 's'})"
            for name, (value, width) in self.values.items()
        )
        return f"{inputs or 'always'}: the match computes {self.left}, what replaces it {self.right}"


@dataclass(frozen=True)
class RuleReport:
    """What is known of one rule.

    Attributes:
        name: The rule's.
        status: "proved", "wrong", or "undecided".
        reason: Why it is not proved.
        counterexample: Where it is wrong, if both sides differ.
        small_cases: Choices of shapes, widths up to 8 and constants that were compared.
        large_cases: The same at widths from 16 to 64.
        location: Where it is written.
        seconds: Time it took.
    """

    name: str
    status: Status
    reason: str = ""
    counterexample: RuleCounterexample | None = None
    small_cases: int = 0
    large_cases: int = 0
    location: s.SourceLocation | None = None
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        cex = self.counterexample
        return {
            "name": self.name,
            "status": self.status,
            "reason": self.reason,
            "counterexample": None
            if cex is None
            else {
                "values": {name: {"value": v, "width": w} for name, (v, w) in cex.values.items()},
                "left": cex.left,
                "right": cex.right,
            },
            "small_cases": self.small_cases,
            "large_cases": self.large_cases,
            "location": None if self.location is None else list(self.location),
            "seconds": round(self.seconds, 3),
        }


@dataclass
class _Progress:
    """Counts, and what is left open."""

    small: int = 0
    large: int = 0
    open_reason: str = ""
    dropped: list[s.Condition] = field(default_factory=list[s.Condition])


@dataclass(frozen=True)
class _Instance:
    """One thing to compare."""

    shape: Shape
    case: Case
    values: dict[Term, int]


class _WrongError(Exception):
    def __init__(self, reason: str, cex: RuleCounterexample | None = None) -> None:
        super().__init__(reason)
        self.cex = cex


def check_rule(rule: s.Rule, *, seed: int = 1, stop: Stop | None = None) -> RuleReport:
    """Proves a rule sound, or shows where it is not.

    Args:
        rule: About word operators; others are undecided.
        seed: Chooses the cases at large widths.
        stop: Ends the work early; what is left is undecided.

    Cost: grows with the number of width variables and constants that are enumerated; at most `MOST_CASES`
    cases of widths up to 8.
    """
    start = time.monotonic()
    progress = _Progress()
    status: Status = "proved"
    reason = ""
    cex: RuleCounterexample | None = None
    try:
        _check(rule, progress, random.Random(seed), stop or Stop())
        if rule.do is not None:
            status, reason = "undecided", "it calls a Python function that may do anything"
        elif progress.open_reason:
            status, reason = "undecided", progress.open_reason
    except NotWordsError as error:
        status, reason = "undecided", str(error)
    except _WrongError as error:
        status, reason, cex = "wrong", str(error), error.cex
        if any(isinstance(one, s.PythonCondition) for one in progress.dropped):
            status, reason = "undecided", f"it depends on a Python condition; without it: {reason}"
        elif progress.dropped:
            reason += " (one_use and the like were not taken into account)"
    return RuleReport(
        rule.name,
        status,
        reason,
        cex,
        progress.small,
        progress.large,
        rule.location,
        time.monotonic() - start,
    )


def _check(rule: s.Rule, progress: _Progress, rng: random.Random, stop: Stop) -> None:
    if not rule.emits and rule.do is None:
        raise _WrongError("it does nothing")
    shapes = list(shapes_of(rule))
    fitting = False
    for shape in shapes:
        cases = Cases(shape)
        small = cases.all(SMALL)
        instances = _instances(rule, shape, small, progress)
        for batch in _batches(instances):
            fitting = True
            _prove_by_circuits(rule, batch, progress, stop)
        count = max(2, min(12, LARGE_CASES // len(shapes)))
        for instance in _some_instances(rule, shape, cases, rng, count):
            fitting = True
            _prove_by_z3(rule, instance, progress, stop)
        if stop.poll():
            progress.open_reason = "it was stopped"
            return
    if not fitting:
        raise _WrongError("no widths and constants fit its pattern and conditions: it never applies")


def _instances(rule: s.Rule, shape: Shape, cases: Iterator[Case], progress: _Progress) -> Iterator[_Instance]:
    terms = enumerated_terms(rule, shape)
    made = 0
    for case in cases:
        bits = sum(case.widths[term] for term in terms)
        if 1 << bits > MOST_VALUES:
            progress.open_reason = f"there are more than {MOST_VALUES} choices of constants"
            return
        for values in itertools.product(*(range(1 << case.widths[term]) for term in terms)):
            chosen = dict(zip(terms, values, strict=True))
            if terms and not _may_apply(rule, shape, case, chosen):
                continue
            made += 1
            if made > MOST_CASES:
                progress.open_reason = f"there are more than {MOST_CASES} cases"
                return
            yield _Instance(shape, case, chosen)


def _may_apply(rule: s.Rule, shape: Shape, case: Case, chosen: dict[Term, int]) -> bool:
    """Conditions that are decided by the chosen constants alone; the others count as true."""
    meaning = Meaning(rule, shape, case, chosen, NoWords())
    try:
        return meaning.assumptions() is not None
    except UndefinedError:
        return False


def _some_instances(
    rule: s.Rule, shape: Shape, cases: Cases, rng: random.Random, count: int
) -> Iterator[_Instance]:
    terms = enumerated_terms(rule, shape)
    made = 0
    for case in cases.some(LARGE, TRIED_CASES, rng):
        tried: set[tuple[int, ...]] = set()
        for _ in range(TRIED_VALUES if terms else 1):
            values = tuple(_interesting(case.widths[term], rng) for term in terms)
            if values in tried:
                continue
            tried.add(values)
            chosen = dict(zip(terms, values, strict=True))
            if _may_apply(rule, shape, case, chosen):
                yield _Instance(shape, case, chosen)
                made += 1
                break
        if made >= count:
            return


def _interesting(width: int, rng: random.Random) -> int:
    kind = rng.randrange(4)
    if kind == 0:
        return 1 << rng.randrange(width)
    if kind == 1:
        return (1 << rng.randrange(width + 1)) - 1
    if kind == 2:
        return rng.randrange(min(1 << width, 2 * width))
    return rng.getrandbits(width)


def _batches(instances: Iterator[_Instance]) -> Iterator[list[_Instance]]:
    while batch := list(itertools.islice(instances, CASES_A_CIRCUIT)):
        yield batch


# By circuits.


def _prove_by_circuits(rule: s.Rule, batch: list[_Instance], progress: _Progress, stop: Stop) -> None:
    left, right = Gates(), Gates()
    where: dict[str, tuple[_Instance, int]] = {}
    for number, instance in enumerate(batch):
        sides: list[list[Any]] = []
        for gates, chosen in ((left, 0), (right, 1)):
            sides.append(_one_side(rule, instance, gates, f"c{number}.", chosen, progress))
        if not sides[0]:
            continue
        for index, (a, b) in enumerate(zip(*sides, strict=True)):
            for bit, (x, y) in enumerate(zip(a, b, strict=True)):
                name = f"c{number}.{index}[{bit}]"
                left.aig.add_output(x, name)
                right.aig.add_output(y, name)
                where[name] = (instance, number)
    progress.small += len(batch)
    if not where:
        return
    verdict = lec(left.aig, right.aig, match="name", free_inputs=True, cancel=stop, timeout=CIRCUIT_SECONDS)
    for output in verdict.outputs:
        if output.status == "different":
            assert output.counterexample is not None
            instance, number = where[output.name]
            raise _wrong_at(rule, instance, output.counterexample.inputs, f"c{number}.")
    if verdict.status != "equivalent":
        progress.open_reason = "the equivalence check was undecided at widths up to 8"


def _one_side(
    rule: s.Rule, instance: _Instance, gates: Gates, prefix: str, side: int, progress: _Progress
) -> list[Any]:
    """The words of one side, 0 where the rule does not apply; none if it never does."""
    meaning = Meaning(rule, instance.shape, instance.case, instance.values, gates, prefix)
    for name, (_, width) in meaning.inputs.items():
        if meaning.inputs[name][0] not in instance.values:
            gates.input(name, width)
    claims, bits = _claims(meaning, progress)
    if claims is None:
        return []
    words: list[Any] = []
    for claim in claims:
        word: Any = claim[side]
        for bit in bits:
            mask = gates.apply("REPEAT", [bit], claim.width)
            word = gates.apply("AND", (word, mask), claim.width)
        words.append(_literals(gates.aig, word))
    return words


def _literals(aig: Aig, word: Any) -> list[Any]:
    if hasattr(word, "binary"):
        return [aig.true if bit == "1" else aig.false for bit in reversed(word.binary)]
    return list(word)


def _claims(meaning: Meaning[Any], progress: _Progress) -> tuple[list[Claim[Any]] | None, list[Any]]:
    try:
        bits = meaning.assumptions()
        if bits is None:
            return None, []
        claims = meaning.claims()
    except UndefinedError:
        return None, []
    except IllTypedError as error:
        widths = widths_text(meaning.shape, meaning.case)
        raise _WrongError(f"it builds what does not fit, with {widths}: {error}") from None
    finally:
        for one in meaning.dropped:
            if one not in progress.dropped:
                progress.dropped.append(one)
    return claims, bits


def _named(shape: Shape) -> dict[Term, str]:
    found: dict[Term, str] = {}
    for name, bound in shape.state.names.items():
        if isinstance(bound, Leaf | Constant):
            found[bound] = name
        elif isinstance(bound, tuple):
            found.update({term: f"{name}[{index}]" for index, term in enumerate(bound)})
    return found


def _wrong_at(rule: s.Rule, instance: _Instance, bits: Mapping[str, Any], prefix: str) -> _WrongError:
    """Computes both sides anew with plain values, which confirms the counterexample."""
    values: dict[str, int] = {}
    probe = Meaning(rule, instance.shape, instance.case, instance.values, Values({}), prefix)
    for name, (_, width) in probe.inputs.items():
        names = [name] if width == 1 else [f"{name}[{bit}]" for bit in range(width)]
        values[name] = sum(int(bits.get(bit) or 0) << index for index, bit in enumerate(names))
    return _wrong_with(rule, instance, values, prefix)


def _wrong_with(rule: s.Rule, instance: _Instance, values: dict[str, int], prefix: str) -> _WrongError:
    meaning = Meaning(rule, instance.shape, instance.case, instance.values, Values(values), prefix)
    assumed = meaning.assumptions()
    if assumed is None or any(int(bit) == 0 for bit in assumed):
        raise AssertionError("the counterexample does not fulfil the conditions")
    differing = [claim for claim in meaning.claims() if int(claim.left) != int(claim.right)]
    if not differing:
        raise AssertionError("the counterexample is none")
    named = _named(instance.shape)
    shown: dict[str, tuple[int, int]] = {}
    for name, (term, width) in meaning.inputs.items():
        if isinstance(term, Constant) and term.value is not None:
            continue
        value = values.get(name, 0)
        if term in instance.values:
            value = instance.values[term]
        elif isinstance(term, Constant) and term in instance.case.numbers:
            value = instance.case.numbers[term]
        shown[named.get(term, name.removeprefix(prefix))] = (value, width)
    cex = RuleCounterexample(
        {name: width for name, (_, width) in shown.items()},
        shown,
        int(differing[0].left),
        int(differing[0].right),
    )
    return _WrongError("both sides differ", cex)


# By z3.


def _prove_by_z3(rule: s.Rule, instance: _Instance, progress: _Progress, stop: Stop) -> None:
    terms = Terms()
    z3 = terms.z3
    meaning = Meaning(rule, instance.shape, instance.case, instance.values, terms)
    claims, bits = _claims(meaning, progress)
    if claims is None or stop.poll():
        return
    progress.large += 1
    for claim in claims:
        solver = z3.SolverFor("QF_BV")
        solver.set("timeout", int(Z3_SECONDS * 1000))
        for bit in bits:
            solver.add(bit == 1)
        solver.add(claim.left != claim.right)
        found = solver.check()
        if found == z3.sat:
            model = solver.model()
            values = {
                name: model.eval(word, model_completion=True).as_long() for name, word in terms.inputs.items()
            }
            raise _wrong_with(rule, instance, values, "")
        if found != z3.unsat:
            progress.open_reason = f"z3 was undecided at {widths_text(meaning.shape, meaning.case)}"


def check_rules(rules: s.RuleSet, *, seed: int = 1, stop: Stop | None = None) -> Iterator[RuleReport]:
    """Checks one rule after the other.

    Raises:
        UsageError: There are no rules.
    """
    if not rules.rules:
        raise UsageError("there are no rules to check")
    for rule in rules.rules:
        yield check_rule(rule, seed=seed, stop=stop)
