"""`dyno-cli -exec=NAME FILE ...`: `dynomite exec FILE --graph NAME ...` for the RUN lines of file tests."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from dynomite.tools.cli import main as run


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
    return run(translate(sys.argv[1:] if arguments is None else arguments))


if __name__ == "__main__":
    sys.exit(main())
