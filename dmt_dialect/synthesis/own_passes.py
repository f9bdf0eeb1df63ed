"""The passes that come with the project: one entry each. To add one, see `dmt_dialect.synthesis.passes`."""

from __future__ import annotations

from dmt_dialect.synthesis.passes import Param, SynthPass, register_pass

_HERE = "dmt_dialect.synthesis.simple_passes:"

_CONFLICTS = Param("conflicts", 1_000, "Conflicts a proof may take.", low=1)

register_pass(
    SynthPass(
        "strash", _HERE + "run_strash", "Folds, simplifies and hashes all ANDs anew; drops dangling ones."
    )
)
register_pass(
    SynthPass("clean", _HERE + "run_clean", "Drops ANDs that nothing needs; the others stay as they are.")
)
register_pass(
    SynthPass("sweep", _HERE + "run_sweep", "Merges nodes that SAT proves equal or opposite.", (_CONFLICTS,))
)
register_pass(
    SynthPass(
        "scl",
        _HERE + "run_scl",
        "Drops latches that are constant, equal another one, or are not needed; hashes all ANDs.",
        (
            Param("constants", True, "Latches that never leave their reset value become constants."),
            Param("duplicates", True, "Latches that always equal a constant or each other are merged."),
            Param("unused", True, "Latches that no output or property depends on go."),
        ),
    )
)
register_pass(
    SynthPass(
        "lutmap",
        _HERE + "run_lutmap",
        "Covers the circuit by look-up tables; the last step, its result is written as BLIF.",
        (
            Param("k", 6, "Inputs of a table.", low=2, high=8),
            Param("area", False, "As few tables as possible, whatever the levels."),
            Param("extra_levels", 0, "Levels allowed above the fewest.", low=0, high=1_000_000),
            Param("cuts", 8, "Cuts kept a node.", low=1, high=32),
        ),
        last=True,
    )
)
