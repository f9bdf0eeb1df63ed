"""The binary form of modules: compact, with a version and a checksum.

>>> from dynomite.ir import Context, Module, read_bytecode, same_module, write_bytecode
>>> context = Context()
>>> module = Module(context)
>>> data = write_bytecode(module)
>>> same_module(module, read_bytecode(data, context))
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynomite._native import ir as _native
from dynomite._native.ir import DEFAULT_STORE, Context, Module, StoreKind, same_module

if TYPE_CHECKING:
    from dynomite._native.base import Stop

__all__ = ["read_bytecode", "same_module", "write_bytecode"]


def write_bytecode(module: Module, *, stop: Stop | None = None) -> bytes:
    """The module as bytes, names and locations included.

    They do not depend on ids: identical modules have equal bytes.

    Cost: linear in the module.

    Raises:
        UsageError: Instructions are in regions that belong to no instruction.
        LimitError: `stop` ended it.
    """
    return _native.write_bytecode(module, stop=stop)


def read_bytecode(
    data: bytes,
    context: Context,
    *,
    path: str = "<bytes>",
    store: StoreKind = DEFAULT_STORE,
    stop: Stop | None = None,
) -> Module:
    """Reads what `write_bytecode` wrote.

    Cost: linear in the data.

    Args:
        data: The bytes.
        context: Must know the dialects that programs declare; those declared in texts are added to it.
        path: Name of the source in messages.
        store: How the module gives out ids and memory; see `StoreKind`.
        stop: Ends the call early.

    Raises:
        ParseError: The data are damaged or of another version, or an operation or type is unknown.
        LimitError: `stop` ended it.
    """
    return _native.read_bytecode(data, context, path=path, store=store, stop=stop)
