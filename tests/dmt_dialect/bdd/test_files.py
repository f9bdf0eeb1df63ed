"""DDDMP: round trips, files of CUDD and OxiDD where installed, malformed files."""

from __future__ import annotations

import importlib
import importlib.util
import random
from pathlib import Path
from typing import Any

import pytest

from dmt_dialect.bdd import Bdd, BddRef, parse_expression, read_dddmp, write_dddmp
from dmt_dialect.bdd.backends import installed_backends
from dynomite.errors import ParseError, UsageError
from tests.support.bdd_tables import NAMES, from_table, random_table, table_of


def random_functions(bdd: Bdd, rng: random.Random) -> dict[str, BddRef]:
    return {f"f{index}": from_table(bdd, random_table(rng)) for index in range(3)}


@pytest.mark.parametrize("binary", [False, True])
def test_round_trip_in_any_order(binary: bool, rng: random.Random) -> None:
    bdd = Bdd()
    bdd.declare(*NAMES)
    functions = {**random_functions(bdd, rng), "one": bdd.true, "zero": bdd.false, "u": bdd.var("u")}
    for _ in range(4):
        bdd.reorder(rng.sample(NAMES, len(NAMES)))
        data = write_dddmp(bdd, functions, binary=binary)
        assert read_dddmp(bdd, data) == functions
        fresh = Bdd()
        again = read_dddmp(fresh, data)
        assert fresh.order == bdd.order
        other = Bdd()
        other.declare(*NAMES)
        mixed = read_dddmp(other, data)
        for name, function in functions.items():
            assert table_of(again[name]) == table_of(mixed[name]) == table_of(function)
            assert len(again[name]) == len(function)


def test_many_nodes_and_none(tmp_path: Path) -> None:
    bdd = Bdd()
    variables = bdd.add_vars(3000)
    function = bdd.true
    for variable in reversed(variables):
        function = function & variable if len(function) % 3 else function ^ variable
    for binary in (False, True):
        write_dddmp(bdd, {"f": function}, tmp_path / "deep.dddmp", binary=binary)
        assert read_dddmp(bdd, tmp_path / "deep.dddmp") == {"f": function}
        assert read_dddmp(bdd, write_dddmp(bdd, {}, binary=binary)) == {}


def test_cudd_reads_ours_and_we_read_theirs(tmp_path: Path) -> None:
    if "cudd" not in installed_backends():
        pytest.skip("dd.cudd is not installed")
    theirs: Any = importlib.import_module("dd.cudd").BDD()
    theirs.declare(*NAMES)
    text = "(u & ~v) | (w ^ x) & ~(y | z & u)"
    expected = theirs.add_expr(text.replace("^", "#"))
    path = tmp_path / "theirs.dddmp"
    theirs.dump(str(path), [expected])
    bdd = Bdd()
    bdd.declare(*reversed(NAMES))
    (function,) = read_dddmp(bdd, path).values()
    assert function == parse_expression(bdd, text)
    assert function.count() == int(theirs.count(expected, len(NAMES)))
    bdd.reorder(NAMES)
    ours = tmp_path / "ours.dddmp"
    ours.write_bytes(bdd.write_dddmp([function], [], binary=False))
    assert list(theirs.load(str(ours))) == [expected]


@pytest.mark.parametrize("binary", [False, True])
def test_files_of_oxidd(binary: bool, tmp_path: Path) -> None:
    if importlib.util.find_spec("oxidd") is None:
        pytest.skip("oxidd is not installed")
    manager: Any = importlib.import_module("oxidd.bcdd").BCDDManager(1 << 12, 1 << 12, 1)
    manager.add_named_vars(NAMES)
    u, v, w, x, *_ = (manager.var(i) for i in range(len(NAMES)))
    path = tmp_path / "theirs.dddmp"
    function = (u & v) ^ (w | ~x)
    manager.export_dddmp_with_names(str(path), [(function, "f"), (~function, "g")], ascii=not binary)
    bdd = Bdd()
    read = read_dddmp(bdd, path)
    assert read["f"] == parse_expression(bdd, "(u & v) ^ (w | ~x)")
    assert read["g"] == ~read["f"]
    ours = tmp_path / "ours.dddmp"
    write_dddmp(bdd, read, ours, binary=binary)
    file = importlib.import_module("oxidd.util").DDDMPFile(str(ours))
    loaded = manager.import_dddmp(file)
    assert function in loaded
    assert ~function in loaded


GOOD = b""".ver DDDMP-2.0
.mode A
.varinfo 3
.nnodes 3
.nvars 2
.nsuppvars 2
.suppvarnames a b
.orderedvarnames a b
.ids 0 1
.permids 0 1
.nroots 1
.rootids -3
.nodes
1 T 1 0 0
2 b 1 1 -1
3 a 0 2 -1
.end
"""

FAULTS = [
    (b"DDDMP-2.0", b"DDDMP-1.0", 1, "known"),
    (b".mode A", b".mode X", 2, "A or B"),
    (b".nnodes 3", b".nnodes 999999999", 13, "more than the file"),
    (b".nnodes 3", b".nnodes -3", 4, "one number"),
    (b".nnodes 3", b".nnodes 4", 17, "words"),
    (b".ids 0 1", b".ids 0", 13, ".ids"),
    (b".ids 0 1", b".ids 0 y", 9, "no number"),
    (b".suppvarnames a b", b".suppvarnames a a", 13, "the same"),
    (b".rootids -3", b".rootids -4", 12, "no such root"),
    (b"2 b 1 1 -1", b"2 b 1 1 -3", 15, "before it"),
    (b"2 b 1 1 -1", b"2 b 7 1 -1", 15, "variable"),
    (b"2 b 1 1 -1", b"3 b 1 1 -1", 15, "number 2"),
    (b".end\n", b"", 17, "missing"),
    (b".nodes\n", b"", 13, "unknown|nodes"),
    (b".ver", b".vex", 1, "begins"),
]


@pytest.mark.parametrize(("old", "new", "line", "message"), FAULTS)
def test_faults_are_located(old: bytes, new: bytes, line: int, message: str) -> None:
    bdd = Bdd()
    assert read_dddmp(bdd, GOOD) == {"f0": ~(bdd.var("a") & bdd.var("b"))}
    with pytest.raises(ParseError, match=message) as raised:
        read_dddmp(Bdd(), GOOD.replace(old, new))
    assert raised.value.line in (line, line - 1)


def test_no_cut_or_changed_file_does_harm(rng: random.Random) -> None:
    bdd = Bdd()
    bdd.declare(*NAMES)
    functions = random_functions(bdd, rng)
    for binary in (False, True):
        data = write_dddmp(bdd, functions, binary=binary)
        for _ in range(300):
            broken = bytearray(data[: rng.randrange(len(data))] if rng.random() < 0.3 else data)
            for _ in range(rng.randrange(4)):
                if broken:
                    broken[rng.randrange(len(broken))] = rng.choice(b"0123456789-. \n\x00\x1aTFab\x80\xff")
            try:
                read_dddmp(Bdd(), bytes(broken))
            except (ParseError, UsageError):
                continue
    bdd.check()


def test_names_the_format_cannot_hold() -> None:
    bdd = Bdd()
    (a,) = bdd.add_vars(["a b"])
    with pytest.raises(UsageError, match="a b"):
        write_dddmp(bdd, {"f": a})
    with pytest.raises(UsageError, match="one name"):
        bdd.write_dddmp([a, a], ["f"], binary=False)


def test_names_of_any_bytes_and_files_that_are_compressed(tmp_path: Path) -> None:
    bdd = Bdd()
    (a,) = bdd.add_vars(["a"])
    path = tmp_path / "f.dddmp.gz"
    data = write_dddmp(bdd, {"f\udcff": a, "g": ~a}, path)
    assert b".rootnames f\xff g\n" in data
    assert read_dddmp(bdd, path) == read_dddmp(bdd, data) == {"f\udcff": a, "g": ~a}
    with pytest.raises(ParseError, match="two functions are called 'g'"):
        read_dddmp(bdd, data.replace(b"f\xff g", b"g g"))
    with pytest.raises(UsageError, match="surrogate"):
        write_dddmp(bdd, {"\ud800": a})
    with pytest.raises(UsageError, match="No such file"):
        read_dddmp(bdd, tmp_path / "missing")
