"""Rules that are refused when they are declared, with their places."""

# ruff: noqa: E501 - one row of a table a line

from __future__ import annotations

import pytest

from dmt_dialect.rewriting.libraries import read_rules
from dynomite.errors import ParseError

REFUSED = [
    # Names.
    ("match { ADD %d:def, %x, %y } emit { REPLACE_USES %d, %z }", "2:73", "%z is not bound"),
    ("match { ADD %d:def, %x, %y } if { %z > 3 } emit { REPLACE_USES %d, %x }", "2:54", "%z is not bound"),
    ("match { ADD %d:def, (%x, %y | %y, constant(_)) } emit { REPLACE_USES %d, %x }", "2:93", "in some alternatives only"),
    ("match { ADD %d:def, (%x:bits | .), %x } emit { REPLACE_USES %d, constant(0) }", "2:55", "in some alternatives only"),
    ("match { ADD %d:def, %x, %x:(NOT .) } emit { REPLACE_USES %d, %x }", "2:44", "%x is bound twice"),
    ("match { ADD %d:def, (%x:bits)* } emit { REPLACE_USES %d, constant(0) }", "2:41", "inside of a repetition"),
    ("match { ADD %d:def, %xs:.* } emit { REPLACE_USES %d, %xs }", "2:73", "%xs is a list, and not an operand"),
    ("match { ADD %d:def, %xs:.* } if { one_use(%xs) } emit { ADD %d, %xs }", "2:54", "%xs is a list, and not an operand or an instruction"),
    ("match { ADD %d:def, %xs:.* } if { width(%xs) > 1 } emit { ADD %d, %xs }", "2:54", "%xs is a list, and not an operand"),
    ("match { %o:(ADD|SUB) %d:def, %o, %x } emit { REPLACE_USES %d, %x }", "2:49", "%o is not bound here"),
    ("match { ADD %d:def(bits(%w)), %x, %y } emit { REPLACE_USES %d, %w }", "2:83", "%w is a number, and not an operand"),
    ("match { ADD %d:def(bits(%w)), %w:(NOT .), %y } emit { REPLACE_USES %d, %y }", "2:50", "%w stands for a number elsewhere"),
    ("match { $i: ADD %d:def, %x, %i } emit { REPLACE_USES %d, %x }", "2:48", "%i is not bound here"),
    ("match { ADD %d:def, %x, %y } emit { DELETE $x }", "2:56", "%x is an operand, and not an instruction"),
    ("match { ADD %d:def, %x, %y } emit { ADD %t:def, %x, %y; ADD %t:def, %x, %y; REPLACE_USES %d, %t }", "2:80", "%t has a meaning already"),
    # Definitions.
    ("match { ADD %d:def, %x, %y } emit { REPLACE_USES %x, %y }", "2:56", "%x is no definition of the matched instruction"),
    ("match { ADD %d:def, %x, %y } emit { REPLACE_USES %d, %x; REPLACE_USES %d, %y }", "2:77", "%d is overwritten twice"),
    ("match { ADD %d:def, %x, %y } emit { SUB %d, %x, %d }", "2:68", "%d is overwritten and cannot be used"),
    ("match { ADD %d:def, %x, %y } emit { SUB %d, %x, (NOT %d) }", "2:73", "%d is overwritten and cannot be used"),
    ("match { $i: ADD %d:def, %x, %y } emit { DELETE $i; DELETE $i }", "2:71", "$i is deleted twice"),
    ("match { ADD %d:def, %x, %y }", "2:1", "it does nothing"),
    # Widths and types.
    ("match { EQ %d:def, %x, %y } emit { REPLACE_USES %d, %x }", "2:1", "a value of width 1 is replaced by one of width 2"),
    ("match { ADD %d:def, %x, %y } emit { ZEXT %d, (SLICE def(3), %x, 2, 0) }", "2:1", "SLICE"),
    ("match { ADD %d:def, %x, %y } emit { REPLACE_USES %d, constant(0, 8) }", "2:1", "a value of width 1 is replaced by one of width 8"),
    ("match { ADD %d:def(bits(8)), %x:bits(4), %y } emit { REPLACE_USES %d, %y }", "2:1", "it cannot match: no widths"),
    ("match { MUX %d:def, %s, %x, %y } emit { AND %d, %s, %x }", "2:1", "AND"),
    ("match { CONCAT %d:def, %x, %y } emit { CONCAT %d, %y, %x, %x }", "2:1", "CONCAT"),
    # Alternatives and operands.
    ("match { ADD %d:def, (. | constant(0)), %x } emit { REPLACE_USES %d, %x }", "2:45", "it is never reached"),
    ("match { ADD %d:def, (constant(_) | constant(0)), %x } emit { REPLACE_USES %d, %x }", "2:55", "it is never reached"),
    ("match { ADD %d:def, (constant(1) | constant(1)), %x } emit { REPLACE_USES %d, %x }", "2:55", "it is never reached"),
    ("match { ADD %d:def, (bits | bits(8)), %x } emit { REPLACE_USES %d, %x }", "2:48", "it is never reached"),
    ("match { (ADD|SUB|ADD) %d:def, %x, %y } emit { REPLACE_USES %d, %x }", "2:28", "op.ADD stands there twice"),
    ("match { SUB %d:def, %x } emit { REPLACE_USES %d, %x }", "2:28", "op.SUB has 3 operands, its definitions included, and not 2"),
    ("match { SUB %d:def, %x, %y, %z } emit { REPLACE_USES %d, %x }", "2:28", "and not 4"),
    ("match { ADD %d:def, (NOT %x, %y), %z } emit { REPLACE_USES %d, %x }", "2:41", "op.NOT has 1 operands behind its definitions"),
    ("match { ADD %d:def, def(constant(0)), %x } emit { REPLACE_USES %d, %x }", "2:40", "only values are defined"),
    ("match { ADD %d:def, (NOT def(.)), %x } emit { REPLACE_USES %d, %x }", "2:45", "without their definitions"),
    ("match { ADD %d:def, (()|.)*, %x } emit { REPLACE_USES %d, %x }", "2:40", "may match nothing"),
    ("match { ADD %d:def, (.*)*, %x } emit { REPLACE_USES %d, %x }", "2:40", "may match nothing"),
    ("match { ADD %d:def, constant(0, 0), %x } emit { REPLACE_USES %d, %x }", "2:40", "at least one bit"),
    # Conditions and functions.
    ('match { ADD %d:def, %x, %y } if { call "no.such:thing"(%x) } emit { REPLACE_USES %d, %x }', "2:54", "there is no function"),
    ('match { ADD %d:def, %x, %y } do { call "nothing registered"() }', "2:49", "no function is registered"),
    ("match { ADD %d:def, constant(%c), %y } if { is_constant(%c) } emit { REPLACE_USES %d, %y }", "2:64", "%c is a constant always"),
    ("match { ADD %d:def, %x, %y } if { 1 < 2 } emit { REPLACE_USES %d, %x }", "2:54", "always the same"),
    # What is built.
    ("match { ADD %d:def, %x, %y } emit { SUB %d, %x }", "2:56", "op.SUB takes 2 operands, not 1"),
    ("match { ADD %d:def, %x, %y } emit { NOT %d, %x, %y }", "2:56", "op.NOT takes 1 operands, not 2"),
]  # fmt: skip


def declare(body: str) -> None:
    read_rules(f"using op\nlet r = InstrPat {{ {body} }}\n", path="f.dyn")


@pytest.mark.parametrize(("body", "place", "message"), REFUSED)
def test_wrong_rules_are_refused(body: str, place: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        declare(body)
    text = str(caught.value)
    assert message in text.splitlines()[0], text
    assert text.startswith(f"f.dyn:{place}: error: rule r: "), text


def test_the_line_is_shown() -> None:
    with pytest.raises(ParseError) as caught:
        declare("match { ADD %d:def, %x, %y } emit { REPLACE_USES %d, %z }")
    lines = str(caught.value).splitlines()
    assert lines[1].strip().startswith("let r = InstrPat")
    assert lines[2].index("^") == lines[1].index("%z }")


def test_all_problems_are_listed() -> None:
    with pytest.raises(ParseError) as caught:
        declare("match { ADD %d:def, %x, %y } if { one_use(%a) } emit { ADD %d, %b, %c }")
    assert str(caught.value).count("is not bound") == 3


def test_two_rules_of_one_name() -> None:
    one = "match { ADD %d:def, %x, constant(0) } emit { REPLACE_USES %d, %x }"
    text = f"using op\nlet s = RuleSet {{\nlet r = InstrPat {{ {one} }}\nlet q = InstrPat {{ {one} }}\n}}\n"
    with pytest.raises(
        ParseError, match=r"f.dyn:4:1: error: rule q: it is never applied: the rule r in front"
    ):
        read_rules(text, path="f.dyn")


@pytest.mark.parametrize(
    "body",
    [
        "match { ADD %d:def, %x, constant(%c) } emit { ADD %d, %x, %c }",
        "match { ADD %d:def, (%x, constant(0) | constant(0), %x) } emit { REPLACE_USES %d, %x }",
        "match { ADD %d:def, %x / (%x | (NOT %x)) } emit { ADD %d, %x, %x }",
        "match { EQ %d:def, %x, %y } if { width(%x) == 1 } emit { REPLACE_USES %d, %x }",
        "match { ADD %d:def(bits(32)), %x, constant(0) } emit { REPLACE_USES %d, %x }",
        "match { ADD %d:def, %xs:.+ / constant(0)+ } if { count(%xs) > 1 } emit { ADD %d, %xs }",
    ],
)
def test_right_rules_are_not_refused(body: str) -> None:
    declare(body)
