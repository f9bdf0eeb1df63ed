"""A short run of the reader fuzzer, and a check that it notices what it is there for."""

from __future__ import annotations

import ctypes
import os
from typing import cast

import pytest

from dynomite.formats import base, known_formats, register_format
from dynomite.formats.base import Format
from tests.fuzz import fuzz_readers
from tests.fuzz.fuzz_readers import available_formats, fuzz

SECONDS = float(os.environ.get("DYNOMITE_FUZZ_SECONDS", "5"))


@pytest.mark.parametrize("fmt", [entry.name for entry in known_formats()])
def test_reader_survives(fmt: str, seed: int) -> None:
    if fmt not in available_formats():
        pytest.skip(f"no reader of {fmt}")
    done, failures = fuzz(fmt, seed, 1_000_000, SECONDS)
    assert not failures, "\n".join(map(str, failures))
    assert done > 100


def crash(data: bytes) -> None:
    """Reads address 0."""
    ctypes.string_at(0)


def hang(data: bytes) -> None:
    """Never ends."""
    while True:
        pass


def grow(data: bytes) -> None:
    """Takes more than it may."""
    bytearray(4 << 30)  # no free memory of earlier tests is as large


def fail(data: bytes) -> None:
    """Has a bug."""
    raise IndexError(len(data))


@pytest.mark.parametrize(
    ("reader", "message"),
    [
        ("crash", "killed by SIGSEGV"),
        ("hang", "more than"),
        ("grow", "more memory than 16"),
        ("fail", "IndexError"),
    ],
)
def test_faults_are_noticed(reader: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    formats = cast("dict[str, Format]", getattr(base, "_formats"))  # noqa: B009 - private
    monkeypatch.setattr(base, "_formats", dict(formats))
    monkeypatch.setattr(fuzz_readers, "LIMIT_SECONDS", 0.2)
    register_format(Format("aag", "broken", f"{__name__}:{reader}", None))
    done, failures = fuzz("aag", 1, 3)
    assert done == 3
    assert [failure.number for failure in failures] == [0, 1, 2]
    assert all(message in failure.what for failure in failures)


def test_inputs_can_be_made_again() -> None:
    seeds = fuzz_readers.load_seeds("aig")
    assert fuzz_readers.make_input("aig", 1, 5, seeds) == fuzz_readers.make_input("aig", 1, 5, seeds)
    assert fuzz_readers.make_input("aig", 1, 5, seeds) != fuzz_readers.make_input("aig", 2, 5, seeds)
