"""Text and bytecode from Python; the native tests (tests/native/test_ir_text*.cpp) have every message."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from dynomite._native.base import Stop
from dynomite.errors import LimitError, ParseError, UsageError
from dynomite.ir import (
    BlockRef,
    Builder,
    Context,
    Def,
    Module,
    Operand,
    Origin,
    StoreKind,
    ValueRef,
    load,
    parse,
    parse_file,
    print_module,
    read_bytecode,
    same_module,
    write_bytecode,
)
from tests.dynomite.ir.demo_dialect import ADD, BOX, DEMO, IF, IN, JUMP, USE, WORD, new_module

DECLARED = """dialect demo {
  let word = type { let params = list { %width:core.any }; let doc = "A row of bits." }
  let IN = core.instr { let defs = 1 }
  let ADD = core.instr { let defs = 1; let uses = 2; let pure = true; let commutative = true }
}
"""


ATTRIBUTES: list[Operand] = [1, -5, True, "text\n\x00\udcff", (1, ("deep", ())), {"in": {"x": 1}}, 2**63]


def loaded() -> Context:
    context = Context()
    load(context, DEMO)
    return context


def random_module(seed: int) -> Module:
    """Names, attributes, constants of many widths, nested regions, blocks, symbols, locations, loose ones."""
    rng = random.Random(seed)
    module, word = new_module()
    builder = Builder(module)
    values = [builder.value(IN, word, name=rng.choice([None, "a", "b c", "0"])) for _ in range(3)]
    outer: list[tuple[BlockRef | None, list[ValueRef]]] = []
    for number in range(rng.randrange(90)):
        if rng.random() < 0.15 and len(outer) < 5:
            region = builder.create_region()
            inner = builder.create_block(region)
            if rng.random() < 0.5:
                builder.build(IF, rng.choice(values), Def(region), loc=Origin("a b", number, 1))
                outer.append((builder.block, values))
                values = list(values)
            else:
                builder.build(BOX, Def(region), attrs={"sym_name": f"box {number}"})
                outer.append((builder.block, values))
                builder.set_place(inner)
                values = [builder.value(IN, word, name="a")]
            builder.set_place(inner)
        elif rng.random() < 0.1 and outer:
            back, values = outer.pop()
            builder.set_place(back)
        elif rng.random() < 0.1 and builder.block is not None:
            block = builder.create_block(builder.block.region)
            builder.build(JUMP, block, rng.choice(values))
            builder.set_place(block)
        key = rng.choice(["k", "a b", "ключ", "x.y"])
        attributes: dict[str, Operand] = {key: rng.choice(ATTRIBUTES)}
        if rng.random() < 0.5:
            name = rng.choice([None, "v", "$"])
            values.append(builder.value(ADD, word, rng.choice(values), rng.choice(values), name=name))
        else:
            builder.build(USE, rng.choice(values), rng.choice(["s", 7, word]), attrs=attributes)
    if rng.random() < 0.5:
        builder.set_place(None)
        builder.build(USE, builder.value(IN, word), "loose")
    return module


@pytest.mark.parametrize("seed", range(25))
def test_random_modules_survive_text_and_bytecode(seed: int) -> None:
    module = random_module(seed)
    text = print_module(module, locations=True)
    again = parse(text, module.context)
    assert print_module(again, locations=True) == text
    assert same_module(module, again)
    data = write_bytecode(module)
    third = read_bytecode(data, module.context)
    assert write_bytecode(third) == data
    assert print_module(third, locations=True) == text
    pooled = parse(text, module.context, store=StoreKind.POOL)
    assert pooled.store == StoreKind.POOL
    assert same_module(module, pooled)


def test_declarations_in_text_equal_those_in_python() -> None:
    from_text = Context()
    parse(DECLARED, from_text)
    # The same declarations once more, next to the Python ones.
    context = loaded()
    parse(DECLARED, context)
    module = Module(from_text)
    builder = Builder(module)
    word = module.type(WORD, 8)
    a = builder.value(IN, word, name="a")
    builder.value(ADD, word, a, a)
    text = print_module(module)
    assert text.endswith("demo.IN %a:def(demo.word(8))\ndemo.ADD %0:def(demo.word(8)) %a %a\n")
    assert text.startswith("extern dialect demo {")
    assert same_module(parse(text, Context()), module)
    assert same_module(read_bytecode(write_bytecode(module), Context()), module)
    # Python's own declarations are not printed.
    assert print_module(parse("demo.IN %a:def\n", loaded())) == "demo.IN %a:def(core.none)\n"


def test_errors_have_notes_and_successors() -> None:
    with pytest.raises(ParseError) as caught:
        parse("let f = CFG {}\nlet f = CFG {}\ndemo.ADDD", loaded(), path="some.dyn")
    error = caught.value
    assert (error.path, error.line, error.column) == ("some.dyn", 2, 5)
    assert [(n.message, n.line) for n in error.notes] == [("first defined here: 1:5", 1)]
    assert [o.message for o in error.others] == ["unknown operation 'demo.ADDD'; did you mean 'demo.ADD'?"]
    assert str(error) == (
        "some.dyn:2:5: error: the symbol @f exists already\n"
        "    let f = CFG {}\n        ^\n"
        "some.dyn:1:5: note: first defined here: 1:5\n"
        "    let f = CFG {}\n        ^\n"
        "some.dyn:3:1: error: unknown operation 'demo.ADDD'; did you mean 'demo.ADD'?\n"
        "    demo.ADDD\n    ^"
    )


def test_a_failed_parse_declares_nothing() -> None:
    context = Context()
    with pytest.raises(ParseError):
        parse(DECLARED + "demo.NOTHING", context)
    with pytest.raises(ParseError):
        parse("demo.IN %a:def", context)


def test_locations_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.dyn"
    path.write_text('demo.IN %a:def\n\n  demo.USE %a loc("x":3:4)\n')
    module = parse_file(path, loaded())
    assert print_module(module, locations=True) == (
        f'demo.IN %a:def(core.none) loc("{path}":1:1)\ndemo.USE %a loc("x":3:4)\n'
    )


def test_stop_and_wrong_arguments() -> None:
    stop = Stop()
    stop.cancel()
    with pytest.raises(LimitError):
        parse("demo.USE 1\n" * 10000, loaded(), stop=stop)
    with pytest.raises(TypeError):
        parse(5, loaded())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    module, _ = new_module()
    builder = Builder(module)
    builder.build(USE, Def(builder.create_region()))
    assert print_module(module) == "demo.USE core.region empty\n"
    with pytest.raises(ParseError, match="cut off"):
        read_bytecode(write_bytecode(module)[:-1], module.context)
    with pytest.raises(UsageError):
        print_module(_with_orphan())


def _with_orphan() -> Module:
    """An instruction in a region that belongs to nothing."""
    module, word = new_module()
    builder = Builder(module)
    builder.set_place(builder.create_block(builder.create_region()))
    builder.value(IN, word)
    return module


@pytest.mark.parametrize("kind", ["regions", "isolated", "lists", "dicts", "types"])
def test_nesting_a_hundred_thousand_deep(kind: str) -> None:
    depth = 100_000
    if kind == "regions":
        text = "demo.IF 1 {\n" * depth + "}\n" * depth
    elif kind == "isolated":
        text = "demo.BOX @f {\n" * depth + "}\n" * depth
    elif kind == "lists":
        text = "demo.USE " + "[" * depth + "]" * depth + "\n"
    elif kind == "dicts":
        text = "demo.USE " + "{a = " * depth + "1" + "}" * depth + "\n"
    else:
        text = "demo.USE " + "demo.word(" * depth + "1" + ")" * depth + "\n"
    module = parse(text, loaded())
    assert len(module) == (depth if kind in ("regions", "isolated") else 1)
    printed = print_module(module)
    assert len(printed) < 200 * depth
    assert same_module(parse(printed, module.context), module)
    assert same_module(read_bytecode(write_bytecode(module), module.context), module)
    with pytest.raises(ParseError):  # never closed
        parse(text[: len(text) // 2], loaded())


def test_time_grows_linearly() -> None:
    def seconds(count: int) -> float:
        lines = ["demo.IN %0:def(demo.word(8))"]
        lines += [f"demo.ADD %{i}:def(demo.word(8)) %{i - 1} %{i // 2}" for i in range(1, count)]
        text = "\n".join(lines)
        context = loaded()
        best = 1e9
        for _ in range(3):
            start = time.process_time()
            module = parse(text, context)
            print_module(module)
            write_bytecode(module)
            best = min(best, time.process_time() - start)
        return best

    # Ten times as much in at most thirty times the time: quadratic would be a hundred.
    assert seconds(200_000) < 30 * max(seconds(20_000), 0.01)


def test_text_with_surrogates() -> None:
    with pytest.raises(UsageError, match="a surrogate that stands for no byte at 1"):
        parse("\n\ud800", Context())
    with pytest.raises(ParseError, match="not byte 255"):
        parse("\udcff", Context())
