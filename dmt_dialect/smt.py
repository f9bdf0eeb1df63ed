"""SMT-LIB 2 scripts: reading them, running them, writing terms and circuits.

    answers = run_script("problem.smt2", write=print)

A script is read as a whole before its first command runs: every fault of syntax or sorts is found then,
with its place, and nothing has been answered. The logic is QF_BV with Bool (and the overflow predicates of
SMT-LIB 2.7).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import dynomite
from dmt_dialect.smt_engines import EngineName, Status
from dmt_dialect.smt_solver import SmtSolver
from dynomite._native import smt as _smt
from dynomite._native.base import Stop
from dynomite._native.smt import Command, CommandKind, Sort, Term, Terms, symbol_text, value_text
from dynomite.errors import LimitError, UsageError
from dynomite.formats.streams import Source, Target, read_source, write_target

if TYPE_CHECKING:
    from dynomite._native.aig import Aig
    from dynomite._native.word import BitVec

__all__ = [
    "Script",
    "ScriptResult",
    "Sort",
    "Term",
    "Terms",
    "read_smtlib",
    "run_script",
    "write_smtlib",
    "write_smtlib_aig",
]


@dataclass(frozen=True, slots=True)
class Script:
    """A script, read.

    Attributes:
        terms: The store of its terms.
        commands: Its commands in order, `(exit)` included.
    """

    terms: Terms
    commands: tuple[Command, ...]


def read_smtlib(source: Source, *, stop: Stop | None = None) -> Script:
    """Reads an SMT-LIB 2 script, strictly.

    Args:
        source: A path ("-" is standard input; .gz, .xz and .zst are unpacked), bytes, or a binary stream.
        stop: Ends the call.

    Raises:
        ParseError: with line and column: syntax, unknown names, sorts that do not fit.
        UsageError: if the file cannot be read.
        LimitError: if `stop` ends the call, or functions expand to more than two million terms.

    Cost:
        Linear, but for the expansion of functions. Terms may be nested a million deep.
    """
    data, name = read_source(source)
    terms, commands = _smt.read_script(data, name, stop=stop)
    return Script(terms, tuple(commands))


def write_smtlib(
    terms: Terms, assertions: Sequence[Term], target: Target, *, names: Sequence[str | None] = ()
) -> None:
    """Writes terms as a script that asserts and checks them; terms used twice are defined once.

    Raises:
        UsageError: A term has an operator SMT-LIB has no name for, or the file cannot be written.
    """
    write_target(target, terms.to_smtlib(assertions, [name or "" for name in names]))


def write_smtlib_aig(aig: Aig, target: Target) -> None:
    """Writes a circuit over Booleans, latches cut, and the question whether a bad state can be reached in it.

    Inputs and latches are declared, gates, outputs and next states defined, constraints asserted. Asked is
    whether some bad state can be true, or some output if there is no bad state.
    """
    write_target(target, _smt.aig_to_smtlib(aig))


@dataclass(slots=True)
class ScriptResult:
    """What came of a script.

    Attributes:
        status: The answer to its last check; None if there was none.
        answers: The answers to all its checks.
        errors: What could not be answered, each with its place; they stand in the output, too.
        model: After "sat": names and values of what is declared.
        engines: Which engines answered, and how often.
        reason: After "unknown": "timeout", "canceled", or what the engine says.
        refuted: After "unsat": what cannot be true together, assertions and assumptions.
        seconds: Time of all checks.
    """

    status: Status | None = None
    answers: list[Status] = field(default_factory=list["Status"])
    errors: list[str] = field(default_factory=list[str])
    model: dict[str, str] | None = None
    engines: dict[str, int] = field(default_factory=dict[str, int])
    reason: str = ""
    refuted: list[Term] = field(default_factory=list["Term"])
    seconds: float = 0.0


def run_script(
    source: Source | Script,
    *,
    engine: EngineName = "auto",
    timeout: float | None = None,
    cancel: Stop | None = None,
    write: Callable[[str], None] | None = None,
) -> ScriptResult:
    """Runs a script; what it asks for is written as SMT-LIB says.

    Args:
        source: The script, read or to be read by `read_smtlib`.
        engine: See `SmtSolver`.
        timeout: Seconds for all of it; checks that get no answer say "unknown".
        cancel: Its `cancel()` ends the run likewise.
        write: Called with each response, a line or more without the last line end.

    Raises:
        ParseError: The script is not right; nothing has run.
    """
    stop = Stop() if cancel is None else cancel
    if timeout is not None:
        stop.set_timeout(timeout)
    script = source if isinstance(source, Script) else read_smtlib(source, stop=stop)
    runner = _Runner(script, engine, stop, write or (lambda _: None))
    try:
        runner.run()
    finally:
        runner.solver.close()
    return runner.result


_OPTIONS = {
    ":print-success": "false",
    ":produce-models": "true",
    ":produce-unsat-cores": "false",
    ":produce-unsat-assumptions": "true",
    ":produce-assignments": "true",
    ":produce-assertions": "true",
    ":global-declarations": "false",
    ":regular-output-channel": '"stdout"',
    ":diagnostic-output-channel": '"stderr"',
    ":random-seed": "1",
    ":reproducible-resource-limit": "0",
    ":verbosity": "0",
}
_FIXED = {":regular-output-channel", ":diagnostic-output-channel", ":reproducible-resource-limit"}
"""Options that cannot be changed."""


class _RefusedError(Exception):
    """A command that cannot be answered now."""


class _Runner:
    """Runs commands one after another."""

    def __init__(self, script: Script, engine: EngineName, stop: Stop, write: Callable[[str], None]) -> None:
        self.script = script
        self.solver = SmtSolver(script.terms, engine=engine, cancel=stop)
        self.result = ScriptResult()
        self._write = write
        self._options = dict(_OPTIONS)
        self._declared: list[list[Term]] = [[]]
        self._named: list[list[tuple[str, Term]]] = [[]]
        self._texts: list[list[str]] = [[]]
        self._assumed: list[str] = []
        self._last: Status | None = None

    def run(self) -> None:
        """All commands."""
        for command in self.script.commands:
            try:
                response = self._responses[command.kind](self, command)
            except (_RefusedError, UsageError, LimitError) as error:
                self.result.errors.append(f"{command.line}:{command.column}: {error}")
                quoted = str(error).replace('"', '""')
                response = f'(error "line {command.line} column {command.column}: {quoted}")'
            if response is None and self._options[":print-success"] == "true":
                response = "success"
            if response is not None:
                self._write(response)
        self.result.seconds = self.solver.seconds

    # What changes the state. None: nothing to say.

    def _note(self, command: Command) -> None:
        self._keep_named(command)

    def _set_option(self, command: Command) -> str | None:
        keyword, value = command.texts
        if keyword not in self._options or keyword in _FIXED:
            return "unsupported"
        self._options[keyword] = value
        return None

    def _declare(self, command: Command) -> None:
        level = 0 if self._is_set(":global-declarations") else -1
        self._declared[level].append(command.terms[0])

    def _assert(self, command: Command) -> None:
        text, *name = command.texts
        named = name[0] if name and self._is_set(":produce-unsat-cores") else None
        self.solver.add(command.terms[0], named)
        self._texts[-1].append(text)
        self._keep_named(command)
        self._last = None

    def _keep_named(self, command: Command) -> None:
        self._named[-1] += zip(command.named, command.named_terms, strict=True)

    def _push(self, command: Command) -> None:
        self.solver.push(command.levels)
        self._declared += [[] for _ in range(command.levels)]
        self._named += [[] for _ in range(command.levels)]
        self._texts += [[] for _ in range(command.levels)]
        self._last = None

    def _pop(self, command: Command) -> None:
        if command.levels:
            self.solver.pop(command.levels)
            left = len(self._texts) - command.levels
            del self._declared[left:], self._named[left:], self._texts[left:]
        self._last = None

    def _reset(self, command: Command) -> None:
        keep = command.kind == CommandKind.RESET_ASSERTIONS
        globals_kept = self._declared[0] if keep and self._is_set(":global-declarations") else []
        self.solver.reset()
        self._declared, self._named, self._texts = [globals_kept], [[]], [[]]
        self._last = None
        if not keep:
            self._options = dict(_OPTIONS)

    # Answers.

    def _check(self, command: Command) -> str:
        self._assumed = command.texts
        self._keep_named(command)
        status = self.solver.check(command.terms)
        self._last = status
        self.result.answers.append(status)
        self.result.status = status
        outcome = self.solver.outcome
        self.result.reason = ""
        if outcome is not None and status == "unknown":
            self.result.reason = outcome.reason
        elif outcome is not None:
            self.result.engines[outcome.engine] = self.result.engines.get(outcome.engine, 0) + 1
        self.result.refuted = [*self.solver.assertions, *command.terms] if status == "unsat" else []
        self.result.model = None
        if status == "sat":
            self.result.model = {
                term.name or "": value_text(term.sort, value) for term, value in self._model_values()
            }
        return status

    def _model_values(self) -> list[tuple[Term, BitVec]]:
        declared = [term for level in self._declared for term in level]
        return list(zip(declared, self.solver.values(declared), strict=True))

    def _need_sat(self, what: str) -> None:
        if not self._is_set(":produce-models"):
            raise _RefusedError(f"{what} needs the option :produce-models")
        if self._last != "sat":
            raise _RefusedError(f"{what} needs a check that answered sat just before")

    def _get_model(self, command: Command) -> str:
        del command
        self._need_sat("get-model")
        lines = [
            f"  (define-fun {symbol_text(term.name or '')} () {term.sort} {value_text(term.sort, value)})"
            for term, value in self._model_values()
        ]
        return "\n".join(["(", *lines, ")"])

    def _get_value(self, command: Command) -> str:
        self._need_sat("get-value")
        self._keep_named(command)
        values = self.solver.values(command.terms)
        pairs = [
            f"({text} {value_text(term.sort, value)})"
            for text, term, value in zip(command.texts, command.terms, values, strict=True)
        ]
        return f"({' '.join(pairs)})"

    def _get_assignment(self, command: Command) -> str:
        del command
        self._need_sat("get-assignment")
        named = [entry for level in self._named for entry in level if entry[1].sort.is_bool]
        values = self.solver.values([term for _, term in named])
        pairs = [
            f"({symbol_text(name)} {value_text(term.sort, value)})"
            for (name, term), value in zip(named, values, strict=True)
        ]
        return f"({' '.join(pairs)})"

    def _need_unsat(self, what: str, option: str) -> None:
        if not self._is_set(option):
            raise _RefusedError(f"{what} needs the option {option}")
        if self._last != "unsat":
            raise _RefusedError(f"{what} needs a check that answered unsat just before")

    def _get_unsat_core(self, command: Command) -> str:
        del command
        self._need_unsat("get-unsat-core", ":produce-unsat-cores")
        return f"({' '.join(symbol_text(name) for name in self.solver.unsat_core())})"

    def _get_unsat_assumptions(self, command: Command) -> str:
        del command
        self._need_unsat("get-unsat-assumptions", ":produce-unsat-assumptions")
        return f"({' '.join(self._assumed[place] for place in self.solver.unsat_assumptions())})"

    def _get_assertions(self, command: Command) -> str:
        del command
        return f"({' '.join(text for level in self._texts for text in level)})"

    def _get_info(self, command: Command) -> str:
        keyword = command.texts[0]
        if keyword == ":reason-unknown":
            outcome = self.solver.outcome
            if outcome is None or outcome.status != "unknown":
                raise _RefusedError("the last check did not answer unknown")
            return f"(:reason-unknown {_word(outcome.reason)})"
        infos = {
            ":name": '"dynomite"',
            ":version": f'"{dynomite.__version__}"',
            ":authors": '"the dynomite authors"',
            ":error-behavior": "continued-execution",
            ":assertion-stack-levels": str(self.solver.num_levels),
            ":all-statistics": None,
        }
        if keyword == ":all-statistics":
            engines = "".join(f" :{name} {count}" for name, count in self.result.engines.items())
            return f"(:checks {len(self.result.answers)} :seconds {self.solver.seconds:.3f}{engines})"
        return f"({keyword} {infos[keyword]})" if keyword in infos else "unsupported"

    def _get_option(self, command: Command) -> str:
        return self._options.get(command.texts[0], "unsupported")

    def _get_proof(self, command: Command) -> str:
        del command
        return "unsupported"

    def _echo(self, command: Command) -> str:
        return command.texts[0]

    def _is_set(self, option: str) -> bool:
        return self._options[option] == "true"

    _responses = {  # noqa: RUF012 - never changed
        CommandKind.SET_LOGIC: _note,
        CommandKind.SET_INFO: _note,
        CommandKind.SET_OPTION: _set_option,
        CommandKind.DECLARE: _declare,
        CommandKind.DEFINE: _note,
        CommandKind.ASSERT: _assert,
        CommandKind.CHECK_SAT: _check,
        CommandKind.CHECK_SAT_ASSUMING: _check,
        CommandKind.PUSH: _push,
        CommandKind.POP: _pop,
        CommandKind.GET_MODEL: _get_model,
        CommandKind.GET_VALUE: _get_value,
        CommandKind.GET_UNSAT_CORE: _get_unsat_core,
        CommandKind.GET_UNSAT_ASSUMPTIONS: _get_unsat_assumptions,
        CommandKind.GET_ASSERTIONS: _get_assertions,
        CommandKind.GET_ASSIGNMENT: _get_assignment,
        CommandKind.GET_INFO: _get_info,
        CommandKind.GET_OPTION: _get_option,
        CommandKind.GET_PROOF: _get_proof,
        CommandKind.ECHO: _echo,
        CommandKind.RESET: _reset,
        CommandKind.RESET_ASSERTIONS: _reset,
        CommandKind.EXIT: _note,
    }


def _word(reason: str) -> str:
    """A reason as a symbol or a string."""
    return reason if reason.isidentifier() else '"' + reason.replace('"', '""') + '"'
