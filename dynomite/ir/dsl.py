r"""Declarations as instructions: `dsl.DIALECT`, `dsl.TYPE` and `dsl.OP` in the module itself.

    >>> from dynomite.ir import Context, Module, parse, print_module
    >>> from dynomite.ir.dsl import declared_dialects
    >>> text = "dialect demo {\n  let IN = core.instr { let defs = 1; let uses = 0; }\n}\n"
    >>> module = parse(text, Context())
    >>> [declaration.name for declaration in module.body]
    ['dsl.DIALECT']
    >>> print_module(module) == text
    True
    >>> declared_dialects(module)["demo"]["IN"].defs
    1

The short form `dialect demo { ... }` of the text and these instructions are the same; docs/language.md has
both. Reading a text makes its declarations known in the context and leaves them in the module, where they
print back and survive copies and bytecode. Instructions built by a builder declare nothing by themselves:
`load` does, and `declare` shows in a module what was loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import cast

from dynomite._native.ir import Builder, Const, Def, InstrRef, Module, Op
from dynomite.errors import UsageError
from dynomite.ir.dialect import Dialect, ParamKind, Traits
from dynomite.ir.operands import Operand

DSL = Dialect("dsl")
"""Always known in every context."""

DIALECT = DSL.op("DIALECT", uses=1, doc="Declares what is in its region in the dialect of this name.")
TYPE = DSL.op("TYPE", uses=1, doc="Declares a type of this name; params, token and doc are attributes.")
OP = DSL.op(
    "OP", uses=1, doc="Declares an operation of this name; defs, uses, doc and traits are attributes."
)


def declare(builder: Builder, dialect: Dialect) -> InstrRef:
    """Writes the declarations of a dialect into the module, in front of all other code.

    Linear in the dialect.

    Args:
        builder: Builds them; its place stays.
        dialect: What to declare; `load` makes the module's context know it.
    """
    module = builder.module
    region = builder.create_region()
    block = builder.create_block(region)
    place, before = builder.block, builder.before
    try:
        builder.set_place(block)
        for declared in dialect.types:
            pairs = tuple(zip(declared.params, declared.kinds, strict=True))
            attrs: dict[str, Operand] = {"params": pairs} if pairs else {}
            if declared.is_token:
                attrs["token"] = True
            _build(builder, TYPE, declared.name, attrs, declared.doc)
        for op in dialect.ops:
            numbers = {"defs": op.defs, "uses": op.uses}
            attrs = {key: number for key, number in numbers.items() if number}
            attrs |= dict.fromkeys(sorted(op.traits), True)
            _build(builder, OP, op.name, attrs, op.doc)
        first = next(iter(module.body), None)
        builder.set_place(module.body, before=first)
        return builder.build(DIALECT, dialect.name, Def(region))
    finally:
        builder.set_place(place, before=before)


def _build(builder: Builder, op: Op, name: str, attrs: dict[str, Operand], doc: str) -> None:
    if doc:
        attrs = {**attrs, "doc": doc}
    builder.build(op, name, attrs=attrs or None)


def declarations(module: Module) -> Iterator[InstrRef]:
    """The `dsl.DIALECT` instructions of a module, in order. Linear in its outermost region."""
    for block in module.body.region.blocks:
        for instr in block:
            if instr.is_op(DIALECT):
                yield instr


def declared_dialects(module: Module) -> Mapping[str, Dialect]:
    """What a module declares, by name of the dialect; several declarations of one dialect are united.

    Linear in the outermost region and the declarations.

    Raises:
        UsageError: Something declares a name twice or is no declaration; `verify` says more.
    """
    found: dict[str, Dialect] = {}
    for instr in declarations(module):
        name = _name(instr)
        dialect = found.setdefault(name, Dialect(name))
        for region in instr.regions:
            for block in region.blocks:
                for item in block:
                    _read(dialect, item)
    return MappingProxyType(found)


def _name(instr: InstrRef) -> str:
    name = next(iter(instr.uses), None)
    if not isinstance(name, str):
        raise UsageError(f"{instr.name} needs a name")
    return name


def _read(dialect: Dialect, item: InstrRef) -> None:
    values: dict[str, object] = {
        key: value.value if isinstance(value, Const) else value for key, value in item.attributes.items()
    }
    doc = str(values.pop("doc", ""))
    if item.is_op(TYPE):
        pairs = cast("tuple[tuple[str, ParamKind], ...]", values.get("params", ()))
        dialect.type(_name(item), params=dict(pairs), token=bool(values.get("token")), doc=doc)
    elif item.is_op(OP):
        defs, uses = (cast(int, values.pop(key, 0)) for key in ("defs", "uses"))
        traits = cast(Traits, {key: bool(value) for key, value in values.items()})
        dialect.op(_name(item), defs=defs, uses=uses, doc=doc, **traits)
    else:
        raise UsageError(f"{item.name} is no declaration")
