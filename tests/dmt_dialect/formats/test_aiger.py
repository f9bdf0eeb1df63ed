"""AIGER reading and writing: what is read is what the file says, what is written reads back the same."""

from __future__ import annotations

import io
import os
import random
import signal
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmt_dialect.formats.aiger import read_aiger, write_aag, write_aig, write_aiger
from dynomite._native import io as native
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite.errors import LimitError, ParseError
from tests.support.aiger_files import (
    assert_identical,
    assert_same_function,
    models,
    scrambled,
    section_literals,
    to_ascii,
    to_binary,
)
from tests.support.generators import random_aig
from tests.support.oracles import truth_tables
from tests.support.reference_aiger import Latch, Model, parse


def written(aig: Aig, *, binary: bool) -> bytes:
    return native.aiger_bytes(aig, binary=binary)


# What is read


def test_ascii_sections_names_and_comments() -> None:
    aig = read_aiger(
        b"aag 5 2 1 1 1 2 1 1 1\n2\n4\n6 8\n8\n6\n9\n2\n2\n6\n7\n4\n8 2 4\n"
        b"i0 a\ni1 b\nl0 q\no0 y\nb0 bad zero\nb1 bad one\nc0 assume\nj0 live\nf0 fair\nc\nfree text\n"
    )
    assert aig.fanins[4].tolist() == [2, 4]
    assert section_literals(aig) == {
        "next": [8],
        "outputs": [8],
        "bad": [6, 9],
        "constraints": [2],
        "justice": [6, 7],
        "fairness": [4],
    }
    assert [len(group) for group in aig.justice] == [2]
    assert aig.names("inputs") == ["a", "b"]
    assert aig.names("bad") == ["bad zero", "bad one"]
    assert aig.names("constraints") == ["assume"]
    assert aig.names("justice") == ["live"]
    assert aig.names("fairness") == ["fair"]
    assert list(aig.comments) == ["free text"]


def test_resets() -> None:
    aig = read_aiger(b"aag 5 1 4 0 0\n2\n4 1\n6 0 1\n8 2 0\n10 3 10\n")
    assert aig.resets == [0, 1, 0, None]
    assert [lit.raw for lit in aig.next_states] == [1, 0, 2, 3]
    assert written(aig, binary=False) == b"aag 5 1 4 0 0\n2\n4 1\n6 0 1\n8 2\n10 3 10\n"
    assert written(aig, binary=True) == b"aig 5 1 4 0 0\n1\n0 1\n2\n3 10\n"


def test_symbols_that_look_like_something_else() -> None:
    data = b"aag 3 2 0 1 1\n2\n4\n6\n6 3 5\no0 c\ni1 7 of 9\nc\ni0 not a name\no0 neither\n"
    aig = read_aiger(data)
    assert aig.names("inputs") == [None, "7 of 9"]
    assert aig.names("outputs") == ["c"]
    assert list(aig.comments) == ["i0 not a name", "o0 neither"]
    assert truth_tables(aig) == ["1000"]


def test_names_keep_blanks_utf8_and_bytes_that_are_not() -> None:
    names = [b" lead", b"trail  ", "ünï".encode(), b"\xff\xfe", b"a\rb\tc", b"i0 i0", b"c"]
    head = b"aag 7 7 0 0 0\n" + b"".join(b"%d\n" % (2 * i) for i in range(1, 8))
    data = head + b"".join(b"i%d %s\n" % (i, name) for i, name in enumerate(names)) + b"c\n\xff\x00\r\n\n \n"
    aig = read_aiger(data)
    assert [os.fsencode(name or "") for name in aig.names("inputs")] == names
    assert written(aig, binary=False) == data


def test_empty_symbol_is_none() -> None:
    aig = read_aiger(b"aag 1 1 0 0 0\n2\ni0 \n")
    assert aig.names("inputs") == [None]


def test_one_name_for_two_ports_is_kept() -> None:
    aig = read_aiger(b"aag 2 2 0 0 0\n2\n4\ni0 a\ni1 a\n")
    assert aig.names("inputs") == ["a", "a"]


@pytest.mark.parametrize("tail", [b"c", b"c\n", b"c\nlast line without end"])
def test_comment_needs_no_line_end(tail: bytes) -> None:
    aig = read_aiger(b"aag 1 1 0 0 0\n2\n" + tail)
    assert list(aig.comments) == ([tail[2:].decode()] if len(tail) > 2 else [])


def test_name_block_of_abc() -> None:
    aig = read_aiger(b"aig 1 1 0 0 0\ncn\0\0\0\x04top\0\nThis file was produced\n")
    assert aig.name == "top"
    assert list(aig.comments) == ["This file was produced"]
    assert read_aiger(b"aig 1 1 0 0 0\ncn\0\0\0\x04top\0").name == "top"


def test_empty_circuit() -> None:
    for data in (b"aag 0 0 0 0 0\n", b"aig 0 0 0 0 0\n"):
        aig = read_aiger(data)
        assert aig.num_nodes == 1
        assert written(aig, binary=data.startswith(b"aig")) == data


def test_zeros_in_the_header_are_optional() -> None:
    aig = read_aiger(b"aag 1 1 0 1 0 0 0 0 0\n2\n3\n")
    assert written(aig, binary=False) == b"aag 1 1 0 1 0\n2\n3\n"
    aig = read_aiger(b"aag 0 0 0 0 0 0 0 0 1\n1\n")
    assert written(aig, binary=False) == b"aag 0 0 0 0 0 0 0 0 1\n1\n"


def test_constant_and_repeated_outputs_stay() -> None:
    data = b"aag 1 1 0 5 0\n2\n1\n0\n1\n3\n3\n"
    assert written(read_aiger(data), binary=False) == data
    assert [lit.raw for lit in read_aiger(data).outputs] == [1, 0, 1, 3, 3]


def test_trivial_and_dangling_ands_stay() -> None:
    data = b"aag 5 1 0 1 4\n2\n4\n4 2 2\n6 2 3\n8 2 1\n10 2 1\n"
    aig = read_aiger(data)
    assert aig.num_ands == 4
    assert written(aig, binary=False) == data


def test_ands_in_any_order_keep_ports_and_function() -> None:
    aig = read_aiger(b"aag 6 3 0 2 3\n8\n2\n6\n12\n2\n12 10 3\n10 4 8\n4 6 9\ni0 a\ni1 b\ni2 c\n")
    assert aig.names("inputs") == ["a", "b", "c"]
    assert aig.fanins[4:].tolist() == [[6, 3], [8, 2], [10, 5]]
    assert [lit.raw for lit in aig.outputs] == [12, 4]


def test_ordered_ands_keep_their_order() -> None:
    aig = read_aiger(b"aag 9 2 0 1 2\n2\n4\n18\n10 2 4\n18 10 3\n")
    assert aig.fanins[3:].tolist() == [[2, 4], [6, 3]]


@pytest.mark.parametrize("length", [1000, 300_000])
def test_deep_chain_listed_backwards(length: int) -> None:
    """No recursion: a chain of ANDs, each listed before its fanin."""
    lines = [f"{2 * i} {2 * (i - 1)} 2" for i in range(length + 1, 1, -1)]
    data = (
        f"aag {length + 1} 1 0 1 {length}\n2\n{2 * length + 2}\n".encode() + "\n".join(lines).encode() + b"\n"
    )
    aig = read_aiger(data)
    assert aig.outputs[0].raw == 2 * (length + 1)
    rows = aig.fanins[2:]
    assert (rows[:, 0] == np.arange(2, 2 * length + 2, 2)).all()


def test_long_delta_codes() -> None:
    """Deltas of one to five bytes, also at the very end of the data, where words cannot be loaded."""
    inputs = 2_000_000
    data = f"aig {inputs + 3} {inputs} 0 0 3\n".encode()
    lhs = 2 * (inputs + 1)
    deltas = [(lhs - 2, 2), (3, lhs - 1), (200, 20_000)]
    body = bytearray()
    for pair in deltas:
        for delta in pair:
            value = delta
            while value > 127:
                body.append(value & 127 | 128)
                value >>= 7
            body.append(value)
    for tail in (b"", b"c\n" + b"." * 40):
        aig = read_aiger(data + bytes(body) + tail)
        assert aig.fanins[-3:].tolist() == [[2, 0], [lhs - 1, 0], [lhs - 196, lhs - 20_196]]
        assert written(aig, binary=True)[: len(data) + len(body)] == data + bytes(body)


def test_padded_delta_codes_are_read() -> None:
    aig = read_aiger(b"aig 3 2 0 1 1\n6\n\x82\x80\x00\x82\x00" + b"c\n" + b"x" * 20)
    assert aig.fanins[3].tolist() == [4, 2]


# Random circuits


@settings(max_examples=300, deadline=None)
@given(models())
def test_round_trips(model: Model) -> None:
    for data in (to_ascii(model), to_binary(model)):
        assert_identical(read_aiger(data), model)
    aig = read_aiger(to_ascii(model))
    # Nothing is left to the writer's choice but an empty comment section.
    assert written(aig, binary=False) == to_ascii(model)
    assert written(aig, binary=True) == to_binary(model)


@settings(max_examples=300, deadline=None)
@given(models(), st.randoms(use_true_random=False))
def test_any_numbering_and_order(model: Model, rng: random.Random) -> None:
    other = scrambled(model, rng)
    aig = read_aiger(to_ascii(other))
    assert_same_function(aig, other)
    for binary in (False, True):
        again = read_aiger(written(aig, binary=binary))
        assert_same_function(again, other)
        assert written(again, binary=binary) == written(aig, binary=binary)


def test_far_and_sparse_variables() -> None:
    model = Model(
        maxvar=2_000_000_000,
        inputs=[4_000_000_000, 10],
        latches=[Latch(3_000_000_000, 4_000_000_000, None)],
        outputs=[7, 4_000_000_001],
        ands=[(6, 12, 11), (12, 3_000_000_000, 4_000_000_000)],
    )
    assert_same_function(read_aiger(to_ascii(model)), model)


@pytest.mark.parametrize("binary", [False, True])
def test_store_without_the_layout_of_aiger(rng: random.Random, binary: bool) -> None:
    """Inputs and latches between ANDs are renumbered; the order of all ports stays."""
    for _ in range(100):
        aig = Aig()
        lits = [aig.false]
        for _ in range(rng.randrange(12)):
            kind = rng.randrange(4)
            if kind == 0 and aig.num_inputs < 4:
                lits.append(aig.add_input(rng.choice([None, f"in {aig.num_inputs}"])))
            elif kind == 1 and aig.num_latches < 2:
                lits.append(aig.add_latch(rng.choice([0, 1, None]), f"state {aig.num_latches}"))
            else:
                lits.append(~rng.choice(lits) & rng.choice(lits))
        for latch in aig.latches:
            aig.set_next(latch, ~rng.choice(lits))
        for lit in rng.sample(lits, len(lits) // 2):
            aig.add_output(lit)
        aig.add_bad(rng.choice(lits), "bad")
        aig.add_justice([rng.choice(lits), rng.choice(lits)])
        model = parse(written(aig, binary=binary))
        assert_same_function(aig, model)
        assert_identical(read_aiger(written(aig, binary=binary)), model)


def test_large_random_circuit(rng: random.Random) -> None:
    aig = random_aig(rng, 50, 30_000, 20, 10, raw=True)
    for binary in (False, True):
        again = read_aiger(written(aig, binary=binary))
        assert (np.sort(again.fanins, axis=1) == np.sort(aig.fanins, axis=1)).all()
        assert section_literals(again) == section_literals(aig)


# Files


def test_paths_streams_and_standard_streams(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b"aag 1 1 0 1 0\n2\n3\ni0 a\n"
    path = tmp_path / "ä b.aag"
    path.write_bytes(data)
    aig = read_aiger(path)
    for source in (str(path), io.BytesIO(data), bytearray(data), memoryview(data)):
        assert written(read_aiger(source), binary=False) == data
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert written(read_aiger("-"), binary=False) == data
    stream = io.BytesIO()
    write_aag(aig, stream)
    assert stream.getvalue() == data
    write_aig(aig, "-")
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == b"aig 1 1 0 1 0\n3\ni0 a\n"


def test_path_is_named_in_errors(tmp_path: Path) -> None:
    path = tmp_path / "x.aig"
    path.write_bytes(b"")
    with pytest.raises(ParseError, match="empty file") as caught:
        read_aiger(path)
    assert caught.value.path == str(path)


def test_suffix_decides_the_kind(tmp_path: Path) -> None:
    aig = read_aiger(b"aag 1 1 0 1 0\n2\n3\n")
    for name, magic in (("x.aag", b"aag"), ("x.AAG", b"aag"), ("x.aig", b"aig"), ("x", b"aig")):
        write_aiger(aig, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(magic)
    write_aiger(aig, tmp_path / "y.aag", binary=True)
    assert (tmp_path / "y.aag").read_bytes().startswith(b"aig")
    write_aiger(aig, tmp_path / "z.aag.gz")
    assert read_aiger(tmp_path / "z.aag.gz").num_inputs == 1


def test_stopped_writing_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "x.aag"
    target.write_text("old")
    stop = Stop()
    stop.cancel()
    with pytest.raises(LimitError, match="writing was stopped"):
        write_aiger(read_aiger(b"aag 1 0 0 1 1\n2\n2 1 1\n"), target, stop=stop)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["x.aag"]


def test_stopping() -> None:
    stop = Stop()
    stop.cancel()
    data = to_ascii(Model(maxvar=200_000, inputs=[2 * i for i in range(1, 200_001)]))
    with pytest.raises(LimitError, match="reading was stopped"):
        native.read_aiger(data, stop=stop)
    with pytest.raises(LimitError, match="reading was stopped"):
        native.read_aiger(b"aig 3 2 0 1 1\n6\n\x02\x02", stop=stop)
    with pytest.raises(LimitError, match="writing was stopped"):
        native.aiger_bytes(read_aiger(b"aig 3 2 0 1 1\n6\n\x02\x02"), binary=True, stop=stop)


def test_growing_while_being_written() -> None:
    """A circuit may grow in one thread while another writes it: the file is the circuit of some moment."""
    aig = random_aig(random.Random(1), 20, 2000, 5, raw=True)
    results: list[bytes] = []
    thread = threading.Thread(
        target=lambda: results.extend(native.aiger_bytes(aig, binary=True) for _ in range(50))
    )
    thread.start()
    lit = aig.inputs[0]
    while thread.is_alive():
        lit = ~aig.inputs[len(aig) % 20] & ~lit
    thread.join()
    for data in results:
        read_aiger(data)
    assert len(results) == 50


@pytest.mark.parametrize("writing", [False, True])
def test_interrupt_from_the_keyboard(writing: bool) -> None:
    """Python's signal handlers run while native code works, and what they raise ends it."""
    count = 20_000_000
    data = b"aig %d 1 0 0 %d\n" % (count + 1, count) + b"\x02\x02" * count
    aig = native.read_aiger(data) if writing else None
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    finished = False
    try:
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - whether the call came to its end
            signal.setitimer(signal.ITIMER_REAL, 0.005)
            if aig is None:
                native.read_aiger(data)
            else:
                native.aiger_bytes(aig, binary=True)
            finished = True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not finished
