"""Results kept by content key: a step with the same operands, parameters and version is not run again.

A key is a hash of the step's name, version and parameters and of the content of its operands: the canonical
bytes of circuits and of code, which do not depend on ids. Results are kept in memory and, with a folder, on
disk, where each entry has a checksum: a damaged one is noticed, noted, deleted and computed anew.

What can be kept is what has a codec; a package adds its own by `register_codec`. Results are shared between
runs and must not be changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dynomite._native.base import Stop
from dynomite._native.passes import clone_only
from dynomite.errors import UsageError
from dynomite.exec.kinds import Code, load_name
from dynomite.exec.plan import PlannedStep, Slot
from dynomite.exec.report import Record
from dynomite.ir import write_bytecode

MEMORY_ENTRIES = 1_024
"""Results kept in memory; the ones not used for longest go first."""
_MAGIC = b"DYNC\x01"
_CHECK = 16

_codecs: dict[str, tuple[str, str, str]] = {
    "aig": ("dynomite._native.aig:Aig", f"{__name__}:encode_aig", f"{__name__}:decode_aig"),
}


def register_codec(name: str, cls: str, encode: str, decode: str) -> None:
    """Makes results of a class something that can be kept.

    Args:
        name: A short name, which goes into files.
        cls: The class as "module:name".
        encode: Function from a result to bytes, as "module:name". Equal results have equal bytes.
        decode: Function back.
    """
    _codecs[name] = (cls, encode, decode)


def encode_aig(aig: Any) -> bytes:
    """The bytes of a circuit."""
    return aig.to_bytes()


def decode_aig(data: bytes) -> Any:
    """The circuit of bytes."""
    return load_name("dynomite._native.aig:Aig").from_bytes(data)


def encode(value: Any) -> bytes | None:
    """Bytes of a value with the name of its codec in front; None if it has none."""
    if value is None or isinstance(value, bool | int | float | str):
        return b"json\0" + json.dumps(value).encode()
    for name, (cls, function, _) in _codecs.items():
        module, _, attribute = cls.partition(":")
        if type(value).__name__ == attribute and type(value) is load_name(f"{module}:{attribute}"):
            return name.encode() + b"\0" + load_name(function)(value)
    return None


def decode(data: bytes) -> Any:
    """The value that `encode` made bytes of."""
    name, _, rest = data.partition(b"\0")
    if name == b"json":
        return json.loads(rest)
    return load_name(_codecs[name.decode()][2])(rest)


class Cache:
    """Results of steps.

    Args:
        folder: Where they are kept on disk as well; made if it is not there.

    Raises:
        UsageError: The folder cannot be used.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.folder = None if folder is None else Path(folder)
        self.hits = self.misses = self.damaged = 0
        self._kept: OrderedDict[bytes, tuple[Any, Mapping[str, Any]]] = OrderedDict()
        self._lock = threading.Lock()
        if self.folder is not None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(f"{self.folder}: no folder for a cache: {error.strerror}") from error

    def key(self, step: PlannedStep, stop: Stop | None = None) -> bytes | None:
        """The content key of a step that is about to run; None if an operand has no content that is known."""
        kind = step.kind
        head = json.dumps([kind.name, kind.version, sorted(step.params.items())])
        digest = hashlib.blake2b(head.encode(), digest_size=32)
        for slot in step.inputs:
            part = self._digest(slot, stop)
            if part is None:
                return None
            digest.update(part)
        return digest.digest()

    def _digest(self, slot: Slot, stop: Stop | None) -> bytes | None:
        value = slot.value
        if isinstance(value, Code):
            module, instr = value
            shown = module if instr is None else clone_only(instr)
            return hashlib.blake2b(write_bytecode(shown, stop=stop), digest_size=32).digest()
        if slot.digest is None:
            data = encode(value)
            if data is None:
                return None
            slot.digest = hashlib.blake2b(data, digest_size=32).digest()
        return slot.digest

    def find(self, key: bytes | None, record: Record) -> tuple[bool, Any]:
        """Whether there is a result, and the result; `record` gets its counts, or a note on damage."""
        if key is None:
            return False, None
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
        if kept is None:
            kept = self._load(key, record)
            if kept is not None:
                self._remember(key, *kept)
        with self._lock:
            self.hits += kept is not None
            self.misses += kept is None
        if kept is None:
            return False, None
        value, record.stats = kept
        return True, value

    def keep(self, key: bytes, value: Any, record: Record) -> None:
        """Keeps a result, if it has a codec."""
        data = encode(value)
        if data is None:
            return
        self._remember(key, value, record.stats)
        if self.folder is None:
            return
        try:
            self._save(self._path(key), json.dumps(dict(record.stats)).encode() + b"\n" + data)
        except OSError as error:
            record.notes = (*record.notes, f"the result was not kept in {self.folder}: {error.strerror}")

    def _remember(self, key: bytes, value: Any, stats: Mapping[str, Any]) -> None:
        with self._lock:
            self._kept[key] = (value, stats)
            while len(self._kept) > MEMORY_ENTRIES:
                self._kept.popitem(last=False)

    def _path(self, key: bytes) -> Path:
        assert self.folder is not None
        name = key.hex()
        return self.folder / name[:2] / name[2:]

    def _save(self, path: Path, data: bytes) -> None:
        """Writes an entry so that nobody sees half of it."""
        path.parent.mkdir(exist_ok=True)
        check = hashlib.blake2b(path.name.encode() + data, digest_size=_CHECK).digest()
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            try:
                file.write(_MAGIC + check + data)
                file.close()
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise

    def _load(self, key: bytes, record: Record) -> tuple[Any, Mapping[str, Any]] | None:
        if self.folder is None:
            return None
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        start = len(_MAGIC) + _CHECK
        check = hashlib.blake2b(path.name.encode() + data[start:], digest_size=_CHECK).digest()
        if data[:start] != _MAGIC + check:
            problem = "the entry is damaged"
        else:
            try:
                stats, _, value = data[start:].partition(b"\n")
                return decode(value), json.loads(stats)
            except Exception as error:  # whatever the codec of another version makes of it
                problem = f"the entry cannot be read: {error}"
        self.damaged += 1
        path.unlink(missing_ok=True)
        record.notes = (*record.notes, f"{path}: {problem}; it was deleted and the step ran again")
        return None
