"""Whether a netlist in JSON has the shape that Yosys gives it, and if not, what is wrong and where.

What reads netlists afterwards relies on it. Linear in the netlist.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeGuard, cast

from hw_dialect.yosys.cells import CellError

_DIRECTIONS = ("input", "output", "inout")


def check_shape(module: object) -> None:
    """Checks one module.

    Raises:
        CellError: What is not as Yosys writes it, and where in the module.
    """
    if not _is_object(module):
        raise CellError("a module is an object")
    _object(module, "attributes", "")
    for name, port in _members(module, "ports"):
        if port.get("direction") not in _DIRECTIONS:
            raise CellError(f"port {name}: its 'direction' is none of {', '.join(_DIRECTIONS)}")
        _check_bits(port.get("bits"), f"port {name}: its 'bits'")
    for name, cell in _members(module, "cells"):
        _check_cell(name, cell)
    for name, net in _members(module, "netnames"):
        _check_bits(net.get("bits"), f"net {name}: its 'bits'")
        _object(net, "attributes", f"net {name}: ")
    for name, memory in _members(module, "memories"):
        for key in ("width", "size"):
            if not _is_whole(memory.get(key)):
                raise CellError(f"memory {name}: its '{key}' is no whole number")


def _check_cell(name: str, cell: dict[str, Any]) -> None:
    where = f"cell {name}: "
    if not isinstance(cell.get("type"), str):
        raise CellError(f"{where}its 'type' is no string")
    _object(cell, "attributes", where)
    for key, value in _object(cell, "parameters", where).items():
        if not isinstance(value, str) and not _is_whole(value):
            raise CellError(f"{where}the parameter {key} is neither a string nor a whole number")
    if "connections" not in cell:
        raise CellError(f"{where}it has no 'connections'")
    for port, bits in _object(cell, "connections", where).items():
        _check_bits(bits, f"{where}the connection of {port}")


def _members(module: dict[str, Any], key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, member in _object(module, key, "").items():
        if not _is_object(member):
            raise CellError(f"{name} in '{key}' is no object")
        yield name, member


def _object(owner: dict[str, Any], key: str, where: str) -> dict[str, Any]:
    value = owner.get(key, {})
    if not _is_object(value):
        raise CellError(f"{where}'{key}' is no object")
    return value


def _check_bits(bits: object, where: str) -> None:
    if not isinstance(bits, list):
        raise CellError(f"{where}: no list")
    for bit in cast("list[object]", bits):
        if isinstance(bit, str):
            if bit not in ("0", "1", "x", "z"):
                raise CellError(f'{where}: a constant bit is "0", "1", "x" or "z", not {bit[:20]!r}')
        elif not _is_whole(bit):
            raise CellError(f"{where}: a bit is the number of a net or a constant, not {str(bit)[:20]}")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)
