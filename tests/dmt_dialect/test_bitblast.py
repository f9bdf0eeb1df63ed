"""Words: values against plain integers; building gates from Python. Proofs are in test_word_proofs.py."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmt_dialect.aig import Aig
from dmt_dialect.bitblast import (
    Architecture,
    BitVec,
    WordAttr,
    WordShape,
    blast,
    blast_array,
    evaluate,
    operators,
    result_width,
    word_inputs,
    word_op,
    word_outputs,
)
from dynomite._native.base import Stop
from dynomite.errors import LimitError, UsageError
from tests.support import reference_words
from tests.support.oracles import evaluate as evaluate_aig
from tests.support.word_proofs import ARCHITECTURES, Params, circuit, forms, info

by_name = pytest.mark.parametrize("name", [op.name for op in operators() if op.name != "LUT"])


def words_of(widths: tuple[int, ...], values: tuple[int, ...]) -> list[BitVec]:
    return [BitVec(value, width) for value, width in zip(values, widths, strict=True)]


@by_name
def test_all_values_agree_with_integers(name: str) -> None:
    op = info(name)
    for width in range(1, 7):
        for widths, params in forms(op, width):
            if sum(widths) > 12:
                continue
            wide = result_width(op.name, *widths, **params)
            for values in itertools.product(*(range(1 << each) for each in widths)):
                found = evaluate(op.op, *words_of(widths, values), **params)
                expected = reference_words.value(op.name, list(zip(values, widths, strict=True)), **params)
                assert (found.unsigned, found.width) == (expected, wide), (op.name, widths, params, values)


@by_name
@given(data=st.data())
def test_random_values_agree_with_integers(name: str, data: st.DataObject) -> None:
    op = info(name)
    width = data.draw(st.sampled_from([*range(7, 65), 65, 127, 128, 129, 193, 1000]))
    widths, params = data.draw(st.sampled_from(forms(op, width if op.attr != WordAttr.RANGE else 1)))
    if op.attr == WordAttr.RANGE:
        widths, hi = (width,), data.draw(st.integers(0, width - 1))
        params: Params = {"hi": hi, "lo": data.draw(st.integers(0, hi))}
    if op.shape in (WordShape.SHIFT, WordShape.INDEX):
        widths = (width, data.draw(st.integers(1, 70)))

    def word(each: int) -> st.SearchStrategy[int]:
        top = (1 << each) - 1
        ends = st.integers(0, min(top, 2 * width))
        return st.one_of(
            st.integers(0, top), ends, ends.map(lambda value: top - value), st.just(top // 2 + 1)
        )

    values = tuple(data.draw(word(each)) for each in widths)
    found = evaluate(op.op, *words_of(widths, values), **params)
    assert found.unsigned == reference_words.value(op.name, list(zip(values, widths, strict=True)), **params)


def test_architectures_differ() -> None:
    adders = [
        circuit(info("ADD"), (16, 16), {}, Architecture.parse(f"adder={name}"))
        for name in ARCHITECTURES["adder"]
    ]
    ripple, kogge_stone, brent_kung = ((aig.num_ands, aig.depth) for aig in adders)
    assert ripple[0] < brent_kung[0] < kogge_stone[0]
    assert kogge_stone[1] <= brent_kung[1] < ripple[1]
    array, wallace, dadda, booth = (
        circuit(info("UMULW"), (16, 16), {}, Architecture.parse(f"multiplier={name},adder=brent-kung"))
        for name in ARCHITECTURES["multiplier"]
    )
    assert max(wallace.depth, dadda.depth, booth.depth) < array.depth
    assert len({aig.num_ands for aig in (array, wallace, dadda, booth)}) == 4


def test_lookup_table() -> None:
    table = BitVec(0b11_01_00_10, 8)
    aig = Aig()
    index = word_inputs(aig, "i", 2)
    word_outputs(aig, "y", blast(aig, "LUT", index, table=table))
    for value, expected in enumerate((0b10, 0b00, 0b01, 0b11)):
        assert evaluate("LUT", BitVec(value, 2), table=table) == BitVec(expected, 2)
        outputs = evaluate_aig(aig, [bool(value & 1), bool(value & 2)])
        assert outputs == [bool(expected & 1), bool(expected & 2)]


def test_arrays_and_literals_are_the_same_gates() -> None:
    aig = Aig()
    a, b = word_inputs(aig, "a", 8), word_inputs(aig, "b", 8)
    total = blast(aig, "ADD", a, b)
    size = len(aig)
    array = blast_array(aig, "ADD", np.array([lit.raw for lit in a], np.uint32), b)
    assert array.tolist() == [lit.raw for lit in total]
    assert len(aig) == size


def test_constants_are_words() -> None:
    aig = Aig()
    a = word_inputs(aig, "a", 8)
    assert blast(aig, "SHL", a, BitVec(3, 4))[3:] == a[:5]
    assert blast(aig, "MUL", BitVec(2, 8), a)[1:] == a[:7]
    assert aig.num_ands == 0
    word_outputs(aig, "k", BitVec(5, 4))
    assert aig.literals("outputs").tolist() == [1, 0, 1, 0]
    assert [lit.raw for lit in blast(aig, "ADD", BitVec(5, 4), BitVec(4, 4))] == [1, 0, 0, 1]


def test_bad_operands() -> None:
    aig, other = Aig(), Aig()
    a, b = word_inputs(aig, "a", 8), word_inputs(aig, "b", 4)
    foreign = word_inputs(other, "c", 8)
    with pytest.raises(UsageError, match="ADD: operands of 8 and 4 bits"):
        blast(aig, "ADD", a, b)
    with pytest.raises(UsageError, match="another AIG"):
        blast(aig, "ADD", a, foreign)
    with pytest.raises(UsageError, match="at least one bit, not 0"):
        blast(aig, "NOT", ())
    with pytest.raises(UsageError, match="takes 2 operands, not 1"):
        blast(aig, "ADD", a)
    with pytest.raises(UsageError, match="no word operator is named 'PLUS'"):
        blast(aig, "PLUS", a, a)
    with pytest.raises(UsageError, match="SLICE: bits 8 to 0 of a word of 8 bits"):
        blast(aig, "SLICE", a, hi=8)
    with pytest.raises(UsageError, match="MUX: the select has 4 bits"):
        blast(aig, "MUX", b, a, a)
    with pytest.raises(UsageError, match="no adder 'fast'; there are ripple, kogge-stone, brent-kung"):
        Architecture.parse("adder=fast")
    with pytest.raises(UsageError, match="no literal 4000"):
        blast_array(aig, "NOT", np.array([4000], np.uint32))
    with pytest.raises(TypeError, match="a word is"):
        blast(aig, "NOT", 5)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="at least one bit"):
        word_inputs(aig, "z", 0)
    assert aig.num_ands == 0


def test_a_stopped_call_gives_nothing() -> None:
    aig = Aig()
    a = word_inputs(aig, "a", 500)
    stop = Stop()
    stop.cancel()
    assert blast(aig, "MUL", a, a, stop=stop) == ()


def test_operators_by_name() -> None:
    assert len(operators()) == 53
    assert word_op("add") is word_op("ADD") is operators()[0].op
    assert all(op.summary and word_op(op.name) == op.op for op in operators())


def test_bit_vectors() -> None:
    word = BitVec(-3, width=8)
    assert (word.unsigned, word.signed, word.width, len(word), word.hex) == (253, -3, 8, 8, "0xfd")
    assert (repr(word), str(word), word.binary) == ("BitVec(0xfd, width=8)", "0xfd", "11111101")
    assert (word[7:4], word[0], word[-1], word[:6]) == (
        BitVec(15, 4),
        BitVec(1, 1),
        BitVec(1, 1),
        BitVec(3, 2),
    )
    assert (word + 1, 1 - word, word * word, -word, ~word) == tuple(
        BitVec(value, 8) for value in (254, 4, 9, 3, 2)
    )
    assert (word // 16, word % 16, word << 4, word >> 4) == tuple(BitVec(v, 8) for v in (15, 13, 0xD0, 15))
    assert word & 15 == BitVec(13, 8)
    assert 1 | word == word
    assert word ^ word == BitVec(0, 8)
    assert word > 5
    assert word >= word
    assert not word < 253
    assert word <= 255
    assert word << (1 << 70) == BitVec(0, 8)
    assert word != BitVec(253, 9)
    assert word != 253
    assert {word: 1}[BitVec(253, 8)] == 1
    assert int(word) == 253
    assert bin(word) == "0b11111101"
    assert bool(word)
    assert not BitVec(0, 3)
    for each in (word, BitVec(-5, 1000), BitVec(1 << 127, 129)):
        assert pickle.loads(pickle.dumps(each)) == each == copy.copy(each)


@given(st.integers(1, 200), st.data())
def test_values_come_back(width: int, data: st.DataObject) -> None:
    value = data.draw(st.integers(-(1 << (width - 1)), (1 << width) - 1))
    word = BitVec(value, width)
    assert word.unsigned == value % (1 << width)
    assert word.signed == reference_words.signed(word.unsigned, width)
    assert int(word.hex, 16) == int(word.binary, 2) == word.unsigned
    assert BitVec(word.signed, width) == word
    with pytest.raises(UsageError, match="fit"):
        BitVec((1 << width) + abs(value), width)
    with pytest.raises(UsageError, match="fit"):
        BitVec(-(1 << (width - 1)) - 1, width)


def test_bad_words() -> None:
    with pytest.raises(UsageError, match="at least one bit, not 0"):
        BitVec(0, 0)
    with pytest.raises(LimitError, match="at most 2\\^24 bits"):
        BitVec(0, 1 << 25)
    wide = BitVec(3, (1 << 20) + 1)
    for name in ("MUL", "UDIV", "SMOD", "UMULO"):
        with pytest.raises(LimitError, match=f"{name}: words of more than 2\\^20 bits"):
            evaluate(name, wide, wide)
    assert evaluate("ADD", wide, wide).unsigned == 6
    word = BitVec(5, 8)
    for wrong in (
        lambda: word[8],
        lambda: word[-9],
        lambda: word[0:3],
        lambda: word[7:0:2],
        lambda: word << -1,
    ):
        with pytest.raises(UsageError):
            wrong()
    with pytest.raises(UsageError, match="ADD: operands of 8 and 9 bits"):
        _ = word + BitVec(1, 9)
    with pytest.raises(TypeError):
        _ = word + 1.5  # type: ignore[operator] # pyright: ignore[reportOperatorIssue]
