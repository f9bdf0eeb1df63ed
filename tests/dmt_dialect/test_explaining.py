"""Explanations of differences, held against circuits whose wrong gate is known and against simulation."""

from __future__ import annotations

import random
import time
from pathlib import Path

import numpy as np
import pytest

from dmt_dialect.explaining.explain import SECONDS
from dmt_dialect.explanation import Explanation, Repair, Signal
from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.verdict import Verdict
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite.errors import UsageError
from dynomite.formats.base import read_circuit
from dynomite.progress import Progress
from tests.support.circuit_pairs import differing_outputs, multiplier, restructured
from tests.support.generators import random_aig
from tests.support.oracles import evaluate, evaluate_nodes, lit_value
from tests.support.patience import patience
from tests.support.shared_data import ABSENT, Pair, read_pairs, shared_folder


def with_other_gate(aig: Aig, rng: random.Random) -> tuple[Aig, int]:
    """The circuit with one AND changed, and its node: an edge complemented, or led from elsewhere."""
    rows = np.array(aig.fanins)
    node = rng.randrange(1 + aig.num_inputs, len(rows))
    edge = rng.randrange(2)
    rows[node, edge] = rows[node, edge] ^ 1 if rng.random() < 0.6 else rng.randrange(2 * node)
    return Aig.from_fanins(rows, aig.literals("outputs")), node


def explained(left: Aig, right: Aig) -> tuple[Verdict, Explanation]:
    verdict = lec(left, right, explain=True)
    assert verdict.explanation is not None
    assert verdict.explanation.complete
    assert Verdict.from_json(verdict.to_json()) == verdict
    return verdict, verdict.explanation


def places(explanation: Explanation, side: str) -> set[int]:
    """Nodes of one side that the explanation names as the beginning or as a repair."""
    begins = (getattr(place, side) for output in explanation.outputs for place in output.begins)
    signals: list[Signal] = [signal for signal in begins if signal is not None]
    signals += [repair.signal for repair in explanation.repairs if repair.side == side]
    return {signal.literal >> 1 for signal in signals}


def values_of(aig: Aig, number: int) -> list[bool]:
    inputs = [bool(number >> i & 1) for i in range(aig.num_inputs)]
    return [bool(value) for value in evaluate_nodes(aig, inputs)]


def check_by_simulation(left: Aig, right: Aig, explanation: Explanation) -> None:
    """Everything that is claimed, for all inputs."""
    tables = [[values_of(aig, n) for n in range(1 << left.num_inputs)] for aig in (left, right)]
    for output in explanation.outputs:
        for pair in output.equal:
            assert pair.proved
            for a, b in zip(*tables, strict=True):
                assert lit_value(a, pair.left.literal) == lit_value(b, pair.right.literal)
        position = int(output.output[1:])
        ends = [int(aig.literals("outputs")[position]) for aig in (left, right)]
        always = all(lit_value(a, ends[0]) != lit_value(b, ends[1]) for a, b in zip(*tables, strict=True))
        assert (output.complement == "proved") == always
        # Both sides are functions of the equal signals: same values of these, same values of the output.
        if output.equal_total == len(output.equal):
            for side, table, end in (("left", tables[0], ends[0]), ("right", tables[1], ends[1])):
                seen: dict[tuple[object, ...], object] = {}
                for row in table:
                    key = tuple(lit_value(row, getattr(pair, side).literal) for pair in output.equal)
                    assert seen.setdefault(key, lit_value(row, end)) == lit_value(row, end)
    for repair in explanation.repairs:
        assert repair.proved
        assert repairs_all(left, right, repair)


def repairs_all(left: Aig, right: Aig, repair: Repair) -> bool:
    """By all inputs: whether some value of the signal, or some function of its fanins, makes all equal."""
    this, other = (left, right) if repair.side == "left" else (right, left)
    node = repair.signal.literal >> 1
    rows = this.fanins.tolist()
    wanted: dict[tuple[bool, bool], set[bool]] = {}
    for number in range(1 << this.num_inputs):
        values = values_of(this, number)
        target = evaluate(other, [bool(number >> i & 1) for i in range(this.num_inputs)])
        good: set[bool] = set()
        for value in (False, True):
            changed = list(values)
            changed[node] = value
            for at in range(node + 1, len(rows)):
                if rows[at][0] != 0xFFFFFFFF:
                    changed[at] = bool(lit_value(changed, rows[at][0]) and lit_value(changed, rows[at][1]))
            if [lit_value(changed, raw) for raw in this.literals("outputs").tolist()] == target:
                good.add(value)
        if not good:
            return False
        fanins = bool(lit_value(values, rows[node][0])), bool(lit_value(values, rows[node][1]))
        key = fanins if repair.kind == "gate" else (False, False)
        wanted[key] = wanted.get(key, {False, True}) & good
    return repair.kind == "signal" or all(wanted.values())


@pytest.mark.parametrize("other_structure", [False, True])
def test_known_wrong_gates(other_structure: bool, rng: random.Random) -> None:
    """The wrong gate is named, or a proved repair elsewhere does as well; all claims hold by simulation."""
    named = met = 0
    while met < 40:
        right = random_aig(rng, rng.randint(3, 7), rng.randint(8, 50), rng.randint(1, 4))
        if not right.num_ands:
            continue
        left, node = with_other_gate(right, rng)
        if other_structure:
            right = restructured(right, rng)
        if not differing_outputs(left, right):
            continue
        met += 1
        _, explanation = explained(left, right)
        check_by_simulation(left, right, explanation)
        is_named = node in places(explanation, "left")
        named += is_named
        left_repairs = [repair for repair in explanation.repairs if repair.side == "left"]
        assert left_repairs
    assert named >= met * 3 // 4


def test_the_gate_and_its_repair() -> None:
    sides: list[Aig] = []
    for wrong in (False, True):
        aig = Aig()
        a, b, c = aig.add_inputs(["a", "b", "c"])
        inner = a & (~b if wrong else b)
        aig.add_net_name(inner, "inner")
        aig.add_output(inner & c, "y")
        aig.add_output(a & c, "z")
        sides.append(aig)
    verdict, explanation = explained(sides[0], sides[1])
    (output,) = explanation.outputs
    assert output.output == "y"
    (begin,) = output.begins
    assert (str(begin.left), str(begin.right)) == ("inner", "inner")
    assert (begin.left_gate, begin.right_gate) == ("b & a", "~b & a")
    assert (begin.left_value, begin.right_value) in ((0, 1), (1, 0))
    assert sorted(str(pair.left) for pair in output.equal) in (["a", "b", "c"], ["b", "z"])
    texts = [(r.side, r.kind, str(r.signal), r.instead, r.proved) for r in explanation.repairs]
    assert ("left", "gate", "inner", "~b & a", True) in texts
    assert ("right", "gate", "inner", "b & a", True) in texts
    assert "repair on the left (proved): inner = b & a; with ~b & a instead all outputs are equal" in str(
        verdict
    )


def test_swapped_and_complemented_outputs() -> None:
    """Outputs that are equal signals of the other side, only not the right ones."""
    sides: list[Aig] = []
    for swapped in (False, True):
        aig = Aig()
        a, b, c = aig.add_inputs(["a", "b", "c"])
        first, second = a & b, b ^ c
        for k, lit in enumerate((second, first) if swapped else (first, second)):
            aig.add_output(lit, f"y{k}")
        aig.add_output(~a if swapped else a, "inverted")
        sides.append(aig)
    _, explanation = explained(sides[0], sides[1])
    by_name = {output.output: output for output in explanation.outputs}
    assert by_name["y0"].begins_total == 0
    assert 1 <= by_name["y0"].equal_total <= 3
    assert by_name["inverted"].complement == "proved"
    assert by_name["inverted"].equal_total == 1
    assert not explanation.repairs


def test_constants_and_free_inputs() -> None:
    left, right = Aig(), Aig()
    a, _ = left.add_inputs(["a", "only"])
    left.add_output(a & left.inputs[1], "y")
    (b,) = right.add_inputs(["a"])
    right.add_output(b, "y")
    verdict = lec(left, right, explain=True, free_inputs=True)
    assert verdict.explanation is not None
    assert verdict.explanation.outputs[0].left_ands == 1
    constant = Aig()
    constant.add_inputs(["a"])
    constant.add_output(constant.true, "y")
    verdict, explanation = explained(right, constant)
    assert explanation.outputs[0].begins_total == 0
    assert [str(pair.left) for pair in explanation.outputs[0].equal] == ["a"]


def test_latches() -> None:
    sides: list[Aig] = []
    for wrong in (False, True):
        aig = Aig()
        (enable,) = aig.add_inputs(["en"])
        state = aig.add_latch(0, "q")
        gate = state & (~enable if wrong else enable)
        aig.set_next(state, gate)
        aig.add_output(state, "out")
        sides.append(aig)
    _, explanation = explained(sides[0], sides[1])
    (output,) = explanation.outputs
    assert output.output == "next(q)"
    assert {str(pair.left) for pair in output.equal} == {"en", "q"}
    assert {repair.kind for repair in explanation.repairs} == {"gate"}


def test_the_same_twice(rng: random.Random) -> None:
    right = multiplier(8, columns_first=True)
    left, _ = with_other_gate(right, rng)
    while lec(left, right).equivalent:
        left, _ = with_other_gate(right, rng)
    runs = [lec(left, right, explain=True, engine="sweep", seed=7).explanation for _ in range(2)]
    assert runs[0] is not None
    assert runs[1] is not None
    assert runs[0].outputs == runs[1].outputs
    assert runs[0].repairs == runs[1].repairs


def test_two_wrong_gates_have_no_single_repair() -> None:
    sides: list[Aig] = []
    for wrong in (False, True):
        aig = Aig()
        x = aig.add_inputs(6)
        for k in range(2):
            aig.add_output((x[3 * k] & (~x[3 * k + 1] if wrong else x[3 * k + 1])) & x[3 * k + 2])
        sides.append(aig)
    _, explanation = explained(sides[0], sides[1])
    assert not explanation.repairs
    assert {output.output for output in explanation.outputs} == {"o0", "o1"}
    assert all(output.begins_total == 1 for output in explanation.outputs)


def test_no_time_no_explanation() -> None:
    right = multiplier(6, columns_first=True)
    left, _ = with_other_gate(right, random.Random(1))
    stop = Stop()

    def cancel(progress: Progress) -> None:
        if progress.doing == "confirming":
            stop.cancel()

    verdict = lec(left, right, explain=True, cancel=stop, progress=cancel)
    assert verdict.different
    assert verdict.explanation is None
    assert "the difference was not explained: the time was over" in verdict.assumptions


def test_time_is_bounded() -> None:
    """A large product with a wrong gate and another structure: the time given is kept."""
    right = multiplier(40, columns_first=False)
    left, _ = with_other_gate(multiplier(40, columns_first=True), random.Random(5))
    start = time.monotonic()
    verdict = lec(left, right, explain=True, timeout=4)
    assert time.monotonic() - start < patience(6)
    assert verdict.different


def test_malformed_data() -> None:
    right = multiplier(2, columns_first=True)
    left, _ = with_other_gate(right, random.Random(2))
    _, explanation = explained(left, right)
    data = explanation.to_dict()
    assert Explanation.from_dict(data) == explanation
    for key in data:
        with pytest.raises(UsageError, match="its explanation is malformed"):
            Explanation.from_dict({k: v for k, v in data.items() if k != key})


SHARED = [pair for pair in read_pairs("pairs.csv") if pair.right.endswith("_bug.aig")]
LARGE = ("div", "hyp", "log2", "mem_ctrl", "multiplier", "sin", "sqrt", "square", "voter")


def is_large(pair: Pair) -> bool:
    return pair.right.startswith(tuple(f"epfl_bug/{name}_" for name in LARGE))


@pytest.mark.parametrize("pair", [p for p in SHARED if not is_large(p)], ids=lambda pair: pair.name)
@pytest.mark.skipif(not SHARED, reason=ABSENT)
def test_shared_bugs(pair: Pair) -> None:
    """One complemented edge in an optimised circuit: a single gate of that side repairs it."""
    folder = shared_folder()
    assert folder is not None
    check_shared(folder / "circuits", pair)


@pytest.mark.slow
@pytest.mark.parametrize("pair", [p for p in SHARED if is_large(p)], ids=lambda pair: pair.name)
@pytest.mark.skipif(not SHARED, reason=ABSENT)
def test_large_shared_bugs(pair: Pair) -> None:
    folder = shared_folder()
    assert folder is not None
    check_shared(folder / "circuits", pair)


SMALL = ("adder", "bar", "cavlc", "ctrl", "dec", "i2c", "int2float", "priority", "router")


@pytest.mark.skipif(not SHARED, reason=ABSENT)
@pytest.mark.parametrize("other", ["resyn2", "compress2rs"])
@pytest.mark.parametrize("name", SMALL)
def test_known_wrong_gates_in_shared_circuits(name: str, other: str, rng: random.Random) -> None:
    """Against an optimised version: the wrong gate is named, or another repair of that side was proved."""
    folder = shared_folder()
    assert folder is not None
    right = read_circuit(folder / "circuits" / "epfl_opt" / f"{name}_{other}.aig")
    for _ in range(2):
        left, node = with_other_gate(read_circuit(folder / "circuits" / "epfl" / f"{name}.aig"), rng)
        verdict = lec(left, right, match="order", explain=True)
        if verdict.equivalent:
            continue
        assert verdict.explanation is not None
        proved = [r for r in verdict.explanation.repairs if r.side == "left" and r.proved]
        assert proved or node in places(verdict.explanation, "left")


def check_shared(folder: Path, pair: Pair) -> None:
    verdict = lec(folder / pair.left, folder / pair.right, match="order", explain=True)
    assert verdict.different
    explanation = verdict.explanation
    assert explanation is not None
    assert explanation.seconds < patience(SECONDS + 2)
    repairs = [repair for repair in explanation.repairs if repair.side == "right"]
    # A busy machine may need all the time for less.
    assert not explanation.complete or any(repair.kind == "gate" for repair in repairs)
