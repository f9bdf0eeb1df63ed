"""`dyno-cli -exec=NAME FILE ...`: `dynomite exec FILE --graph NAME ...` for the RUN lines of file tests."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from dynomite.tools.cli import Exit
from dynomite.tools.cli import main as run

_USAGE = """Usage: dyno-cli -exec=GRAPH FILE [OPTIONS]

Execute the graph GRAPH of FILE: short for `dynomite exec FILE --graph GRAPH`, whose options
`dynomite exec --help` lists.

Example:
  dyno-cli -exec=compare examples/flow.dyno -q

All else is as for `dynomite`."""


def translate(arguments: Sequence[str]) -> list[str]:
    """The arguments of `dynomite` that mean the same; without `-exec` they stay as they are."""
    rest: list[str] = []
    graph: str | None = None
    given = iter(arguments)
    for argument in given:
        name, equals, value = argument.partition("=")
        if name in ("-exec", "--exec"):
            graph = value if equals else next(given, "")
        else:
            rest.append(argument)
    return list(arguments) if graph is None else ["exec", "--graph", graph, *rest]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if not given or given[0] in ("-h", "--help"):
        asked = bool(given)
        print(_USAGE, file=sys.stdout if asked else sys.stderr)
        return Exit.YES if asked else Exit.BAD_INPUT
    return run(translate(given))


if __name__ == "__main__":
    sys.exit(main())
