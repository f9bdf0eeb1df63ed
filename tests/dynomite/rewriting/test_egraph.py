"""E-graphs: congruence against a closure computed naively, matching against the naive matcher, extraction."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

from dmt_dialect.rewriting.libraries import library_names, load_library
from dynomite.errors import UsageError
from dynomite.ir import Const, parse
from dynomite.rewriting import syntax as s
from dynomite.rewriting.block_graph import BlockGraph
from dynomite.rewriting.class_matching import ClassMatcher, TooManySteps
from dynomite.rewriting.egraph import EGraph, Head
from dynomite.rewriting.extraction import Extractor, Operand, OperationCount
from hw_dialect.builder import context
from tests.support import naive_rewriting as naive
from tests.support.egraphs import check_invariants
from tests.support.word_modules import random_design

F, G = Head("t.F", None, ()), Head("t.G", None, ())


@pytest.mark.parametrize("seed", range(30))
def test_congruence_is_what_a_naive_closure_finds(seed: int) -> None:
    rng = random.Random(seed)
    graph = EGraph()
    terms: list[tuple[Head | None, tuple[int, ...]]] = []
    classes: list[int] = []
    for number in range(5):
        terms.append((None, (number,)))
        classes.append(graph.add_leaf(Const(number, 8)))
    # Constants may not become equal, so unions are of operations on them.
    for _ in range(40):
        head = rng.choice((F, G))
        operands = tuple(rng.randrange(len(terms)) for _ in range(rng.randint(1, 2)))
        terms.append((head, operands))
        classes.append(graph.add(head, tuple(classes[operand] for operand in operands)))
    pairs = [(rng.randrange(5, 45), rng.randrange(5, 45)) for _ in range(rng.randint(1, 12))]
    for a, b in pairs:
        graph.union(classes[a], classes[b])
        if rng.random() < 0.5:
            graph.rebuild()
            check_invariants(graph)
    graph.rebuild()
    check_invariants(graph)
    expected = closure(terms, pairs)
    for a, b in itertools.combinations(range(len(terms)), 2):
        assert (graph.find(classes[a]) == graph.find(classes[b])) == (expected[a] == expected[b])


def closure(
    terms: Sequence[tuple[Head | None, tuple[int, ...]]], pairs: Sequence[tuple[int, int]]
) -> list[int]:
    """Numbers of classes: equal pairs, then whatever is equal by that, until nothing changes."""
    number = list(range(len(terms)))

    def join(a: int, b: int) -> bool:
        old, new = number[a], number[b]
        number[:] = [new if one == old else one for one in number]
        return old != new

    for a, b in pairs:
        join(a, b)
    changed = True
    while changed:
        changed = False
        for (a, one), (b, other) in itertools.combinations(enumerate(terms), 2):
            if one[0] is None or one[0] != other[0] or len(one[1]) != len(other[1]):
                continue
            if all(number[x] == number[y] for x, y in zip(one[1], other[1], strict=True)):
                changed |= join(a, b)
    return number


def test_what_cannot_be_equal_is_refused() -> None:
    graph = EGraph()
    one, two, wide = (graph.add_leaf(Const(*c)) for c in ((1, 8), (2, 8), (1, 9)))
    with pytest.raises(UsageError, match="different constants"):
        graph.union(one, two)
    with pytest.raises(UsageError, match="different constants"):
        graph.union(one, wide)
    f, g = graph.add(F, (one,)), graph.add(F, (two,))
    graph.union(f, one)
    graph.union(g, two)
    with pytest.raises(UsageError, match="different constants"):
        graph.union(f, g)
    module = parse("using op; NOT %a:def(op.bits(8)) 1; NOT %b:def(op.bits(9)) 1", context())
    a, b = (graph.add_leaf(instr.defs[0]) for instr in module.body)
    with pytest.raises(UsageError, match="different types"):
        graph.union(a, b)
    with pytest.raises(UsageError, match="different widths"):
        graph.union(b, one)


def test_long_chains_of_congruence() -> None:
    graph = EGraph()
    module = parse("using op; NOT %a:def(op.bits(8)) 1; NOT %b:def(op.bits(8)) 2", context())
    a, b = tops = [graph.add_leaf(instr.defs[0]) for instr in module.body]
    for _ in range(20_000):
        tops = [graph.add(F, (top,)) for top in tops]
    assert len(graph) == 40_002
    graph.union(a, b)
    graph.rebuild()
    assert graph.find(tops[0]) == graph.find(tops[1])
    assert len(graph) == 20_002
    check_invariants(graph)


# Where every class has one node, matching on classes is matching on instructions.


@pytest.mark.parametrize("seed", range(8))
def test_matches_are_those_of_the_naive_matcher(seed: int) -> None:
    design = random_design(random.Random(seed), operators=30, folding=False)
    found = 0
    for instr in design.ir.instrs():
        if instr.name != "hw.MODULE":
            continue
        code = BlockGraph(instr.regions[0].blocks[0], OperationCount())
        matcher = ClassMatcher(code.graph)
        originals = {number: group[0] for number, group in code.graph.originals.items()}
        for name in library_names():
            for rule in load_library(name).rules:
                if any(isinstance(one, s.OneUse) for one in rule.conditions) or "OneUse" in repr(rule):
                    continue
                for number, original in originals.items():
                    expected = [
                        names
                        for names in naive.matches(rule.root, original)
                        if all(naive.holds(one, names) for one in rule.conditions)
                    ]
                    got = list(matcher.matches(rule, number))
                    if len({group[0] for group in code.graph.originals.values()}) == len(code.originals):
                        assert len(got) == len(expected), (rule.name, original)
                    else:
                        assert bool(got) >= bool(expected), (rule.name, original)
                    found += len(got)
    assert found > 10


def test_searches_end() -> None:
    operands = " ".join("%a" for _ in range(40))
    text = f"using op; NOT %a:def(op.bits(8)) constant(1, 8); ADD %d:def(op.bits(8)) {operands}; ASSERT %d"
    code = BlockGraph(parse(text, context()).body, OperationCount())
    parts = s.Unordered((s.Repeat(s.AnyOperand()), s.Repeat(s.AnyOperand()), s.ConstMatch(0)))
    rule = s.Rule("slow", s.InstrMatch(("op.ADD",), s.Sequence((s.Named("d", s.AnyOperand()), parts))))
    matcher = ClassMatcher(code.graph, 1000)
    add = next(n for n, (instr, *_) in code.graph.originals.items() if instr.name == "op.ADD")
    assert list(matcher.matches(rule, add)) == []
    parts = s.Unordered((s.Repeat(s.AnyOperand()), s.Repeat(s.AnyOperand()), s.Repeat(s.AnyOperand())))
    rule = s.Rule("slow", s.InstrMatch(("op.ADD",), s.Sequence((s.Named("d", s.AnyOperand()), parts))))
    with pytest.raises(TooManySteps):
        list(matcher.matches(rule, add))


# Extraction.


class Tree:
    """Costs by operation, not shared: the sum of a tree."""

    shared = False

    def cost(self, op: str, operands: Sequence[Operand], width: int | None) -> int | None:
        """See `Cost`."""
        del width
        return {"t.F": 1, "t.G": 3}[op] + sum(operand.cost for operand in operands)


@pytest.mark.parametrize("seed", range(40))
def test_trees_are_the_cheapest_there_are(seed: int) -> None:
    rng = random.Random(seed)
    graph = EGraph()
    classes = [graph.add_leaf(Const(number, 8)) for number in range(2)]
    for _ in range(14):
        classes.append(graph.add(rng.choice((F, G)), tuple(rng.choices(classes, k=rng.randint(1, 2)))))
    for _ in range(4):
        graph.union(rng.choice(classes[2:]), rng.choice(classes[2:]))
    graph.rebuild()
    extractor = Extractor(graph, Tree(), {})
    best = {cls: 0 if graph.const(cls) is not None else 10**9 for cls in graph.classes()}
    for _ in range(len(best) + 1):  # Bellman and Ford
        for number, node in enumerate(graph.nodes):
            cls = graph.find(node.cls)
            if not node.dead and isinstance(node.head, Head) and graph.const(cls) is None:
                weight = 1 if node.head == F else 3
                best[cls] = min(best[cls], weight + sum(best[graph.find(c)] for c in node.operands))
                assert extractor.own_cost(number) == weight
    for cls in graph.classes():
        extracted: dict[int, int] = {}
        for number in extractor.needed([cls]):
            node = graph.nodes[number]
            operands = [extracted[graph.find(operand)] for operand in node.operands]
            weight = {F: 1, G: 3}[node.head] if isinstance(node.head, Head) else 0
            extracted[graph.find(node.cls)] = weight + sum(operands)
        assert extracted[cls] == best[cls]


def test_what_is_shared_is_paid_once() -> None:
    graph = EGraph()
    module = parse("using op; NOT %a:def(op.bits(8)) 1", context())
    leaf = graph.add_leaf(next(iter(module.body)).defs[0])
    big = leaf
    for _ in range(4):
        big = graph.add(F, (big,))
    top = graph.add(G, (big,))
    other = graph.add(G, (graph.add(G, (graph.add(G, (leaf,)),)),))  # cheaper alone
    graph.union(top, other)
    graph.rebuild()
    extractor = Extractor(graph, OperationCount(), {})
    assert extractor.total([top]) == (3, 3)
    assert extractor.total([big, top]) == (7, 7)
    extractor.share([big, top])
    assert extractor.total([big, top]) == (5, 5)
    extractor.share([top])
    assert extractor.total([top])[0] == 3


def test_costs_below_those_of_operands_are_refused() -> None:
    class Falling:
        shared = False

        def cost(self, op: str, operands: Sequence[Operand], width: int | None) -> int | None:
            """See `Cost`."""
            del width
            return 5 - 3 * sum(operand.cost > 0 for operand in operands) if op else None

    graph = EGraph()
    graph.add(F, (graph.add(F, (graph.add_leaf(Const(1, 8)),)),))
    with pytest.raises(UsageError, match=r"the cost of t\.F"):
        Extractor(graph, Falling(), {})
