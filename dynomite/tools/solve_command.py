"""`dynomite solve FILE`: is it satisfiable?"""

from __future__ import annotations

import importlib
import signal
from typing import Any

import click

from dynomite.tools.cli import Exit
from dynomite.tools.interruption import Interruption

_STATUS = {"sat": Exit.YES, "unsat": Exit.DIFFERENT, "undecided": Exit.UNDECIDED}

_EPILOG = """\b
Examples:
  dynomite solve problem.smt2
  dynomite solve hard.cnf.xz --timeout 60 --proof hard.drat
  dynomite solve checker.aig --json

Exit status: 0 satisfiable, 1 unsatisfiable, 2 bad input or usage, 3 undecided, 130 interrupted. For a
script with several checks, the last one counts; one without any ends with 0.
"""


@click.command("solve", epilog=_EPILOG)
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON, and nothing else.")
@click.option(
    "--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="End undecided after this time."
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "circuit", "sat", "smt"]),
    default="auto",
    show_default=True,
    help="Gates, then CaDiCaL; gates alone (.smt2); CaDiCaL; z3.",
)
@click.option(
    "--proof",
    metavar="FILE",
    help="If it is unsatisfiable, write a DRAT proof, and its clauses to FILE.cnf (see check-proof).",
)
@click.option(
    "--from", "fmt", metavar="FORMAT", help="Format of FILE: cnf, smt2, aig...; else its suffix says it."
)
def command(file: str, *, as_json: bool, **options: Any) -> int:
    """Decide FILE: clauses (.cnf), an SMT-LIB 2 script (.smt2, logic QF_BV), or a circuit (.aig, .aag...).

    A script's responses are printed as SMT-LIB says, those of clauses as in the SAT competitions. Of a
    circuit it is asked whether some bad state (some output, if it has none) can be 1; latches are cut.
    """
    with Interruption() as interruption:
        solve = importlib.import_module("dmt_dialect.solve").solve
        write = None if as_json else click.echo
        answer: Any = solve(file, cancel=interruption.stop, write=write, **options)
    if as_json:
        click.echo(answer.to_json())
    elif answer.kind != "smt2":
        for line in answer.lines():
            click.echo(line)
    for text in answer.errors:
        click.echo(f"dynomite: {file}:{text.replace(': ', ': error: ', 1)}", err=True)
    if answer.status != "undecided":
        return _STATUS[answer.status]
    if interruption.signal is not None:
        return Exit.INTERRUPTED if interruption.signal == signal.SIGINT else Exit.TERMINATED
    if answer.reason == "no check":
        return Exit.YES
    if answer.reason != "timeout":  # an engine gave up or failed: its user has to know why
        click.echo(f"dynomite: {file}: undecided: {answer.reason}", err=True)
    return Exit.UNDECIDED
