"""The engines of worker processes, called in this process; what crosses the pipe."""

from __future__ import annotations

import io
import random
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from dmt_dialect.bdd.backends import Backend, NativeManager, installed_backends
from dmt_dialect.engines import bdd, sat, smt
from dmt_dialect.engines.problem import Answer, ConeWalker, Problem, Report
from dmt_dialect.matching import match_ports
from dmt_dialect.miter import build_miter
from dynomite._native.aig import Aig
from tests.support.circuit_pairs import differing_outputs, mutated, restructured
from tests.support.generators import random_aig
from tests.support.oracles import evaluate_nodes, lit_value

ENGINES: list[ModuleType] = [sat, bdd, smt]


def problem_of(left: Aig, right: Aig) -> Problem:
    miter = build_miter(left, right, match_ports(left, right))
    return Problem(miter.aig.fanins, miter.aig.num_inputs, miter.pairs)


def check(problem: Problem, answers: list[Answer], wrong: set[int]) -> None:
    assert sorted(a.pair for a in answers) == list(range(len(problem.pairs)))
    assert {a.pair for a in answers if not a.equal} == wrong
    aig = Aig.from_fanins(np.array(problem.fanins))
    for answer in answers:
        if answer.equal:
            assert answer.values is None
            continue
        assert answer.values is not None
        values = evaluate_nodes(aig, [bool(v) for v in answer.values])
        a, b = problem.pairs[answer.pair].tolist()
        assert lit_value(values, a) != lit_value(values, b)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda m: m.__name__.rpartition(".")[2])
def test_answers_against_exhaustion(engine: Any, rng: random.Random) -> None:
    for kind in range(9):
        left = random_aig(rng, rng.randrange(1, 7), 40, 5)
        right = restructured(left, rng) if kind % 3 else mutated(left, rng)
        if kind % 3 == 2:
            right = mutated(right, rng)
        problem = problem_of(left, right)
        report = Report()
        check(problem, list(engine.solve(problem, report)), differing_outputs(left, right))
        assert report.outcome == "done"


@pytest.mark.parametrize("engine", ENGINES, ids=lambda m: m.__name__.rpartition(".")[2])
def test_constants_inputs_and_repeated_pairs(engine: Any) -> None:
    aig = Aig()
    a, b = aig.add_inputs(2)
    gate = a & b
    lits = [
        (0, 0),
        (0, 1),
        (a.raw, a.raw),
        (a.raw, (~a).raw),
        (a.raw, b.raw),
        (gate.raw, a.raw),
        (gate.raw, a.raw),
    ]
    problem = Problem(aig.fanins, 2, np.array(lits, dtype=np.uint32))
    check(problem, list(engine.solve(problem, Report())), {1, 3, 4, 5, 6})
    nothing = Problem(aig.fanins, 2, np.zeros((0, 2), dtype=np.uint32))
    assert list(engine.solve(nothing, Report())) == []


@pytest.mark.parametrize("backend", installed_backends())
def test_decision_diagrams_of_any_package(backend: Backend, rng: random.Random) -> None:
    for _ in range(3):
        left = random_aig(rng, 6, 40, 5)
        right = mutated(left, rng)
        problem, report = problem_of(left, right), Report()
        check(problem, list(bdd.solve(problem, report, backend=backend)), differing_outputs(left, right))
        assert report.stats["nodes"] > 0


def wide_problem(rng: random.Random) -> Problem:
    left = random_aig(rng, 40, 3000, 30)
    return problem_of(left, restructured(left, rng))


def test_decision_diagrams_give_up_at_the_node_limit(rng: random.Random) -> None:
    report = Report()
    problem = wide_problem(rng)
    answers = list(bdd.solve(problem, report, node_limit=500))
    assert report.outcome == "limit"
    assert len(answers) < len(problem.pairs)
    assert all(a.equal for a in answers)


def test_other_errors_of_decision_diagrams_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(NativeManager):
        def declare(self, names: Iterable[str]) -> None:
            raise ValueError(f"no such variable {names}")

    def broken(*_arguments: Any, **_options: Any) -> Broken:
        return Broken()

    monkeypatch.setattr(bdd, "open_manager", broken)
    aig = Aig()
    a = aig.add_input()
    problem = Problem(aig.fanins, 1, np.array([[a.raw, 0]], dtype=np.uint32))
    with pytest.raises(ValueError, match="no such variable"):
        list(bdd.solve(problem, Report()))


def test_sat_rises_its_budget(monkeypatch: pytest.MonkeyPatch, rng: random.Random) -> None:
    monkeypatch.setattr(sat, "_FIRST_BUDGET", 1)
    left = random_aig(rng, 12, 300, 8)
    right = restructured(left, rng)
    problem = problem_of(left, right)
    check(problem, list(sat.solve(problem, Report())), set())


def test_a_problem_survives_the_pipe(rng: random.Random) -> None:
    left = random_aig(rng, 6, 40, 5)
    problem = problem_of(left, mutated(left, rng))
    pipe = io.BytesIO()
    problem.write(pipe, engine="cadical", limit=3)
    pipe.seek(0)
    again, options = Problem.read(pipe)
    assert options == {"engine": "cadical", "limit": 3}
    assert again.inputs == problem.inputs
    assert (again.fanins == problem.fanins).all()
    assert (again.pairs == problem.pairs).all()
    pipe.seek(0)
    with pytest.raises(EOFError):
        Problem.read(io.BytesIO(pipe.getvalue()[:-1]))


def test_cones_are_walked_once_fanins_first_and_without_recursion() -> None:
    aig = Aig()
    a, b = aig.add_inputs(2)
    unused = a & ~b
    lit = a
    for k in range(50_000):
        lit = ~(lit & (b if k % 2 else a))
    problem = Problem(aig.fanins, 2, np.zeros((0, 2), dtype=np.uint32))
    cones = ConeWalker(problem)
    seen: set[int] = set()
    for node, first, second in cones.new_nodes(lit.raw, a.raw):
        assert node not in seen
        if first != 0xFFFFFFFF:
            assert {first >> 1, second >> 1} <= seen
        seen.add(node)
    assert unused.raw >> 1 not in seen or unused.raw >> 1 == lit.raw >> 1
    assert list(cones.new_nodes(lit.raw)) == []
