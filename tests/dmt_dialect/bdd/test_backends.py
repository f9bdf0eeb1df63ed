"""All packages of decision diagrams give the same answers, on random functions and on real circuits."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dynomite
from dmt_dialect.aig import Aig
from dmt_dialect.bdd import Bdd, circuit_functions
from dmt_dialect.bdd.backends import Backend, DiagramManager, installed_backends, open_manager
from dmt_dialect.bdd.circuits import input_names
from dynomite.errors import LimitError, UsageError

OTHERS = [backend for backend in installed_backends() if backend != "dynomite"]
NAMES = [f"x{i}" for i in range(9)]


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "dd.cudd", None)
    with pytest.raises(UsageError, match=r"dd\.cudd is not installed"):
        open_manager("cudd")


@pytest.mark.parametrize("backend", OTHERS)
def test_random_functions_agree(backend: Backend, rng: random.Random) -> None:
    managers = [open_manager(), open_manager(backend)]
    for manager in managers:
        manager.declare(NAMES)
    pools: list[list[Any]] = [[m.true, *(m.var(name) for name in NAMES)] for m in managers]
    for _ in range(250):
        step = random_step(rng, len(pools[0]))
        made = [step(manager, pool) for manager, pool in zip(managers, pools, strict=True)]
        facts = [
            (m.count(f, len(NAMES)), m.support(f), m.size(f), f == m.false, f <= pool[-1])
            for m, f, pool in zip(managers, made, pools, strict=True)
        ]
        assert facts[0] == facts[1]
        for pool, f in zip(pools, made, strict=True):
            pool.append(f)
        if rng.random() < 0.04:
            order = rng.sample(NAMES, len(NAMES))
            for manager in managers:
                manager.reorder(order)


def random_step(rng: random.Random, size: int) -> Callable[[DiagramManager, list[Any]], Any]:
    """An operation on members of a pool, the same for every manager."""
    f, g, h = (rng.randrange(size) for _ in range(3))
    some = rng.sample(NAMES, rng.randrange(1, 4))
    name = rng.choice(NAMES)
    value = rng.random() < 0.5
    steps: list[Callable[[DiagramManager, list[Any]], Any]] = [
        lambda m, p: p[f] & p[g],
        lambda m, p: p[f] | ~p[g],
        lambda m, p: m.xor(p[f], p[g]),
        lambda m, p: m.ite(p[f], p[g], p[h]),
        lambda m, p: m.exist(p[f], some),
        lambda m, p: m.forall(p[f], some),
        lambda m, p: m.and_exists(p[f], p[g], some),
        lambda m, p: m.let(p[f], {name: p[g]}),
        lambda m, p: m.let(p[f], {name: value}),
    ]
    return rng.choice(steps)


def outputs_by(manager: DiagramManager, aig: Aig, order: tuple[str, ...]) -> list[Any]:
    """The functions of a circuit's outputs, gate by gate."""
    manager.declare(order)
    functions: list[Any] = [manager.false] * aig.num_nodes
    for lit, name in zip([*aig.inputs, *aig.latches], input_names(aig), strict=True):
        functions[lit.raw >> 1] = manager.var(name)

    def of(raw: int) -> Any:
        return ~functions[raw >> 1] if raw & 1 else functions[raw >> 1]

    for node, (first, second) in enumerate(aig.fanins.tolist()):
        if first != 0xFFFFFFFF:
            functions[node] = of(first) & of(second)
    return [of(int(raw)) for raw in aig.literals("outputs")]


SMALL = [
    "iscas85/c17.blif",
    "iscas85/c432.blif",
    "iscas85/c499.blif",
    "iscas85/c1355.blif",
    "iscas85/c1908.blif",
    "mcnc/Combinational/C432.blif",
    "mcnc/Combinational/apex6.blif",
    "mcnc/Combinational/frg2.blif",
    "mcnc/Combinational/vda.blif",
    "mcnc/Combinational/x3.blif",
    "mcnc/Combinational/i2.blif",
    "mcnc/Combinational/o64.blif",
]


NODES = 3_000_000
"""Circuits whose diagrams need more in the order of a walk from the outputs are left out."""
TOO_LARGE = {"c2670", "c3540", "c5315", "c6288", "c7552", "mm30a"}


@pytest.mark.parametrize("name", SMALL)
def test_counts_of_real_circuits_agree_with_cudd(name: str, circuits: Path) -> None:
    assert compare_with_cudd(circuits / name)


@pytest.mark.slow
def test_counts_of_all_small_circuits_agree_with_cudd(circuits: Path) -> None:
    files = [
        path
        for suite in ("mcnc", "iscas85")
        for path in sorted((circuits / suite).rglob("*.b*"))
        if path.suffix in (".blif", ".bench")
    ]
    assert len(files) > 150
    left_out = {path.stem.lower() for path in files if not compare_with_cudd(path)}
    assert left_out == TOO_LARGE


def compare_with_cudd(path: Path) -> bool:
    """Counts and sizes are the same; False if the diagrams have too many nodes."""
    if "cudd" not in OTHERS:
        pytest.skip("dd.cudd is not installed")
    aig = dynomite.read(path)
    try:
        ours = circuit_functions(aig, Bdd(max_nodes=NODES))
    except LimitError:
        return False
    theirs = open_manager("cudd")
    expected = outputs_by(theirs, aig, ours.bdd.order)
    nvars = len(ours.inputs)
    assert [f.count() for f in ours.outputs] == [theirs.count(f, nvars) for f in expected], path
    assert [len(f) for f in ours.outputs] == [theirs.size(f) for f in expected], path
    return True


@pytest.mark.parametrize("backend", OTHERS)
def test_large_counts_are_exact(backend: Backend, rng: random.Random) -> None:
    managers = [open_manager(), open_manager(backend)]
    names = [f"x{i}" for i in range(90)]
    counts: list[list[int]] = []
    seed = rng.random()
    for manager in managers:
        manager.declare(names)
        chosen = random.Random(seed)
        function: Any = manager.false
        counts.append([])
        for name in names:
            literal = manager.var(name) if chosen.random() < 0.5 else ~manager.var(name)
            function = (function | literal) if chosen.random() < 0.5 else (~function & literal)
            counts[-1] += [manager.count(function, 90), manager.count(~function, 90)]
    assert counts[0] == counts[1]
    assert any(count % (1 << 60) and count > 1 << 80 for count in counts[0])
