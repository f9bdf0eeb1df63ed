"""Whole modules as numpy arrays: building many operations at once, and tables indexed by id.

>>> import numpy as np
>>> from dynomite.ir import Builder, Context, Dialect, Module, ValueId, load
>>> from dynomite.ir.arrays import build_rows, opcodes
>>> demo = Dialect("demo")
>>> WORD, IN, ADD = demo.type("word"), demo.op("IN", defs=1), demo.op("ADD", defs=1, uses=2)
>>> context = Context()
>>> load(context, demo)
>>> module = Module(context)
>>> builder = Builder(module)
>>> word = module.type(WORD)
>>> a = builder.value(IN, word)
>>> first = module.value_bound  # the value of row i is first + i
>>> rows = [[int(a.id), int(a.id)], [first, first], [first, first + 1]]
>>> values = build_rows(builder, ADD, word, rows)
>>> module.value(ValueId(values[2])).instr.name
'demo.ADD'
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dynomite._native import ir as native
from dynomite._native.ir import BlockRef, Builder, Module, Op, Opcode, Type
from dynomite.errors import UsageError

Words: TypeAlias = npt.NDArray[np.uint32]
Offsets: TypeAlias = npt.NDArray[np.uint64]


def build_rows(
    builder: Builder,
    ops: Op | Opcode | npt.ArrayLike,
    types: Type | npt.ArrayLike,
    operands: npt.ArrayLike,
    starts: npt.ArrayLike | None = None,
) -> Words:
    """Builds many operations that define one value each and use values only.

    Args:
        builder: Builds them, at its place, merging and tracking as it does.
        ops: One operation for all rows, or an array of `int(opcode)`.
        types: One type for all rows, or an array of `Type.id`.
        operands: Value ids, a matrix with one row an operation. Ids from `module.value_bound` on are the rows
            of this call: `value_bound + i` is the value of row i, which has to come before its use.
        starts: For rows of different lengths: `operands` is one row, and row i of the batch uses
            `operands[starts[i]:starts[i + 1]]`.

    Returns:
        The ids of the values, one a row.

    Raises:
        UsageError: A row is wrong; nothing was built then.

    Cost: about 0.1 microseconds a row of two operands; several times that where operands lie far apart.
    """
    flat = np.ascontiguousarray(operands, np.uint32)
    if starts is None:
        if flat.ndim != 2:
            raise ValueError("operands: a matrix, or `starts` for rows of different lengths")
        offsets: Offsets = np.arange(flat.shape[0] + 1, dtype=np.uint64) * np.uint64(flat.shape[1])
    else:
        offsets = np.ascontiguousarray(starts, np.uint64)
    count = max(len(offsets) - 1, 0)
    module = builder.module
    if isinstance(ops, Op):
        ops = ops.opcode(module.context)
    opcode_row = (
        np.full(count, int(ops), np.uint16)
        if isinstance(ops, Opcode)
        else np.ascontiguousarray(ops, np.uint16)
    )
    if isinstance(types, Type):
        if types.module is not module:
            raise UsageError("build_rows: this type belongs to another module")
        type_row: Words = np.full(count, int(types.id), np.uint32)
    else:
        type_row = np.ascontiguousarray(types, np.uint32)
    return native.build_rows(builder, opcode_row, type_row, offsets, flat.reshape(-1), module.value_bound)


def opcodes(module: Module) -> npt.NDArray[np.uint16]:
    """`int(opcode)` of every instruction by id, 65535 for deleted ones. Linear in the ids."""
    return native.opcode_table(module)


def live_instrs(module: Module) -> npt.NDArray[np.intp]:
    """Ids of the instructions that exist, ascending. Linear in the ids."""
    return np.flatnonzero(native.opcode_table(module) != 0xFFFF)


def use_counts(module: Module) -> Words:
    """Number of uses of every value by id. Linear in the operands of the module."""
    return native.use_count_table(module)


def definers(module: Module) -> Words:
    """Id of the instruction that defines a value, by the value's id; 2^32 - 1 for deleted ones.

    Cost: linear in the ids.
    """
    return native.definer_table(module)


def types(module: Module) -> Words:
    """`Type.id` of every value by id; 2^32 - 1 for deleted ones and values without a type.

    Cost: linear in the ids.
    """
    return native.type_table(module)


def block_instrs(block: BlockRef) -> Words:
    """Ids of the instructions of a block in order. Linear in them."""
    return native.block_table(block)


def operand_rows(
    module: Module,
) -> tuple[Offsets, Words, npt.NDArray[np.uint16], npt.NDArray[np.bool_]]:
    """All operands of a module, instruction by instruction.

    Returns:
        `(starts, ids, kinds, is_def)`: instruction i has the operands from `starts[i]` to `starts[i + 1]`; of
        each the id in its store, dialect * 256 + type of its kind, and whether it is defined there.

    Cost: linear in the instructions and operands.
    """
    starts, ids, kinds, defs = native.operand_rows(module)
    return starts, ids, kinds, defs.view(np.bool_)
