from __future__ import annotations

from benchmarks import lut_bench
from benchmarks.lut_bench import Mapped


def test_summary() -> None:
    rows = {"a": (Mapped(90, 3, 1.0), Mapped(100, 4, 2.0)), "b": (Mapped(10, 5, 1.0), Mapped(10, 4, 0.5))}
    data = lut_bench.summary(rows)
    assert round(data["lut_size"] ** 2, 6) == 0.9
    assert data["lut_levels"] == 1.25
    assert data["lut_time"] == 1.0


def test_smoke_figures() -> None:
    data = lut_bench.figures(smoke=True)
    assert set(data) == {"lut_growth", "lut_ns_node"}
    assert 0.5 < data["lut_growth"] < 1.5
