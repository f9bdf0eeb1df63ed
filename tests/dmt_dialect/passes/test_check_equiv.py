"""`lec` against exhaustion, another solver and binary decision diagrams; its limits and its evidence."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dmt_dialect.counterexample import Confirmer
from dmt_dialect.engines import race as race_module
from dmt_dialect.engines.problem import Answer, Problem, Report
from dmt_dialect.matching import match_ports
from dmt_dialect.miter import build_miter
from dmt_dialect.passes import check_equiv
from dmt_dialect.passes.check_equiv import EngineChoice, lec
from dmt_dialect.verdict import Verdict
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite._native.sweep import Sweeper, append, check_proof
from dynomite.errors import ParseError, UsageError
from dynomite.formats.base import write_circuit
from dynomite.progress import Progress
from tests.support.circuit_pairs import (
    differing_outputs,
    gates,
    miter_is_satisfiable,
    multiplier,
    mutated,
    restructured,
    shows_difference,
)
from tests.support.generators import random_aig
from tests.support.patience import patience
from tests.support.shared_data import REPOSITORY

ENGINES: tuple[EngineChoice, ...] = ("auto", "sweep", "algebra", "sat", "bdd", "smt")
NATIVE: tuple[EngineChoice, ...] = ("auto", "sweep", "algebra")


@pytest.fixture
def no_worker_is_left() -> Iterator[None]:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    yield
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    assert not left
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("dynomite-")]


def check(verdict: Verdict, left: Aig, right: Aig, rng: random.Random) -> None:
    """Compares a verdict with the answer by exhaustion, and tries its counterexamples."""
    wrong = differing_outputs(left, right)
    assert {int(o.name[1:]) for o in verdict.with_status("different")} == wrong
    assert not verdict.with_status("undecided")
    assert verdict.status == ("different" if wrong else "equivalent")
    for output in verdict.with_status("different"):
        assert output.counterexample is not None
        assert output.counterexample.output == output.name
        assert shows_difference(left, right, output.counterexample, rng)


SOME_TIME = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@SOME_TIME
@given(seed=st.integers(0, 2**32), inputs=st.integers(0, 6), ands=st.integers(0, 40), kind=st.integers(0, 2))
@pytest.mark.parametrize("engine", NATIVE)
def test_small_circuits_against_exhaustion(
    engine: EngineChoice, seed: int, inputs: int, ands: int, kind: int
) -> None:
    rng = random.Random(seed)
    left = random_aig(rng, inputs, ands, 4)
    if kind == 0:
        right = restructured(left, rng)
    elif kind == 1:
        right = mutated(left, rng)
    else:
        right = random_aig(rng, inputs, ands, 4, raw=True)
    verdict = lec(left, right, engine=engine, seed=seed)
    check(verdict, left, right, rng)
    assert verdict.equivalent is not miter_is_satisfiable(left, right)


@pytest.mark.parametrize("engine", ["sat", "bdd", "smt"])
def test_engines_in_workers_against_exhaustion(engine: EngineChoice, rng: random.Random) -> None:
    for kind in range(4):
        left = random_aig(rng, 6, 40, 6)
        right = restructured(left, rng) if kind % 2 else mutated(restructured(left, rng), rng)
        verdict = lec(left, right, engine=engine)
        check(verdict, left, right, rng)
        ran = [run.name for run in verdict.engines if run.name != "structure"]
        assert ran in ([], [{"sat": "cadical", "bdd": "bdd", "smt": "z3"}[engine]])


def test_mutations_of_larger_circuits(rng: random.Random) -> None:
    for _ in range(20):
        left = random_aig(rng, 20, 300, 10)
        right = mutated(left, rng)
        verdict = lec(left, right)
        assert verdict.different is miter_is_satisfiable(left, right)
        for output in verdict.with_status("different"):
            assert output.counterexample is not None
            assert shows_difference(left, right, output.counterexample, rng)


def test_random_pairs_by_decision_diagrams(rng: random.Random) -> None:
    from dd import autoref  # pyright: ignore[reportMissingTypeStubs]

    for _ in range(15):
        left = random_aig(rng, 8, 60, 3)
        right = restructured(left, rng) if rng.random() < 0.5 else random_aig(rng, 8, 60, 3)
        manager: Any = autoref.BDD()
        manager.declare(*(f"x{i}" for i in range(8)))
        roots: list[list[Any]] = []
        for design in (left, right):
            nodes = [manager.false, *(manager.var(f"x{i}") for i in range(8))]
            for a, b in gates(design):
                x, y = (~nodes[lit >> 1] if lit & 1 else nodes[lit >> 1] for lit in (a, b))
                nodes.append(x & y)
            lits: list[int] = design.literals("outputs").tolist()
            roots.append([~nodes[lit >> 1] if lit & 1 else nodes[lit >> 1] for lit in lits])
        expected = ["equivalent" if a == b else "different" for a, b in zip(*roots, strict=True)]
        assert [o.status for o in lec(left, right).outputs] == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_every_output_has_its_own_answer(engine: EngineChoice) -> None:
    left, right = Aig(), Aig()
    for aig in (left, right):
        a, b, c = aig.add_inputs(["a", "b", "c"])
        aig.add_output(a & b, "s")
        aig.add_output(~(~b & ~c) if aig is left else b | c, "t")
        aig.add_output(a ^ c if aig is left else a | c, "u")
    verdict = lec(left, right, engine=engine)
    assert [(o.name, o.status) for o in verdict.outputs] == [
        ("s", "equivalent"),
        ("t", "equivalent"),
        ("u", "different"),
    ]
    cex = verdict.counterexample
    assert cex is not None
    assert cex is verdict["u"].counterexample
    assert cex.inputs == {"a": 1, "b": None, "c": 1}
    assert (cex.left, cex.right) == ({"s": None, "t": 1, "u": 0}, {"s": None, "t": 1, "u": 1})
    assert verdict.seconds > 0
    assert verdict.peak_bytes > 1 << 20
    assert verdict.engines[0].name == "structure"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_miter_without_any_gate_is_no_proof(engine: EngineChoice) -> None:
    left, right = Aig(), Aig()
    for aig in (left, right):
        a, _ = aig.add_inputs(2)
        aig.add_output(a if aig is left else ~a)
        aig.add_output(aig.true if aig is left else aig.false)
    verdict = lec(left, right, engine=engine)
    assert [o.status for o in verdict.outputs] == ["different", "different"]
    second = verdict.outputs[1].counterexample
    assert second is not None
    assert set(second.inputs.values()) == {None}, "constants differ whatever the inputs are"


@pytest.mark.parametrize("engine", ENGINES)
def test_no_outputs(engine: EngineChoice) -> None:
    aig = Aig()
    aig.add_input()
    verdict = lec(aig, aig, engine=engine)
    assert verdict.status == "equivalent"
    assert any("vacuous" in note for note in verdict.assumptions)
    empty = lec(Aig(), Aig(), engine=engine)
    assert empty.status == "equivalent"


def test_rare_difference() -> None:
    left, right = Aig(), Aig()
    for aig in (left, right):
        out = aig.true
        for lit in aig.add_inputs(40):
            out = out & lit
        aig.add_output(out if aig is left else aig.false)
    verdict = lec(left, right)
    assert verdict.different
    assert verdict.counterexample is not None
    assert set(verdict.counterexample.inputs.values()) == {1}


def latched(reset: int | None, *, invert: bool = False, name: str | None = "q") -> Aig:
    aig = Aig()
    a = aig.add_input("a")
    q = aig.add_latch(reset, name)
    aig.set_next(q, ~(q & a) if invert else q & a)
    aig.add_output(q, "y")
    return aig


def test_latches_are_cut() -> None:
    verdict = lec(latched(0), latched(0))
    assert verdict.equivalent
    assert [(o.name, o.kind) for o in verdict.outputs] == [("y", "output"), ("next(q)", "latch")]
    assert any("cut" in note for note in verdict.assumptions)
    different = lec(latched(0), latched(0, invert=True))
    assert different["y"].status == "equivalent"
    assert different["next(q)"].status == "different"
    assert different.counterexample is not None
    assert set(different.counterexample.latches) == {"q"}


@pytest.mark.parametrize(("a", "b"), [(0, 1), (0, None), (1, None)])
def test_resets_that_differ_are_a_difference(a: int | None, b: int | None) -> None:
    for left, right in ((a, b), (b, a)):
        verdict = lec(latched(left), latched(right))
        assert verdict.different
        assert verdict["next(q)"].engine == "resets"
        assert "resets differ" in (verdict["next(q)"].detail or "")
        assert verdict.counterexample is None
        assert "resets differ" in str(verdict)
    both = lec(latched(a), latched(b, invert=True))
    assert both["next(q)"].status == "different"


def test_free_inputs() -> None:
    left, right = Aig(), Aig()
    for aig in (left, right):
        a = aig.add_input("a")
        b = aig.add_input("b") if aig is right else aig.true
        aig.add_output(a & (b | ~b), "y")
        aig.add_output(a & b, "z")
    with pytest.raises(UsageError, match="free-inputs"):
        lec(left, right)
    verdict = lec(left, right, free_inputs=True)
    assert verdict["y"].status == "equivalent"
    assert verdict["z"].status == "different"
    assert verdict.counterexample is not None
    assert verdict.counterexample.inputs == {"a": 1, "b": 0}


def test_wrong_options() -> None:
    aig = Aig()
    wrong: list[dict[str, Any]] = [
        {"engine": "magic"},
        {"match": "guess"},
        {"timeout": -1},
        {"timeout": float("nan")},
        {"proof": "p", "engine": "bdd"},
    ]
    for options in wrong:
        with pytest.raises(UsageError, match="lec: "):
            lec(aig, aig, **options)


def test_files(tmp_path: Path) -> None:
    (tmp_path / "a.aag").write_text("aag 3 2 0 1 1\n2\n4\n6\n6 2 4\n")
    (tmp_path / "b.blif").write_text(
        ".model m\n.inputs a b\n.outputs y\n.names a b y\n11 1\n.exdc\n.names y\n.end\n"
    )
    verdict = lec(tmp_path / "a.aag", str(tmp_path / "b.blif"))
    assert verdict.equivalent
    assert verdict.left == str(tmp_path / "a.aag")
    assert any("exdc" in note for note in verdict.assumptions)
    (tmp_path / "c.aag").write_text("aag 3 2 0 1 1\n2\n4\n9\n6 2 4\n")
    with pytest.raises(ParseError):
        lec(tmp_path / "a.aag", tmp_path / "c.aag")


@pytest.mark.usefixtures("no_worker_is_left")
@pytest.mark.parametrize("engine", [engine for engine in ENGINES if engine != "algebra"])
def test_timeout_on_a_hard_pair(engine: EngineChoice) -> None:
    left, right = multiplier(24, columns_first=True, step=2), multiplier(24, columns_first=False, step=2)
    start = time.monotonic()
    verdict = lec(left, right, engine=engine, timeout=1)
    assert 0.9 < time.monotonic() - start < patience(2.0)
    assert verdict.status == "undecided"
    assert verdict.reason in ("timeout", "limit")
    assert verdict.with_status("undecided")
    assert not verdict.with_status("different")
    assert len(verdict.outputs) == 24


@pytest.mark.usefixtures("no_worker_is_left")
def test_cancel_from_another_thread() -> None:
    left, right = multiplier(24, columns_first=True, step=2), multiplier(24, columns_first=False, step=2)
    stop = Stop()
    timer = threading.Timer(1.0, stop.cancel)
    timer.start()
    start = time.monotonic()
    verdict = lec(left, right, cancel=stop)
    assert time.monotonic() - start < patience(2.0)
    assert verdict.status == "undecided"
    assert verdict.reason == "cancelled"
    already = lec(left, right, cancel=stop)
    assert already.status == "undecided"
    timer.join()


def test_small_multipliers_are_equal() -> None:
    verdict = lec(multiplier(6, columns_first=True), multiplier(6, columns_first=False), timeout=60)
    assert verdict.equivalent


@pytest.mark.usefixtures("no_worker_is_left")
def test_one_difference_gives_the_others_a_grace_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race_module, "GRACE_SECONDS", 0.5)
    left, right = multiplier(24, columns_first=True, step=2), multiplier(24, columns_first=False, step=2)
    for aig in (left, right):
        aig.add_output(aig.inputs[0] if aig is left else aig.inputs[1])
    start = time.monotonic()
    verdict = lec(left, right)
    assert time.monotonic() - start < patience(8)
    assert verdict.different
    assert verdict.reason == "limit"
    assert verdict.with_status("undecided")


def test_progress_is_told() -> None:
    states: list[Progress] = []
    lec(multiplier(5, columns_first=True), multiplier(5, columns_first=False), progress=states.append)
    assert states[0].doing == "reading"
    assert all(0 <= s.decided <= s.total for s in states[2:])


@pytest.mark.parametrize("engine", ["auto", "sweep"])
def test_proofs_are_accepted(engine: EngineChoice, tmp_path: Path, rng: random.Random) -> None:
    left = random_aig(rng, 10, 120, 5)
    right = restructured(left, rng)
    path = tmp_path / "p.drat"
    verdict = lec(left, right, engine=engine, proof=path)
    assert verdict.equivalent
    assert verdict.proof == (str(path), f"{path}.cnf")
    result = check_proof(Path(verdict.proof[1]).read_bytes(), path.read_bytes())
    assert result["result"] == "verified"
    # Every gate of both designs is in the formula: nothing was merged before it was written.
    gates = left.num_ands + right.num_ands
    header = Path(verdict.proof[1]).read_text().splitlines()[1].split()
    assert int(header[2]) == 1 + 10 + gates + 5


def test_no_proof_of_what_is_not_so(tmp_path: Path, rng: random.Random) -> None:
    left = random_aig(rng, 10, 120, 5)
    right = left.copy()
    right.set_output(0, ~right.outputs[0])
    verdict = lec(left, right, proof=tmp_path / "p.drat")
    assert verdict.different
    assert verdict.proof == ()
    assert any("no proof was written" in note for note in verdict.assumptions)
    assert list(tmp_path.iterdir()) == []


def test_a_false_claim_is_never_shown(rng: random.Random) -> None:
    """An engine that lies about a difference is caught by simulation of the designs themselves."""
    left = random_aig(rng, 6, 30, 2)
    right = restructured(left, rng)
    matched = match_ports(left, right)
    confirmer = Confirmer(left, right, matched, build_miter(left, right, matched))
    with pytest.raises(AssertionError, match="fails in simulation"):
        confirmer.confirm({0: bytes(6)})


def test_a_lying_engine_is_an_internal_error(monkeypatch: pytest.MonkeyPatch, rng: random.Random) -> None:
    def lie(board: race_module.Board, problem: Problem, *_: object) -> None:
        for pair in board.open():
            board.decide(pair, equal=False, engine="liar", values=bytes(problem.inputs))

    monkeypatch.setattr(check_equiv, "race", lie)
    left = multiplier(4, columns_first=True)
    with pytest.raises(AssertionError, match="fails in simulation"):
        lec(left, multiplier(4, columns_first=False))


@pytest.mark.usefixtures("no_worker_is_left")
def test_a_worker_that_dies_leaves_the_pair_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    from dmt_dialect.engines import process

    broken = process._START.replace("main(int", "raise SystemExit('solver lost'); main(int")  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(process, "_START", broken)
    verdict = lec(multiplier(5, columns_first=True), multiplier(5, columns_first=False), engine="sat")
    assert verdict.status == "undecided"
    assert verdict.reason == "engine failed"
    failed = verdict.engines[-1]
    assert failed.outcome == "failed"
    assert "solver lost" in (failed.detail or "")


def test_many_failing_outputs_share_patterns_and_are_cut() -> None:
    left, right = Aig(), Aig()
    for aig in (left, right):
        lits = aig.add_inputs(300)
        for lit in lits:
            aig.add_output(lit if aig is left else ~lit)
    verdict = lec(left, right)
    assert len(verdict.with_status("different")) == 300
    kept = [o for o in verdict.outputs if o.counterexample is not None]
    assert len(kept) == check_equiv.COUNTEREXAMPLE_VALUES // 900
    assert verdict.outputs[0].counterexample is not None


def test_the_same_seed_gives_the_same_verdict(rng: random.Random) -> None:
    left = random_aig(rng, 12, 200, 8)
    right = mutated(left, rng)

    def plain(verdict: Verdict) -> object:
        return [(o.name, o.status, o.engine, o.counterexample) for o in verdict.outputs]

    assert plain(lec(left, right, engine="sweep", seed=5)) == plain(lec(left, right, engine="sweep", seed=5))


def test_counterexamples_are_shrunk(rng: random.Random) -> None:
    """What is left is needed: freeing one more input makes the values unknown on some side."""
    import numpy as np

    from dynomite._native.witness import evaluate

    for _ in range(20):
        left = random_aig(rng, 12, 100, 3)
        right = mutated(left, rng)
        verdict = lec(left, right)
        for number, output in enumerate(verdict.outputs):
            cex = output.counterexample
            if cex is None:
                continue
            bits = [2 if cex.inputs[f"i{k}"] is None else int(cex.inputs[f"i{k}"] or 0) for k in range(12)]
            for k in range(12):
                if bits[k] == 2:
                    continue
                less = np.array([2 if j == k else bit for j, bit in enumerate(bits)], dtype=np.uint8)
                values = [
                    int(evaluate(design, less, design.literals("outputs")[number : number + 1])[0])
                    for design in (left, right)
                ]
                assert 2 in values


def test_answers_and_reports_are_plain_values() -> None:
    answer = Answer(3, equal=False, values=b"\0\1")
    assert replace(answer, equal=True).equal
    assert Report().outcome == "done"


PROGRAM = """
import sys, dynomite
print("ready", flush=True)
try:
    dynomite.lec(sys.argv[1], sys.argv[2])
except KeyboardInterrupt:
    import threading
    print("interrupted", [t.name for t in threading.enumerate()])
"""


@pytest.mark.parametrize("wait", [0.2, 1.5])
def test_ctrl_c_in_python(wait: float, tmp_path: Path) -> None:
    """Before and after the worker has started: KeyboardInterrupt within a second, and nothing runs on."""
    paths = [str(tmp_path / name) for name in ("a.aig", "b.aig")]
    for path, columns_first in zip(paths, (True, False), strict=True):
        write_circuit(multiplier(24, columns_first=columns_first, step=2), path)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *paths],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    time.sleep(wait)
    children = psutil.Process(process.pid).children(recursive=True)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()  # no load on other tests if it is still there
    assert time.monotonic() - sent < patience(1.0)
    assert out == b"interrupted ['MainThread']\n"
    assert err == b""
    assert not [c for c in children if c.is_running() and c.status() != psutil.STATUS_ZOMBIE]


def test_hashing_gets_the_credit_it_earned() -> None:
    """A pair that needed no solver says so, though the solver was busy in other logic."""
    aig = Aig()
    inputs = aig.add_inputs(50)
    chain = aig.true
    for lit in inputs[:48]:
        chain = chain & lit
    layer = list(inputs[:48])
    while len(layer) > 1:
        layer = [a & b for a, b in zip(layer[::2], layer[1::2], strict=False)] + layer[len(layer) & ~1 :]
    gate = Aig()
    gate.add_inputs(2)
    gate.add_output(gate.inputs[0] & gate.inputs[1])
    ci_map = np.array([lit.raw for lit in inputs[48:]], dtype=np.uint32)
    twins = [int(append(aig, gate, ci_map, hashed=False)[-1]) for _ in range(2)]
    pairs = np.array([[chain.raw, layer[0].raw], twins], dtype=np.uint32)
    assert twins[0] != twins[1]
    sweeper = Sweeper(aig, pairs, seed=1)
    assert sweeper.run(1000, Stop()) == "done"
    assert sweeper.statuses().tolist() == [1, 1]
    assert sweeper.engines() == ["sat", "hashing"]


def test_what_is_no_circuit() -> None:
    with pytest.raises(TypeError, match="a design is a file or an Aig, not NoneType"):
        lec(Aig(), None)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
