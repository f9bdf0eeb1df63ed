"""Named pipelines."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """A pipeline with a name, which pipelines may use as if it were a pass.

    Attributes:
        name: Its name.
        text: The pipeline.
        doc: What it is for, one sentence.
    """

    name: str
    text: str
    doc: str


_recipes: dict[str, Recipe] = {}


def register_recipe(recipe: Recipe) -> Recipe:
    """Makes a recipe known, or replaces the one of the same name.

    Its text may use recipes that are registered already, so that none can lead back to itself.

    Raises:
        ParseError: The text is no pipeline.
        UsageError: The name is that of a pass, or the recipe would use itself.
    """
    from dmt_dialect.synthesis.passes import known_passes
    from dmt_dialect.synthesis.pipeline import parse_pipeline
    from dynomite.errors import UsageError

    if recipe.name in known_passes():
        raise UsageError(f"register_recipe: '{recipe.name}' is a pass")
    if recipe.name in parse_pipeline(recipe.text).recipes():
        raise UsageError(f"register_recipe: '{recipe.name}' would use itself")
    _recipes[recipe.name] = recipe
    return recipe


def known_recipes() -> dict[str, Recipe]:
    """All recipes by name."""
    return _recipes


for _recipe in (
    Recipe("clean-up", "strash; sweep", "Only redundancy that can be proved away."),
    Recipe(
        "fast",
        "balance; rewrite; sweep(conflicts=3); resub",
        "Most of the gain in little time.",
    ),
    Recipe(
        "resyn2",
        "balance; rewrite; refactor; balance; rewrite; rewrite(zero=true); balance; refactor(zero=true); "
        "rewrite(zero=true); balance",
        "Rewriting and refactoring with balancing between.",
    ),
    Recipe(
        "compress2rs",
        "balance; rewrite; sweep(conflicts=30); resub; refactor(fanout_free=false); "
        "best{ extract(k=6, density=250) }; refactor(dont_cares=true); rewrite(zero=true); "
        "resub(sat=true, odc=5, conflicts=10, chunk=100000); balance; "
        "rewrite(zero=true); resub(k=10); balance",
        "Small circuits: exact windows and shared divisors, then what cannot happen and what cannot be seen.",
    ),
    Recipe(
        "deep",
        "best{ extract(k=8); extract(k=8) }; compress2rs; "
        "until-converge(1000){ best{ extract(k=7) }; rewrite; refactor(fanout_free=false, zero=true); "
        "resub(k=10); rewrite(zero=true); refactor; "
        "resub(k=10, sat=true, odc=5, conflicts=100, chunk=100000); balance }",
        "Rounds until none gains; give it a time limit.",
    ),
):
    _recipes[_recipe.name] = _recipe
