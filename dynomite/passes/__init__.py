"""Generic passes over modules of IR."""

from __future__ import annotations

from dynomite._native.passes import clone_module, clone_region
from dynomite.passes.base import Params, Pass, PassResult
from dynomite.passes.greedy import Pattern, apply_patterns_greedily
from dynomite.passes.pipeline import Pipeline, Step, make_pass
from dynomite.passes.verify import verify

__all__ = [
    "Params",
    "Pass",
    "PassResult",
    "Pattern",
    "Pipeline",
    "Step",
    "apply_patterns_greedily",
    "clone_module",
    "clone_region",
    "make_pass",
    "verify",
]
