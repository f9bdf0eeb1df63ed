"""What `dynomite sim` does: simulate, then write the values as text, JSON and VCD."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from dmt_dialect.bit_rows import lines_of
from dmt_dialect.formats.vcd import Section, write_vcd
from dmt_dialect.formats.vectors import Vectors, quoted, read_vectors
from dmt_dialect.simulate import load, port_names, simulate, simulate_cycles
from dmt_dialect.simulation import Simulation
from dynomite._native.aig import Aig
from dynomite.errors import LimitError, UsageError
from dynomite.formats.streams import read_source, replacing

DEFAULT_STEPS = 16
"""Random patterns or cycles when the caller names no vectors."""

MAX_VALUES = 1 << 31
"""Values (steps x signals) one report may hold."""

_PORTION = 4096
_HEADINGS = {"next_states": "next"}


@dataclass(frozen=True)
class SimOptions:
    """Options of `dynomite sim`.

    Attributes:
        fmt: Format of the circuit file; None: by its suffix.
        random: Number of random patterns or cycles.
        exhaustive: All input combinations.
        seed: Seed of random values.
        vectors: Vectors file or AIGER witness; "-" is standard input.
        ternary: Three-valued: uninitialised latches start at X, vectors may hold x.
        uninitialised: What uninitialised latches start with when not three-valued.
    """

    fmt: str | None = None
    random: int | None = None
    exhaustive: bool = False
    seed: int = 1
    vectors: str | None = None
    ternary: bool = False
    uninitialised: Literal["0", "1", "random"] = "0"


@dataclass(frozen=True)
class SimReport:
    """A finished simulation with what the user should know about it."""

    path: str
    source: str
    simulation: Simulation
    notes: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """The values as text: comment lines with the names, then a line a step, a column a section."""
        run = self.simulation
        sections = list(run.sections())
        yield f"# {self.path}: {self.source}"
        for name, signals in sections:
            yield f"# {_HEADINGS.get(name, name)}: {' '.join(map(_shown, signals.names))}"
        headings = [_HEADINGS.get(name, name) for name, _ in sections]
        yield " ".join(["#", "cycle" if run.sequential else "pattern", *headings])
        for start in range(0, run.steps, _PORTION):
            stop = min(start + _PORTION, run.steps)
            columns = [lines_of(signals.table(0, start, stop)) for _, signals in sections]
            for step in range(start, stop):
                yield " ".join([str(step), *(column[step - start] for column in columns)])

    def to_json(self) -> dict[str, Any]:
        """The same as JSON: for each section the names and one string a step."""
        run = self.simulation
        result: dict[str, Any] = {
            "circuit": self.path,
            "kind": "sequential" if run.sequential else "combinational",
            "steps": run.steps,
            "source": self.source,
            "seed": run.seed,
            "notes": list(self.notes),
        }
        present = {"inputs": run.inputs, "outputs": run.outputs} | dict(run.sections())
        for name, signals in present.items():
            result[name] = {"names": list(signals.names), "values": signals.lines()}
        return result

    def write_vcd(self, target: str) -> None:
        """Writes a VCD file; "-" is standard output."""
        run = self.simulation
        sections = {name: Section(signals.names, signals.table()) for name, signals in run.sections()}
        module = Path(self.path).name.split(".")[0] if self.path != "-" else "top"
        text = write_vcd(sections, module=module or "top")
        if target == "-":
            sys.stdout.writelines(f"{line}\n" for line in text)
            return
        with replacing(target) as stream:
            stream.writelines(f"{line}\n".encode("ascii") for line in text)


def run_sim(path: str | os.PathLike[str], options: SimOptions) -> SimReport:
    """Reads the circuit and simulates it: patterns, or clock cycles when it has latches.

    Raises:
        ParseError: A file is not what its format says.
        UsageError: The options don't fit each other or the circuit.
        LimitError: More values than a report may hold.
    """
    if [options.random is not None, options.exhaustive, options.vectors is not None].count(True) > 1:
        raise UsageError("--random, --exhaustive and --vectors exclude each other")
    aig = load(path, options.fmt)
    vectors = _vectors_of(aig, options)
    count = len(vectors.table) if vectors is not None else options.random
    if count is None:
        count = 1 << min(aig.num_inputs, 64) if options.exhaustive else DEFAULT_STEPS
    signals = aig.num_inputs + aig.num_latches + aig.num_outputs + len(aig.bad) + len(aig.constraints)
    if count * signals > MAX_VALUES:
        raise LimitError(f"{count} steps of {signals} signals are more than {MAX_VALUES} values")
    unit = "cycle" if aig.num_latches else "pattern"
    source = f"{count} {unit}{'s' if count != 1 else ''} of {options.vectors}"
    if options.exhaustive:
        source = f"all patterns of {aig.num_inputs} input{'s' if aig.num_inputs != 1 else ''}"
    elif vectors is None:
        source = f"{count} random {unit}{'s' if count != 1 else ''}, seed {options.seed}"
    notes: list[str] = []
    if aig.num_latches:
        run = _run_cycles(aig, vectors, count, options, notes)
    else:
        run = simulate(
            aig,
            None if vectors is None else lines_of(vectors.table),
            random=count if vectors is None and not options.exhaustive else None,
            exhaustive=options.exhaustive,
            seed=options.seed,
            ternary=options.ternary,
        )
    notes += _property_notes(run, unit)
    return SimReport(os.fspath(path), source, run, tuple(notes))


def _shown(name: str) -> str:
    """A name for a text stream: bytes that are no UTF-8 become escapes."""
    return quoted(name).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _run_cycles(
    aig: Aig, vectors: Vectors | None, count: int, options: SimOptions, notes: list[str]
) -> Simulation:
    if options.exhaustive:
        raise UsageError("--exhaustive is for circuits without latches")
    state = None
    if vectors is not None and vectors.state is not None:
        state = lines_of(vectors.state.reshape(1, -1))[0]
    uninitialised = "x" if options.ternary else options.uninitialised
    unset = sum(reset is None and (state is None or state[i] == "x") for i, reset in enumerate(aig.resets))
    if unset:
        value = {"x": "unknown (x)", "random": "random values"}.get(uninitialised, uninitialised)
        notes.append(
            f"{unset} latch{'es have' if unset > 1 else ' has'} no reset value: started with {value}"
        )
    return simulate_cycles(
        aig,
        None if vectors is None else lines_of(vectors.table),
        random=count if vectors is None else None,
        seed=options.seed,
        uninitialised=uninitialised,
        state=state,
        ternary=options.ternary,
    )


def _vectors_of(aig: Aig, options: SimOptions) -> Vectors | None:
    if options.vectors is None:
        return None
    data, name = read_source(options.vectors)
    vectors = read_vectors(data, port_names(aig, "inputs"), latches=aig.num_latches, path=name)
    if not options.ternary and (vectors.table == ord("x")).any():
        raise UsageError(f"{name}: the vectors hold x; give --x for three-valued simulation")
    return vectors


def _property_notes(run: Simulation, unit: str) -> Iterator[str]:
    """The first step in which a constraint is broken or a bad state is reached."""
    for signals, value, what in (
        (run.constraints, ord("0"), "constraint {} does not hold"),
        (run.bad, ord("1"), "bad-state property {} is true"),
    ):
        if not len(signals):
            continue
        table = signals.table()
        for index, name in enumerate(signals.names):
            steps = (table[:, index] == value).nonzero()[0]
            if len(steps):
                yield f"{what.format(_shown(name))} in {unit} {steps[0]}"


def print_sim(path: str, options: SimOptions, *, as_json: bool, vcd: str | None, quiet: bool) -> list[str]:
    """Runs, writes the results to standard output and the VCD file, and returns the notes."""
    report = run_sim(path, options)
    if vcd is not None:
        report.write_vcd(vcd)
    if as_json:
        json.dump(report.to_json(), sys.stdout)
        sys.stdout.write("\n")
    elif not quiet and vcd != "-":
        sys.stdout.writelines(f"{line}\n" for line in report.lines())
    return list(report.notes)
