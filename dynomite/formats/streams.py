"""Opening of circuit files: paths, "-", bytes and streams, compressed or not; files are replaced as a whole.

Every reader takes a `Source` and gets its bytes from `read_source`; every writer takes a `Target` and hands
its bytes to `write_target`, or writes to the stream of `replacing` itself.
"""

from __future__ import annotations

import codecs
import os
import secrets
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import BinaryIO, cast

from dynomite.errors import LimitError, ParseError, UsageError
from dynomite.formats.compression import compress, compression_by_content, compression_of, decompress

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
"""What a reader reads: a path ("-" is standard input), the data itself, or a binary stream."""

Target = str | os.PathLike[str] | BinaryIO
"""Where a writer writes: a path ("-" is standard output) or a binary stream."""


def read_source(source: Source) -> tuple[bytes, str]:
    """All data of `source`, decompressed, and its name for errors.

    A path that ends in .gz, .xz or .zst must be compressed so; other data is decompressed if it begins like
    one of these (no circuit format does). A byte order mark of UTF-8 in front is left out.

    Raises:
        UsageError: if the file cannot be read; the message names it.
        ParseError: if compressed data is corrupt or cut off, or the text is in UTF-16.
        LimitError: if it unpacks to more than the limit, see `dynomite.formats.compression`.
    """
    compression = None
    if isinstance(source, bytes | bytearray | memoryview):
        data, name = bytes(source), "<bytes>"
    elif isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if path == "-":
            data, name = _read_stream(sys.stdin.buffer, "<stdin>"), "<stdin>"
        else:
            data, name = _read_path(path), path
            compression = compression_of(path)
    else:
        given = getattr(source, "name", None)
        name = given if isinstance(given, str) else "<stream>"
        data = _read_stream(source, name)
    name = display_name(name)
    compression = compression or compression_by_content(data)
    return _text_of(decompress(data, compression, name) if compression else data, name), name


def _text_of(data: bytes, name: str) -> bytes:
    """Without the mark that some editors put in front of UTF-8. No format begins with such bytes."""
    if data.startswith(codecs.BOM_UTF8):
        return data[len(codecs.BOM_UTF8) :]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ParseError("the file is text in UTF-16; save it as UTF-8", name)
    return data


def display_name(path: str) -> str:
    r"""The path as text that can be shown: bytes that are not UTF-8 become `\xNN`."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _read_path(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:  # a NUL byte in the path
        raise UsageError(f"cannot read {path!r}: {error}") from error
    except (MemoryError, OverflowError) as error:
        raise LimitError(f"cannot read {path}: it does not fit the memory") from error


def _read_stream(stream: BinaryIO, name: str) -> bytes:
    try:
        data = cast("bytes | str", stream.read())
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror or error}") from error
    if isinstance(data, str):
        raise UsageError(f"cannot read {name}: a binary stream is needed, this one gives text")
    return data


def write_target(target: Target, data: bytes) -> None:
    """Writes `data` to `target`, compressed if a path ends in .gz, .xz or .zst.

    A file is replaced only when all is written (see `replacing`); streams are flushed, not closed.

    Raises:
        UsageError: if the file cannot be written; the message names it.
    """
    if isinstance(target, str | os.PathLike):
        path = os.fspath(target)
        if path != "-":
            compression = compression_of(path)
            with replacing(path) as file:
                file.write(compress(data, compression) if compression else data)
            return
        stream = sys.stdout.buffer
    else:
        stream = target
    stream.write(data)
    stream.flush()


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Generator[BinaryIO]:
    """A stream whose content becomes the file `path` when the block ends without an exception.

    Until then a file of that name stays as it is, so that no reader ever sees half a file; mode bits are
    kept and a symbolic link stays one. What is no regular file (a device, a pipe) is written directly.

    Raises:
        UsageError: if the file cannot be written; the message names it.
    """
    name = os.fspath(path)
    temporary = None
    try:
        final = os.path.realpath(name)
        mode = _mode_of(final)
        if mode is not None and not stat.S_ISREG(mode):
            with open(final, "wb") as stream:
                yield stream
            return
        if mode is not None and not os.access(final, os.W_OK):
            raise PermissionError(13, "Permission denied")
        temporary = os.path.join(os.path.dirname(final), f".{secrets.token_hex(8)}.tmp")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with open(descriptor, "wb") as stream:
            yield stream
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, final)
        temporary = None
    except OSError as error:
        raise UsageError(f"cannot write {name}: {error.strerror or error}") from error
    except ValueError as error:  # a NUL byte in the path
        raise UsageError(f"cannot write {name!r}: {error}") from error
    finally:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)


def _mode_of(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None
