"""Declarations as instructions, and: what a text declares works as what Python declares."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynomite._native.passes import clone_module
from dynomite.errors import ParseError, UsageError, VerifyError
from dynomite.ir import (
    Builder,
    Context,
    Def,
    Dialect,
    Interface,
    Module,
    Tracking,
    load,
    parse,
    print_module,
    read_bytecode,
    same_module,
    write_bytecode,
)
from dynomite.ir.dsl import DIALECT, OP, TYPE, declarations, declare, declared_dialects
from dynomite.passes.pipeline import Pipeline
from dynomite.passes.verify import verify

TRAITS = [
    "pure",
    "commutative",
    "terminator",
    "symbol",
    "symbol_table",
    "isolated",
    "forwards",
    "graph_region",
    "variadic",
    "same_type",
]


def every_kind() -> Dialect:
    """One declaration for everything a declaration can say."""
    t = Dialect("t")
    t.type("word", params={"width": "unsigned"}, doc='Bits, "many".')
    t.type("pair", params={"first": "type", "name": "string", "rest": "any"})
    t.type("token", token=True)
    t.op("IN", defs=1)
    t.op("PURE", defs=1, uses=2, pure=True, doc="A line\nand one more.")
    t.op("SUM", defs=1, uses=2, pure=True, commutative=True, same_type=True)
    t.op("END", terminator=True, variadic=True)
    t.op("FUNC", symbol=True, isolated=True)
    t.op("LIB", symbol=True, symbol_table=True, isolated=True, graph_region=True)
    t.op("MANY", uses=1, variadic=True)
    t.op("PASS", defs=1, uses=1, forwards=True)
    t.op("NET", graph_region=True)
    t.op("exec.step")
    return t


def contexts() -> tuple[Context, Context]:
    """One that Python told of the dialect, and one that a text told."""
    python, text = Context(), Context()
    load(python, every_kind())
    module = Module(python)
    declare(Builder(module), every_kind())
    parse(print_module(module), text)
    return python, text


def outcome(context: Context, text: str, passes: str) -> str:
    """The text after some passes, or what went wrong."""
    try:
        module = parse("using t\n" + text, context, check_symbols="verify" not in passes)
        Pipeline.parse(passes).run(module)
    except (ParseError, VerifyError) as error:
        return str(error)
    return print_module(module, declarations=False)


PROGRAMS = {
    "defs": ("IN %a:def(word(8)) %b:def(word(8))", "", "defines 1 value"),
    "uses": ("IN %a:def(word(8)); PURE %b:def %a", "", "takes 2 operands"),
    "variadic": ("IN %a:def(word(8)); MANY %a %a", "verify", "t.MANY %a %a"),
    "variadic, too few": ("MANY", "", "at least 1 operand"),
    "pure": ("IN %a:def(word(8)); PURE %b:def %a %a", "dce", "t.IN"),
    "pure merges": (
        "IN %a:def(word(8)); PURE %b:def %a %a; PURE %c:def %a %a; MANY %b %c",
        "cse",
        "MANY %b %b",
    ),
    "commutative": (
        "IN %a:def(word(8)); IN %b:def(word(8)); SUM %c:def %a %b; SUM %d:def %b %a; MANY %c %d",
        "cse",
        "MANY %c %c",
    ),
    "not commutative": (
        "IN %a:def(word(8)); IN %b:def(word(8)); PURE %c:def %a %b; PURE %d:def %b %a; MANY %c %d",
        "cse",
        "MANY %c %d",
    ),
    "same type gives the type": (
        "IN %a:def(word(8)); SUM %b:def %a %a; MANY %b",
        "",
        "SUM %b:def(t.word(8)) %a %a",
    ),
    "same type": ("IN %a:def(word(8)); IN %b:def(word(9)); SUM %c:def %a %b", "", "has the type t.word(9)"),
    "terminator": ("FUNC @f { END\n MANY 1 }", "verify", "a terminator must be the last"),
    "symbol": ("FUNC { }", "", "needs a name"),
    "symbol twice": ("FUNC @f { }; FUNC @f { }", "", "exists already"),
    "symbol table": ("LIB @l { FUNC @f private { } }; MANY @l::@f", "verify", "private"),
    "no symbol table": ("FUNC @g { FUNC @f { } }", "verify", "no symbol table"),
    "isolated": ("IN %a:def(word(8)); FUNC @f { MANY %a }", "verify", "comes from outside of an isolated"),
    "not isolated": ("IN %a:def(word(8)); NET { MANY %a }", "verify", "t.MANY %a"),
    "forwards": ("IN %a:def(token); PASS %b:def(word(8)) %a", "verify", "must not pass"),
    "token": ("IN %a:def(token); MANY %a", "verify", "t.token"),
    "graph region": ("NET { SUM %a:def(word(4)) %b %b; SUM %b:def(word(4)) %a %a }", "verify", "t.SUM"),
    "order": ("MANY %a; IN %a:def(word(8))", "", "used before its definition"),
    "number": ("IN %a:def(word(-1))", "", "must be a number from 0 up"),
    "parameters": ("IN %a:def(word)", "", "takes 1 parameter, not 0"),
    "type and string": ('IN %a:def(pair(word(1), "x", [2, 3]))', "", 'pair(t.word(1), "x", [2, 3])'),
    "no type": ('IN %a:def(pair(1, "x", 2))', "", "must be a type"),
    "no string": ("IN %a:def(pair(word(1), 1, 2))", "", "must be a string"),
    "name with a dot": ("exec.step", "verify", "t.exec.step"),
    "dead symbol": ("FUNC @f private { }; MANY 1", "symbol_dce", "t.MANY 1"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_text_and_python_declare_the_same(name: str) -> None:
    text, passes, expected = PROGRAMS[name]
    python, from_text = (outcome(context, text, passes) for context in contexts())
    assert python == from_text
    assert expected in python


def test_the_dead_symbol_went() -> None:
    assert "FUNC" not in outcome(contexts()[1], PROGRAMS["dead symbol"][0], "symbol_dce")
    assert "PURE" not in outcome(contexts()[1], PROGRAMS["pure"][0], "dce")


def test_contexts_say_the_same() -> None:
    python, text = contexts()
    t = every_kind()
    for op in t.ops:
        for ask in (Context.traits, Context.arity, Context.doc):
            assert ask(python, op) == ask(text, op)
        assert text.traits(op) == op.traits
    for declared in t.types:
        for context in (python, text):
            assert context.type_name(declared.kind(context)) == declared.full_name
    module = Module(text)
    with pytest.raises(UsageError, match=r"%width of the type .t\.word. must be a number"):
        module.type(t.types[0], "wide")
    with pytest.raises(UsageError, match="takes 1 parameter, not 2"):
        module.type(t.types[0], 1, 2)


def test_interfaces_and_builders_take_both() -> None:
    cost: Interface[int] = Interface("cost", default=1)
    cost.set("t.SUM", 7)
    cost.set_dialect("t", 3)
    t = every_kind()
    for context in contexts():
        module = Module(context)
        builder = Builder(module, merging=True)
        word = module.type(context.kind("t.word"), 8)
        a = builder.value(t["IN"], word)
        first, second = (builder.value(context.opcode("t.SUM"), word, a, a) for _ in range(2))
        assert first == second
        assert cost.for_instr(first.instr) == 7
        assert cost.for_instr(a.instr) == 3


NAMES = st.from_regex("[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True)
PARAM_KINDS = st.sampled_from(["any", "unsigned", "type", "string"])


@st.composite
def dialects(draw: st.DrawFn) -> Dialect:
    dialect = Dialect(draw(NAMES.filter(lambda name: name not in ("core", "dsl", "rewrite"))))
    for name in draw(st.lists(NAMES, unique=True, max_size=3)):
        params: dict[str, Any] = draw(st.dictionaries(NAMES, PARAM_KINDS, max_size=3))
        dialect.type(name, params=params, token=draw(st.booleans()), doc=draw(st.text(max_size=8)))
    for name in draw(st.lists(NAMES, unique=True, max_size=4)):
        traits: dict[str, Any] = {trait: draw(st.booleans()) for trait in TRAITS}
        numbers = {key: draw(st.integers(0, 4)) for key in ("defs", "uses")}
        dialect.op(name, doc=draw(st.text(max_size=8)), **numbers, **traits)
    return dialect


def content(dialect: Dialect) -> object:
    types = [(t.name, t.params, t.kinds, t.is_token, t.doc) for t in dialect.types]
    return dialect.name, types, [(op.name, op.defs, op.uses, op.doc, op.traits) for op in dialect.ops]


@settings(max_examples=80, deadline=None)
@given(dialects())
def test_declarations_survive_everything(dialect: Dialect) -> None:
    context = Context()
    load(context, dialect)
    module = Module(context)
    declare(Builder(module), dialect)
    verify(module)
    text = print_module(module)
    assert text.startswith(f"dialect {dialect.name} {{\n")
    fresh = Context()
    again = parse(text, fresh)
    assert print_module(again) == text
    for other in (again, read_bytecode(write_bytecode(module), Context()), clone_module(module)):
        assert same_module(module, other)
        assert content(declared_dialects(other)[dialect.name]) == content(dialect)
    # Reading declares what nothing uses, too.
    binary = Context()
    read_bytecode(write_bytecode(module), binary)
    for op in dialect.ops:
        assert (fresh.traits(op), fresh.arity(op)) == (op.traits, (op.defs, op.uses))
        assert (binary.traits(op), binary.doc(op)) == (op.traits, op.doc)


SHORT = """dialect t {
  let word = type { let params = list { %width:core.unsigned }; let doc = "bits"; }
  let IN = core.instr { let defs = 1; let uses = 0; }
}
t.IN %a:def(t.word(8))
"""
LONG = """dsl.DIALECT "t" {
  dsl.TYPE "word" {doc = "bits", params = [["width", "unsigned"]]}
  dsl.OP "IN" {defs = 1}
}
t.IN %a:def(t.word(8))
"""


def test_the_short_form_and_the_instructions_are_the_same() -> None:
    short, long = parse(SHORT, Context()), parse(LONG, Context())
    assert same_module(short, long)
    assert print_module(long) == SHORT
    assert [instr.name for instr in short.body] == ["dsl.DIALECT", "t.IN"]
    assert print_module(short, declarations=False) == "t.IN %a:def(t.word(8))\n"
    found = next(declarations(short))
    assert found.is_op(DIALECT)
    inside = [item for block in found.regions[0].blocks for item in block]
    assert [item.is_op(TYPE) or item.is_op(OP) for item in inside] == [True, True]
    assert parse(SHORT + SHORT.split("}\n}\n")[0] + "}\n}\n", Context())  # repeated


def test_declarations_outside_of_a_dialect_and_twice() -> None:
    module = parse("let t.A = core.instr {}\nlet t.B = core.instr { let defs = 1 }\nt.A\n", Context())
    assert print_module(module) == (
        "dialect t {\n  let A = core.instr { let defs = 0; let uses = 0; }\n}\n"
        "dialect t {\n  let B = core.instr { let defs = 1; let uses = 0; }\n}\nt.A\n"
    )
    assert [op.name for op in declared_dialects(module)["t"].ops] == ["A", "B"]


def test_what_the_short_form_cannot_say_is_written_out() -> None:
    for text in (
        'dsl.DIALECT "t" {\n  dsl.OP "A" {defs = constant(1, 8)}\n}\n',
        'dsl.DIALECT "t" {\n  dsl.OP "A" {pure = false}\n}\n',
        'dsl.DIALECT "t" {\n  dsl.OP "A" dict {}\n}\n',
        '$0: dsl.DIALECT "t" {\n  dsl.OP "A" {uses = 1}\n}\nt.A $0\n',
        'dsl.DIALECT "t" core.region &0 {\n  dsl.OP "A" {uses = 1}\n}\nt.A &0\n',
    ):
        module = parse(text, Context())
        assert print_module(module) == text
        assert same_module(module, parse(text, Context()))
    placed = parse(SHORT, Context(), path="f", locations=True)
    text = print_module(placed, locations=True)
    assert text.startswith('dsl.DIALECT "t" {\n  dsl.TYPE "word" {')
    assert 'loc("f":1:1)' in text
    assert same_module(placed, parse(text, Context()))


def test_modules_without_their_declarations_print_them_as_extern() -> None:
    context = Context()
    parse(SHORT, context)
    module = parse("t.IN %a:def(t.word(8))\n", context)
    text = print_module(module)
    assert text == "extern " + SHORT
    again = parse(text, Context())
    assert same_module(module, again)
    assert not list(declarations(again))


def test_declarations_behind_a_use_do_not_count() -> None:
    module = parse(SHORT, Context())
    declaration, use = module.body
    builder = Builder(module)
    builder.remove(module.body, use)
    builder.insert(module.body, use, behind=declaration)
    assert print_module(module) == SHORT
    builder.remove(module.body, use)
    builder.insert(module.body, use)
    text = print_module(module)
    assert text.startswith("extern dialect t {")
    assert same_module(module, parse(text, Context()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dsl.DIALECT 1 { }", "a dialect' needs a name in quotes"),
        ('dsl.DIALECT "t"', "'t' has a name and one region"),
        ('dsl.DIALECT "t" { } { }', "'t' has a name and one region"),
        ('dsl.DIALECT "t" { dsl.OP "A"\n ^b: }', "'t' has one block"),
        ('dsl.DIALECT "t" { core.MODULE { } }', "holds something that is neither dsl.TYPE nor dsl.OP"),
        ('dsl.DIALECT "t" { dsl.OP 1 }', "needs a name in quotes"),
        ('dsl.DIALECT "t" { dsl.OP "A" { } }', "'t.A' has a name and a dictionary"),
        ('dsl.DIALECT "t" { dsl.OP "A" {def = 1} }', "'t.A' has no property 'def'"),
        ('dsl.DIALECT "t" { dsl.OP "A" {defs = -1} }', "'t.A' needs a small number"),
        ('dsl.DIALECT "t" { dsl.OP "A" {pure = 1} }', "'t.A' needs true or false"),
        ('dsl.DIALECT "t" { dsl.OP "A" {doc = 1} }', "'t.A' needs a text as doc"),
        ('dsl.DIALECT "t" { dsl.TYPE "w" {wide = 1} }', "'t.w' has no property 'wide'; there are params"),
        ('dsl.DIALECT "t" { dsl.TYPE "w" {params = 1} }', "needs parameters as a list of [name, kind]"),
        ('dsl.DIALECT "t" { dsl.TYPE "w" {params = [["a"]]} }', "a list of [name, kind]"),
        ('dsl.DIALECT "t" { dsl.TYPE "w" {params = [["a", 1]]} }', "kinds of parameters in quotes"),
        ('dsl.DIALECT "t" { dsl.TYPE "w" {params = [[1, "any"]]} }', "names of parameters in quotes"),
        (
            'dsl.DIALECT "t" { dsl.TYPE "w" {params = [["a", "int"]]} }',
            "has a parameter of the kind 'int'; there are any, unsigned, type and string",
        ),
        (
            'dsl.DIALECT "t" { dsl.TYPE "w" {params = [["a b", "any"]]} }',
            "'a b': a name has letters, digits, '_' and '.'",
        ),
        ('dsl.DIALECT "t t" { }', "dialect 't t': a name has letters, digits, '_' and '.'"),
        ('dsl.DIALECT "1" { }', "dialect '1': a name starts with a letter or '_'"),
        ('dsl.DIALECT "t" { dsl.OP "A"; dsl.OP "A" {defs = 1} }', "'t.A' exists already and is different"),
        ('dsl.DIALECT "t" { dsl.TYPE "A"; dsl.TYPE "A" {token = true} }', "exists already and is different"),
        ("extern t { }", "expected 'dialect' behind 'extern'"),
    ],
)
def test_bad_declarations_are_refused(text: str, message: str) -> None:
    context = Context()
    with pytest.raises(ParseError) as caught:
        parse(text, context)
    assert message in str(caught.value)
    assert context.dialects == ("core", "dsl", "rewrite"), "a failed parse declares nothing"


def test_the_verifier_knows_declarations() -> None:
    module = Module(Context())
    builder = Builder(module, tracking=Tracking.LAZY_TRACKING)
    region = builder.create_region()
    builder.set_place(builder.create_block(region))
    builder.build(OP, "A", attrs={"wrong": 1})
    builder.set_place(None)
    builder.build(DIALECT, "t", Def(region))
    with pytest.raises(VerifyError) as caught:
        verify(module)
    assert "dsl.DIALECT: the declaration of 't.A' has no property 'wrong'" in str(caught.value)
    assert "dsl.DIALECT: declarations stand in the outermost region" in str(caught.value)
    builder.rollback(0)
    verify(module)


def test_parameters_are_checked_when_declared() -> None:
    with pytest.raises(UsageError, match="any, unsigned, type or string, not 'int'"):
        Dialect("d").type("t", params={"a": "int"})  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="parameter 'a b': a name has"):
        Dialect("d").type("t", params=["a b"])
