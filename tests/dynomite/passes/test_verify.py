"""Checks of dialects beside the common rules; the native tests (tests/native/test_verify.cpp) have those."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dynomite._native.base import Stop
from dynomite.errors import VerifyError
from dynomite.ir import Context, Dialect, InstrRef, Interface, Module, load, parse
from dynomite.ir.verification import VERIFY, Check, Complaint
from dynomite.passes.pipeline import Pipeline
from dynomite.passes.verify import verify

D = Dialect("checked")
IN = D.op("IN", defs=1)
ADD = D.op("ADD", defs=1, uses=2)
BAD = D.op("BAD", variadic=True)
FUNC = D.op("FUNC", symbol=True, isolated=True)


def module_of(text: str) -> Module:
    context = Context()
    load(context, D)
    return parse("using checked\n" + text, context, path="f.dyn", locations=True, check_symbols=False)


def checks() -> Interface[Check | None]:
    return Interface("verify", default=None)


def errors(module: Module, interface: Interface[Check | None], limit: int = 1000) -> list[str]:
    with pytest.raises(VerifyError) as caught:
        verify(module, checks=interface, limit=limit)
    return str(caught.value).split("\n")


def test_all_errors_are_collected_the_common_ones_first() -> None:
    interface = checks()

    @interface.of(IN)
    def port(instr: InstrRef) -> str | None:
        return None if instr.attribute("port") else "needs the attribute port"

    @interface.of(BAD)
    def bad(instr: InstrRef) -> Iterator[str | Complaint]:
        yield "is bad"
        yield Complaint("is worse", (("because of this", instr.module.body.first), ("and more", None)))

    module = module_of("IN %a:def\nBAD %a\nFUNC @f { }\nBAD @nowhere\nIN %b:def {port = 1}")
    assert errors(module, interface) == [
        "f.dyn:5:1: error: checked.BAD: unknown symbol @nowhere",
        "f.dyn:2:1: error: checked.IN: needs the attribute port",
        "f.dyn:3:1: error: checked.BAD: is bad",
        "f.dyn:3:1: error: checked.BAD: is worse",
        "  f.dyn:2:1: note: because of this",
        "  note: and more",
    ]
    assert errors(module, interface, limit=2)[1:] == [
        "f.dyn:2:1: error: checked.IN: needs the attribute port",
        "2 more errors",
    ]
    assert errors(module, interface, limit=0) == ["1 more errors"]
    verify(module_of("IN %a:def {port = 1}"), checks=interface)


def test_checks_of_a_dialect_and_overrides() -> None:
    interface = checks()
    interface.set_dialect(D, lambda instr: f"has {len(instr.uses)} uses")
    interface.set(ADD, None)
    assert errors(module_of("IN %a:def\nADD %b:def %a %a\nBAD %a"), interface) == [
        "f.dyn:2:1: error: checked.IN: has 0 uses",
        "f.dyn:4:1: error: checked.BAD: has 1 uses",
    ]


def test_a_check_may_raise() -> None:
    interface = checks()

    @interface.of(BAD)
    def raises(instr: InstrRef) -> None:
        if instr.attribute("how") == "verify":
            raise VerifyError("says no")
        raise KeyError("oops")

    module = module_of('BAD {how = "verify"}\nBAD\nBAD {how = "verify"}')
    with pytest.raises(VerifyError) as caught:
        verify(module, checks=interface)
    assert str(caught.value).split("\n") == [
        "f.dyn:2:1: error: checked.BAD: says no",
        "f.dyn:3:1: error: checked.BAD: its check test_a_check_may_raise.<locals>.raises failed: "
        "KeyError: 'oops'",
        "f.dyn:4:1: error: checked.BAD: says no",
    ]
    assert isinstance(caught.value.__cause__, KeyError)


def test_checks_see_only_what_obeys_the_common_rules() -> None:
    interface = checks()
    seen: list[str] = []
    interface.set_dialect(D, lambda instr: seen.append(instr.name))
    module = module_of("IN %a:def\nBAD @nowhere")
    assert len(errors(module, interface)) == 1
    assert seen == ["checked.IN"]


def test_the_pass_and_pipelines_use_the_checks_of_all_dialects() -> None:
    VERIFY.set(BAD, lambda instr: "is always bad")
    with pytest.raises(VerifyError, match=r"f.dyn:2:1: error: checked.BAD: is always bad"):
        Pipeline.parse("cse; verify").run(module_of("BAD"))
    assert Pipeline.parse("verify").run(module_of("IN %a:def"))[0].result.stats["visited"] == 1
    stop = Stop()
    stop.cancel()
    assert not Pipeline.parse("verify").run(module_of("BAD"), stop=stop)[0].result.changed
