"""Technology mapping: covers an AIG by look-up tables of up to k inputs (LUTs).

    y = AND(AND(a, b), AND(c, d))    ->    one LUT of four inputs

Priority cuts (Mishchenko, Cho, Chatterjee, Brayton, "Combinational and sequential mapping with priority
cuts", ICCAD 2007): a round for the fewest levels, then rounds of area flow and of exact local area under the
required times that follow. Limits: `k` is 2 to 8; at most 32 cuts are kept a node, so that neither the levels
nor the number of LUTs is proved to be the least; the time is limited by `timeout` or `stop`.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from dynomite._native import map as _map
from dynomite._native.base import Stop
from dynomite._native.map import LutNetwork
from dynomite.errors import UsageError

if TYPE_CHECKING:
    from dynomite._native.aig import Aig

__all__ = ["Effort", "LutMapStats", "LutNetwork", "map_luts", "map_luts_with_stats"]

Effort = Literal["fast", "normal", "high"]


@dataclass(frozen=True)
class LutMapStats:
    """What a mapping did.

    Attributes:
        luts: LUTs of the result.
        levels: Its levels.
        fewest_levels: Levels of the mapping with the fewest.
        choices: Further structures of nodes, from other versions.
        luts_by_round: LUTs after each round.
    """

    luts: int
    levels: int
    fewest_levels: int
    choices: int
    luts_by_round: tuple[int, ...]


def map_luts(
    aig: Aig,
    *,
    k: int = 6,
    depth: int | None = None,
    extra_levels: int = 0,
    area_only: bool = False,
    effort: Effort = "normal",
    cuts: int | None = None,
    choices: bool | Sequence[Aig] = False,
    timeout: float | None = None,
    stop: Stop | None = None,
) -> LutNetwork:
    """Covers a circuit by LUTs: as few levels as possible, then as few LUTs as possible.

    Args:
        aig: The circuit. Latches, properties and names are kept; what no root needs is left out.
        k: Inputs of a LUT, 2 to 8.
        depth: At most so many levels instead of the fewest; where that is not enough, the fewest.
        extra_levels: So many levels more than the fewest.
        area_only: No limit of levels.
        effort: "fast": 4 rounds with 5 cuts a node, 8 for `k` above 6. "normal": 8 rounds with 6 or 12.
            "high": 17 rounds with 12 or 16.
        cuts: Cuts kept a node, 1 to 32, instead of those: more are slower and as a rule a little smaller.
        choices: Other versions of the circuit, the best first, equivalent to it output for output, latch for
            latch; that is taken for granted (`dynomite.lec` proves it). True: a balanced one and that
            rewritten. All are swept by SAT together, and where nodes are proved equal, a LUT may be made from
            any of them: fewer LUTs and fewer levels, in several times the time. Net names may get lost.
        timeout: Seconds.
        stop: Ends the call from another thread or at a deadline.

    Returns:
        The network; its roots are those of the circuit.

    Raises:
        UsageError: A parameter is out of range.
        LimitError: The time is over, or `stop` ended the call.

    Cost:
        Linear; about 5 to 9 microseconds a node, 3 with less effort, 30 with more.

    Example:
        >>> from dmt_dialect.aig import Aig
        >>> aig = Aig()
        >>> a, b, c, d = aig.add_inputs(4)
        >>> aig.add_output((a ^ b) & (c | d))
        >>> map_luts(aig)
        <LutNetwork: 1 LUTs of 6 inputs, 1 levels>
    """
    return map_luts_with_stats(
        aig,
        k=k,
        depth=depth,
        extra_levels=extra_levels,
        area_only=area_only,
        effort=effort,
        cuts=cuts,
        choices=choices,
        timeout=timeout,
        stop=stop,
    )[0]


def map_luts_with_stats(
    aig: Aig,
    *,
    k: int = 6,
    depth: int | None = None,
    extra_levels: int = 0,
    area_only: bool = False,
    effort: Effort = "normal",
    cuts: int | None = None,
    choices: bool | Sequence[Aig] = False,
    timeout: float | None = None,
    stop: Stop | None = None,
) -> tuple[LutNetwork, LutMapStats]:
    """The same, with figures on how it went. See `map_luts`."""
    if depth is not None and (extra_levels or area_only):
        raise UsageError("map_luts: `depth`, `extra_levels` and `area_only` exclude each other")
    if not 0 <= extra_levels < 1 << 30 or not (depth is None or 0 <= depth < 1 << 30):
        raise UsageError("map_luts: levels go from 0 to 2^30")
    if cuts is not None and not 1 <= cuts <= 32:
        raise UsageError("map_luts: cuts must be 1 to 32")
    if timeout is not None:
        if stop is not None:
            raise UsageError("map_luts: give `timeout` or `stop`, not both")
        stop = Stop()
        stop.set_timeout(timeout)
    counted = _map.LutMapStats()
    if choices is True:
        choices = _own_versions(aig, stop)
    network = _map.map_luts(
        aig,
        list(choices or ()),
        k=k,
        effort=effort,
        cuts=0 if cuts is None else cuts,
        area_only=area_only,
        max_levels=depth,
        extra_levels=extra_levels,
        stats=counted,
        stop=stop,
    )
    return network, LutMapStats(
        network.num_luts,
        network.num_levels,
        counted.fewest_levels,
        counted.choices,
        tuple(counted.luts_by_round),
    )


def _own_versions(aig: Aig, stop: Stop | None) -> tuple[Aig, ...]:
    opt: Any = importlib.import_module("dynomite._native.opt")
    balanced: Aig = opt.balance(aig, stop=stop)[0]
    rewritten: Aig = opt.rewrite(balanced, stop=stop)[0]
    return rewritten, balanced
