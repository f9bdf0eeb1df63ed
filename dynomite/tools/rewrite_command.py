"""`dynomite rewrite IN OUT`: apply rewrite rules to word-level modules."""

from __future__ import annotations

import dataclasses
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
  dynomite rewrite design.dyno smaller.dyno --rules words --saturate --cost ands

A wrong rule is found by bisection over --rewrite-limit. Rules are text (docs/rewriting.md) or a library:
words, boolean, smt; without --rules those in IN itself. With --saturate all that rules say is gathered
first, whatever their order, and the cheapest of it taken; reaching a bound of that is no error.

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
    help="In which order instructions are looked at: greedy by default.",
)
@click.option("--rewrite-limit", type=click.IntRange(min=0), metavar="N", help="Apply rules N times at most.")
@click.option(
    "--rounds", type=click.IntRange(min=1), help="Bound of sweeps (1000), or of rounds of saturation (30)."
)
@click.option("--trace", is_flag=True, help="Show each application, before and after, on standard error.")
@click.option("--saturate", is_flag=True, help="Equality saturation instead of one rule after the other.")
@click.option(
    "--cost",
    type=click.Choice(["ands", "levels"]),
    help="With --saturate: what is made small, AND nodes (the default) or their levels.",
)
@click.option(
    "--max-nodes", type=click.IntRange(min=0), help="With --saturate: operations rules may add (10000)."
)
@click.option(
    "--ignore-use-counts",
    is_flag=True,
    help="With --saturate: use rules with one_use(...) too, without that.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def command(
    source: str,
    target: str,
    *,
    rules: str | None,
    order: str | None,
    rewrite_limit: int | None,
    rounds: int | None,
    trace: bool,
    saturate: bool,
    cost: str | None,
    max_nodes: int | None,
    ignore_use_counts: bool,
    as_json: bool,
) -> int:
    """Apply rewrite rules to the modules of IN (.dyno) and write the result to OUT.

    Rules are tried in their order at each instruction until none applies any more. Pure operations that
    nothing uses any more are dropped.
    """
    if as_json and target == "-":
        raise click.UsageError("with --json the module cannot go to standard output too")
    if saturate and (order is not None or rewrite_limit is not None or trace):
        raise click.UsageError("--order, --rewrite-limit and --trace do not go with --saturate")
    if not saturate and (cost is not None or max_nodes is not None or ignore_use_counts):
        raise click.UsageError("--cost, --max-nodes and --ignore-use-counts need --saturate")
    dyno: Any = importlib.import_module("hw_dialect.formats.dyno")
    module = dyno.read_module(source)
    chosen = _rules(module, source, rules)
    start = time.monotonic()
    with Interruption() as interruption:
        if saturate:
            report = _saturate(module, chosen, cost, max_nodes, rounds, ignore_use_counts, interruption.stop)
        else:
            report = importlib.import_module("dynomite.rewriting.driver").apply_rules(
                module,
                chosen,
                driver=order or "greedy",
                max_rounds=rounds or 1000,
                limit=rewrite_limit,
                trace=_show if trace else None,
                stop=interruption.stop,
            )
    if interruption.signal is not None:
        raise KeyboardInterrupt
    if not saturate:
        report.check_settled()
    for note in dyno.write_dyno(module, target):
        click.echo(f"dynomite: warning: {note}", err=True)
    seconds = time.monotonic() - start
    if as_json:
        summary = _saturation_summary if saturate else _summary
        click.echo(json.dumps(summary(report, seconds), indent=2))
    elif target != "-":
        (_print_saturation if saturate else _print)(report, seconds)
    return Exit.YES


def _saturate(
    module: Any,
    rules: Any,
    cost: str | None,
    max_nodes: int | None,
    rounds: int | None,
    ignore_use_counts: bool,
    stop: Any,
) -> Any:
    costs: Any = importlib.import_module("dmt_dialect.rewriting.costs")
    saturation: Any = importlib.import_module("dynomite.rewriting.saturation")
    return saturation.saturate(
        module,
        rules,
        cost=costs.cost_named(cost or "ands"),
        max_nodes=10_000 if max_nodes is None else max_nodes,
        max_rounds=rounds or 30,
        ignore_use_counts=ignore_use_counts,
        stop=stop,
    )


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


def _saturation_summary(report: Any, seconds: float) -> dict[str, Any]:
    return {**dataclasses.asdict(report), "seconds": round(seconds, 3)}


def _print_saturation(report: Any, seconds: float) -> None:
    applied = cast("dict[str, int]", report.applied)
    for name, count in sorted(applied.items(), key=lambda entry: -entry[1]):
        click.echo(f"{count:8} {name}")
    if report.not_applicable:
        click.echo(f"{len(report.not_applicable)} rules are not applicable (--json names them)")
    ended = "" if report.end == "saturated" else f", ended by the bound of {report.end}"
    click.echo(
        f"cost {report.cost_before} -> {report.cost_after}, {report.operations} operations, "
        f"{report.nodes} added in {report.rounds} rounds, {report.replaced} replaced by {report.made}, "
        f"{seconds:.2f} s{ended}"
    )
