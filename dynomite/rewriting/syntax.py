"""The syntax tree of rewrite rules: what the text form, the IR and the Python front all become.

    >>> from dynomite.rewriting.syntax import *
    >>> zero = Rule(
    ...     name="add_zero",
    ...     root=InstrMatch(
    ...         ops=("op.ADD",),
    ...         operands=Sequence((Named("d", DefOf(AnyOperand())), Named("x", AnyOperand()), ConstMatch(0))),
    ...     ),
    ...     emits=(ReplaceUses("d", Capture("x")),),
    ... )
    >>> zero.root.ops
    ('op.ADD',)

What the nodes mean is defined in docs/rewriting.md. Nodes are values: two are equal if they say the same,
wherever they come from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from dynomite.ir.locations import Origin

SourceLocation: TypeAlias = Origin


@dataclass(frozen=True)
class Node:
    """Part of a rule.

    Attributes:
        location: Where it was written, if that is known.
    """

    location: SourceLocation | None = field(default=None, kw_only=True, compare=False, repr=False)


@dataclass(frozen=True)
class Capture(Node):
    """What a name is bound to: `%name`."""

    name: str


# What matches operands.


@dataclass(frozen=True)
class AnyOperand(Node):
    """Any one operand: `.`."""


@dataclass(frozen=True)
class TypeMatch(Node):
    """A value, defined or used, of a type: `wire(32)`, `wire(%w)`, `wire(_)`.

    Attributes:
        type: Full name of the type, "hw.wire".
        params: For each parameter what it has to be: a number, a name that captures it (or, if bound, has to
            be equal to it), None for anything. An empty tuple takes any parameters.
    """

    type: str
    params: tuple[int | Capture | None, ...] = ()


@dataclass(frozen=True)
class ConstMatch(Node):
    """A constant that is used: `constant(0)`, `constant(%c)`, `constant(-1, 8)`, `constant(%c, %w)`.

    Attributes:
        value: Compared modulo 2 to the operand's width; or a name that captures it; or None for any.
        width: Likewise its width.
    """

    value: int | Capture | None = None
    width: int | Capture | None = None


@dataclass(frozen=True)
class InstrMatch(Node):
    """An instruction; nested in operands, the use of a value that such an instruction defines.

    Attributes:
        ops: Full names of the operations it may be, "op.ADD"; empty for any.
        operands: Matches all its operands; where nested, all that are not definitions.
        op_name: Name given to the operation.
        instr_name: Name given to the instruction.
        result: Name given to the value that is used, where nested.
    """

    ops: tuple[str, ...]
    operands: Expr
    op_name: str | None = None
    instr_name: str | None = None
    result: str | None = None


@dataclass(frozen=True)
class SameAs(Node):
    """The operand, or operands, that a name is bound to already: `%x` where it is not the first."""

    name: str


@dataclass(frozen=True)
class Named(Node):
    """Gives a name to what an expression matches: `%x:X`."""

    name: str
    expr: Expr


@dataclass(frozen=True)
class Repeat(Node):
    """As many times as possible first, fewer if what follows fails: `X*`, `X+`."""

    expr: Expr
    least: Literal[0, 1] = 0


@dataclass(frozen=True)
class Sequence(Node):
    """One after the other: `X, Y`. Without parts: no operands."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Alternatives(Node):
    """The first that matches, the next if what follows fails: `X | Y`."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Unordered(Node):
    """Operands dealt out among the parts in any order: `X / Y`."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class DefOf(Node):
    """What an expression matches, if all of it are definitions: `def(X)`."""

    expr: Expr


@dataclass(frozen=True)
class UseOf(Node):
    """What an expression matches, if all of it are uses: `use(X)`."""

    expr: Expr


Expr: TypeAlias = (
    AnyOperand
    | TypeMatch
    | ConstMatch
    | InstrMatch
    | SameAs
    | Named
    | Repeat
    | Sequence
    | Alternatives
    | Unordered
    | DefOf
    | UseOf
)
"""What matches a sequence of operands."""

# Exact integers.


@dataclass(frozen=True)
class WidthOf(Node):
    """The width of a constant, or of a value whose type has the single parameter `width`: `width(%x)`."""

    name: str


@dataclass(frozen=True)
class CountOf(Node):
    """The number of operands a name is bound to: `count(%x)`."""

    name: str


ArithOp: TypeAlias = Literal[
    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "~", "neg", "log2", "min", "max", "signed"
]


@dataclass(frozen=True)
class Arith(Node):
    """Arithmetic on exact integers.

    Attributes:
        op: `/` and `%` round down; `~` and `neg` take one argument; `log2` is rounded down; `signed(x, w)` is
            x modulo 2^w as a signed number; `min` and `max` take one or more.
        args: Its arguments.
    """

    op: ArithOp
    args: tuple[IntExpr, ...]


IntExpr: TypeAlias = int | Capture | WidthOf | CountOf | Arith
"""A number that is known once the pattern matched; a captured constant counts as unsigned."""

# Conditions.


@dataclass(frozen=True)
class OneUse(Node):
    """The value has one use: `one_use(%x)`."""

    name: str


@dataclass(frozen=True)
class PowerOfTwo(Node):
    """A captured constant or number that is a power of two: `power_of_two(%c)`."""

    name: str


@dataclass(frozen=True)
class IsConstant(Node):
    """The operand is a constant: `is_constant(%x)`."""

    name: str


Relation: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class Compare(Node):
    """Two numbers compared."""

    left: IntExpr
    relation: Relation
    right: IntExpr


@dataclass(frozen=True)
class Same(Node):
    """Both names are bound to the same operand, or list of operands: `same(%x, %y)`."""

    a: str
    b: str


@dataclass(frozen=True)
class SameType(Node):
    """Both names are bound to operands of one type, or to constants of one width: `same_type(%x, %y)`."""

    a: str
    b: str


@dataclass(frozen=True)
class Not(Node):
    """The contrary of a condition."""

    condition: Condition


@dataclass(frozen=True)
class AnyOf(Node):
    """One of several conditions, at least."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class PythonFunction(Node):
    """A Python function and the names whose bindings it is given.

    Attributes:
        function: The function, or its name: "package.module:function" or one that is registered.
        names: The names it may look at.
    """

    function: Callable[..., Any] | str
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class PythonCondition(Node):
    """Whether a Python function says True; called after all other conditions hold."""

    function: Callable[..., Any] | str
    names: tuple[str, ...] = ()


Condition: TypeAlias = (
    OneUse | PowerOfTwo | IsConstant | Compare | Same | SameType | Not | AnyOf | PythonCondition
)

# What is emitted.


@dataclass(frozen=True)
class TypeExpr(Node):
    """A type, with parameters that are computed: `hw.wire(%w + 1)`."""

    type: str
    params: tuple[IntExpr, ...] = ()


@dataclass(frozen=True)
class SameTypeAs(Node):
    """The type of a bound value: `type(%x)`; with a width, its kind with that width: `type(%x, 8)`.

    Attributes:
        name: A bound value, or a constant together with a `width`'s kind from the replaced definition.
        width: The single parameter, if it is another one.
    """

    name: str
    width: IntExpr | None = None


@dataclass(frozen=True)
class NewDef(Node):
    """A definition that the match does not have."""

    name: str
    type: TypeExpr | SameTypeAs


@dataclass(frozen=True)
class EmitConst(Node):
    """A constant: value, taken modulo 2^width, and width."""

    value: IntExpr
    width: IntExpr


@dataclass(frozen=True)
class EmitNumber(Node):
    """A plain number, a constant of 64 bits."""

    value: IntExpr


@dataclass(frozen=True)
class EmitInstr(Node):
    """A new instruction; nested as operand, the use of its single definition.

    Attributes:
        op: Full name of the operation, or the name the match gave to one.
        defs: Definitions: `Capture` of a definition of the root, which it replaces, or new ones.
        operands: What it uses, in order.
    """

    op: str | Capture
    defs: tuple[Capture | NewDef, ...]
    operands: tuple[EmitOperand, ...]


EmitOperand: TypeAlias = Capture | EmitConst | EmitNumber | EmitInstr
"""What is used. A `Capture` names what the match bound, one operand or a list, or a `NewDef`."""


@dataclass(frozen=True)
class ReplaceUses(Node):
    """All uses of a definition of the root become uses of another operand."""

    name: str
    operand: EmitOperand


@dataclass(frozen=True)
class ReplaceAll(Node):
    """Replaces all definitions of an instruction, in order, and deletes it."""

    name: str
    operands: tuple[EmitOperand, ...]


@dataclass(frozen=True)
class Delete(Node):
    """Deletes an instruction whose definitions are not used."""

    name: str


Emit: TypeAlias = EmitInstr | ReplaceUses | ReplaceAll | Delete

# Rules.


@dataclass(frozen=True)
class Rule(Node):
    """One rule: a pattern, conditions, and what happens.

    Attributes:
        name: Its name in reports.
        root: The instruction it is tried at.
        conditions: All have to hold, checked in order, Python functions last.
        emits: Done in order.
        do: Called after that.
        doc: What it is good for.
    """

    name: str
    root: InstrMatch
    conditions: tuple[Condition, ...] = ()
    emits: tuple[Emit, ...] = ()
    do: PythonFunction | None = None
    doc: str = ""


@dataclass(frozen=True)
class RuleSet(Node):
    """Rules in the order in which they are tried at one instruction."""

    name: str
    rules: tuple[Rule, ...]
    doc: str = ""
