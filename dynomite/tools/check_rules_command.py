"""`dynomite check-rules FILE`: prove rewrite rules."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import click

from dynomite.tools.cli import Exit
from dynomite.tools.interruption import Interruption

if TYPE_CHECKING:
    from dmt_dialect.rewriting.proving import RuleReport

_EPILOG = """\b
Examples:
  dynomite check-rules mine.rules
  dynomite check-rules words --only mul_three --json

FILE is text (docs/rewriting.md), or the name of a library: words, boolean, smt.

Exit status: 0 all rules are proved, 1 a rule is wrong, 2 bad input or usage (a rule is refused),
3 something is undecided, 130 interrupted.
"""


@click.command("check-rules", epilog=_EPILOG)
@click.argument("file", metavar="FILE")
@click.option("--json", "as_json", is_flag=True, help="Print the reports as JSON.")
@click.option("--only", multiple=True, metavar="RULE", help="Check this rule only; may be repeated.")
@click.option("--timeout", type=click.FloatRange(min=0), help="Seconds for everything.")
@click.option("--seed", type=int, default=1, show_default=True, help="Chooses the cases at large widths.")
def command(file: str, *, as_json: bool, only: tuple[str, ...], timeout: float | None, seed: int) -> int:
    """Prove that rewrite rules are sound, or show where they are not.

    At widths from 1 to 8 all cases go through the equivalence check, at widths from 16 to 64 some go to z3.
    Rules that call Python functions or match other operations than word operators are undecided.
    """
    libraries: Any = importlib.import_module("dmt_dialect.rewriting.libraries")
    proving: Any = importlib.import_module("dmt_dialect.rewriting.proving")
    rules = libraries.load_rules(file)
    known = {rule.name for rule in rules.rules}
    unknown = [name for name in only if name not in known]
    if unknown:
        raise click.UsageError(f"{file} has no rule {unknown[0]}")
    chosen = [rule for rule in rules.rules if not only or rule.name in only]
    reports: list[RuleReport] = []
    with Interruption() as interruption:
        if timeout is not None:
            interruption.stop.set_timeout(timeout)
        for rule in chosen:
            report = proving.check_rule(rule, seed=seed, stop=interruption.stop)
            if interruption.signal is not None:
                break
            reports.append(report)
            if not as_json and report.status != "proved":
                click.echo(_text(report))
    if as_json:
        click.echo(json.dumps(_summary(file, reports), indent=2))
    else:
        counts = _counts(reports)
        click.echo(
            f"{len(reports)} rules: {counts['proved']} proved, {counts['wrong']} wrong,"
            f" {counts['undecided']} undecided"
        )
    if interruption.signal is not None:
        raise KeyboardInterrupt
    return _status(reports)


def _text(report: RuleReport) -> str:
    place = report.location
    head = "" if place is None else f"{place.file}:{place.line}:{place.column}: "
    text = f"{head}{report.name}: {report.status}: {report.reason}"
    return text if report.counterexample is None else f"{text}\n    {report.counterexample}"


def _counts(reports: list[RuleReport]) -> dict[str, int]:
    return {
        status: sum(report.status == status for report in reports)
        for status in ("proved", "wrong", "undecided")
    }


def _summary(file: str, reports: list[RuleReport]) -> dict[str, Any]:
    return {"file": file, **_counts(reports), "rules": [report.as_dict() for report in reports]}


def _status(reports: list[RuleReport]) -> Exit:
    counts = _counts(reports)
    if counts["wrong"]:
        return Exit.DIFFERENT
    return Exit.UNDECIDED if counts["undecided"] else Exit.YES
