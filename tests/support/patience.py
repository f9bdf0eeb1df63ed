"""Time limits of tests on machines that are busy with other work."""

from __future__ import annotations

import os


def patience(seconds: float) -> float:
    """`seconds` on an idle machine; more when others use the processors too."""
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    return seconds * max(1.0, min(busy, 10.0))
