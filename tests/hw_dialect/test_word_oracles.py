"""Random modules: words simulated by the table = the AIG simulated = z3 on the SMT-LIB text."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hw_dialect.elaborate import elaborate, lower, modules
from hw_dialect.formats.smtlib import smtlib_text
from hw_dialect.simulate import simulate_words
from tests.support.smt_check import z3_answer
from tests.support.word_modules import random_design, random_stimuli, simulate_aig

SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)


def check_with_z3(text: str, values: dict[str, int], widths: dict[str, int], outputs: dict[str, int]) -> None:
    """With these inputs no output can have another value."""
    equal = [f"(assert (= {name} (_ bv{value} {widths[name]})))" for name, value in values.items()]
    other = " ".join(f"(distinct {name} (_ bv{value} {widths[name]}))" for name, value in outputs.items())
    claim = f"(assert (or false {other}))"
    assert z3_answer("\n".join([text, *equal, claim])) == "unsat"


@SETTINGS
@given(st.integers(0, 1 << 32), st.sampled_from([3, 8, 20, 70]), st.booleans())
def test_combinational(seed: int, most: int, folding: bool) -> None:
    rng = random.Random(seed)
    design = random_design(rng, most=most, folding=folding)
    info = modules(design)[0]
    net = elaborate(design)
    stimuli = random_stimuli(rng, info.inputs, 8)
    words = simulate_words(net, stimuli).outputs
    assert simulate_aig(lower(net), stimuli) == words
    text = smtlib_text(net)
    for stimulus, outputs in list(zip(stimuli, words, strict=True))[:2]:
        check_with_z3(text, stimulus, info.inputs | info.outputs, outputs)


@SETTINGS
@given(st.integers(0, 1 << 32))
def test_folding_changes_nothing(seed: int) -> None:
    results: list[list[dict[str, int]]] = []
    for folding in (True, False):
        rng = random.Random(seed)
        design = random_design(rng, operators=20, folding=folding)
        results.append(simulate_words(design, random_stimuli(rng, modules(design)[0].inputs, 6)).outputs)
    assert results[0] == results[1]


@SETTINGS
@given(st.integers(0, 1 << 32))
def test_sequential(seed: int) -> None:
    rng = random.Random(seed)
    design = random_design(rng, operators=10, registers=rng.randint(1, 4))
    net = elaborate(design)
    stimuli = random_stimuli(rng, modules(design)[0].inputs, 12)
    assert simulate_aig(lower(net), stimuli) == simulate_words(net, stimuli).outputs


@pytest.mark.parametrize(
    "architecture", ["adder=kogge-stone,multiplier=booth", "adder=brent-kung,divider=non-restoring"]
)
def test_architectures_agree(architecture: str, rng: random.Random) -> None:
    for _ in range(5):
        design = random_design(rng, operators=15)
        stimuli = random_stimuli(rng, modules(design)[0].inputs, 8)
        plain, other = lower(design), lower(design, architecture=architecture)
        assert simulate_aig(plain, stimuli) == simulate_aig(other, stimuli)
