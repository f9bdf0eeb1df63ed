"""The native parts of explanations: cuts and single changes, held against trying everything."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite._native.explain import common_cone, flip_effects, min_vertex_cut
from dynomite._native.sim import node_values
from dynomite.errors import UsageError
from tests.support.generators import random_aig
from tests.support.oracles import evaluate_nodes, lit_value

Edges = list[tuple[int, int]]
Words = NDArray[np.uint64]


def separates(cut: set[int], edges: Edges, sources: list[int], sinks: list[int]) -> bool:
    """Whether no way from a source to a sink avoids `cut`."""
    seen = {source for source in sources if source not in cut}
    todo = list(seen)
    for vertex in todo:
        for start, end in edges:
            if start == vertex and end not in seen and end not in cut:
                seen.add(end)
                todo.append(end)
    return not seen & set(sinks)


def cut_of(
    edges: Edges,
    cuttable: list[bool],
    sources: list[int],
    sinks: list[int],
    *,
    near_sources: bool,
    most: int = 100,
    stop: Stop | None = None,
) -> list[int] | None:
    table = np.array(edges, dtype=np.uint32).reshape(-1, 2)
    flags = np.array(cuttable, dtype=np.bool_)
    return min_vertex_cut(table, flags, sources, sinks, near_sources=near_sources, most=most, stop=stop)


def test_cuts_are_smallest_and_nearest(rng: random.Random) -> None:
    for _ in range(300):
        count = rng.randint(1, 8)
        edges = [
            (a, b)
            for a in range(count)
            for b in range(count)
            if a != b and rng.random() < rng.choice((0.2, 0.5))
        ]
        cuttable = [rng.random() < 0.8 for _ in range(count)]
        sources = rng.sample(range(count), rng.randint(1, min(3, count)))
        sinks = rng.sample(range(count), rng.randint(1, min(3, count)))
        allowed = [vertex for vertex in range(count) if cuttable[vertex]]
        best = [
            set(chosen)
            for size in range(count + 1)
            for chosen in combinations(allowed, size)
            if separates(set(chosen), edges, sources, sinks)
        ]
        smallest = [cut for cut in best if len(cut) == len(best[0])] if best else []
        for near_sources in (True, False):
            cut = cut_of(edges, cuttable, sources, sinks, near_sources=near_sources)
            if not smallest:
                assert cut is None
                continue
            assert cut is not None
            assert cut == sorted(cut)
            assert set(cut) in smallest
            # Nearest: it lies before every other smallest cut.
            ends = sources if near_sources else sinks
            forward = edges if near_sources else [(b, a) for a, b in edges]
            for other in smallest:
                assert separates(set(cut), forward, ends, sorted(other))
            if smallest[0]:
                few = cut_of(edges, cuttable, sources, sinks, near_sources=near_sources, most=len(cut) - 1)
                assert few is None


def test_cut_of_a_long_chain() -> None:
    """No recursion, and any vertex cuts: the one at the end that was asked for."""
    count = 200_000
    edges = [(k, k + 1) for k in range(count - 1)]
    for near_sources, wanted in ((True, 0), (False, count - 1)):
        assert cut_of(edges, [True] * count, [0], [count - 1], near_sources=near_sources) == [wanted]
    stop = Stop()
    stop.cancel()
    assert cut_of(edges, [True] * count, [0], [count - 1], near_sources=True, stop=stop) is None


def test_wrong_arguments() -> None:
    with pytest.raises(UsageError, match="no such vertex"):
        cut_of([(0, 3)], [True] * 3, [0], [1], near_sources=True)
    aig = Aig()
    a, b = aig.add_inputs(2)
    gate = a & b
    values = np.zeros((4, 1), dtype=np.uint64)
    roots = np.array([gate.raw], dtype=np.uint32)
    targets = np.zeros((1, 1), dtype=np.uint64)
    nodes = np.array([3], dtype=np.uint32)
    for wrong, message in (
        ((values[:3], roots, targets, nodes), "a row a node"),
        ((values, roots, np.zeros((2, 1), dtype=np.uint64), nodes), "a row a node"),
        ((values, np.array([99], dtype=np.uint32), targets, nodes), "no such literal"),
        ((values, roots, targets, np.array([1], dtype=np.uint32)), "no AND"),
        ((values, roots, targets, np.array([7], dtype=np.uint32)), "no AND"),
    ):
        with pytest.raises(UsageError, match=message):
            flip_effects(aig, *wrong)


def test_flip_effects_by_trying_both_values(rng: random.Random) -> None:
    for _ in range(60):
        aig = random_aig(rng, rng.randint(1, 6), rng.randint(2, 40), rng.randint(1, 4), raw=True)
        patterns = 64 * rng.randint(1, 2)
        values = node_values(aig, patterns, seed=rng.getrandbits(30))
        assert values is not None
        roots = aig.literals("outputs")
        words = values.shape[1]
        targets = values[roots >> 1] ^ np.where(roots & 1, np.uint64(2**64 - 1), np.uint64(0))[:, None]
        for _ in range(rng.randint(0, 3)):
            word = rng.randrange(words)
            targets[rng.randrange(len(roots)), word] ^= np.uint64(1 << rng.randrange(64))
        nodes = [node for node in range(aig.num_nodes) if aig.fanins[node, 0] != 0xFFFFFFFF]
        codes, musts = flip_effects(aig, values, roots, targets, np.array(nodes, dtype=np.uint32))
        for place, node in enumerate(nodes):
            code, must = expected_effect(aig, values, roots.tolist(), targets, node)
            assert codes[place] == code, node
            if code >= 0:
                assert musts[place].tolist() == must


def expected_effect(
    aig: Aig, values: Words, roots: list[int], targets: Words, node: int
) -> tuple[int, list[list[int]]]:
    """Code and must words of one node, each pattern and each value tried alone."""
    rows: list[list[int]] = aig.fanins.tolist()
    must: list[list[int]] = [[0] * values.shape[1], [0] * values.shape[1]]
    code = 0
    for word in range(values.shape[1]):
        for bit in range(64):
            inputs = [bool(int(values[1 + k, word]) >> bit & 1) for k in range(aig.num_inputs)]
            row = evaluate_nodes(aig, inputs)
            wanted = [bool(int(target[word]) >> bit & 1) for target in targets]
            good: list[bool] = []
            for value in (False, True):
                changed = list(row)
                changed[node] = value
                for at in range(node + 1, len(rows)):
                    if rows[at][0] != 0xFFFFFFFF:
                        changed[at] = lit_value(changed, rows[at][0]) and lit_value(changed, rows[at][1])
                if [lit_value(changed, raw) for raw in roots] == wanted:
                    good.append(value)
            if not good:
                return -1, must
            if len(good) == 1:
                must[good[0]][word] |= 1 << bit
                a, b = (int(bool(lit_value(row, raw))) for raw in rows[node])
                code |= (1 if good[0] else 16) << (a + 2 * b)
    return code, must


def test_common_cone(rng: random.Random) -> None:
    for _ in range(50):
        aig = random_aig(rng, 4, 30, 3)
        roots = aig.literals("outputs")
        cones: list[set[int]] = [
            {int(node.lit.raw) >> 1 for node in aig.fanin_cone([lit]) if node.is_and} for lit in aig.outputs
        ]
        assert set(common_cone(aig, roots).tolist()) == cones[0].intersection(*cones[1:])
