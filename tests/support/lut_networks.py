"""A plain model of networks of LUTs: one LUT, one pattern at a time, from what the object says of itself."""

from __future__ import annotations

from collections.abc import Sequence

from dynomite._native.aig import Aig
from dynomite._native.map import LutNetwork
from tests.support.oracles import evaluate_nodes, lit_value


def lut_values(network: LutNetwork, inputs: Sequence[bool], latches: Sequence[bool] = ()) -> list[bool]:
    """The value of every signal."""
    values = [*inputs, *latches]
    for lut in range(network.num_luts):
        row = sum(int(values[signal]) << k for k, signal in enumerate(network.inputs_of(lut)))
        values.append(bool(network.function_of(lut) >> row & 1))
    return values


def root_signals(network: LutNetwork) -> list[int]:
    """Signals of all roots: outputs, next states, bad, constraints, justice, fairness."""
    groups = [network.outputs, network.next_states, network.bad, network.constraints]
    flat = [signal for group in groups for signal in group.tolist()]
    return flat + [s for group in network.justice for s in group] + network.fairness.tolist()


def root_literals(aig: Aig) -> list[int]:
    """Literals of all roots, in the same order."""
    groups = [aig.outputs, aig.next_states, aig.bad, aig.constraints]
    flat = [lit.raw for group in groups for lit in group]
    return flat + [lit.raw for group in aig.justice for lit in group] + [lit.raw for lit in aig.fairness]


def assert_mapped(aig: Aig, network: LutNetwork) -> None:
    """Every root has the same value under every assignment; the network is what it says."""
    sources = aig.num_inputs + aig.num_latches
    signals, literals = root_signals(network), root_literals(aig)
    assert len(signals) == len(literals)
    for pattern in range(1 << sources):
        bits = [bool(pattern >> k & 1) for k in range(sources)]
        inputs, latches = bits[: aig.num_inputs], bits[aig.num_inputs :]
        nodes = evaluate_nodes(aig, inputs, latches)
        values = lut_values(network, inputs, latches)
        assert [values[s] for s in signals] == [lit_value(nodes, lit) for lit in literals]
    assert_wellformed(network)


def assert_wellformed(network: LutNetwork) -> None:
    """Topological order, sizes, levels; every LUT is needed and depends on all it reads."""
    level = [0] * network.first_lut
    needed = set(root_signals(network))
    for lut in range(network.num_luts):
        inputs = network.inputs_of(lut)
        assert len(set(inputs)) == len(inputs) <= network.k
        assert all(signal < network.first_lut + lut for signal in inputs)
        level.append(1 + max(level[signal] for signal in inputs) if inputs else 0)
        needed.update(inputs)
        function = network.function_of(lut)
        for k in range(len(inputs)):
            rows = [row for row in range(1 << len(inputs)) if not row >> k & 1]
            assert any((function >> row ^ function >> (row | 1 << k)) & 1 for row in rows)
    assert needed >= set(range(network.first_lut, network.first_lut + network.num_luts))
    assert network.levels.tolist() == level[network.first_lut :]
    assert network.num_levels == max((level[signal] for signal in root_signals(network)), default=0)
