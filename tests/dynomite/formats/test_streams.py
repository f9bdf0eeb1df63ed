"""Opening and replacing of files: clean errors, nothing half-written."""

from __future__ import annotations

import io
import os
import stat
import threading
from pathlib import Path

import pytest

from dynomite.errors import ParseError, UsageError
from dynomite.formats.compression import compress
from dynomite.formats.streams import read_source, replacing, write_target

not_root = pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")


def test_sources_and_their_names(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"data")
    assert read_source(path) == (b"data", str(path))
    assert read_source(b"data") == (b"data", "<bytes>")
    assert read_source(memoryview(b"data")) == (b"data", "<bytes>")
    assert read_source(io.BytesIO(b"data")) == (b"data", "<stream>")
    with path.open("rb") as stream:
        assert read_source(stream) == (b"data", str(path))


def test_compressed_data_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    for suffix in (".gz", ".xz", ".zst"):
        packed = compress(b"data", suffix)
        assert read_source(packed)[0] == b"data"
        assert read_source(io.BytesIO(packed))[0] == b"data"
        path = tmp_path / "x.aig"
        path.write_bytes(packed)
        assert read_source(path)[0] == b"data"


def test_marks_in_front_of_text() -> None:
    assert read_source(b"\xef\xbb\xbfp cnf 0 0\n") == (b"p cnf 0 0\n", "<bytes>")
    for encoding in ("utf-16-le", "utf-16-be"):
        with pytest.raises(ParseError, match="UTF-16; save it as UTF-8"):
            read_source("\ufeffp cnf 0 0\n".encode(encoding))


def test_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: write_target(path, b"x" * 100_000))
    writer.start()
    assert read_source(path)[0] == b"x" * 100_000
    writer.join()
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*missing\.aig: No such file or directory"):
        read_source(tmp_path / "missing.aig")
    with pytest.raises(UsageError, match=r"cannot read .*: Is a directory"):
        read_source(tmp_path)
    with pytest.raises(UsageError, match=r"cannot read 'a.x00': embedded null byte"):
        read_source("a\0")
    with pytest.raises(UsageError, match="cannot read <stream>: a binary stream is needed"):
        read_source(io.StringIO("text"))  # pyright: ignore[reportArgumentType]


@not_root
def test_what_must_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.touch(0)
    with pytest.raises(UsageError, match="Permission denied"):
        read_source(path)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot write .*x\.aig: No such file or directory"):
        write_target(tmp_path / "missing" / "x.aig", b"")
    with pytest.raises(UsageError, match=r"cannot write .*: Is a directory"):
        write_target(tmp_path, b"")
    with pytest.raises(UsageError, match=r"cannot write 'a.x00': embedded null byte"):
        write_target("a\0", b"")
    with pytest.raises(UsageError, match="cannot write /dev/full: No space left on device"):
        write_target("/dev/full", b"data")


@not_root
def test_what_must_not_be_written(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(UsageError, match="Permission denied"):
        write_target(path, b"new")
    assert path.read_bytes() == b"old"


def test_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with replacing(path) as stream:
        stream.write(b"new")
        stream.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["x"]


def test_failure_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with replacing(path) as stream:
            stream.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x"]


def test_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    write_target(tmp_path / "x", b"new")
    (tmp_path / "y").touch()
    assert (tmp_path / "x").stat().st_mode == (tmp_path / "y").stat().st_mode


def test_symbolic_link_stays(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_target(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_device_is_written_directly() -> None:
    write_target("/dev/null", b"data")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
