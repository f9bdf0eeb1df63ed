"""Reading takes at most 16 times the file's size + 64 MiB, whatever the file says."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable

import pytest

from dmt_dialect.formats.aiger import read_aiger
from dynomite.errors import ParseError


def many_inputs() -> bytes:
    """Inputs of binary files take no bytes; the name of the last makes room for all names."""
    return b"aig 2097160 2097160 0 0 0\ni2097159 x\n"


def many_inputs_and_names() -> bytes:
    count = 2_097_152 + 1_000_000
    names = b"".join(b"i%d x\n" % i for i in range(0, count, 10))
    return b"aig %d %d 0 0 0\n" % (count, count) + names


def justice_of_one() -> bytes:
    count = 2_000_000
    return b"aig 0 0 0 0 0 0 0 %d\n" % count + b"1\n" * count + b"0\n" * count


def justice_of_none() -> bytes:
    return b"aig 0 0 0 0 0 0 0 4000000\n" + b"0\n" * 4_000_000


def latches() -> bytes:
    count = 4_000_000
    return b"aig %d 0 %d 0 0\n" % (count, count) + b"0\n" * count + b"l%d x\n" % (count - 1)


def named_latches() -> bytes:
    count = 1_000_000
    names = b"".join(b"l%d x\n" % i for i in range(count))
    return b"aig %d 0 %d 0 0\n" % (count, count) + b"0\n" * count + names


def named_outputs() -> bytes:
    count = 4_000_000
    return b"aig 0 0 0 %d 0\n" % count + b"0\n" * count + b"o%d x\n" % (count - 1)


def comment_lines() -> bytes:
    count = (1 << 20) + 140_000
    return b"aig 0 0 0 0 0\nc\n" + b"\n" * count


def too_many_comment_lines() -> bytes:
    return b"aig 0 0 0 0 0\nc\n" + b"\n" * 8_000_000


def ands_backwards() -> bytes:
    count = 400_000
    lines = [b"%d %d %d\n" % (2 * i, 2 * i - 2, 2 * i - 2) for i in range(count + 1, 1, -1)]
    return b"aag %d 1 0 0 %d\n2\n" % (count + 1, count) + b"".join(lines)


def sparse_inputs() -> bytes:
    lines = [b"%d\n" % (2 * i) for i in range(1_000_000, 0, -1)]
    return b"aag 2000000000 1000000 0 0 0\n" + b"".join(lines)


def promised_lines() -> bytes:
    return b"aag 2000000000 1000000000 0 0 1000000000 0 0 1000000000\n2\n"


def promised_ands() -> bytes:
    return b"aig 2000000000 0 0 0 2000000000\n\x02\x00"


def promised_justice() -> bytes:
    return b"aag 0 0 0 0 0 0 0 3\n4000000000\n4000000000\n4000000000\n" + b"0\n" * 100_000


CASES = [
    many_inputs,
    many_inputs_and_names,
    justice_of_one,
    justice_of_none,
    latches,
    named_latches,
    named_outputs,
    comment_lines,
    too_many_comment_lines,
    ands_backwards,
    sparse_inputs,
    promised_lines,
    promised_ands,
    promised_justice,
]


def kibibytes(key: str) -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(key))


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_peak_memory(make: Callable[[], bytes]) -> None:
    data = make()
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        ctypes.CDLL(None).malloc_trim(0)  # memory that making the data left to the heap would be used first
        with open("/proc/self/clear_refs", "w") as clear:
            clear.write("5")  # the peak starts anew
        before = kibibytes("VmRSS")
        try:
            aig = read_aiger(data)
            del aig
        except ParseError:
            pass
        os.write(write_end, b"%d" % (kibibytes("VmHWM") - before))
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as report:
        peak = int(report.read()) * 1024
    assert os.waitpid(child, 0)[1] == 0
    # The data itself counts as well: a file is read into memory as a whole.
    assert peak + len(data) <= 16 * len(data) + (64 << 20), f"{peak / len(data):.1f} bytes a byte"
