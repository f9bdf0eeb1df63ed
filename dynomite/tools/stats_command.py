"""`dynomite stats FILE`: what a circuit consists of."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import click

from dynomite.formats.base import read_circuit
from dynomite.tools.cli import Exit

_EPILOG = """\b
Example:
  dynomite stats adder.aig --json
  dynomite stats multiplier.aig --arith

Exit status: 0 done, 2 bad input or usage, 130 interrupted.
"""


@click.command("stats", epilog=_EPILOG)
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--arith", is_flag=True, help="Find adders and multipliers too.")
@click.option("--from", "fmt", metavar="FORMAT", help="Format of FILE, instead of by its suffix.")
def command(file: str, *, as_json: bool, arith: bool, fmt: str | None) -> int:
    """Print the size of circuit FILE: inputs, outputs, latches, ANDs, levels (inputs to outputs) and more."""
    notes: list[str] = []
    aig = read_circuit(file, fmt, notes=notes)
    figures = aig.stats()
    found: Any = None
    if arith:
        found = import_module("dmt_dialect.arith").find_arithmetic(aig)
    if as_json:
        arithmetic = {"arithmetic": found.as_dict()} if arith else {}
        click.echo(json.dumps({"file": file, "name": aig.name, **figures, **arithmetic}, indent=2))
    else:
        width = max(len(key) for key in figures)
        for key, value in figures.items():
            click.echo(f"{key.replace('_', ' '):{width}} {value}")
        if arith:
            click.echo(f"arithmetic:\n{found}")
    for note in notes:
        click.echo(f"dynomite: note: {note}", err=True)
    return Exit.YES
