"""Proof files damaged at random: never accepted unless they still hold, never worse than an error message."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dmt_dialect.bitblast import Architecture, blast, word_inputs, word_outputs
from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.proof import check_proof
from dynomite._native.aig import Aig
from dynomite.errors import ParseError
from dynomite.tools.cli import Exit, main
from tests.support.certificates import words_are_equal
from tests.support.circuit_pairs import mutated, restructured
from tests.support.generators import random_aig

Damage = Callable[[bytes, random.Random], bytes]


def bytes_changed(text: bytes, rng: random.Random) -> bytes:
    data = bytearray(text)
    for _ in range(rng.randrange(1, 4)):
        data[rng.randrange(len(data))] = (
            rng.choice(b"0123456789 -\ndcp\x00\xff") if rng.random() < 0.9 else 255
        )
    return bytes(data)


def bits_changed(text: bytes, rng: random.Random) -> bytes:
    data = bytearray(text)
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def numbers_changed(text: bytes, rng: random.Random) -> bytes:
    words = text.split(b" ")
    word = rng.choice(
        [b"1", b"-1", b"0", b"7", b"-12", b"1073741823", b"-1073741824", b"9" * 30, b"--1", b""]
    )
    words[rng.randrange(len(words))] = word
    return b" ".join(words)


def truncated(text: bytes, rng: random.Random) -> bytes:
    return text[: rng.randrange(len(text))]


def lines_left_out(text: bytes, rng: random.Random) -> bytes:
    lines = text.splitlines(keepends=True)
    first = rng.randrange(len(lines))
    del lines[first : first + rng.randrange(1, 4)]
    return b"".join(lines)


def lines_exchanged(text: bytes, rng: random.Random) -> bytes:
    lines = text.splitlines(keepends=True)
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"".join(lines)


def lines_added(text: bytes, rng: random.Random) -> bytes:
    lines = text.splitlines(keepends=True)
    extra = rng.choice(
        [b"0\n", b"d 1 0\n", b"1 0\n", b"-1 0\n", b"1 2 3\n", b"\n", b"c\n", b"d\n", rng.choice(lines)]
    )
    lines.insert(rng.randrange(len(lines) + 1), extra)
    return b"".join(lines)


def signs_changed(text: bytes, rng: random.Random) -> bytes:
    lines = text.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    words = lines[at].split(b" ")
    place = rng.randrange(len(words))
    words[place] = words[place].removeprefix(b"-") if words[place].startswith(b"-") else b"-" + words[place]
    lines[at] = b" ".join(words)
    return b"".join(lines)


DAMAGES: Sequence[Damage] = (
    bytes_changed,
    bits_changed,
    numbers_changed,
    truncated,
    lines_left_out,
    lines_exchanged,
    lines_added,
    signs_changed,
)


def answer(proof: Path) -> str:
    """What the check says; "malformed" for an error with a place."""
    try:
        check = check_proof(proof)
    except ParseError as error:
        return "malformed" if error.line > 0 else "no place"
    return check.result if check.verified or check.reason else "no reason"


def is_unsatisfiable(cnf: bytes) -> bool:
    """Whether the clauses of a DIMACS file contradict each other, by a solver of another family."""
    minisat: Any = importlib.import_module("pysat.solvers").Minisat22
    clauses: list[list[int]] = [[]]
    variables: dict[int, int] = {}  # by their order: large numbers would be large tables
    for line in cnf.splitlines():
        if line[:1] in (b"c", b"p"):
            continue
        for word in line.split():
            if int(word) == 0:
                clauses.append([])
            else:
                variable = variables.setdefault(abs(int(word)), len(variables) + 1)
                clauses[-1].append(variable if int(word) > 0 else -variable)
    with minisat(bootstrap_with=clauses[:-1]) as solver:
        return not solver.solve()


def proved_pair(tmp_path: Path, rng: random.Random) -> Path:
    proof = tmp_path / "p"
    aig = random_aig(rng, rng.randrange(4, 8), rng.randrange(15, 60), rng.randrange(1, 4))
    assert lec(aig, restructured(aig, rng), proof=proof, engine="sweep").equivalent
    return proof


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda each: each.__name__)
def test_damaged_refutations(damage: Damage, tmp_path: Path, rng: random.Random) -> None:
    """Whatever is accepted of a damaged proof and damaged clauses, the clauses contradict each other."""
    wrong = 0
    for _ in range(8):
        proof = proved_pair(tmp_path, rng)
        cnf = tmp_path / "p.cnf"
        texts = {path: path.read_bytes() for path in (proof, cnf)}
        for _ in range(30):
            chosen = rng.choice([proof, proof, cnf])
            chosen.write_bytes(damage(texts[chosen], rng))
            found = answer(proof)
            assert found in ("verified", "rejected", "malformed")
            if found == "verified":
                assert is_unsatisfiable(cnf.read_bytes())
            wrong += found != "verified"
            chosen.write_bytes(texts[chosen])
        assert answer(proof) == "verified"
    assert wrong > 10


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda each: each.__name__)
def test_a_proof_for_clauses_that_can_be_satisfied(
    damage: Damage, tmp_path: Path, rng: random.Random
) -> None:
    """The clauses of different circuits with the proof of equal ones, damaged or not, are never accepted."""
    for _ in range(8):
        proof = proved_pair(tmp_path, rng)
        cnf, lines = tmp_path / "p.cnf", (tmp_path / "p.cnf").read_bytes().splitlines(keepends=True)
        gates = [at for at, line in enumerate(lines) if line[:1] not in (b"c", b"p")]
        clauses = b""
        while not clauses or is_unsatisfiable(clauses):
            at = rng.choice(gates)
            clauses = b"".join([*lines[:at], b"1 -1 0\n", *lines[at + 1 :]])
        cnf.write_bytes(clauses)
        text = proof.read_bytes()
        for _ in range(15):
            assert answer(proof) != "verified"
            proof.write_bytes(damage(text, rng))


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda each: each.__name__)
def test_damaged_certificates(damage: Damage, tmp_path: Path, rng: random.Random) -> None:
    """Whatever is accepted of a damaged certificate and its refutations, its two words are equal."""
    sides: list[Aig] = []
    for architecture in ("multiplier=array", "multiplier=booth,adder=kogge-stone"):
        aig = Aig()
        a, b = word_inputs(aig, "a", 4), word_inputs(aig, "b", 4)
        word_outputs(aig, "y", blast(aig, "UMULW", a, b, architecture=Architecture.parse(architecture)))
        sides.append(aig)
    verdict = lec(*sides, engine="algebra", proof=tmp_path / "p")
    files = [Path(path) for path in verdict.proof]
    texts = {path: path.read_bytes() for path in files}
    assert answer(files[0]) == "verified"
    wrong = 0
    for _ in range(120):
        chosen = rng.choice([files[0], files[0], rng.choice(files)])
        chosen.write_bytes(damage(texts[chosen], rng))
        if files[0].read_bytes().startswith(b"dynomite-algebra"):
            found = answer(files[0])
            assert found in ("verified", "rejected", "malformed")
            if found == "verified":
                assert words_are_equal(files[0].read_text("ascii").splitlines())
            wrong += found != "verified"
        chosen.write_bytes(texts[chosen])
    assert wrong > 10


def test_the_command_never_shows_a_trace(
    tmp_path: Path, rng: random.Random, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(20):
        proof = proved_pair(tmp_path, rng)
        for path in (proof, tmp_path / "p.cnf"):
            text = path.read_bytes()
            for damage in DAMAGES:
                path.write_bytes(damage(text, rng))
                status = main(["check-proof", str(proof)])
                assert status in (Exit.YES, Exit.DIFFERENT, Exit.BAD_INPUT)
                out, err = capsys.readouterr()
                assert "Traceback" not in out + err
                assert ("verified" in out) == (status == Exit.YES)
            path.write_bytes(text)


def test_a_proof_of_other_circuits(tmp_path: Path, rng: random.Random) -> None:
    """The files of one run exchanged with those of another: equal circuits and their clauses only."""
    aig = random_aig(rng, 6, 40, 3)
    lec(aig, restructured(aig, rng), proof=tmp_path / "a", engine="sweep")
    other = mutated(aig, rng)
    lec(other, restructured(other, rng), proof=tmp_path / "b", engine="sweep")
    (tmp_path / "a").write_bytes((tmp_path / "b").read_bytes())
    if answer(tmp_path / "a") == "verified":
        assert is_unsatisfiable((tmp_path / "a.cnf").read_bytes())
