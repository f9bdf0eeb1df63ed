from __future__ import annotations

from benchmarks import bench_ir
from dynomite._native.passes import cse
from dynomite.ir import Builder


def test_the_graph_has_half_its_additions_twice() -> None:
    module = bench_ir.build(1000, bench_ir.new_context())
    assert len(module) == 1003
    visited, merged = cse(Builder(module))
    assert visited == 1003
    assert merged == 500


def test_smoke_figures() -> None:
    seconds = bench_ir.ours(500, 1)
    assert set(seconds) == {"build", "bulk", "print", "parse", "cse", "dce", "clone"}
    assert min(seconds.values()) > 0
    sizes = bench_ir.sizes(5000)
    assert sizes["instr_bytes"] < 80
    assert sizes["cinstr_bytes"] <= 24


def test_growth_of_every_task() -> None:
    exponents = bench_ir.growth(50, 500, ["build", "bulk", "print", "parse", "cse", "dce", "clone"])
    assert len(exponents) == 7
    assert all(0.3 < exponent < 2 for exponent in exponents.values()), exponents
