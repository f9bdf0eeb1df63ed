"""The steps of the dialect core: passes, reading, writing, printing, and control (docs/execution.md)."""

from __future__ import annotations

from typing import cast

from dynomite.exec.kinds import Param, StepKind, load_name, register_dialect, register_step
from dynomite.ir import Dialect
from dynomite.passes.pipeline import PASSES

EXEC = register_dialect(Dialect("core"))
"""Operations of execution graphs; part of the dialect core."""

GRAPH = EXEC.op("ExecutionGraph", symbol=True, isolated=True, doc="Steps to be executed.")

_RUN = "dynomite.exec.core_functions:"
_READING = ("statistics", "verify")
_MANY = 1_000_000


def pass_params(kind: StepKind) -> dict[str, Param]:
    """Parameters of the pass that a step runs."""
    from dataclasses import fields

    params = load_name(PASSES[kind.op.name.removeprefix("exec.")]).Params
    return {field.name: cast("Param", field.default) for field in fields(params)}


for _name in (name for name, place in PASSES.items() if place.startswith("dynomite.")):
    register_step(
        StepKind(
            EXEC.op(
                f"exec.{_name}",
                defs=1,
                variadic=True,
                doc=f"Runs the pass {_name} on code, or on the whole module.",
            ),
            _RUN + "run_pass",
            f"{__name__}:pass_params",
            effect="reads" if _name in _READING else "writes",
            takes="code",
            result="same",
            whole=True,
            cleanup=True,
        )
    )

register_step(
    StepKind(
        EXEC.op("exec.print", variadic=True, doc="Prints code, a result, or the whole module."),
        _RUN + "print_value",
        effect="reads",
        whole=True,
    )
)
register_step(
    StepKind(
        EXEC.op("exec.snapshot", defs=1, variadic=True, doc="A copy of code in a module of its own."),
        _RUN + "snapshot",
        effect="reads",
        takes="code",
        result="code",
        whole=True,
    )
)
register_step(
    StepKind(
        EXEC.op(
            "exec.join",
            defs=1,
            uses=1,
            variadic=True,
            doc="Waits for all operands; the result is the first one.",
        ),
        _RUN + "join",
        result="same",
        operands=(1, _MANY),
    )
)
register_step(
    StepKind(
        EXEC.op("exec.count", defs=1, uses=2, doc="Number of instructions of an operation in code."),
        _RUN + "count",
        effect="reads",
        takes="code",
        result="data",
        operands=(2, 2),
    )
)
register_step(
    StepKind(
        EXEC.op(
            "exec.changed", defs=1, uses=1, doc="Whether the step that made the operand changed anything."
        ),
        _RUN + "changed",
        result="data",
        operands=(1, 1),
    )
)
register_step(
    StepKind(
        EXEC.op(
            "exec.expect", uses=1, variadic=True, doc="Fails unless the operand is true, or shown as a text."
        ),
        _RUN + "expect",
        operands=(1, 2),
    )
)
register_step(
    StepKind(
        EXEC.op("exec.read", defs=1, uses=1, doc="A circuit from a file, of a format by suffix or name."),
        _RUN + "read",
        {"format": ""},
        result="data",
        operands=(1, 1),
        files=((0, "r"),),
    )
)
register_step(
    StepKind(
        EXEC.op("exec.write", uses=2, doc="Writes a circuit to a file."),
        _RUN + "write",
        {"format": ""},
        takes="circuit",
        operands=(2, 2),
        files=((1, "w"),),
    )
)
register_step(
    StepKind(
        EXEC.op(
            "exec.skip_unless_used",
            uses=3,
            doc="Skips later steps of an operation unless an operation is used in code.",
        ),
        _RUN + "skip_unless_used",
        effect="reads",
        takes="code",
        operands=(3, 3),
        edits=True,
    )
)
register_step(
    StepKind(
        EXEC.op(
            "exec.until_converge", defs=1, variadic=True, doc="Repeats steps until a round changes nothing."
        ),
        result="same",
        operands=(1, 2),
        control="until_converge",
    )
)
register_step(
    StepKind(
        EXEC.op(
            "exec.if",
            uses=1,
            variadic=True,
            doc="Runs the first region if the operand is true, else the second.",
        ),
        operands=(1, 1),
        control="if",
    )
)
register_step(
    StepKind(
        EXEC.op("exec.group", variadic=True, doc="Steps under a name."), operands=(0, 1), control="group"
    )
)
register_step(
    StepKind(EXEC.op("exec.call", uses=1, doc="The steps of another graph."), operands=(1, 1), control="call")
)
register_step(
    StepKind(
        EXEC.op(
            "exec.stage", uses=1, variadic=True, doc="Steps with a name and their place among other stages."
        ),
        operands=(1, 1),
        control="stage",
    )
)
