"""Declaring dialects: operations and types, once, in Python.

    >>> from dynomite.ir import Builder, Context, Dialect, Module
    >>> demo = Dialect("demo")
    >>> WORD = demo.type("word", params=("width",))
    >>> IN = demo.op("IN", defs=1)
    >>> ADD = demo.op("ADD", defs=1, uses=2, pure=True, commutative=True, doc="Sum.")
    >>> context = Context()
    >>> load(context, demo)
    >>> module = Module(context)
    >>> builder = Builder(module)
    >>> word = module.type(WORD, 32)
    >>> a = builder.value(IN, word, name="a")
    >>> builder.value(ADD, word, a, a).instr.name
    'demo.ADD'

A context gives every dialect an 8-bit id and every operation and type an 8-bit number in it. Declaring costs
nothing at run time: an `Op` finds its opcode in a context by one comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict, Unpack

from dynomite._native.ir import Context, Op, TypeDecl
from dynomite.errors import UsageError

ParamKind: TypeAlias = Literal["any", "unsigned", "type", "string"]
"""What a parameter of a type may be: anything, a constant from 0 up, a type, a string."""


class Traits(TypedDict, total=False):
    """What passes may rely on."""

    pure: bool
    """No effect but its values: may be merged, moved, dropped."""
    commutative: bool
    """Its value uses may come in any order."""
    terminator: bool
    """Ends a block."""
    symbol: bool
    """Has a name in the nearest symbol table."""
    symbol_table: bool
    """Its region is a symbol table."""
    isolated: bool
    """Its region uses no values from outside."""
    forwards: bool
    """Hands operands on to other values: tokens must not pass."""
    graph_region: bool
    """In its region order means nothing and cycles through values are allowed."""
    variadic: bool
    """Any number of uses behind the declared ones."""
    same_type: bool
    """All values it defines and uses have one type."""


class Dialect:
    """A named set of operations and types, in the order of their declaration."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._ops: dict[str, Op] = {}
        self._types: dict[str, TypeDecl] = {}

    def op(self, name: str, *, defs: int = 0, uses: int = 0, doc: str = "", **traits: Unpack[Traits]) -> Op:
        """Declares an operation.

        Args:
            name: Name in the dialect; dots group.
            defs: Number of values it defines, its first operands.
            uses: Least number of operands it uses.
            doc: What it does.
            **traits: What passes may rely on; see `Traits`.

        Raises:
            UsageError: The name is taken.
        """
        if name in self._ops:
            raise UsageError(f"the dialect '{self.name}' has an operation '{name}' already")
        self._ops[name] = Op(self.name, name, defs=defs, uses=uses, doc=doc, **traits)
        return self._ops[name]

    def type(
        self,
        name: str,
        *,
        params: Sequence[str] | Mapping[str, ParamKind] = (),
        token: bool = False,
        doc: str = "",
    ) -> TypeDecl:
        """Declares a type.

        Args:
            name: Name in the dialect.
            params: Names of its parameters, or names with what each may be.
            token: Values of it carry no data; see the verifier's rules for tokens.
            doc: What it is.

        Raises:
            UsageError: The name is taken, or a parameter is wrong.
        """
        if name in self._types:
            raise UsageError(f"the dialect '{self.name}' has a type '{name}' already")
        kinds = list(params.values()) if isinstance(params, Mapping) else []
        self._types[name] = TypeDecl(self.name, name, params=list(params), token=token, doc=doc, kinds=kinds)
        return self._types[name]

    @property
    def ops(self) -> tuple[Op, ...]:
        """The declared operations. Linear in them."""
        return tuple(self._ops.values())

    @property
    def types(self) -> tuple[TypeDecl, ...]:
        """The declared types. Linear in them."""
        return tuple(self._types.values())

    def __getitem__(self, name: str) -> Op:
        """The operation of this name.

        Raises:
            UsageError: There is none.
        """
        if name not in self._ops:
            raise UsageError(f"the dialect '{self.name}' has no operation '{name}'")
        return self._ops[name]

    def __repr__(self) -> str:
        return f"<Dialect {self.name}: {len(self._ops)} operations, {len(self._types)} types>"


def load(context: Context, *dialects: Dialect) -> None:
    """Makes dialects known in a context; what was loaded before is completed by newer declarations.

    Cost: linear in the declarations.

    Raises:
        UsageError: A dialect, operation or type has a bad name.
        LimitError: There are too many.
    """
    for dialect in dialects:
        number = context.find_dialect(dialect.name)
        if number is None:
            number = context.add_dialect(dialect.name)
        known_ops = {context.op_name(opcode) for opcode in context.ops(number)}
        for op in dialect.ops:
            if op.full_name not in known_ops:
                context.add_op(number, op)
        known_types = {context.type_name(kind) for kind in context.types(number)}
        for declared in dialect.types:
            if declared.full_name not in known_types:
                context.add_type(number, declared)
