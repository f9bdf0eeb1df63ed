"""Algebraic certificates: written, checked, and never believed when they are wrong."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dmt_dialect import algebra_checker
from dmt_dialect.bitblast import Architecture, blast, word_inputs, word_outputs
from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.proof import check_proof
from dmt_dialect.synthesis import optimize
from dynomite._native.aig import Aig
from dynomite._native.base import Stop
from dynomite.errors import UsageError
from dynomite.formats.base import write_circuit
from dynomite.tools.cli import Exit, main
from tests.support.certificates import words_are_equal
from tests.support.circuit_pairs import mutated

PAIRS = (
    ("multiplier=array", "multiplier=dadda"),
    ("multiplier=array", "multiplier=booth"),
    ("multiplier=wallace,adder=kogge-stone", "multiplier=booth,adder=brent-kung"),
)


def product(width: int, architecture: str, op: str = "UMULW") -> Aig:
    aig = Aig()
    a, b = word_inputs(aig, "a", width), word_inputs(aig, "b", width)
    word_outputs(aig, "y", blast(aig, op, a, b, architecture=Architecture.parse(architecture)))
    return aig


def certificate(left: Aig, right: Aig, path: Path) -> list[Path]:
    """Writes one; its files."""
    verdict = lec(left, right, engine="algebra", proof=path)
    assert verdict.equivalent
    assert verdict.proof[0] == str(path)
    files = [Path(name) for name in verdict.proof]
    assert all(file.exists() for file in files)
    return files


@pytest.mark.parametrize("op", ["UMULW", "SMULW"])
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("width", [2, 3, 4, 6, 16])
def test_certificates_hold(width: int, pair: tuple[str, str], op: str, tmp_path: Path) -> None:
    left, right = (product(width, architecture, op) for architecture in pair)
    files = certificate(left, right, tmp_path / "p")
    assert sorted(tmp_path.iterdir()) == sorted(files)
    check = check_proof(files[0])
    assert check.verified, check.reason
    assert check.steps > width * width


def test_certificate_of_an_optimised_circuit(tmp_path: Path) -> None:
    """A word that is only proved equal to the one rewritten."""
    wallace = product(10, "multiplier=wallace,adder=kogge-stone")
    files = certificate(product(10, "multiplier=array"), optimize(wallace, "resyn2").aig, tmp_path / "p")
    assert check_proof(files[0]).verified


def test_no_certificate_of_what_differs(tmp_path: Path, rng: random.Random) -> None:
    left = product(5, PAIRS[2][0])
    wrong = left
    while lec(left, wrong, engine="sweep").equivalent:
        wrong = mutated(left, rng)
    verdict = lec(left, wrong, engine="algebra", proof=tmp_path / "p", match="order")
    assert not verdict.equivalent
    assert verdict.proof == ()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("pair", PAIRS)
def test_changed_certificates_are_rejected_or_true(
    pair: tuple[str, str], tmp_path: Path, rng: random.Random
) -> None:
    """A number changed, a line left out or doubled: what is verified still holds for the circuit it shows."""
    files = certificate(product(3, pair[0]), product(3, pair[1]), tmp_path / "p")
    lines = files[0].read_text().splitlines()
    assert words_are_equal(lines)
    rejected = 0
    for _ in range(400):
        changed = list(lines)
        at = rng.randrange(1, len(lines))
        what = rng.randrange(4)
        if what == 0:
            del changed[at]
        elif what == 1:
            changed.insert(rng.randrange(1, len(lines)), lines[at])
        else:
            words = changed[at].split()
            if len(words) > 1:
                place = rng.randrange(1, len(words))
                words[place] = str(
                    max(0, int(words[place]) + rng.choice([-2, -1, 1, 2, rng.randrange(-60, 60)]))
                )
            changed[at] = " ".join(words)
        files[0].write_text("\n".join(changed) + "\n")
        result = check_proof(files[0])
        rejected += not result.verified
        if result.verified:
            assert words_are_equal(changed), changed[at]
        else:
            assert result.reason
    assert rejected > 200


def test_equalities_are_proved(tmp_path: Path) -> None:
    """Without its refutation, or with that of something else, an equality counts for nothing."""
    files = certificate(product(6, PAIRS[2][0]), product(6, PAIRS[2][1]), tmp_path / "p")
    assert len(files) > 1
    for refutation in files[1:]:
        text = refutation.read_text()
        refutation.write_text("0\n")
        assert check_proof(files[0]).result == "rejected"
        refutation.unlink()
        assert f"{refutation.name} is not there" in check_proof(files[0]).reason
        refutation.write_text(text)
    assert check_proof(files[0]).verified
    with pytest.raises(UsageError, match="no clauses of its own"):
        check_proof(files[0], tmp_path / "other.cnf")
    stop = Stop()
    stop.cancel()
    assert check_proof(files[0], stop=stop).result == "stopped"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("dynomite-algebra 2\n", "line 1: the first line"),
        ("dynomite-algebra 1\n", "the steps of both sides"),
        ("dynomite-algebra 1\ninputs 1\nw 2 3\ns 2\ns 3\n", "the polynomials of the two words differ"),
        ("dynomite-algebra 1\ninputs 1\nw 2 2\ns 3\ns 3\n", "left4 is not there"),
        ("dynomite-algebra 1\ninputs 1\nw 2 9\n", "literal 9 is not there"),
        ("dynomite-algebra 1\ninputs x\n", "line 2: not a line"),
        ("dynomite-algebra 1\ninputs 2\ng 2 4\nw 6 6\ns 6\nx 6 2 4\n", "literal 6 is not 2 XOR 4"),
        ("dynomite-algebra 1\ninputs 2\ng 2 4\nw 6 6\ns 6\nc 6 2 2 4 0\n", "does not add its own outputs"),
        ("dynomite-algebra 1\ninputs 2\ng 2 4\nw 6 6\ns 6\na 2\n", "literal 2 is no gate"),
    ],
)
def test_bad_certificates(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_text(text)
    check = check_proof(path)
    assert check.result == "rejected"
    assert reason in check.reason


def test_polynomials_that_grow_without_end_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chain of ANDs of complements has 2^n terms."""
    count, terms = 14, 1 << 12
    monkeypatch.setattr(algebra_checker, "MOST_TERMS", terms)
    gates = [(3, 5), *((2 * (count + k), 2 * k + 5) for k in range(1, count - 1))]
    out = 2 * (count + len(gates))
    steps = "".join(f"a {out - 2 * k}\n" for k in range(len(gates)))
    path = tmp_path / "p"
    path.write_text(
        f"dynomite-algebra 1\ninputs {count}\n"
        + "".join(f"g {a} {b}\n" for a, b in gates)
        + f"w {out} {out}\ns {out}\n{steps}s {out}\n{steps}"
    )
    assert "more than 4096 terms" in check_proof(path).reason
    monkeypatch.setattr(algebra_checker, "MOST_TERMS", 1 << count)
    assert check_proof(path).verified


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(tmp_path / name) for name in ("a.aig", "b.aig", "p")]
    for path, architecture in zip(paths, PAIRS[1], strict=False):
        write_circuit(product(8, architecture), path)
    assert main(["lec", *paths[:2], "--engine", "algebra", "--proof", paths[2]]) == Exit.YES
    assert main(["check-proof", paths[2]]) == Exit.YES
    assert "verified" in capsys.readouterr().out
