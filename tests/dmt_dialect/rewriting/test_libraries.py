"""Every rule of a library at work: it is applied to what it is made for, and the circuit stays the same."""

from __future__ import annotations

import random

import pytest

from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.rewriting.libraries import library_names, load_library
from dmt_dialect.rewriting.meaning import Meaning, UndefinedError
from dmt_dialect.rewriting.rule_types import NoWords
from dmt_dialect.rewriting.shapes import Constant, Leaf, Operation, Shape, Term, shapes_of
from dmt_dialect.rewriting.widths import Case, Cases, operations_in
from dynomite.ir import Module, parse
from dynomite.rewriting import syntax as s
from dynomite.rewriting.driver import apply_rules
from hw_dialect.builder import context
from hw_dialect.elaborate import lower
from tests.support import naive_rewriting as naive
from tests.support.word_modules import random_design

TRIES = 4000
MODULES = 3


def module_of(shape: Shape, case: Case, values: dict[Term, int]) -> str:
    """A module that is this shape and nothing else."""
    names: dict[Term, str] = {}
    ports: list[str] = []
    lines: list[str] = []
    for operation in operations_in([shape.root]):
        for arg in operation.args:
            if arg in names:
                continue
            width = case.widths[arg]
            if isinstance(arg, Leaf):
                names[arg] = f"%v{len(names)}"
                ports.append(f"IN {names[arg]}:def(wire({width}))")
            elif isinstance(arg, Constant):
                value = values[arg] % (1 << width)
                names[arg] = str(value) if arg.is_number else f"constant({value}, {width})"
        names[operation] = f"%t{len(names)}"
        operands = " ".join(names[arg] for arg in operation.args)
        lines.append(f"{operation.op} {names[operation]}:def(wire({case.widths[operation]})) {operands}")
    lines.append(f'OUT "y" {names[shape.root]}')
    return "using hw\nMODULE @m {\n" + "\n".join([*ports, *lines]) + "\n}\n"


def constants_of(shape: Shape) -> list[Constant]:
    return [arg for op in operations_in([shape.root]) for arg in op.args if isinstance(arg, Constant)]


def chosen(shape: Shape, case: Case, rng: random.Random) -> dict[Term, int]:
    """Values for all constants."""
    values: dict[Term, int] = {}
    for constant in constants_of(shape):
        width = case.widths[constant]
        value = rng.choice((rng.getrandbits(width), 1 << rng.randrange(width), rng.randrange(width + 1)))
        values[constant] = value % (1 << width) if constant.value is None else constant.value
        values[constant] = case.numbers.get(constant, values[constant])
    return values


def fitting(rule: s.Rule, rng: random.Random) -> list[str]:
    """Some modules that the rule is applied to."""
    found: list[str] = []
    tried: list[tuple[Shape, Case]] = []
    shapes = list(shapes_of(rule))
    rng.shuffle(shapes)
    for shape in shapes[:12]:
        tried += [(shape, case) for case in Cases(shape).some((3, 1, 5, 2, 8), 40, rng)]
    for _ in range(TRIES):
        shape, case = rng.choice(tried)
        values = chosen(shape, case, rng)
        meaning = Meaning(rule, shape, case, values, NoWords())
        try:
            fits = meaning.assumptions() is not None
            if fits:
                meaning.claims()
        except UndefinedError:
            continue
        if fits and not any(_changed(rule, shape, meaning)):
            found.append(module_of(shape, case, values))
        if len(found) >= MODULES:
            break
    return found


def _changed(rule: s.Rule, shape: Shape, meaning: Meaning[str]) -> list[bool]:
    """Conditions that the module would not fulfil: constants that should be none, values used twice."""
    bad: list[bool] = []
    for condition in rule.conditions:
        if isinstance(condition, s.Not) and isinstance(condition.condition, s.IsConstant):
            bad.append(isinstance(shape.state.names[condition.condition.name], Constant))
        if isinstance(condition, s.OneUse):
            term = shape.state.names[condition.name]
            uses = [arg for op in operations_in([shape.root]) for arg in op.args if arg is term]
            bad.append(len(uses) != 1 or not isinstance(term, Operation | Leaf))
    bad.append(bool(shape.state.values) and not _equal_values(shape, meaning))
    return bad


def _equal_values(shape: Shape, meaning: Meaning[str]) -> bool:
    return all(
        isinstance(other, Constant) and meaning.values.get(constant) == meaning.values.get(other)
        for constant, other in shape.state.values
    )


def same_circuit(before: Module, after: Module) -> bool:
    return lec(lower(before), lower(after)).status == "equivalent"


RULES = [(name, rule.name) for name in library_names() for rule in load_library(name).rules]


@pytest.mark.parametrize(("library", "name"), RULES)
def test_every_rule_is_applied_and_keeps_the_circuit(library: str, name: str) -> None:
    rule = next(rule for rule in load_library(library).rules if rule.name == name)
    texts = fitting(rule, random.Random(name))
    assert texts
    for text in texts:
        before, module, natively = (parse(text, context()) for _ in range(3))
        assert naive.rewrite(module, rule, limit=1) == [name], text
        assert same_circuit(before, module), text
        assert apply_rules(natively, [rule], limit=1).applied == {name: 1}, text
        assert same_circuit(before, natively), text


@pytest.mark.parametrize("library", library_names())
@pytest.mark.parametrize("seed", range(6))
def test_random_modules_stay_equal(library: str, seed: int) -> None:
    rng = random.Random(seed)
    design = random_design(rng, operators=25, folding=False, registers=rng.randint(0, 1))
    before = lower(design)
    applied = naive.rewrite(design.ir, load_library(library), limit=25)
    assert lec(before, lower(design)).status == "equivalent", applied
