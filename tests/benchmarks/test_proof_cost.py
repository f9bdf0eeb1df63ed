"""The figure of what proofs cost: every pair is proved both ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import proof_cost
from benchmarks.harness import shared_circuits
from tests.support.shared_data import REPOSITORY


@pytest.mark.skipif(shared_circuits() is None, reason="the shared circuits are absent")
def test_figures() -> None:
    found = proof_cost.figures(smoke=True)
    assert [row["name"] for row in found["proof_rows"]] == list(proof_cost.SMOKE_CIRCUITS)
    assert found["proof_cost"] > 0
    assert all(row["ratio"] == row["proof_s"] / row["plain_s"] for row in found["proof_rows"])


def test_an_unproved_pair_is_no_figure(tmp_path: Path) -> None:
    ripple, select = (REPOSITORY / "examples" / name for name in ("adder_ripple.aag", "adder_select.aig"))
    assert proof_cost.seconds(ripple, select, str(tmp_path / "p")) > 0
    wrong = tmp_path / "wrong.aag"
    lines = ripple.read_text().splitlines()
    first_output = 1 + int(lines[0].split()[2])  # after the header and the inputs; there are no latches
    lines[first_output] = str(int(lines[first_output]) ^ 1)
    wrong.write_text("\n".join(lines) + "\n")
    with pytest.raises(RuntimeError, match="different"):
        proof_cost.seconds(ripple, wrong, None)
