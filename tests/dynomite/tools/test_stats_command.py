"""The verb `stats`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynomite.tools.cli import Exit, main
from tests.support.command import run_command

Capture = pytest.CaptureFixture[str]

TEXT = "aag 5 2 1 1 2\n2\n4\n6 8\n10\n8 2 4\n10 8 6\ni0 a\n"


def test_figures(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "a.aag"
    path.write_text(TEXT)
    assert main(["stats", str(path)]) == Exit.YES
    rows = dict(line.rsplit(None, 1) for line in capsys.readouterr().out.splitlines())
    expected = {"inputs": "2", "outputs": "1", "latches": "1", "ands": "2", "levels": "2", "input names": "1"}
    assert {key: rows[key] for key in expected} == expected


def test_json(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "a.aag"
    path.write_text(TEXT)
    assert main(["stats", "--json", str(path)]) == Exit.YES
    data = json.loads(capsys.readouterr().out)
    assert data["file"] == str(path)
    assert [data[key] for key in ("inputs", "outputs", "latches", "ands", "levels")] == [2, 1, 1, 2, 2]


def test_standard_input_and_notes(tmp_path: Path) -> None:
    text = b".model m\n.inputs a\n.outputs y\n.names a y\n1 1\n.exdc\n.names y\n.end\n"
    outcome = run_command("stats", "-", "--from", "blif", "--json", folder=tmp_path, stdin=text)
    assert outcome.json()["name"] == "m"
    assert "dynomite: note: " in outcome.err
