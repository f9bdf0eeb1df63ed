"""The verb `lec`, as a user calls it."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from dmt_dialect.verdict import Verdict
from dynomite.formats.base import write_circuit
from dynomite.tools.cli import Exit, main
from tests.support.circuit_pairs import multiplier
from tests.support.command import run_command
from tests.support.patience import patience
from tests.support.shared_data import REPOSITORY

Capture = pytest.CaptureFixture[str]

AND = "aag 3 2 0 1 1\n2\n4\n6\n6 2 4\ni0 a\ni1 b\no0 y\n"
OR = "aag 3 2 0 1 1\n2\n4\n7\n6 3 5\ni0 a\ni1 b\no0 y\n"
AND_BLIF = ".model m\n.inputs b a\n.outputs y\n.names a b y\n0- 0\n-0 0\n.end\n"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    texts = {"and.aag": AND, "or.aag": OR, "and.blif": AND_BLIF, "other.blif": AND_BLIF.replace(" a", " c")}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return {name: str(tmp_path / name) for name in texts}


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("hard")
    paths = str(folder / "a.aig"), str(folder / "b.aig")
    for path, columns_first in zip(paths, (True, False), strict=True):
        write_circuit(multiplier(24, columns_first=columns_first, step=2), path)
    return paths


def test_answers_and_statuses(files: dict[str, str], capsys: Capture) -> None:
    assert main(["lec", files["and.aag"], files["and.blif"]]) == Exit.YES
    assert capsys.readouterr().out.startswith("equivalent: 1 output")
    assert main(["lec", files["and.aag"], files["or.aag"]]) == Exit.DIFFERENT
    streams = capsys.readouterr()
    assert streams.out.startswith("different: 1 of 1 outputs differ")
    assert "counterexample: " in streams.out
    assert streams.err == ""
    assert main(["lec", files["and.aag"], files["other.blif"]]) == Exit.BAD_INPUT
    text = capsys.readouterr().err
    assert "inputs: only left: a; only right: c" in text
    assert "--match order" in text
    assert main(["lec", files["and.aag"], files["other.blif"], "--match", "order"]) == Exit.YES


@pytest.mark.parametrize("engine", ["auto", "sweep", "algebra", "sat", "bdd", "smt"])
def test_json(engine: str, files: dict[str, str], capsys: Capture) -> None:
    for other, status in (("and.blif", Exit.YES), ("or.aag", Exit.DIFFERENT)):
        assert main(["lec", files["and.aag"], files[other], "--json", "--engine", engine]) == status
        data = json.loads(capsys.readouterr().out)
        verdict = Verdict.from_dict(data)
        assert verdict.status == ("equivalent" if status == Exit.YES else "different")
        assert verdict.to_dict() == data
        assert verdict.right == files[other]


def test_proof(files: dict[str, str], tmp_path: Path, capsys: Capture) -> None:
    proof = tmp_path / "p.drat"
    assert main(["lec", files["and.aag"], files["and.blif"], "--proof", str(proof), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["proof"] == [str(proof), f"{proof}.cnf"]
    assert proof.exists()


def test_timeout(hard: tuple[str, str], tmp_path: Path) -> None:
    outcome = run_command("lec", "--timeout", "1", "--json", *hard, folder=tmp_path)
    assert outcome.status == Exit.UNDECIDED
    assert outcome.seconds < patience(2.5)
    verdict = Verdict.from_dict(outcome.json())
    assert verdict.undecided
    assert verdict.reason == "timeout"
    zero = run_command("lec", "--timeout", "0", *hard, folder=tmp_path)
    assert zero.status == Exit.UNDECIDED
    assert zero.out.startswith("undecided (timeout)")


def start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "dynomite", *arguments],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_for_worker(process: psutil.Process) -> list[psutil.Process]:
    for _ in range(300):
        children = process.children(recursive=True)
        if children:
            return children
        time.sleep(0.05)
    pytest.fail("no worker was started")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, Exit.INTERRUPTED), (signal.SIGTERM, Exit.TERMINATED)]
)
def test_interruption(number: signal.Signals, status: Exit, hard: tuple[str, str]) -> None:
    process = start("lec", *hard)
    workers = wait_for_worker(psutil.Process(process.pid))
    time.sleep(0.5)
    sent = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=10)
    assert time.monotonic() - sent < patience(1.0)
    assert process.returncode == status
    assert out.startswith(b"undecided (cancelled)")
    assert err == b""
    assert not [w for w in workers if w.is_running() and w.status() != psutil.STATUS_ZOMBIE]


def test_interruption_of_a_whole_process_group(hard: tuple[str, str]) -> None:
    """A Ctrl-C at a terminal goes to every process of the group."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dynomite", "lec", *hard],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    wait_for_worker(psutil.Process(process.pid))
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert process.returncode == Exit.INTERRUPTED
    assert out.startswith(b"undecided (cancelled)")
    assert err == b""


def test_the_bar_shows_on_a_terminal_only(hard: tuple[str, str]) -> None:
    main_end, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "dynomite", "lec", "--timeout", "2", *hard],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            block = os.read(main_end, 4096)
        except OSError:
            break
        if not block:
            break
        shown += block
    os.close(main_end)
    out, _ = process.communicate(timeout=10)
    assert process.returncode == Exit.UNDECIDED
    assert b"sweep" in shown
    assert b"/24" in shown
    assert b"sweep" not in out.splitlines()[0]
