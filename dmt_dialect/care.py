"""Where differences count: care sets, constraints and external don't-cares of an equivalence check.

    care set c(x), don't-cares d(x):    f = g    becomes    f(x) c(x) ~d(x) = g(x) c(x) ~d(x)

Both designs are given these as gates, before they are compared; so engines, proofs and counterexamples work
as always, a counterexample lies within the care set, and the values it shows are those of the designs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.miter import port_variables
from dmt_dialect.verdict import cut_list
from dynomite._native.aig import Aig
from dynomite._native.sim import Schedule
from dynomite._native.sweep import append
from dynomite.errors import UsageError

if TYPE_CHECKING:
    from dmt_dialect.matching import Matched
    from dmt_dialect.pairing import Names
    from dynomite._native.base import Stop

_PATTERNS = 4096
Literals = NDArray[np.uint32]


@dataclass(frozen=True, kw_only=True)
class Care:
    """What restricts a comparison.

    Attributes:
        circuit: A circuit with one output, 1 where differences count. Its inputs are called as inputs or
            latches of the left design, or it has as many inputs as that and no names.
        constraints: The constraints of both designs are taken to hold, and are not compared.
        dont_cares: A circuit whose outputs are called as outputs of the left design and are 1 where these do
            not count; its inputs as those of `circuit`.
    """

    circuit: Aig | None = None
    constraints: bool = False
    dont_cares: Aig | None = None

    def __bool__(self) -> bool:
        return self.circuit is not None or self.constraints or self.dont_cares is not None


@dataclass(frozen=True, slots=True)
class _Restriction:
    """A circuit over the shared variables: output 0 is where differences count, the others don't-cares."""

    aig: Aig
    of_output: Mapping[int, int]


def restricted(left: Aig, right: Aig, matched: Matched, care: Care, stop: Stop) -> tuple[Aig, Aig, list[str]]:
    """Both designs with the restrictions as gates, and sentences on what is taken for granted. Linear.

    Args:
        left: One design.
        right: The other.
        matched: How their ports are paired.
        care: The restrictions.
        stop: Ends it.

    Raises:
        UsageError: Ports of a circuit of `care` are none of the left design, or an input is free on one side.
        LimitError: `stop` ended it.
    """
    if -1 in matched.inputs.left or -1 in matched.inputs.right:
        raise UsageError("lec: care sets and don't-cares need inputs that both sides have")
    notes: list[str] = []
    both = Aig()
    count = len(matched.input_names) + len(matched.latch_names)
    if count:
        both.add_inputs(count)
    variables = both.literals("inputs")
    places = port_variables(left, matched.inputs.left, matched.latches.left)
    held: list[int] = []
    if care.constraints:
        numbers: list[str] = []
        sides = (
            (left, places, "left"),
            (right, port_variables(right, matched.inputs.right, matched.latches.right), "right"),
        )
        for design, own, side in sides:
            held += _copied(both, design, variables[own], design.literals("constraints"), stop)
            numbers.append(f"{len(design.constraints)} {side}")
        notes.append(f"the constraints ({', '.join(numbers)}) are taken to hold and are not compared")
    if care.circuit is not None:
        if care.circuit.num_outputs != 1 or care.circuit.num_latches:
            raise UsageError(
                f"lec: a care set has one output and no latches, this one has {care.circuit.num_outputs} "
                f"and {care.circuit.num_latches}"
            )
        own = variables[places[_port_positions(care.circuit, left, "the care set")]]
        held += _copied(both, care.circuit, own, care.circuit.literals("outputs"), stop)
        notes.append("differences count only where the care set is 1")
    both.add_output(both.and_all(both.lits(np.array(held, dtype=np.uint32))) if held else both.true)
    of_output: dict[int, int] = {}
    if care.dont_cares is not None:
        of_output = _add_dont_cares(both, care.dont_cares, left, variables[places], stop)
        notes.append(f"external don't-cares of {len(of_output)} outputs of the left design do not count")
    if not _can_hold(both, stop):
        notes.append("no input was found for which differences count: the answer may be vacuous")
    restriction = _Restriction(both, of_output)
    partner = dict(zip(matched.outputs.left, matched.outputs.right, strict=True))
    made_left = _with_gates(left, matched.inputs.left, matched.latches.left, restriction, None, care, stop)
    made_right = _with_gates(
        right, matched.inputs.right, matched.latches.right, restriction, partner, care, stop
    )
    return made_left, made_right, notes


def _copied(target: Aig, source: Aig, ci_map: Literals, lits: Literals, stop: Stop) -> list[int]:
    """Literals of `source` as literals of `target`, their cones copied."""
    node_map = append(target, source, np.ascontiguousarray(ci_map, dtype=np.uint32), stop=stop)
    return [int(node_map[raw >> 1]) ^ (raw & 1) for raw in lits.tolist()]


def _port_positions(circuit: Aig, left: Aig, what: str) -> list[int]:
    """The input or latch of the left design that each input of a circuit means."""
    names: Names = circuit.names("inputs")
    ports = [*left.names("inputs"), *left.names("latches")]
    if not any(names) and len(names) == left.num_inputs:
        return list(range(len(names)))
    place = {name: position for position, name in enumerate(ports) if name is not None}
    missing = [
        name or f"input {position} without a name" for position, name in enumerate(names) if name not in place
    ]
    if missing:
        raise UsageError(f"lec: inputs of {what} that the left design does not have: {cut_list(missing)}")
    return [place[name] for name in names if name is not None]


def _add_dont_cares(both: Aig, circuit: Aig, left: Aig, sources: Literals, stop: Stop) -> dict[int, int]:
    positions = {name: position for position, name in enumerate(left.names("outputs")) if name is not None}
    names = circuit.names("outputs")
    foreign = [name or "an output without a name" for name in names if name not in positions]
    if foreign:
        raise UsageError(
            f"lec: outputs of the don't-cares that the left design does not have: {cut_list(foreign)}"
        )
    own = sources[_port_positions(circuit, left, "the don't-cares")]
    of_output: dict[int, int] = {}
    for name, raw in zip(names, _copied(both, circuit, own, circuit.literals("outputs"), stop), strict=True):
        of_output[positions[name or ""]] = both.num_outputs
        both.add_output(both.lit(raw))
    return of_output


def _can_hold(both: Aig, stop: Stop) -> bool:
    """Whether an input with care was met, by simulation or by proof that there is one."""
    found = Schedule(both, both.literals("outputs")[:1]).run(_PATTERNS, seed=1, stop=stop)
    if found is None or found[0].any():
        return True
    from dmt_dialect.passes.check_equiv import lec

    only = both.cone([both.outputs[0]], keep_inputs=True)
    never = Aig()
    if only.num_inputs:
        never.add_inputs(only.num_inputs)
    never.add_output(never.false)
    return lec(only, never, match="order", cancel=stop).different


def _with_gates(
    design: Aig,
    inputs: Sequence[int],
    latches: Sequence[int],
    restriction: _Restriction,
    partner: Mapping[int, int] | None,
    care: Care,
    stop: Stop,
) -> Aig:
    """A design whose functions are 0 where they do not count; `partner` leads from outputs of the left."""
    made = Aig()
    ports = [made.add_input() for _ in range(design.num_inputs)]
    made_latches = [made.add_latch(reset) for reset in design.resets]
    sources = np.array([lit.raw for lit in (*ports, *made_latches)], dtype=np.uint32)
    node_map = append(made, design, sources, stop=stop)
    order = [*inputs, *(design.num_inputs + position for position in latches)]
    care_lit, *dont_cares = _copied(
        made, restriction.aig, sources[order], restriction.aig.literals("outputs"), stop
    )
    where = made.lit(care_lit)
    free = {
        (position if partner is None else partner[position]): made.lit(dont_cares[output - 1])
        for position, output in restriction.of_output.items()
    }

    def moved(raw: int) -> int:
        return int(node_map[raw >> 1]) ^ (raw & 1)

    for position, raw in enumerate(design.literals("outputs").tolist()):
        lit = made.lit(moved(raw)) & where
        made.add_output(lit & ~free[position] if position in free else lit)
    for section, add in (("bad", made.add_bad), ("fairness", made.add_fairness)):
        for raw in design.literals(section).tolist():
            add(made.lit(moved(raw)) & where)
    for raw in () if care.constraints else design.literals("constraints").tolist():
        made.add_constraint(made.lit(moved(raw)) & where)
    for group in design.justice:
        made.add_justice([made.lit(moved(lit.raw)) & where for lit in group])
    for latch, raw in zip(made_latches, design.literals("next_states").tolist(), strict=True):
        made.set_next(latch, made.lit(moved(raw)) & where)
    for section in ("inputs", "latches", "outputs", "bad", "fairness", "justice"):
        made.set_names(section, design.names(section))
    if not care.constraints:
        made.set_names("constraints", design.names("constraints"))
    made.name = design.name
    return made
