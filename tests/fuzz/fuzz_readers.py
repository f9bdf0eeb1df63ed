"""Fuzzer of all readers: mutated files must be read or refused with a DynomiteError, nothing else.

    python -m tests.fuzz.fuzz_readers [--count 1000000] [--seconds S] [--seed 1] [--format aag ...]
    python -m tests.fuzz.fuzz_readers --format aig --seed 1 --show 4711      writes that input to stdout

Inputs are read in a forked child, so that a crash ends the child only; every input is a function of format,
seed and number, so that any of them can be made again. Found are: signals, other exceptions than
DynomiteError, more than LIMIT_SECONDS of CPU time, more memory than 16 times the input + 64 MiB, memory that
is lost for good, and accepted circuits that do not survive writing and reading. Exit status 1 if any.
"""

from __future__ import annotations

import argparse
import faulthandler
import io
import json
import mmap
import os
import random
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from dynomite._native.aig import Aig
from dynomite.errors import DynomiteError, UsageError
from dynomite.formats import detect_format, known_formats, read_circuit, write_circuit
from tests.fuzz.mutations import load_seeds, mutate

LIMIT_SECONDS = 5.0
LIMIT_MEMORY = "DYNOMITE_FUZZ_ANY_MEMORY" not in os.environ  # set it under AddressSanitizer
FREE_BYTES = 64 << 20
RATIO = 16
MAX_FAILURES = 20
BATCH = 20_000
CHECKED_NODES = 5000
SECTIONS = ("inputs", "latches", "outputs", "bad", "constraints", "justice", "fairness")


@dataclass(frozen=True)
class Failure:
    """One input that was not handled as it must be."""

    fmt: str
    seed: int
    number: int
    what: str

    def __str__(self) -> str:
        options = f"--format {self.fmt} --seed {self.seed} --show {self.number} > input.{self.fmt}"
        return f"{self.what.rstrip()}\n  the input: python -m tests.fuzz.fuzz_readers {options}"


def make_input(fmt: str, seed: int, number: int, seeds: list[bytes]) -> bytes:
    """Input `number` of a run."""
    return mutate(random.Random(f"{fmt} {seed} {number}"), seeds)


def available_formats() -> list[str]:
    """Formats that have a reader."""
    found: list[str] = []
    for entry in known_formats():
        module = (entry.reader or "").partition(":")[0]
        try:
            if module and find_spec(module) is not None:
                found.append(entry.name)
        except ModuleNotFoundError:
            continue
    return found


def fuzz(fmt: str, seed: int, count: int, seconds: float | None = None) -> tuple[int, list[Failure]]:
    """Reads up to `count` inputs within `seconds`; returns how many, and what went wrong."""
    seeds = load_seeds(fmt)
    deadline = None if seconds is None else time.monotonic() + seconds
    failures: list[Failure] = []
    position = mmap.mmap(-1, 8)
    number = 0
    while number < count and len(failures) < MAX_FAILURES:
        if deadline is not None and time.monotonic() >= deadline:
            break
        stop = min(count, number + BATCH)
        number = _run_batch(fmt, seed, range(number, stop), seeds, deadline, position, failures)
    return number, failures


def _run_batch(
    fmt: str,
    seed: int,
    numbers: range,
    seeds: list[bytes],
    deadline: float | None,
    position: mmap.mmap,
    failures: list[Failure],
) -> int:
    """Forks a child that reads `numbers`; returns the number to go on with."""
    position[:] = numbers.start.to_bytes(8, "little")
    read_end, write_end = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        with os.fdopen(write_end, "w") as report:
            for number, what in _read_inputs(fmt, seed, numbers, seeds, deadline, position):
                report.write(json.dumps([number, what]) + "\n")
                report.flush()
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as report:
        failures.extend(Failure(fmt, seed, *json.loads(line)) for line in report)
    _, status = os.waitpid(child, 0)
    reached = int.from_bytes(position[:], "little")
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        what = f"more than {LIMIT_SECONDS} s" if name == "SIGPROF" else f"killed by {name}"
        failures.append(Failure(fmt, seed, reached, what))
        return reached + 1
    if os.WEXITSTATUS(status) != 0:
        failures.append(Failure(fmt, seed, reached, f"the child ended with status {os.WEXITSTATUS(status)}"))
        return reached + 1
    return reached


def _read_inputs(
    fmt: str, seed: int, numbers: range, seeds: list[bytes], deadline: float | None, position: mmap.mmap
) -> Iterator[tuple[int, str]]:
    """In the child: yields the failures that can be caught."""
    faulthandler.disable()  # a crash is the parent's to report
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    reader = detect_format("-", fmt)[0].load_reader()
    start_size = 0
    for number in numbers:
        position[:] = number.to_bytes(8, "little")
        if deadline is not None and number % 16 == 0 and time.monotonic() >= deadline:
            return
        data = make_input(fmt, seed, number, seeds)
        size = _address_space()
        if number == numbers.start + 1000:
            start_size = size
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if LIMIT_MEMORY:
            resource.setrlimit(resource.RLIMIT_AS, (size + RATIO * len(data) + FREE_BYTES, hard))
        signal.setitimer(signal.ITIMER_PROF, LIMIT_SECONDS)
        what = None
        aig = None
        try:
            aig = reader(data)
        except DynomiteError:
            pass
        except MemoryError:
            what = f"more memory than {RATIO} times {len(data)} bytes + {FREE_BYTES >> 20} MiB"
        except BaseException:
            what = traceback.format_exc()
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        if aig is not None and len(aig) <= CHECKED_NODES:
            try:
                check_accepted(aig, fmt)
            except BaseException:
                what = "accepted, then:\n" + traceback.format_exc()
        if what is not None:
            yield number, what
    signal.setitimer(signal.ITIMER_PROF, 0)
    position[:] = numbers.stop.to_bytes(8, "little")
    grown = _address_space() - start_size
    if LIMIT_MEMORY and start_size and grown > FREE_BYTES:
        yield numbers.start, f"{grown} bytes lost over {len(numbers)} inputs"


def _address_space() -> int:
    with open("/proc/self/statm", "rb") as statm:
        return int(statm.read().split()[0]) * mmap.PAGESIZE


_WRITTEN = {entry.name for entry in known_formats() if entry.writer is not None}


def _has_line_ends(aig: Aig) -> bool:
    names = (name for section in SECTIONS for name in aig.names(section) if name is not None)
    return any("\n" in name or "\0" in name for name in names)


def check_accepted(aig: Aig, fmt: str) -> None:
    """What was read can be written, and reads back with the same ports, names, resets and gates."""
    for target in {fmt, "aag", "aig"} & _WRITTEN:
        stream = io.BytesIO()
        if target in ("aag", "aig") and _has_line_ends(aig):
            try:
                write_circuit(aig, stream, target)
            except UsageError:
                continue
            raise AssertionError("AIGER was written with a line end in a name")
        write_circuit(aig, stream, target)
        again = read_circuit(stream.getvalue(), target)
        for section in SECTIONS if target in ("aag", "aig") else ("inputs", "outputs"):
            assert again.names(section) == aig.names(section), (target, section)
        assert again.resets == aig.resets, target
        if target == "aag":
            assert again.num_ands == aig.num_ands
            once = io.BytesIO()
            write_circuit(again, once, target)
            assert once.getvalue() == stream.getvalue(), target


def main() -> int:
    """Runs the fuzzer over the formats in turn."""
    parser = argparse.ArgumentParser(description="Fuzzes the readers of circuit files.")
    parser.add_argument(
        "--count", type=int, default=1_000_000, help="inputs, over all formats (default 10^6)"
    )
    parser.add_argument("--seconds", type=float, help="time, over all formats (default: no limit)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", action="append", dest="formats", help="may be repeated; default all")
    parser.add_argument("--show", type=int, help="write the input with this number to standard output")
    options = parser.parse_args()
    formats: list[str] = options.formats or available_formats()
    if options.show is not None:
        data = make_input(formats[0], options.seed, options.show, load_seeds(formats[0]))
        sys.stdout.buffer.write(data)
        return 0
    failures: list[Failure] = []
    for fmt in formats:
        start = time.monotonic()
        seconds = options.seconds / len(formats) if options.seconds else None
        done, found = fuzz(fmt, options.seed, -(-options.count // len(formats)), seconds)
        failures += found
        print(f"{fmt}: {done} inputs, {len(found)} failures, {time.monotonic() - start:.1f} s", flush=True)
        for failure in found:
            print(failure, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
