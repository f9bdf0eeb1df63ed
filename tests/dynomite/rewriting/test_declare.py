"""Rules declared in Python: the same trees as text makes, and errors with their places."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dmt_dialect import ops as op
from dmt_dialect.rewriting.libraries import read_rules
from dmt_dialect.rewriting.proving import check_rule
from dynomite.errors import ParseError, UsageError
from dynomite.ir import Context, load, parse, print_module
from dynomite.rewriting import syntax as s
from dynomite.rewriting.declare import (
    Constant,
    Operand,
    Operands,
    Rewrite,
    anything,
    const,
    constant,
    count,
    holds,
    instr,
    is_constant,
    largest,
    least,
    log2,
    number,
    one_use,
    power_of_two,
    rule,
    rule_set,
    same,
    same_op,
    same_type,
    signed,
    typed,
    value,
    width,
)
from dynomite.rewriting.ir_form import rules_of
from dynomite.rewriting.ir_writer import module_of


def small(x: object) -> bool:
    return x is not None


@rule
def add_zero(x: Operand) -> Rewrite:
    """x + 0 = x"""
    return instr(op.ADD, x / 0).replaced_by(x)


@rule
def mul_power_of_two(x: Operand, c: Constant) -> Rewrite:
    return (
        instr(op.MUL, x / c)
        .when(power_of_two(c))
        .replaced_by(instr(op.SHL, x, const(log2(c), log2(width()) + 1)))
    )


@rule
def de_morgan(x: Operand, y: Operand) -> Rewrite:
    return instr(op.NOT, instr(op.AND, x, y)).replaced_by(instr(op.OR, instr(op.NOT, x), instr(op.NOT, y)))


@rule
def equal_not(x: Operand, y: Operand, i: Operand) -> Rewrite:
    pattern = instr((op.EQ, op.NE), instr(op.NOT, x).named(i), instr(op.NOT, y)).with_op("o")
    return pattern.when(one_use(i)).replaced_by(same_op("o", x, y))


@rule
def add_self(x: Operand) -> Rewrite:
    return instr(op.ADD, x, x).replaced_by(instr(op.SHL, x, const(1, 2)))


@rule
def sign(x: Operand) -> Rewrite:
    top = number(width(x) - 1)
    return instr(op.SLT, x, 0).replaced_by(instr(op.SLICE, x, top, top))


@rule
def signs_differ(x: Operand, y: Operand) -> Rewrite:
    top = number(width(x) - 1)
    tops = [instr(op.SLICE, z, top, top, width=1) for z in (x, y)]
    return instr(op.SLT, instr(op.XOR, x, y), 0).replaced_by(instr(op.XOR, *tops))


@rule
def gather(xs: Operands, c: Constant, e: Constant) -> Rewrite:
    pattern = instr(op.ADD, xs / c / e)
    return pattern.when(count(xs) > 0).replaced_by(instr(op.ADD, xs, const(value(c) + value(e))))


TEXT = """
using op
let add_zero = InstrPat {
  let doc = "x + 0 = x"
  match { ADD %d:def, (%x / constant(0)) }
  emit { REPLACE_USES %d, %x }
}
let mul_power_of_two = InstrPat {
  match { MUL %d:def, (%x / constant(%c)) }
  if { power_of_two(%c) }
  emit { SHL %d, %x, constant(log2(%c), log2(width(%d)) + 1) }
}
let de_morgan = InstrPat {
  match { NOT %d:def, (AND %x, %y) }
  emit { OR %d, (NOT %x), (NOT %y) }
}
let equal_not = InstrPat {
  match { %o:(EQ | NE) %d:def, %i:(NOT %x), (NOT %y) }
  if { one_use(%i) }
  emit { %o %d, %x, %y }
}
let add_self = InstrPat {
  match { ADD %d:def, %x, %x }
  emit { SHL %d, %x, constant(1, 2) }
}
let sign = InstrPat {
  match { SLT %d:def, %x, constant(0) }
  emit { SLICE %d, %x, number(width(%x) - 1), number(width(%x) - 1) }
}
let signs_differ = InstrPat {
  match { SLT %d:def, (XOR %x, %y), constant(0) }
  emit { XOR %d, (SLICE def(1), %x, number(width(%x) - 1), number(width(%x) - 1)), \
(SLICE def(1), %y, number(width(%x) - 1), number(width(%x) - 1)) }
}
let gather = InstrPat {
  match { ADD %d:def, (%xs:.* / constant(%c) / constant(%e)) }
  if { count(%xs) > 0 }
  emit { ADD %d, %xs, constant(%c + %e) }
}
"""
DECLARED = [add_zero, mul_power_of_two, de_morgan, equal_not, add_self, sign, signs_differ, gather]


@pytest.mark.parametrize("declared", DECLARED, ids=lambda declared: declared.name)
def test_same_as_text(declared: s.Rule) -> None:
    text = {one.name: one for one in read_rules(TEXT).rules}
    assert declared == text[declared.name]
    assert check_rule(declared).status == "proved"


def test_the_same_instructions() -> None:
    context = Context()
    load(context, op.OP)
    module = module_of(DECLARED, context)
    assert rules_of(module) == rules_of(parse(TEXT, context))
    assert print_module(module) == print_module(parse(TEXT, context))


def test_everything_else_that_can_be_said() -> None:
    @rule
    def everything(x: Operand, y: Operand, xs: Operands, c: Constant) -> Rewrite:
        row = (
            anything() | constant(3, 8) / constant(),
            constant(-1) | typed(op.BITS, 8),
            typed(op.BITS).plus(),
        )
        numbers = value(c) * 2 + (value(c) - 1) * (3 - value(c)) // 2 % 5 & 7 ^ ~value(c) << 1 >> 1
        conditions = [
            numbers.equals(1) | numbers.differs(2) | ~(numbers < 3),
            numbers <= 4,
            numbers >= -value(c),
            signed(c, width(x)) > least(1, c, largest(2, 3)),
            (1 + value(c) | 2 * value(c)) < (1 << value(c)),
            ~is_constant(x) | same(x, y) | same_type(x, y) | same(xs, xs) | holds(small, x, xs, c),
        ]
        return instr(op.ADD, x, *row, y, c, xs).when(*conditions).when(count(xs) > 0).do(small, x)

    assert everything.do is not None
    assert len(everything.conditions) == 7
    context = Context()
    load(context, op.OP)
    module = module_of([everything], context)
    again = rules_of(parse(print_module(module), context))["everything"]
    assert print_module(module_of([again], context)) == print_module(module)


def place_of(mark: str) -> str:
    """Line and column behind a mark in this file."""
    for number_of_line, line in enumerate(Path(__file__).read_text("utf-8").splitlines(), 1):
        if f"# {mark}" in line and "place_of" not in line:
            found = re.search(r"\S", line.split("return ")[1])
            assert found
            return f":{number_of_line}:"
    raise AssertionError(mark)


def test_wrong_rules_are_refused_with_their_place() -> None:

    def unbound(x: Operand) -> Rewrite:
        return instr(op.ADD, x, x).replaced_by(instr(op.ADD, x, Operand("z")))  # mark one

    with pytest.raises(ParseError, match="%z is not bound") as caught:
        rule(unbound)
    text = str(caught.value)
    assert text.startswith(f"{__file__}{place_of('mark one')}")
    line, caret = text.splitlines()[1:3]
    assert line[caret.index("^") :].startswith('instr(op.ADD, x, Operand("z"))')


def test_other_wrong_rules() -> None:

    def other_width(x: Operand, y: Operand) -> Rewrite:
        return instr(op.EQ, x, y).replaced_by(x)

    with pytest.raises(ParseError, match="a value of width 1 is replaced by one of width"):
        rule(other_width)

    def hidden(x: Operand) -> Rewrite:
        return instr(op.ADD, x, anything() | constant(0)).replaced_by(x)

    with pytest.raises(ParseError, match="never reached"):
        rule(hidden)

    def too_few(x: Operand) -> Rewrite:
        return instr(op.SUB, x).replaced_by(x)

    with pytest.raises(ParseError, match=r"op.SUB has 3 operands, its definitions included, and not 2"):
        rule(too_few)

    def too_many(x: Operand) -> Rewrite:
        return instr(op.ADD, x, x).replaced_by(instr(op.NOT, x, x))

    with pytest.raises(ParseError, match=r"op.NOT takes 1 operands, not 2"):
        rule(too_many)


def test_misuse() -> None:

    def bad(x: int) -> Rewrite:
        return instr(op.ADD, x, x).replaced_by(const(0))

    with pytest.raises(UsageError, match="the parameter x of the rule bad needs"):
        rule(bad)

    def plain(x: Operand) -> Rewrite:
        return instr(op.NEG, x).replaced_by(instr(op.SUB, 0, x))

    with pytest.raises(UsageError, match=r"write const\(0\) or number\(0\)"):
        rule(plain)

    def emitted(x: Operand) -> Rewrite:
        return instr(op.ADD, x, const(0)).replaced_by(x)

    with pytest.raises(UsageError, match="a pattern has constant"):
        rule(emitted)

    def several(x: Operand) -> Rewrite:
        return instr(op.ADD, x, x).replaced_by(instr((op.ADD, op.SUB), x, x))

    with pytest.raises(UsageError, match="one operation"):
        rule(several)


def test_sets() -> None:
    made = rule_set("all", *DECLARED, doc="some")
    assert [one.name for one in made.rules] == [one.name for one in DECLARED]
    assert rule_set("outer", made, rule_set("empty")).rules == made.rules
    with pytest.raises((ParseError, UsageError), match="never applied"):
        rule_set("twice", add_zero, s.Rule("other", add_zero.root, emits=add_zero.emits))
