"""What every pass has to keep, whatever it does; a new entry in the registry is tested without more."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import threading
import time
from collections.abc import Mapping

import numpy as np
import pytest

from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.synthesis import PassResult, SynthPass, known_passes, known_recipes, optimize
from dmt_dialect.synthesis.latch_map import LatchMap
from dmt_dialect.synthesis.passes import Value
from dmt_dialect.synthesis.proving import prove
from dynomite._native.aig import Aig, circuit_hash
from dynomite._native.base import Stop
from dynomite.errors import LimitError
from tests.support.function_tables import tables
from tests.support.generators import random_aig
from tests.support.patience import patience
from tests.support.shared_data import REPOSITORY
from tests.support.synthesis_circuits import CIRCUITS, QUICK_CIRCUITS, read_shared

PASSES = [entry for entry in known_passes().values() if not entry.last]
SECTIONS = ("inputs", "latches", "outputs", "bad", "constraints", "justice", "fairness")

each_pass = pytest.mark.parametrize("entry", PASSES, ids=lambda entry: entry.name)


def apply(entry: SynthPass, aig: Aig, params: Mapping[str, Value] | None = None, seed: int = 1) -> PassResult:
    return entry(aig, {} if params is None else params, Stop(), 1, seed)


def random_params(entry: SynthPass, rng: random.Random) -> dict[str, Value]:
    """Parameters as users may give them: some left out, numbers up to the ends of their ranges."""
    chosen: dict[str, Value] = {}
    for param in entry.params:
        kind = rng.randrange(4)
        if kind == 0:
            continue
        if isinstance(param.default, bool):
            chosen[param.name] = rng.random() < 0.5
        elif isinstance(param.default, str):
            chosen[param.name] = rng.choice(param.choices or (param.default,))
        elif isinstance(param.default, int):
            low = int(param.low or 0)
            high = int(param.high) if param.high is not None else max(low, 3 * param.default)
            chosen[param.name] = (low, high, rng.randint(low, high))[kind - 1]
        assert param.name not in chosen or param.problem(chosen[param.name]) is None
    return chosen


def with_everything(rng: random.Random, inputs: int, ands: int, latches: int, *, raw: bool = False) -> Aig:
    """A random circuit with all that a pass could lose: constants, duplicates, unused inputs, properties."""
    aig = random_aig(rng, inputs, ands, 4, latches, raw=raw)
    for lit in (aig.outputs[0], ~aig.outputs[1], aig.true, aig.false, *aig.inputs[:1]):
        aig.add_output(lit)
    for lit in aig.outputs[:2]:
        aig.add_bad(~lit)
    aig.add_constraint(aig.outputs[2])
    aig.add_fairness(aig.outputs[3])
    aig.add_justice([aig.outputs[1], ~aig.outputs[3]])
    for section in SECTIONS:
        count = len(aig.names(section))
        for index in range(count):
            if rng.random() < 0.7:
                aig.set_name(section, index, f"{section}_{index}")
    aig.name, aig.comments = "all", ["one", "two"]
    return aig


def assert_same_outside(aig: Aig, made: PassResult) -> None:
    """Ports, names, properties, resets."""
    result = made.aig
    kept = range(aig.num_latches) if made.latches is None else made.latches.kept
    for section in SECTIONS:
        names = aig.names(section)
        assert result.names(section) == ([names[k] for k in kept] if section == "latches" else names)
    assert result.resets == [aig.resets[k] for k in kept]
    assert (result.num_inputs, result.num_outputs) == (aig.num_inputs, aig.num_outputs)
    assert [len(group) for group in result.justice] == [len(group) for group in aig.justice]
    assert (result.name, result.comments) == (aig.name, aig.comments)
    # Nothing is left that no root needs, unless the pass was stopped before it began.
    assert result.stats()["dangling_ands"] == 0 or made.stats.get("stop") == "stopped"


def assert_equal(aig: Aig, made: PassResult) -> None:
    if made.latches is None:
        assert tables(made.aig) == tables(aig)
    else:
        assert prove(aig, made.aig, made.latches).equivalent
    assert_same_outside(aig, made)


@each_pass
@pytest.mark.parametrize("raw", [False, True])
def test_small_circuits_exhaustively(entry: SynthPass, raw: bool, rng: random.Random) -> None:
    for _ in range(60):
        inputs, latches = rng.randint(1, 6), rng.choice([0, 0, 1, 3])
        aig = with_everything(rng, inputs, rng.randint(0, 80), latches, raw=raw)
        before = circuit_hash(aig), aig.fanins.tolist()
        params = random_params(entry, rng)
        print(entry.name, params)
        assert_equal(aig, apply(entry, aig, params, rng.randrange(100)))
        assert (circuit_hash(aig), aig.fanins.tolist()) == before


@each_pass
def test_circuits_of_nothing(entry: SynthPass) -> None:
    empty = Aig()
    assert apply(entry, empty).aig.num_nodes == 1
    only_inputs = Aig()
    a, _ = only_inputs.add_inputs(["a", "b"])
    only_inputs.add_output(~a, "y")
    assert_equal(only_inputs, apply(entry, only_inputs))
    dangling = Aig()
    x, y = dangling.add_inputs(2)
    dangling.add_output(x & y)
    for _ in range(3):
        y = x ^ ~y
    assert_equal(dangling, apply(entry, dangling))
    assert apply(entry, dangling).aig.num_ands == 1


@each_pass
def test_same_seed_same_result_on_any_number_of_threads(entry: SynthPass, rng: random.Random) -> None:
    aig = random_aig(rng, 14, 3_000, 30)
    results = [entry(aig, {}, Stop(), threads, 3).aig for threads in (1, 1, 2, 4)]
    assert len({circuit_hash(result) for result in results}) == 1
    assert all(result.fanins.tolist() == results[0].fanins.tolist() for result in results)


ORDERS = list(itertools.product([entry.name for entry in PASSES], repeat=4))
QUICK_ORDERS = 250


def check_orders(orders: list[tuple[str, ...]], rng: random.Random) -> None:
    for order in orders:
        aig = with_everything(rng, rng.randint(2, 6), rng.randint(5, 60), rng.choice([0, 0, 2]), raw=True)
        result = optimize(aig, "; ".join(order), seed=rng.randrange(100), threads=1)
        if result.after.latches == result.before.latches and "scl" not in order:
            assert tables(result.aig) == tables(aig), order
        else:
            assert result.prove().equivalent, order
        for step in result.steps:
            assert step.stop in ("none", "limit")


def test_orders_of_four(rng: random.Random) -> None:
    check_orders(rng.sample(ORDERS, min(QUICK_ORDERS, len(ORDERS))), rng)


@pytest.mark.slow
@pytest.mark.parametrize("first", [entry.name for entry in PASSES])
def test_all_orders_of_four(first: str, rng: random.Random) -> None:
    check_orders([order for order in ORDERS if order[0] == first], rng)


@pytest.mark.parametrize("name", known_recipes())
def test_recipes(name: str, rng: random.Random) -> None:
    for _ in range(5):
        aig = with_everything(rng, 6, 120, 2, raw=True)
        result = optimize(aig, name, threads=2)
        assert result.prove().equivalent
        assert result.after.ands <= result.before.ands
        made = PassResult(result.aig)
        if result.after.latches == result.before.latches:
            assert_equal(aig, made)


def proved_on_shared(entry: SynthPass, name: str) -> None:
    aig = read_shared(name)
    if aig is None:
        return
    made = apply(entry, aig)
    latches = LatchMap.identity(aig.num_latches) if made.latches is None else made.latches
    verdict = prove(aig, made.aig, latches)
    assert verdict.equivalent, verdict
    assert_same_outside(aig, made)


@each_pass
def test_small_shared_circuits(entry: SynthPass) -> None:
    """Every small circuit of the shared collection, proved."""
    if not QUICK_CIRCUITS:
        pytest.skip("the shared circuits are absent")
    for name in QUICK_CIRCUITS:
        proved_on_shared(entry, name)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", CIRCUITS)
def test_shared_circuits(name: str) -> None:
    """Every pass on every circuit, proved."""
    for entry in PASSES:
        proved_on_shared(entry, name)


def deep(levels: int) -> Aig:
    """A chain of NANDs over some inputs, as deep as it has nodes, in which nothing folds."""
    inputs = 4096
    rows = np.empty((1 + inputs + levels, 2), dtype=np.uint32)
    rows[: 1 + inputs, 0] = 0xFFFFFFFF
    rows[0, 1] = 0
    rows[1 : 1 + inputs, 1] = np.arange(inputs)
    nodes = np.arange(1 + inputs, 1 + inputs + levels, dtype=np.uint32)
    mix = nodes * np.uint32(2654435761) >> np.uint32(8)
    rows[1 + inputs :, 0] = 2 * (nodes - 1) + 1
    rows[1 + inputs :, 1] = 2 * (1 + (mix >> 1) % inputs) + ((mix >> 9) & 1)
    aig = Aig.from_fanins(rows)
    aig.add_output(aig.lit(2 * (inputs + levels)))
    aig.add_output(aig.lit(2 * (inputs + levels // 2)))
    return aig


@each_pass
def test_a_million_levels(entry: SynthPass) -> None:
    """No recursion on the depth, and no more than linear time (SAT sweeping promises no such time)."""
    aig = deep(50_000 if entry.name == "sweep" else 1_000_000)
    start = time.perf_counter()
    made = apply(entry, aig)
    assert time.perf_counter() - start < patience(120)
    assert_same_outside(aig, made)
    small = deep(3_000)
    assert lec(small, apply(entry, small).aig, match="order").equivalent


def large() -> Aig:
    return random_aig(random.Random(5), 40, 60_000, 400)


@each_pass
def test_stop_before_and_between(entry: SynthPass) -> None:
    """A stopped pass gives a right circuit or raises LimitError, at once."""
    aig = large()
    for delay in (0.0, 0.02, 0.1):
        stop = Stop()
        timer = threading.Timer(delay, stop.cancel)
        if delay:
            timer.start()
        else:
            stop.cancel()
        start = time.perf_counter()
        try:
            made = entry(aig, {}, stop, 1, 1)
        except LimitError:
            made = None
        assert time.perf_counter() - start < delay + patience(0.7)
        timer.cancel()
        if made is not None:
            assert_same_outside(aig, made)
            assert lec(aig, made.aig, match="order", engine="sweep").equivalent


# Trimmed: freed pages that the heap keeps come and go by some megabytes, those in use do not.
_MEMORY = """
import ctypes
import sys
import psutil
from dmt_dialect.synthesis import known_passes
from dynomite._native.base import Stop
from tests.dmt_dialect.synthesis.test_every_pass import large
entry, aig, process = known_passes()[sys.argv[1]], large(), psutil.Process()
sizes = []
for _ in range(12):
    entry(aig, {}, Stop(), 1, 1)
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    sizes.append(process.memory_info().rss)
print(sizes[3], sizes[-1], aig.num_nodes)
"""


@each_pass
def test_memory_comes_back(entry: SynthPass) -> None:
    """Eight more runs do not need more memory than a few."""
    done = subprocess.run(
        [sys.executable, "-c", _MEMORY, entry.name],
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    early, late, nodes = map(int, done.stdout.split())
    assert late - early < 4 * nodes  # less than the eight results alone take, whatever the pass


def test_the_shared_circuits_are_listed() -> None:
    if not CIRCUITS:
        pytest.skip("the shared circuits are absent")
    assert len(CIRCUITS) > 1_000
    assert len(QUICK_CIRCUITS) > 100
