"""`dynomite check-proof PROOF`: does a proof hold?"""

from __future__ import annotations

import importlib
import json
from dataclasses import asdict
from typing import Any

import click

from dynomite.tools.cli import Exit
from dynomite.tools.interruption import Interruption

_EPILOG = """\b
Example:
  dynomite lec golden.aig optimised.blif --proof equal.drat
  dynomite check-proof equal.drat

Exit status: 0 verified, 1 rejected, 2 bad input or usage, 3 stopped, 130 interrupted.
"""

_STATUS = {"verified": Exit.YES, "rejected": Exit.DIFFERENT, "stopped": Exit.UNDECIDED}


@click.command("check-proof", epilog=_EPILOG)
@click.argument("proof")
@click.option("--cnf", metavar="FILE", help="The clauses it refutes; PROOF.cnf without this option.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def command(proof: str, *, cnf: str | None, as_json: bool) -> int:
    """Check a refutation in DRAT text form, step by step, with a checker of its own.

    Every step has to follow from those before it by unit propagation (RUP).
    """
    with Interruption() as interruption:
        check_proof = importlib.import_module("dmt_dialect.proof").check_proof
        check: Any = check_proof(proof, cnf, stop=interruption.stop)
    if as_json:
        click.echo(json.dumps(asdict(check)))
    else:
        click.echo(f"{check.result}: {check.clauses} clauses, {check.steps} steps")
        if check.reason:
            click.echo(check.reason)
    if interruption.signal is not None and check.result == "stopped":
        return Exit.INTERRUPTED
    return _STATUS[check.result]
