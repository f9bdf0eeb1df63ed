"""The registry of formats, and reading and writing by suffix."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from dynomite.errors import UsageError
from dynomite.formats import base, detect_format, known_formats, read_circuit, register_format, write_circuit
from dynomite.formats.base import Format
from tests.support.shared_data import REPOSITORY

DATA = b"aag 3 2 0 1 1\n2\n4\n6\n6 4 2\ni0 a\n"


def test_suffix_and_compression() -> None:
    found = {
        "x.aag": ("aag", None),
        "a.b/x.aig": ("aig", None),
        "x.BLIF": ("blif", None),
        "x.eblif.zst": ("eblif", ".zst"),
        "x.bench.XZ": ("bench", ".xz"),
    }
    for path, (name, packed) in found.items():
        entry, compression = detect_format(path)
        assert (entry.name, compression) == (name, packed)
        assert detect_format(Path(path)) == (entry, compression)


def test_given_format_counts() -> None:
    assert detect_format("x.aig", "blif")[0].name == "blif"
    assert detect_format("-", "aig.gz") == (detect_format("x.aig")[0], ".gz")
    assert detect_format(b"", ".AAG")[0].name == "aag"


KNOWN = "known formats: aag, aig, blif, eblif, bench, dyno, json, v, smt2, each also with .gz .xz .zst"


@pytest.mark.parametrize(
    ("path", "fmt", "message"),
    [
        ("x.foo", None, f"x.foo: unknown suffix '.foo'; {KNOWN} (or give the format)"),
        ("x.foo.gz", None, f"x.foo.gz: unknown suffix '.foo'; {KNOWN} (or give the format)"),
        ("x", None, f"x: no suffix that says the format; {KNOWN} (or give the format)"),
        ("x.gz", None, f"x.gz: no suffix that says the format; {KNOWN} (or give the format)"),
        ("", None, f"'': no suffix that says the format; {KNOWN} (or give the format)"),
        ("-", None, f"the format of standard input or output must be given; {KNOWN}"),
        (b"", None, f"the format of data that is not a file must be given; {KNOWN}"),
        ("x.aig", "foo", f"unknown format 'foo'; {KNOWN}"),
        ("x.aig", "aig.zip", f"unknown format 'aig.zip'; {KNOWN}"),
    ],
)
def test_unknown(path: str | bytes, fmt: str | None, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_circuit(path, fmt)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["x.aag", "x.aig", "x.aag.gz", "x.aig.xz", "x.aig.zst"])
def test_round_trip(name: str, tmp_path: Path) -> None:
    aig = read_circuit(DATA, "aag")
    write_circuit(aig, tmp_path / name)
    again = read_circuit(str(tmp_path / name))
    stream = io.BytesIO()
    write_circuit(again, stream, "aag")
    assert stream.getvalue() == DATA


def test_compression_of_streams() -> None:
    stream = io.BytesIO()
    write_circuit(read_circuit(DATA, "aag"), stream, "aig.xz")
    assert stream.getvalue().startswith(b"\xfd7zXZ")
    assert read_circuit(io.BytesIO(stream.getvalue()), "aig").num_ands == 1


def test_format_beside_the_suffix(tmp_path: Path) -> None:
    aig = read_circuit(DATA, "aag")
    write_circuit(aig, tmp_path / "x.txt.gz", "aag")
    assert (tmp_path / "x.txt.gz").read_bytes().startswith(b"\x1f\x8b")
    assert read_circuit(tmp_path / "x.txt.gz", "aag").names("inputs") == ["a", None]


def test_adding_a_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_formats", dict(getattr(base, "_formats")))  # noqa: B009 - private
    register_format(Format("one", "Reader only", "dmt_dialect.formats.aiger:read_aiger", None))
    register_format(Format("two", "Writer only", None, "dmt_dialect.formats.aiger:write_aag"))
    assert [entry.name for entry in known_formats()][-2:] == ["one", "two"]
    aig = read_circuit(DATA, "one")
    with pytest.raises(UsageError, match="Reader only files can be read, not written"):
        write_circuit(aig, "x.one")
    with pytest.raises(UsageError, match="Writer only files can be written, not read"):
        read_circuit("x.two")


@pytest.mark.parametrize("entry", known_formats(), ids=lambda entry: entry.name)
def test_every_registered_function_exists(entry: Format) -> None:
    assert entry.reader is not None or entry.writer is not None
    assert entry.reader is None or callable(entry.load_reader())
    assert entry.writer is None or callable(entry.load_writer())
    assert entry.noted_reader is None or entry.reader is not None


def test_registry_imports_no_dialect() -> None:
    program = (
        "import sys, dynomite.formats; print([m for m in sys.modules if 'dialect' in m or m == 'zstandard'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
