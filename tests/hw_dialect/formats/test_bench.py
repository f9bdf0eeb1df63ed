"""ISCAS .bench: every gate, every message, and twins of the same circuits in BLIF."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynomite._native import hw as native
from dynomite._native import sim
from dynomite.errors import ParseError
from hw_dialect.formats.bench import read_bench
from hw_dialect.formats.blif import read_blif
from tests.support.oracles import truth_tables


def truth(gate: str, inputs: str = "ab") -> list[str]:
    ports = "".join(f"INPUT({name})\n" for name in inputs)
    return truth_tables(read_bench(f"{ports}OUTPUT(y)\n{gate}\n".encode()))


@pytest.mark.parametrize(
    ("gate", "expected"),
    [
        ("y = AND(a, b)", "0001"),
        ("y = NAND(a, b)", "1110"),
        ("y = OR(a, b)", "0111"),
        ("y = NOR(a, b)", "1000"),
        ("y = XOR(a, b)", "0110"),
        ("y = XNOR(a, b)", "1001"),
        ("y = NOT(b)", "1100"),
        ("y = INV(b)", "1100"),
        ("y = BUF(b)", "0011"),
        ("y = BUFF(b)", "0011"),
        ("y = and(a)", "0101"),
        ("y = Nor(a)", "1010"),
        ("y = gnd", "0000"),
        ("y = vdd # supply", "1111"),
        ("y = CONST0()", "0000"),
        ("y = const1", "1111"),
        ("y=LUT 0x8(a,b)", "0001"),
        ("y = LUT 0xe ( a, b )", "0111"),
        ("y = lut 0X2 ( a, b )", "0100"),
        ("y = LUT 0x0D ( a, b )", "1011"),
        ("y = LUT 0x1 ( a )", "1010"),
        ("y = LUT 0x1 ()", "1111"),
        ("  y\t= AND ( a ,b ) \r", "0001"),
        ("t = NOT(u)\ny = AND(t, b)\nu = BUFF(a)", "0010"),
    ],
)
def test_gates(gate: str, expected: str) -> None:
    assert truth(gate) == [expected]


def test_gates_of_many_inputs() -> None:
    columns = [f"{k:04b}"[::-1] for k in range(16)]
    on_counts = {
        "AND": {4},
        "NAND": {0, 1, 2, 3},
        "OR": {1, 2, 3, 4},
        "NOR": {0},
        "XOR": {1, 3},
        "XNOR": {0, 2, 4},
    }
    for keyword, counts in on_counts.items():
        expected = "".join("1" if column.count("1") in counts else "0" for column in columns)
        assert truth(f"y = {keyword}(a, b, c, d)", "abcd") == [expected]
    assert truth("y = MUX(a, b, c)", "abc") == ["00100111"]
    table = 0x1234_5678_9ABC_DEF0
    expected = "".join(str(table >> k & 1) for k in range(64))
    assert truth(f"y = LUT 0x{table:X} (a, b, c, d, e, f)", "abcdef") == [expected]


def test_flip_flops() -> None:
    text = """
INPUT(d)
OUTPUT(p)
p = DFF(d)
q = DFF0(p)
r = DFF1(q)
s = DFFRSE(r, gnd, gnd, gnd, GND)
"""
    aig = read_bench(text.encode())
    assert aig.names("latches") == ["p", "q", "r", "s"]
    assert aig.resets == [None, 0, 1, None]
    assert [lit.raw for lit in aig.next_states] == [2, 4, 6, 8]


def test_lines_in_any_order_and_undriven_signals() -> None:
    aig = read_bench(b"y = AND(a, k)\nOUTPUT(y)\nINPUT(a)", free_undriven=True)
    assert aig.names("inputs") == ["a", "k"]
    assert read_bench(b"# nothing\n").num_inputs == 0


HEAD = "INPUT(a)\nOUTPUT(y)\n"
ERRORS = {
    "empty": ("", 1, 1, "no circuit: the file is empty"),
    "word": (HEAD + "y", 3, 1, 'expected INPUT(signal), OUTPUT(signal) or signal = GATE(...), found "y"'),
    "no name": (HEAD + "= AND(a)", 3, 1, 'expected INPUT, OUTPUT or the name of a signal, found "="'),
    "no port": ("INPUT()\n", 1, 7, 'expected the name of a signal, found ")"'),
    "no parenthesis": ("INPUT a\n", 1, 7, "expected '(', found \"a\""),
    "not closed": ("INPUT(a\n", 1, 8, "expected ')', found end of the line"),
    "not closed at the end": ("INPUT(a", 1, 8, "expected ')', found end of the file"),
    "no gate": (HEAD + "y = # AND(a)", 3, 5, "expected a gate, found end of the line"),
    "unknown gate": (HEAD + "y = AMD(a, a)", 3, 5, 'unknown gate "AMD"'),
    "unknown flip-flop": (HEAD + "y = DFF7(a)", 3, 5, 'unknown flip-flop "DFF7"'),
    "alias": (HEAD + "y = a", 3, 5, 'unknown gate "a"'),
    "no operand": (HEAD + "y = AND()", 3, 5, '"AND" has 0 operands, it takes 1 or more'),
    "operands": (HEAD + "y = NOT(a, a)", 3, 5, '"NOT" has 2 operands, it takes 1'),
    "mux operands": (HEAD + "y = MUX(a, a)", 3, 5, '"MUX" has 2 operands, it takes 3'),
    "constant operands": (HEAD + "y = vdd(a)", 3, 5, '"vdd" has 1 operands, it takes 0'),
    "reset": (HEAD + "y = DFFRSE(a, r, gnd, gnd, gnd)", 3, 15, "must be gnd"),
    "missing comma": (HEAD + "y = AND(a a)", 3, 11, "expected ')', found \"a\""),
    "rest": (HEAD + "y = NOT(a) z", 3, 12, 'unexpected "z" after the end of the statement'),
    "table": (HEAD + "y = LUT 8 (a)", 3, 9, "written 0x and hexadecimal digits"),
    "digit": (HEAD + "y = LUT 0x8g (a)", 3, 12, "no hexadecimal digit"),
    "large table": (HEAD + "y = LUT 0x4 (a)", 3, 9, "with 1 inputs has 2 bits; this one is larger"),
    "larger table": (HEAD + "y = LUT 0x10 (a, a)", 3, 9, "with 2 inputs has 4 bits; this one is larger"),
    "wide table": (HEAD + f"y = LUT 0x0 ({', '.join('a' * 17)})", 3, 5, "at most 16 inputs"),
    "NUL": (HEAD + "y = NOT(a\0)", 3, 10, "found NUL byte"),
    "undriven": (HEAD + "y = AND(a, k)", 3, 12, 'signal "k" is never driven'),
    "undriven output": (HEAD, 2, 8, 'output "y" is never driven'),
    "two drivers": (HEAD + "y = NOT(a)\ny = BUFF(a)", 4, 1, "the gate on line 3 and the gate on line 4"),
    "driven input": (HEAD + "y = NOT(a)\na = vdd", 4, 1, "two drivers"),
    "input twice": ("INPUT(a)\nINPUT(a)", 2, 7, 'input "a" is declared twice'),
    "loop": (HEAD + "y = NOT(t)\nt = AND(a, y)", 3, 1, "combinational loop: y -> t -> y"),
}


@pytest.mark.parametrize(("text", "line", "column", "message"), ERRORS.values(), ids=ERRORS.keys())
def test_bench_refuses(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        read_bench(text.encode())
    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column), str(caught.value)


def test_iscas85_twins_are_the_same_circuit(circuits: Path) -> None:
    """The .bench and the .blif of each circuit agree on random patterns (and c17 on all)."""
    for bench in sorted((circuits / "iscas85").glob("*.bench")):
        left, right = read_bench(bench), read_blif(bench.with_suffix(".blif"))
        assert left.names("inputs") == right.names("inputs")
        assert left.names("outputs") == right.names("outputs")
        patterns = 32 if left.num_inputs == 5 else 4096
        runs = [sim.Schedule(aig).run(patterns, seed=None if patterns == 32 else 1) for aig in (left, right)]
        assert runs[0] is not None
        assert runs[1] is not None
        assert (runs[0][0] == runs[1][0]).all(), bench.name


def test_bench_as_bytes() -> None:
    data, notes = native.bench_bytes(read_bench(b"INPUT(a)\nOUTPUT(y)\ny = NOT(a)\n"))
    assert data == b"# circuit\nINPUT(a)\nOUTPUT(y)\ny = NOT(a)\n"
    assert notes == []
