"""Rules applied to code: what they leave, and what happens on the way."""

from __future__ import annotations

import pytest

from dynomite.errors import UsageError
from dynomite.ir import Module
from dynomite.rewriting.driver import apply_rules
from tests.support.rewriting_cases import code_from, new_context, rules_from, shown

B8 = "def(op.bits(8))"


def rewritten(rules: str, code: str) -> str:
    context = new_context()
    module = code_from(code.replace("def8", B8), context)
    report = apply_rules(module, rules_from(rules, context))
    assert report.end == "fixed-point"
    return shown(module)


def plain(code: str) -> str:
    return shown(code_from(code.replace("def8", B8), new_context()))


ADD_ZERO = "let add_zero = InstrPat { match { ADD %d:def, %x / constant(0) } emit { REPLACE_USES %d, %x } }\n"
NOT_NOT = "let not_not = InstrPat { match { NOT %d:def, (NOT %x) } emit { REPLACE_USES %d, %x } }\n"
FOLD = """let fold = InstrPat { match { ADD %d:def, constant(%a), constant(%b) }
  emit { REPLACE_USES %d, constant(%a + %b) } }
let regroup = InstrPat { match { ADD %d:def, (ADD %x, constant(%a)), constant(%b) }
  emit { ADD %d, %x, constant(%a + %b) } }
"""

CASES: list[tuple[str, str, str, str]] = [
    ("first operand", ADD_ZERO, "IN %a:def8\nADD %s:def8 constant(0,8) %a\nOUT %s", "IN %a:def8\nOUT %a"),
    ("second operand", ADD_ZERO, "IN %a:def8\nADD %s:def8 %a constant(0,8)\nOUT %s", "IN %a:def8\nOUT %a"),
    (
        "not with three",
        ADD_ZERO,
        "IN %a:def8\nADD %s:def8 %a constant(0,8) %a\nOUT %s",
        "IN %a:def8\nADD %s:def8 %a constant(0,8) %a\nOUT %s",
    ),
    (
        "chain",
        ADD_ZERO,
        "IN %a:def8\nADD %s:def8 %a constant(0,8)\nADD %t:def8 %s constant(0,8)\nOUT %t %s",
        "IN %a:def8\nOUT %a %a",
    ),
    (
        "nested, erased",
        NOT_NOT,
        "IN %a:def8\nNOT %b:def8 %a\nNOT %c:def8 %b\nOUT %c",
        "IN %a:def8\nOUT %a",
    ),
    (
        "nested, still used",
        NOT_NOT,
        "IN %a:def8\nNOT %b:def8 %a\nNOT %c:def8 %b\nOUT %c %b",
        "IN %a:def8\nNOT %b:def8 %a\nOUT %a %b",
    ),
    (
        "uses before definitions are looked at again",
        FOLD,
        "IN %a:def8\nADD %b:def8 %a constant(3,8)\nADD %c:def8 %b constant(254,8)\nOUT %c",
        "IN %a:def8\nADD %c:def8 %a constant(1,8)\nOUT %c",
    ),
    (
        "all ones of any width",
        "let r = InstrPat { match { AND %d:def, %x / constant(-1) } emit { REPLACE_USES %d, %x } }",
        "IN %a:def(op.bits(70))\nAND %b:def(op.bits(70)) %a constant(0x3fffffffffffffffff,70)\nOUT %b",
        "IN %a:def(op.bits(70))\nOUT %a",
    ),
    (
        "wide constants",
        FOLD,
        "ADD %b:def(op.bits(100)) constant(0x8000000000000000000000001,100) "
        "constant(0x8000000000000000000000001,100)\nOUT %b",
        "OUT constant(2,100)",
    ),
    (
        "lists spliced, repetition",
        "let r = InstrPat { match { %o:(ADD|OR) %d:def, constant(0)+ / %xs:.+ } if { count(%xs) > 1 } "
        "emit { %o %d, %xs } }",
        "IN %a:def8\nIN %b:def8\nOR %c:def8 constant(0,8) %a constant(0,8) %b constant(0,8)\nOUT %c",
        "IN %a:def8\nIN %b:def8\nOR %c:def8 %a %b\nOUT %c",
    ),
    (
        "the same operand",
        "let r = InstrPat { match { XOR %d:def, %x, %x } emit { REPLACE_USES %d, constant(0) } }",
        "IN %a:def8\nIN %b:def8\nXOR %c:def8 %a %a\nXOR %e:def8 %a %b\nOUT %c %e",
        "IN %a:def8\nIN %b:def8\nXOR %e:def8 %a %b\nOUT constant(0,8) %e",
    ),
    (
        "the same operand in another part, whichever comes first",
        "let r = InstrPat { match { AND %d:def, %x / (NOT %x) } emit { REPLACE_USES %d, constant(0) } }",
        "IN %a:def8\nNOT %n:def8 %a\nAND %c:def8 %n %a\nAND %e:def8 %a %n\nOUT %c %e",
        "IN %a:def8\nOUT constant(0,8) constant(0,8)",
    ),
    (
        "alternatives",
        "let r = InstrPat { match { AND %d:def, (%x, constant(-1) | constant(-1), %x) } "
        "emit { REPLACE_USES %d, %x } }",
        "IN %a:def8\nAND %b:def8 %a constant(255,8)\nAND %c:def8 constant(255,8) %b\nOUT %c",
        "IN %a:def8\nOUT %a",
    ),
    (
        "conditions on numbers",
        "let r = InstrPat { match { MUL %d:def, %x, constant(%c) } if { power_of_two(%c) } "
        "emit { SHL %d, %x, constant(log2(%c)) } }",
        "IN %a:def8\nMUL %b:def8 %a constant(16,8)\nMUL %c:def8 %a constant(12,8)\nOUT %b %c",
        "IN %a:def8\nSHL %b:def8 %a constant(4,8)\nMUL %c:def8 %a constant(12,8)\nOUT %b %c",
    ),
    (
        "type parameters and a new value",
        "let r = InstrPat { match { ZEXT %d:def(bits(%w)), (ZEXT %x) } if { %w > 4 } emit { ZEXT %d, %x } }",
        "IN %a:def(op.bits(2))\nZEXT %b:def(op.bits(4)) %a\nZEXT %c:def8 %b\nOUT %c",
        "IN %a:def(op.bits(2))\nZEXT %c:def8 %a\nOUT %c",
    ),
    (
        "nested instructions made",
        "let r = InstrPat { match { NOT %d:def, (AND %a, %b) } emit { OR %d, (NOT %a), (NOT %b) } }",
        "IN %a:def8\nIN %b:def8\nAND %c:def8 %a %b\nNOT %n:def8 %c\nOUT %n",
        "IN %a:def8\nIN %b:def8\nNOT %1:def8 %a\nNOT %2:def8 %b\nOR %n:def8 %1 %2\nOUT %n",
    ),
    (
        "one use",
        "let r = InstrPat { match { NOT %d:def, %n:(XOR %a, %b) } if { one_use(%n) } "
        "emit { XNOR %d, %a, %b } }",
        "IN %a:def8\nXOR %x:def8 %a %a\nNOT %n:def8 %x\nXOR %y:def8 %a %a\nNOT %m:def8 %y\nOUT %n %m %y",
        "IN %a:def8\nXNOR %n:def8 %a %a\nXOR %y:def8 %a %a\nNOT %m:def8 %y\nOUT %n %m %y",
    ),
    (
        "one use left after another application",
        "let r = InstrPat { match { NOT %d:def, %n:(XOR %a, %b) } if { one_use(%n) } "
        "emit { XNOR %d, %a, %b } }\n"
        + ADD_ZERO
        + "let z = InstrPat { match { AND %d:def, . / constant(0) } emit { REPLACE_USES %d, constant(0) } }",
        "IN %a:def8\nXOR %x:def8 %a %a\nNOT %n:def8 %x\nAND %z:def8 %x constant(0,8)\nOUT %n %z",
        "IN %a:def8\nXNOR %n:def8 %a %a\nOUT %n constant(0,8)",
    ),
    (
        "attributes of the root stay",
        "let r = InstrPat { match { NEG %d:def, %x } emit { SUB %d, constant(0), %x } }",
        "IN %a:def8\nNEG %b:def8 %a {k = 3}\nOUT %b",
        "IN %a:def8\nSUB %b:def8 constant(0,8) %a {k = 3}\nOUT %b",
    ),
    (
        "two definitions",
        "let r = InstrPat { match { PAIR %p:def, %q:def, %x } "
        "emit { REPLACE_USES %p, %x  REPLACE_USES %q, %x } }",
        "IN %a:def8\nPAIR %p:def8 %q:def8 %a\nOUT %q %p",
        "IN %a:def8\nOUT %a %a",
    ),
    (
        "one of two definitions stays",
        "let r = InstrPat { match { PAIR %p:def, %q:def, %x } if { one_use(%p) } "
        "emit { REPLACE_USES %p, %x } }",
        "IN %a:def8\nPAIR %p:def8 %q:def8 %a\nOUT %q %p",
        "IN %a:def8\nPAIR %p:def8 %q:def8 %a\nOUT %q %a",
    ),
    (
        "all definitions at once",
        "let r = InstrPat { match { $i: PAIR %p:def, %q:def, %x } emit { REPLACE_ALL $i, %x, (NOT %x) } }",
        "IN %a:def8\nPAIR %p:def8 %q:def8 %a\nOUT %q %p",
        "IN %a:def8\nNOT %q:def8 %a\nOUT %q %a",
    ),
    (
        "definitions first, whatever the order",
        "let r = InstrPat { match { ANY %p:def, %q:def, %x, %y } "
        "emit { REPLACE_USES %p, %x REPLACE_USES %q, %y } }",
        "IN %a:def8\nIN %b:def8\nANY %p:def8 %a %q:def8 %b\nOUT %p %q",
        "IN %a:def8\nIN %b:def8\nOUT %a %b",
    ),
    (
        "earlier rules first",
        "let one = InstrPat { match { NOT %d:def, %x } emit { NEG %d, %x } }\n"
        "let two = InstrPat { match { NOT %d:def, %x } emit { ABS %d, %x } }",
        "IN %a:def8\nNOT %b:def8 %a\nOUT %b",
        "IN %a:def8\nNEG %b:def8 %a\nOUT %b",
    ),
    (
        "the first match that holds",
        "let r = InstrPat { match { ANY %d:def, %xs:.*, %y, .* } if { is_constant(%y) && count(%xs) > 0 } "
        "emit { REPLACE_USES %d, %y } }",
        "IN %a:def8\nANY %b:def8 constant(1,8) constant(2,8) %a constant(3,8) %a\nOUT %b",
        "IN %a:def8\nOUT constant(3,8)",
    ),
    (
        "an expression without a value is no match",
        "let r = InstrPat { match { ANY %d:def, .*, constant(%x), .* } "
        "emit { REPLACE_USES %d, constant(12 / %x) } }",
        "ANY %b:def8 constant(4,8) constant(0,8)\nOUT %b",
        "OUT constant(3,8)",
    ),
    (
        "a self loop is left alone",
        ADD_ZERO,
        "core.GRAPH @g {\nADD %s:def8 %s constant(0,8)\nOUT %s\n}",
        "core.GRAPH @g {\nADD %s:def8 %s constant(0,8)\nOUT %s\n}",
    ),
]


@pytest.mark.parametrize(
    ("rules", "code", "expected"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_cases(rules: str, code: str, expected: str) -> None:
    assert rewritten(rules, code) == plain(expected)


def test_origins_of_all_matched_instructions() -> None:
    context = new_context()
    module = code_from(
        f'IN %a:{B8}\nXOR %x:{B8} %a %a loc("f":1:1)\nNOT %n:{B8} %x loc("f":2:1)\nOUT %n', context
    )
    apply_rules(
        module,
        rules_from(
            "let r = InstrPat { match { NOT %d:def, (XOR %a, %b) } emit { XNOR %d, %a, %b } }", context
        ),
    )
    made = next(instr for instr in module.instrs() if instr.name == "op.XNOR")
    assert {(origin.file, origin.line) for origin in made.location} == {("f", 1), ("f", 2)}


@pytest.mark.parametrize("emit", ["REPLACE_USES %d, constant(0, 4)", "REPLACE_USES %d, %x"])
def test_another_type_is_an_error(emit: str) -> None:
    context = new_context()
    module = code_from(f"IN %a:{B8}\nANY %b:def(op.bits(3)) %a\nOUT %b", context)
    before = shown(module)
    rules = rules_from("let bad = InstrPat { match { ANY %d:def, %x } emit { " + emit + " } }", context)
    with pytest.raises(UsageError, match=r"'bad' replaces a value of type op\.bits\(3\)"):
        apply_rules(module, rules)
    assert shown(module) == before


def test_deleting_what_is_used_is_an_error_and_changes_nothing() -> None:
    context = new_context()
    module = code_from(f"IN %a:{B8}\nNOT %b:{B8} %a\nNOT %c:{B8} %b\nOUT %c %b", context)
    before = shown(module)
    rules = rules_from(
        "let bad = InstrPat { match { NOT %d:def, ($i: NOT %x) } emit { REPLACE_USES %d, %x DELETE $i } }",
        context,
    )
    with pytest.raises(UsageError, match="rule 'bad': erase"):
        apply_rules(module, rules)
    assert shown(module) == before


def test_too_few_operands_are_an_error() -> None:
    context = new_context()
    module = code_from(f"IN %a:{B8}\nANY %b:{B8}\nOUT %b", context)
    rules = rules_from("let bad = InstrPat { match { ANY %d:def, %xs:.* } emit { ADD %d, %xs } }", context)
    with pytest.raises(UsageError, match=r"'bad' emits op\.ADD with 1 definitions and 0 uses"):
        apply_rules(module, rules)


def test_rules_of_another_context() -> None:
    module = Module(new_context())
    with pytest.raises(UsageError, match=r"no operation 'op\.ADD'"):
        apply_rules(Module(type(new_context())()), rules_from(ADD_ZERO, new_context()))
    assert apply_rules(module, rules_from(ADD_ZERO, new_context())).end == "fixed-point"
