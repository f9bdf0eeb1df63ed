"""Elaboration: hierarchy, names, wires, parameters, memories, and everything that is wrong with a netlist."""

from __future__ import annotations

import pytest

from dynomite._native.word_net import WordNet
from dynomite.errors import LimitError, ParseError, UsageError, VerifyError
from dynomite.ir import parse
from hw_dialect.builder import Design, context, module
from hw_dialect.elaborate import elaborate, lower, lower_with_origins, modules
from hw_dialect.formats.dyno import read_dyno, read_net
from hw_dialect.simulate import simulate_words
from tests.support.word_modules import simulate_aig


def net_of(body: str, *more: str, top: str = "m") -> WordNet:
    """The netlist of the module `m` with this body; `more` are other modules."""
    lines = ["using op", "using hw", "MODULE @m {", *body.strip().splitlines(), "}", *more]
    return read_net("\n".join(lines).encode(), top=top)


FULL_ADDER = """
MODULE @half {
  IN %a:def(wire(1))
  IN %b:def(wire(1))
  XOR %s:def(wire(1)) %a %b
  AND %c:def(wire(1)) %a %b
  OUT "s" %s
  OUT "c" %c
}
MODULE @full {
  IN %a:def(wire(1))
  IN %b:def(wire(1))
  IN %ci:def(wire(1))
  INSTANCE @half "h0" "a" %a "b" %b "s" %t:def(wire(1)) "c" %c0:def(wire(1))
  INSTANCE %s:def(wire(1)) %c1:def(wire(1)) @half "h1" %t %ci
  OR %co:def(wire(1)) %c0 %c1
  OUT "s" %s
  OUT "co" %co
}"""


def test_hierarchy_and_names() -> None:
    net = net_of(
        'IN %x:def(wire(1))\nINSTANCE @full "u" "a" %x "b" %x "ci" %x "s" %y:def(wire(1))\nOUT "y" %y',
        FULL_ADDER,
    )
    names = {name for name, _, _ in net.signals()}
    assert {"x", "y", "u/t", "u/h0/a", "u/h1/s", "u/co"} <= names
    for x in (0, 1):
        run = simulate_words(net, [{"x": x}], signals=["u/co", "u/h0/c"])
        assert run.outputs == [{"y": x}]
        assert run.signals == [{"u/co": x, "u/h0/c": x}]


def test_net_names_of_the_aig() -> None:
    net = net_of('IN %x:def(wire(2))\nIN %z:def(wire(2))\nAND %w:def(wire(2)) %x %z\nOUT "y" %w')
    assert {name for _, name in lower(net, net_names=True).net_names} == {"w[0]", "w[1]"}
    assert lower(net).net_names == []


def test_wires_in_parts_and_bit_level_dependencies() -> None:
    # A ripple of XOR through a wire: no loop, though every bit depends on the wire.
    body = ["IN %a:def(wire(4))", "WIRE %w:def(wire(4))", "SLICE %a0:def(wire(1)) %a 0 0", "DRIVE %w %a0 0 0"]
    for i in range(1, 4):
        body += [
            f"SLICE %p{i}:def(wire(1)) %w {i - 1} {i - 1}",
            f"SLICE %a{i}:def(wire(1)) %a {i} {i}",
            f"XOR %x{i}:def(wire(1)) %p{i} %a{i}",
            f"DRIVE %w %x{i} {i} {i}",
        ]
    net = net_of("\n".join([*body, 'OUT "y" %w']))
    for a in range(16):
        prefix = [bin(a & ((2 << i) - 1)).count("1") & 1 for i in range(4)]
        expected = sum(bit << i for i, bit in enumerate(prefix))
        assert simulate_words(net, [{"a": a}]).outputs == [{"y": expected}]


def test_parameters() -> None:
    child = (
        'MODULE @k {\n IN %a:def(wire(4))\n PARAM %n:def(wire(4)) "N" constant(3, 4)\n'
        ' ADD %s:def(wire(4)) %a %n\n OUT "s" %s\n}'
    )
    net = net_of(
        'IN %a:def(wire(4))\nINSTANCE @k "p" "a" %a "s" %x:def(wire(4))\n'
        'INSTANCE @k "q" "a" %a "s" %y:def(wire(4)) {params = {N = constant(5, 4)}}\nOUT "x" %x\nOUT "y" %y',
        child,
    )
    assert simulate_words(net, [{"a": 1}]).outputs == [{"x": 4, "y": 6}]


def test_top_is_found_or_named() -> None:
    text = 'using hw\nMODULE @a {}\nMODULE @b { INSTANCE @a "u" }\ncore.MODULE @lib {\n  MODULE @c {}\n}\n'
    text_module = parse(text, context())
    assert [m.name for m in modules(text_module)] == ["a", "b", "c"]
    with pytest.raises(UsageError, match=r"which module is meant.*@a, @b, @c"):
        elaborate(text_module)
    assert elaborate(text_module, "lib::c").name == "c"
    with pytest.raises(UsageError, match="no one module 'd'"):
        elaborate(text_module, "d")
    assert elaborate(parse('using hw\nMODULE @a {}\nMODULE @b { INSTANCE @a "u" }', context())).name == "b"


def test_a_region_with_ports_is_a_module() -> None:
    text = (
        b'using op\nusing hw\nlet prog = CFG {\n IN %a:def(wire(2))\n NOT %b:def(wire(2)) %a\n OUT "b" %b\n}'
    )
    assert simulate_words(read_net(text), [{"a": 1}]).outputs == [{"b": 2}]


WRONG = [
    (
        "zero width",
        "IN %a:def(wire(0))",
        r"at least one bit",
    ),
    (
        "wide",
        "IN %a:def(wire(4000000000))",
        r"more than 1048576 bits",
    ),
    (
        "widths",
        "IN %a:def(wire(2))\nIN %b:def(wire(3))\nEQ %c:def(wire(1)) %a %b",
        r"widths differ: %a has 2 bits, %b has 3",
    ),
    (
        "result",
        "IN %a:def(wire(2))\nEQ %c:def(wire(2)) %a %a",
        r"the result must have 1 bit, not 2",
    ),
    (
        "slice",
        "IN %a:def(wire(2))\nSLICE %c:def(wire(1)) %a 2 2",
        r"bit 2 is beyond %a",
    ),
    (
        "slice order",
        "IN %a:def(wire(2))\nSLICE %c:def(wire(1)) %a 0 1",
        r"high bound 0 is below",
    ),
    (
        "concat",
        "IN %a:def(wire(2))\nCONCAT %c:def(wire(3)) %a %a",
        r"must have 4 bits, not 3",
    ),
    (
        "extend",
        "IN %a:def(wire(2))\nZEXT %c:def(wire(1)) %a",
        r"narrower than the operand",
    ),
    (
        "repeat",
        "IN %a:def(wire(2))\nREPEAT %c:def(wire(3)) %a",
        r"no copies",
    ),
    (
        "mux",
        "IN %a:def(wire(2))\nMUX %c:def(wire(2)) %a %a %a",
        r"select must have 1 bit",
    ),
    (
        "table",
        "IN %a:def(wire(2))\nLUT %c:def(wire(1)) %a constant(1, 3)",
        r"2\^2 entries of 1 bit",
    ),
    (
        "types",
        "IN %a:def(wire(2))\nNOT %n:def(op.bits(2)) constant(1, 2)\nCONCAT %c:def(wire(4)) %a %n",
        r"is of type op.bits",
    ),
    (
        "undriven",
        'WIRE %w:def(wire(4))\nDRIVE %w constant(1, 2) 2 1\nOUT "y" %w',
        r"no driver for bit 0(.|\n)*no driver for bit 3",
    ),
    (
        "driven twice",
        "WIRE %w:def(wire(2))\nDRIVE %w constant(1, 2)\nDRIVE %w constant(1, 1) 1 1",
        r"driven twice, bit 1(.|\n)*other driver",
    ),
    (
        "no wire",
        "IN %a:def(wire(2))\nDRIVE %a constant(1, 2)",
        r"%a has a driver",
    ),
    (
        "drive width",
        "WIRE %w:def(wire(2))\nDRIVE %w constant(1, 3)",
        r"must have 2 bits",
    ),
    (
        "output twice",
        'OUT "y" constant(1, 1)\nOUT "y" constant(0, 1)',
        r"'y' is driven twice(.|\n)*first one",
    ),
    (
        "input twice",
        'IN %a:def(wire(1))\nIN %b:def(wire(1)) "a"',
        r"'a' exists already",
    ),
    (
        "loop",
        "IN %a:def(wire(1))\nAND %x:def(wire(1)) %a %y\nOR %y:def(wire(1)) %a %x",
        r"combinational loop: .*x.*y",
    ),
    (
        "wire loop",
        "WIRE %w:def(wire(2))\n"
        "SLICE %s:def(wire(1)) %w 0 0\n"
        "DRIVE %w %s 1 1\n"
        "SLICE %t:def(wire(1)) %w 1 1\n"
        "DRIVE %w %t 0 0",
        r"combinational loop",
    ),
    (
        "register",
        "REG %q:def(wire(2)) constant(1, 3)",
        r"next value must have 2 bits",
    ),
    (
        "reset",
        'IN %r:def(wire(1))\nREG %q:def(wire(2)) %q "reset" %r',
        r"no value for the reset value",
    ),
    (
        "role",
        'IN %r:def(wire(1))\nREG %q:def(wire(2)) %q "rest" %r',
        r'expects "clock"',
    ),
    (
        "init",
        "REG %q:def(wire(2)) %q {init = constant(1, 3)}",
        r"'init' must be a constant of 2 bits",
    ),
    (
        "memory",
        "MEM %m:def(memory(4, 2))\nREAD %d:def(wire(3)) %m constant(0, 2)",
        r"words of the memory have 2 bits",
    ),
    (
        "no memory",
        "IN %m:def(wire(4))\nREAD %d:def(wire(3)) %m constant(0, 2)",
        r"needs a memory",
    ),
    (
        "two writes",
        "MEM %m:def(memory(4, 2))\n"
        "WRITE %m constant(0, 2) constant(0, 2)\n"
        "WRITE %m constant(0, 2) constant(0, 2)",
        r"different attributes 'port'",
    ),
    (
        "unknown module",
        'INSTANCE @nope "u"',
        r"unknown symbol @nope",
    ),
    (
        "not connected",
        'INSTANCE @half "u" "a" constant(1, 1)',
        r"input port 'b' is not connected",
    ),
    (
        "no port",
        'INSTANCE @half "u" "a" constant(1, 1) "b" constant(1, 1) "d" constant(1, 1)',
        r"no input port 'd'",
    ),
    (
        "port width",
        'INSTANCE @half "u" "a" constant(1, 2) "b" constant(1, 1)',
        r"'a' has 1 bit, what is connected to it 2 bits",
    ),
    (
        "too few",
        'INSTANCE @half "u" constant(1, 1)',
        r"2 input ports, 1 are connected",
    ),
    (
        "output port",
        'INSTANCE @half "u" "a" constant(1, 1) "b" constant(1, 1) "x" %x:def(wire(1))',
        r"no output port 'x'",
    ),
    (
        "no parameter",
        'INSTANCE @half "u" "a" constant(1, 1) "b" constant(1, 1) {params = {N = 1}}',
        r"no parameter 'N'",
    ),
    (
        "itself",
        'INSTANCE @m "u"',
        r"contains itself: @m -> @m",
    ),
    (
        "other operation",
        "core.GRAPH @g {}",
        r"no place in a module",
    ),
    (
        "claim",
        "IN %a:def(wire(2))\nASSERT %a",
        r"must have 1 bit",
    ),
]


@pytest.mark.parametrize(("body", "message"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_wrong(body: str, message: str) -> None:
    with pytest.raises(ParseError, match=message) as caught:
        net_of(body, FULL_ADDER)
    assert caught.value.line >= 3, "a place"
    assert caught.value.text, "the line"


def test_unknown_operation_is_an_error_of_the_text() -> None:
    with pytest.raises(ParseError, match=r"op.ADDD"):
        net_of("op.ADDD %a:def(wire(1)) constant(0, 1)")


def test_all_errors_are_collected() -> None:
    with pytest.raises(ParseError) as caught:
        net_of('IN %a:def(wire(0))\nWIRE %w:def(wire(2))\nINSTANCE @half "u"', FULL_ADDER)
    assert len(caught.value.others) >= 2
    with pytest.raises(VerifyError, match="no driver"):
        elaborate(parse("using hw\nMODULE @m {\n WIRE %w:def(wire(2))\n}", context()))


def test_loop_through_hierarchy() -> None:
    with pytest.raises(ParseError, match=r"combinational loop: .*u/") as caught:
        net_of('INSTANCE @half "u" "a" %s "b" constant(1, 1) "s" %s:def(wire(1))', FULL_ADDER)
    assert "half" not in str(caught.value.text) or caught.value.line


def test_hierarchy_that_doubles_is_refused() -> None:
    design = Design()
    with design.module("m0") as m:
        m.output("y", ~m.input("a"))
    last = m
    for i in range(1, 40):
        with design.module(f"m{i}") as m:
            a = m.input("a")
            m.output("y", m.instance(last, "u", a=m.instance(last, "v", a=a)["y"])["y"])
        last = m
    with pytest.raises(LimitError, match="flattens to more than"):
        elaborate(design)
    assert len(elaborate(design, "m10")) == 1 + 2**10


def test_deep_chains_do_not_recurse() -> None:
    with module("deep") as m:
        a = m.input("a", 2)
        x = a
        for _ in range(30_000):
            x = x + a
        m.output("y", x)
    assert simulate_words(m.design, [{"a": 1}]).outputs == [{"y": 30_001 % 4}]


def test_registers() -> None:
    with module("m") as m:
        d, en, rst = m.input("d", 4), m.input("en"), m.input("rst")
        sync = m.reg("sync", 4, enable=en, reset=rst, reset_value=9, init=3)
        sync.next = d
        at_once = m.reg("at_once", 4, enable=en, reset=rst, reset_value=9, init=3, asynchronous=True)
        at_once.next = d
        m.output("s", sync)
        m.output("a", at_once)
    rows = [(1, 0, 0), (2, 1, 0), (4, 1, 1), (5, 0, 0), (6, 0, 1), (7, 1, 0), (0, 0, 0)]
    stimuli = [{"d": d, "en": en, "rst": rst} for d, en, rst in rows]
    expected = [(3, 3), (3, 3), (2, 9), (9, 9), (9, 9), (9, 9), (7, 7)]
    run = simulate_words(m.design, stimuli)
    assert [(row["s"], row["a"]) for row in run.outputs] == expected
    assert simulate_aig(lower(m.design), stimuli) == run.outputs


def test_partly_known_initial_values() -> None:
    aig = read_dyno(
        b"using hw\nMODULE @m {\n"
        b" REG %q:def(wire(3)) %q {init = constant(5, 3), init_mask = constant(6, 3)}\n"
        b" REG %r:def(wire(1)) %r\n}"
    )
    assert aig.resets == [None, 0, 1, None]
    assert aig.names("latches") == ["q[0]", "q[1]", "q[2]", "r"]


def test_memories() -> None:
    with module("m") as m:
        wa, wd, we, ra = m.input("wa", 3), m.input("wd", 4), m.input("we"), m.input("ra", 3)
        mask = m.input("mask", 4)
        mem = m.mem("words", 5, 4, init=[1, 2, 3, 4, 5])
        mem.write(wa, wd, enable=we)
        mem.write(m.constant(2, 3), wd + 1, enable=mask)
        m.output("d", mem.read(ra))
    rows = [(0, 7, 1, 0, 0), (2, 9, 1, 2, 5), (6, 9, 1, 2, 0), (4, 1, 0, 6, 15), (4, 1, 1, 2, 0)]
    rows += [(0, 0, 0, 4, 0), (0, 0, 0, 0, 0)]
    names: list[str] = ["wa", "wd", "we", "ra", "mask"]
    stimuli = [dict(zip(names, row, strict=True)) for row in rows]
    words = [1, 2, 3, 4, 5]
    seen: list[dict[str, int]] = []
    for row in stimuli:
        seen.append({"d": words[row["ra"]] if row["ra"] < 5 else 0})
        if row["we"] and row["wa"] < 5:
            words[row["wa"]] = row["wd"]
        words[2] = words[2] & ~row["mask"] | (row["wd"] + 1 & 15) & row["mask"]
    net = elaborate(m.design)
    assert simulate_words(net, stimuli).outputs == seen
    aig = lower(net)
    assert simulate_aig(aig, stimuli) == seen
    assert aig.names("latches")[:5] == [
        "words[0][0]",
        "words[0][1]",
        "words[0][2]",
        "words[0][3]",
        "words[1][0]",
    ]
    with pytest.raises(LimitError, match=r"words.*does not become latches"):
        lower(net, max_memory_bits=19)


def test_several_clocks_are_noted() -> None:
    with module("m") as m:
        for name in ("a", "b"):
            reg = m.reg(f"q{name}", clock=m.input(name))
            reg.next = ~reg
    assert "2 clocks" in elaborate(m.design).notes[0]


def test_claims() -> None:
    with module("m") as m:
        a = m.input("a", 2)
        m.claim(a != 3, "never")
        m.assume(a[0], "odd")
    aig = lower(m.design)
    assert (len(aig.bad), aig.names("bad")) == (1, ["never"])
    assert (len(aig.constraints), aig.names("constraints")) == (1, ["odd"])
    assert simulate_words(m.design, [{"a": 3}]).claims == [{"never": 0, "odd": 1}]


def test_origins() -> None:
    text = (
        b"using op\nusing hw\nMODULE @m {\n  IN %a:def(wire(4))\n  IN %b:def(wire(4))\n"
        b'  ADD %s:def(wire(4)) %a %b\n  MUL %p:def(wire(4)) %s %b\n  OUT "p" %p\n}'
    )
    aig, origins = lower_with_origins(read_net(text))
    lines = [
        origin.location[0].line for n in range(9, aig.num_nodes) if (origin := origins.of(n)) is not None
    ]
    assert sorted(set(lines)) == [6, 7]
    assert lines == sorted(lines)
    assert origins.of(3) is None
