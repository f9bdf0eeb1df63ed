"""Algebraic certificates: written, checked, and never believed when they are wrong."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from dmt_dialect import algebra_checker
from dmt_dialect.algebra_proof import Words
from dmt_dialect.bitblast import Architecture, blast, word_inputs, word_outputs
from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.proof import check_proof
from dmt_dialect.synthesis import optimize
from dynomite._native.aig import Aig, Lit
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


def two_products_and_logic(architecture: str, *, swapped: bool) -> Aig:
    """Two words of products, and an output that is no sum; `swapped` makes that one of other gates."""
    aig = Aig()
    a, b, c = (word_inputs(aig, name, 5) for name in "abc")
    chosen = Architecture.parse(architecture)
    word_outputs(aig, "p", blast(aig, "UMULW", a, b, architecture=chosen))
    word_outputs(aig, "q", blast(aig, "UMULW", b, c, architecture=chosen))
    less: Lit = aig.false
    for x, y in zip(a, c, strict=True):
        less = aig.mux(x ^ y, y, less) if swapped else (~x & y) | ((~x | y) & less)
    aig.add_output(less, "less")
    return aig


@pytest.mark.parametrize("engine", ["auto", "algebra"])
def test_words_and_other_outputs_have_one_certificate(
    engine: Literal["auto", "algebra"], tmp_path: Path, rng: random.Random
) -> None:
    """What sweeping proves beside algebra is in the certificate, with a refutation."""
    sides = [two_products_and_logic(PAIRS[1][k], swapped=bool(k)) for k in range(2)]
    verdict = lec(*sides, engine=engine, proof=tmp_path / "p")
    assert verdict.equivalent
    assert "algebra" in {output.engine for output in verdict.outputs}
    assert sorted(tmp_path.iterdir()) == sorted(Path(name) for name in verdict.proof)
    lines = (tmp_path / "p").read_text().splitlines()
    shown = sum(line[0] in "we" for line in lines)
    assert shown == sides[0].num_outputs
    assert lines[0] == "dynomite-algebra 1"
    check = check_proof(tmp_path / "p")
    assert check.verified, check.reason
    for kind in "we":
        for at in [at for at, line in enumerate(lines) if line[0] == kind]:
            changed = list(lines)
            words = changed[at].split()
            place = rng.randrange(1, len(words))
            words[place] = str(int(words[place]) ^ 1)
            changed[at] = " ".join(words)
            (tmp_path / "p").write_text("\n".join(changed) + "\n")
            assert check_proof(tmp_path / "p").result == "rejected"


def test_pairs_proved_by_sweeping_alone_need_their_refutation(tmp_path: Path) -> None:
    """A certificate may claim pairs outside words; each claim is checked."""
    aig = Aig()
    a, b = aig.add_inputs(2)
    pair = [(a ^ b).raw, ((a | b) & ~(a & b)).raw]
    rows = np.array([pair, [a.raw, a.raw]], dtype=np.uint32)
    words = Words()
    assert words.write(str(tmp_path / "p"), aig, rows, {0}, Stop()) == ()
    assert not list(tmp_path.iterdir())
    files = words.write(str(tmp_path / "p"), aig, rows, {0, 1}, Stop())
    assert [Path(name).name for name in files] == ["p", "p.rest0"]
    assert check_proof(files[0]).verified
    text = Path(files[0]).read_text()
    Path(files[0]).write_text(text.replace(f"e {pair[0]} {pair[1]}", f"e {pair[0]} {a.raw}"))
    assert check_proof(files[0]).result == "rejected"
    Path(files[0]).write_text(text)
    Path(files[1]).unlink()
    assert "rest0 is not there" in check_proof(files[0]).reason
    with pytest.raises(UsageError, match="cannot write"):
        words.write(str(tmp_path / "no" / "p"), aig, rows, {0, 1}, Stop())


@pytest.mark.parametrize("pair", PAIRS)
def test_auto_writes_a_certificate_where_algebra_decides(pair: tuple[str, str], tmp_path: Path) -> None:
    left, right = (product(12, architecture) for architecture in pair)
    verdict = lec(left, right, proof=tmp_path / "p")
    assert verdict.equivalent
    assert (tmp_path / "p").read_text().startswith("dynomite-algebra")
    assert check_proof(tmp_path / "p").verified
    assert not (tmp_path / "p.cnf").exists()


def test_cells_may_read_more_than_their_operands(tmp_path: Path, rng: random.Random) -> None:
    """Gates that read something else for nothing: what it is made of does not matter to the cell."""
    left = product(8, PAIRS[0][0])
    for _ in range(3):
        right = with_absorbed_literals(product(8, PAIRS[1][1]), rng)
        verdict = lec(left, right, engine="algebra", proof=tmp_path / "p")
        if verdict.equivalent:
            check = check_proof(tmp_path / "p")
            assert check.verified, check.reason


def with_absorbed_literals(aig: Aig, rng: random.Random) -> Aig:
    """Some gates a & b become a & (b & (a | r)), r any literal before."""
    rows: list[list[int]] = np.array(aig.fanins).tolist()
    own = 1 + aig.num_inputs
    moved = list(range(own))
    made = rows[:own]

    def lead(lit: int) -> int:
        return 2 * moved[lit >> 1] + (lit & 1)

    for first, second in rows[own:]:
        a, b = lead(first), lead(second)
        if rng.random() < 0.05:
            made.append([a ^ 1, rng.randrange(2, 2 * len(made))])
            made.append([b, 2 * len(made) - 1])
            b = 2 * len(made) - 2
        made.append([a, b])
        moved.append(len(made) - 1)
    result = Aig.from_fanins(np.array(made, dtype=np.uint32))
    for k, name in enumerate(aig.names("inputs")):
        result.set_name("inputs", k, name)
    for lit, name in zip(aig.literals("outputs").tolist(), aig.names("outputs"), strict=True):
        result.add_output(result.lit(lead(lit)), name)
    return result


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
