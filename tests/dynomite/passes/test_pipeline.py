from __future__ import annotations

import pytest

from dynomite._native.base import Stop
from dynomite.errors import ParseError, UsageError, VerifyError
from dynomite.ir import Builder, Context, Dialect, Module, SymbolRef, load
from dynomite.passes import Pipeline

D = Dialect("pipe")
USE = D.op("USE", variadic=True)


def empty_module() -> Module:
    context = Context()
    load(context, D)
    return Module(context)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        ("  ", ""),
        ("cse", "cse"),
        ("cse;dce ;  symbol_dce", "cse; dce; symbol_dce"),
        ("cse ( commutative = false ) ; verify(limit=10);", "cse(commutative=false); verify(limit=10)"),
        ("cse(commutative=true)", "cse"),
        ("dce()", "dce"),
    ],
)
def test_text_form(text: str, canonical: str) -> None:
    assert str(Pipeline.parse(text)) == canonical
    assert str(Pipeline.parse(canonical)) == canonical


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("cse dce", 5),
        ("cse;;dce", 5),
        ("cse(commutative)", 5),
        ("cse(commutative=true,)", 22),
        ("(", 1),
        ("cse(", 4),
    ],
)
def test_bad_text(text: str, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        Pipeline.parse(text)
    assert caught.value.column == column


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dcee", "did you mean 'dce'"),
        ("dce(x=1)", "has no parameter 'x'"),
        ("cse(commutative=1)", "is true or false"),
        ("verify(limit=many)", "is a number"),
        ("verify(limit=1, limit=2)", "comes twice"),
    ],
)
def test_bad_passes(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Pipeline.parse(text)


def test_steps_and_bisection() -> None:
    pipeline = Pipeline.parse("cse; dce; verify")
    steps = pipeline.run(empty_module())
    assert [step.name for step in steps] == ["cse", "dce", "verify"]
    assert not any(step.result.changed for step in steps)
    assert [step.name for step in pipeline.run(empty_module(), bisect=1)] == ["cse"]


def test_a_failure_names_its_pass() -> None:
    module = empty_module()
    Builder(module).build(USE, SymbolRef("x"))
    with pytest.raises(VerifyError) as caught:
        Pipeline.parse("cse; verify(limit=3)").run(module)
    assert caught.value.__notes__ == ["in pass 2 of 2: verify(limit=3)"]


def test_a_stopped_pipeline_leaves_the_rest_out() -> None:
    module = empty_module()
    Builder(module).build(USE)
    stop = Stop()
    stop.cancel()
    steps = Pipeline.parse("cse; dce").run(module, stop=stop)
    assert len(steps) == 1
    assert steps[0].result.stop == "cancelled"
