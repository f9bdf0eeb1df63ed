"""Transparent compression: damage of every kind is an error with the file's name, bombs are stopped."""

from __future__ import annotations

import gzip
import lzma
import random

import pytest

from dynomite.errors import DynomiteError, LimitError, ParseError
from dynomite.formats import compression
from dynomite.formats.compression import (
    SUFFIXES,
    compress,
    compression_by_content,
    compression_of,
    decompress,
)

DATA = bytes(random.Random(1).choices(b"0123456789 \n", k=20_000))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_round_trip(suffix: str) -> None:
    for data in (b"", b"x", DATA, DATA * 50):
        packed = compress(data, suffix)
        assert decompress(packed, suffix, "x") == data
        assert compression_by_content(packed) == suffix
        assert compress(data, suffix) == packed
        assert decompress(packed + packed, suffix, "x") == data + data


def test_suffixes() -> None:
    assert compression_of("a/x.aig.gz") == ".gz"
    assert compression_of("x.XZ") == ".xz"
    assert compression_of("x.aig") is None
    assert compression_of("gz") is None
    assert compression_by_content(b"aig 0 0 0 0 0\n") is None


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_cut_is_an_error(suffix: str) -> None:
    packed = compress(DATA, suffix)
    for length in [*range(40), *range(40, len(packed), 101), *range(len(packed) - 20, len(packed))]:
        with pytest.raises(ParseError) as caught:
            decompress(packed[:length], suffix, "file.aig" + suffix)
        assert caught.value.path == "file.aig" + suffix
        assert "cut off" in caught.value.message or "missing" in caught.value.message


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damage_is_an_error(suffix: str, rng: random.Random) -> None:
    packed = compress(DATA, suffix)
    for _ in range(300):
        data = bytearray(packed)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        try:
            result = decompress(bytes(data), suffix, "x")
        except DynomiteError:
            continue
        assert result == DATA  # a bit of the header that means nothing


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_something_else_is_an_error(suffix: str) -> None:
    with pytest.raises(ParseError, match="corrupt"):
        decompress(b"aig 0 0 0 0 0\n" * 10, suffix, "x")
    with pytest.raises(ParseError):
        decompress(compress(DATA, suffix) + b"and more of something", suffix, "x")


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_zero_bytes_are_padding(suffix: str) -> None:
    assert decompress(compress(DATA, suffix) + bytes(512), suffix, "x") == DATA


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_bomb(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "FREE_BYTES", 1 << 20)
    packed = compress(bytes(20 << 20), suffix)
    with pytest.raises(LimitError, match=r"x\.aig: unpacks to more than the limit of \d+ bytes"):
        decompress(packed, suffix, "x.aig")


def test_unpacker_that_wants_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "_MEMORY", 1 << 20)
    with pytest.raises(LimitError, match="needs more memory"):
        decompress(lzma.compress(DATA, preset=9), ".xz", "x")


def test_many_small_members() -> None:
    """Linear, not quadratic, in the number of packed files joined together."""
    assert decompress(gzip.compress(b"") * 100_000, ".gz", "x") == b""
