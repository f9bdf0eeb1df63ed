"""Steps of execution graphs on netlists of words: flattening, simplifying, lowering to circuits.

    hw.exec.inline def(%a) %prog
    hw.exec.simplify def(%b) %a
    hw.exec.circuit def(%c) %b {architecture = "multiplier=booth"}
    hw.exec.gates def(%g) %b
    hw.exec.lift def(%w) %g %b

Code is a `hw.MODULE`, or any region with ports such as `let prog = CFG { ... }`.
"""

from __future__ import annotations

from dynomite.exec.kinds import StepKind, register_dialect, register_step
from dynomite.ir import Dialect

EXEC = register_dialect(Dialect("hw"))
"""Operations of execution graphs; part of the dialect hw."""

_RUN = "hw_dialect.exec_functions:"

register_step(
    StepKind(
        EXEC.op("exec.inline", defs=1, variadic=True, doc="Puts the code of modules in place of instances."),
        _RUN + "run_inline",
        {"limit": 100_000},
        effect="writes",
        takes="code",
        result="same",
        whole=True,
        cleanup=True,
    )
)
register_step(
    StepKind(
        EXEC.op(
            "exec.simplify", defs=1, variadic=True, doc="Folds operators until nothing folds, drops the dead."
        ),
        _RUN + "run_simplify",
        {"dead": True},
        effect="writes",
        takes="code",
        result="same",
        whole=True,
        cleanup=True,
    )
)
register_step(
    StepKind(
        EXEC.op("exec.circuit", defs=1, variadic=True, doc="Lowers code to a circuit."),
        _RUN + "run_circuit",
        {"architecture": "", "top": ""},
        effect="reads",
        takes="code",
        result="data",
        whole=True,
    )
)
register_step(
    StepKind(
        EXEC.op("exec.gates", defs=1, variadic=True, doc="Lowers code to gates of the dialect dmt, as code."),
        _RUN + "run_gates",
        {"architecture": "", "top": ""},
        effect="reads",
        takes="code",
        result="code",
        whole=True,
    )
)
register_step(
    StepKind(
        EXEC.op(
            "exec.lift",
            defs=1,
            uses=2,
            doc="Finds the operators of the second operand in the first, a circuit or gates: code.",
        ),
        _RUN + "run_lift",
        {"architecture": "", "conflict_limit": 10_000, "seed": 1},
        effect="reads",
        result="code",
        operands=(2, 2),
    )
)
