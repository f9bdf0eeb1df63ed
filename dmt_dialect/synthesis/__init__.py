"""Synthesis of AIGs: passes, pipelines of them in text, named recipes. See docs/synthesis.md."""

from __future__ import annotations

from dmt_dialect.synthesis.defaults import DEFAULT_PIPELINE
from dmt_dialect.synthesis.optimize import Optimized, optimize
from dmt_dialect.synthesis.passes import Native, Param, PassResult, SynthPass, known_passes, register_pass
from dmt_dialect.synthesis.pipeline import Pipeline, parse_pipeline
from dmt_dialect.synthesis.recipes import Recipe, known_recipes, register_recipe
from dmt_dialect.synthesis.runner import StepRecord

__all__ = [
    "DEFAULT_PIPELINE",
    "Native",
    "Optimized",
    "Param",
    "PassResult",
    "Pipeline",
    "Recipe",
    "StepRecord",
    "SynthPass",
    "known_passes",
    "known_recipes",
    "optimize",
    "parse_pipeline",
    "register_pass",
    "register_recipe",
]
