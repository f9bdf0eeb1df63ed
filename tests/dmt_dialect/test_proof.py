"""Proofs written by `lec` hold, damaged ones do not, and unequal circuits leave none behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.proof import check_proof
from dynomite._native.aig import Aig, Lit
from dynomite.errors import ParseError, UsageError


def adder(width: int, *, swapped: bool = False, faulty: bool = False) -> Aig:
    """A ripple adder; `swapped` builds every gate in another shape, `faulty` loses the last carry."""
    aig = Aig()
    a = [aig.add_input(f"a[{i}]") for i in range(width)]
    b = [aig.add_input(f"b[{i}]") for i in range(width)]
    carry: Lit = aig.false
    for i in range(width):
        if swapped:
            total = (a[i] & ~b[i]) | (~a[i] & b[i])
            following = (a[i] & b[i]) | (carry & (a[i] | b[i]))
        else:
            total = a[i] ^ b[i]
            following = aig.mux(total, carry, a[i])
        aig.add_output(total ^ carry, f"s[{i}]")
        carry = following
    aig.add_output(aig.false if faulty else carry, "carry")
    return aig


@pytest.mark.parametrize("width", [1, 3, 8, 24])
def test_a_proof_of_equivalence_is_verified(tmp_path: Path, width: int) -> None:
    proof = tmp_path / "equal.drat"
    verdict = lec(adder(width), adder(width, swapped=True), proof=proof)
    assert verdict.status == "equivalent"
    assert verdict.proof == (str(proof), f"{proof}.cnf")
    check = check_proof(proof)
    assert check.verified, check.reason
    assert check.steps > 0


def test_equal_structure_is_proved_too(tmp_path: Path) -> None:
    proof = tmp_path / "same.drat"
    assert lec(adder(4), adder(4), proof=proof, engine="sweep").proof
    assert check_proof(proof).verified


def test_unequal_circuits_leave_no_files(tmp_path: Path) -> None:
    proof = tmp_path / "none.drat"
    verdict = lec(adder(8), adder(8, swapped=True, faulty=True), proof=proof)
    assert verdict.status == "different"
    assert verdict.proof == ()
    assert list(tmp_path.iterdir()) == []


def test_a_proof_does_not_fit_another_formula(tmp_path: Path) -> None:
    lec(adder(8), adder(8, swapped=True), proof=tmp_path / "good.drat")
    # The clauses of a pair that differs: the faulty side in the same file layout.
    cnf = (tmp_path / "good.drat.cnf").read_text("utf-8").splitlines()
    gates = [k for k, line in enumerate(cnf) if line.count(" ") == 3 and not line.startswith(("p", "c"))]
    rejected = 0
    for k in gates[:: max(1, len(gates) // 20)]:
        damaged = [*cnf[:k], "1 -1 0", *cnf[k + 1 :]]
        (tmp_path / "damaged.cnf").write_text("\n".join(damaged) + "\n", "utf-8")
        rejected += not check_proof(tmp_path / "good.drat", tmp_path / "damaged.cnf").verified
    assert rejected > 0


def test_a_proof_without_its_end_is_rejected(tmp_path: Path) -> None:
    proof = tmp_path / "equal.drat"
    lec(adder(4), adder(4, swapped=True), proof=proof)
    steps = proof.read_text("utf-8").splitlines()
    proof.write_text("\n".join(steps[:-1]) + "\n", "utf-8")
    check = check_proof(proof)
    assert check.result == "rejected"
    assert "empty clause" in check.reason


@pytest.mark.parametrize("engine", ["sat", "bdd", "smt"])
def test_engines_without_proofs_say_so(tmp_path: Path, engine: str) -> None:
    with pytest.raises(UsageError, match="writes no proofs"):
        lec(adder(2), adder(2), proof=tmp_path / "x", engine=engine)  # pyright: ignore[reportArgumentType]


def test_bad_files_are_located(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        check_proof(tmp_path / "missing.drat")
    (tmp_path / "bad.cnf").write_text("p cnf 1 1\n1 x 0\n", "utf-8")
    (tmp_path / "bad.drat").write_text("0\n", "utf-8")
    with pytest.raises(ParseError) as caught:
        check_proof(tmp_path / "bad.drat", tmp_path / "bad.cnf")
    assert caught.value.line == 2


def test_a_proof_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        lec(adder(2), adder(2, swapped=True), proof=tmp_path / "no" / "folder.drat")
