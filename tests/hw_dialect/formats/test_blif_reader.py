"""What BLIF means: every kind of line, read as netlist and as AIG."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from dynomite._native import hw as native
from dynomite._native.base import Stop
from dynomite.errors import LimitError
from dynomite.formats import read_circuit
from hw_dialect.formats.blif import convert_netlist, read_blif, read_blif_with_notes, read_netlist, write_blif
from tests.support.oracles import truth_tables

HEAD = ".model m\n.inputs a b\n.outputs y\n"


def truth(text: str) -> list[str]:
    return truth_tables(read_blif(text.encode()))


@pytest.mark.parametrize(
    ("cover", "expected"),
    [
        (".names a b y\n11 1\n", "0001"),
        (".names a b y\n11 0\n", "1110"),
        (".names a b y\n10 1\n01 1\n", "0110"),
        (".names a b y\n10 0\n01 0\n", "1001"),
        (".names a b y\n1- 1\n", "0101"),
        (".names a b y\n-- 1\n", "1111"),
        (".names a b y\n-- 0\n", "0000"),
        (".names a b y\n", "0000"),
        (".names y\n", "0000"),
        (".names y\n0\n", "0000"),
        (".names y\n1\n", "1111"),
        (".names y\n1\n1\n", "1111"),
        (".names a a y\n10 1\n", "0000"),
        (".names a a y\n11 1\n", "0101"),
        (".names b a y\n10 1\n", "0010"),
        (".conn b y\n", "0011"),
        (".barbuf b y\n", "0011"),
        (".short b y\n", "0011"),
    ],
)
def test_covers(cover: str, expected: str) -> None:
    assert truth(HEAD + cover) == [expected]


def test_all_covers_of_two_inputs_and_three_rows() -> None:
    rows = [x + y for x in "01-" for y in "01-"]
    for phase in "01":
        for first in rows:
            for second in rows:
                for third in rows:
                    expected = ""
                    for k in range(4):
                        bits = (str(k & 1), str(k >> 1))
                        hit = any(
                            all(c in ("-", bits[i]) for i, c in enumerate(r)) for r in (first, second, third)
                        )
                        expected += "1" if hit == (phase == "1") else "0"
                    cover = f".names a b y\n{first} {phase}\n{second} {phase}\n{third} {phase}\n"
                    assert truth(HEAD + cover) == [expected], cover


def test_wide_covers_are_balanced() -> None:
    names = " ".join(f"x{i}" for i in range(5000))
    text = f".model w\n.inputs {names}\n.outputs y\n.names {names} y\n{'1' * 5000} 1\n.end\n"
    aig = read_blif(text.encode())
    assert (aig.num_ands, aig.depth) == (4999, 13)
    rows = "\n".join("-" * i + "1" + "-" * (4999 - i) + " 1" for i in range(5000))
    aig = read_blif(text.replace("1" * 5000 + " 1", rows).encode())
    assert (aig.num_ands, aig.depth) == (4999, 13)


def test_shared_literals_are_factored() -> None:
    text = HEAD.replace("a b", "a b c d") + ".names a b c d y\n11-- 1\n1-1- 1\n1--1 1\n"
    assert read_blif(text.encode()).num_ands == 3
    parity = "".join(f"{k:04b} 1\n" for k in range(16) if k.bit_count() % 2)
    assert read_blif((HEAD.replace("a b", "a b c d") + ".names a b c d y\n" + parity).encode()).num_ands == 9


def test_ports_keep_their_order_and_come_late() -> None:
    text = ".model m\n.outputs y\n.inputs b\n.names a b c y\n111 1\n.inputs c a\n.outputs z\n.conn a z\n"
    aig = read_blif(text.encode())
    assert aig.names("inputs") == ["b", "c", "a"]
    assert aig.names("outputs") == ["y", "z"]


def test_a_clock_is_an_input_only_if_logic_reads_it() -> None:
    text = HEAD + ".clock clk\n.latch a y re clk 0\n"
    assert read_blif(text.encode()).names("inputs") == ["a", "b"]
    assert read_blif((text + ".outputs z\n.conn clk z\n").encode()).names("inputs") == ["a", "b", "clk"]
    assert read_blif((text + ".inputs clk\n").encode()).names("inputs") == ["a", "b", "clk"]


def test_a_clock_read_below_reaches_the_top() -> None:
    child = ".end\n.model n\n.clock c\n.inputs i\n.outputs o\n"
    top = ".model m\n.inputs a\n.outputs y\n.clock clk\n.subckt n c=clk i=a o=y\n"
    assert read_blif((top + child + ".latch i o re c 0\n").encode()).names("inputs") == ["a"]
    gated = read_blif((top + child + ".names i c o\n11 1\n").encode())
    assert gated.names("inputs") == ["a", "clk"]
    assert gated.num_ands == 1


def test_latch_forms() -> None:
    text = (
        ".model m\n.inputs d clk\n.outputs q0 q1 q2 q3 q4\n.latch d q0\n.latch d q1 1\n.latch d q2 re clk 0\n"
        ".latch d q3 fe clk 2\n.latch d q4 al clk\n.end\n"
    )
    aig, notes = read_blif_with_notes(text.encode())
    assert aig.resets == [None, 1, 0, None, None]
    assert aig.names("latches") == ["q0", "q1", "q2", "q3", "q4"]
    assert [line for line, _ in notes] == [4, 8]
    cells = read_netlist(text.encode()).models[0].cells
    assert [(c.latch_type, c.control, c.init) for c in cells] == [
        (None, None, None),
        (None, None, 1),
        ("re", "clk", 0),
        ("fe", "clk", 2),
        ("al", "clk", None),
    ]


def test_a_latch_may_hold_itself_and_be_an_output() -> None:
    aig = read_blif(b".model m\n.outputs q\n.latch q q 1\n.end\n")
    assert aig.next_states[0] == aig.latches[0] == aig.outputs[0]
    assert aig.resets == [1]


def test_hierarchy() -> None:
    text = """
.model top
.inputs a b c
.outputs y z
.subckt pair p=a q=b r=t s=z
.subckt pair r=y q=c p=t
.cname second
.end
.model pair
.inputs p q
.outputs r s
.names p q t
11 1
.subckt inv i=t o=s
.latch t r 0
.end
.model inv
.inputs i
.outputs o
.names i o
0 1
.end
"""
    aig = read_blif(text.encode())
    assert aig.names("inputs") == ["a", "b", "c"]
    assert aig.names("latches") == ["pair:0/r", "second/r"]
    assert aig.num_ands == 2
    named = read_blif(text.encode(), net_names=True)
    assert sorted(name for _, name in named.net_names) == ["pair:0/t", "second/t"]
    assert read_blif(text.encode(), top="inv").name == "inv"
    assert truth_tables(read_blif(text.encode(), top="inv")) == ["10"]


def test_equal_instance_names_do_not_mix_latches() -> None:
    child = ".model n\n.inputs i\n.outputs o\n.latch i o 0\n.end\n"
    text = HEAD + ".subckt n i=a o=t\n.cname u\n.subckt n i=t o=y\n.cname u\n.end\n" + child
    assert read_blif(text.encode()).names("latches") == ["u/o", "u/o~1"]
    text = HEAD + ".subckt n i=a o=y\n.cname u\n.latch a u/o 0\n.end\n" + child
    assert read_blif(text.encode()).names("latches") == ["u/o", "u/o~1"]


BOX = ".end\n.model ram\n.inputs d\n.clock k\n.outputs q\n.blackbox\n.end\n"


@pytest.mark.parametrize("tail", ["", BOX], ids=["missing", "declared"])
def test_black_boxes_are_cut(tail: str) -> None:
    text = HEAD + ".clock clk\n.names a b t\n11 1\n.subckt ram d=t q=u k=clk\n.names u y\n0 1\n" + tail
    aig, notes = read_blif_with_notes(text.encode(), black_boxes=True)
    assert aig.names("inputs") == ["a", "b", "clk", "ram:0/q"]
    assert aig.names("outputs") == ["y", "ram:0/d", "ram:0/k"]
    assert [text for _, text in notes] == [
        "1 instance without logic cut as black boxes: 1 pins became inputs, 2 became outputs"
    ]


def test_directions_of_missing_models_follow_from_other_instances() -> None:
    text = HEAD + ".gate inv A=a Y=s\n.gate inv A=s Y=t\n.gate inv A=t Y=y\n.cname last\n"
    aig = read_blif(text.encode(), black_boxes=True)
    assert aig.names("inputs") == ["a", "b", "inv:0/Y", "inv:1/Y", "last/Y"]
    assert aig.names("outputs") == ["y", "inv:0/A", "inv:1/A", "last/A"]


def test_directions_that_nothing_says_are_chosen_with_a_note() -> None:
    text = HEAD + ".subckt source i=a o=t\n.subckt sink i=t o=y\n"
    aig, notes = read_blif_with_notes(text.encode(), black_boxes=True)
    assert aig.names("inputs") == ["a", "b", "source:0/o", "sink:0/o"]
    assert aig.names("outputs") == ["y", "source:0/i", "sink:0/i"]
    assert notes[-1][1] == "nothing says which of two missing models drives a signal: chosen for 1 pins"
    text = HEAD + ".subckt p x=k\n.subckt q z=k\n.conn a y\n"
    assert read_blif(text.encode(), black_boxes=True).names("inputs") == ["a", "b", "p:0/x"]


def test_mlatch_as_black_box() -> None:
    text = HEAD + ".mlatch dff D=a Q=y b 1\n.mlatch dff D=b Q=z a\n.mlatch dff D=b Q=w 2\n"
    aig = read_blif(text.encode(), black_boxes=True)
    assert aig.names("outputs")[:3] == ["y", "dff:0/D", "dff:0/control"]
    cells = read_netlist(text.encode()).models[0].cells
    assert [(c.init, c.connections[-1]) for c in cells] == [
        (1, ("", "b")),
        (None, ("", "a")),
        (2, ("Q", "w")),
    ]


def test_gates_whose_cells_are_models_of_the_file() -> None:
    text = (
        HEAD
        + ".gate nand A=a B=b O=y\n.end\n.model nand\n.inputs A B\n.outputs O\n.names A B O\n11 0\n.end\n"
    )
    assert truth(text) == ["1110"]


def test_equal_instance_names_do_not_mix_black_boxes() -> None:
    text = HEAD + ".subckt n i=a o=t\n.cname u\n.subckt n i=t o=y\n.cname u\n"
    aig = read_blif(text.encode(), black_boxes=True)
    assert aig.names("inputs") == ["a", "b", "u/o", "u/o~1"]
    assert aig.names("outputs") == ["y", "u/i", "u/i~1"]


def test_undriven_signals_as_inputs() -> None:
    text = HEAD + ".names a k y\n11 1\n.subckt n o=z\n.end\n.model n\n.inputs i\n.outputs o\n.conn i o\n"
    aig, notes = read_blif_with_notes(text.encode(), free_undriven=True)
    assert aig.names("inputs") == ["a", "b", "k", "n:0/i"]
    assert notes == [(0, '2 signals without a driver became inputs, first "k"')]


def test_dont_cares_tables_and_timing_are_skipped_with_a_note() -> None:
    text = (
        HEAD
        + ".names a b y\n11 1\n.start_kiss\n.i 2\n.o 1\n.s 1\n.p 1\n-- s0 s0 -\n.end_kiss\n.latch_order q\n"
        ".code s0 0\n.area 3\n.exdc\n.inputs a b\n.outputs y\n.names a b y\n01 1\n.end\n"
    )
    aig, notes = read_blif_with_notes(text.encode())
    assert truth_tables(aig) == ["0001"]
    assert [line for line, _ in notes] == [6, 13, 14, 15, 16]
    model = read_netlist(text.encode()).models[0]
    assert model.exdc is not None
    assert model.exdc.inputs == ["a", "b"]
    assert [cell.rows for cell in model.exdc.cells] == [["01"]]


def test_odd_names_and_comments() -> None:
    text = (
        ".model 1st#c\n.inputs 0 1 \\a.b[1] x=y #c \\\n.outputs .q #\n.names 0 1 \\a.b[1] x=y .q#\n1111 1#\n"
    )
    aig = read_blif(text.encode())
    assert aig.name == "1st"
    assert aig.names("inputs") == ["0", "1", "\\a.b[1]", "x=y"]
    assert aig.names("outputs") == [".q"]


def test_names_need_not_be_utf8() -> None:
    aig = read_blif(".model m\n.inputs é\n.outputs y\n.conn é y\n".encode("latin-1"))
    assert aig.names("inputs") == ["\udce9"]


def test_the_file_names_a_model_without_a_name(tmp_path: Path) -> None:
    path = tmp_path / "my adder.blif.gz"
    path.write_bytes(gzip.compress(b".inputs a\n.outputs y\n.names a y\n0 1\n"))
    assert read_netlist(path).models[0].name == "my_adder"
    assert read_circuit(path).name == "my_adder"
    assert read_blif(b"\xef\xbb\xbf.inputs a\n").num_inputs == 1


EBLIF = """.model top
.attr src "top.v:1 # not a comment"
.inputs a
.outputs q
.names a t
1 1
.cname buffer
.attr src "a \\"b\\""
.param W 8 # comment
.conn t u
.subckt ff d=u q=q
.cname my_ff
.param blank
.end

.model ff
.inputs d
.outputs q
.blackbox
.end
"""


def test_attributes_follow_their_element() -> None:
    top, box = read_netlist(EBLIF.encode()).models
    assert top.attributes == [("attr", "src", '"top.v:1 # not a comment"')]
    assert [cell.attributes for cell in top.cells] == [
        [("cname", "buffer", ""), ("attr", "src", '"a \\"b\\""'), ("param", "W", "8")],
        [],
        [("cname", "my_ff", ""), ("param", "blank", "")],
    ]
    assert (top.is_black_box, box.is_black_box) == (False, True)


def test_converting_keeps_the_netlist(tmp_path: Path) -> None:
    source, target = tmp_path / "a.eblif", tmp_path / "b.eblif.xz"
    source.write_text(EBLIF)
    assert convert_netlist(source, target) == []
    again = tmp_path / "c.eblif"
    convert_netlist(target, again)
    assert again.read_text().splitlines() == [
        ".model top",
        ".inputs a",
        ".outputs q",
        '.attr src "top.v:1 # not a comment"',
        *[line.replace(" # comment", "") for line in EBLIF.splitlines()[4:]],
    ]


def test_sections_without_logic_are_written_again() -> None:
    text = (
        ".model m\n.inputs a\n.outputs q\n.clock c\n.latch t q re c 2\n"
        ".start_kiss\n.i 1\n.o 1\n- s s 1\n.end_kiss\n.area 5\n"
        ".mlatch dff D=a Q=u c 1\n.names a t\n0 1\n.exdc\n.names q\n1\n.end\n"
    )
    assert native.netlist_bytes(read_netlist(text.encode())).decode() == text


def test_netlist_views() -> None:
    netlist = read_netlist(b".model m\n.inputs a\n.outputs y\n.subckt n i=a o=y\n.area 5\n", stop=None)
    [model] = netlist.models
    assert (netlist.path, model.name, model.line, model.clocks, model.exdc) == ("<bytes>", "m", 1, [], None)
    instance, area = model.cells
    assert (instance.kind, instance.model, instance.line) == ("subckt", "n", 4)
    assert instance.connections == [("i", "a"), ("o", "y")]
    assert (instance.output, instance.rows, instance.inputs) == (None, [], [])
    assert (area.kind, area.text) == ("directive", ".area 5")
    assert netlist.memory > 0


def test_reading_stops() -> None:
    stop = Stop()
    stop.cancel()
    text = (HEAD + ".conn a y\n" + ".area 1\n" * 5000).encode()
    with pytest.raises(LimitError, match="stopped"):
        read_blif(text, stop=stop)
    with pytest.raises(LimitError, match="stopped"):
        write_blif(read_netlist(text), "/dev/null", stop=stop)
