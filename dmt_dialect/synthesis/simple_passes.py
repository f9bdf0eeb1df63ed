"""Passes made of functions that are there for other uses too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from dmt_dialect.synthesis.passes import PassResult, Value

if TYPE_CHECKING:
    from dmt_dialect.synthesis.lut_mapping import Effort
    from dynomite._native.aig import Aig
    from dynomite._native.base import Stop


def run_strash(aig: Aig, params: Mapping[str, Value], stop: Stop, threads: int, seed: int) -> PassResult:
    """Hashes all ANDs anew. Cost: linear, about 50 ns an AND."""
    del params, stop, threads, seed
    return PassResult(aig.strash())


def run_clean(aig: Aig, params: Mapping[str, Value], stop: Stop, threads: int, seed: int) -> PassResult:
    """Drops dangling ANDs. Cost: linear."""
    del params, stop, threads, seed
    return PassResult(aig.cleanup())


def run_sweep(aig: Aig, params: Mapping[str, Value], stop: Stop, threads: int, seed: int) -> PassResult:
    """Merges what is proved equal; ended early it gives what it has merged so far."""
    from dmt_dialect.passes.sweep import sweep

    del threads
    result, stats = sweep(aig, conflict_limit=int(params["conflicts"]), seed=seed, cancel=stop)
    return PassResult(result, {"stop": stats.stop, **stats.counters})


def run_scl(aig: Aig, params: Mapping[str, Value], stop: Stop, threads: int, seed: int) -> PassResult:
    """Sequential clean-up; ended early it merges what was found until then, perhaps nothing."""
    from dmt_dialect.synthesis.latch_map import LatchMap
    from dynomite._native.seq import scl

    del threads
    flags = {name: bool(value) for name, value in params.items()}
    result, counts, codes, kept = scl(aig, **flags, seed=seed, stop=stop)
    return PassResult(result, counts, LatchMap.of(codes, kept))


def run_lutmap(aig: Aig, params: Mapping[str, Value], stop: Stop, threads: int, seed: int) -> PassResult:
    """Maps to look-up tables; the circuit stays as it is, the network is `extra`."""
    from dmt_dialect.synthesis.lut_mapping import map_luts_with_stats

    del threads, seed
    network, stats = map_luts_with_stats(
        aig,
        k=int(params["k"]),
        area_only=bool(params["area"]),
        extra_levels=int(params["extra_levels"]),
        effort=cast("Effort", params["effort"]),
        cuts=int(params["cuts"]) or None,
        choices=bool(params["choices"]),
        stop=stop,
    )
    return PassResult(aig, {"luts": stats.luts, "lut_levels": stats.levels}, extra=network)


def run_gates(aig: Aig, params: Mapping[str, Value], stop: Stop, threads: int, seed: int) -> PassResult:
    """Covers the circuit by gates; the circuit stays as it is, the network is `extra`."""
    from dmt_dialect.synthesis.gate_views import gate_view

    del threads, seed
    view = gate_view(
        aig,
        xor=bool(params["xor"]),
        mux=bool(params["mux"]),
        majority=bool(params["majority"]),
        xor3=bool(params["xor3"]),
        stop=stop,
    )
    return PassResult(aig, {"gates": view.num_gates, **view.counts}, extra=view.network)
