"""What operands, attribute values and parameters of types look like in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, Union

if TYPE_CHECKING:
    from dynomite._native.ir import (
        BlockRef,
        Const,
        DynObjRef,
        FatDynObjRef,
        InstrRef,
        RegionRef,
        SymbolRef,
        Type,
        ValueRef,
    )

Operand: TypeAlias = Union[
    "ValueRef",
    "InstrRef",
    "BlockRef",
    "RegionRef",
    "Type",
    "Const",
    "SymbolRef",
    "FatDynObjRef",
    "DynObjRef",
    str,
    int,
    Sequence["Operand"],
    Mapping[str, "Operand"],
    None,
]
"""An operand: values, other objects, constants, and attributes (strings, lists, dictionaries, symbols).

Going in, `int` is a constant of 64 bits and `bool` one of 1 bit; coming out, constants are `Const` and lists
are tuples.
"""
