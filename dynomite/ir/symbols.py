"""Symbols: named operations in tables, references `@a::@b`, and what may see them.

A symbol has the attribute "sym_name" and stands immediately in the region of a symbol table or in the
module's body. A reference resolves in the nearest table around the instruction that holds it, each further
name in the symbol before. All functions cost time linear in the module; passes keep native tables instead.
"""

from __future__ import annotations

from dynomite._native.passes import (
    rename_symbol,
    replace_all_symbol_uses,
    set_visibility,
    symbol_lookup,
    symbol_table,
    symbol_uses,
    token_origin,
)

__all__ = [
    "rename_symbol",
    "replace_all_symbol_uses",
    "set_visibility",
    "symbol_lookup",
    "symbol_table",
    "symbol_uses",
    "token_origin",
]
