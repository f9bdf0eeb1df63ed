"""The text form of rules: reading, printing, bytecode, errors with their places."""

# ruff: noqa: E501 - one row of a table a line

from __future__ import annotations

import pytest

from dmt_dialect.ops import OP
from dynomite.errors import ParseError, UsageError
from dynomite.ir import Context, Module, load, parse, print_module, read_bytecode, same_module, write_bytecode
from dynomite.rewriting import syntax as s
from dynomite.rewriting.ir_form import rules_of
from dynomite.rewriting.ir_writer import module_of


def context() -> Context:
    made = Context()
    load(made, OP)
    return made


def read(text: str, *, locations: bool = False) -> Module:
    return parse("using op\n" + text, context(), path="f.dyn", locations=locations)


def rule(body: str) -> str:
    return f"let r = InstrPat {{ {body} }}\n"


CANONICAL = """\
let add_zero = InstrPat {
  let doc = "x + 0 = x"
  match { op.ADD %d:def, %x / constant(0) }
  if { !(one_use(%x) || same(%x, %d)) }
  if { (%a + 1) * 2 < -5 }
  if { !(%a == 3) }
  emit { REPLACE_USES %d, %x }
}
let push_not = InstrPat private {
  match { op.NOT %d:def(op.bits(%w)), (op.AND %a, %b) }
  emit { op.OR %d, (op.NOT %a), (op.NOT %b) }
}
let simple = RuleSet {
  let doc = "a set"
  include @add_zero
  let all = InstrPat {
    match { $i: %o:(op.MUL | op.ADD) %d:def, (%x:(op.NOT .), %y | %y), constant(%c, 0x1ffffffffffffffff)* \
/ %zs:(constant(_)+, ()), ((op.AND | op.OR) %y), %x }
    if { power_of_two(%c) }
    if { call "package.module:function"(%x, %c) }
    emit {
      op.SHL %t:def(3), %x, constant(log2(%c))
      op.SLICE %d, (%o def(width(%x) + 1), %y, 7), number(3 - %c), -4
      op.SLICE %u:def(type(%y)), %y, number(min(%c, 3)), 0
      op.ZEXT %v:def(type(%y, count(%zs))), %y
      op.ZEXT %v2:def(op.bits(signed(%c, 4))), constant(~%c, 9)
      DELETE $i
      REPLACE_ALL $i, %t
    }
    do { call "a:b"(%x) }
  }
  let inner = RuleSet {
    let any = InstrPat {
      match { _ }
    }
  }
}
let every = InstrPat {
  match { _ (%x | .)*, def(.*), use(op.bits | op.bits(_)), (%y)*, %"odd name", (%z | %z:.+)+ }
}
"""


def test_printed_text_is_read_back_identically() -> None:
    module = parse(CANONICAL, context())
    assert print_module(module) == CANONICAL
    assert same_module(parse(print_module(module), context()), module)


def test_bytecode_keeps_rules() -> None:
    module = parse(CANONICAL, context())
    again = read_bytecode(write_bytecode(module), context())
    assert same_module(again, module)
    assert print_module(again) == CANONICAL


def test_syntax_tree_and_instructions_are_the_same() -> None:
    module = parse(CANONICAL.replace("include @add_zero\n", ""), context())
    rules = rules_of(module)
    again = module_of(rules.values(), context())
    assert rules_of(again) == rules
    expected = CANONICAL.replace("  include @add_zero\n", "").replace(" private", "")
    expected = expected.replace(
        "  let inner = RuleSet {\n    let any = InstrPat {\n      match { _ }\n    }\n  }\n",
        "  let any = InstrPat {\n    match { _ }\n  }\n",
    )
    assert print_module(again) == expected


def test_included_rules_are_in_the_set() -> None:
    rules = rules_of(parse(CANONICAL, context()))
    simple = rules["simple"]
    assert isinstance(simple, s.RuleSet)
    assert [one.name for one in simple.rules] == ["add_zero", "all", "any"]
    assert simple.doc == "a set"


def test_locations_print_in_the_long_form() -> None:
    module = parse(CANONICAL, context(), path="f.dyn", locations=True)
    text = print_module(module, locations=True)
    assert 'rewrite.CONST 0 _ loc("f.dyn":3:' in text
    again = parse(text, context())
    assert same_module(again, module)
    assert print_module(again) == CANONICAL


def test_places_of_nodes() -> None:
    found = rules_of(read(rule("match { ADD %d:def,\n  constant(0) }"), locations=True))["r"]
    assert isinstance(found, s.Rule)
    assert isinstance(found.root.operands, s.Sequence)
    assert found.location == ("f.dyn", 2, 1)
    assert found.root.location == ("f.dyn", 2, 28)
    assert found.root.operands.parts[1].location == ("f.dyn", 3, 3)


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("ADD %d, ((%x))", "op.ADD %d, %x"),
        ("ADD (%d, %x), %y", "op.ADD (%d, %x), %y"),
        ("ADD %x:., def(.), use(.)", "op.ADD %x, def, use"),
        ("ADD %x:(.*)", "op.ADD %x:.*"),
        ("ADD (%x:.)*", "op.ADD (%x)*"),
        ("ADD ., .|., ./., .", "op.ADD ., . | ., . / ., ."),
        ("ADD (., . | .), . / .", "op.ADD (., . | .), . / ."),
        ("ADD (. / .)* , .", "op.ADD (. / .)*, ."),
        ("%i:%o:(ADD|SUB) .", "$i: %o:(op.ADD | op.SUB) ."),
        ("ADD %d:def, (NOT (AND .*))", "op.ADD %d:def, (op.NOT (op.AND .*))"),
        ("ADD ($i:NOT .), (_ .), ((AND|OR) .), (%o:AND .)",
         "op.ADD ($i: op.NOT .), (_ .), ((op.AND | op.OR) .), (%o:op.AND .)"),
        ("ADD bits(8), op.bits, bits(%w), bits(_)", "op.ADD op.bits(8), op.bits, op.bits(%w), op.bits(_)"),
        ("ADD constant(-0x8000000000000000), constant(0x8000000000000000), constant(-0x8000000000000001)",
         "op.ADD constant(-9223372036854775808), constant(9223372036854775808), "
         "constant(-9223372036854775809)"),
        ("ADD constant(-0x123456789012345678901)", "op.ADD constant(-0x123456789012345678901)"),
        ("NOT", "op.NOT"),
        ("NOT ()", "op.NOT"),
        ("NOT // a comment\n %d", "op.NOT %d"),
    ],
)  # fmt: skip
def test_forms_of_patterns(written: str, printed: str) -> None:
    text = print_module(read(rule(f"match {{ {written} }}")))
    assert text == f"let r = InstrPat {{\n  match {{ {printed} }}\n}}\n"
    assert print_module(read(text)) == text


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("1 + 2 * 3 == 4", "1 + (2 * 3) == 4"),
        ("(1 + 2) * 3 == 4", "(1 + 2) * 3 == 4"),
        ("1 - 2 - 3 < 4", "(1 - 2) - 3 < 4"),
        ("1 | 2 ^ 3 & 4 << 5 >> 6 != 0", "1 | (2 ^ (3 & ((4 << 5) >> 6))) != 0"),
        ("-%x >= ~1 % 2 / 3", "-%x >= ((~(1) % 2) / 3)".replace("((", "(").replace(") / 3)", ") / 3")),
        ("-(1) > -1", "-(1) > -1"),
        ("!!one_use(%x)", "!!one_use(%x)"),
        ("(one_use(%x) || is_constant(%x)) || 1 < 2", "(one_use(%x) || is_constant(%x)) || 1 < 2"),
        ("((1 < 2))", "1 < 2"),
        ("same_type(%x, %y)", "same_type(%x, %y)"),
        ("signed(max(1, 2, 3), width(%x)) <= log2(count(%x))",
         "signed(max(1, 2, 3), width(%x)) <= log2(count(%x))"),
    ],
)  # fmt: skip
def test_forms_of_conditions(written: str, printed: str) -> None:
    text = print_module(read(rule(f"match {{ ADD %x, %y }} if {{ {written} }}")))
    assert text.splitlines()[2] == f"  if {{ {printed} }}"
    assert print_module(read(text)) == text


def test_several_conditions() -> None:
    one = print_module(read(rule("match { ADD %x, %y } if { one_use(%x) && !one_use(%y) } if { 1 < 2 }")))
    assert one.count("if {") == 3


@pytest.mark.parametrize(
    ("body", "place", "message"),
    [
        ("match { ADDD %x }", "2:28", "unknown operation 'ADDD'; did you mean 'ADD'?"),
        ("match { ADD bitz(3) }", "2:32", "unknown type 'bitz'"),
        ("match { ADD bits(3, 4) }", "2:32", "the type 'op.bits' has 1 parameter, not 2"),
        ("match { ADD NOT }", "2:32", "a nested instruction stands in parentheses, as in (NOT %x)"),
        ("match { ADD %x* }", "2:32", "the name of a repetition stands in front of it, as in %x:.*"),
        ("match { ADD % }", "2:32", "expected a name behind the sign"),
        ("match { ADD ., }", "2:35", "expected an operand: '.', a name, a type, constant(...)"),
        ("match { ADD (. }", "2:35", "expected ')' at the end of the group"),
        ("match { ADD constant(x) }", "2:41", "expected a number, a name or '_'"),
        ("match { (ADD|_) . }", "2:33", "'_', any operation, stands alone"),
        ("match { $i:%o:%p:ADD }", "2:34", "the instruction and its operation have names already"),
        ("if { 1 < 2 }", "2:20", "a rule needs 'match' in front of 'if'"),
        ("", "2:21", "a rule needs 'match'"),
        ("let name = 3", "2:24", "a rule has only the property 'doc'"),
        ("then { }", "2:20", "expected 'let doc', 'match', 'if', 'emit', 'do' or '}'"),
        ("match { ADD . } match { ADD . }", "2:36", "a rule has, in this order"),
        ("match { ADD . } if { onse(%x) }", "2:41", "unknown condition 'onse'"),
        ("match { ADD . } if { 1 + }", "2:45", "expected a number, a name, or one of width"),
        ("match { ADD . } if { 1 }", "2:43", "expected one of == != < <= > >= behind a number"),
        ("match { ADD . } if { log2(1, 2) == 1 }", "2:41", "log2 takes one number, signed two"),
        ("match { ADD . } if { (one_use(%x) && 1 < 2) }", "2:54", "'&&' stands between whole conditions"),
        ("match { ADD . } emit { ADD 3, 4 }", "2:47", "expected a definition"),
        ("match { ADD . } emit { ADD %d }", "2:47", "the match has no %d; a new definition is written"),
        ("match { ADD . } emit { ADD }", "2:43", "this operation defines 1 value, not 0"),
        ("match { ADD . } emit { ADD %t:def, 3 }", "2:47", "needs a type, as no definition"),
        ("match { ADD . } emit { REPLACE_USES %d, constant(3) }", "2:60", "needs a width, as no definition"),
        ("match { ADD %d:def } emit { REPLACE_USES %d, (ASSERT 1) }", "2:66", "an operation used as"),
        ("match { ADD %d:def } emit { ADD %d:def(3), 1, 2 }", "2:55", "a definition that is replaced keeps"),
        ("match { ADD %d:def } emit { %o %d }", "2:48", "%o is no name of an operation"),
        ("match { %o:(ADD|ASSERT) %d:def } emit { %o %d }", "2:60", "different numbers of definitions"),
        ("match { ADD . } do { call f() }", "2:46", "expected the name of a function in quotes"),
        ("match { ADD . } do { f() }", "2:41", "expected call"),
    ],
)  # fmt: skip
def test_errors_have_places(body: str, place: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(rule(body))
    assert str(caught.value).startswith(f"f.dyn:{place}: error: "), caught.value
    assert message in str(caught.value)


MESSAGES = [
    ("match { %o:(ADD|ASSERT) %d:def } emit { %o %d }", "the operations %o stands for have different numbers of definitions"),
    ("match { %o:(ADD|ASSERT) %d:def } emit { %o %d }", " stands for have different numbers of definitions"),
    ("match { %o:(ADD|ASSERT) %d:def } emit { %o %d }", "the operations %"),
    ("match { ASSERT %d } emit { ASSERT %t:def(bits(1)), 1 }", "this operation defines 0 values, not 1"),
    ("match { ADD . } if { (one_use(%x) && 1 < 2) }", "'&&' stands between whole conditions, not inside of a group"),
    ("match { ADD . } if { onse(%x) }", "'; there are one_use, power_of_two, is_constant, same, same_type, call and comparisons"),
    ("match { ADD . } emit { ADD %d }", "; a new definition is written %"),
    ("match { ADD %d:def } emit { ADD %d:def(3), 1, 2 }", "a definition that is replaced keeps its type"),
    ("match { ADD %d:def } emit { REPLACE_USES %d, (ASSERT 1) }", "an operation used as operand defines one value"),
    ("match { ADD %d:def } emit { REPLACE_USES %d }", "expected ',' behind the definition"),
    ("match { ADD %x, %y } if { same(%x) }", "expected ',' between two names"),
    ("match { ADD %d:def } emit { REPLACE_USES %d, %x:use }", "expected 'def' behind ':'"),
    ("match { ADD . } if { 1 + }", "expected a number, a name, or one of width, count, log2, signed, min and max"),
    ("match { ADD %d:def } emit { REPLACE_USES %d, bits }", "expected an operand: a name, constant(...), number(...), a number or (OPERATION ...)"),
    ("match { ADD %d:def } emit { = }", "expected an operation, REPLACE_USES, REPLACE_ALL or DELETE"),
    ("match { ADD . } if { log2(1, 2) == 1 }", "log2 takes one number, signed two: a number and a width"),
    ("match { ADD . } emit { ADD %t:def, 3 }", "needs a type, as no definition of the matched instruction has a name"),
    ("match { ADD . } emit { REPLACE_USES %d, constant(3) }", "needs a width, as no definition of the matched instruction has a name"),
    ("match { ADD bits(3, 4) }", " parameter, not "),
    ("match { ADD t.pair(3) }", " parameters, not "),
    ("match { ADD . } match { ADD . }", "a rule has, in this order, 'let doc', 'match', any number of 'if', 'emit' and 'do'"),
    ("match { ADD " + "def(" * 200 + " }", "a rule is nested at most 150 deep"),
    ("let doc 3", "expected '=' behind 'doc'"),
    ("match { $i ADD . }", "expected ':' behind the name of an instruction"),
    ("match { %o ADD . }", "expected ':' behind the name of an operation"),
    ("match { ADD . } if { one_use(x) }", "expected a name, %..., in a condition"),
    ("match { ADD . } do { f() }", 'expected call "package.module:function"(%names)'),
    ("let include = 3", "a rule has only the property 'doc'"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "message"), MESSAGES)
def test_whole_messages(body: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(
            "dialect t { let pair = type { let params = list { %a:core.unsigned, %b:core.any } } }\n"
            + rule(body)
        )
    assert message in str(caught.value).splitlines()[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("let r = InstrPat { match { ADD %d:def, . } emit { ADD %d, 1, 2", "the text ends inside of 'emit'"),
        ("let r = InstrPat { match { ADD . }", "the text ends inside of a rule"),
        ("let r = RuleSet {\n include r\n}", "expected a rule or set of rules, as in include @name"),
    ],
)
def test_messages_about_ends_and_sets(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(text)
    assert message in str(caught.value)


def test_reading_goes_on_behind_an_error() -> None:
    with pytest.raises(ParseError) as caught:
        read(
            rule("match { ADD (.,(,)) }\n emit { }") + "ADDD\n" + rule("match { SUBB }").replace("r =", "s =")
        )
    assert [line for line in str(caught.value).splitlines() if ": error: " in line] == [
        "f.dyn:2:36: error: expected an operand: '.', a name, a type, constant(...), def, use or a group",
        "f.dyn:4:1: error: unknown operation 'ADDD'; did you mean 'op.ADD'?".replace("op.", ""),
        "f.dyn:5:28: error: unknown operation 'SUBB'; did you mean 'SUB'?",
    ]


def test_text_that_ends_early() -> None:
    for end in range(len(CANONICAL)):
        text = CANONICAL[:end]
        try:
            module = parse(text, context())
        except ParseError:
            continue
        assert same_module(parse(print_module(module), context()), module)


@pytest.mark.parametrize("opening", ["(", "def(", "%x:", "(op.NOT "])
def test_deep_nesting_is_refused(opening: str) -> None:
    with pytest.raises(ParseError, match="nested at most 150 deep"):
        read(rule("match { ADD " + opening * 100_000 + " }"))
    with pytest.raises(ParseError, match="nested at most 150 deep"):
        read(rule("match { ADD . } if { " + "1 + " * 100_000 + "1 < 2 }"))
    with pytest.raises(ParseError, match="nested at most 150 deep"):
        read(rule("match { ADD . } if { " + "!" * 100_000 + "one_use(%x) }"))


def test_deepest_rule_prints() -> None:
    module = read(rule("match { ADD " + "def(" * 140 + "." + ")" * 140 + " }"))
    assert print_module(read(print_module(module))) == print_module(module)
    assert rules_of(module)["r"]


def test_what_the_short_form_cannot_say_is_written_out() -> None:
    text = """\
rewrite.PATTERN @odd {
  rewrite.MATCH {
    rewrite.INSTR ["op.ADD"] _ _ {
      rewrite.SAME "x"
    }
  }
}
rewrite.PATTERN @"odd name" {
  rewrite.MATCH {
    rewrite.INSTR ["unknown.OP"] _ _ {
      rewrite.SEQ {
        rewrite.ANY
      }
    }
  }
}
rewrite.PATTERN @width {
  rewrite.MATCH {
    rewrite.INSTR ["op.ADD"] _ _ {
      rewrite.TYPE "op.bits" 3 4
    }
  }
}
rewrite.DOC "no rule"
"""
    module = parse(text, context())
    assert print_module(module) == text
    assert rules_of(module)["odd"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rewrite.PATTERN @a { rewrite.ANY }", "rewrite.ANY is not as"),
        ("rewrite.PATTERN @a { }", "the rule @a has no match"),
        ("rewrite.PATTERN @a { rewrite.MATCH { rewrite.ANY } }", "rewrite.MATCH is not as"),
        ("let a = RuleSet " + "{ rewrite.RULES @b " * 2000 + "{ }" + "}" * 2000, "nested more than 154 deep"),
        ("let a = RuleSet { rewrite.DOC }", "rewrite.DOC is not as"),
        (
            "rewrite.PATTERN @a { rewrite.MATCH " + "{ rewrite.DEF " * 2000 + "}" * 2001,
            "nested more than 154 deep",
        ),
        ("rewrite.PATTERN @a { rewrite.DO }", "rewrite.DO is not as"),
        ("rewrite.PATTERN @a { rewrite.IF { rewrite.CALL } }", "rewrite.CALL is not as"),
        (
            'rewrite.PATTERN @a { rewrite.IF { rewrite.COMPARE "=" { rewrite.COUNT "x"; rewrite.COUNT "x" } } }',
            "rewrite.COMPARE is",
        ),
        (
            'rewrite.PATTERN @a { rewrite.IF { rewrite.COMPARE "<" { rewrite.ARITH "?" { } } } }',
            "rewrite.COMPARE is",
        ),
        ("rewrite.PATTERN @a { rewrite.MATCH { rewrite.TYPE } }", "rewrite.TYPE is not as"),
        ("let a = RuleSet { include @a }", "the set of rules @a includes itself"),
        ("let a = RuleSet { core.GRAPH @x { } }", "core.GRAPH is no part of a set of rules"),
        ("core.GRAPH @g { }\nlet a = RuleSet { include @g }", "include names a rule or set of rules"),
    ],
)
def test_instructions_that_are_no_rules(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rules_of(parse(text, context()))


def test_declared_operations_are_printed_in_front() -> None:
    text = "extern dialect demo {\n  let A = core.instr { let defs = 1; }\n}\n" + rule(
        "match { demo.A %d:def }"
    )
    module = parse(text, context())
    assert print_module(module).startswith("extern dialect demo {")
    assert same_module(parse(print_module(module), Context()), module)
