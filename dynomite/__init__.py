"""Hardware synthesis and formal verification.

    import dynomite

    verdict = dynomite.lec("golden.aig", "optimised.blif")
    print(verdict)
    small, stats = dynomite.sweep("golden.aig")
    smaller = dynomite.optimize("golden.aig", "compress2rs").aig
    dynomite.write(small, "small.blif")

Names are imported when they are first used: importing `dynomite` alone loads nothing heavy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # For type checkers only: at run time imports go hw_dialect -> dmt_dialect -> dynomite, never back.
    from dmt_dialect.passes.check_equiv import lec
    from dmt_dialect.passes.sweep import sweep
    from dmt_dialect.simulate import simulate
    from dmt_dialect.solve import solve
    from dmt_dialect.synthesis.optimize import optimize
    from dmt_dialect.verdict import Verdict
    from dynomite._native.aig import Aig, Lit
    from dynomite.formats.base import read_circuit as read
    from dynomite.formats.base import write_circuit as write

__version__ = "0.1.0"

__all__ = [
    "Aig",
    "Lit",
    "Verdict",
    "__version__",
    "lec",
    "optimize",
    "read",
    "simulate",
    "solve",
    "sweep",
    "write",
]

_WHERE = {
    "Aig": "dynomite._native.aig:Aig",
    "Lit": "dynomite._native.aig:Lit",
    "Verdict": "dmt_dialect.verdict:Verdict",
    "lec": "dmt_dialect.passes.check_equiv:lec",
    "optimize": "dmt_dialect.synthesis.optimize:optimize",
    "read": "dynomite.formats.base:read_circuit",
    "simulate": "dmt_dialect.simulate:simulate",
    "solve": "dmt_dialect.solve:solve",
    "sweep": "dmt_dialect.passes.sweep:sweep",
    "write": "dynomite.formats.base:write_circuit",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'dynomite' has no attribute {name!r}")
    module, _, attribute = _WHERE[name].partition(":")
    value = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
