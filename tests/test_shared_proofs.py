"""Every pair of pairs.csv that is decided quickly and is equivalent: its proof is written, and checked.

Small refutations are followed by checkers of other people, too.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dynomite
from dmt_dialect.proof import check_proof
from dynomite.tools.cli import Exit, main
from tests.support.external_checkers import follows_by_dratify, follows_by_minisat, has_dratify
from tests.support.shared_data import Pair, read_pairs

SLOW = re.compile(r"log2|(div|sin|square|max)_best|_64\.")
"""More than a second without a proof, or many seconds to check it."""
PAIRS = [pair for pair in read_pairs("pairs.csv") if pair.expected == "equivalent"]
QUICK = [pair for pair in PAIRS if not SLOW.search(pair.right)]
SLOW_PAIRS = [pair for pair in PAIRS if SLOW.search(pair.right)]
OPEN = re.compile(r"(div|sin|square)_best")
"""Those that the engines which write proofs do not decide in a minute."""
LIMIT_SECONDS = 120.0
MOST_EXTERNAL_BYTES = 150_000
"""Unit propagation in Python, or with its results handed to Python, takes seconds beyond."""


def check_pair(pair: Pair, circuits: Path, proof: Path) -> bool:
    """Writes and checks a proof; false if the pair is not decided."""
    verdict = dynomite.lec(
        circuits / pair.left,
        circuits / pair.right,
        match="order" if pair.by_order else "auto",
        timeout=LIMIT_SECONDS,
        proof=proof,
    )
    if verdict.status == "undecided":
        return False
    assert verdict.equivalent
    assert verdict.proof
    check = check_proof(proof)
    assert check.verified, check.reason
    assert sorted(proof.parent.iterdir()) == sorted(Path(name) for name in verdict.proof)
    return True


@pytest.mark.parametrize("pair", QUICK, ids=lambda pair: pair.name)
def test_proofs_of_quick_pairs(pair: Pair, circuits: Path, tmp_path: Path) -> None:
    assert check_pair(pair, circuits, tmp_path / "p")
    cnf = tmp_path / "p.cnf"
    if cnf.exists() and (tmp_path / "p").stat().st_size <= MOST_EXTERNAL_BYTES:
        texts = cnf.read_text("ascii"), (tmp_path / "p").read_text("ascii")
        assert follows_by_minisat(*texts)
        if has_dratify():
            assert follows_by_dratify(*texts)


@pytest.mark.slow
@pytest.mark.parametrize("pair", SLOW_PAIRS, ids=lambda pair: pair.name)
def test_proofs_of_the_other_pairs(pair: Pair, circuits: Path, tmp_path: Path) -> None:
    assert check_pair(pair, circuits, tmp_path / "p") or OPEN.search(pair.right)


@pytest.mark.parametrize("kind", ["refutation", "certificate"])
def test_the_commands(kind: str, circuits: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Multipliers get a certificate, which nothing else would be small enough for."""
    name = "epfl/router.aig", "epfl_opt/router_resyn2.aig"
    if kind == "certificate":
        name = "multipliers/array_ripple_16.blif", "multipliers/booth_ripple_16.blif"
    proof = tmp_path / "p"
    assert main(["lec", *(str(circuits / each) for each in name), "--proof", str(proof)]) == Exit.YES
    assert proof.read_text("ascii").startswith("dynomite-algebra") == (kind == "certificate")
    assert main(["check-proof", str(proof)]) == Exit.YES
    assert "verified" in capsys.readouterr().out
    proof.write_text("\n".join(proof.read_text("ascii").splitlines()[:-1]) + "\n")
    assert main(["check-proof", str(proof)]) == Exit.DIFFERENT


def test_the_other_checkers_reject() -> None:
    """They would say so, were there something wrong."""
    four = "p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n"
    three = "p cnf 2 3\n1 2 0\n-1 2 0\n1 -2 0\n"
    checkers = [follows_by_minisat, follows_by_dratify] if has_dratify() else [follows_by_minisat]
    for follows in checkers:
        assert follows(four, "2 0\n0\n")
        assert not follows(three, "2 0\n0\n")
        assert not follows(four, "2 0\n")
