"""A small dialect for tests of the IR."""

from __future__ import annotations

from dynomite._native.ir import DEFAULT_STORE
from dynomite.ir import Context, Dialect, Module, StoreKind, Type, load

DEMO = Dialect("demo")
WORD = DEMO.type("word", params=("width",), doc="A row of bits.")
TOKEN = DEMO.type("token", token=True)
IN = DEMO.op("IN", defs=1)
ADD = DEMO.op("ADD", defs=1, uses=2, pure=True, commutative=True, doc="Sum.")
SUB = DEMO.op("SUB", defs=1, uses=2, pure=True)
USE = DEMO.op("USE", variadic=True)
PAIR = DEMO.op("PAIR", defs=2, uses=1)
IF = DEMO.op("IF", uses=1)
BOX = DEMO.op("BOX", isolated=True, symbol=True, symbol_table=True)
JUMP = DEMO.op("JUMP", terminator=True, variadic=True)


def new_module(store: StoreKind = DEFAULT_STORE) -> tuple[Module, Type]:
    """An empty module whose context knows the dialect, and the type of 32-bit words."""
    context = Context()
    load(context, DEMO)
    module = Module(context, store=store)
    return module, module.type(WORD, 32)
