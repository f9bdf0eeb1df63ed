"""What dialects check on their own operations, beside what every module has to obey.

    >>> from dynomite.ir import Builder, Context, Dialect, InstrRef, Module, load
    >>> from dynomite.ir.verification import VERIFY
    >>> from dynomite.passes import verify
    >>> ports = Dialect("ports")
    >>> WORD, IN = ports.type("word", params=("width",)), ports.op("IN", defs=1)
    >>> @VERIFY.of(IN)
    ... def check_in(instr: InstrRef) -> str | None:
    ...     return None if instr.attribute("port") else "needs the attribute port"
    >>> context = Context()
    >>> load(context, ports)
    >>> module = Module(context)
    >>> _ = Builder(module).value(IN, module.type(WORD, 8))
    >>> verify(module)
    Traceback (most recent call last):
    dynomite.errors.VerifyError: error: ports.IN: needs the attribute port

A check is a function of an instruction. It returns nothing, one message, or several; a message is a text, or
a `Complaint` with notes at other instructions. It may also raise `VerifyError`. The verifier calls it behind
its own checks, for instructions that passed them: numbers of operands, types declared to be the same and
references to other objects are right then. Whatever else a check raises is reported as an error of the check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from dynomite._native.ir import InstrRef
from dynomite.ir.interface import Interface


@dataclass(frozen=True)
class Complaint:
    """A broken rule, with remarks.

    Attributes:
        message: What is wrong.
        notes: Remarks, each with the instruction it is about.
    """

    message: str
    notes: tuple[tuple[str, InstrRef | None], ...] = ()


Check: TypeAlias = Callable[[InstrRef], str | Complaint | Iterable[str | Complaint] | None]
"""Says what is wrong with an instruction."""

VERIFY: Interface[Check | None] = Interface("verify", default=None)
"""Checks by operation or dialect; see `Interface.set`, `Interface.of` and `Interface.set_dialect`."""
