"""The verb `exec` of the command line."""

from __future__ import annotations

import importlib
import json
import os
import shlex
import signal
import sys
import tempfile
from typing import TYPE_CHECKING, Any

import click

from dynomite.tools.cli import Exit
from dynomite.tools.interruption import Interruption
from dynomite.tools.progress_bar import ProgressBar

if TYPE_CHECKING:
    from dynomite.exec import Executor, Plan, Record, Report
    from dynomite.ir import Module

_HELP = """Execute a graph of steps written in FILE, beside the code it works on.

\b
  let prog = CFG { ... }
  let test = ExecutionGraph {
    core.exec.cse def(%a) %prog
    core.exec.print %a
  }

\b
  $ dynomite exec FILE --graph test
  $ dyno-cli -exec=test FILE

Without --graph there must be exactly one graph. Steps that do not depend on each other run at the same time;
what is printed does not depend on that. Counts go to standard error.

Exit status: 0 done, 1 a comparison found a difference, 2 bad input, usage or a step that failed, 3 undecided
or out of time, 130 interrupted.
"""


@click.command("exec", help=_HELP)
@click.argument("file", type=click.Path())
@click.option("--graph", "-g", metavar="NAME", help="The graph to execute.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Threads [default: processors].")
@click.option(
    "--executor",
    type=click.Choice(["threads", "dask"]),
    default="threads",
    show_default=True,
    help="Run steps here, or those that can be shipped on a Dask cluster.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler [default: a cluster on this machine].")
@click.option("--cache", metavar="DIR", help="Keep results of steps in DIR, and take them from there.")
@click.option(
    "--load", "modules", metavar="MODULE", multiple=True, help="Import a Python module with more steps."
)
@click.option("--timeout", type=click.FloatRange(min=0), metavar="S", help="End after S seconds.")
@click.option("--plan", "only_plan", is_flag=True, help="Print the plan, execute nothing.")
@click.option("--stats", is_flag=True, help="Print time and memory of each step as a tree.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON on standard output.")
@click.option("--reproducer", metavar="FILE", help="Where the reproducer goes if a step fails.")
@click.option("-q", "--quiet", is_flag=True, help="Print no counts.")
def command(
    file: str, *, timeout: float | None, as_json: bool, stats: bool, quiet: bool, **options: Any
) -> int:
    """Runs `dynomite exec`."""
    from dynomite.errors import ExecutionError
    from dynomite.exec import Cache, Options, run_plan

    with Interruption() as interruption, ProgressBar() as bar:
        stop = interruption.stop
        if timeout is not None:
            stop.set_timeout(timeout)
        for name in options["modules"]:
            _load(name)
        module, source = _read(file, stop)
        try:
            plan = _plan(module, file, options["graph"])
            if options["only_plan"]:
                click.echo(str(plan))
                return Exit.YES
            executor = _executor(options["executor"], options["scheduler"], options["modules"])
            try:
                report = run_plan(
                    plan,
                    Options(
                        jobs=options["jobs"],
                        executor=executor,
                        cache=Cache(options["cache"]),
                        stop=stop,
                        on_record=lambda record: _show(record, counts=not (quiet or as_json or stats)),
                        on_progress=bar.steps if sys.stderr.isatty() else None,
                        measure=stats or as_json,
                    ),
                )
            finally:
                if executor is not None:
                    executor.close()
        except ExecutionError as error:
            return _failed(error, source, module, options)
    if as_json:
        click.echo(json.dumps(report.to_dict()))
    if stats:
        click.echo(str(report), err=True)
    return _status(report, interruption.signal)


def _load(name: str) -> None:
    from dynomite.errors import UsageError

    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        importlib.import_module(name)
    except ImportError as error:
        raise UsageError(f"--load {name}: {error}") from error


def _read(file: str, stop: Any) -> tuple[Module, bytes]:
    from dynomite.exec import graph_context
    from dynomite.formats.streams import read_source
    from dynomite.ir.text import parse

    source, name = read_source(file)
    return parse(source, graph_context(), path=name, locations=True, stop=stop), source


def _plan(module: Module, file: str, graph: str | None) -> Plan:
    from dynomite.errors import UsageError
    from dynomite.exec import graphs, plan_graph

    known = graphs(module)
    names = ", ".join(known) or "none"
    if graph is None and len(known) != 1:
        raise UsageError(f"{file}: --graph is needed unless there is exactly one graph (there are: {names})")
    name = next(iter(known)) if graph is None else graph
    if name not in known:
        raise UsageError(f"{file}: no execution graph '{name}' (there are: {names})")
    return plan_graph(module, known[name])


def _executor(name: str, address: str | None, modules: tuple[str, ...]) -> Executor | None:
    from dynomite.errors import UsageError

    if name == "dask":
        from dynomite.exec.dask_executor import DaskExecutor

        return DaskExecutor(address, modules=modules)
    if address is not None:
        raise UsageError("--scheduler goes with --executor dask")
    return None


def _show(record: Record, *, counts: bool) -> None:
    if record.text:
        click.echo(record.text, nl=False)
    for note in record.notes:
        click.echo(f"dynomite: note: {note}", err=True)
    if counts and record.stats:
        text = ", ".join(f"{key} {value}" for key, value in record.stats.items())
        mark = f" [{record.state}]" if record.state == "cached" else ""
        click.echo(f"{record.name}{mark}: {text}", err=True)


def _failed(error: Any, source: bytes, module: Module, options: dict[str, Any]) -> int:
    """Shows a failure with its line, and writes the reproducer of a step that raised."""
    from dynomite.exec.reproducing import write_reproducer

    lines = [f"dynomite: {error}"]
    if error.place:
        line, column = (int(part) for part in error.place.rsplit(":", 2)[1:])
        rows = source.split(b"\n")
        if 0 < line <= len(rows):
            row = rows[line - 1].decode("utf-8", "replace").rstrip("\r")[:200]
            lines += [f"    {row}", f"    {' ' * max(0, column - 1)}^"]
    if error.stage == "running" and error.plan is not None:
        path = options["reproducer"]
        if path is None:
            folder = tempfile.mkdtemp(prefix="dynomite-")
            path = os.path.join(folder, f"{error.graph}.dyno")
        try:
            write_reproducer(path, module, error.plan, error, shlex.join(sys.argv))
            lines.append(f"dynomite: note: the reproducer is {path}")
        except OSError as trouble:
            lines.append(f"dynomite: warning: no reproducer: {path}: {trouble.strerror}")
    click.echo("\n".join(lines), err=True)
    from dynomite.errors import DynomiteError

    known = error.cause is None or isinstance(error.cause, DynomiteError | OSError)
    if not known and "--debug" in sys.argv:
        raise error
    return Exit.BAD_INPUT if known else Exit.BUG


def _status(report: Report, caught: int | None) -> int:
    """The exit status: interrupted, different, undecided or done, the first that is so."""
    waiting = list(report.records)
    seen: set[str] = set()
    while waiting:
        record = waiting.pop()
        seen.add(str(record.stats.get("status")))
        waiting += record.inner
    if caught is not None and (report.stop != "none" or "undecided" in seen):
        return Exit.INTERRUPTED if caught == signal.SIGINT else Exit.TERMINATED
    if "different" in seen:
        return Exit.DIFFERENT
    return Exit.UNDECIDED if report.stop != "none" or "undecided" in seen else Exit.YES
