"""`dynomite convert IN OUT`: from one file format to another."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from dynomite.formats.base import detect_format, read_circuit, split_module, write_circuit
from dynomite.tools.cli import Exit

_BLIF = ("blif", "eblif")
_WORDS_READ, _WORDS_WRITTEN = ("dyno", "json"), ("dyno", "v", "smt2")

_EPILOG = """\b
Examples:
  dynomite convert adder.aig.xz adder.blif
  generate | dynomite convert --from aag - adder.aig
  dynomite convert design.dyno::top top.v

Exit status: 0 done, 2 bad input or usage, 130 interrupted.
"""


@click.command("convert", epilog=_EPILOG)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--from", "source_format", metavar="FORMAT", help="Format of IN, instead of by its suffix.")
@click.option("--to", "target_format", metavar="FORMAT", help="Format of OUT, instead of by its suffix.")
@click.option(
    "--flat",
    is_flag=True,
    help="From BLIF to BLIF: flatten and resolve, instead of keeping hierarchy; from words: to gates.",
)
@click.option(
    "--library", metavar="FILE", help="Cells of a mapped BLIF netlist: a genlib or Liberty file; flattens."
)
def command(
    source: str,
    target: str,
    *,
    source_format: str | None,
    target_format: str | None,
    flat: bool,
    library: str | None,
) -> int:
    """Convert circuit file IN to OUT.

    Formats go by the suffix (.aag .aig .blif .eblif .bench .dyno, .json of Yosys to read, .v .smt2 to write,
    each also with .gz .xz .zst) or by --from and --to; "-" is standard input or output. What the target
    format cannot hold is left out, with a warning.
    """
    given, _ = detect_format(source, source_format)
    wanted, _ = detect_format(target, target_format)
    notes: list[str] = []
    if given.name in _WORDS_READ and wanted.name in _WORDS_WRITTEN and not flat:
        words: Any = import_module("hw_dialect.convert")
        path, module = split_module(source)
        notes += words.convert_words(path, target, given.name, wanted.name, top=module)
        return _done(notes)
    if given.name in _BLIF and wanted.name in _BLIF and not flat and library is None:
        # As a netlist, so that hierarchy, attributes and don't-cares stay.
        blif: Any = import_module("hw_dialect.formats.blif")
        circuit = blif.read_netlist(source)
    else:
        circuit = read_circuit(source, source_format, notes=notes, library=library)
    write_circuit(circuit, target, target_format, drop_properties=True, notes=notes)
    return _done(notes)


def _done(notes: list[str]) -> int:
    for note in notes:
        click.echo(f"dynomite: warning: {note}", err=True)
    return Exit.YES
