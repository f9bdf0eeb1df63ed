"""One negative case for each message of the BLIF reader and the elaboration: text, place, message."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from dynomite.errors import LimitError, ParseError, UsageError
from hw_dialect.formats.blif import read_blif, read_blif_with_notes, read_netlist

HEAD = ".model m\n.inputs a b\n.outputs y\n"


@dataclass(frozen=True)
class Bad:
    """A file, the place of its error, a part of the message."""

    text: str
    line: int
    column: int
    message: str


READER = {
    "empty": Bad("", 1, 1, "no circuit"),
    "only comments": Bad("# nothing\n", 2, 1, "no circuit"),
    "unknown directive": Bad(HEAD + ".nmaes a y\n", 4, 1, 'unknown directive ".nmaes"'),
    "search": Bad(HEAD + ".search lib.blif\n", 4, 1, "inline that file's models"),
    "stray row": Bad(HEAD + "11 1\n", 4, 1, "a cover row must follow its .names"),
    "row after a latch": Bad(HEAD + ".latch a q\n1 1\n", 5, 1, "a cover row must follow its .names"),
    "row too narrow": Bad(HEAD + ".names a b y\n1 1\n", 5, 1, "row has 1 column, .names has 2 inputs"),
    "row too wide": Bad(HEAD + ".names a y\n1- 1\n", 5, 1, "row has 2 columns, .names has 1 input"),
    "row without output": Bad(HEAD + ".names a b y\n11\n", 5, 1, "expected 2 input columns"),
    "row of a constant with inputs": Bad(HEAD + ".names y\n1 1\n", 5, 3, ".names has 0 inputs"),
    "row with blanks": Bad(HEAD + ".names a b y\n1 1 1\n", 5, 1, "row has 1 column, .names has 2 inputs"),
    "extra word in a row": Bad(HEAD + ".names a y\n1 1 1\n", 5, 5, 'unexpected "1" after the row'),
    "column character": Bad(HEAD + ".names a b y\n1x 1\n", 5, 2, "0, 1 or -, not 'x'"),
    "output character": Bad(HEAD + ".names a b y\n11 -\n", 5, 4, 'is 0 or 1, not "-"'),
    "constant's character": Bad(HEAD + ".names y\n-\n", 5, 1, 'is 0 or 1, not "-"'),
    "mixed cover": Bad(HEAD + ".names a b y\n11 1\n00 0\n", 6, 4, "mixes on-set and off-set rows"),
    "names of nothing": Bad(HEAD + ".names\n", 4, 1, ".names without a signal"),
    "latch without output": Bad(HEAD + ".latch a\n", 4, 1, ".latch needs an input and an output"),
    "latch type": Bad(HEAD + ".latch a q xx clk 0\n", 4, 12, 'fe, re, ah, al or as, not "xx"'),
    "latch init": Bad(HEAD + ".latch a q 4\n", 4, 12, 'not "4"'),
    "latch type without control": Bad(HEAD + ".latch a q re\n", 4, 12, 'not "re"'),
    "latch too long": Bad(HEAD + ".latch a q re c 0 1\n", 4, 19, 'unexpected "1"'),
    "subckt without model": Bad(HEAD + ".subckt\n", 4, 1, ".subckt without a model name"),
    "pin without equals": Bad(HEAD + ".subckt n x\n", 4, 11, 'formal=signal, not "x"'),
    "pin without net": Bad(HEAD + ".subckt n x=\n", 4, 11, 'formal=signal, not "x="'),
    "pin without formal": Bad(HEAD + ".subckt n =x\n", 4, 11, 'formal=signal, not "=x"'),
    "mlatch init": Bad(HEAD + ".mlatch n d=a q=y clk 7\n", 4, 23, 'not "7"'),
    "mlatch too long": Bad(HEAD + ".mlatch n d=a q=y clk 1 2\n", 4, 25, 'unexpected "2"'),
    "conn": Bad(HEAD + ".conn a\n", 4, 1, ".conn needs two signals"),
    "conn too long": Bad(HEAD + ".conn a y b\n", 4, 11, 'unexpected "b" after the sink'),
    "model twice": Bad(HEAD + ".end\n.model m\n.end\n", 5, 8, "defined twice, first on line 1"),
    "model with two names": Bad(".model m n\n", 1, 10, 'unexpected "n" after the model'),
    "line after end": Bad(HEAD + ".end\n.inputs c\n", 5, 1, "after .end: a .model line must come first"),
    "end alone": Bad(".end\n", 1, 5, ".end without a model"),
    "word after end": Bad(HEAD + ".end m\n", 4, 6, 'unexpected "m" after .end'),
    "exdc twice": Bad(HEAD + ".exdc\n.exdc\n", 5, 1, "a second .exdc"),
    "black box with logic": Bad(HEAD + ".blackbox\n.names a y\n", 5, 1, "black box and has logic"),
    "logic called a black box": Bad(HEAD + ".names a y\n1 1\n.blackbox\n", 6, 1, "black box and has logic"),
    "cname first": Bad(HEAD + ".cname u\n", 4, 1, ".cname before any element"),
    "cname twice": Bad(HEAD + ".names y\n.cname u\n.cname v\n", 6, 1, "a second .cname"),
    "attr of nothing": Bad(HEAD + ".names y\n.attr\n", 5, 1, ".attr without a name"),
    "open quote": Bad(HEAD + '.names y\n.attr k "v\n', 5, 9, "without its closing quote"),
    "kiss": Bad(HEAD + ".start_kiss\n.i 1\n", 4, 1, ".start_kiss without .end_kiss"),
    "NUL": Bad(HEAD + ".names a\0 y\n", 4, 9, "NUL byte"),
    "lone backslash": Bad(HEAD + ".names \\ a y\n", 4, 8, "a backslash alone is no name"),
    "continued end": Bad(HEAD + ".names a y \\", 4, 12, "ends with a continuation backslash"),
    "binary": Bad("\x7fELF\x02", 1, 1, "expected a directive"),
}

ELABORATION = {
    "undriven": Bad(HEAD + ".names a k y\n11 1\n", 4, 10, 'signal "k" is never driven'),
    "undriven output": Bad(HEAD, 3, 10, 'output "y" is never driven'),
    "undriven latch": Bad(HEAD + ".latch k y 1\n", 4, 8, 'next-state signal "k" of a latch is never driven'),
    "undriven pin": Bad(
        HEAD + ".subckt n i=k o=y\n.end\n.model n\n.inputs i\n.outputs o\n.conn i o\n",
        4,
        13,
        'signal "k" is never driven',
    ),
    "undriven below": Bad(
        HEAD + ".subckt n o=y\n.end\n.model n\n.outputs o\n.names k o\n1 1\n", 8, 8, '"k" is never driven'
    ),
    "undriven in dead logic": Bad(HEAD + ".conn a y\n.names k z\n1 1\n", 5, 8, 'signal "k" is never driven'),
    "two drivers": Bad(
        HEAD + ".names a y\n1 1\n.names b y\n1 1\n",
        6,
        10,
        'signal "y" has two drivers: .names on line 4 and .names on line 6',
    ),
    "latch and cover": Bad(
        HEAD + ".latch a y\n.names b y\n1 1\n", 5, 10, ".latch on line 4 and .names on line 5"
    ),
    "driven input": Bad(
        HEAD + ".names a b\n1 1\n.conn b y\n", 4, 10, ".inputs on line 2 and .names on line 4"
    ),
    "driven clock": Bad(".model m\n.clock c\n.names c\n", 3, 8, ".clock on line 2 and .names on line 3"),
    "conn and instance": Bad(
        HEAD + ".conn a y\n.subckt n o=y\n.end\n.model n\n.outputs o\n.names o\n",
        5,
        13,
        '.conn on line 4 and the instance of "n" on line 5',
    ),
    "one instance twice": Bad(
        HEAD + ".subckt n o=y p=y\n.end\n.model n\n.outputs o p\n.names o\n.names p\n", 4, 13, "two drivers"
    ),
    "two drivers in an unused model": Bad(
        HEAD + ".conn a y\n.end\n.model n\n.names z\n.names z\n",
        8,
        8,
        ".names on line 7 and .names on line 8",
    ),
    "input twice": Bad(
        ".model m\n.inputs a\n.inputs a\n", 3, 9, 'input "a" is declared twice, first on line 2'
    ),
    "clock twice": Bad(".model m\n.clock c c\n", 2, 8, 'clock "c" is declared twice'),
    "output twice": Bad(".model m\n.inputs y\n.outputs y y\n", 3, 10, 'output "y" is declared twice'),
    "loop": Bad(HEAD + ".names a x y\n11 1\n.names y x\n0 1\n", 4, 12, "combinational loop: y -> x -> y"),
    "loop of one": Bad(HEAD + ".names y y\n1 1\n", 4, 8, "combinational loop: y -> y"),
    "loop that feeds nothing": Bad(
        HEAD + ".conn a y\n.conn p q\n.conn q p\n", 6, 9, "combinational loop: p -> q -> p"
    ),
    "loop through an instance": Bad(
        HEAD + ".subckt n i=y o=y\n.end\n.model n\n.inputs i\n.outputs o\n.conn i o\n",
        4,
        13,
        "combinational loop: y -> n:0/i -> n:0/o -> y",
    ),
    "missing model": Bad(HEAD + ".subckt ghost i=a o=y\n", 4, 9, 'no model "ghost" in the file'),
    "gate": Bad(HEAD + ".gate nand2 A=a B=b O=y\n", 4, 7, 'cell "nand2" needs a cell library'),
    "mlatch": Bad(HEAD + ".mlatch dff D=a Q=y clk 0\n", 4, 9, 'cell "dff" needs a cell library'),
    "black box": Bad(
        HEAD + ".subckt n i=a o=y\n.end\n.model n\n.inputs i\n.outputs o\n.blackbox\n",
        4,
        9,
        'model "n" has no logic (.blackbox on line 6',
    ),
    "top is a black box": Bad(".model m\n.blackbox\n", 1, 8, 'the top model "m" is a black box'),
    "recursive": Bad(HEAD + ".subckt m a=a b=b y=y\n", 4, 9, 'model "m" instantiates itself'),
    "recursive in two steps": Bad(
        HEAD + ".subckt n o=y\n.end\n.model n\n.outputs o\n.subckt m a=o b=o y=o\n",
        8,
        9,
        'model "m" instantiates itself: m -> n -> m',
    ),
    "no such port": Bad(
        HEAD + ".subckt n x=a o=y\n.end\n.model n\n.outputs o\n.names o\n", 4, 11, 'model "n" has no port "x"'
    ),
    "pin twice": Bad(
        HEAD + ".subckt n i=a i=b o=y\n.end\n.model n\n.inputs i\n.outputs o\n.conn i o\n",
        4,
        11,
        'pin "i" is connected twice',
    ),
    "input left open": Bad(
        HEAD + ".subckt n o=y\n.end\n.model n\n.inputs i\n.outputs o\n.conn i o\n",
        4,
        9,
        'input "i" of model "n" is not connected',
    ),
    "input and output": Bad(
        HEAD + ".subckt n i=a\n.conn a y\n.end\n.model n\n.inputs i\n.outputs i\n",
        4,
        11,
        "is both an input and an output",
    ),
}


def check(bad: Bad, error: ParseError) -> None:
    assert bad.message in error.message
    assert (error.line, error.column) == (bad.line, bad.column), str(error)
    lines = bad.text.split("\n")
    shown = lines[bad.line - 1].rstrip("\r").replace("\0", " ")
    assert error.text == shown
    offset = sum(len(line) + 1 for line in lines[: bad.line - 1]) + bad.column - 1
    assert error.offset == offset


@pytest.mark.parametrize("bad", READER.values(), ids=READER.keys())
def test_the_reader_refuses(bad: Bad) -> None:
    with pytest.raises(ParseError) as caught:
        read_netlist(bad.text.encode("latin-1"))
    check(bad, caught.value)


@pytest.mark.parametrize("bad", ELABORATION.values(), ids=ELABORATION.keys())
def test_elaboration_refuses(bad: Bad) -> None:
    netlist = read_netlist(bad.text.encode())  # the file itself is well-formed
    with pytest.raises(ParseError) as caught:
        read_blif(bad.text.encode())
    check(bad, caught.value)
    with pytest.raises(ParseError) as without_text:
        read_blif(netlist)
    assert without_text.value.message == caught.value.message
    assert without_text.value.line == bad.line


def test_unknown_top() -> None:
    with pytest.raises(UsageError, match=r"no model .n."):
        read_blif(HEAD.encode(), top="n")


def test_doubling_hierarchy_is_refused_before_it_is_made() -> None:
    levels = "".join(
        f".model m{k}\n.inputs a\n.outputs y\n.subckt m{k + 1} a=a y=t\n.subckt m{k + 1} a=t y=y\n.end\n"
        for k in range(60)
    )
    text = levels + ".model m60\n.inputs a\n.outputs y\n.names a y\n0 1\n.end\n"
    with pytest.raises(LimitError, match=r"flattening model .m0. would make"):
        read_blif(text.encode())
    assert read_blif(text.encode(), top="m50").num_ands == 0
    with pytest.raises(LimitError, match=r"would make 7164 nets and instances; the limit is 1456$"):
        read_blif(text.encode(), top="m50", max_flattened=1000)


def test_names_of_a_deep_hierarchy_are_limited() -> None:
    depth = 60_000
    text = "".join(
        f".model m{k}\n.inputs a\n.outputs y\n.subckt m{k + 1} a=a y=t\n.latch t y 0\n.end\n"
        for k in range(depth)
    )
    text += f".model m{depth}\n.inputs a\n.outputs y\n.latch a y 0\n.end\n"
    with pytest.raises(LimitError, match="hierarchical names"):
        read_blif(text.encode())


def test_deep_things_need_no_stack() -> None:
    depth = 100_000
    chain = f".model m\n.inputs n0\n.outputs n{depth}\n"
    chain += "".join(f".names n{k} n{k + 1}\n0 1\n" for k in range(depth))
    assert read_blif(chain.encode()).num_ands == 0
    models = "".join(
        f".model m{k}\n.inputs a\n.outputs y\n.subckt m{k + 1} a=a y=t\n.names t y\n0 1\n.end\n"
        for k in range(depth)
    )
    models += f".model m{depth}\n.inputs a\n.outputs y\n.conn a y\n.end\n"
    assert read_blif(models.encode()).num_ands == 0
    with pytest.raises(ParseError, match=r"m0 -> m1 -> .* more\) -> m0"):
        read_blif(models.replace(".conn a y", ".subckt m0 a=a y=y").encode())
    loop = chain.replace("inputs n0", "inputs a") + f".conn n{depth} n0\n"
    with pytest.raises(ParseError, match=r"combinational loop: .* more\) -> n"):
        read_blif(loop.encode())


def test_long_lines_are_cut_in_messages() -> None:
    text = HEAD + ".names " + " ".join(["a"] * 500) + " k y\n"
    with pytest.raises(ParseError) as caught:
        read_blif(text.encode())
    assert len(caught.value.text) < 300
    assert len(str(caught.value)) < 1000


def test_notes_are_not_errors() -> None:
    text = HEAD + ".area 1\n.delay y 1\n.area 2\n.names a y \\ \n# c\n1 1\n"
    _, notes = read_blif_with_notes((text).encode())
    assert notes == [
        (4, ".area carries no logic: skipped (2 of them)"),
        (5, ".delay carries no logic: skipped"),
        (7, "blanks or a comment after a continuation backslash: taken as a continuation"),
    ]
