"""The verb `exec` of the command line."""

from __future__ import annotations

import json

import click

_HELP = """Execute a graph of passes written in FILE, beside the code it works on.

\b
  let prog = CFG { ... }
  let test = ExecutionGraph {
    core.exec.cse def(%a) %prog
    core.exec.print %a
  }

\b
  $ dynomite exec FILE --graph test

Steps run in the order of the file. Without --graph there must be exactly one graph. Counts of the passes go
to standard error, with --json to standard output as a list of steps.
"""


@click.command("exec", help=_HELP)
@click.argument("file", type=click.Path())
@click.option("--graph", "-g", metavar="NAME", help="The graph to execute.")
@click.option("--timeout", type=click.FloatRange(min=0), metavar="S", help="End after S seconds.")
@click.option("--json", "as_json", is_flag=True, help="Print the steps as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print no counts.")
def command(file: str, graph: str | None, timeout: float | None, as_json: bool, quiet: bool) -> None:
    """Runs `dynomite exec`."""
    from dynomite._native.base import Stop
    from dynomite._native.passes import clone_only
    from dynomite.errors import UsageError
    from dynomite.exec import EXEC, graphs, run_graph
    from dynomite.formats.streams import read_source
    from dynomite.ir import Context, InstrRef, load
    from dynomite.ir.text import parse, print_module

    context = Context()
    load(context, EXEC)
    stop = Stop()
    if timeout is not None:
        stop.set_timeout(timeout)
    source, name = read_source(file)
    module = parse(source, context, path=name, locations=True, stop=stop)
    known = graphs(module)
    if graph is None and len(known) != 1:
        names = ", ".join(known) or "none"
        raise UsageError(f"{file}: --graph is needed unless there is exactly one graph (there are: {names})")
    name = next(iter(known)) if graph is None else graph
    if name not in known:
        raise UsageError(f"{file}: no execution graph '{name}' (there are: {', '.join(known) or 'none'})")

    def show(target: InstrRef | None) -> None:
        shown = module if target is None else clone_only(target)
        click.echo(print_module(shown, declarations=target is None), nl=False)

    rows: list[dict[str, object]] = []
    for step in run_graph(module, known[name], show=show, stop=stop):
        result = step.result
        rows.append(
            {"pass": step.name, "changed": result.changed, "stop": result.stop, "stats": dict(result.stats)}
        )
        for note in result.notes:
            click.echo(f"dynomite: note: {note}", err=True)
        if not quiet and not as_json:
            counts = ", ".join(f"{key} {value}" for key, value in result.stats.items())
            click.echo(f"{step.name}: {counts}", err=True)
    if as_json:
        click.echo(json.dumps(rows))
