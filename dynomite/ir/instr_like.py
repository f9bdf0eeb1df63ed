"""What all instruction-like references share, and walking over any of them.

`InstrRef`, `CInstrRef` and the nodes of an AIG (`dmt_dialect.aig.NodeRef`) have an `opcode`, `operands` and
`operand_def(i)`; code written against `InstrLike` works on all three.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol, Self, TypeVar


class InstrLike(Hashable, Protocol):
    """An instruction of some store."""

    @property
    def opcode(self) -> Hashable:
        """What it does."""
        ...

    @property
    def operands(self) -> Sequence[object]:
        """Its operands."""
        ...

    def operand_def(self, index: int, /) -> Self | None:
        """What defines an operand; None if the operand is no value."""
        ...


T = TypeVar("T", bound=InstrLike)


def cone(roots: Iterable[T]) -> list[T]:
    """Everything the roots depend on, they included, definitions before uses.

    Operands that an instruction defines itself count for nothing; on a cycle of values the order is by visit.

    Cost: linear in the operands visited.
    """
    done: dict[T, None] = {}
    entered: set[T] = set()
    for root in roots:
        stack: list[tuple[T, int]] = [(root, 0)]
        while stack:
            instr, index = stack.pop()
            if index == 0:
                if instr in entered:
                    continue
                entered.add(instr)
            operands = len(instr.operands)
            while index < operands:
                definer = instr.operand_def(index)
                index += 1
                if definer is not None and definer not in entered:
                    stack.append((instr, index))
                    stack.append((definer, 0))
                    break
            else:
                done[instr] = None
    return list(done)


def count_opcodes(instrs: Iterable[InstrLike]) -> dict[Hashable, int]:
    """How many instructions there are of each opcode. Linear in them."""
    counts: dict[Hashable, int] = {}
    for instr in instrs:
        counts[instr.opcode] = counts.get(instr.opcode, 0) + 1
    return counts
