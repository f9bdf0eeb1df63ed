"""What the steps of execution graphs on netlists of words do."""

from __future__ import annotations

from dmt_dialect.aig import Aig
from dmt_dialect.code_circuits import circuit_of_code
from dmt_dialect.dmt_aig import module_from_aig
from dmt_dialect.passes.canonicalize import Canonicalize, CanonicalizeParams
from dynomite._native.word_net import WordNet
from dynomite.errors import UsageError
from dynomite.exec.kinds import Code, Outcome, Task
from dynomite.ir import InstrRef
from dynomite.passes.base import Pass
from hw_dialect.elaborate import elaborate, lower, lower_with_origins
from hw_dialect.passes.inline import Inline, InlineParams


def run_inline(task: Task) -> Outcome:
    """Inlines all instances of code."""
    return _run(task, Inline(InlineParams(limit=int(task.params["limit"]))))


def run_simplify(task: Task) -> Outcome:
    """Canonicalises code."""
    return _run(task, Canonicalize(CanonicalizeParams(dead=bool(task.params["dead"]))))


def _run(task: Task, work: Pass[InlineParams] | Pass[CanonicalizeParams]) -> Outcome:
    module, instr = task.code
    result = work(module, within=instr, builder=task.builder, stop=task.stop)
    return Outcome(task.code, result.changed, dict(result.stats), result.notes, result.stop)


def run_circuit(task: Task) -> Outcome:
    """Lowers code; code of the dialect dmt becomes the circuit that it is."""
    code, architecture = task.code, str(task.params["architecture"])
    found = circuit_of_code(code.module, code.instr, architecture=architecture, stop=task.stop)
    if found is not None:
        return Outcome(found[0], stats={"ands": found[0].num_ands})
    net = _net_of(task, code, str(task.params["top"]))
    aig = lower(net, architecture=architecture, stop=task.stop)
    return Outcome(aig, stats={"ands": aig.num_ands}, notes=tuple(net.notes))


def run_gates(task: Task) -> Outcome:
    """Lowers code to instructions, each with the places it comes from."""
    net = _net_of(task, task.code, str(task.params["top"]))
    aig, origins = lower_with_origins(net, architecture=str(task.params["architecture"]), stop=task.stop)
    module = module_from_aig(aig, origins=origins.nodes(aig))
    return Outcome(Code(module, None), stats={"ands": aig.num_ands}, notes=tuple(net.notes))


def run_lift(task: Task) -> Outcome:
    """Finds operators again."""
    from hw_dialect.lifting import lift

    given, source = task.inputs
    if not isinstance(source, Code):
        raise UsageError("hw.exec.lift: code is needed as the second operand")
    found = (given, None) if isinstance(given, Aig) else None
    if isinstance(given, Code):
        found = circuit_of_code(given.module, given.instr, stop=task.stop)
    if found is None:
        raise UsageError("hw.exec.lift: gates or a circuit are needed as the first operand")
    circuit, origins = found
    lifted = lift(
        circuit,
        _net_of(task, source, ""),
        origins=origins,
        architecture=str(task.params["architecture"]),
        conflict_limit=int(task.params["conflict_limit"]),
        seed=int(task.params["seed"]),
        stop=task.stop,
    )
    figures = {"lifted": len(lifted.with_status("lifted")), "gates": lifted.gates}
    notes = [str(operator) for operator in lifted.with_status("gates")]
    return Outcome(
        Code(lifted.module, lifted.module.body.first), stats=figures, notes=(*notes, *lifted.notes)
    )


def _net_of(task: Task, code: Code, top: str) -> WordNet:
    """The flat netlist of code."""
    module, instr = code
    if instr is not None:
        if top:
            raise UsageError(f"{task.name}: 'top' goes with the whole module")
        top = path_of(instr)
    return elaborate(module, top, stop=task.stop)


def path_of(instr: InstrRef) -> str:
    """The name of a module as `elaborate` takes it: with the tables around it."""
    names: list[str] = []
    at: InstrRef | None = instr
    while at is not None:
        name = at.symbol_name
        if name is None:
            raise UsageError(f"{at.name} has no name: it cannot be lowered")
        names.append(name)
        at = at.parent
    return "::".join(reversed(names))
