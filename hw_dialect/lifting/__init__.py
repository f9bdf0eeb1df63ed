"""Lifting: words out of a circuit that was made of them.

    aig, origins = lower_with_origins(design)
    ...                                     # the circuit is changed
    lifted = lift(circuit, design, origins=...)
    print(lifted)                           # which operators it still has, and why not the others
    lifted.design                           # the same function, as words where they were found

The circuit's nodes carry the operations they come from (`dmt_dialect.origins`); those of one operation are
its region. An operator is put back only if it is proved to compute what its region does: by hashing where
nothing was changed, else by SAT sweeping. What is not found stays gates, and the report says why.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dmt_dialect.passes.check_equiv import lec
from dynomite._native.base import Stop
from dynomite.errors import UsageError
from hw_dialect.elaborate import Source, elaborate, lower
from hw_dialect.lifting.combined import Combined
from hw_dialect.lifting.matching import Match, Matcher
from hw_dialect.lifting.rebuild import Rebuilder
from hw_dialect.net_view import NetView

if TYPE_CHECKING:
    from dmt_dialect.origins import NodeOrigins
    from dynomite._native.aig import Aig
    from dynomite.ir import Module, Origin
    from hw_dialect.builder import Design

__all__ = ["Lifted", "LiftedOperator", "lift"]


@dataclass(frozen=True, kw_only=True)
class LiftedOperator:
    """An operator of the netlist.

    Attributes:
        operator: Its name, as in the dialect `op`.
        name: Name of its value; a number if it has none.
        width: Bits of its result.
        origin: Where it comes from.
        region: Number of the circuit's nodes that come from there.
        status: "lifted"; "unused" if the circuit computes it, but nothing reads it as a word; "gates".
        proof: "hashing" or "sat", if it was found.
        reason: Why it was not.
    """

    operator: str
    name: str
    width: int
    origin: tuple[Origin, ...]
    region: int
    status: str
    proof: str = ""
    reason: str = ""

    def __str__(self) -> str:
        """One line."""
        place = f" ({self.origin[0].file}:{self.origin[0].line})" if self.origin else ""
        how = f", by {self.proof}" if self.proof else f": {self.reason}" if self.reason else ""
        return (
            f"{self.status} {self.operator} {self.name}, {self.width} bits, {self.region} nodes{how}{place}"
        )


@dataclass(frozen=True, kw_only=True)
class Lifted:
    """What `lift` made.

    Attributes:
        design: The module, equal to the circuit.
        operators: The netlist's operators, and what became of each.
        gates: ANDs of one bit in the module.
        notes: What has another form than in the netlist.
        verified: Whether the module was proved equal to the circuit as a whole.
    """

    design: Design = field(repr=False)
    operators: tuple[LiftedOperator, ...]
    gates: int
    notes: tuple[str, ...]
    verified: bool

    @property
    def module(self) -> Module:
        """The module, in the IR."""
        return self.design.ir

    def with_status(self, status: str) -> list[LiftedOperator]:
        """The operators with a status."""
        return [operator for operator in self.operators if operator.status == status]

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON has them."""
        return {
            "operators": len(self.operators),
            "lifted": len(self.with_status("lifted")),
            "unused": len(self.with_status("unused")),
            "gates": self.gates,
            "stay_gates": [str(operator) for operator in self.with_status("gates")],
            "notes": list(self.notes),
            "verified": self.verified,
        }

    def __str__(self) -> str:
        """One line for the whole, one for each operator that was not found, one for each note."""
        lines = [f"{len(self.with_status('lifted'))} of {len(self.operators)} operators, {self.gates} gates"]
        lines += [str(operator) for operator in self.with_status("gates")]
        return "\n".join([*lines, *self.notes])


def lift(
    circuit: Aig,
    source: Source,
    top: str = "",
    *,
    origins: NodeOrigins | None = None,
    architecture: str = "",
    conflict_limit: int = 10_000,
    verify: bool = True,
    seed: int = 1,
    stop: Stop | None = None,
) -> Lifted:
    """Finds the operators of a netlist in a circuit that was made of it, and builds the module of them.

    Args:
        circuit: The circuit, possibly changed since: swept, rewritten, repaired by hand. Inputs and latches
            are those of `lower(source)`, by name (by order if there are no names); there may be more of them.
        source: The words it was made of.
        top: Which module; see `elaborate`.
        origins: Of the circuit's nodes. Without them those that the circuit shares with the lowered netlist.
        architecture: How the operators were made; with another one they are found by proofs.
        conflict_limit: Conflicts of the solver the proof of a bit may take.
        verify: Prove in the end that the whole module is equal to the circuit.
        seed: Seed of the patterns that tell nodes apart.
        stop: Ends the call early.

    Raises:
        UsageError: The circuit lacks an input or a latch of the netlist, or `origins` are of another one.
        VerifyError: See `elaborate`.
        LimitError: `stop` ended the call.
        AssertionError: The module differs from the circuit: a bug.

    Cost: near-linear where nothing was changed, about 7 microseconds a node; proofs where something was.
    """
    if origins is not None and len(origins) != circuit.num_nodes:
        raise UsageError(f"lift: origins of {len(origins)} nodes for a circuit of {circuit.num_nodes}")
    net = elaborate(source, top, stop=stop)
    view = NetView(net)
    combined = Combined(circuit, net, view, origins, architecture, seed, stop)
    matcher, name = Matcher(combined, conflict_limit, stop or Stop()), net.name.rpartition("::")[2]
    rebuilder = Rebuilder(circuit, combined, matcher.run(), name)
    while exposed := rebuilder.plan():
        matcher.held |= exposed
        rebuilder = Rebuilder(circuit, combined, matcher.run(), name)
    design = rebuilder.build()
    verified = False
    if verify:
        names = circuit.names("inputs") + circuit.names("outputs") + circuit.names("latches")
        match = "name" if all(name is not None for name in names) else "order"
        verdict = lec(circuit, lower(design), match=match, cancel=stop)
        assert not verdict.different, f"the lifted module differs from the circuit\n{verdict}"
        verified = verdict.equivalent
    return Lifted(
        design=design,
        operators=_report(view, combined, matcher.matches, rebuilder.built),
        gates=rebuilder.gates,
        notes=tuple(rebuilder.notes),
        verified=verified,
    )


def _report(
    view: NetView, combined: Combined, matches: list[Match], built: set[int]
) -> tuple[LiftedOperator, ...]:
    from hw_dialect.elaborate import places_of

    found: list[LiftedOperator] = []
    for number, node in enumerate(view.nodes):
        if node.kind != "operator":
            continue
        match, instr = matches[number], combined.net.instr(number)
        assert instr is not None
        found.append(
            LiftedOperator(
                operator=node.operator,
                name=view.names[number],
                width=node.width,
                origin=places_of(instr),
                region=match.region,
                status="lifted" if number in built else "unused" if match.is_word else "gates",
                proof=("sat" if match.by_proof else "hashing") if match.is_word else "",
                reason=match.reason,
            )
        )
    return tuple(found)
