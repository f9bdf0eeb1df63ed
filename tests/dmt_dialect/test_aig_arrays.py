"""Bulk exchange: numpy views and arrays, bytes, pickles; threads."""

from __future__ import annotations

import gc
import pickle
import random
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dmt_dialect.aig import Aig, NodeRef, circuit_hash, same_circuit
from dynomite.errors import ParseError, UsageError
from tests.support.generators import random_aig
from tests.support.oracles import truth_tables

MARK = 0xFFFFFFFF
LATCH = 0x80000000


def words(values: list[int]) -> NDArray[np.uint32]:
    return np.array(values, dtype=np.uint32)


def pairs(values: list[tuple[int, int]]) -> NDArray[np.uint32]:
    return np.array(values, dtype=np.uint32).reshape(-1, 2)


def test_fanins_show_the_nodes() -> None:
    aig = Aig()
    a = aig.add_input()
    q = aig.add_latch()
    gate = a & ~q
    assert aig.fanins.tolist() == [[MARK, 0], [MARK, 0], [MARK, LATCH], [(~q).raw, a.raw]]
    assert aig.fanins[gate.node.id].tolist() == [5, 2]


def test_views_stay_valid_and_unchanged() -> None:
    aig = Aig()
    a, b = aig.add_inputs(2)
    assert (a & b).node.is_and
    views: list[tuple[NDArray[np.uint32], list[list[int]]]] = []
    for step in range(2000):
        if step % 100 == 0:
            view = aig.fanins
            assert not view.flags.writeable
            assert view.base is not None
            views.append((view, view.tolist()))
        aig.add_input()
        a = ~(a & aig.inputs[-1])
    del aig, a, b
    gc.collect()
    for view, content in views:
        assert view.tolist() == content
    with pytest.raises(ValueError, match="read-only"):
        views[0][0][0, 0] = 1
    with pytest.raises(ValueError, match="cannot set WRITEABLE"):
        views[0][0].setflags(write=True)


def test_views_of_an_aig_that_does_not_grow_share_memory() -> None:
    aig = Aig()
    aig.add_inputs(10)
    assert np.shares_memory(aig.fanins, aig.fanins)


def test_from_fanins_adopts_the_memory() -> None:
    aig = random_aig(random.Random(1), 5, 100, 4, latches=2)
    rows = aig.fanins.copy()
    view = rows[:, :]
    twin = Aig.from_fanins(view, aig.literals("outputs"))
    assert np.shares_memory(twin.fanins, rows)
    assert not rows.flags.writeable
    assert not view.flags.writeable
    assert (twin.num_latches, twin.num_inputs, twin.outputs) == (
        2,
        5,
        tuple(twin.lits(aig.literals("outputs"))),
    )
    before = twin.fanins.tolist()
    a, b = twin.inputs[:2]
    assert (a & b).aig is twin
    twin.add_input()
    assert not np.shares_memory(twin.fanins, rows)
    assert twin.fanins[: len(before)].tolist() == before
    assert rows.tolist() == before
    del rows, view
    gc.collect()
    assert twin.fanins[: len(before)].tolist() == before


def test_from_fanins_keeps_memory_alive_for_views() -> None:
    rows = pairs([(MARK, 0), (MARK, 0), (2, 3)])
    view = Aig.from_fanins(rows).fanins
    del rows
    gc.collect()
    assert view.tolist() == [[MARK, 0], [MARK, 0], [2, 3]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "row 0"),
        ([(0, 0)], "row 0"),
        ([(MARK, 0), (2, 0)], "row 1"),
        ([(MARK, 0), (MARK, 1)], "row 1"),
        ([(MARK, 0), (MARK, LATCH + 1)], "row 1"),
        ([(MARK, 0), (MARK, 0), (2, 4)], "row 2"),
        ([(MARK, 0), (MARK, 0), (2, MARK)], "row 2"),
    ],
)
def test_from_fanins_rejects_bad_rows(rows: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Aig.from_fanins(pairs(rows))


def test_from_fanins_rejects_other_forms() -> None:
    good = pairs([(MARK, 0), (MARK, 0)])
    for wrong in (good.astype(np.int64), good.T, good[:, ::-1], good.reshape(-1), good.astype(np.float32)):
        with pytest.raises(UsageError, match="C-contiguous"):
            Aig.from_fanins(wrong)  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="no node"):
        Aig.from_fanins(good.copy(), words([4]))


def test_add_ands_uses_the_rows_numbering() -> None:
    aig = Aig()
    a, b, c = aig.add_inputs(3)
    base = 2 * aig.num_nodes
    # Row 1 is the same as row 0, row 2 is false: later rows do not care.
    table = pairs(
        [(a.raw, b.raw), (b.raw, a.raw), (a.raw, (~a).raw), (base + 2, c.raw), (base + 5, base + 7)]
    )
    first, second, third, fourth, fifth = aig.lits(aig.add_ands(table))
    assert first == second == (a & b)
    assert third == aig.false
    assert fourth == (a & b & c)
    assert fifth == ~fourth
    assert aig.num_ands == 2


def test_add_ands_rejects_undefined_literals_and_adds_nothing() -> None:
    aig = Aig()
    a, b = aig.add_inputs(2)
    base = 2 * aig.num_nodes
    for bad in ((base, 2), (2, base), (MARK, 2)):
        with pytest.raises(UsageError, match="row 0"):
            aig.add_ands(pairs([bad]))
    with pytest.raises(UsageError, match="row 1"):
        aig.add_ands(pairs([(a.raw, b.raw), (base + 2, 2)]))
    assert aig.num_ands == 0
    assert aig.add_ands(pairs([])).tolist() == []


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(0, 80))
def test_from_arrays_keeps_functions(seed: int, inputs: int, ands: int) -> None:
    rng = random.Random(seed)
    nodes = 1 + inputs
    table = pairs([(rng.randrange(2 * (nodes + i)), rng.randrange(2 * (nodes + i))) for i in range(ands)])
    outputs = words([rng.randrange(2 * (nodes + ands)) for _ in range(4)])
    plain = Aig.from_arrays(inputs, table, outputs, strash=False)
    hashed = Aig.from_arrays(inputs, table, outputs)
    assert plain.num_ands == ands
    assert plain.literals("outputs").tolist() == outputs.tolist()
    assert np.array_equal(plain.fanins[nodes:], table)
    assert truth_tables(plain) == truth_tables(hashed)
    assert same_circuit(plain.strash(), hashed.cleanup())


def test_from_arrays_with_latches() -> None:
    aig = Aig.from_arrays(
        1,
        pairs([(2, 4)]),
        words([8, 9]),
        next_states=words([9, 3]),
        resets=np.array([1, 2], dtype=np.uint8),
    )
    assert aig.resets == [1, None]
    assert [repr(lit) for lit in aig.next_states + aig.outputs] == ["~n4", "~n1", "n4", "~n4"]
    assert aig.literals("latches").tolist() == [4, 6]
    assert aig.literals("next_states").tolist() == [9, 3]
    assert aig.literals("inputs").tolist() == [2]
    for outputs, resets in ((words([10]), None), (words([2]), [3, 0]), (words([2]), [0])):
        with pytest.raises(UsageError):
            Aig.from_arrays(
                1,
                pairs([(2, 4)]),
                outputs,
                next_states=words([9, 3]),
                resets=None if resets is None else np.array(resets, dtype=np.uint8),
            )
    for strash in (True, False):
        with pytest.raises(UsageError, match="row 0"):
            Aig.from_arrays(1, pairs([(4, 2)]), words([]), strash=strash)
    with pytest.raises(UsageError, match="sections are"):
        aig.literals("nodes")


def test_add_outputs_and_lits_check_literals() -> None:
    aig = Aig()
    a, b = aig.add_inputs(2)
    aig.add_outputs(words([a.raw, b.raw ^ 1, 0]))
    assert aig.outputs == (a, ~b, aig.false)
    for call in (aig.add_outputs, aig.lits):
        with pytest.raises(UsageError, match="position 1"):
            call(words([2, 6]))
    assert aig.num_outputs == 3


def test_memory_per_node() -> None:
    count = 300_000
    base = 2 * 101
    rng = np.random.default_rng(1)
    rows = np.arange(count)[:, None]
    table = (rng.integers(0, 2**31, (count, 2)) % (base + 2 * rows)).astype(np.uint32)
    aig = Aig.from_arrays(100, table, words([base]), strash=False)
    assert aig.memory()["total"] <= 12 * aig.num_nodes
    hashed = Aig.from_arrays(100, table, words([base]))
    assert hashed.memory()["hash"] > 0
    assert hashed.memory()["total"] <= 20 * count
    hashed.drop_hash()
    assert hashed.memory()["hash"] == 0
    assert sum(v for k, v in hashed.memory().items() if k != "total") == hashed.memory()["total"]


# Bytes and pickles.


def rich_aig(seed: int) -> Aig:
    rng = random.Random(seed)
    aig = random_aig(rng, 6, 80, 3, latches=3, raw=seed % 2 == 0)
    aig.set_name("inputs", 2, "two")
    aig.set_names("outputs", ["x", b"\xff".decode("utf-8", "surrogateescape"), "z"])
    aig.add_bad(aig.outputs[0], "bad")
    aig.add_constraint(aig.outputs[1])
    aig.add_fairness(aig.outputs[2], "fair")
    aig.add_justice([aig.outputs[0], aig.inputs[0]], "just")
    aig.add_justice([])
    aig.add_net_name(~aig.outputs[2], "net")
    aig.comments = ["first", "", "third"]
    aig.name = "rich"
    return aig


@pytest.mark.parametrize("seed", range(6))
def test_pickle_keeps_everything(seed: int) -> None:
    aig = rich_aig(seed)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        twin = pickle.loads(pickle.dumps(aig, protocol))
        assert isinstance(twin, Aig)
        assert np.array_equal(twin.fanins, aig.fanins)
        assert same_circuit(aig, twin)
        assert circuit_hash(aig) == circuit_hash(twin)
        assert (twin.name, twin.comments) == (aig.name, aig.comments)
        assert [(lit.raw, name) for lit, name in twin.net_names] == [
            (lit.raw, name) for lit, name in aig.net_names
        ]
        assert twin.to_bytes() == aig.to_bytes()


def test_pickled_handles_stay_together() -> None:
    aig = rich_aig(1)
    lit, node, twin = pickle.loads(pickle.dumps((~aig.outputs[0], aig.outputs[1].node, aig)))
    assert lit == ~twin.outputs[0]
    assert isinstance(node, NodeRef)
    assert node == twin.outputs[1].node


def test_pickles_are_compact() -> None:
    aig = random_aig(random.Random(3), 50, 20000, 10)
    assert len(aig.to_bytes()) < 5 * aig.num_ands


def test_changed_bytes_raise_parse_errors() -> None:
    data = rich_aig(3).to_bytes()
    for i in range(len(data)):
        changed = bytearray(data)
        changed[i] ^= 0x11
        with pytest.raises(ParseError):
            Aig.from_bytes(bytes(changed))
        with pytest.raises(ParseError):
            Aig.from_bytes(data[:i])
    for junk in (b"", b"x" * 100, data + b"\0", data * 2):
        with pytest.raises(ParseError):
            Aig.from_bytes(junk)


def test_corrupt_pickle_raises_parse_error() -> None:
    data = pickle.dumps(rich_aig(4))
    at = data.index(b"dynoAIG") + 20
    with pytest.raises(ParseError, match="checksum"):
        pickle.loads(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])


# Depth and threads.


def test_a_million_levels() -> None:
    depth = 1_000_000
    rows = np.empty((depth, 2), dtype=np.uint32)
    base = 2 * (1 + depth + 1)
    rows[:, 0] = 2 * np.arange(2, depth + 2)
    rows[:, 1] = base + 2 * np.arange(-1, depth - 1) + 1
    rows[0, 1] = 2
    aig = Aig.from_arrays(depth + 1, rows, words([base + 2 * depth - 2]))
    top = aig.outputs[0]
    assert aig.num_ands == depth
    assert aig.depth == depth
    assert aig.stats()["levels"] == depth
    assert len(aig.support([top])) == depth + 1
    assert aig.cone([top]).num_ands == depth
    assert aig.cleanup().num_ands == depth
    assert aig.strash().num_ands == depth
    assert len(aig.fanin_cone([top])) == 2 * depth + 1
    twin = pickle.loads(pickle.dumps(aig))
    assert same_circuit(aig, twin)
    assert circuit_hash(aig) == circuit_hash(twin)
    assert aig.evaluate([top], dict.fromkeys(aig.inputs, False)) == [False]
    assert aig.copy().num_nodes == aig.num_nodes
    assert aig._repr_svg_() is None


def test_threads_read_in_parallel() -> None:
    aig = random_aig(random.Random(5), 60, 30000, 20)
    expected = aig.to_bytes(), aig.levels().tolist(), aig.stats(), circuit_hash(aig)
    failures: list[object] = []

    def read() -> None:
        for _ in range(10):
            found = aig.to_bytes(), aig.levels().tolist(), aig.stats(), circuit_hash(aig)
            if found != expected or not same_circuit(aig, aig.cleanup()):
                failures.append(found)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_writing_beside_readers_raises_or_works() -> None:
    """A writer beside native readers gets a UsageError, or its turn; nothing else, and no torn result."""
    aig = random_aig(random.Random(6), 60, 200000, 20)
    done = threading.Event()
    outcomes: set[str] = set()

    def read() -> None:
        while not done.is_set():
            try:
                twin = Aig.from_bytes(aig.to_bytes())
            except UsageError:
                outcomes.add("reader refused")
            else:
                if not same_circuit(twin, Aig.from_bytes(twin.to_bytes())):
                    outcomes.add("torn")

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    written = 0
    for _ in range(3000):
        try:
            aig.add_input()
        except UsageError:
            outcomes.add("writer refused")
        else:
            written += 1
        try:
            aig.add_ands(pairs([(2, 4)] * 200))
        except UsageError:
            outcomes.add("writer refused")
    done.set()
    for thread in threads:
        thread.join()
    assert outcomes <= {"reader refused", "writer refused"}
    assert aig.num_inputs == 60 + written
    assert same_circuit(aig, Aig.from_bytes(aig.to_bytes()))
