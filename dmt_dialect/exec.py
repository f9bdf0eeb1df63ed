"""Steps of execution graphs on circuits: equivalence, synthesis, figures.

    dmt.exec.lec def(%verdict) %a %b {engine = "sweep"}
    dmt.exec.AIG_SWEEP def(%small) %a
    dmt.exec.AIG_REWRITE def(%smaller) %a {pipeline = "strash; until-converge{sweep}"}
    dmt.exec.AIG_STRASH def(%hashed) %a
    dmt.exec.stats def(%figures) %a
    dmt.exec.BDD def(%diagrams) %a
    dmt.exec.SOLVE def(%answer) %question

Operands are circuits; code is lowered to one by a step put in front.
"""

from __future__ import annotations

from dmt_dialect.dmt_ops import DMT
from dmt_dialect.synthesis.defaults import DEFAULT_PIPELINE
from dmt_dialect.synthesis.passes import known_passes
from dynomite.exec.cache import register_codec
from dynomite.exec.kinds import (
    StepKind,
    register_dialect,
    register_printer,
    register_step,
    registered_steps,
)

EXEC = register_dialect(DMT)
"""Operations of execution graphs; part of the dialect dmt."""

_RUN = "dmt_dialect.exec_functions:"
_RUN_CODE = "dmt_dialect.exec_code_functions:"

register_codec("verdict", "dmt_dialect.verdict:Verdict", _RUN + "encode_verdict", _RUN + "decode_verdict")

register_printer("dmt_dialect.verdict:Verdict", _RUN + "show_verdict")

register_step(
    StepKind(
        EXEC.op("exec.lec", defs=1, uses=1, variadic=True, doc="Proves two circuits equal: a verdict."),
        _RUN + "run_lec",
        {"engine": "auto", "match": "auto", "timeout": 0.0, "free_inputs": False, "seed": 1},
        takes="circuit",
        result="data",
        operands=(1, 2),
        caches=True,
        ships=True,
        other=True,
    )
)
register_step(
    StepKind(
        EXEC.op("exec.AIG_SWEEP", defs=1, uses=1, doc="Merges what is proved equal in a circuit."),
        _RUN + "run_sweep",
        {"verify": False, "conflict_limit": 1_000, "timeout": 0.0, "seed": 1},
        takes="circuit",
        result="data",
        operands=(1, 1),
        caches=True,
        ships=True,
    )
)
register_step(
    StepKind(
        EXEC.op("exec.AIG_REWRITE", defs=1, uses=1, doc="Synthesis of a circuit by a pipeline in text."),
        _RUN + "run_pipeline",
        {"pipeline": DEFAULT_PIPELINE, "verify": False, "timeout": 0.0, "threads": 1, "seed": 1},
        takes="circuit",
        result="data",
        operands=(1, 1),
        caches=True,
        ships=True,
    )
)
# One step for each pass besides. Sweeping has its own above; rewriting alone is `pipeline = "rewrite"`.
for _pass in known_passes().values():
    if _pass.last or f"dmt.{_pass.step}" in registered_steps():
        continue
    register_step(
        StepKind(
            EXEC.op(_pass.step, defs=1, uses=1, doc=_pass.doc),
            _RUN + "run_pass",
            {**_pass.defaults, "threads": 1, "seed": 1},
            takes="circuit",
            result="data",
            operands=(1, 1),
            caches=True,
            ships=True,
        )
    )
register_step(
    StepKind(
        EXEC.op("exec.stats", defs=1, uses=1, doc="Figures of a circuit."),
        _RUN + "run_stats",
        takes="circuit",
        result="data",
        operands=(1, 1),
        ships=True,
    )
)
register_step(
    StepKind(
        EXEC.op("exec.AIG", defs=1, uses=1, doc="A circuit as gates in code."),
        _RUN_CODE + "run_gates",
        takes="circuit",
        result="code",
        operands=(1, 1),
    )
)
register_step(
    StepKind(
        EXEC.op("exec.BDD", defs=1, uses=1, doc="A circuit's outputs as decision diagrams in code."),
        _RUN_CODE + "run_diagrams",
        {"order": "depth", "timeout": 0.0},
        takes="circuit",
        result="code",
        operands=(1, 1),
    )
)
register_step(
    StepKind(
        EXEC.op("exec.SOLVE", defs=1, uses=1, doc="Answers a question in code, or one about a circuit."),
        _RUN_CODE + "run_solve",
        {"engine": "auto", "timeout": 0.0},
        effect="reads",
        result="data",
        operands=(1, 1),
    )
)
register_step(
    StepKind(
        EXEC.op("exec.read_smtlib", defs=1, uses=1, doc="A question in code out of an SMT-LIB script."),
        _RUN_CODE + "run_read_smtlib",
        result="code",
        operands=(1, 1),
        files=((0, "r"),),
    )
)
register_step(
    StepKind(
        EXEC.op("exec.write_smtlib", uses=2, doc="Writes a question in code as an SMT-LIB script."),
        _RUN_CODE + "run_write_smtlib",
        effect="reads",
        operands=(2, 2),
        files=((1, "w"),),
    )
)
