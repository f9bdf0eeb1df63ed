"""What reader, printer and verifier say about what they refuse; see tests/test_error_messages.py."""

from __future__ import annotations

import pytest

from dynomite._native.base import Stop
from dynomite._native.passes import rename_symbol
from dynomite.errors import LimitError, ParseError, UsageError, VerifyError
from dynomite.ir import (
    Builder,
    Context,
    Def,
    Dialect,
    Module,
    load,
    parse,
    print_module,
    write_bytecode,
)
from dynomite.passes.verify import verify
from tests.dynomite.ir.demo_dialect import ADD, BOX, DEMO, IN, JUMP, TOKEN, USE, WORD, new_module

TEXTS = [
    # Declarations.
    ("using", "expected the name of a dialect behind 'using'"),
    ("dialect t let", "expected '{' behind the name of the dialect"),
    ("dialect t { A }", "expected 'let', 'using' or '}' in a dialect"),
    ("dialect t { let A core.instr { } }", "expected '=' behind the name of a declaration"),
    ("dialect t { let A = core.instr let }", "expected '{' behind the kind of a declaration"),
    ("dialect t { let A = core.instr { pure } }", "expected 'let' or '}' in a declaration"),
    ("dialect t { let A = core.instr { let 1 } }", "expected the name of a property"),
    ("dialect t { let A = core.instr { let pure true } }", "expected '=' behind the name of a property"),
    ("dialect t { let A = core.instr { let pure = true", "the text ends inside of a declaration"),
    ("dialect t { let A = core.instr { let doc = 1 } }", "expected a string"),
    ("dialect t { let w = type { let doc = 1 } }", "expected a string"),
    ("dialect t { let w = type { let params = 1 } }", "expected 'list { %name:core.unsigned, ... }'"),
    ("dialect t { let w = type { let params = list 1 } }", "expected '{' behind 'list'"),
    (
        "dialect t { let w = type { let params = list { a } } }",
        "expected a parameter, as in %width:core.unsigned",
    ),
    ("dialect t { let w = type { let params = list { %1 } } }", "expected a name behind '%'"),
    (
        "dialect t { let w = type { let params = list { %a } } }",
        "expected ':' behind the name of a parameter",
    ),
    ("dialect t { let w = type { let params = list { %a:any", "the text ends inside of a list of parameters"),
    # Instructions.
    ("demo.USE def(%a", "expected ')' at the end of 'def' or 'use'"),
    ('demo.USE loc("f":1:1', "expected ')' at the end of 'loc'"),
    ("demo.USE loc 1", "expected '(' behind 'loc'"),
    ('demo.USE loc("f" 1', "expected ':' behind the file name"),
    ('demo.USE loc("f":1 1', "expected ':' behind the line number"),
    ("detached 1", "expected '{' behind 'detached'"),
    ("core.CFG @c {\n^b 1\n}", "expected ':' behind the name of a block"),
    ("demo.IN %a:def(demo.word(1) 1)", "expected ')' behind the type"),
    (
        "$a: demo.USE\ncore.CFG @c {\n$a 1\n}",
        "expected the end of the line; a label of a new instruction ends with ':'",
    ),
    # Values.
    ("demo.USE " + "1" * 20_001, "a decimal number has at most 20000 digits; hexadecimal has no limit"),
    ("demo.USE constant 1", "expected '(' behind 'constant'"),
    ("demo.USE constant(1 8)", "expected ',' between a constant and its width"),
    ("demo.USE constant(1, 8", "expected ')' behind the width"),
    ("demo.USE object 1", "expected '(' behind 'object'"),
    ("demo.USE object(1", "expected the kind of an object"),
    ("demo.USE object(demo.word 1", "expected ',' behind the kind of an object"),
    ("demo.USE object(demo.word, 1 1", "expected ',' behind the number of an object"),
    ("demo.USE object(demo.word, 1, 1", "expected ')' at the end of 'object'"),
    ("demo.USE dict 1", "expected '{' behind 'dict'"),
]


def context() -> Context:
    made = Context()
    load(made, DEMO)
    return made


@pytest.mark.parametrize(("text", "message"), TEXTS, ids=[text[:50] for text, _ in TEXTS])
def test_the_reader_says(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text, context())
    assert caught.value.message == message


def test_the_printer_says() -> None:
    module, word = new_module()
    builder = Builder(module)
    orphan = builder.create_region()
    builder.set_place(builder.create_block(orphan))
    builder.value(IN, word)
    with pytest.raises(
        UsageError, match="print: 1 instructions are in regions that belong to no instruction"
    ):
        print_module(module)
    with pytest.raises(UsageError, match="bytecode: 1 instructions are in regions that belong to no"):
        write_bytecode(module)


def test_stopped_work_says_so() -> None:
    text = "demo.USE 1\n" * 2000
    module = parse(text, context())
    stop = Stop()
    stop.cancel()
    with pytest.raises(LimitError, match="parsing was stopped"):
        parse(text, context(), stop=stop)
    with pytest.raises(LimitError, match="printing was stopped"):
        print_module(module, stop=stop)


def test_attributes_that_share_parts_may_get_too_long() -> None:
    module, _ = new_module()
    Builder(module).build(USE, ("x" * 2**20,) * 300)
    with pytest.raises(LimitError, match="print: an attribute is too long as text"):
        print_module(module)


def messages(module: Module) -> list[str]:
    with pytest.raises(VerifyError) as caught:
        verify(module)
    return [line.strip() for line in str(caught.value).split("\n")]


def test_the_verifier_says() -> None:
    module, word = new_module()
    builder = Builder(module)
    b = builder.value(IN, module.type(WORD, 8), name="b")
    same = Dialect("same")
    op = same.op("SAME", defs=1, uses=1, same_type=True)
    hand = same.op("HAND", defs=1, variadic=True, forwards=True)
    load(module.context, same)
    builder.value(op, word, b, name="c")
    token = builder.value(IN, module.type(TOKEN), name="t")
    builder.value(hand, module.type(TOKEN), token, name="u")
    builder.build(BOX, attrs={"sym_name": "", "sym_visibility": "hidden"})
    region = builder.create_region()
    builder.build(USE, Def(region))
    builder.set_place(builder.create_block(region))
    builder.build(BOX, Def(builder.create_region()), attrs={"sym_name": "inner"})
    found = messages(module)
    for wanted in (
        "error: same.SAME: %b has another type than %c, the operation needs one type",
        "error: same.HAND: makes the token %u, but hands values on: a token stands for the operation that "
        "defines it",
        "error: same.HAND: the token %t must not pass through an operation that hands values on",
        "note: the token is defined here",
        "error: demo.BOX: the name of a symbol is empty",
        'error: demo.BOX: the visibility of @ must be "public", "private" or "nested"',
        "error: demo.BOX: a symbol table needs a region",
        "error: demo.BOX: the symbol @inner stands in a region that is no symbol table",
        "note: the region of this",
    ):
        assert wanted in found


def test_the_verifier_says_about_blocks() -> None:
    module, word = new_module()
    builder = Builder(module)
    builder.build(JUMP, module.body)
    builder.value(IN, word)
    builder.create_block(module.body.region)
    region = builder.create_region()
    inner = builder.create_block(region)
    builder.set_place(inner)
    builder.build(JUMP, module.body)
    builder.set_place(None)
    builder.build(USE, Def(region))
    loop = builder.value(ADD, word, 1, 1)
    builder.set_operand(loop.instr, 1, loop)
    assert messages(module) == [
        "error: demo.JUMP: a terminator must be the last operation of its block",
        "note: this follows",
        "error: demo.JUMP: goes to a block of another region",
        "error: demo.ADD: uses its own result in a cycle outside of all blocks",
        "error: demo.IN: the last operation of a block must be a terminator in a region with several blocks",
        "error: module: a block of a region with several blocks is empty: it needs a terminator",
    ]


def test_renaming_says() -> None:
    module, word = new_module()
    builder = Builder(module)
    a = builder.value(IN, word)
    box, other = (
        builder.build(BOX, Def(builder.create_region()), attrs={"sym_name": name})
        for name in ("box", "other")
    )
    with pytest.raises(UsageError, match="rename: the instruction is no symbol"):
        rename_symbol(builder, a.instr, "x")
    with pytest.raises(UsageError, match="rename: the symbol @other exists already"):
        rename_symbol(builder, box, "other")
    assert other.symbol_name == "other"
