"""Verification: collects all violations of the rules every module obeys, and of its dialects', then raises.

The common rules: declared operations with the operands they declare; definitions that dominate their uses;
isolation; terminators; symbols and references; tokens; declarations. They are listed at `find_violations` in
native/passes/verify.hpp. Dialects say their own in `dynomite.ir.verification`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from dynomite._native import passes as native
from dynomite._native.base import Stop
from dynomite.errors import VerifyError
from dynomite.ir import Builder, InstrId, InstrRef, Interface, Module
from dynomite.ir.arrays import opcodes
from dynomite.ir.verification import VERIFY, Check, Complaint
from dynomite.passes.base import Params, Pass, PassResult

Violation: TypeAlias = tuple[str, InstrRef | None, Iterable[tuple[str, InstrRef | None]]]


@dataclass(frozen=True)
class VerifyParams(Params):
    """Parameters of `Verify`.

    Attributes:
        limit: Violations that are listed; the rest is counted.
    """

    limit: int = 1000


class Verify(Pass[VerifyParams]):
    """Raises VerifyError with all violations; changes nothing."""

    name = "verify"
    Params = VerifyParams

    def run(self, builder: Builder, within: InstrRef | None, stop: Stop) -> PassResult:
        """Does the work, on the whole module."""
        del within
        visited = _verify(builder.module, self.params.limit, VERIFY, stop)
        return PassResult(False, {"visited": visited}, stop.reason)


def verify(module: Module, *, limit: int = 1000, checks: Interface[Check | None] = VERIFY) -> None:
    """Checks a module.

    Cost: linear in the module, some million instructions a second, and what the checks of dialects cost for
    the instructions that have one.

    Args:
        module: What to check.
        limit: So many violations are listed, the rest is counted.
        checks: What dialects check.

    Raises:
        VerifyError: Lists all violations with their places, those of the common rules first.
    """
    _verify(module, limit, checks, Stop())


def _verify(module: Module, limit: int, checks: Interface[Check | None], stop: Stop) -> int:
    visited, total, common = native.violations(module, limit=limit, stop=stop)
    found: list[Violation] = list(common)
    # Checks of dialects rely on the common rules. If there are more violations than are listed, nobody knows
    # which instructions keep them.
    if total == len(found):
        wrong = {instr for _, instr, _ in found}
        failures: list[Exception] = []
        for violation in _violations(module, wrong, checks, stop, failures):
            total += 1
            if len(found) < limit:
                found.append(violation)
        if total:
            raise VerifyError(_render(found, total)) from (failures[0] if failures else None)
    elif total:
        raise VerifyError(_render(found, total))
    return visited


def _violations(
    module: Module,
    wrong: set[InstrRef | None],
    checks: Interface[Check | None],
    stop: Stop,
    failures: list[Exception],
) -> Iterator[Violation]:
    """What the checks of dialects say, by id of the instructions."""
    context = module.context
    with_check: dict[int, Check] = {}
    for dialect in range(len(context.dialects)):
        for opcode in context.ops(dialect):
            check = checks.lookup(context, opcode)
            if check is not None:
                with_check[int(opcode)] = check
    if not with_check:
        return
    codes = opcodes(module)
    for index in np.flatnonzero(np.isin(codes, list(with_check))).tolist():
        if stop.poll():
            return
        instr = module.instr(InstrId(index))
        if instr in wrong:
            continue
        for complaint in _complaints(with_check[int(codes[index])], instr, failures):
            yield f"{instr.name}: {complaint.message}", instr, complaint.notes


def _complaints(check: Check, instr: InstrRef, failures: list[Exception]) -> list[Complaint]:
    try:
        said = check(instr)
        given = [] if said is None else [said] if isinstance(said, (str, Complaint)) else list(said)
    except VerifyError as error:
        given = [str(error)]
    except Exception as error:
        failures.append(error)
        name = getattr(check, "__qualname__", repr(check))
        given = [f"its check {name} failed: {type(error).__name__}: {error}"]
    return [one if isinstance(one, Complaint) else Complaint(str(one)) for one in given]


def _render(found: Iterable[Violation], total: int) -> str:
    lines: list[str] = []
    listed = 0
    for message, instr, notes in found:
        listed += 1
        lines.append(f"{_place(instr)}error: {message}")
        lines += [f"  {_place(other)}note: {note}" for note, other in notes]
    if total > listed:
        lines.append(f"{total - listed} more errors")
    return "\n".join(lines)


def _place(instr: InstrRef | None) -> str:
    if instr is None or not instr.is_live or not instr.location:
        return ""
    origin = instr.location[0]
    numbers = [str(number) for number in (origin.line, origin.column) if number]
    return ":".join([origin.file, *numbers]) + ": "
