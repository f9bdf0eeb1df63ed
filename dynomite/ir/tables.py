"""Side tables: data about objects of a module, kept outside of it in dense arrays indexed by id.

`ObjMap` is an array with a default, `ObjSet` an array of truth values; both grow with the module and have a
numpy view. `Numbering` is a map with an invariant: numbers that mean something (an order, a level), made anew
when the module has changed, which can tell the objects that have no number yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from dynomite._native import passes as native
from dynomite._native.ir import (
    BlockId,
    BlockRef,
    InstrId,
    InstrRef,
    Module,
    RegionId,
    RegionRef,
    ValueId,
    ValueRef,
)
from dynomite.errors import StaleRefError, UsageError
from dynomite.ir.arrays import block_instrs, definers, opcodes, operand_rows

_VALUE = 2  # kind of a value: number 2 of the dialect core

T = TypeVar("T", InstrRef, ValueRef, BlockRef, RegionRef)

_BOUNDS: dict[type, Callable[[Module], int]] = {
    InstrRef: lambda module: module.instr_bound,
    ValueRef: lambda module: module.value_bound,
    BlockRef: lambda module: module.block_bound,
    RegionRef: lambda module: module.region_bound,
}
_BY_ID: dict[type, Callable[[Module, int], object]] = {
    InstrRef: lambda module, index: module.instr(InstrId(index)),
    ValueRef: lambda module, index: module.value(ValueId(index)),
    BlockRef: lambda module, index: module.block(BlockId(index)),
    RegionRef: lambda module, index: module.region(RegionId(index)),
}


class ObjMap(Generic[T]):
    """One number (or other numpy scalar) for every object of one kind.

    Args:
        module: Whose objects.
        kind: `InstrRef`, `ValueRef`, `BlockRef` or `RegionRef`.
        dtype: Of the entries.
        default: The entry of objects that were given none.

    Cost: one array entry an id; reading and writing are constant time. In a pool store a new object inherits
    the entry of the deleted one whose id it got.
    """

    def __init__(
        self, module: Module, kind: type[T], dtype: npt.DTypeLike = np.int64, default: object = 0
    ) -> None:
        self.module = module
        self._kind = kind
        self._bound = _BOUNDS[kind]
        self._default = default
        self._data: npt.NDArray[Any] = np.full(self._bound(module), default, dtype)

    @property
    def array(self) -> npt.NDArray[Any]:
        """A view with one entry an id, dead ones included. Valid until the module has new objects."""
        bound = self._bound(self.module)
        if bound > len(self._data):
            grown = np.full(max(bound, len(self._data) * 3 // 2), self._default, self._data.dtype)
            grown[: len(self._data)] = self._data
            self._data = grown
        return self._data[:bound]

    def _index(self, ref: T) -> int:
        if type(ref) is not self._kind or ref.module is not self.module:
            raise UsageError(f"the table is for each {self._kind.__name__} of one module")
        if not ref.is_live:
            raise StaleRefError("the object was deleted")
        return ref.ref.id

    def __getitem__(self, ref: T) -> Any:
        return self.array[self._index(ref)]

    def __setitem__(self, ref: T, value: object) -> None:
        self.array[self._index(ref)] = value


class ObjSet(Generic[T]):
    """A set of objects of one kind; see `ObjMap`."""

    def __init__(self, module: Module, kind: type[T], members: Iterable[T] = ()) -> None:
        self._map = ObjMap(module, kind, np.bool_, default=False)
        for ref in members:
            self.add(ref)

    @property
    def array(self) -> npt.NDArray[np.bool_]:
        """A view with one truth value an id. Valid until the module has new objects."""
        return self._map.array

    def add(self, ref: T) -> None:
        """Puts an object in."""
        self._map[ref] = True

    def discard(self, ref: T) -> None:
        """Takes an object out if it is in."""
        self._map[ref] = False

    def __contains__(self, ref: T) -> bool:
        return bool(self._map[ref])

    def __len__(self) -> int:
        """Members, deleted ones included; linear in the ids."""
        return int(np.count_nonzero(self.array))

    def ids(self) -> npt.NDArray[np.intp]:
        """Ids of the members, ascending. Linear in the ids."""
        return np.flatnonzero(self.array)

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids().tolist())


class Numbering(Generic[T]):
    """Canonical numbers of objects, made by `number` when they are asked for after the module changed.

    Args:
        module: Whose objects.
        kind: Which ones.
        number: Fills an array that has -1 for every id; what it leaves at -1 has no number.
    """

    def __init__(
        self, module: Module, kind: type[T], number: Callable[[Module, npt.NDArray[np.int64]], None]
    ) -> None:
        self.module = module
        self._kind = kind
        self._number = number
        self._map = ObjMap(module, kind, np.int64, default=-1)
        self._stamp: int | None = None
        self.renumberings = 0

    @property
    def is_current(self) -> bool:
        """True if the numbers belong to the present state of the module."""
        return self._stamp == self.module.stamp

    def renumber(self) -> None:
        """Makes all numbers anew if the module has changed; linear in the module then."""
        if self.is_current:
            return
        array = self._map.array
        array[:] = -1
        self._number(self.module, array)
        self._stamp = self.module.stamp
        self.renumberings += 1

    def has_number(self, ref: T) -> bool:
        """True if the object got a number when numbers were made last; does not renumber."""
        return int(self._map[ref]) >= 0

    def unnumbered(self) -> npt.NDArray[np.intp]:
        """Ids of live objects without a number; does not renumber. Linear in the ids."""
        without = np.flatnonzero(self._map.array < 0)
        return np.array([index for index in without.tolist() if self._exists(index)], np.intp)

    def _exists(self, index: int) -> bool:
        try:
            _BY_ID[self._kind](self.module, index)
        except StaleRefError:
            return False
        return True

    @property
    def array(self) -> npt.NDArray[np.int64]:
        """The present numbers by id, -1 for none."""
        self.renumber()
        return self._map.array

    def __getitem__(self, ref: T) -> int:
        self.renumber()
        number = int(self._map[ref])
        if number < 0:
            raise UsageError("the object has no number: the numbering does not reach it")
        return number


def block_order(module: Module) -> Numbering[InstrRef]:
    """The place of every instruction in its block, counted from 0; in several blocks, in the last by id.

    Cost: linear in the module, whenever it has changed.
    """

    def number(of: Module, array: npt.NDArray[np.int64]) -> None:
        for block in all_blocks(of):
            ids = block_instrs(block)
            array[ids] = np.arange(len(ids))

    return Numbering(module, InstrRef, number)


def dominance_order(module: Module) -> Numbering[InstrRef]:
    """Numbers of all instructions in blocks: what may be used somewhere comes before it.

    Blocks go by the dominator tree, unreachable ones last, and what is in the regions of an instruction comes
    right behind it. In graph regions, where order means nothing, it is the order of the text.

    Cost: O(n log n) in blocks and linear in instructions, when numbers are asked for after a change.
    """

    def number(of: Module, array: npt.NDArray[np.int64]) -> None:
        dominance = native.Dominance(of)
        count = 0
        entered: set[RegionRef] = set()
        stack: list[Iterator[InstrRef]] = []

        def enter(region: RegionRef) -> None:
            if region not in entered:
                entered.add(region)
                stack.append(chain.from_iterable(dominance.tree_order(region)))

        enter(of.body.region)
        while stack:
            instr = next(stack[-1], None)
            if instr is None:
                stack.pop()
                continue
            if array[instr.ref.id] < 0:
                array[instr.ref.id] = count
                count += 1
            for region in reversed(instr.regions):
                enter(region)

    return Numbering(module, InstrRef, number)


def topological_order(module: Module) -> Numbering[InstrRef]:
    """Numbers of all instructions: whatever defines a value comes before what uses it, wherever both are.

    Instructions that use values of a cycle, and those of the cycle, have no number.

    Cost: linear in operands, when numbers are asked for after a change.
    """

    def number(of: Module, array: npt.NDArray[np.int64]) -> None:
        starts, ids, kinds, is_def = operand_rows(of)
        definer = definers(of)
        row = np.repeat(np.arange(len(starts) - 1), np.diff(starts.astype(np.int64)))
        is_use = (kinds == _VALUE) & ~is_def
        source, target = definer[ids[is_use]].astype(np.int64), row[is_use]
        by_source = np.argsort(source, kind="stable")
        first = np.searchsorted(source[by_source], np.arange(len(array) + 1)).tolist()
        users: list[int] = target[by_source].tolist()
        missing: list[int] = np.bincount(target, minlength=len(array)).tolist()
        live = opcodes(of) != np.uint16(0xFFFF)
        order: list[int] = [index for index in np.flatnonzero(live).tolist() if missing[index] == 0]
        for index in order:  # grows meanwhile
            for user in users[first[index] : first[index + 1]]:
                missing[user] -= 1
                if missing[user] == 0:
                    order.append(user)
        array[order] = np.arange(len(order))

    return Numbering(module, InstrRef, number)


def all_blocks(module: Module) -> Iterator[BlockRef]:
    """All live blocks of a module by id. Linear in its blocks."""
    for index in range(module.block_bound):
        try:
            yield module.block(BlockId(index))
        except StaleRefError:
            continue
