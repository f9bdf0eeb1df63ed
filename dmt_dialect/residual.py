"""What an undecided run leaves: the open functions over the swept circuit, their sizes, and a file of them.

Sweeping merges what it proves, so the question that is left is often far smaller than the one that was asked.
Its answer is the same: each open function of the two designs is equal exactly if its output of the residual
circuit, the XOR of both sides, is constant 0.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dmt_dialect.cnf import aig_to_cnf, write_cnf
from dmt_dialect.verdict import OpenCone
from dynomite.errors import UsageError
from dynomite.formats.base import detect_format, write_circuit
from dynomite.formats.compression import compression_of

if TYPE_CHECKING:
    from dmt_dialect.engines.sweep_team import SweeperLike
    from dmt_dialect.matching import Matched
    from dmt_dialect.miter import Miter
    from dynomite._native.aig import Aig

MEASURED_NODES = 20_000_000
"""Nodes visited to measure open cones; functions after that have no sizes."""


@dataclass(frozen=True, slots=True)
class Residual:
    """The open part of a miter.

    Attributes:
        aig: What sweeping has left, with the names of inputs and latches (all are inputs here).
        lits: The AIGER numbers of both sides of each open function.
        names: The open functions.
    """

    aig: Aig
    lits: Mapping[int, tuple[int, int]]
    names: Mapping[int, str]

    def sizes(self) -> Iterator[tuple[int, OpenCone]]:
        """The cone of each open function, both sides together, until `MEASURED_NODES` were visited."""
        visited = 0
        for function, pair in self.lits.items():
            if visited > MEASURED_NODES:
                return
            cone = self.aig.cone([self.aig.lit(raw) for raw in pair], follow_latches=False)
            visited += cone.num_nodes + self.aig.num_nodes // 64
            yield function, OpenCone(cone.num_ands, cone.num_inputs, cone.depth)

    def circuit(self) -> Aig:
        """One output an open function: 1 where the two sides differ. Inputs that none needs are left out."""
        work = self.aig.copy()
        differences = [work.lit(a) ^ work.lit(b) for a, b in self.lits.values()]
        cone = work.cone(differences, follow_latches=False)
        cone.set_names("outputs", [self.names[function] for function in self.lits])
        return cone


def residual_of(
    miter: Miter, matched: Matched, open_functions: Sequence[int], sweeper: SweeperLike | None
) -> Residual:
    """What is left of a miter: the sweeper's circuit if it has one, else the miter itself."""
    lits: dict[int, list[int]]
    if sweeper is None:
        aig = miter.aig.copy()
        rows = miter.pairs
        lits = {function: rows[function].tolist() for function in open_functions}
    else:
        aig, rows = sweeper.residual()
        lits = dict(zip(np.flatnonzero(sweeper.statuses() == 0).tolist(), rows.tolist(), strict=True))
    aig.set_names("inputs", [*matched.input_names, *matched.latch_names])
    return Residual(
        aig,
        {function: (lits[function][0], lits[function][1]) for function in open_functions},
        {function: matched.functions[function].name for function in open_functions},
    )


def check_residual_target(path: str | os.PathLike[str]) -> None:
    """Refuses a file whose suffix names no format that `write_residual` writes.

    Raises:
        UsageError: What the suffix must be.
    """
    if not _is_cnf(path):
        entry, _ = detect_format(path)
        if entry.writer is None:
            raise UsageError(f"{os.fspath(path)}: {entry.title} files can be read, not written")


def write_residual(residual: Residual, path: str | os.PathLike[str], *, notes: list[str]) -> None:
    """Writes the residual miter: a circuit by its suffix, or clauses for `.cnf`.

    A circuit has one output an open function, which can be 1 exactly if the two sides differ. The clauses are
    satisfiable exactly if some open function differs; comments name the variables of inputs and functions.

    Args:
        residual: What to write.
        path: The file; .gz, .xz or .zst may follow the suffix.
        notes: Takes what the format made necessary, such as renamed ports.
    """
    circuit = residual.circuit()
    if not _is_cnf(path):
        write_circuit(circuit, path, notes=notes)
        return
    encoded = aig_to_cnf(circuit)
    cnf, variables = encoded.cnf, encoded.variables
    some: list[int] = []
    lines = ["some open function differs"]
    for section, letter in (("inputs", "input"), ("outputs", "function")):
        for raw, name in zip(circuit.literals(section).tolist(), circuit.names(section), strict=True):
            variable = int(variables[raw >> 1])
            signed = -variable if raw & 1 else variable
            lines.append(f"{letter} {signed} {name}")
            if section == "outputs":
                some.append(signed)
    cnf.append(np.array([*some, 0], dtype=np.int32))
    write_cnf(cnf, path, comment="\n".join(lines))


def _is_cnf(path: str | os.PathLike[str]) -> bool:
    text = os.fspath(path)
    packed = compression_of(text)
    return (text[: -len(packed)] if packed else text).endswith((".cnf", ".dimacs"))
