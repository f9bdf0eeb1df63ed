"""`dynomite opt IN OUT`: synthesis by a pipeline of passes."""

from __future__ import annotations

import signal
from importlib import import_module
from typing import Any

import click

from dynomite.formats.base import detect_format, read_circuit, write_circuit
from dynomite.formats.streams import write_target
from dynomite.tools.cli import Exit
from dynomite.tools.interruption import Interruption
from dynomite.tools.progress_bar import ProgressBar

_EPILOG = """\b
Examples:
  dynomite opt big.aig small.aig --verify
  dynomite opt big.aig small.aig --recipe fast --report steps.html
  dynomite opt big.aig small.blif --pipeline "strash; until-converge(3){sweep}; lutmap(k=4)"

Exit status: 0 done, 1 the proof of --verify found a difference (nothing is written; please report it), 2 bad
input or usage, 3 the proof was undecided (nothing is written), 130 interrupted: what was reached is written,
unless the interrupt came in the proof.
"""


def _print_list(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    if value and not ctx.resilient_parsing:
        click.echo(import_module("dmt_dialect.synthesis.listing").listing())
        ctx.exit()


@click.command("opt", epilog=_EPILOG)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--pipeline", metavar="TEXT", help='Passes in text, such as "balance; rewrite; resub(k=8)".')
@click.option("--recipe", metavar="NAME", help="A pipeline by name [default: compress2rs].")
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_list,
    help="Print the passes, recipes and loops there are.",
)
@click.option("--verify", is_flag=True, help="Prove the result equal to IN before it is written.")
@click.option("--report", metavar="FILE.html", help="Write a page with the sizes after each step.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures of all steps as JSON.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Take the smallest circuit found in this time; a proof may take as long again.",
)
@click.option(
    "--conflicts", type=click.IntRange(min=1), help="Conflicts a proof inside of a pass may take at most."
)
@click.option(
    "--threads", type=click.IntRange(min=1), metavar="N", help="Threads for passes [default: processors]."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of random choices.")
@click.option("-v", "--verbose", is_flag=True, help="Print a line for each step, on standard error.")
def command(
    source: str,
    target: str,
    *,
    pipeline: str | None,
    recipe: str | None,
    verify: bool,
    report: str | None,
    as_json: bool,
    timeout: float | None,
    verbose: bool,
    **options: Any,
) -> int:
    """Make circuit IN smaller or shallower, and write it to OUT.

    Ports, names and properties stay as they are, and so do latches unless the pass scl is asked for. Formats
    go by the suffix; "-" does not work here, `dynomite convert` makes files of streams.
    """
    synthesis: Any = import_module("dmt_dialect.synthesis")
    steps = _pipeline(synthesis, pipeline, recipe)
    wanted, _ = detect_format(target)  # before the work, not after it
    wanted.load_writer()
    maps = any(step.entry.last for step in steps.calls())
    if maps and wanted.name not in ("blif", "eblif"):
        raise click.UsageError(
            f"the pipeline ends in look-up tables, which {wanted.title} cannot hold (take .blif)"
        )
    notes: list[str] = []
    aig = read_circuit(source, notes=notes)
    with Interruption() as interruption, ProgressBar() as bar:
        result = synthesis.optimize(
            aig,
            steps,
            timeout=timeout,
            progress=bar,
            on_step=_print_step if verbose else None,
            cancel=interruption.stop,
            **options,
        )
    for note in notes:
        click.echo(f"dynomite: note: {note}", err=True)
    if result.stop != "done":
        click.echo(f"dynomite: note: {result.stop}: the smallest circuit so far is taken", err=True)
    if maps and result.extra is None:
        click.echo("dynomite: error: there are no look-up tables yet; nothing is written", err=True)
        return Exit.UNDECIDED if interruption.signal is None else _status_of(interruption.signal)
    if verify:
        result, status = _proved(result, timeout, options["seed"])
        if status != Exit.YES:
            return status
    _write(result, target)
    if report is not None:
        page: str = import_module("dmt_dialect.synthesis.report_page").report_page(result, source)
        write_target(report, page.encode("utf-8", "xmlcharrefreplace"))
    click.echo(result.to_json() if as_json else str(result))
    return Exit.YES if interruption.signal is None else _status_of(interruption.signal)


def _pipeline(synthesis: Any, pipeline: str | None, recipe: str | None) -> Any:
    if pipeline is not None and recipe is not None:
        raise click.UsageError("--pipeline and --recipe exclude each other")
    known = synthesis.known_recipes()
    if recipe is not None and recipe not in known:
        raise click.UsageError(f"unknown recipe '{recipe}' (there are: {', '.join(known)})")
    if pipeline is not None:
        return synthesis.parse_pipeline(pipeline, "--pipeline")
    return synthesis.parse_pipeline(recipe or synthesis.DEFAULT_PIPELINE)


def _proved(result: Any, timeout: float | None, seed: int) -> tuple[Any, int]:
    """The result, proved, and status 0; or the status of a proof that failed, after saying so."""
    with Interruption() as interruption, ProgressBar() as bar:
        verdict = result.prove(timeout=timeout, seed=seed, progress=bar, cancel=interruption.stop)
    if verdict.equivalent:
        return result.as_verified(), Exit.YES
    what = "differs from the input, a bug: please report it" if verdict.different else "was not proved equal"
    click.echo(f"dynomite: error: the result {what}; nothing is written\n{verdict}", err=True)
    if verdict.different:
        return result, Exit.DIFFERENT
    return result, Exit.UNDECIDED if interruption.signal is None else _status_of(interruption.signal)


def _write(result: Any, target: str) -> None:
    notes: list[str] = []
    write_circuit(result.aig if result.extra is None else result.extra, target, notes=notes)
    for note in notes:
        click.echo(f"dynomite: warning: {note}", err=True)


def _print_step(step: Any) -> None:
    place = "".join(f"{name} / " for name in step.within)
    gained = f"{step.after.ands} ANDs ({-step.gain:+d}), {step.after.levels} levels, {step.seconds:.2f} s"
    ended = "" if step.stop == "none" else f" [{step.stop}]"
    click.echo(f"{place}{step.step}: {gained}{ended}", err=True)


def _status_of(number: int) -> int:
    return Exit.INTERRUPTED if number == signal.SIGINT else Exit.TERMINATED
