from __future__ import annotations

from benchmarks import bench_rewrite


def test_rules_leave_what_they_should() -> None:
    context = bench_rewrite.new_context()
    module = bench_rewrite.chain(100, context, bench_rewrite.zeros)
    bench_rewrite.seconds(module, bench_rewrite.canonical_rules())
    assert [instr.name for instr in module.body] == ["bench.IN", "bench.IN", "bench.OUT"]
    module = bench_rewrite.chain(100, context, bench_rewrite.mixed)
    bench_rewrite.seconds(module, bench_rewrite.canonical_rules())
    assert len(module) == 53
    module = bench_rewrite.chain(100, context, bench_rewrite.adding)
    bench_rewrite.seconds(module, bench_rewrite.canonical_rules())
    assert len(module) == 4


def test_smoke_figures() -> None:
    data = bench_rewrite.figures(smoke=True)
    for name in ("rewrite_per_s", "canonicalize_per_s", "growth_exponent", "rules_scaling", "python_do_us"):
        assert data[name] > 0, name
