"""`dynomite rewrite IN OUT`: apply rewrite rules to word-level modules."""

from __future__ import annotations

import importlib
import json
import time
from typing import Any, cast

import click

from dynomite.errors import UsageError
from dynomite.tools.cli import Exit
from dynomite.tools.interruption import Interruption

_EPILOG = """\b
Examples:
  dynomite rewrite design.dyno smaller.dyno --rules words
  dynomite rewrite design.dyno out.dyno --rules mine.rules --trace
  dynomite rewrite design.dyno out.dyno --rules mine.rules --rewrite-limit 17

A wrong rule is found by bisection over --rewrite-limit. Rules are text (docs/rewriting.md) or a library:
words, boolean, smt; without --rules those in IN itself.

Exit status: 0 done, 2 bad input or usage, or rules that do not settle (nothing is written), 130 interrupted
(nothing is written).
"""


@click.command("rewrite", epilog=_EPILOG)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--rules", metavar="FILE|LIBRARY", help="The rules; by default those in IN.")
@click.option(
    "--order",
    type=click.Choice(["greedy", "sweep-down", "sweep-up"]),
    default="greedy",
    show_default=True,
    help="In which order instructions are looked at.",
)
@click.option("--rewrite-limit", type=click.IntRange(min=0), metavar="N", help="Apply rules N times at most.")
@click.option(
    "--rounds", type=click.IntRange(min=1), default=1000, show_default=True, help="Bound of sweeps."
)
@click.option("--trace", is_flag=True, help="Show each application, before and after, on standard error.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def command(
    source: str,
    target: str,
    *,
    rules: str | None,
    order: str,
    rewrite_limit: int | None,
    rounds: int,
    trace: bool,
    as_json: bool,
) -> int:
    """Apply rewrite rules to the modules of IN (.dyno) and write the result to OUT.

    Rules are tried in their order at each instruction until none applies any more. Pure operations that
    nothing uses any more are dropped.
    """
    if as_json and target == "-":
        raise click.UsageError("with --json the module cannot go to standard output too")
    dyno: Any = importlib.import_module("hw_dialect.formats.dyno")
    driver: Any = importlib.import_module("dynomite.rewriting.driver")
    module = dyno.read_module(source)
    chosen = _rules(module, source, rules)
    start = time.monotonic()
    with Interruption() as interruption:
        report = driver.apply_rules(
            module,
            chosen,
            driver=order,
            max_rounds=rounds,
            limit=rewrite_limit,
            trace=_show if trace else None,
            stop=interruption.stop,
        )
    if interruption.signal is not None:
        raise KeyboardInterrupt
    report.check_settled()
    for note in dyno.write_dyno(module, target):
        click.echo(f"dynomite: warning: {note}", err=True)
    seconds = time.monotonic() - start
    if as_json:
        click.echo(json.dumps(_summary(report, seconds), indent=2))
    elif target != "-":
        _print(report, seconds)
    return Exit.YES


def _rules(module: Any, source: str, rules: str | None) -> Any:
    libraries: Any = importlib.import_module("dmt_dialect.rewriting.libraries")
    if rules is not None:
        return libraries.load_rules(rules, context=module.context)
    own = libraries.rules_in(module)
    if not own.rules:
        raise UsageError(f"{source} has no rules; name a file or library with --rules")
    return own


def _show(application: object) -> None:
    click.echo(str(application), err=True)


def _summary(report: Any, seconds: float) -> dict[str, Any]:
    return {
        "applied": report.applied,
        "total": report.total,
        "end": report.end,
        "visited": report.visited,
        "erased": report.erased,
        "rounds": report.rounds,
        "seconds": round(seconds, 3),
    }


def _print(report: Any, seconds: float) -> None:
    applied = cast("dict[str, int]", report.applied)
    for name, count in sorted(applied.items(), key=lambda entry: -entry[1]):
        click.echo(f"{count:8} {name}")
    ended = "" if report.end == "fixed-point" else f", ended by the {report.end}"
    click.echo(f"{report.total} applications, {report.erased} operations dropped, {seconds:.2f} s{ended}")
