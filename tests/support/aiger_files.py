"""Makes AIGER files of the independent model, and compares circuits as read with it."""

from __future__ import annotations

import random
from typing import cast

from hypothesis import strategies as st

from dynomite._native.aig import Aig
from tests.support.oracles import NO_AND, evaluate_nodes, lit_value
from tests.support.reference_aiger import Latch, Model

SECTIONS = {
    "i": "inputs",
    "l": "latches",
    "o": "outputs",
    "b": "bad",
    "c": "constraints",
    "j": "justice",
    "f": "fairness",
}
"""Letter of a symbol, name of the section in `Aig`."""


def to_ascii(model: Model) -> bytes:
    """The file of a model, its ANDs in the model's order."""
    lines = [" ".join(["aag", str(model.maxvar), *map(str, _counts(model))])]
    lines += [str(literal) for literal in model.inputs]
    lines += [f"{latch.literal} {_next_and_reset(latch)}" for latch in model.latches]
    lines += _property_lines(model)
    lines += [" ".join(map(str, gate)) for gate in model.ands]
    return "".join(f"{line}\n" for line in [*lines, *_tail(model)]).encode("utf-8", "surrogateescape")


def to_binary(model: Model) -> bytes:
    """The same in binary; inputs, latches and ANDs must be numbered 1, 2, 3..."""
    lines = [" ".join(["aig", str(model.maxvar), *map(str, _counts(model))])]
    lines += [_next_and_reset(latch) for latch in model.latches]
    lines += _property_lines(model)
    data = bytearray("".join(f"{line}\n" for line in lines).encode())
    for lhs, rhs0, rhs1 in model.ands:
        for delta in (lhs - max(rhs0, rhs1), abs(rhs0 - rhs1)):
            while delta > 127:
                data.append(delta & 127 | 128)
                delta >>= 7
            data.append(delta)
    tail = "".join(f"{line}\n" for line in _tail(model))
    return bytes(data) + tail.encode("utf-8", "surrogateescape")


def _counts(model: Model) -> list[int]:
    """Counts behind M, without zeros at the end that may be left out."""
    counts = [len(model.inputs), len(model.latches), len(model.outputs), len(model.ands)]
    counts += [len(model.bad), len(model.constraints), len(model.justice), len(model.fairness)]
    while len(counts) > 4 and counts[-1] == 0:
        counts.pop()
    return counts


def _next_and_reset(latch: Latch) -> str:
    reset = latch.literal if latch.reset is None else latch.reset
    return f"{latch.next} {reset}" if reset else str(latch.next)


def _property_lines(model: Model) -> list[str]:
    lines = [str(literal) for literal in [*model.outputs, *model.bad, *model.constraints]]
    lines += [str(len(group)) for group in model.justice]
    lines += [str(literal) for group in model.justice for literal in group]
    return lines + [str(literal) for literal in model.fairness]


def _tail(model: Model) -> list[str]:
    lines = [f"{place} {name}" for place, name in model.symbols.items()]
    return [*lines, "c", *model.comment] if model.comment else lines


NAMES = st.text(st.characters(exclude_characters="\0\n", exclude_categories=("Cs",)), min_size=1, max_size=8)
COMMENTS = st.text(st.characters(exclude_characters="\n", exclude_categories=("Cs",)), max_size=8)


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Small models with all sections and odd names, numbered as binary files demand."""
    inputs, latches, ands = (draw(st.integers(0, most)) for most in (3, 3, 10))
    first_and = 1 + inputs + latches
    model = Model(maxvar=inputs + latches + ands, inputs=[2 * (i + 1) for i in range(inputs)])
    for index in range(ands):
        lhs = 2 * (first_and + index)
        rhs = sorted([draw(st.integers(0, lhs - 1)), draw(st.integers(0, lhs - 1))], reverse=True)
        model.ands.append((lhs, rhs[0], rhs[1]))
    literals = st.integers(0, 2 * model.maxvar + 1)
    for index in range(latches):
        reset = draw(st.sampled_from([0, 1, None]))
        model.latches.append(Latch(2 * (1 + inputs + index), draw(literals), reset))
    model.outputs, model.bad, model.constraints, model.fairness = (
        draw(st.lists(literals, max_size=3)) for _ in range(4)
    )
    model.justice = draw(st.lists(st.lists(literals, max_size=3), max_size=3))
    for letter in SECTIONS:
        for index in range(len(model.names(letter))):
            if draw(st.booleans()):
                model.symbols[f"{letter}{index}"] = draw(NAMES)
    model.comment = draw(st.lists(COMMENTS, max_size=3))
    return model


def scrambled(model: Model, rng: random.Random) -> Model:
    """The same circuit with other variables, holes between them, ANDs and their fanins in any order."""
    maxvar = model.maxvar + rng.randrange(1 + 2 * model.maxvar)
    variables = [0, *rng.sample(range(1, maxvar + 1), model.maxvar)]

    def moved(literal: int) -> int:
        return 2 * variables[literal >> 1] + (literal & 1)

    ands = [tuple(moved(x) for x in (gate[0], *rng.sample(gate[1:], 2))) for gate in model.ands]
    rng.shuffle(ands)
    return Model(
        maxvar=maxvar,
        inputs=[moved(x) for x in model.inputs],
        latches=[Latch(moved(x.literal), moved(x.next), x.reset) for x in model.latches],
        outputs=[moved(x) for x in model.outputs],
        bad=[moved(x) for x in model.bad],
        constraints=[moved(x) for x in model.constraints],
        justice=[[moved(x) for x in group] for group in model.justice],
        fairness=[moved(x) for x in model.fairness],
        ands=cast("list[tuple[int, int, int]]", ands),
        symbols=model.symbols,
        comment=model.comment,
    )


def section_literals(aig: Aig) -> dict[str, list[int]]:
    """The literals that a circuit shows to the outside, justice flattened, by section."""
    return {
        "next": [lit.raw for lit in aig.next_states],
        "outputs": [lit.raw for lit in aig.outputs],
        "bad": [lit.raw for lit in aig.bad],
        "constraints": [lit.raw for lit in aig.constraints],
        "justice": [lit.raw for group in aig.justice for lit in group],
        "fairness": [lit.raw for lit in aig.fairness],
    }


def model_literals(model: Model) -> dict[str, list[int]]:
    """The same of a model."""
    return {
        "next": [latch.next for latch in model.latches],
        "outputs": model.outputs,
        "bad": model.bad,
        "constraints": model.constraints,
        "justice": [literal for group in model.justice for literal in group],
        "fairness": model.fairness,
    }


def assert_same_names(aig: Aig, model: Model) -> None:
    """Counts, names, resets and comments."""
    for letter, section in SECTIONS.items():
        assert aig.names(section) == model.names(letter), section
    assert aig.resets == [latch.reset for latch in model.latches]
    assert [len(group) for group in aig.justice] == [len(group) for group in model.justice]
    assert list(aig.comments) == model.comment


def assert_identical(aig: Aig, model: Model) -> None:
    """Everything, gate by gate; for models numbered 1, 2, 3..."""
    assert_same_names(aig, model)
    rows = cast("list[list[int]]", aig.fanins.tolist())
    gates = [(2 * i, *sorted(row, reverse=True)) for i, row in enumerate(rows) if row[0] != NO_AND]
    assert gates == [(lhs, *sorted(rhs, reverse=True)) for lhs, *rhs in model.ands]
    assert section_literals(aig) == model_literals(model)


def assert_same_function(aig: Aig, model: Model) -> None:
    """Everything but the numbering of nodes: each section under all values of inputs and latches."""
    assert_same_names(aig, model)
    assert aig.num_ands == len(model.ands)
    literals = model_literals(model)
    for pattern in range(1 << (aig.num_inputs + aig.num_latches)):
        bits = [pattern >> i & 1 for i in range(aig.num_inputs + aig.num_latches)]
        inputs, state = bits[: aig.num_inputs], bits[aig.num_inputs :]
        ours = evaluate_nodes(aig, [bool(x) for x in inputs], [bool(x) for x in state])
        theirs = model.values(inputs, state, 1)
        for section, lits in section_literals(aig).items():
            assert [lit_value(ours, lit) for lit in lits] == model.pick(theirs, literals[section], 1), section
