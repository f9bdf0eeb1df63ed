"""Transparent gzip, xz and zstd: whole files in memory, with a bound on what they unpack to.

Data may unpack to at most 2^30 bytes + 64 times its compressed size, and the unpacker itself may use at most
1 GiB (xz) or a window of 128 MiB (zstd); beyond that a LimitError is raised, so that a small hostile file
cannot fill the memory. Compressed output depends on the data only: no time stamps, no file names.
"""

from __future__ import annotations

import gzip
import io
import lzma
import os
import zlib
from typing import Protocol

from dynomite.errors import LimitError, ParseError

SUFFIXES = (".gz", ".xz", ".zst")
"""Suffixes of compressed files, behind that of the format."""

FREE_BYTES = 1 << 30
"""What any compressed file may unpack to."""

MAX_RATIO = 64
"""What a byte of a compressed file may unpack to beyond `FREE_BYTES`."""

_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\x00": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
_TITLES = {".gz": "gzip", ".xz": "xz", ".zst": "zstd"}
_MEMORY = 1 << 30
_WINDOW = 1 << 27
# One piece of input unpacks to 32 MB at worst (zstd), so the limit is noticed in time.
_PIECE = 1 << 10


class _Unpacker(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def compression_of(path: str) -> str | None:
    """The compression suffix of a path, or None."""
    suffix = os.path.splitext(path)[1].lower()
    return suffix if suffix in SUFFIXES else None


def compression_by_content(data: bytes) -> str | None:
    """The compression suffix that fits the first bytes, or None."""
    return next((suffix for magic, suffix in _MAGIC.items() if data.startswith(magic)), None)


def compress(data: bytes, suffix: str) -> bytes:
    """`data` compressed as files with this suffix are."""
    if suffix == ".gz":
        return gzip.compress(data, 6, mtime=0)
    if suffix == ".xz":
        return lzma.compress(data, preset=6)
    import zstandard

    return zstandard.ZstdCompressor(level=9, write_checksum=True).compress(data)


def decompress(data: bytes, suffix: str, name: str) -> bytes:
    """Unpacks a whole file, which may be several packed ones joined together.

    Raises:
        ParseError: if the data is corrupt, cut off, or followed by something else.
        LimitError: if it unpacks to more than the limit.
    """
    limit = FREE_BYTES + MAX_RATIO * len(data)
    title = _TITLES[suffix]
    failures = _failures(suffix)
    out = io.BytesIO()
    unpacker = _unpacker(suffix)
    fed = False  # whether the present unpacker has got anything
    position = 0
    try:
        while position < len(data):
            piece = data[position : position + _PIECE]
            position += len(piece)
            while piece:
                if unpacker.eof:
                    # Another packed file follows, or zero bytes up to the end as padding.
                    if piece[0] == 0 and not data[position - len(piece) :].strip(b"\0"):
                        return out.getvalue()
                    unpacker, fed = _unpacker(suffix), False
                out.write(unpacker.decompress(piece))
                fed = True
                if out.tell() > limit:
                    raise LimitError(f"{name}: unpacks to more than the limit of {limit} bytes")
                piece = unpacker.unused_data if unpacker.eof else b""
    except failures as error:
        if "memory" in str(error).lower():
            raise LimitError(f"{name}: unpacking needs more memory than the limit ({error})") from error
        raise ParseError(f"corrupt {title} data: {error}", name, offset=out.tell()) from error
    if not unpacker.eof:
        what = "is cut off" if fed else "is missing: the file is empty"
        raise ParseError(f"the {title} data {what}", name, offset=out.tell())
    return out.getvalue()


def _unpacker(suffix: str) -> _Unpacker:
    if suffix == ".gz":
        return zlib.decompressobj(wbits=31)
    if suffix == ".xz":
        return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_MEMORY)
    import zstandard

    return zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()


def _failures(suffix: str) -> tuple[type[Exception], ...]:
    if suffix == ".gz":
        return (zlib.error,)
    if suffix == ".xz":
        return (lzma.LZMAError,)
    import zstandard

    return (zstandard.ZstdError,)
