"""Python functions that rules name: "package.module:function", or a name they were registered by.

    >>> from dynomite.rewriting.functions import function_name, register_function, resolve_function
    >>> def is_small(value):
    ...     return value.value < 16
    >>> register_function("is_small", is_small)
    >>> resolve_function("is_small") is is_small, function_name(is_small)
    (True, 'is_small')

Text holds names only, never source to evaluate.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from dynomite.errors import UsageError

Function = Callable[..., Any]

_by_name: dict[str, Function] = {}


def register_function(name: str, function: Function) -> None:
    """Makes a function known by a name to rules, instead of one of that name before."""
    if ":" in name or not name:
        raise UsageError(f"register_function: {name!r} is no name: it has no ':'")
    _by_name[name] = function


def resolve_function(function: Function | str) -> Function:
    """The function a rule names.

    Raises:
        UsageError: There is none of that name.
    """
    if not isinstance(function, str):
        return function
    if function in _by_name:
        return _by_name[function]
    module, colon, name = function.partition(":")
    if not colon:
        raise UsageError(
            f"no function is registered by the name {function!r}; others are package.module:function"
        )
    try:
        found: object = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"there is no function {function!r}: {error}") from None
    if not callable(found):
        raise UsageError(f"{function!r} is no function")
    return found


def function_name(function: Function | str) -> str:
    """The name by which `resolve_function` finds a function; it is registered if there is none.

    Raises:
        UsageError: Another function is registered by its name.
    """
    if isinstance(function, str):
        return function
    for name, known in _by_name.items():
        if known is function:
            return name
    name = f"{getattr(function, '__module__', None)}:{getattr(function, '__qualname__', '')}"
    try:
        if resolve_function(name) is function:
            return name
    except UsageError:
        pass
    own = name.replace(":", ".")
    if _by_name.get(own, function) is not function:
        count = 2
        while f"{own}#{count}" in _by_name:
            count += 1
        own = f"{own}#{count}"
    register_function(own, function)
    return own
