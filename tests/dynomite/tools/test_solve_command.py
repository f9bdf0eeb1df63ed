"""`dynomite solve`: what it prints, and its exit status."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dynomite.tools.cli import main
from tests.support.command import run_command
from tests.support.shared_data import REPOSITORY

HARD = (
    "(declare-const a (_ BitVec 64))(declare-const b (_ BitVec 64))"
    "(assert (= (bvmul a b) #x7fffffffffffffe7))(assert (bvugt a #x0000000000000001))"
    "(assert (bvugt b #x0000000000000001))(assert (not (bvumulo a b)))\n(check-sat)\n"
)

PROGRAM = "import sys; from dynomite.tools.cli import main; sys.exit(main())"


@pytest.mark.parametrize(
    ("name", "text", "status", "out"),
    [
        ("a.smt2", "(declare-const p Bool)(assert p)(check-sat)(get-value (p))", 0, "sat\n((p true))\n"),
        ("a.smt2", "(assert false)(check-sat)", 1, "unsat\n"),
        ("a.smt2", '(echo "x")', 0, '"x"\n'),
        ("a.cnf", "p cnf 2 2\n1 2 0\n-1 0\n", 0, "s SATISFIABLE\nv -1 2 0\n"),
        ("a.cnf", "p cnf 1 2\n1 0\n-1 0\n", 1, "s UNSATISFIABLE\n"),
        ("a.aag", "aag 3 2 0 1 1\n2\n4\n6\n6 2 4\ni0 x\ni1 y\no0 z\n", 0, "sat: z\n  x = 1\n  y = 1\n"),
        (
            "a.aag",
            "aag 2 1 1 1 0\n2\n4 4\n0\n",
            1,
            "unsat\nassumed: latches are cut: they may have any value\n",
        ),
    ],
)
def test_answers(name: str, text: str, status: int, out: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    done = run_command("solve", tmp_path / name, folder=tmp_path)
    assert (done.status, done.out, done.err) == (status, out, "")


def test_json_and_standard_input(tmp_path: Path) -> None:
    done = run_command(
        "solve", "-", "--from", "smt2", "--json", folder=tmp_path,
        stdin=b"(declare-const a (_ BitVec 4))(assert (= a #xb))(check-sat)",
    )  # fmt: skip
    answer = done.json()
    assert (answer["status"], answer["model"], answer["answers"]) == ("sat", {"a": "#xb"}, ["sat"])


def test_errors(tmp_path: Path) -> None:
    path = tmp_path / "a.smt2"
    path.write_text("(check-sat)\n(assert (= #b1 #b11))\n")
    done = run_command("solve", path, folder=tmp_path)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"dynomite: {path}:2:16: error: =: argument 2 has the sort (_ BitVec 2)")
    assert done.err.splitlines()[-1].endswith("^")
    path.write_text("(assert false)(check-sat)\n(get-model)\n")
    done = run_command("solve", path, folder=tmp_path)
    assert done.status == 1
    assert done.out.splitlines()[1].startswith('(error "line 2 column 1')
    assert done.err.startswith(f"dynomite: {path}:2:1: error: get-model")
    assert run_command("solve", tmp_path / "none.cnf", folder=tmp_path).status == 2
    assert run_command("solve", tmp_path / "a.txt", folder=tmp_path).status == 2


def test_timeout(tmp_path: Path) -> None:
    path = tmp_path / "hard.smt2"
    path.write_text(HARD)
    done = run_command("solve", path, "--timeout", "0.5", folder=tmp_path)
    assert (done.status, done.out) == (3, "unknown\n")


def test_interrupt(tmp_path: Path) -> None:
    path = tmp_path / "hard.smt2"
    path.write_text('(echo "begun")' + HARD)
    paths = [str(REPOSITORY), os.environ.get("PYTHONPATH", "")]
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "solve", path],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b'"begun"\n'
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    try:
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out) == (130, b"unknown\n")


def test_a_solver_that_dies_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("dmt_dialect.solve_process._START", "raise SystemExit('no memory left')")
    path = tmp_path / "hard.smt2"
    path.write_text(HARD)
    assert main(["solve", str(path)]) == 3
    out, err = capsys.readouterr()
    assert out == "unknown\n"
    assert err.startswith(f"dynomite: {path}: undecided: cadical: the solver ended with status 1")
    assert err.endswith("no memory left\n")
