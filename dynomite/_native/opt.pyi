"""Passes that make circuits smaller and shallower."""

import dynomite._native.aig
import dynomite._native.base


def rewrite(aig: dynomite._native.aig.Aig, *, leaves: int = 4, zero: bool = False, keep_levels: bool = False, cuts: int = 24, structures: int = 14, threads: int = 1, chunk: int = 0, stop: dynomite._native.base.Stop | None = None) -> tuple[dynomite._native.aig.Aig, dict[str, object]]:
    """Rewriting of cuts of four or five leaves; see `dmt_dialect.synthesis`."""

def resub(aig: dynomite._native.aig.Aig, *, k: int = 8, inserts: int = 3, divisors: int = 150, sat: bool = False, odc: int = 0, words: int = 16, conflicts: int = 100, zero: bool = False, keep_levels: bool = False, seed: int = 1, threads: int = 1, chunk: int = 0, stop: dynomite._native.base.Stop | None = None) -> tuple[dynomite._native.aig.Aig, dict[str, object]]:
    """Resubstitution; see `dmt_dialect.synthesis`."""

def balance(aig: dynomite._native.aig.Aig, *, sharing: int = 16, xors: bool = False, muxes: bool = False, stop: dynomite._native.base.Stop | None = None) -> tuple[dynomite._native.aig.Aig, dict[str, object]]:
    """Balancing; see `dmt_dialect.synthesis`."""

def refactor(aig: dynomite._native.aig.Aig, *, leaves: int = 10, fanout_free: bool = True, dont_cares: bool = False, care_leaves: int = 12, products: int = 60, zero: bool = False, keep_levels: bool = False, threads: int = 1, chunk: int = 0, stop: dynomite._native.base.Stop | None = None) -> tuple[dynomite._native.aig.Aig, dict[str, object]]:
    """Refactoring; see `dmt_dialect.synthesis`."""

def extract(aig: dynomite._native.aig.Aig, *, k: int = 6, area: bool = True, cuts: int = 0, products: int = 64, growth: int = 0, density: int = 0, literals: int = 4, pairs: int = 40000000, stop: dynomite._native.base.Stop | None = None) -> tuple[dynomite._native.aig.Aig, dict[str, object]]:
    """Extraction of common divisors; see `dmt_dialect.synthesis`."""
