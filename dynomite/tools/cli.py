"""The command line: `dynomite VERB ...`.

Verbs are imported when they are asked for, so that `dynomite --version` loads nothing of them. Every way a
command can end is turned into an exit status here.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from enum import IntEnum

import click

import dynomite
from dynomite.errors import DynomiteError, ParseError, VerifyError

COMMANDS = {
    "lec": "dynomite.tools.lec_command",
    "check-proof": "dynomite.tools.check_proof_command",
    "convert": "dynomite.tools.convert_command",
    "stats": "dynomite.tools.stats_command",
    "sim": "dynomite.tools.sim_command",
    "sweep": "dynomite.tools.sweep_command",
    "opt": "dynomite.tools.opt_command",
    "solve": "dynomite.tools.solve_command",
    "rewrite": "dynomite.tools.rewrite_command",
    "check-rules": "dynomite.tools.check_rules_command",
    "exec": "dynomite.tools.exec_command",
}
"""Verb, module whose `command` it is."""


class Exit(IntEnum):
    """Exit statuses, a stable contract."""

    YES = 0
    DIFFERENT = 1
    BAD_INPUT = 2
    UNDECIDED = 3
    BUG = 70
    INTERRUPTED = 130
    CLOSED_PIPE = 141
    TERMINATED = 143


class _LazyGroup(click.Group):
    """A group that imports a verb when it is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        return importlib.import_module(COMMANDS[cmd_name]).command


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 yes or done, 1 different, 2 bad input or usage, 3 undecided, 130 interrupted.",
)
@click.version_option(dynomite.__version__, message="dynomite %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of internal errors.")
def cli(debug: bool) -> None:
    """Prove circuits equal, optimise, simulate and convert them.

    Formats go by the file's suffix: .aag .aig .blif .eblif .bench .dyno (FILE::MODULE is one module), .json
    of Yosys, each also with .gz .xz .zst.
    """
    del debug  # looked up in the context by `main`


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    _open_closed_streams()
    _keep_odd_names(sys.stdout)
    _keep_odd_names(sys.stderr)
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads any more; nothing may be written when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.CLOSED_PIPE
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted", Exit.INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return Exit.BAD_INPUT
    except click.ClickException as error:
        return _usage_error(error)
    except (ParseError, VerifyError) as error:  # their texts have places
        click.echo(f"dynomite: {error}", err=True)
        return Exit.BAD_INPUT
    except DynomiteError as error:
        return _fail(f"error: {error}", Exit.BAD_INPUT)
    except OSError as error:
        where = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
        return _fail(f"{where}error: {error.strerror or error}", Exit.BAD_INPUT)
    except MemoryError:
        return _fail("error: out of memory", Exit.UNDECIDED)
    except Exception as error:  # a bug, whatever it is
        if "--debug" in arguments:
            traceback.print_exc()
        text = f"internal error, please report it: {type(error).__name__}: {error}"
        return _fail(f"{text}\n(`dynomite --debug ...` shows where it happened)", Exit.BUG)
    return status if isinstance(status, int) else Exit.YES


def _run(arguments: Sequence[str]) -> object:
    """Runs a command. Not by click's own `main`, which turns a closed pipe into status 1, "different"."""
    try:
        with cli.make_context("dynomite", list(arguments)) as context:
            return cli.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code


def _open_closed_streams() -> None:
    """Streams that were closed before the start (`>&-`) lead nowhere, and no file gets their numbers."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:  # Python itself has opened something there
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _keep_odd_names(stream: object) -> None:
    """Names of circuits hold any bytes; printing them must neither fail nor change them."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        utf8 = str(getattr(stream, "encoding", "")).lower().replace("-", "") == "utf8"
        reconfigure(errors="surrogateescape" if utf8 else "backslashreplace")


def _fail(text: str, status: Exit) -> Exit:
    click.echo(f"dynomite: {text}", err=True)
    return status


def _usage_error(error: click.ClickException) -> Exit:
    lines = [f"error: {error.format_message()}"]
    if isinstance(error, click.UsageError) and error.ctx is not None:
        lines.append(f"(`{error.ctx.command_path} --help` shows what there is)")
    return _fail("\n".join(lines), Exit.BAD_INPUT)


if __name__ == "__main__":
    sys.exit(main())
