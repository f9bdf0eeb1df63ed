"""`Bdd` and `BddRef` against truth tables, at every operation, with garbage collected and order changed."""

from __future__ import annotations

import gc
import itertools
import random
from collections.abc import Callable
from typing import Any, cast

import pytest

from dmt_dialect.bdd import Bdd, BddRef
from dynomite._native.base import Stop
from dynomite.errors import LimitError, StaleRefError, UsageError
from tests.support.bdd_tables import NAMES, Table, from_table, table_of


def test_all_functions_of_two_variables_under_every_operation() -> None:
    bdd = Bdd()
    x, y = bdd.add_vars(["x", "y"])
    points = [bdd.cube({"x": bool(p & 2), "y": bool(p & 1)}) for p in range(4)]
    functions: dict[int, BddRef] = {}
    for table in range(16):
        function = bdd.false
        for point in range(4):
            if table >> point & 1:
                function = function | points[point]
        functions[table] = function
    assert len(set(functions.values())) == 16
    for f, g in itertools.product(range(16), repeat=2):
        a, b = functions[f], functions[g]
        assert a & b == functions[f & g]
        assert a | b == functions[f | g]
        assert a ^ b == functions[f ^ g]
        assert a - b == functions[f & ~g]
        assert a.implies(b) == functions[~f & 15 | g]
        assert a.equiv(b) == functions[f ^ g ^ 15]
        assert (a <= b) == (f & ~g == 0)
        assert (a < b) == (f & ~g == 0 and f != g)
        assert (a >= b) == (b <= a)
        for h in range(16):
            assert a.ite(b, functions[h]) == functions[f & g | ~f & h]
        if g:
            for simplified in (a.restrict(b), a.constrain(b)):
                assert simplified & b == a & b
    for f in range(16):
        assert ~functions[f] == functions[f ^ 15]
        assert functions[f].count() == f.bit_count()
        ones, zeros = f >> 2, f & 3
        assert functions[f].exist(x) == functions[(ones | zeros) * 5]
        assert functions[f].forall("x") == functions[(ones & zeros) * 5]
        assert functions[f].let({"x": True}) == functions[ones * 5]
        assert functions[f].let({"x": y, "y": x}).count() == f.bit_count()
    bdd.check()


@pytest.mark.parametrize("interval", [0, 1, 3])
def test_random_operations_against_truth_tables(interval: int, rng: random.Random) -> None:
    for _ in range(6):
        run_random_operations(interval, rng)


def run_random_operations(interval: int, rng: random.Random) -> None:
    bdd = Bdd()
    variables = bdd.add_vars(NAMES)
    bdd.set_checked(interval)
    pool: list[tuple[BddRef, Table]] = [(v, table_of(v)) for v in variables]
    for _ in range(150):
        (a, ta), (b, tb), (c, tc) = rng.choices(pool, k=3)
        index = rng.randrange(len(NAMES))
        kind = rng.randrange(12)
        if kind == 0:
            bdd.reorder()
            continue
        if kind == 1:
            order = list(NAMES)
            rng.shuffle(order)
            bdd.reorder(order)
            assert list(bdd.order) == order
            continue
        made = combined(kind, (a, b, c), (ta, tb, tc), index)
        assert table_of(made[0]) == made[1]
        assert (a <= b) == (ta.bits & ~tb.bits == 0)
        if tb.bits:
            for simplified in (a.restrict(b), a.constrain(b)):
                assert table_of(simplified) & tb == ta & tb
            assert set(a.restrict(b).support) <= set(a.support)
        pool.append(made)
        if len(pool) > 24:
            pool.pop(rng.randrange(len(pool)))
    for function, table in pool:
        check_questions(bdd, function, table)
    bdd.check()


def combined(
    kind: int, functions: tuple[BddRef, BddRef, BddRef], tables: tuple[Table, Table, Table], index: int
) -> tuple[BddRef, Table]:
    """An operation on functions and on their tables."""
    a, b, c = functions
    ta, tb, tc = tables
    name = NAMES[index]
    makers: dict[int, Callable[[], tuple[BddRef, Table]]] = {
        2: lambda: (a & b, ta & tb),
        3: lambda: (a | b, ta | tb),
        4: lambda: (a ^ b, ta ^ tb),
        5: lambda: (~a, ta.inverted()),
        6: lambda: (a.ite(b, c), ta & tb | ta.inverted() & tc),
        7: lambda: (a.exist(name), ta.cofactor(index, 0) | ta.cofactor(index, 1)),
        8: lambda: (a.forall(name), ta.cofactor(index, 0) & ta.cofactor(index, 1)),
        9: lambda: (
            a.and_exists(b, [name]),
            (ta & tb).cofactor(index, 0) | (ta & tb).cofactor(index, 1),
        ),
        10: lambda: (
            a.let({name: b}),
            tb & ta.cofactor(index, 1) | tb.inverted() & ta.cofactor(index, 0),
        ),
        11: lambda: (a.let({name: bool(index % 2)}), ta.cofactor(index, index % 2)),
    }
    return makers[kind]()


def check_questions(bdd: Bdd, function: BddRef, table: Table) -> None:
    assert table_of(function) == table
    assert function == from_table(bdd, table)
    assert function.count() == table.bits.bit_count()
    assert function.count(len(NAMES) + 70) == table.bits.bit_count() << 70
    assert function.count(len(NAMES) + 200) == table.bits.bit_count() << 200
    depends = {NAMES[i] for i in range(len(NAMES)) if table.cofactor(i, 0) != table.cofactor(i, 1)}
    assert set(function.support) == depends
    covered = Table(0)
    for cube in function.cubes():
        part = table_of(bdd.cube(cube))
        assert covered & part == Table(0), "cubes are disjoint"
        covered = covered | part
    assert covered == table
    picked = function.pick()
    assert (picked is None) == (table.bits == 0)
    if picked is not None:
        assert bdd.cube(picked) <= function


def test_laws_before_and_after_the_order_is_reversed() -> None:
    bdd = Bdd()
    x, y, a, b, c = bdd.add_vars(["x", "y", "a", "b", "c"])
    for _ in range(2):
        assert (x ^ y).exist(x).is_true
        assert (x ^ y).forall(x).is_false
        assert (x & y).exist("x") == y
        assert (x | y).forall("x") == y
        assert x.ite(y, ~y) == ~(x ^ y)
        assert ~~(a & ~b) == a & ~b
        assert ((a & b) | (~a & c) | (b & c)) == ((a & b) | (~a & c))
        assert (a | b).count(3) == 6
        bdd.reorder(list(reversed(bdd.order)))


@pytest.mark.parametrize("count", [3000, 100_000])
def test_deep_diagrams(count: int) -> None:
    bdd = Bdd()
    variables = bdd.add_vars(count)
    function = bdd.true
    for variable in reversed(variables):
        function = function & variable
    assert len(function) == count + 1
    assert function.count() == 1
    assert (~function).count() == 2**count - 1
    assert function.exist(variables[1:]) == variables[0]
    assert (function ^ variables[0]).support == bdd.vars
    assert (function <= variables[-1]) is True
    assert function.let({"x0": True}).let({"x0": True}) == function.let({"x0": True})
    assert function.restrict(variables[5]).and_exists(function, variables[:5]).support == bdd.vars[5:]
    assert len(function.pick() or {}) == count
    del function
    assert bdd.collect() >= count


def test_chain_built_from_the_top() -> None:
    bdd = Bdd()
    function = bdd.true
    for variable in bdd.add_vars(3000):
        function = function & variable
    assert function.count() == 1


def test_nodes_are_instructions() -> None:
    bdd = Bdd()
    a, b = bdd.add_vars(["a", "b"])
    function = ~(a & b)
    assert (function.opcode, bdd.true.opcode, bdd.false.opcode) == ("ITE", "TRUE", "FALSE")
    var, high, low = function.operands
    assert var.ite(high, low) == function
    assert [function.operand_def(i) for i in range(3)] == [var, high, low]
    assert bdd.true.operands == ()
    assert (function.var, function.level) == ("a", 0)
    assert function.node_id == (~function).node_id
    assert function.is_complemented != (~function).is_complemented
    with pytest.raises(IndexError):
        function.operand_def(3)
    with pytest.raises(UsageError, match="constant"):
        _ = bdd.true.var


def test_misuse_is_told() -> None:
    bdd, other = Bdd(), Bdd()
    (a,) = bdd.add_vars(["a"])
    (foreign,) = other.add_vars(["a"])
    with pytest.raises(UsageError, match="different"):
        _ = a & foreign
    with pytest.raises(TypeError):
        _ = cast("Any", a) & 1
    with pytest.raises(TypeError, match="truth value"):
        bool(a)
    for wrong in ("b", 7, a & ~a):
        with pytest.raises(UsageError):
            a.exist(wrong)
    with pytest.raises(UsageError, match="already"):
        bdd.add_vars(["a"])
    for names in ([3], -1, [""]):
        with pytest.raises(UsageError):
            bdd.add_vars(cast("Any", names))
    with pytest.raises(UsageError, match="depends"):
        a.count(0)
    with pytest.raises(UsageError, match="care"):
        a.restrict(False)
    with pytest.raises(UsageError, match="once"):
        bdd.reorder([])
    with pytest.raises(UsageError, match="no value"):
        a.evaluate({})
    assert a & True == a
    assert (False | a) == a
    assert a != foreign


def test_references_of_a_cleared_manager_are_stale() -> None:
    bdd = Bdd()
    check_stale_uses(bdd)
    gc.collect()
    (again,) = bdd.add_vars(1)
    bdd.collect()
    bdd.check()
    assert again.count(1) == 1


def check_stale_uses(bdd: Bdd) -> None:
    a, b = bdd.add_vars(2)
    walk = (a | b).cubes()
    bdd.clear()
    uses: list[Callable[[], object]] = [
        lambda: a & b,
        lambda: ~a,
        lambda: a <= b,
        lambda: a.exist(0),
        lambda: a.count(),
        lambda: next(walk),
    ]
    for use in uses:
        with pytest.raises(StaleRefError):
            use()
    assert "stale" in repr(a)
    (again,) = bdd.add_vars(1)
    assert again != a


def test_a_walk_ends_when_the_order_changes() -> None:
    bdd = Bdd()
    a, b = bdd.add_vars(2)
    walk = (a ^ b).cubes()
    next(walk)
    bdd.reorder(["x1", "x0"])
    with pytest.raises(UsageError, match="reordered"):
        next(walk)


def hard(bdd: Bdd, count: int) -> BddRef:
    """The disjunction of x_i and y_i with all x first: exponential in this order, linear in a good one."""
    variables = bdd.add_vars(2 * count)
    function = bdd.false
    for x, y in zip(variables[:count], variables[count:], strict=True):
        function = function | (x & y)
    return function


def test_limit_of_nodes() -> None:
    bdd = Bdd(max_nodes=5000)
    with pytest.raises(LimitError, match="5000"):
        hard(bdd, 14)
    bdd.check()
    assert bdd.collect() > 0
    assert len(bdd.var(0) & bdd.var(1)) == 3


def test_sifting_finds_the_small_diagram() -> None:
    bdd = Bdd()
    function = hard(bdd, 10)
    count = function.count()
    assert len(function) > 2000
    bdd.reorder()
    bdd.check()
    assert len(function) == 21
    assert function.count() == count
    assert bdd.stats()["reorderings"] == 1


def test_an_order_may_make_a_diagram_large() -> None:
    bdd = Bdd()
    function = hard(bdd, 13)
    count, bad = function.count(), bdd.order
    bdd.reorder()
    assert len(function) == 27
    bdd.reorder(bad)
    bdd.check()
    assert len(function) > 16_000
    assert function.count() == count


def test_automatic_reordering_keeps_diagrams_small() -> None:
    bdd = Bdd(max_nodes=400_000)
    bdd.auto_reorder = 5000
    function = hard(bdd, 30)
    bdd.reorder()
    assert len(function) == 61
    assert function.count() == 4**30 - 3**30
    assert bdd.stats()["reorderings"] >= 2


def test_stop_ends_operations() -> None:
    bdd = Bdd()
    stop = Stop()
    stop.cancel()
    bdd.set_stop(stop)
    with pytest.raises(LimitError, match="stopped"):
        hard(bdd, 20)
    bdd.set_stop(None)
    bdd.check()


def test_garbage_is_collected_by_itself() -> None:
    bdd = Bdd()
    bdd.add_vars(34)
    for turn in range(8):
        function = hard_again(bdd, 17, turn)
        assert function.count() == 4**17 - 3**17
    assert bdd.stats()["collections"] > 0
    assert len(bdd) < 2_000_000
    bdd.check()


def hard_again(bdd: Bdd, count: int, turn: int) -> BddRef:
    """Like `hard`, with the second half turned."""
    function = bdd.false
    for index in range(count):
        function = function | (bdd.var(index) & bdd.var(count + (index + turn) % count))
    return function
