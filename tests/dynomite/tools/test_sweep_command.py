"""The verb `sweep`."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dynomite
from dmt_dialect.verdict import Verdict
from dynomite._native.aig import Aig
from dynomite.errors import VerifyError
from dynomite.formats.base import read_circuit, write_circuit
from dynomite.tools.cli import Exit, main
from tests.support.circuit_pairs import copied, gates, multiplier
from tests.support.patience import patience
from tests.support.shared_data import REPOSITORY

Capture = pytest.CaptureFixture[str]

# Two forms of a AND b.
TEXT = "aag 6 2 0 2 4\n2\n4\n6\n12\n6 2 4\n8 2 5\n10 3 4\n12 4 9\ni0 a\ni1 b\no0 y\no1 z\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.aag"
    path.write_text(TEXT)
    return path


def test_sweep(source: Path, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "b.blif"
    assert main(["sweep", str(source), str(target), "--verify"]) == Exit.YES
    assert capsys.readouterr().out.startswith("4 ANDs -> 1, ")
    swept = read_circuit(target)
    assert swept.num_ands == 1
    assert swept.names("outputs") == ["y", "z"]
    assert main(["lec", str(source), str(target)]) == Exit.YES


def test_json(source: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["sweep", str(source), str(tmp_path / "b.aig"), "--json", "--conflicts", "5"]) == Exit.YES
    data = json.loads(capsys.readouterr().out)
    assert (data["ands_before"], data["ands_after"], data["changed"]) == (4, 1, True)


def test_an_unproved_result_is_not_written(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def doubtful(*_: object, **__: object) -> None:
        raise VerifyError(f"the swept circuit was not proved equal\n{Verdict('undecided', ())}")

    monkeypatch.setattr(dynomite, "sweep", doubtful, raising=False)
    target = tmp_path / "b.aig"
    assert main(["sweep", str(source), str(target), "--verify"]) == Exit.UNDECIDED
    assert not target.exists()
    assert "not proved equal" in capsys.readouterr().err


def test_ctrl_c_writes_nothing(tmp_path: Path) -> None:
    source, target = tmp_path / "two.aig", tmp_path / "b.aig"
    aig = Aig()
    inputs = aig.add_inputs(48)
    for columns_first in (True, False):
        lits = [aig.false, *inputs]
        for a, b in gates(multiplier(24, columns_first=columns_first)):
            lits.append(copied(lits, a) & copied(lits, b))
        aig.add_output(lits[-1])
    write_circuit(aig, source)
    process = subprocess.Popen(
        [sys.executable, "-m", "dynomite", "sweep", source, target, "--conflicts", "100000000"],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(2)
    assert process.poll() is None
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - sent < patience(1.0)
    assert (process.returncode, out, err) == (Exit.INTERRUPTED, b"", b"dynomite: interrupted\n")
    assert not target.exists()
