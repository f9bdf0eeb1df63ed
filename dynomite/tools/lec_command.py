"""`dynomite lec A B`: are two circuits equal?"""

from __future__ import annotations

import signal
from importlib import import_module
from typing import Any

import click

import dynomite
from dynomite.errors import UsageError
from dynomite.formats.streams import write_target
from dynomite.tools.cli import Exit
from dynomite.tools.interruption import Interruption
from dynomite.tools.progress_bar import ProgressBar

_STATUS = {"equivalent": Exit.YES, "different": Exit.DIFFERENT, "undecided": Exit.UNDECIDED}

_EPILOG = """\b
Example:
  dynomite lec golden.aig optimised.blif --timeout 60 --json
  dynomite lec design.dyno::golden design.dyno::fast --vcd difference.vcd

Exit status: 0 equivalent, 1 different, 2 bad input or usage, 3 undecided, 130 interrupted.
"""


@click.command("lec", epilog=_EPILOG)
@click.argument("a")
@click.argument("b")
@click.option("--json", "as_json", is_flag=True, help="Print the whole verdict as JSON.")
@click.option(
    "--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="End undecided after this time."
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "sweep", "algebra", "sat", "bdd", "smt"]),
    default="auto",
    show_default=True,
    help="Sweeping with algebra and CaDiCaL beside it, or one engine alone.",
)
@click.option(
    "--proof",
    metavar="FILE",
    help="Write a proof of equivalence: DRAT with its clauses in FILE.cnf, or for arithmetic a certificate "
    "(see check-proof).",
)
@click.option(
    "--match",
    type=click.Choice(["auto", "name", "order", "function"]),
    default="auto",
    show_default=True,
    help="Pair ports by name or by position; auto takes names where both sides have them; function finds "
    "partners of ports without a common name by simulation.",
)
@click.option(
    "--complements", is_flag=True, help="With --match function: outputs may be complemented as well."
)
@click.option(
    "--vcd", metavar="FILE", help="Write the counterexample, if there is one, as a waveform to FILE."
)
@click.option(
    "--log", "log_file", metavar="FILE", help="Write the decisions of the run to FILE (- prints them)."
)
@click.option("--table", metavar="FILE", help="Write the counterexample, if there is one, as CSV to FILE.")
@click.option(
    "--explain", is_flag=True, help="If they differ: where it begins, and which single change would undo it."
)
@click.option("--svg", metavar="FILE", help="Draw where the difference begins; implies --explain.")
@click.option(
    "--residual",
    metavar="FILE",
    help="Write what is left of an undecided run to FILE: a circuit, or clauses (.cnf).",
)
@click.option("--free-inputs", is_flag=True, help="Leave inputs that only one circuit has free.")
@click.option("--library", metavar="FILE", help="Cells of mapped BLIF netlists: a genlib or Liberty file.")
@click.option("--care", metavar="FILE", help="Differences count where the one output of this circuit is 1.")
@click.option("--assume-constraints", is_flag=True, help="Take the constraints of both circuits to hold.")
@click.option(
    "--dont-cares", is_flag=True, help="Differences do not count where .exdc of A, a BLIF file, says so."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of random patterns.")
def command(
    a: str,
    b: str,
    *,
    as_json: bool,
    timeout: float | None,
    vcd: str | None,
    table: str | None,
    log_file: str | None,
    **options: Any,
) -> int:
    """Prove circuits A and B equal, or show where they differ.

    FILE.dyno::MODULE is one module of a file that holds several.

    Latches are cut: their next states are compared for every present state, and their resets must be equal.
    """
    if as_json and log_file == "-":
        raise UsageError("lec: --log - and --json both print; the JSON holds the log as the key 'log'")
    with Interruption() as interruption, ProgressBar() as bar:
        verdict = dynomite.lec(a, b, timeout=timeout, progress=bar, cancel=interruption.stop, **options)
    click.echo(verdict.to_json() if as_json else str(verdict))
    if verdict.counterexample is not None:
        _show_counterexample(verdict.counterexample, as_json=as_json, vcd=vcd, table=table)
    if log_file is not None:
        run_log: Any = import_module("dmt_dialect.run_log")
        write_target(log_file, "".join(f"{line}\n" for line in run_log.log_lines(verdict.log)).encode())
    if interruption.signal is not None and verdict.undecided:
        return Exit.INTERRUPTED if interruption.signal == signal.SIGINT else Exit.TERMINATED
    return _STATUS[verdict.status]


def _show_counterexample(
    counterexample: object, *, as_json: bool, vcd: str | None, table: str | None
) -> None:
    """Prints it as a table, and writes the files that are wanted."""
    # By name: packages import towards `dynomite`, never back.
    tables: Any = import_module("dmt_dialect.counterexample_table")
    if not as_json:
        for line in tables.counterexample_table(counterexample):
            click.echo(f"  {line}")
    if table is not None:
        write_target(table, tables.counterexample_csv(counterexample).encode())
    if vcd is not None:
        waveform: Any = import_module("dmt_dialect.counterexample_vcd")
        lines = waveform.counterexample_vcd(counterexample)
        write_target(vcd, "".join(f"{line}\n" for line in lines).encode())
