"""The verb `sim` of the command line."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

_HELP = """Simulate a circuit and print the values of its signals.

Prints comment lines with the names, then one line a pattern: its number, the inputs, the outputs, and
bad-state properties and constraints where there are any; one character a signal in the order of the names. A
circuit with latches is simulated clock cycle by clock cycle from reset: one line a cycle, with the latches
after the inputs; all values are those before the clock edge. Without --random, --exhaustive and --vectors
there are 16 random patterns or cycles.

\b
  $ dynomite sim half_adder.aag --exhaustive
  # half_adder.aag: all patterns of 2 inputs
  # inputs: a b
  # outputs: sum carry
  # pattern inputs outputs
  0 00 00
  1 10 10
  2 01 10
  3 11 01

\b
A vectors file holds one vector a line, 0, 1 or x (with --x) for each input, in the order
of the circuit or of a header line; a line of - is a vector for a circuit without inputs;
AIGER witnesses are read too:
  # comment
  .inputs b a
  00
  10

With --json: an object with circuit, kind, steps, source, seed, notes and, for each section (inputs, latches,
outputs, bad, constraints), its names and values, one string a step.
"""


@click.command("sim", help=_HELP)
@click.argument("file")
@click.option(
    "--random", "random_", type=click.IntRange(min=0), metavar="N", help="N random patterns or cycles."
)
@click.option("--seed", type=int, default=1, show_default=True, metavar="S", help="Seed of random values.")
@click.option("--exhaustive", is_flag=True, help="All combinations of at most 24 inputs; input i is bit i.")
@click.option("--vectors", metavar="FILE", help="Input values from FILE; - is standard input.")
@click.option("--x", "ternary", is_flag=True, help="Three-valued; latches without reset value start at x.")
@click.option(
    "--uninit",
    type=click.Choice(["0", "1", "random"]),
    default="0",
    show_default=True,
    help="What latches without a reset value start with, without --x.",
)
@click.option("--vcd", metavar="FILE", help="Write waveforms to FILE, a time step a pattern or cycle.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print no values.")
@click.option("--from", "fmt", metavar="FORMAT", help="Format of FILE, instead of by its suffix.")
def command(
    file: str,
    random_: int | None,
    seed: int,
    exhaustive: bool,
    vectors: str | None,
    ternary: bool,
    uninit: str,
    vcd: str | None,
    as_json: bool,
    quiet: bool,
    fmt: str | None,
) -> None:
    """Runs `dynomite sim`."""
    # By name: packages import towards `dynomite`, never back.
    report: Any = import_module("dmt_dialect.sim_report")
    options = report.SimOptions(
        fmt=fmt,
        random=random_,
        exhaustive=exhaustive,
        seed=seed,
        vectors=vectors,
        ternary=ternary,
        uninitialised=uninit,
    )
    for note in report.print_sim(file, options, as_json=as_json, vcd=vcd, quiet=quiet):
        click.echo(f"dynomite: note: {note}", err=True)
