"""Questions in code, against the operators' table, by every engine and on every way round."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from dmt_dialect.bitblast import BitVec, WordAttr, WordOpInfo, WordShape, evaluate, operators, result_width
from dmt_dialect.dmt_ops import DMT
from dmt_dialect.ops import OP
from dmt_dialect.problems import (
    Answer,
    Problem,
    circuit_from_problem,
    module_from_problem,
    problem_from_script,
    read_problem,
    solve_problem,
)
from dmt_dialect.smt import read_smtlib, write_smtlib
from dmt_dialect.solve import solve_aig
from dynomite._native.base import Stop
from dynomite.errors import UsageError, VerifyError
from dynomite.ir import Context, Module, load, parse, print_module
from dynomite.passes import verify

BELOW = """dmt.VAR %x:def(op.bits(8)) {name = "x"}
dmt.VAR %y:def(op.bits(8))
op.ULT %a:def(op.bits(1)) %x %y
op.ASSERT %a {name = "below"}
op.ULT %b:def(op.bits(1)) %y constant(2, 8)
op.ASSUME %b
"""


def read(text: str) -> Module:
    context = Context()
    load(context, DMT, OP)
    module = parse(text, context)
    verify(module)
    return module


def ask(text: str, engine: str = "auto") -> Answer:
    return solve_problem(read_problem(read(text)), engine=engine)  # type: ignore[arg-type]


def question(info: WordOpInfo, rng: random.Random, width: int) -> tuple[str, list[BitVec], str]:
    """Code that pins the operands and asserts the result, with what has to be said about it at the end."""
    count = {WordShape.UNARY: 1, WordShape.REDUCE: 1, WordShape.ATTRIBUTE: 1, WordShape.MUX: 3}.get(
        info.shape, 2
    )
    widths = [width] * count
    if info.shape is WordShape.MUX:
        widths[0] = 1
    elif info.shape in (WordShape.SHIFT, WordShape.INDEX, WordShape.CONCAT, WordShape.WIDEN):
        widths[1] = rng.randint(1, 4)
    values = [BitVec(rng.getrandbits(w), w) for w in widths]
    more = ""
    attrs: dict[str, Any] = {}
    if info.attr is WordAttr.RANGE:
        attrs = {"lo": rng.randrange(width), "hi": width - 1}
        more = f" {attrs['hi']} {attrs['lo']}"
    elif info.attr is WordAttr.COUNT:
        attrs = {"number": 3}
    elif info.attr is WordAttr.WIDTH:
        attrs = {"number": width + 2}
    elif info.attr is WordAttr.TABLE:
        table = BitVec(rng.getrandbits(3 << width), 3 << width)
        attrs, more = {"table": table}, f" constant({table.unsigned}, {table.width})"
    result = evaluate(info.op, *values, **attrs)
    assert result.width == result_width(info.op, *widths, **attrs)
    lines = [f"dmt.VAR %v{i}:def(op.bits({w}))" for i, w in enumerate(widths)]
    operands = " ".join(f"%v{i}" for i in range(count))
    lines.append(f"op.{info.name} %r:def(op.bits({result.width})) {operands}{more}")
    for i, value in enumerate(values):
        lines.append(f"op.EQ %e{i}:def(op.bits(1)) %v{i} constant({value.unsigned}, {value.width})")
        lines.append(f'op.ASSERT %e{i} {{name = "v{i}"}}')
    lines.append(f"op.EQ %c:def(op.bits(1)) %r constant({result.unsigned}, {result.width})")
    return "\n".join(lines) + "\n", values, "op.ASSERT %c\n"


@pytest.mark.parametrize("info", operators(), ids=lambda info: info.name)
@pytest.mark.parametrize("width", [1, 5])
def test_every_operator(info: WordOpInfo, width: int, tmp_path: Path) -> None:
    """The result of the table is the only one: as terms, as a circuit, through SMT-LIB and back."""
    text, values, claim = question(info, random.Random(f"{info.name}{width}"), width)
    wrong = "op.NOT %n:def(op.bits(1)) %c\nop.ASSUME %n\n"
    model = {f"v{i}": value for i, value in enumerate(values)}
    answer = ask(text + claim)
    assert (answer.status, answer.model) == ("sat", model)
    refuted = ask(text + wrong)
    assert refuted.status == "unsat"
    assert "assume0" in refuted.core
    aig = circuit_from_problem(read(text + claim))
    bits = [bit == "1" for value in values for bit in reversed(value.binary)]
    for flipped in range(-1, len(bits)):  # the operands as they are, then with one bit flipped
        given = {lit: bit ^ (i == flipped) for i, (lit, bit) in enumerate(zip(aig.inputs, bits, strict=True))}
        assert aig.evaluate(aig.outputs, given) == [flipped < 0]
    problem = read_problem(read(text + claim))
    again = print_module(module_from_problem(problem), declarations=False)
    assert ask(again).model == model
    path = tmp_path / "question.smt2"
    write_smtlib(problem.terms, [each.term for each in problem.assertions], path)
    assert solve_problem(problem_from_script(read_smtlib(path))).model == model


def test_every_operator_by_z3() -> None:
    """All operators in one question, which z3 reads as SMT-LIB."""
    text = ""
    model: dict[str, BitVec] = {}
    for number, info in enumerate(operators()):
        code, values, claim = question(info, random.Random(number), 3)
        prefix = f"%o{number}"
        text += (code + claim).replace("%", prefix)
        model |= {f"{prefix[1:]}v{i}": value for i, value in enumerate(values)}
    answer = ask(text, "smt")
    assert (answer.status, answer.engine, answer.model) == ("sat", "z3", model)


def test_answers_name_what_contradicts() -> None:
    answer = ask(BELOW)
    assert answer.status == "sat"
    assert bool(answer)
    assert answer.model is not None
    assert answer.model["x"].unsigned < answer.model["y"].unsigned < 2
    assert str(answer).splitlines()[1:] == ["  x = 0 (0x00)", "  y = 1 (0x01)"]
    extra = 'op.EQ %c:def(op.bits(1)) %x constant(7, 8)\nop.ASSERT %c {name = "seven"}\n'
    idle = 'op.NE %d:def(op.bits(1)) %x constant(9, 8)\nop.ASSERT %d {name = "idle"}\n'
    refuted = ask(BELOW + idle + extra)
    assert not refuted
    assert refuted.core == ("below", "seven", "assume0")
    assert str(refuted) == "unsat: below, seven, assume0 contradict each other"


def test_chains_of_more_than_two() -> None:
    text = """dmt.VAR %x:def(op.bits(4))
op.ADD %s:def(op.bits(4)) %x %x %x constant(1, 4)
op.EQ %c:def(op.bits(1)) %s constant(0, 4)
op.ASSERT %c
"""
    answer = ask(text)
    assert answer.model is not None
    assert (3 * answer.model["x"].unsigned + 1) % 16 == 0
    assert solve_aig(circuit_from_problem(read(text))).status == "sat"


def test_constants_alone() -> None:
    assert ask("op.ASSERT constant(1, 1)\n").status == "sat"
    assert ask("op.ASSERT constant(0, 1)\n").core == ("assert0",)
    assert solve_aig(circuit_from_problem(read("op.ASSERT constant(0, 1)\n"))).status == "unsat"


def test_scripts_become_code() -> None:
    script = b"""(set-logic QF_BV)
(declare-const p Bool)
(declare-const a (_ BitVec 8))
(declare-const b (_ BitVec 8))
(assert (! (=> p (= (bvadd a b) #x0a)) :named total))
(assert (= (ite p a b) (concat #b01 ((_ extract 5 0) b))))
(check-sat-assuming (p))
"""
    problem = problem_from_script(read_smtlib(script))
    assert [claim.name for claim in problem.assertions] == ["total", "assert1"]
    module = read(print_module(module_from_problem(problem), declarations=False))
    answer = solve_problem(read_problem(module))
    assert answer.model is not None
    p, a, b = (answer.model[name].unsigned for name in ("p", "a", "b"))
    assert p == 1
    assert (a + b) % 256 == 10
    assert a == 0x40 | (b & 0x3F)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (b"(push 1)", "push is not one question"),
        (b"(check-sat)(check-sat)", "two checks"),
        (b"(declare-const p Bool)(check-sat)(assert p)", "goes on after its check"),
    ],
)
def test_scripts_of_several_questions(script: bytes, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        problem_from_script(read_smtlib(b"(set-logic QF_BV)" + script))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dmt.FALSE %x:def(dmt.node)\n", "dmt.FALSE has no place"),
        (BELOW + 'dmt.VAR %z:def(op.bits(8)) {name = "x"}\n', "two variables are called 'x'"),
        ("dmt.VAR %x:def(dmt.node)\n", "no row of bits"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    module = read(text)
    with pytest.raises(VerifyError, match=message):
        read_problem(module)
    with pytest.raises(VerifyError, match=message):
        circuit_from_problem(module)


def test_cancelled() -> None:
    stop = Stop()
    stop.cancel()
    answer = solve_problem(read_problem(read(BELOW)), cancel=stop)
    assert (answer.status, answer.model, answer.core) == ("undecided", None, ())
    assert str(answer).startswith("undecided: ")


def test_deep_terms() -> None:
    """A chain of 20,000 operators there and back: nothing recurses."""
    lines = ["dmt.VAR %v0:def(op.bits(2))"]
    lines += [f"op.NEG %v{i + 1}:def(op.bits(2)) %v{i}" for i in range(20_000)]
    lines += ["op.EQ %c:def(op.bits(1)) %v20000 constant(2, 2)", "op.ASSERT %c"]
    problem = read_problem(read("\n".join(lines) + "\n"))
    assert len(list(module_from_problem(problem).body)) > 20_000
    assert isinstance(problem, Problem)
