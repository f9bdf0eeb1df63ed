"""Interfaces: what dialects say about their operations to passes that know none of them.

    >>> from dynomite.ir import Dialect, Interface
    >>> demo = Dialect("demo")
    >>> ADD, MUL = demo.op("ADD"), demo.op("MUL")
    >>> cost = Interface("cost", default=1)
    >>> cost.set_dialect(demo, 2)
    >>> cost.set(MUL, 8)

An operation's own entry goes before its dialect's default, that before the interface's default. Looking up is
two array reads by opcode; the tables are filled on first use in a context.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar, cast

from dynomite._native.ir import (
    Builder,
    Const,
    Context,
    InstrRef,
    NativeInterface,
    Op,
    Opcode,
    Type,
    ValueRef,
)
from dynomite.ir.dialect import Dialect
from dynomite.ir.operands import Operand

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])


class Interface(Generic[T]):
    """Entries of type `T` for operations, filled by dialects.

    Args:
        name: What the interface is about, for messages.
        default: The entry of operations that nobody spoke for.
    """

    def __init__(self, name: str, *, default: T) -> None:
        self.native = NativeInterface(name, default)

    @property
    def name(self) -> str:
        """What it is about."""
        return self.native.name

    def set(self, op: Op | str, entry: T, *, override: bool = False) -> None:
        """Gives an operation (or "dialect.NAME") its entry.

        Raises:
            UsageError: It has one and `override` is false, or it has none and `override` is true.
        """
        self.native.set_op(op if isinstance(op, str) else op.full_name, entry, override)

    def set_dialect(self, dialect: Dialect | str, entry: T, *, override: bool = False) -> None:
        """Gives the operations of a dialect a default.

        Raises:
            UsageError: It has one and `override` is false, or it has none and `override` is true.
        """
        self.native.set_dialect(dialect if isinstance(dialect, str) else dialect.name, entry, override)

    def of(self, *ops: Op) -> Callable[[F], F]:
        """Decorator: the function is the entry of these operations."""

        def register(function: F) -> F:
            for op in ops:
                self.set(op, cast("T", function))
            return function

        return register

    def lookup(self, context: Context, op: Op | Opcode) -> T:
        """The entry of an operation in a context. Two array reads after the first time."""
        return cast("T", self.native.lookup(context, op))

    def for_instr(self, instr: InstrRef) -> T:
        """The entry of an instruction's operation."""
        return self.lookup(instr.module.context, instr.opcode)


FoldFunction = Callable[[Builder, "Type | None", tuple[Operand, ...]], "ValueRef | Const | None"]
"""What a builder asks before it makes an operation: `(builder, type, used operands)`.

It returns a value or constant to use instead, or None.
"""


def fold_interface() -> Interface[FoldFunction | None]:
    """A new interface for `set_folding`: nothing folds until dialects say so."""
    return Interface("fold", default=None)


def set_folding(builder: Builder, interface: Interface[FoldFunction | None] | None) -> None:
    """Lets `builder.value` return what folding knows instead of building."""
    builder.folding = None if interface is None else interface.native
