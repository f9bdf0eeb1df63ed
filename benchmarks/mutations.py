"""Random changes of a circuit: of gates, edges and outputs; some matter nowhere, some rarely."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from benchmarks.plain_circuit import PlainCircuit

Gate = tuple[int, int]
Change = Callable[["Rebuilder", int, int], int]


class Rebuilder:
    """Copies a circuit gate by gate; a change may put anything in the place of one gate."""

    def __init__(self, circuit: PlainCircuit, rng: random.Random) -> None:
        self.rng = rng
        self.inputs = circuit.inputs
        self.gates: list[Gate] = []

    def gate(self, a: int, b: int) -> int:
        """A new AND, as it is: neither folded nor shared."""
        self.gates.append((a, b))
        return 2 * (self.inputs + len(self.gates))

    def either(self, a: int, b: int) -> int:
        """OR."""
        return self.gate(a ^ 1, b ^ 1) ^ 1

    def exclusive(self, a: int, b: int) -> int:
        """XOR."""
        return self.gate(self.gate(a, b) ^ 1, self.gate(a ^ 1, b ^ 1) ^ 1)

    def any_literal(self) -> int:
        """A literal of what is there so far."""
        return self.rng.randrange(2, 2 * (1 + self.inputs + len(self.gates)))

    def rare(self) -> int:
        """A conjunction of many inputs, 1 for few assignments."""
        count = self.rng.randint(min(12, self.inputs), min(40, self.inputs))
        nodes = self.rng.sample(range(1, self.inputs + 1), count)
        lits = [2 * node + self.rng.randrange(2) for node in nodes]
        while len(lits) > 1:
            lits.append(self.gate(lits.pop(0), lits.pop(0)))
        return lits[0]


def _inverted_edge(to: Rebuilder, a: int, b: int) -> int:
    return to.gate(a ^ 1, b)


def _inverted_gate(to: Rebuilder, a: int, b: int) -> int:
    return to.gate(a, b) ^ 1


def _other_fanin(to: Rebuilder, a: int, _b: int) -> int:
    return to.gate(a, to.any_literal())


def _or(to: Rebuilder, a: int, b: int) -> int:
    return to.either(a, b)


def _xor(to: Rebuilder, a: int, b: int) -> int:
    return to.exclusive(a, b)


def _constant_fanin(to: Rebuilder, a: int, _b: int) -> int:
    return to.gate(a, to.rng.randrange(2))


def _dropped(_to: Rebuilder, a: int, _b: int) -> int:
    return a


def _rarely_inverted(to: Rebuilder, a: int, b: int) -> int:
    return to.exclusive(to.gate(a, b), to.rare())


def _rarely_one(to: Rebuilder, a: int, b: int) -> int:
    return to.either(to.gate(a, b), to.rare())


def _one_more_fanin(to: Rebuilder, a: int, b: int) -> int:
    return to.gate(to.gate(a, to.any_literal()), b)


CHANGES: Sequence[Change] = (
    _inverted_edge,
    _inverted_gate,
    _other_fanin,
    _or,
    _xor,
    _constant_fanin,
    _dropped,
    _one_more_fanin,
)
RARE_CHANGES: Sequence[Change] = (_rarely_inverted, _rarely_one)


def _doubled(to: Rebuilder, a: int, b: int) -> int:
    return to.gate(to.gate(a, b), to.gate(b, a))


def _repeated_fanin(to: Rebuilder, a: int, b: int) -> int:
    return to.gate(a, to.gate(a, b))


def _by_cofactors(to: Rebuilder, a: int, b: int) -> int:
    pivot = to.any_literal()
    return to.either(to.gate(pivot, to.gate(a, b)), to.gate(to.gate(pivot ^ 1, b), a))


def _by_exclusive(to: Rebuilder, a: int, b: int) -> int:
    return to.gate(to.either(a, b), to.exclusive(a, b) ^ 1)


def _absorbed(to: Rebuilder, a: int, b: int) -> int:
    return to.gate(a, to.gate(b, to.either(a, to.any_literal())))


def _never(to: Rebuilder, a: int, b: int) -> int:
    # A rare case and its opposite: what is added is always 0.
    case, more = to.rare(), to.any_literal()
    return to.either(to.gate(a, b), to.gate(to.gate(case, more), to.gate(case, more ^ 1)))


NEUTRAL_CHANGES: Sequence[Change] = (
    _doubled,
    _repeated_fanin,
    _by_cofactors,
    _by_exclusive,
    _absorbed,
    _never,
)


def changed_gates(
    circuit: PlainCircuit, changes: Sequence[Change], count: int, rng: random.Random
) -> PlainCircuit:
    """Applies changes at random to so many gates, or to all if there are fewer."""
    chosen = set(rng.sample(range(len(circuit.gates)), min(count, len(circuit.gates))))
    to = Rebuilder(circuit, rng)
    moved = [2 * node for node in range(1 + circuit.inputs)]
    for position, (first, second) in enumerate(circuit.gates):
        a, b = moved[first >> 1] ^ (first & 1), moved[second >> 1] ^ (second & 1)
        if position not in chosen:
            moved.append(to.gate(a, b))
            continue
        if rng.random() < 0.5:
            a, b = b, a
        moved.append(rng.choice(changes)(to, a, b))
    outputs = tuple(moved[lit >> 1] ^ (lit & 1) for lit in circuit.outputs)
    return PlainCircuit(circuit.inputs, tuple(to.gates), outputs)


def changed_outputs(circuit: PlainCircuit, rng: random.Random) -> PlainCircuit:
    """Exchanges, complements, doubles or replaces outputs."""
    outputs = list(circuit.outputs)
    at, other = rng.randrange(len(outputs)), rng.randrange(len(outputs))
    kind = rng.randrange(5)
    if kind == 0:
        outputs[at], outputs[other] = outputs[other], outputs[at]
    elif kind == 1:
        outputs[at] ^= 1
    elif kind == 2:
        outputs[at] = outputs[other]
    elif kind == 3:
        outputs[at] = rng.randrange(2)
    else:
        outputs[at] = rng.randrange(2 * (1 + circuit.inputs + len(circuit.gates)))
    return PlainCircuit(circuit.inputs, circuit.gates, tuple(outputs))


def exchanged_inputs(circuit: PlainCircuit, rng: random.Random) -> PlainCircuit:
    """Two inputs exchanged for all that reads them."""
    one, other = rng.randint(1, circuit.inputs), rng.randint(1, circuit.inputs)

    def lead(lit: int) -> int:
        node = {one: other, other: one}.get(lit >> 1, lit >> 1)
        return 2 * node + (lit & 1)

    gates = tuple((lead(a), lead(b)) for a, b in circuit.gates)
    return PlainCircuit(circuit.inputs, gates, tuple(lead(lit) for lit in circuit.outputs))


def mutated(circuit: PlainCircuit, kind: str, rng: random.Random) -> PlainCircuit:
    """The circuit with one or several changes of a kind: "any", "rare", "neutral" or "none"."""
    if kind == "none":
        return circuit
    if kind == "neutral":
        return changed_gates(circuit, NEUTRAL_CHANGES, rng.randint(1, 12), rng)
    if kind == "rare":
        circuit = changed_gates(circuit, NEUTRAL_CHANGES, rng.randint(0, 3), rng)
        return changed_gates(circuit, RARE_CHANGES, rng.randint(1, 2), rng)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        place = rng.random()
        if place < 0.75:
            circuit = changed_gates(circuit, CHANGES, 1, rng)
        elif place < 0.9:
            circuit = changed_outputs(circuit, rng)
        else:
            circuit = exchanged_inputs(circuit, rng)
    return circuit


def shuffled_ports(
    circuit: PlainCircuit, rng: random.Random
) -> tuple[PlainCircuit, tuple[int, ...], tuple[int, ...]]:
    """Inputs and outputs in another order: the circuit, and the old positions of its inputs and outputs."""
    inputs, outputs = list(range(circuit.inputs)), list(range(len(circuit.outputs)))
    rng.shuffle(inputs)
    rng.shuffle(outputs)
    node_of = {old + 1: new + 1 for new, old in enumerate(inputs)}

    def lead(lit: int) -> int:
        return 2 * node_of.get(lit >> 1, lit >> 1) + (lit & 1)

    gates = tuple((lead(a), lead(b)) for a, b in circuit.gates)
    moved = tuple(lead(circuit.outputs[old]) for old in outputs)
    return PlainCircuit(circuit.inputs, gates, moved), tuple(inputs), tuple(outputs)
