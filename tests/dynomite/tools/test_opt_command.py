"""The verb `opt`."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dmt_dialect.synthesis import PassResult, SynthPass, known_passes, passes, proving
from dmt_dialect.synthesis.passes import register_pass
from dmt_dialect.verdict import Verdict
from dynomite._native.aig import Aig
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


@pytest.mark.parametrize("suffix", ["aig", "aag", "blif", "bench", "aig.gz"])
def test_opt(suffix: str, source: Path, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / f"b.{suffix}"
    assert main(["opt", str(source), str(target), "--verify", "--pipeline", "strash; sweep"]) == Exit.YES
    assert capsys.readouterr().out.startswith("4 ANDs -> 1, 2 levels -> 1, ")
    result = read_circuit(target)
    assert result.num_ands == 1
    assert result.names("outputs") == ["y", "z"]
    assert main(["lec", str(source), str(target)]) == Exit.YES


def test_recipe_json_and_steps(source: Path, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "b.aig"
    assert main(["opt", str(source), str(target), "--recipe", "clean-up", "--json", "-v"]) == Exit.YES
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert (data["ands_before"], data["ands_after"], data["verified"]) == (4, 1, False)
    assert [step["step"] for step in data["steps"]] == ["strash", "sweep"]
    assert err.splitlines()[0].startswith("clean-up / strash: 1 ANDs (-3), 1 levels, ")


def test_list(capsys: Capture) -> None:
    assert main(["opt", "--list"]) == Exit.YES
    out = capsys.readouterr().out
    assert "Passes:\n  strash " in out
    assert "\nRecipes:\n" in out
    assert "  until-converge(N){...}\n" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--pipeline", "strash;\n strsh"],
            "--pipeline:2:2: error: unknown pass or recipe 'strsh'",
        ),
        (["--recipe", "strash"], "unknown recipe 'strash' (there are: "),
        (["--recipe", "clean-up", "--pipeline", "strash"], "exclude each other"),
        (["--timeout", "-1"], "--timeout"),
        (["--threads", "0"], "--threads"),
    ],
)
def test_usage(arguments: list[str], message: str, source: Path, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "b.aig"
    assert main(["opt", str(source), str(target), *arguments]) == Exit.BAD_INPUT
    assert message in capsys.readouterr().err
    assert not target.exists()


@pytest.mark.parametrize("target", ["b.xyz", "b.json", "-"])
def test_the_target_is_looked_at_first(target: str, source: Path, tmp_path: Path, capsys: Capture) -> None:
    where = target if target == "-" else str(tmp_path / target)
    assert main(["opt", str(source), where, "--pipeline", "strash"]) == Exit.BAD_INPUT
    assert "error: " in capsys.readouterr().err


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass that is wrong."""
    monkeypatch.setattr(passes, "_passes", dict(known_passes()))

    def complement(aig: Aig, *_: object) -> PassResult:
        changed = aig.copy()
        changed.set_output(1, ~changed.outputs[1])
        return PassResult(changed)

    register_pass(SynthPass("wrong", complement, "Wrong."))


@pytest.mark.usefixtures("wrong")
def test_a_wrong_result_is_not_written(source: Path, tmp_path: Path, capsys: Capture) -> None:
    target, report = tmp_path / "b.aig", tmp_path / "r.html"
    target.write_text("old")
    arguments = ["opt", str(source), str(target), "--pipeline", "wrong", "--report", str(report)]
    assert main([*arguments, "--verify"]) == Exit.DIFFERENT
    out, err = capsys.readouterr()
    assert out == ""
    assert "a bug: please report it; nothing is written\ndifferent: 1 of 2 outputs differ" in err
    assert target.read_text() == "old"
    assert not report.exists()


def test_an_unproved_result_is_not_written(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def doubtful(*_: object, **__: object) -> Verdict:
        return Verdict("undecided", (), reason="timeout")

    monkeypatch.setattr(proving, "lec", doubtful)
    target = tmp_path / "b.aig"
    arguments = ["opt", str(source), str(target), "--pipeline", "strash"]
    assert main([*arguments, "--verify"]) == Exit.UNDECIDED
    assert not target.exists()
    assert "was not proved equal; nothing is written\nundecided" in capsys.readouterr().err
    assert main(arguments) == Exit.YES
    assert target.exists()


def twins(width: int) -> Aig:
    """Two forms of a multiplier, whose last outputs are hard to prove equal."""
    aig = Aig()
    inputs = aig.add_inputs(2 * width)
    for columns_first in (True, False):
        lits = [aig.false, *inputs]
        for a, b in gates(multiplier(width, columns_first=columns_first)):
            lits.append(copied(lits, a) & copied(lits, b))
        aig.add_output(lits[-1])
    return aig


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """Starts `dynomite opt` on the twins."""
    source = tmp_path / "two.aig"
    write_circuit(twins(24), source)

    def begin(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dynomite", "opt", str(source), str(tmp_path / "b.aig"), *arguments]
        return subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    return begin


SLOW = "strash; sweep(conflicts=100000000)"


def test_ctrl_c_writes_what_there_is(start: Callable[..., subprocess.Popen[bytes]], tmp_path: Path) -> None:
    process = start("--pipeline", SLOW)
    time.sleep(2)
    assert process.poll() is None
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - sent < patience(1.0)
    assert process.returncode == Exit.INTERRUPTED
    assert err == b"dynomite: note: cancelled: the smallest circuit so far is taken\n"
    assert b" ANDs -> " in out
    assert read_circuit(tmp_path / "b.aig").num_ands <= twins(24).num_ands


def test_timeout_and_proof(start: Callable[..., subprocess.Popen[bytes]], tmp_path: Path) -> None:
    process = start("--pipeline", SLOW, "--timeout", "0.5", "--verify")
    out, err = process.communicate(timeout=60)
    # The proof of a partly swept circuit is by structure as far as it was not changed.
    assert process.returncode in (Exit.YES, Exit.UNDECIDED), err
    assert (tmp_path / "b.aig").exists() is (process.returncode == Exit.YES)
    assert b"timeout: the smallest circuit so far is taken" in err
    assert bool(out) is (process.returncode == Exit.YES)


def test_look_up_tables(source: Path, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "b.blif"
    arguments = ["opt", str(source), str(target), "--pipeline", "strash; lutmap(k=4)", "--verify"]
    assert main(arguments) == Exit.YES
    assert ", 1 LUTs of 1 levels, " in capsys.readouterr().out
    assert target.read_text().count(".names") == 2  # the other output is a buffer
    assert main(["lec", str(source), str(target)]) == Exit.YES


def test_look_up_tables_need_blif(source: Path, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "b.aig"
    assert main(["opt", str(source), str(target), "--pipeline", "strash; lutmap"]) == Exit.BAD_INPUT
    assert "which binary AIGER cannot hold" in capsys.readouterr().err
    assert not target.exists()


def test_no_tables_in_time(source: Path, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "b.blif"
    arguments = ["opt", str(source), str(target), "--pipeline", "sweep; lutmap", "--timeout", "0"]
    assert main(arguments) == Exit.UNDECIDED
    assert "no look-up tables yet; nothing is written" in capsys.readouterr().err
    assert not target.exists()
