from __future__ import annotations

from benchmarks import hard_arith


def test_smoke_figures() -> None:
    data = hard_arith.figures(smoke=True)
    assert set(data) == {"mul16_s", "mul16_opt_s"}
    assert all(0 < seconds < hard_arith.LIMIT_SECONDS for seconds in data.values())
