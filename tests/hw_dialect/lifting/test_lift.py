"""Words found again in circuits made of them: as made, through text, swept, of another architecture, changed.

Every lifted module is proved equal to its circuit by `lift` itself; here words are simulated besides, by the
operators' table, which shares nothing with gates.
"""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

import dynomite
from dmt_dialect.bitblast import blast
from dmt_dialect.dmt_aig import module_from_aig, read_region
from dmt_dialect.dmt_ops import DMT
from dmt_dialect.ops import OP
from dmt_dialect.origins import NodeOrigins
from dmt_dialect.passes.sweep import sweep_tracked
from dynomite import Aig
from dynomite._native.base import Stop
from dynomite.errors import LimitError, UsageError
from dynomite.ir import Context, load, parse, print_module
from hw_dialect.builder import Design, module
from hw_dialect.elaborate import elaborate, lower, lower_with_origins
from hw_dialect.lifting import Lifted, lift
from hw_dialect.net_view import NetView
from hw_dialect.signals import mux
from hw_dialect.simulate import simulate_words
from tests.support.every_operator import every_operator
from tests.support.word_modules import random_design, random_stimuli, simulate_aig


def lowered(design: Design, architecture: str = "") -> tuple[Aig, NodeOrigins]:
    aig, origins = lower_with_origins(design, architecture=architecture)
    return aig, origins.nodes(aig)


def operators(design: Design) -> Counter[str]:
    return Counter(n.operator for n in NetView(elaborate(design)).nodes if n.kind == "operator")


def same_words(a: Design, b: Design, seed: int) -> bool:
    """Whether two designs show the same words for random stimuli."""
    inputs = {name: width for name, width, _ in elaborate(a).inputs()}
    stimuli = random_stimuli(random.Random(seed), inputs, 12)
    left, right = simulate_words(a, stimuli), simulate_words(b, stimuli)
    return (left.outputs, left.registers) == (right.outputs, right.registers)


def through_text(
    aig: Aig, origins: NodeOrigins, change: tuple[str, str] | None = None
) -> tuple[Aig, NodeOrigins]:
    """The circuit as instructions, printed, changed, read."""
    text = print_module(module_from_aig(aig, origins=origins), locations=True)
    if change is not None:
        assert change[0] in text
        text = text.replace(*change, 1)
    context = Context()
    load(context, DMT, OP)
    return read_region(parse(text, context))


@pytest.mark.parametrize("seed", range(30))
def test_words_to_gates_to_words(seed: int) -> None:
    design = random_design(random.Random(seed), operators=14, most=8, registers=seed % 3)
    circuit, origins = through_text(*lowered(design))
    lifted = lift(circuit, design, origins=origins)
    assert lifted.verified
    assert (lifted.gates, lifted.with_status("gates")) == (0, [])
    unused = Counter(operator.operator for operator in lifted.with_status("unused"))
    assert operators(lifted.design) + unused == operators(design)
    assert same_words(design, lifted.design, seed)


@pytest.mark.parametrize("width", [1, 2, 3, 5])
def test_every_operator(width: int) -> None:
    design = every_operator(width)
    aig, origins = lowered(design)
    lifted = lift(aig, design, origins=origins)
    assert (lifted.gates, lifted.with_status("gates")) == (0, [])
    assert same_words(design, lifted.design, width)
    assert len(lifted.with_status("lifted")) > (20 if width == 1 else 40)


@pytest.mark.parametrize("seed", range(20))
def test_swept_circuits(seed: int) -> None:
    """What sweeping merged is found by proofs; what it removed for good stays away."""
    design = random_design(random.Random(1000 + seed), operators=12, most=6, registers=seed % 2)
    aig, origins = lowered(design)
    swept, node_map, _ = sweep_tracked(aig)
    lifted = lift(swept, design, origins=origins.moved(node_map, swept.num_nodes))
    assert lifted.verified
    assert same_words(design, lifted.design, seed)


def test_sweeping_leaves_a_datapath_whole() -> None:
    with module("path") as m:
        a, b, c = m.input("a", 8), m.input("b", 8), m.input("c", 8)
        product = (a * b).named("product")
        m.output("y", mux(a.ult(b), product - c, product + c))
    aig, origins = lowered(m.design)
    swept, node_map, stats = sweep_tracked(aig)
    assert stats.changed
    lifted = lift(swept, m.design, origins=origins.moved(node_map, swept.num_nodes))
    assert (lifted.gates, operators(lifted.design)) == (0, operators(m.design))
    assert any(operator.proof == "sat" for operator in lifted.operators)


@pytest.mark.parametrize("architecture", ["adder=kogge-stone,multiplier=booth", "divider=non-restoring"])
def test_other_architectures_are_found_by_proofs(architecture: str) -> None:
    with module("m") as m:
        a, b, c = m.input("a", 5), m.input("b", 5), m.input("c", 5)
        m.output("y", a * b + c)
        m.output("z", a.udiv(b))
    aig, origins = lowered(m.design, architecture)
    lifted = lift(aig, m.design, origins=origins)
    assert (lifted.gates, operators(lifted.design)) == (0, operators(m.design))
    assert "sat" in {operator.proof for operator in lifted.operators}
    as_made = lift(aig, m.design, origins=origins, architecture=architecture)
    assert {operator.proof for operator in as_made.operators} == {"hashing"}


def chain() -> Design:
    with module("chain") as m:
        a, b, c = m.input("a", 6), m.input("b", 6), m.input("c", 6)
        total = (a + b).named("total")
        product = (total * c).named("product")
        m.output("y", (product ^ b).named("mixed"))
    return m.design


def repaired(circuit: Aig, origins: NodeOrigins, node: int) -> tuple[Aig, NodeOrigins]:
    """The circuit with an exclusive or of a node and a new input in place of the node."""
    rows, changed = circuit.fanins.tolist(), Aig()
    raws = {0: 0}
    for name, lit in zip(circuit.names("inputs"), circuit.inputs, strict=True):
        raws[lit.raw >> 1] = changed.add_input(name).raw
    fix = changed.add_input("fix")

    def led(raw: int) -> int:
        return raws[raw >> 1] ^ (raw & 1)

    for number, (first, second) in enumerate(rows):
        if first == 0xFFFFFFFF:
            continue
        made = changed.lit(led(first)) & changed.lit(led(second))
        if number == node:
            made = made ^ fix
        raws[number] = made.raw
    for name, lit in zip(circuit.names("outputs"), circuit.outputs, strict=True):
        changed.add_output(changed.lit(led(lit.raw)), name)
    node_map = np.array([raws[number] for number in range(len(rows))], dtype=np.uint32)
    return changed, origins.moved(node_map, changed.num_nodes)


def find(lifted: Lifted, name: str) -> str:
    return next(operator.status for operator in lifted.operators if operator.name == name)


@pytest.mark.parametrize("bit", range(6))
def test_repaired_bits_leave_the_operators_around(bit: int) -> None:
    """A gate put behind a bit of the sum: sum and product are still there, the product of what was made."""
    design = chain()
    aig, origins = lowered(design)
    total = lower_nodes(design, "total")[bit]
    changed, moved = repaired(aig, origins, total >> 1)
    lifted = lift(changed, design, origins=moved)
    assert lifted.verified
    assert {find(lifted, name) for name in ("total", "product", "mixed")} == {"lifted"}
    assert 0 < lifted.gates <= 3  # the gates of one exclusive or
    assert lifted.notes == ("the netlist has no input 'fix'",)
    # The repair, not the netlist's own sum, feeds the product.
    assert not dynomite.lec(lower(lifted.design), aig, free_inputs=True).equivalent


def lower_nodes(design: Design, name: str) -> list[int]:
    """The literals of a value in the lowered circuit."""
    aig = lower(design, net_names=True)
    bits = {given: lit.raw for lit, given in aig.net_names}
    return [bits[f"{name}[{bit}]"] for bit in range(6)]


def test_a_changed_operator_stays_gates() -> None:
    """The carry into bit 4 of the sum is wrong: the sum is none any more, and the report says which bits."""
    design = chain()
    aig, origins = lowered(design)
    total = lower_nodes(design, "total")
    rows = aig.fanins.tolist()
    # Bit 4 = (a4 ^ b4) ^ carry: an AND over the carry is made one with the wrong sign.
    gate = next(raw >> 1 for raw in rows[total[4] >> 1] if rows[raw >> 1][0] != 0xFFFFFFFF)
    fanins = aig.fanins.copy()
    fanins[gate, 0] ^= np.uint32(1)
    changed = Aig.from_fanins(fanins, aig.literals("outputs"))
    for section in ("inputs", "outputs"):
        changed.set_names(section, aig.names(section))
    assert dynomite.lec(changed, aig).different
    lifted = lift(changed, design, origins=origins)
    assert lifted.verified
    report = {operator.name: operator for operator in lifted.operators}
    assert report["total"].status == "gates"
    assert report["total"].reason == "its region computes something else: bit 4 of 6 not found"
    assert report["product"].status == "lifted"
    assert "gates ADD total" in str(lifted)
    assert lifted.gates > 0


@pytest.mark.parametrize("seed", range(40))
def test_random_edits_never_change_the_function(seed: int) -> None:
    rng = random.Random(seed)
    design = random_design(rng, operators=10, most=6, registers=0)
    aig, origins = lowered(design)
    fanins = aig.fanins.copy()
    gates = np.flatnonzero(fanins[:, 0] != np.uint32(0xFFFFFFFF)).tolist()
    if not gates:
        pytest.skip("no gates")
    for gate in rng.sample(gates, min(2, len(gates))):
        fanins[gate, rng.randrange(2)] = rng.randrange(2 * gate)
    changed = Aig.from_fanins(fanins, aig.literals("outputs"))
    for section in ("inputs", "outputs"):
        changed.set_names(section, aig.names(section))
    lifted = lift(changed, design, origins=origins)
    assert lifted.verified
    inputs = {name: width for name, width, _ in elaborate(design).inputs()}
    stimuli = random_stimuli(rng, inputs, 16)
    assert simulate_words(lifted.design, stimuli).outputs == simulate_aig(changed, stimuli)


def counter(*, asynchronous: bool) -> Design:
    with module("counter") as m:
        clock, up, reset = m.input("clk"), m.input("up"), m.input("rst")
        q = m.reg(
            "q", 4, clock=clock, enable=up, reset=reset, reset_value=3, init=5, asynchronous=asynchronous
        )
        q.next = q + 1
        m.claim(q != 0, "never zero")
        m.assume(~reset, "quiet")
        m.output("count", q)
    return m.design


@pytest.mark.parametrize("asynchronous", [False, True])
def test_registers_keep_enable_and_reset(asynchronous: bool) -> None:
    design = counter(asynchronous=asynchronous)
    aig, origins = lowered(design)
    lifted = lift(aig, design, origins=origins)
    assert (lifted.gates, lifted.notes, lifted.verified) == (0, (), True)
    text = lifted.design.text()
    assert 'hw.REG %q:def(hw.wire(4)) %0 "clock" %clk "enable" %up "reset" %rst constant(3, 4)' in text
    assert ("asynchronous" in text) == asynchronous
    assert 'name = "never zero"' in text
    assert 'name = "quiet"' in text
    stimuli = [{"clk": 0, "up": i % 3 != 0, "rst": i == 7} for i in range(20)]
    rows = [{name: int(value) for name, value in row.items()} for row in stimuli]
    assert simulate_words(lifted.design, rows) == simulate_words(design, rows)


def test_a_latch_behind_its_reset_makes_the_reset_gates() -> None:
    """Another output shows the latch without the reset: a register in the IR cannot, so gates do."""
    design = counter(asynchronous=True)
    aig, origins = lowered(design)
    changed = aig.copy()
    changed.add_output(changed.latches[2], "raw")
    lifted = lift(changed, design, origins=origins)
    assert lifted.verified
    assert "the asynchronous reset of 'q' is made of gates" in lifted.notes
    assert lifted.gates > 0


def test_memories_become_registers() -> None:
    with module("store") as m:
        address, data = m.input("address", 1), m.input("data", 3)
        memory = m.mem("words", 2, 3, init=[1, 2])
        memory.write(address, data + 1)
        m.output("y", memory.read(address) + data)
    aig, origins = lowered(m.design)
    lifted = lift(aig, m.design, origins=origins)
    assert lifted.verified
    assert Counter(operator.status for operator in lifted.operators) == {"lifted": 2}
    stimuli = [{"address": i & 1, "data": (5 * i) & 7} for i in range(16)]
    assert simulate_words(lifted.design, stimuli).outputs == simulate_words(m.design, stimuli).outputs


def test_words_that_would_feed_themselves() -> None:
    """(a + b) - b is a: swept, the circuit is wires, and no operator may be read through a port."""
    with module("wires") as m:
        a, b = m.input("a", 4), m.input("b", 4)
        m.output("y", (a + b) - b)
    aig, origins = lowered(m.design)
    swept, node_map, _ = sweep_tracked(aig)
    assert swept.num_ands == 0
    lifted = lift(swept, m.design, origins=origins.moved(node_map, swept.num_nodes))
    assert lifted.verified
    assert operators(lifted.design) == Counter()


def test_a_sum_fed_by_its_own_bit() -> None:
    """Bit 0 of the sum goes back into bit 3 of an operand: no loop of bits, but one of words."""
    with module("loop") as m:
        a, b = m.input("a", 4), m.input("b", 4)
        m.output("y", a + b)
    aig = Aig()
    a_bits, b_bits = (
        aig.add_inputs([f"a[{i}]" for i in range(4)]),
        aig.add_inputs([f"b[{i}]" for i in range(4)]),
    )
    low = blast(aig, "ADD", a_bits, b_bits)[0]
    for bit, lit in enumerate(blast(aig, "ADD", (*a_bits[:3], a_bits[3] & low), b_bits)):
        aig.add_output(lit, f"y[{bit}]")
    lifted = lift(aig, m.design)
    assert lifted.verified
    assert same_outputs(aig, lifted)


def same_outputs(aig: Aig, lifted: Lifted) -> bool:
    stimuli = [{"a": i & 15, "b": i >> 4} for i in range(256)]
    return simulate_words(lifted.design, stimuli).outputs == simulate_aig(aig, stimuli)


def test_names_of_instances_and_origins_of_the_report() -> None:
    design = Design()
    with design.module("inner") as inner:
        inner.output("s", (inner.input("x", 4) + inner.input("y", 4)).named("sum"))
    with design.module("outer") as m:
        u = m.instance(inner, "u1", x=m.input("a", 4), y=m.input("b", 4))
        m.output("y", u["s"])
    aig, origins = lowered(design)
    lifted = lift(aig, design, "outer", origins=origins)
    (operator,) = lifted.operators
    assert (operator.operator, operator.name, operator.status) == ("ADD", "u1/sum", "lifted")
    assert operator.origin[0].file == __file__
    assert operator.region == aig.num_ands
    assert lifted.as_dict()["lifted"] == 1


def test_refusals() -> None:
    design = chain()
    aig, origins = lowered(design)
    other = Aig()
    with pytest.raises(UsageError, match="origins of"):
        lift(other, design, origins=origins)
    with pytest.raises(UsageError, match="0 inputs without names"):
        lift(other, design)
    other.add_input("x")
    with pytest.raises(UsageError, match=r"no input 'a\[0\]' \(18 missing\)"):
        lift(other, design)
    nameless = Aig.from_fanins(aig.fanins, aig.literals("outputs"))
    assert lift(nameless, design, origins=origins).with_status("gates") == []
    stop = Stop()
    stop.cancel()
    with pytest.raises(LimitError):
        lift(aig, design, stop=stop)


def test_proofs_that_give_up_leave_gates() -> None:
    """Without conflicts nothing hard is proved; the module is right all the same."""
    with module("m") as m:
        a, b = m.input("a", 12), m.input("b", 12)
        m.output("y", a * b)
    aig, origins = lowered(m.design, "multiplier=booth")
    lifted = lift(aig, m.design, origins=origins, conflict_limit=0)
    assert lifted.verified
    assert [operator.status for operator in lifted.operators] == ["gates"]
