"""One interface to packages of decision diagrams: ours, and CUDD or the Python one of dd where installed.

For what has to run on any of them, for cross-checks and for comparisons; with our own package use `Bdd`
directly. Functions are combined by `& | ~` and compared by `== <=` in all of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, Protocol

from dynomite._native.bdd import Bdd, BddRef
from dynomite.errors import LimitError, UsageError

Backend = Literal["dynomite", "cudd", "autoref"]
_CUDD_MEMORY = 4 << 30


class DiagramManager(Protocol):
    """What every package can do. Functions are opaque; variables go by name."""

    backend: Backend
    true: Any
    false: Any

    def declare(self, names: Iterable[str]) -> None:
        """Adds variables at the end of the order."""
        ...

    def var(self, name: str) -> Any:
        """The function of a variable."""
        ...

    def xor(self, f: Any, g: Any) -> Any:
        """True where `f` and `g` differ."""
        ...

    def ite(self, f: Any, g: Any, h: Any) -> Any:
        """`g` where `f`, else `h`."""
        ...

    def exist(self, f: Any, names: Iterable[str]) -> Any:
        """True where `f` is for some values of the variables."""
        ...

    def forall(self, f: Any, names: Iterable[str]) -> Any:
        """True where `f` is for all values of the variables."""
        ...

    def and_exists(self, f: Any, g: Any, names: Iterable[str]) -> Any:
        """The relational product."""
        ...

    def let(self, f: Any, substitution: Mapping[str, Any]) -> Any:
        """Functions, or bools alone, in place of variables."""
        ...

    def count(self, f: Any, nvars: int) -> int:
        """Models over `nvars` variables."""
        ...

    def support(self, f: Any) -> set[str]:
        """The variables `f` depends on."""
        ...

    def pick(self, f: Any) -> dict[str, bool] | None:
        """A partial assignment that makes `f` true."""
        ...

    def size(self, f: Any) -> int:
        """Nodes of the diagram."""
        ...

    def total(self) -> int:
        """Nodes of the manager."""
        ...

    def reorder(self, order: Sequence[str] | None = None) -> None:
        """Brings the variables into an order, or sifts."""
        ...

    def out_of_room(self, error: Exception) -> bool:
        """Whether an error says that a limit of nodes or memory is met."""
        ...


def open_manager(
    backend: Backend = "dynomite", *, auto_reorder: int = 0, max_nodes: int | None = None
) -> DiagramManager:
    """A new manager.

    Args:
        backend: Which package.
        auto_reorder: Sift at so many nodes (others than ours: at a number of their own); 0 for never.
        max_nodes: Limit of nodes; others than ours have a limit of memory only.

    Raises:
        UsageError: The package is not installed.
    """
    if backend == "dynomite":
        return NativeManager(auto_reorder=auto_reorder, max_nodes=max_nodes)
    return DdManager(backend, auto_reorder=bool(auto_reorder))


class NativeManager:
    """Ours."""

    backend: Backend = "dynomite"

    def __init__(self, *, auto_reorder: int = 0, max_nodes: int | None = None) -> None:
        self.bdd = Bdd() if max_nodes is None else Bdd(max_nodes=max_nodes)
        self.bdd.auto_reorder = auto_reorder
        self.true, self.false = self.bdd.true, self.bdd.false

    def declare(self, names: Iterable[str]) -> None:
        """See `DiagramManager`."""
        self.bdd.declare(*names)

    def var(self, name: str) -> BddRef:
        """See `DiagramManager`."""
        return self.bdd.var(name)

    def xor(self, f: BddRef, g: BddRef) -> BddRef:
        """See `DiagramManager`."""
        return f ^ g

    def ite(self, f: BddRef, g: BddRef, h: BddRef) -> BddRef:
        """See `DiagramManager`."""
        return f.ite(g, h)

    def exist(self, f: BddRef, names: Iterable[str]) -> BddRef:
        """See `DiagramManager`."""
        return f.exist(names)

    def forall(self, f: BddRef, names: Iterable[str]) -> BddRef:
        """See `DiagramManager`."""
        return f.forall(names)

    def and_exists(self, f: BddRef, g: BddRef, names: Iterable[str]) -> BddRef:
        """See `DiagramManager`."""
        return f.and_exists(g, names)

    def let(self, f: BddRef, substitution: Mapping[str, BddRef | bool]) -> BddRef:
        """See `DiagramManager`."""
        return f.let(substitution)

    def count(self, f: BddRef, nvars: int) -> int:
        """See `DiagramManager`."""
        return f.count(nvars)

    def support(self, f: BddRef) -> set[str]:
        """See `DiagramManager`."""
        return set(f.support)

    def pick(self, f: BddRef) -> dict[str, bool] | None:
        """See `DiagramManager`."""
        return f.pick()

    def size(self, f: BddRef) -> int:
        """See `DiagramManager`."""
        return len(f)

    def total(self) -> int:
        """See `DiagramManager`."""
        return len(self.bdd)

    def reorder(self, order: Sequence[str] | None = None) -> None:
        """See `DiagramManager`."""
        self.bdd.reorder(order)

    def out_of_room(self, error: Exception) -> bool:
        """See `DiagramManager`."""
        return isinstance(error, LimitError | MemoryError)


_EXACT_VARIABLES = 52
"""Counts over so many variables are exact in floating point."""


class DdManager:
    """A manager of the package dd: CUDD, or `autoref` in plain Python."""

    def __init__(self, backend: Backend, *, auto_reorder: bool = False) -> None:
        self.backend: Backend = backend
        try:
            self._module: Any = import_module(f"dd.{backend}")
        except ImportError:
            raise UsageError(f"the package dd.{backend} is not installed") from None
        self.bdd: Any = self._module.BDD()
        if backend == "cudd":
            self.bdd.configure(reordering=auto_reorder, max_memory=_CUDD_MEMORY)
        else:
            self.bdd.configure(reordering=auto_reorder)
        self.true, self.false = self.bdd.true, self.bdd.false

    def declare(self, names: Iterable[str]) -> None:
        """See `DiagramManager`."""
        self.bdd.declare(*names)

    def var(self, name: str) -> Any:
        """See `DiagramManager`."""
        return self.bdd.var(name)

    def xor(self, f: Any, g: Any) -> Any:
        """See `DiagramManager`."""
        return self.bdd.apply("xor", f, g)

    def ite(self, f: Any, g: Any, h: Any) -> Any:
        """See `DiagramManager`."""
        return self.bdd.ite(f, g, h)

    def exist(self, f: Any, names: Iterable[str]) -> Any:
        """See `DiagramManager`."""
        return self.bdd.exist(list(names), f)

    def forall(self, f: Any, names: Iterable[str]) -> Any:
        """See `DiagramManager`."""
        return self.bdd.forall(list(names), f)

    def and_exists(self, f: Any, g: Any, names: Iterable[str]) -> Any:
        """See `DiagramManager`."""
        return (
            self._module.and_exists(f, g, list(names)) if self.backend == "cudd" else self.exist(f & g, names)
        )

    def let(self, f: Any, substitution: Mapping[str, Any]) -> Any:
        """See `DiagramManager`."""
        return self.bdd.let(dict(substitution), f)

    def count(self, f: Any, nvars: int) -> int:
        """See `DiagramManager`. Exact: CUDD counts in floating point, which is left for counts that fit."""
        if self.backend != "cudd" or nvars <= _EXACT_VARIABLES:
            return int(self.bdd.count(f, nvars))
        # Shares of the models that have each node's variable above: multiples of 2^-nvars.
        shares: dict[int, int] = {}
        stack: list[Any] = [f]
        while stack:
            top = stack[-1]
            if int(top) in shares:
                stack.pop()
                continue
            if top == self.true or top == self.false:
                shares[int(top)] = (1 << nvars) if top == self.true else 0
                continue
            arcs = [~top.low, ~top.high] if top.negated else [top.low, top.high]
            open_arcs = [arc for arc in arcs if int(arc) not in shares]
            if open_arcs:
                stack += open_arcs
            else:
                shares[int(top)] = sum(shares[int(arc)] for arc in arcs) >> 1
        return shares[int(f)]

    def support(self, f: Any) -> set[str]:
        """See `DiagramManager`."""
        return set(self.bdd.support(f))

    def pick(self, f: Any) -> dict[str, bool] | None:
        """See `DiagramManager`."""
        return self.bdd.pick(f)

    def size(self, f: Any) -> int:
        """See `DiagramManager`."""
        return len(f)

    def total(self) -> int:
        """See `DiagramManager`."""
        return len(self.bdd)

    def reorder(self, order: Sequence[str] | None = None) -> None:
        """See `DiagramManager`."""
        if order is None:
            self._module.reorder(self.bdd)
        else:
            self._module.reorder(self.bdd, {name: level for level, name in enumerate(order)})

    def out_of_room(self, error: Exception) -> bool:
        """CUDD gives dd a null pointer when it has no room for one more node."""
        if isinstance(error, MemoryError | RecursionError):
            return True
        return isinstance(error, ValueError | RuntimeError) and "NULL" in str(error)


def installed_backends() -> list[Backend]:
    """The packages that can be opened, ours first."""
    found: list[Backend] = ["dynomite"]
    candidates: tuple[Backend, ...] = ("cudd", "autoref")
    for backend in candidates:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                import_module(f"dd.{backend}")
            except ImportError:
                continue
        found.append(backend)
    return found
