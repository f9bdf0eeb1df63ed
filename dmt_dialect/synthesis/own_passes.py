"""The passes that come with the project: one entry each. To add one, see `dmt_dialect.synthesis.passes`."""

from __future__ import annotations

from dmt_dialect.synthesis.passes import Native, Param, SynthPass, register_pass

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
            Param("effort", "normal", "How many rounds.", choices=("fast", "normal", "high")),
            Param("cuts", 0, "Cuts kept a node; 0: by effort.", low=0, high=32),
            Param("choices", False, "Also structures of a balanced and a rewritten version; slower."),
        ),
        last=True,
    )
)

register_pass(
    SynthPass(
        "gates",
        _HERE + "run_gates",
        "Covers the circuit by ANDs and larger gates; the last step, its result is written as BLIF.",
        (
            Param("xor", True, "XORs of two."),
            Param("mux", True, "Multiplexers."),
            Param("majority", False, "Majorities of three."),
            Param("xor3", False, "XORs of three."),
        ),
        last=True,
    )
)

_ZERO = Param("zero", False, "Also changes that keep the size: they may open the way for later ones.")
_KEEP_LEVELS = Param("keep_levels", False, "No change may make the circuit deeper.")
_CHUNK = Param(
    "chunk",
    20_000,
    "ANDs of the parts that a circuit of more than two is cut into, for threads; 0 leaves it whole, "
    "and so does keep_levels.",
    low=0,
    high=2**31,
)

register_pass(
    SynthPass(
        "balance",
        Native("balance"),
        "Joins the shallowest operands of each tree of ANDs first: fewer levels.",
        (
            Param("sharing", 16, "Operands looked at for a gate that is there already.", low=1),
            Param("xors", False, "Also trees of XORs."),
            Param("muxes", False, "Also chains of multiplexers, which takes an AND more for each."),
        ),
    )
)
register_pass(
    SynthPass(
        "rewrite",
        Native("rewrite", ("threads",)),
        "Replaces the logic of cuts of four or five leaves by the best structure known.",
        (
            Param("leaves", 4, "Leaves of a cut.", low=4, high=5),
            _ZERO,
            _KEEP_LEVELS,
            _CHUNK,
            Param("cuts", 24, "Cuts kept for a node.", low=1, high=255),
            Param("structures", 14, "Structures of a function that are tried.", low=1),
        ),
    )
)
register_pass(
    SynthPass(
        "refactor",
        Native("refactor", ("threads",)),
        "Replaces large cones by factored forms of their functions.",
        (
            Param("leaves", 10, "Leaves of a cone.", low=2, high=15),
            Param("fanout_free", True, "Cones of which all dies; else those with the fewest leaves."),
            Param("dont_cares", False, "Uses that not all combinations of leaf values occur."),
            Param("care_leaves", 12, "Leaves of the logic that tells which do.", low=2, high=14),
            Param("products", 60, "Products of a cover; larger ones are given up.", low=1),
            _ZERO,
            _KEEP_LEVELS,
            _CHUNK,
        ),
    )
)
register_pass(
    SynthPass(
        "resub",
        Native("resub", ("seed", "threads")),
        "Expresses nodes by others that are there, with at most three new ANDs.",
        (
            Param("k", 8, "Leaves of a window; exact up to 10.", low=2, high=16),
            Param("inserts", 3, "ANDs a replacement may add.", low=0, high=3),
            Param("divisors", 150, "Nodes that expressions are made of.", low=1),
            Param("sat", False, "Patterns and SAT in place of exact windows: finds more, takes longer."),
            Param(
                "odc",
                0,
                "Levels behind a node in which it may be hidden; 0 looks at none; with sat.",
                low=0,
                high=20,
            ),
            Param("words", 16, "Words of 64 patterns; with sat.", low=1, high=256),
            Param("conflicts", 100, "Conflicts a SAT call may take; with sat.", low=1),
            _ZERO,
            _KEEP_LEVELS,
            _CHUNK,
        ),
    )
)

register_pass(
    SynthPass(
        "extract",
        Native("extract"),
        "Collapses the circuit and takes divisors that products share out of it; a new structure, which may "
        "be larger.",
        (
            Param("k", 6, "Inputs of the nodes it is collapsed into.", low=2, high=8),
            Param("area", True, "Collapses for few nodes rather than for few levels."),
            Param("cuts", 0, "Cuts of a node to choose from when collapsing; 0: few.", low=0, high=32),
            Param("products", 64, "Products of a node; one with more keeps its ANDs.", low=1),
            Param("growth", 0, "ANDs a node may take alone, in percent of those it has; 0: any.", low=0),
            Param(
                "density",
                0,
                "Literals of all products, in percent of the ANDs, beyond which the circuit stays as it is; "
                "0: any.",
                low=0,
            ),
            Param("literals", 4, "Literals of a divisor of two products.", low=2, high=8),
            Param(
                "pairs",
                40_000_000,
                "Pairs to remember; the search ends when there are more.",
                low=1,
                high=2**27,
            ),
        ),
    )
)
