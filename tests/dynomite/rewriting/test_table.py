"""Rules, inputs and outputs, all as text: the table of what the language means.

`bindings.txt` has short rows that this file expands to text; `RULES` has whole rules. Every row runs on the
reference matcher, and on the native one.
"""

# ruff: noqa: E501 - one row of a table a line

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dynomite.errors import UsageError
from dynomite.ir import Context, Module, parse, print_module
from dynomite.rewriting import syntax as s
from dynomite.rewriting.driver import apply_rules
from dynomite.rewriting.functions import register_function
from dynomite.rewriting.ir_form import rules_of
from tests.support import naive_rewriting as naive

DIALECT = """\
dialect t {
  let w = type { let params = list { %width:core.unsigned } }
  let u = type { }
  let IN = core.instr { let defs = 1 }
  let F = core.instr { let defs = 1; let pure = true; let variadic = true }
  let G = core.instr { let defs = 1; let pure = true; let variadic = true }
  let H = core.instr { let defs = 1; let uses = 1; let pure = true }
  let K = core.instr { let defs = 1; let pure = true; let variadic = true }
  let T = core.instr { let defs = 2; let uses = 1; let pure = true }
  let S = core.instr { let defs = 1; let variadic = true }
  let P = core.instr { let defs = 2; let uses = 2; let pure = true }
  let OUT = core.instr { let variadic = true }
  let R = core.instr { let variadic = true }
}
using t
"""
INPUTS = dict.fromkeys("abcdef", "t.w(8)") | {"n": "t.w(4)", "u": "t.u"}


@dataclass(frozen=True)
class Row:
    """A rule, a module and what becomes of it, all as text."""

    rule: str
    source: str
    expected: str


def rewritten_by_reference(rules: s.RuleSet | s.Rule, module: Module) -> None:
    naive.rewrite(module, rules, limit=1)


def rewritten_natively(rules: s.RuleSet | s.Rule, module: Module) -> None:
    apply_rules(module, rules if isinstance(rules, s.RuleSet) else [rules], limit=1)


REWRITERS: dict[str, Callable[[s.RuleSet | s.Rule, Module], None]] = {
    "reference": rewritten_by_reference,
    "native": rewritten_natively,
}


def operand(text: str) -> str:
    """An operand of a short row as text of the language."""
    constant = re.fullmatch(r"#(\d+)(?::(\d+))?", text)
    if constant:
        return f"constant({constant[1]}, {constant[2] or 8})"
    if text.endswith("%"):
        return f"%v{text[:-1]}"
    return text if text.isdigit() else f"%{text}"


def statements(text: str) -> tuple[list[str], str]:
    """The instructions in front of F, and the operands of F."""
    *front, last = text.split(";")
    lines: list[str] = []
    for one in front:
        names, call = one.split("=")
        op, *operands = call.split()
        defs = [
            f"%v{name.strip()}" if name.strip().isdigit() else f"%{name.strip()}" for name in names.split(",")
        ]
        lines.append(" ".join([op, *(f"{name}:def(w(8))" for name in defs), *map(operand, operands)]))
    return lines, " ".join(map(operand, last.split()[1:]))


def expanded(pattern: str, source: str, expected: str) -> Row:
    """A row of bindings.txt as text."""
    inputs = [f"IN %{name}:def({kind})" for name, kind in INPUTS.items()]
    front, operands = statements(source)
    names: list[str] = []
    seen: list[str] = []
    for part in expected.split() if expected not in ("-", ".") else []:
        name, _, bound = part.partition("=")
        names.append(name)
        seen += [operand(one) for one in bound.split(",") if one] + ["-1"]
    emit = ", ".join(["S %d", *(f"%{name}, -1" for name in names)])
    rule = f"let r = InstrPat {{ match {{ F %d:def, ({pattern}) }} emit {{ {emit} }} }}"
    before = [*inputs, *front, f"F %r:def(w(8)) {operands}", "OUT %r"]
    after = [*inputs, *front, f"S %r:def(w(8)) {' '.join(seen)}", "OUT %r"]
    # What stands in front is used, so that it stays.
    kept = ["OUT " + " ".join(re.findall(r"%\w+(?=:def)", line)) for line in front]
    before += kept
    after += kept
    return Row(rule, "\n".join(before), "\n".join(before if expected == "-" else after))


def short_rows() -> list[tuple[str, str, str]]:
    lines = (Path(__file__).parent / "bindings.txt").read_text("utf-8").splitlines()
    rows = [line.split(" => ") for line in lines if line.strip() and not line.startswith("#")]
    return [(pattern, source, expected) for pattern, source, expected in rows]


def read(text: str) -> Module:
    return parse(DIALECT + text, Context())


def canonical(text: str) -> str:
    return print_module(read(text), declarations=False)


def rules_in(text: str) -> s.RuleSet:
    """All rules of a text, as one set."""
    found: list[s.Rule] = []
    for one in rules_of(read(text)).values():
        found += one.rules if isinstance(one, s.RuleSet) else [one]
    return s.RuleSet("rules", tuple(found))


def run(row: Row, rewriter: str) -> None:
    module = read(row.source)
    REWRITERS[rewriter](rules_in(row.rule), module)
    assert print_module(module, declarations=False) == canonical(row.expected)


@pytest.mark.parametrize("rewriter", REWRITERS)
@pytest.mark.parametrize(("pattern", "source", "expected"), short_rows())
def test_bindings(pattern: str, source: str, expected: str, rewriter: str) -> None:
    run(expanded(pattern, source, expected), rewriter)


IN = "IN %a:def(w(8)); IN %b:def(w(8)); IN %n:def(w(4));"
RULES = {
    "replace by an operand": Row(
        "let r = InstrPat { match { H %d:def, %x } emit { REPLACE_USES %d, %x } }",
        "H %r:def(w(8)) %a; OUT %r %r",
        "OUT %a %a",
    ),
    "replace by a constant as wide as the definition": Row(
        "let r = InstrPat { match { H %d:def, %x } emit { REPLACE_USES %d, constant(-1) } }",
        "H %r:def(w(8)) %a; OUT %r",
        "OUT constant(255, 8)",
    ),
    "a captured constant is an operand": Row(
        "let r = InstrPat { match { H %d:def, constant(%c) } emit { G %d, %c, constant(%c + 1) } }",
        "H %r:def(w(8)) constant(255, 8); OUT %r",
        "G %r:def(w(8)) constant(255, 8) constant(0, 8); OUT %r",
    ),
    "nested instructions are made in front": Row(
        "let r = InstrPat { match { G %d:def, %x, %y } emit { G %d, (H %y), (H %x), (G) } }",
        "G %r:def(w(8)) %a %b; OUT %r",
        "H %0:def(w(8)) %b; H %1:def(w(8)) %a; G %2:def(w(8)); G %r:def(w(8)) %0 %1 %2; OUT %r",
    ),
    "new definitions have names and types": Row(
        "let r = InstrPat { match { F %d:def, %x } emit { H %t:def(4), %x; H %u:def(type(%x)), %t; K %d, %u, %t } }",
        "F %r:def(w(8)) %a; OUT %r",
        "H %0:def(w(4)) %a; H %1:def(w(8)) %0; K %r:def(w(8)) %1 %0; OUT %r",
    ),
    "types with computed parameters": Row(
        "let r = InstrPat { match { F %d:def(w(%w)), %x } emit { H %t:def(w(%w * 2)), %x; "
        "H %v:def(type(%x, %w - width(%x) + 3)), %t; H %z:def(u), %v; K %d, %z } }",
        "F %r:def(w(8)) %n; OUT %r",
        "H %0:def(w(16)) %n; H %1:def(w(7)) %0; H %2:def(u) %1; K %r:def(w(8)) %2; OUT %r",
    ),
    "the matched operation again": Row(
        "let r = InstrPat { match { %o:(F|K) %d:def, %x:.* / constant(0) } emit { %o %d, %x } }",
        "K %r:def(w(8)) %a constant(0, 8) %b; OUT %r",
        "K %r:def(w(8)) %a %b; OUT %r",
    ),
    "the matched operation of a nested instruction": Row(
        "let r = InstrPat { match { H %d:def, (%o:(F|K) %x:.*) } emit { S %d, (%o %x) } }",
        "K %k:def(w(8)) %a; H %r:def(w(8)) %k; OUT %r",
        "K %0:def(w(8)) %a; S %r:def(w(8)) %0; OUT %r",
    ),
    "definitions of a root": Row(
        "let r = InstrPat { match { T %d:def(.+), %x } emit { REPLACE_ALL $i, %x, constant(1, 8) } }".replace("T", "$i:T", 1),
        "T %p:def(w(8)) %q:def(w(8)) %a; OUT %p %q",
        "OUT %a constant(1, 8)",
    ),
    "both definitions overwritten": Row(
        "let r = InstrPat { match { P %d:def, %e:def, %x, %y } emit { P %e, %d, %y, %x } }",
        "P %p:def(w(8)) %q:def(w(4)) %a %n; OUT %p %q",
        "P %q:def(w(4)) %p:def(w(8)) %n %a; OUT %p %q",
    ),
    "one definition overwritten: the root stays": Row(
        "let r = InstrPat { match { P %d:def, %e:def, %x, %y } if { !same(%x, %y) } emit { REPLACE_USES %d, %x } }",
        "P %p:def(w(8)) %q:def(w(4)) %a %n; OUT %p %q",
        "P %p:def(w(8)) %q:def(w(4)) %a %n; OUT %a %q",
    ),
    "replaced one by one": Row(
        "let r = InstrPat { match { P %d:def, %e:def, %x, %y } emit { REPLACE_USES %d, %x; REPLACE_USES %e, %y } }",
        "P %p:def(w(8)) %q:def(w(4)) %a %n; OUT %p %q",
        "OUT %a %n",
    ),
    "delete": Row(
        "let r = InstrPat { match { $i: R %x, constant(1, _) } emit { DELETE $i } }",
        "R %a constant(1, 1); R %a constant(0, 1)",
        "R %a constant(0, 1)",
    ),
    "an instruction without definitions": Row(
        "let r = InstrPat { match { $i: R %x:.* } emit { OUT %x, %x; DELETE $i } }",
        "R %a %b",
        "OUT %a %b %a %b",
    ),
    "attributes go to what takes over": Row(
        "let r = InstrPat { match { F %d:def, %x } emit { G %d, (H %x) } }",
        'F %r:def(w(8)) %a {note = "kept"}; OUT %r',
        'H %0:def(w(8)) %a; G %r:def(w(8)) %0 {note = "kept"}; OUT %r',
    ),
    "one use": Row(
        "let r = InstrPat { match { H %d:def, %g:(G %x) } if { one_use(%g) } emit { REPLACE_USES %d, %x } }",
        "G %g:def(w(8)) %a; H %r:def(w(8)) %g; OUT %r %g",
        "G %g:def(w(8)) %a; H %r:def(w(8)) %g; OUT %r %g",
    ),
    "one use holds": Row(
        "let r = InstrPat { match { H %d:def, %g:(G %x) } if { one_use(%g) } emit { REPLACE_USES %d, %x } }",
        "G %g:def(w(8)) %a; H %r:def(w(8)) %g; OUT %r",
        "OUT %a",
    ),
    "two operands are two uses": Row(
        "let r = InstrPat { match { G %d:def, %x, %y } if { one_use(%x) } emit { REPLACE_USES %d, %x } }",
        "F %f:def(w(8)); G %r:def(w(8)) %f %f; OUT %r",
        "F %f:def(w(8)); G %r:def(w(8)) %f %f; OUT %r",
    ),
    "a condition that fails sends the search on": Row(
        "let r = InstrPat { match { F %d:def, %x / %y } if { is_constant(%x) } emit { S %d, %x, %y } }",
        "F %r:def(w(8)) %a constant(1, 8); OUT %r",
        "S %r:def(w(8)) constant(1, 8) %a; OUT %r",
    ),
    "powers of two": Row(
        "let r = InstrPat { match { G %d:def, %x, constant(%c) } if { power_of_two(%c) } emit { F %d, %x, number(log2(%c)) } }",
        "G %r:def(w(8)) %a constant(32, 8); OUT %r",
        "F %r:def(w(8)) %a 5; OUT %r",
    ),
    "0 is no power of two": Row(
        "let r = InstrPat { match { G %d:def, %x, constant(%c) } if { power_of_two(%c) } emit { F %d, %x } }",
        "G %r:def(w(8)) %a constant(0, 8); OUT %r",
        "G %r:def(w(8)) %a constant(0, 8); OUT %r",
    ),
    "same type": Row(
        "let r = InstrPat { match { G %d:def, %x, %y } if { same_type(%x, %y) } emit { REPLACE_USES %d, %x } }",
        "G %p:def(w(8)) %a %n; G %q:def(w(8)) %a %b; G %r:def(w(8)) %a constant(1, 4); OUT %p %q %r",
        "G %p:def(w(8)) %a %n; G %r:def(w(8)) %a constant(1, 4); OUT %p %a %r",
    ),
    "a constant has the type of a value of its width": Row(
        "let r = InstrPat { match { G %d:def, %x, %y } if { same_type(%x, %y) } emit { REPLACE_USES %d, %x } }",
        "G %r:def(w(8)) %a constant(1, 8); OUT %r",
        "OUT %a",
    ),
    "undefined comparisons do not hold": Row(
        "let r = InstrPat { match { H %d:def, %x } if { width(%x) >= 0 } emit { REPLACE_USES %d, constant(1) } }",
        "IN %u:def(u); H %r:def(w(8)) %u; OUT %r",
        "IN %u:def(u); H %r:def(w(8)) %u; OUT %r",
    ),
    "their negations do": Row(
        "let r = InstrPat { match { H %d:def, %x } if { !(width(%x) >= 0) } emit { REPLACE_USES %d, constant(1) } }",
        "IN %u:def(u); H %r:def(w(8)) %u; OUT %r",
        "IN %u:def(u); OUT constant(1, 8)",
    ),
    "undefined numbers in emit are no match": Row(
        "let r = InstrPat { match { G %d:def, constant(%x) / constant(%y) } emit { S %d, constant(%x / %y) } }",
        "G %r:def(w(8)) constant(6, 8) constant(0, 8); OUT %r",
        "S %r:def(w(8)) constant(0, 8); OUT %r",
    ),
    "widths below 1 in emit are no match": Row(
        "let r = InstrPat { match { G %d:def, constant(%x) / constant(%y) } emit { H %t:def(%x - %y), 1; S %d, %t } }",
        "G %r:def(w(8)) constant(6, 8) constant(8, 8); OUT %r",
        "H %0:def(w(2)) 1; S %r:def(w(8)) %0; OUT %r",
    ),
    "numbers are exact": Row(
        "let r = InstrPat { match { H %d:def, constant(%c) } if { (%c << 70) >> 69 == 2 * %c } "
        "emit { S %d, constant(%c << 70, 80), constant(-%c, 4), number(-7 / 2), number(-7 % 2), number(~5 & 12 | 3 ^ 1) } }",
        "H %r:def(w(8)) constant(3, 8); OUT %r",
        "S %r:def(w(8)) constant(0xc00000000000000000, 80) constant(13, 4) -4 1 10; OUT %r",
    ),
    "minimum, maximum, sign, count": Row(
        "let r = InstrPat { match { F %d:def, constant(%c), %xs:.* } "
        "emit { S %d, number(min(%c, 9, 7)), number(max(%c, 9)), number(signed(%c, 8)), number(count(%xs)), number(count(%c)) } }",
        "F %r:def(w(8)) constant(200, 8) %a %b; OUT %r",
        "S %r:def(w(8)) 7 200 -56 2 1; OUT %r",
    ),
    "one of several conditions": Row(
        "let r = InstrPat { match { H %d:def, %x } if { is_constant(%x) || width(%x) < 5 } emit { S %d, %x } }",
        "H %p:def(w(8)) %a; H %q:def(w(8)) %n; OUT %p %q",
        "H %p:def(w(8)) %a; S %q:def(w(8)) %n; OUT %p %q",
    ),
    "several conditions": Row(
        "let r = InstrPat { match { H %d:def, constant(%c) } if { %c > 3 && %c < 9 } if { %c != 5 } emit { S %d, %c } }",
        "H %p:def(w(8)) constant(5, 8); H %q:def(w(8)) constant(6, 8); OUT %p %q",
        "H %p:def(w(8)) constant(5, 8); S %q:def(w(8)) constant(6, 8); OUT %p %q",
    ),
    "Python conditions": Row(
        'let r = InstrPat { match { F %d:def, %x, %ys:.* } if { call "table.three"(%ys) } emit { S %d, %x } }',
        "F %p:def(w(8)) %a; F %q:def(w(8)) %a %b %b %b; OUT %p %q",
        "F %p:def(w(8)) %a; S %q:def(w(8)) %a; OUT %p %q",
    ),
    "Python conditions send the search on": Row(
        'let r = InstrPat { match { F %d:def, %x:.*, %ys:.* } if { call "table.three"(%ys) } emit { S %d, %x } }',
        "F %q:def(w(8)) %a %b %b %b; OUT %q",
        "S %q:def(w(8)) %a; OUT %q",
    ),
    "the first rule wins": Row(
        "let s = RuleSet { let one = InstrPat { match { H %d:def, %x } emit { S %d, 1 } } "
        "\n let two = InstrPat { match { H %d:def, constant(_) } emit { S %d, 2 } } \n }",
        "H %r:def(w(8)) constant(5, 8); OUT %r",
        "S %r:def(w(8)) 1; OUT %r",
    ),
    "a later rule where the first does not match": Row(
        "let s = RuleSet { let one = InstrPat { match { H %d:def, t.w } emit { S %d, 1 } } "
        "\n let two = InstrPat { match { H %d:def, constant(_) } emit { S %d, 2 } } \n }",
        "H %r:def(w(8)) constant(5, 8); OUT %r",
        "S %r:def(w(8)) 2; OUT %r",
    ),
    "any operation": Row(
        "let r = InstrPat { match { $i: _ constant(7, 8) } emit { DELETE $i } }",
        "R constant(7, 8); OUT constant(8, 8)",
        "OUT constant(8, 8)",
    ),
    "regions are definitions": Row(
        "let r = InstrPat { match { R %x:def(.*), %y:use(.*) } emit { OUT %y } }",
        "R %a { }",
        "OUT %a; R %a { }",
    ),
    "instructions inside of regions": Row(
        "let r = InstrPat { match { H %d:def, %x } emit { REPLACE_USES %d, %x } }",
        "R %a {\n H %r:def(w(8)) %a; OUT %r\n }",
        "R %a {\n OUT %a\n }",
    ),
    "names go to what replaces": Row(
        "let r = InstrPat { match { H %d:def, (G %x) } emit { REPLACE_USES %d, (K %x) } }",
        "G %0:def(w(8)) %a; H %name:def(w(8)) %0; OUT %name",
        "K %name:def(w(8)) %a; OUT %name",
    ),
    "nested instructions that are still used stay": Row(
        "let r = InstrPat { match { H %d:def, (G %x) } emit { REPLACE_USES %d, %x } }",
        "G %g:def(w(8)) %a; H %r:def(w(8)) %g; OUT %r %g",
        "G %g:def(w(8)) %a; OUT %a %g",
    ),
}  # fmt: skip


def _three(values: tuple[object, ...]) -> bool:
    return len(values) == 3


register_function("table.three", _three)


@pytest.mark.parametrize("rewriter", REWRITERS)
@pytest.mark.parametrize("name", RULES)
def test_rules(name: str, rewriter: str) -> None:
    row = RULES[name]
    run(Row(row.rule, IN + "\n" + row.source, IN + "\n" + row.expected), rewriter)


def test_the_table_is_large() -> None:
    assert len(short_rows()) + len(RULES) >= 200


@pytest.mark.parametrize("rewriter", REWRITERS)
@pytest.mark.parametrize(
    ("rule", "source", "message"),
    [
        ("match { H %d:def, %x } emit { REPLACE_USES %d, %x }", "H %r:def(w(8)) %n; OUT %r", "another type"),
        ("match { F %d:def, %xs:.* } emit { H %d, %xs }", "F %r:def(w(8)) %a %b; OUT %r", "take 2 operands"),
    ],
)
def test_what_shows_only_then_is_an_error(rule: str, source: str, message: str, rewriter: str) -> None:
    module = read(IN + "\n" + source)
    with pytest.raises(UsageError, match=r"rule.*r") as caught:
        REWRITERS[rewriter](rules_in(f"let r = InstrPat {{ {rule} }}"), module)
    assert rewriter != "reference" or message in str(caught.value)
