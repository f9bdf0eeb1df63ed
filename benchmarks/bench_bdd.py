"""Decision diagrams against CUDD (through dd) and OxiDD, all driven through their Python interfaces.

    python -m benchmarks.bench_bdd              a table
    python -m benchmarks.bench_bdd --json       one JSON object
    python -m benchmarks.bench_bdd --smoke      small subjects, no rivals

Method. Subjects are the n-queens problem and the outputs (and next states) of circuits, built gate by gate by
the same Python loop over each package's own functions and operators; the same order of variables (depth
first from the outputs), no reordering. Managers and variables are made before the clock starts. The clock is
CPU time of this process, the least of several runs, the packages taking turns. OxiDD runs both its kinds of
diagrams, with and without complement arcs, on one thread; the faster counts. `bdd_vs_best` is the geometric
mean, over all subjects, of our time over that of the fastest rival; below 1 means that ours is faster. All
have to agree on the number of nodes; OxiDD's count of the constants is taken into account.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import dynomite
from benchmarks.harness import figures_main, geometric_mean, has_module, shared_circuits
from dmt_dialect.aig import Aig
from dmt_dialect.bdd import Bdd
from dynomite._native.bdd import input_order

QUEENS = (8, 10)
CIRCUITS = (
    "Sequential/mm9a",
    "Combinational/C432",
    "Combinational/rot",
    "Combinational/mainpla",
    "Combinational/seq",
    "Sequential/bigkey",
    "Combinational/xparc",
    "Combinational/dalu",
    "Combinational/frg2",
    "Combinational/i8",
    "Combinational/in1",
    "Combinational/too_large",
    "Combinational/apex2",
    "Combinational/ti",
    "Combinational/table3",
    "Combinational/k2",
    "Sequential/sbc",
    "Sequential/mult32a",
    "Combinational/cps",
    "Combinational/bc0",
)
"""Those of `mcnc` with the largest diagrams in this order of variables, of those below 3 million nodes."""

NOT_AND = 0xFFFFFFFF
SHORT_SECONDS = 0.1
LONG_SECONDS = 1.0
SHORT_RUNS = 7
LONG_RUNS = 3
OXIDD_NODES = 1 << 24
OXIDD_CACHE = 1 << 20


@dataclass(frozen=True)
class Package:
    """One package: `open(n)` gives true, false and n variables, `nodes` counts the nodes of functions."""

    name: str
    open: Callable[[int], tuple[Any, Any, list[Any]]]


@dataclass(frozen=True)
class Subject:
    """Something to be built from true, false and variables: `build` gives the functions."""

    name: str
    variables: int
    build: Callable[[Any, Any, list[Any]], list[Any]]


@dataclass
class Measured:
    """Least times by package, and the sum of the sizes of the functions."""

    subject: str
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    sizes: dict[str, int] = field(default_factory=dict[str, int])

    def rival(self) -> float | None:
        """Time of the fastest rival."""
        return min((s for name, s in self.seconds.items() if name != "dynomite"), default=None)


def open_ours(count: int) -> tuple[Any, Any, list[Any]]:
    """Our package."""
    bdd = Bdd()
    return bdd.true, bdd.false, list(bdd.add_vars(count))


def open_cudd(count: int) -> tuple[Any, Any, list[Any]]:
    """CUDD by dd."""
    bdd: Any = import_module("dd.cudd").BDD()
    bdd.configure(reordering=False)
    names = [f"x{i}" for i in range(count)]
    bdd.declare(*names)
    return bdd.true, bdd.false, [bdd.var(name) for name in names]


def open_oxidd(module: str, manager: str) -> Callable[[int], tuple[Any, Any, list[Any]]]:
    """OxiDD, one of its kinds."""

    def open_manager(count: int) -> tuple[Any, Any, list[Any]]:
        bdd: Any = getattr(import_module(f"oxidd.{module}"), manager)(OXIDD_NODES, OXIDD_CACHE, 1)
        bdd.add_vars(count)
        return bdd.true(), bdd.false(), [bdd.var(i) for i in range(count)]

    return open_manager


def packages(rivals: bool) -> list[Package]:
    """Ours, and the rivals installed."""
    found = [Package("dynomite", open_ours)]
    if rivals and has_module("dd.cudd"):
        found.append(Package("cudd", open_cudd))
    if rivals and has_module("oxidd"):
        found.append(Package("oxidd_bdd", open_oxidd("bdd", "BDDManager")))
        found.append(Package("oxidd_bcdd", open_oxidd("bcdd", "BCDDManager")))
    return found


def queens(size: int) -> Subject:
    """Placements of n queens that do not attack each other, one in every row."""

    def build(true: Any, false: Any, x: list[Any]) -> list[Any]:
        board = true
        for row in range(size):
            some = false
            for column in range(size):
                some = some | x[row * size + column]
            board = board & some
        for row in range(size):
            for column in range(size):
                alone = true
                for other in range(size * size):
                    r, c = divmod(other, size)
                    if (r, c) == (row, column):
                        continue
                    if r == row or c == column or r - c == row - column or r + c == row + column:
                        alone = alone & ~(x[row * size + column] & x[other])
                board = board & alone
        return [board]

    return Subject(f"queens{size}", size * size, build)


def circuit(name: str, aig: Aig) -> Subject:
    """The outputs and next states of a circuit."""
    roots = [*aig.outputs, *aig.next_states]
    order = input_order(aig, roots)
    places = {lit.raw >> 1: index for index, lit in enumerate([*aig.inputs, *aig.latches])}
    level_of = {number: level for level, number in enumerate(order)}
    rows: list[tuple[int, int]] = [(int(a), int(b)) for a, b in aig.fanins]
    root_lits = [root.raw for root in roots]

    def build(true: Any, false: Any, variables: list[Any]) -> list[Any]:
        functions: list[Any] = [false] * len(rows)
        for node, (first, second) in enumerate(rows):
            if first == NOT_AND:
                if node:
                    functions[node] = variables[level_of[places[node]]]
                continue
            a, b = functions[first >> 1], functions[second >> 1]
            functions[node] = (~a if first & 1 else a) & (~b if second & 1 else b)
        return [~functions[lit >> 1] if lit & 1 else functions[lit >> 1] for lit in root_lits]

    return Subject(name, len(places), build)


def size_of(package: Package, functions: Sequence[Any]) -> int:
    """Nodes of the functions, each with one constant node, complement arcs as our package counts them."""
    if package.name.startswith("oxidd"):
        return sum(function.node_count() for function in functions)
    return sum(len(function) for function in functions)


def run(package: Package, subject: Subject) -> tuple[float, int]:
    """CPU time of one run and the size of the result."""
    opened = package.open(subject.variables)
    gc.collect()
    start = time.process_time()
    functions = subject.build(*opened)
    seconds = time.process_time() - start
    return seconds, size_of(package, functions)


def measure_all(subject: Subject, competitors: Sequence[Package]) -> Measured:
    """Everybody on one subject, in turns."""
    measured = Measured(subject.name)
    for turn in range(SHORT_RUNS):
        for package in competitors:
            past = measured.seconds.get(package.name, 0.0)
            if (turn >= 1 and past > LONG_SECONDS) or (turn >= LONG_RUNS and past > SHORT_SECONDS):
                continue
            seconds, size = run(package, subject)
            measured.seconds[package.name] = min(seconds, measured.seconds.get(package.name, seconds))
            measured.sizes[package.name] = size
    sizes = {size for name, size in measured.sizes.items() if name != "oxidd_bdd"}
    if len(sizes) > 1:
        raise AssertionError(f"{subject.name}: sizes differ: {measured.sizes}")
    return measured


def subjects(smoke: bool) -> list[Subject]:
    """What is built."""
    found = [queens(size) for size in ((6,) if smoke else QUEENS)]
    folder = shared_circuits()
    if folder is None:
        return found
    for name in CIRCUITS[8:10] if smoke else CIRCUITS:
        path = folder / "mcnc" / f"{name}.blif"
        if path.exists():
            found.append(circuit(name.rpartition("/")[2], dynomite.read(path)))
    return found


def figures(*, smoke: bool = False) -> Mapping[str, Any]:
    """All figures; `bdd_vs_best` is None without rivals."""
    competitors = packages(rivals=not smoke)
    measured = [measure_all(subject, competitors) for subject in subjects(smoke)]
    pairs = [(m.seconds["dynomite"], m.rival()) for m in measured]
    result: dict[str, Any] = {
        "bdd_vs_best": geometric_mean(ours / theirs for ours, theirs in pairs if theirs is not None)
    }
    for name in QUEENS:
        for m in measured:
            if m.subject == f"queens{name}":
                result[f"bdd_queens{name}_s"] = m.seconds["dynomite"]
    result["subjects"] = [
        {"name": m.subject, "nodes": m.sizes["dynomite"], **{f"{k}_s": v for k, v in m.seconds.items()}}
        for m in measured
    ]
    return result


def main() -> int:
    """The command line."""
    return figures_main(__doc__ or "", figures)


if __name__ == "__main__":
    raise SystemExit(main())
