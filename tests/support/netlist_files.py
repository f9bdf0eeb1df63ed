"""Random BLIF netlists with hierarchy, and the comparison of what was read with the independent evaluator."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from dynomite._native.aig import Aig
from tests.support.oracles import evaluate_nodes, lit_value
from tests.support.reference_aiger import input_pattern
from tests.support.reference_netlist import Evaluator, LatchLine, Names, NetlistModel, Subckt

NAMES = ["a", "b[0]", "x<1>", "n1", "0", "1", "u/v", "$abc$1", "p.q", "é", "1-", "q:0/t", ".dot", "%", "%i0"]
"""Names that BLIF allows and careless readers trip over."""


def _cover(rng: random.Random, inputs: list[str], output: str) -> Names:
    count = rng.choice([0, 1, 1, 2, 3, 5, 9])
    rows = tuple("".join(rng.choice("01--") for _ in inputs) for _ in range(count))
    return Names(tuple(inputs), output, rows, rng.randrange(2) if rows else 1)


def random_model(rng: random.Random, name: str, below: list[NetlistModel]) -> NetlistModel:
    """An acyclic model that instantiates some of `below`; elements in random order."""
    pool = rng.sample(NAMES, len(NAMES)) + [f"w{i}" for i in range(60)]
    model = NetlistModel(name, inputs=[pool.pop(0) for _ in range(rng.randrange(0, 4))])
    driven = list(model.inputs)
    latches = [pool.pop(0) for _ in range(rng.choice([0, 0, 1, 2]))]
    driven += latches
    for _ in range(rng.randrange(1, 7)):
        if below and rng.random() < 0.5:
            child = rng.choice(below)
            if child.inputs and not driven:
                continue
            pins = [(formal, rng.choice(driven)) for formal in child.inputs]
            for formal in child.outputs:
                if rng.random() < 0.9:  # an output may stay open
                    driven.append(pool.pop(0))
                    pins.append((formal, driven[-1]))
            rng.shuffle(pins)
            model.elements.append(Subckt(child.name, tuple(pins)))
        else:
            width = rng.choice([0, 1, 2, 2, 3, 4, 6]) if driven else 0
            inputs = [rng.choice(driven) for _ in range(width)]
            driven.append(pool.pop(0))
            model.elements.append(_cover(rng, inputs, driven[-1]))
    for output in latches:
        init = rng.choice([None, 0, 1, 2, 3])
        kind = rng.choice([None, "re"])
        model.elements.append(LatchLine(rng.choice(driven), output, kind, "NIL" if kind else None, init))
    # A port that is an input and an output cannot be connected by an instance; the top may have it.
    choice = [net for net in driven if name == "top" or net not in model.inputs]
    model.outputs = rng.sample(choice, min(len(choice), rng.randrange(1, 4))) if choice else []
    rng.shuffle(model.elements)
    return model


@st.composite
def netlists(draw: st.DrawFn) -> list[NetlistModel]:
    """Models of a file, the top first, the others in random order."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    below: list[NetlistModel] = []
    for level in range(rng.randrange(0, 4)):
        below.append(random_model(rng, f"m{level}", below))
    top = random_model(rng, "top", below)
    rng.shuffle(below)
    return [top, *below]


def assert_reads_as(aig: Aig, models: list[NetlistModel], patterns: int = 64) -> None:
    """`aig` is the flattened top: ports, latches with resets, and all functions on random patterns."""
    by_name = {model.name: model for model in models}
    top = models[0]
    probe = Evaluator(by_name, top, "", {}, 0, dict.fromkeys(top.inputs, 0))
    rng = random.Random(7)
    mask = (1 << patterns) - 1
    count = len(top.inputs)
    if 1 << count <= patterns and not probe.latch_names():
        inputs = {name: input_pattern(i, count) for i, name in enumerate(top.inputs)}
        patterns, mask = 1 << count, (1 << (1 << count)) - 1
    else:
        inputs = {name: rng.getrandbits(patterns) for name in top.inputs}
    state = {name: rng.getrandbits(patterns) & mask for name in probe.latch_names()}
    model = Evaluator(by_name, top, "", state, mask, inputs)
    latches = model.latches()

    assert aig.num_inputs == len(top.inputs)
    assert aig.num_outputs == len(top.outputs)
    assert aig.num_latches == len(latches)
    plain = ["%i0"]
    assert [
        n for n, e in zip(aig.names("inputs"), top.inputs, strict=True) if n != e and e not in plain
    ] == []
    assert [
        n for n, e in zip(aig.names("outputs"), top.outputs, strict=True) if n != e and e not in plain
    ] == []
    assert [n for n, e in zip(aig.names("latches"), latches, strict=True) if n != e and e not in plain] == []
    expected_resets = [init if init in (0, 1) else None for _, init in latches.values()]
    assert aig.resets == expected_resets

    for pattern in range(patterns):
        values = evaluate_nodes(
            aig,
            [bool(inputs[name] >> pattern & 1) for name in top.inputs],
            [bool(state[name] >> pattern & 1) for name in latches],
        )
        for name, lit in zip(top.outputs, aig.literals("outputs").tolist(), strict=True):
            assert lit_value(values, lit) == bool(model.value(name) >> pattern & 1), name
        for (name, (value, _)), lit in zip(latches.items(), aig.next_states, strict=True):
            assert lit_value(values, lit.raw) == bool(value >> pattern & 1), name
