"""The verb `convert`: formats, compression, what is lost."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from dynomite._native.aig import same_circuit
from dynomite.formats.base import read_circuit
from dynomite.tools.cli import Exit, main
from tests.support.command import run_command

Capture = pytest.CaptureFixture[str]

TEXT = """aag 4 2 1 1 1
2
4
6 8 1
8
8 2 4
i0 a
i1 b
l0 q
o0 y
c
made by hand
"""
PROPERTIES = "aag 1 1 0 0 0 1 1\n2\n2\n3\ni0 a\nb0 wrong\nc0 given\n"
HIERARCHY = """.model top
.inputs a b
.outputs y
.subckt leaf p=a r=b q=y
.end
.model leaf
.inputs p r
.outputs q
.names p r q
11 1
.exdc
.names p r q
10 1
.end
"""


@pytest.mark.parametrize("suffix", ["aag", "aig", "blif", "eblif", "bench", "aig.gz", "blif.xz", "aag.zst"])
def test_there_and_back(suffix: str, tmp_path: Path, capsys: Capture) -> None:
    source, there, back = tmp_path / "a.aag", tmp_path / f"b.{suffix}", tmp_path / "c.aag"
    source.write_text(TEXT)
    assert main(["convert", str(source), str(there)]) == Exit.YES
    assert main(["convert", str(there), str(back)]) == Exit.YES
    assert same_circuit(read_circuit(source), read_circuit(back))
    assert capsys.readouterr().out == ""


def test_standard_streams(tmp_path: Path) -> None:
    outcome = run_command(
        "convert", "--from", "aag", "-", "-", "--to", "blif", folder=tmp_path, stdin=TEXT.encode()
    )
    assert outcome.status == Exit.YES
    assert outcome.out.startswith(".model")
    packed = run_command(
        "convert", "--from", "aag", "-", str(tmp_path / "x.aag.gz"), folder=tmp_path, stdin=TEXT.encode()
    )
    assert packed.status == Exit.YES
    assert gzip.decompress((tmp_path / "x.aag.gz").read_bytes()).startswith(b"aag 4 2 1 1 1\n")
    unpacked = run_command(
        "convert",
        "--from",
        "aag",
        "-",
        "-",
        "--to",
        "aag",
        folder=tmp_path,
        stdin=lzma.compress(TEXT.encode()),
    )
    assert unpacked.out == TEXT


def test_what_is_lost_is_said(tmp_path: Path, capsys: Capture) -> None:
    source = tmp_path / "a.aag"
    source.write_text(PROPERTIES)
    assert main(["convert", str(source), str(tmp_path / "b.blif")]) == Exit.YES
    text = capsys.readouterr().err
    assert text.startswith("dynomite: warning: ")
    assert "1 bad, 1 constraint" in text
    assert main(["convert", str(source), str(tmp_path / "b.aig")]) == Exit.YES
    assert capsys.readouterr().err == ""


def test_blif_keeps_its_hierarchy(tmp_path: Path, capsys: Capture) -> None:
    source = tmp_path / "a.blif"
    source.write_text(HIERARCHY)
    assert main(["convert", str(source), str(tmp_path / "b.eblif")]) == Exit.YES
    text = (tmp_path / "b.eblif").read_text()
    assert ".subckt leaf" in text
    assert ".exdc" in text
    assert capsys.readouterr().err == ""
    assert main(["convert", str(source), str(tmp_path / "c.blif"), "--flat"]) == Exit.YES
    assert ".subckt" not in (tmp_path / "c.blif").read_text()
    assert "don't-cares" in capsys.readouterr().err


def test_nothing_half_written(tmp_path: Path, capsys: Capture) -> None:
    source, target = tmp_path / "bad.aag", tmp_path / "out.aig"
    source.write_text("aag 1 1 0 1 0\n2\n99\n")
    target.write_text("before")
    assert main(["convert", str(source), str(target)]) == Exit.BAD_INPUT
    assert target.read_text() == "before"
    assert main(["convert", str(tmp_path / "none.aag"), str(target)]) == Exit.BAD_INPUT
    source.write_text(TEXT)
    assert main(["convert", str(source), str(tmp_path / "no" / "x.aig")]) == Exit.BAD_INPUT
    assert "x.aig" in capsys.readouterr().err
