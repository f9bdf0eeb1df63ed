from __future__ import annotations

from benchmarks import bench_bitblast
from dmt_dialect.bitblast import Architecture


def test_the_product_is_an_array_of_full_adders() -> None:
    aig, seconds = bench_bitblast.product(64, 1, Architecture())
    # An AND for each pair of bits, 7 gates a full adder, 3 a half adder.
    assert aig.num_ands == 64 * 64 + 64 * 62 * 7 + 64 * 3
    assert seconds > 0


def test_smoke_figures() -> None:
    data = bench_bitblast.figures(smoke=True)
    assert set(data) >= {"bitblast_mnodes_s", "bitblast_growth", "detect_mnodes_s", "booth_mnodes_s"}
    assert min(data.values()) > 0
