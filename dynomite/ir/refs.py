"""The reference family: how objects refer to each other.

============== ======================== ===================================
reference      holds                    when
============== ======================== ===================================
`ObjRef[T]`    id                       the kind is known when programming
`FatObjRef[T]` id, 64 inline bits       the same, with constants inline
`DynObjRef`    kind, id                 the kind is known when running
`FatDynObjRef` kind, id, 64 inline bits holds every other one
============== ======================== ===================================

Conversions lose nothing: those that would raise `UsageError`. `InstrRef`, `ValueRef`, `BlockRef` and
`RegionRef` are derived references, a module and an id, which is what programs work with; `T` is one of them.
References without a module are for storing in tables; `resolve` is the way back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from dynomite._native.ir import (
    BlockRef,
    DynObjRef,
    FatDynObjRef,
    InstrRef,
    Module,
    ObjKind,
    RegionRef,
    ValueRef,
)
from dynomite.errors import UsageError

T = TypeVar("T", InstrRef, ValueRef, BlockRef, RegionRef)
U = TypeVar("U", InstrRef, ValueRef, BlockRef, RegionRef)

_KINDS: dict[type, ObjKind] = {
    InstrRef: ObjKind(0, 1),
    ValueRef: ObjKind(0, 2),
    BlockRef: ObjKind(0, 3),
    RegionRef: ObjKind(0, 4),
}


def _check(kind: ObjKind, cls: type) -> None:
    if kind != _KINDS[cls]:
        raise UsageError(f"the reference is of kind {kind}, not to a {cls.__name__}")


@dataclass(frozen=True, slots=True)
class ObjRef(Generic[T]):
    """An id whose kind is known when programming."""

    cls: type[T]
    id: int

    @staticmethod
    def to(derived: U) -> ObjRef[U]:
        """The reference to what `derived` refers to."""
        return ObjRef(type(derived), derived.ref.id)

    @staticmethod
    def from_dyn(kind: type[U], ref: DynObjRef) -> ObjRef[U]:
        """The static form of a dynamic reference; UsageError if it is of another kind."""
        _check(ref.kind, kind)
        return ObjRef(kind, ref.id)

    def dyn(self) -> DynObjRef:
        """The dynamic form."""
        return DynObjRef(_KINDS[self.cls], self.id)

    def fat(self, payload: int = 0) -> FatObjRef[T]:
        """The same object with inline bits."""
        return FatObjRef(self.cls, self.id, payload)

    def resolve(self, module: Module) -> T:
        """The derived reference in `module`; UsageError if there is no such object."""
        return self.fat().resolve(module)


@dataclass(frozen=True, slots=True)
class FatObjRef(Generic[T]):
    """An id whose kind is known when programming, and 64 inline bits."""

    cls: type[T]
    id: int
    payload: int = 0

    @staticmethod
    def from_dyn(kind: type[U], ref: FatDynObjRef) -> FatObjRef[U]:
        """The static form of a dynamic reference; UsageError if it is of another kind."""
        _check(ref.kind, kind)
        return FatObjRef(kind, ref.id, ref.payload)

    def dyn(self) -> FatDynObjRef:
        """The dynamic form."""
        return FatDynObjRef(_KINDS[self.cls], self.id, self.payload)

    def thin(self) -> ObjRef[T]:
        """The reference without inline bits; UsageError if there are some."""
        if self.payload != 0:
            raise UsageError("thin: the inline bits would be lost")
        return ObjRef(self.cls, self.id)

    def resolve(self, module: Module) -> T:
        """The derived reference in `module`; UsageError if there is no such object."""
        found = module.resolve(self.thin().dyn().fat())
        if not isinstance(found, self.cls):
            raise UsageError(f"the reference is not to a {self.cls.__name__}")
        return found
