"""What an undecided run leaves has the answer of the question that was asked."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from dmt_dialect.matching import match_ports
from dmt_dialect.miter import build_miter
from dmt_dialect.passes.check_equiv import EngineChoice, lec
from dmt_dialect.residual import Residual, residual_of, write_residual
from dmt_dialect.solve import solve
from dmt_dialect.verdict import Verdict
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite._native.sweep import Sweeper
from dynomite.formats.base import read_circuit, write_circuit
from dynomite.progress import Progress
from dynomite.tools.cli import Exit, main
from tests.support.circuit_pairs import differing_outputs, multiplier, mutated, restructured
from tests.support.generators import random_aig
from tests.support.oracles import evaluate

SUFFIXES = (".aig", ".aag", ".blif", ".bench", ".cnf", ".cnf.gz", ".aig.xz")


def swept_residual(left: Aig, right: Aig, passes: int = 1) -> Residual:
    """What a sweeper with one conflict a query and no simulation of all inputs leaves open."""
    matched = match_ports(left, right)
    miter = build_miter(left, right, matched)
    sweeper = Sweeper(miter.aig, miter.pairs)
    for _ in range(passes):
        sweeper.run(0, Stop())
    return residual_of(miter, matched, np.flatnonzero(sweeper.statuses() == 0).tolist(), sweeper)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("equal", [True, False])
def test_the_file_has_the_answer(suffix: str, equal: bool, tmp_path: Path, rng: random.Random) -> None:
    left, right = multiplier(5, columns_first=True), multiplier(5, columns_first=False)
    if not equal:
        right = mutated(right, rng)
        while not differing_outputs(left, right):
            right = mutated(right, rng)
    # Without a sweeper nothing is merged: all functions that simulation could answer are open still.
    matched = match_ports(left, right)
    miter = build_miter(left, right, matched)
    residual = residual_of(miter, matched, range(len(miter.pairs)), None)
    path = tmp_path / f"left{suffix}"
    write_residual(residual, path, notes=[])
    assert solve(str(path)).status == ("unsat" if equal else "sat")


def test_each_output_is_the_difference(rng: random.Random) -> None:
    """Random pairs, all inputs: output k of the residual is 1 exactly where open function k differs."""
    met = 0
    for _ in range(60):
        inputs = rng.randint(3, 7)
        left = random_aig(rng, inputs, rng.randint(10, 60), 3)
        right = restructured(left, rng)
        if rng.random() < 0.7:
            right = mutated(right, rng)
        residual = swept_residual(left, right)
        if not residual.lits:
            residual = whole(left, right)
        met += 1
        circuit = residual.circuit()
        assert circuit.names("outputs") == list(residual.names.values())
        positions = [int(str(name)[1:]) for name in circuit.names("inputs")]
        for number in range(1 << inputs):
            values = [bool(number >> i & 1) for i in range(inputs)]
            found = evaluate(circuit, [values[i] for i in positions])
            sides = evaluate(left, values), evaluate(right, values)
            assert found == [sides[0][k] != sides[1][k] for k in residual.lits]
    assert met == 60


def whole(left: Aig, right: Aig) -> Residual:
    matched = match_ports(left, right)
    miter = build_miter(left, right, matched)
    return residual_of(miter, matched, range(len(miter.pairs)), None)


def test_sweeping_makes_it_smaller_and_sizes_are_those_of_the_cones() -> None:
    left, right = multiplier(12, columns_first=True), multiplier(12, columns_first=False)
    residual = swept_residual(left, right)
    assert 0 < len(residual.lits) < 24
    sizes = dict(residual.sizes())
    assert list(sizes) == list(residual.lits)
    full = whole(left, right)
    full_sizes = dict(full.sizes())
    for function, size in sizes.items():
        cone = residual.aig.fanin_cone([residual.aig.lit(raw) for raw in residual.lits[function]])
        assert size.ands == sum(node.is_and for node in cone)
        assert size.inputs == sum(node.is_input for node in cone)
        assert size.levels == max(residual.aig.levels()[node.id] for node in cone)
        assert size.ands <= full_sizes[function].ands


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("pair")
    paths = str(folder / "a.aig"), str(folder / "b.aig")
    for path, columns_first in zip(paths, (True, False), strict=True):
        write_circuit(multiplier(7, columns_first=columns_first), path)
    return paths


def cancelled_run(left: str | Aig, right: str | Aig, engine: EngineChoice, path: Path) -> Verdict:
    """A run that is cancelled as soon as an engine is at work."""
    stop = Stop()

    def cancel_at_work(progress: Progress) -> None:
        if progress.doing.startswith(("sweep", "cadical")):
            stop.cancel()

    verdict = lec(left, right, engine=engine, residual=path, cancel=stop, progress=cancel_at_work)
    assert verdict.undecided
    assert verdict.residual == str(path)
    assert "  left of " in str(verdict)
    assert Verdict.from_json(verdict.to_json()) == verdict
    return verdict


@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize("suffix", [".aig", ".cnf"])
def test_clauses_of_a_cancelled_run_go_on(
    suffix: str, equal: bool, pair: tuple[str, str], tmp_path: Path
) -> None:
    left, path = read_circuit(pair[0]), tmp_path / f"left{suffix}"
    verdict = cancelled_run(left if equal else complemented(left), pair[1], "sat", path)
    for output in verdict.with_status("undecided"):
        assert output.residual is not None
        assert output.residual.ands > 0
        assert output.residual.inputs <= 14
    assert solve(str(path)).status == ("unsat" if equal else "sat")


@pytest.mark.parametrize("engine", ["auto", "sweep"])
def test_the_circuit_of_a_cancelled_sweep_goes_on(engine: EngineChoice, tmp_path: Path) -> None:
    """The same verb proves that the outputs of the residual are constant 0, some swept, some not."""
    left = multiplier(64, columns_first=True)
    path = tmp_path / "left.aig"
    verdict = cancelled_run(left, restructured(left, random.Random(3)), engine, path)
    residual = read_circuit(path)
    assert residual.names("outputs") == [o.name for o in verdict.with_status("undecided")]
    zero = Aig()
    zero.add_inputs([str(name) for name in residual.names("inputs")])
    for name in residual.names("outputs"):
        zero.add_output(zero.false, name)
    assert lec(residual, zero, timeout=60).equivalent


def complemented(aig: Aig) -> Aig:
    """The circuit with an edge of its last gate complemented."""
    rows = np.array(aig.fanins)
    rows[-1, 0] ^= 1
    return Aig.from_fanins(rows, aig.literals("outputs"))


def test_nothing_open(pair: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "left.aig"
    verdict = lec(pair[0], pair[0], residual=path)
    assert verdict.residual is None
    assert "no residual was written: nothing is open" in verdict.assumptions
    assert not path.exists()


def test_command(pair: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lec", *pair, "--residual", str(tmp_path / "left.txt")]) == Exit.BAD_INPUT
    assert "unknown suffix '.txt'" in capsys.readouterr().err
    path = tmp_path / "left.blif"
    options = ["--engine", "sat", "--timeout", "0.2", "--residual", str(path)]
    assert main(["lec", *pair, *options]) == Exit.UNDECIDED
    assert "left of o" in capsys.readouterr().out
    assert main(["solve", str(path)]) == Exit.DIFFERENT, "unsatisfiable: equal"


def test_a_difference_survives(pair: tuple[str, str], tmp_path: Path) -> None:
    """The residual of a pair that differs is satisfiable, and its model shows the difference."""
    left = read_circuit(pair[0])
    wrong = complemented(left)
    path = tmp_path / "left.aig"
    write_residual(whole(wrong, read_circuit(pair[1])), path, notes=[])
    answer = solve(str(path))
    assert answer.status == "sat"
    assert answer.model is not None
    values = [bool(answer.model.get(f"i{k}", 0)) for k in range(left.num_inputs)]
    sides = evaluate(wrong, values), evaluate(left, values)
    assert {f"o{k}" for k in range(14) if sides[0][k] != sides[1][k]} == set(answer.properties)
