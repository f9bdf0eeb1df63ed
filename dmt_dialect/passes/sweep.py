"""SAT sweeping of one circuit: nodes proved equal or opposite become one.

    x = ab,  y = NOT(NOT a OR NOT b) AND (a OR b)      ->      x = y = ab

Candidates come from simulation, proofs from the native solver (see `dmt_dialect.passes.check_equiv` for the
papers). Only logic is merged: inputs, outputs, latches, properties, names and comments stay, in their order.
Latches are cut and constraints are not used, so that a merge holds in every state and not only in reachable
or allowed ones. Limit: conflicts a proof may take, approached from below in rounds, because merges of cheap
proofs make the dear ones cheaper; a proof that gives up merges nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.engines.sweep_team import CONFLICT_LIMIT_GROWTH, FIRST_CONFLICT_LIMIT
from dmt_dialect.passes.check_equiv import lec
from dynomite._native.base import Stop
from dynomite._native.sweep import Sweeper
from dynomite.errors import VerifyError
from dynomite.formats.base import read_circuit
from dynomite.progress import Progress

if TYPE_CHECKING:
    from dynomite._native.aig import Aig


@dataclass(frozen=True, slots=True)
class SweepStats:
    """What a sweep has done.

    Attributes:
        changed: Whether the number of ANDs went down.
        stop: Why it ended: "done" (no candidate is left), "limit" (some proofs gave up), "stopped".
        ands_before: ANDs of the given circuit.
        ands_after: ANDs of the result.
        seconds: Time without reading the file.
        verified: Whether the result was proved equal to the given circuit.
        counters: Counters of the engine, such as SAT calls and conflicts.
    """

    changed: bool
    stop: str
    ands_before: int
    ands_after: int
    seconds: float
    verified: bool
    counters: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def sweep(
    circuit: str | os.PathLike[str] | Aig,
    *,
    verify: bool = False,
    conflict_limit: int = 1_000,
    timeout: float | None = None,
    seed: int = 1,
    progress: Callable[[Progress], None] | None = None,
    cancel: Stop | None = None,
) -> tuple[Aig, SweepStats]:
    """Merges what is proved equal.

    Args:
        circuit: A circuit file or an `Aig`, which stays as it is.
        verify: Prove the result equal to the given circuit by `lec`, without a time limit.
        conflict_limit: Conflicts of the solver a proof may take.
        timeout: Seconds after which the sweep ends with what it has merged so far.
        seed: Seed of the random patterns.
        progress: Called with a `Progress` as the work goes on.
        cancel: Ends the sweep with what it has merged so far; `timeout` sets its deadline.

    Returns:
        The smaller circuit, and the figures.

    Raises:
        ParseError: The file is not what its format says.
        VerifyError: The proof of `verify` was cut short.
        AssertionError: `verify` found a difference: a bug.
    """
    result, _, stats = sweep_tracked(
        circuit,
        verify=verify,
        conflict_limit=conflict_limit,
        timeout=timeout,
        seed=seed,
        progress=progress,
        cancel=cancel,
    )
    return result, stats


def sweep_tracked(
    circuit: str | os.PathLike[str] | Aig,
    *,
    verify: bool = False,
    conflict_limit: int = 1_000,
    timeout: float | None = None,
    seed: int = 1,
    progress: Callable[[Progress], None] | None = None,
    cancel: Stop | None = None,
) -> tuple[Aig, NDArray[np.uint32], SweepStats]:
    """As `sweep`, and tells what became of each node.

    Returns:
        The smaller circuit; for every node of the given one its literal there, 2^32 - 1 for a node that was
        not needed or proved constant (`dmt_dialect.origins.NodeOrigins.moved` takes this); the figures.
    """
    aig = read_circuit(circuit) if isinstance(circuit, str | os.PathLike) else circuit
    start = time.monotonic()
    stop = Stop() if cancel is None else cancel
    if timeout is not None:
        stop.set_timeout(timeout)
    if progress is not None:
        progress(Progress(0, 0, "sweeping"))
    sweeper = Sweeper(aig, np.zeros((0, 2), dtype=np.uint32), seed=seed)
    outcome = _rounds(sweeper, conflict_limit, stop)
    result = sweeper.reduced()
    seconds = time.monotonic() - start
    if verify:
        verdict = lec(aig, result, match="order", seed=seed, progress=progress, cancel=cancel)
        if verdict.different:
            raise AssertionError(f"the swept circuit differs from the given one\n{verdict}")
        if not verdict.equivalent:
            raise VerifyError(f"the swept circuit was not proved equal to the given one\n{verdict}")
    before, after = aig.num_ands, result.num_ands
    stats = SweepStats(after < before, outcome, before, after, seconds, verify, sweeper.stats())
    return result, sweeper.node_map(), stats


def _rounds(sweeper: Sweeper, conflict_limit: int, stop: Stop) -> str:
    """Sweeps with rising limits until nothing gives up or `conflict_limit` is reached; why it ended."""
    limit, given_up = min(FIRST_CONFLICT_LIMIT, conflict_limit), 0
    while sweeper.run(limit, stop) != "stopped":
        before, given_up = given_up, sweeper.stats()["unknown"]
        if given_up == before:
            return "done"
        if limit == conflict_limit:
            return "limit"
        limit = min(limit * CONFLICT_LIMIT_GROWTH, conflict_limit)
    return "stopped"
