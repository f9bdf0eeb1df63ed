"""`dynomite sweep IN OUT`: merge equal logic."""

from __future__ import annotations

import json

import click

import dynomite
from dynomite.errors import VerifyError
from dynomite.formats.base import detect_format
from dynomite.tools.cli import Exit
from dynomite.tools.interruption import Interruption
from dynomite.tools.progress_bar import ProgressBar

_EPILOG = """\b
Example:
  dynomite sweep big.aig small.aig --verify

Exit status: 0 done, 2 bad input or usage, 3 the check of --verify was undecided (nothing is written),
130 interrupted (nothing is written).
"""


@click.command("sweep", epilog=_EPILOG)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--verify", is_flag=True, help="Prove the result equal to the input before it is written.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option(
    "--conflicts",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Conflicts a proof may take.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of random patterns.")
def command(source: str, target: str, *, verify: bool, as_json: bool, conflicts: int, seed: int) -> int:
    """Merge nodes of IN that are proved equal, and write the smaller circuit to OUT.

    Ports, names, latches and properties stay as they are. Latches are cut and constraints are not used:
    only what holds in every state is merged.
    """
    detect_format(target)  # before the work, not after it
    with Interruption() as interruption, ProgressBar() as bar:
        try:
            swept, stats = dynomite.sweep(
                source,
                verify=verify,
                conflict_limit=conflicts,
                seed=seed,
                progress=bar,
                cancel=interruption.stop,
            )
        except VerifyError as error:
            click.echo(f"dynomite: error: {error}", err=True)
            return Exit.UNDECIDED if interruption.signal is None else Exit.INTERRUPTED
    if interruption.signal is not None:
        raise KeyboardInterrupt
    dynomite.write(swept, target)
    text = f"{stats.ands_before} ANDs -> {stats.ands_after}, {stats.seconds:.2f} s"
    click.echo(json.dumps(stats.to_dict(), indent=2) if as_json else text)
    return Exit.YES
