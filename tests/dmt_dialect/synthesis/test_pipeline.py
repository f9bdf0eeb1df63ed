"""The text form of pipelines: what it means, that it comes back, and where errors are."""

from __future__ import annotations

import random

import pytest

from dmt_dialect.synthesis import Param, PassResult, Recipe, SynthPass, known_passes, known_recipes, passes
from dmt_dialect.synthesis import recipes as recipes_module
from dmt_dialect.synthesis.listing import listing
from dmt_dialect.synthesis.passes import register_pass
from dmt_dialect.synthesis.pipeline import MOST_NESTED, Block, Call, Pipeline, parse_pipeline
from dmt_dialect.synthesis.recipes import register_recipe
from dynomite._native.aig import Aig
from dynomite.errors import ParseError, UsageError


def nothing(aig: Aig, *_: object) -> PassResult:
    return PassResult(aig)


@pytest.fixture(autouse=True)
def probe(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass with a parameter of each type, and one that gives no AIG, in a registry of their own."""
    monkeypatch.setattr(passes, "_passes", dict(known_passes()))
    monkeypatch.setattr(recipes_module, "_recipes", dict(known_recipes()))
    params = (
        Param("k", 6, "A number.", low=2, high=16),
        Param("zero", False, "A truth value."),
        Param("part", 0.5, "A fraction.", low=0, high=1),
        Param("mode", "area", "A choice.", choices=("area", "delay")),
        Param("text", "", "A text."),
    )
    register_pass(SynthPass("probe", nothing, "Does nothing.", params))
    register_pass(SynthPass("mapper", nothing, "Maps.", last=True))


def test_the_example_of_the_design() -> None:
    parsed = parse_pipeline("strash; probe(k=8,zero=true); until-converge(3){strash; sweep}")
    first, second, loop = parsed.items
    assert isinstance(first, Call)
    assert isinstance(second, Call)
    assert isinstance(loop, Block)
    assert (second.params["k"], second.params["zero"], second.params["part"]) == (8, True, 0.5)
    assert second.given == {"k", "zero"}
    assert (loop.kind, loop.rounds, len(loop.body)) == ("until-converge", 3, 2)
    assert str(parsed) == "strash; probe(k=8, zero=true); until-converge(3){ strash; sweep }"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("", ""),
        (" ;; # nothing\n", ""),
        ("strash;", "strash"),
        ("probe()", "probe"),
        ("probe(k = 6, part=1)", "probe(k=6, part=1.0)"),
        ("probe(part=2.5e-1, mode=delay)", 'probe(part=0.25, mode="delay")'),
        ('probe(text="a; b } #", )', 'probe(text="a; b } #")'),
        ("until-converge{}", "until-converge{  }"),
        ("repeat(2){best{strash;sweep;}};clean", "repeat(2){ best{ strash; sweep } }; clean"),
        ("strash # first\n; clean-up", "strash; clean-up"),
        ("strash; mapper;", "strash; mapper"),
    ],
)
def test_forms(text: str, form: str) -> None:
    parsed = parse_pipeline(text)
    assert str(parsed) == form
    assert str(parse_pipeline(form)) == form


def random_items(rng: random.Random, depth: int) -> str:
    found: list[str] = []
    for _ in range(rng.randint(1, 4)):
        kind = rng.choice(["pass", "probe", "block"] if depth else ["pass", "probe"])
        if kind == "pass":
            found.append(rng.choice(["strash", "clean", "sweep(conflicts=7)", "clean-up"]))
        elif kind == "probe":
            found.append(f"probe(k={rng.randint(2, 16)}, zero={rng.choice(['true', 'false'])})")
        else:
            head = rng.choice(["until-converge", "until-converge(3)", "repeat(2)", "best"])
            found.append(f"{head}{{{random_items(rng, depth - 1)}}}")
    return ";".join(found)


def test_the_text_form_comes_back(rng: random.Random) -> None:
    for _ in range(200):
        parsed = parse_pipeline(random_items(rng, 3))
        assert parse_pipeline(str(parsed)) == parsed


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("strsh", (1, 1), "unknown pass or recipe 'strsh'; did you mean 'strash'?"),
        ("xyzzy", (1, 1), "there are strash, clean,"),
        ("strash;\n  swep", (2, 3), "did you mean 'sweep'?"),
        ("strash sweep", (1, 8), "';' is needed between steps"),
        ("strash(x=1)", (1, 8), "'strash' has no parameter 'x' (there are: none)"),
        ("probe(q=1)", (1, 7), "there are: k, zero, part, mode, text"),
        ("probe(k=1, k=2)", (1, 9), "'k' is at least 2"),
        ("probe(k=17)", (1, 9), "'k' is at most 16"),
        ("probe(k=4.5)", (1, 9), "'k' is a whole number"),
        ("probe(k=x)", (1, 9), "'k' is a whole number"),
        ("probe(k=true)", (1, 9), "'k' is a whole number"),
        ("probe(k=9999999999999999999)", (1, 9), "the number is too large"),
        ("probe(zero=1)", (1, 12), "'zero' is true or false"),
        ("probe(part=1e999)", (1, 12), "'part' is at most 1"),
        ("probe(part=no)", (1, 12), "'part' is a number"),
        ("probe(mode=speed)", (1, 12), "'mode' is one of area, delay"),
        ("probe(text=3)", (1, 12), "'text' is a text"),
        ("probe(k=3, k=4)", (1, 12), "comes twice"),
        ("probe(k 3)", (1, 9), "'=' is needed"),
        ("probe(k=)", (1, 9), "a value for 'k' is needed"),
        ("probe(k=3", (1, 10), "',' is needed"),
        ("probe(3)", (1, 7), "a parameter NAME=VALUE is needed"),
        ("probe{strash}", (1, 6), "'probe' is no loop"),
        ("clean-up(3)", (1, 9), "has no parameters"),
        ("until-converge(3)strash", (1, 18), "needs its steps in '{}'"),
        ("until-converge(0){strash}", (1, 16), "the number of rounds is 1 to"),
        ("until-converge(1.5){strash}", (1, 16), "the number of rounds is 1 to"),
        ("repeat{strash}", (1, 7), "needs a number of rounds"),
        ("best(2){strash}", (1, 6), "has no number of rounds"),
        ("best{strash", (1, 12), "'}' is missing"),
        ("strash}", (1, 7), "the name of a pass or recipe is needed"),
        ("}", (1, 1), "the name of a pass or recipe is needed"),
        ("repeat(2){mapper}", (1, 1), "cannot stand in 'repeat'"),
        ("mapper; strash", (1, 15), "nothing can follow 'mapper'"),
        ("strash; ä", (1, 9), "unexpected 'ä'"),
        ('probe(text="ä", q=1)', (1, 18), "no parameter 'q'"),
        ("best{" * (MOST_NESTED + 1), (1, 5 * MOST_NESTED + 1), f"more than {MOST_NESTED} deep"),
        ("best{" * 100_000, (1, 5 * MOST_NESTED + 1), "nested"),
    ],
)
def test_errors_have_a_place(text: str, place: tuple[int, int], message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_pipeline(text, "P")
    assert message in str(caught.value)
    assert (caught.value.line, caught.value.column) == place
    assert str(caught.value).startswith(f"P:{place[0]}:{place[1]}: error: ")


def test_recipes_may_use_recipes_but_not_themselves() -> None:
    register_recipe(Recipe("one", "strash; sweep", "One."))
    register_recipe(Recipe("two", "one; repeat(2){one}", "Two."))
    parsed = parse_pipeline("two; strash")
    assert str(parsed) == "two; strash"
    assert parsed.recipes() == {"one", "two"}
    assert [str(item) for item in parsed.walk() if isinstance(item, Call)].count("sweep") == 2
    for name in ("one", "two"):
        with pytest.raises(UsageError, match="would use itself"):
            register_recipe(Recipe(name, "two", "In a circle."))
    with pytest.raises(UsageError, match="is a pass"):
        register_recipe(Recipe("strash", "clean", "No."))
    with pytest.raises(ParseError, match="unknown pass"):
        register_recipe(Recipe("three", "nothing-of-the-kind", "No."))


def test_a_default_has_to_be_allowed() -> None:
    with pytest.raises(UsageError, match="default of 'k' of 'bad' is at least 2"):
        register_pass(SynthPass("bad", "m:f", "Bad.", (Param("k", 1, "K.", low=2),)))


@pytest.mark.parametrize("name", known_recipes())
def test_recipes_are_pipelines(name: str) -> None:
    parsed = parse_pipeline(known_recipes()[name].text)
    assert parsed != Pipeline(())
    assert name not in parsed.recipes()


def test_the_listing_has_everything() -> None:
    text = listing()
    for entry in known_passes().values():
        assert f"  {entry.name} " in text
        assert entry.doc.endswith(".")
        for param in entry.params:
            assert f"      {param.name}=" in text
            assert param.doc.endswith(".")
    for recipe in known_recipes().values():
        assert f"  {recipe.name} " in text
        assert recipe.text in text
    assert 'mode="area"  A choice. (area, delay)' in text
    assert "k=6  A number. (2 to 16)" in text
