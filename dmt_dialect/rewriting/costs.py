"""What word operators cost as gates, for `dynomite.rewriting.saturation`.

>>> from dynomite.rewriting.extraction import Operand
>>> word = Operand(0, 8, None)
>>> AndNodes().cost("op.AND", [word, word], 8), AndLevels().cost("op.AND", [word, word], 8)
(8, 1)
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Literal, TypeAlias

from dmt_dialect.aig import Aig
from dmt_dialect.bitblast import BitVec, Word, blast, operators, word_inputs, word_outputs
from dmt_dialect.rewriting.backends import VARIADIC
from dynomite.rewriting.extraction import Cost, Operand

CostName: TypeAlias = Literal["ands", "levels"]

_OPERATORS = frozenset(info.name for info in operators())
_QUADRATIC = frozenset(("MUL", "SMULW", "UMULW", "UDIV", "UREM", "SDIV", "SREM", "SMOD", "UMULO", "SMULO"))
_WIRING = frozenset(("CONCAT", "SLICE", "REPEAT", "ZEXT", "SEXT"))
_WIDEST_QUADRATIC = 128
_WIDEST = 4096

_Shape: TypeAlias = tuple[int, int | None]
"""Width and, of a constant, the value of an operand."""


class AndNodes:
    """The number of AND nodes, each operator bit-blasted by itself with the constants it is given.

    What operators share when the whole is one AIG is not seen. Products and quotients of more than 128 bits,
    and other operators of more than 4096, are taken to cost what wider ones cost in proportion.
    """

    shared = True

    def cost(self, op: str, operands: Sequence[Operand], width: int | None) -> int | None:
        """See `dynomite.rewriting.extraction.Cost`."""
        measured = _measured(op, operands, width)
        return None if measured is None else measured[0] + sum(operand.cost for operand in operands)


class AndLevels:
    """The number of AND nodes one behind the other: of each operator the longest way through it, added up.

    An upper bound of the levels of the whole, as the longest ways need not fit together. Wide operators as in
    `AndNodes`.
    """

    shared = False

    def cost(self, op: str, operands: Sequence[Operand], width: int | None) -> int | None:
        """See `dynomite.rewriting.extraction.Cost`."""
        measured = _measured(op, operands, width)
        if measured is None:
            return None
        return measured[1] + max((operand.cost for operand in operands), default=0)


def cost_named(name: CostName) -> Cost:
    """The cost of this name."""
    return AndNodes() if name == "ands" else AndLevels()


def _measured(op: str, operands: Sequence[Operand], width: int | None) -> tuple[int, int] | None:
    """AND nodes and levels of an operator; None if it is none, or cannot be of these widths."""
    dialect, _, name = op.partition(".")
    if dialect != "op" or name not in _OPERATORS or width is None:
        return None
    shapes: list[_Shape] = []
    for operand in operands:
        if operand.width is None:
            return None
        if name == "LUT" and shapes and operand.const is None:
            return None
        shapes.append((operand.width, None if operand.const is None else operand.const.value))
    return _gates(name, tuple(shapes), width)


@functools.lru_cache(maxsize=1 << 16)
def _gates(name: str, shapes: tuple[_Shape, ...], width: int) -> tuple[int, int]:
    if name in _WIRING:
        return 0, 0
    most = _WIDEST_QUADRATIC if name in _QUADRATIC else _WIDEST
    widest = max(width, *(bits for bits, _ in shapes))
    if name == "LUT" or widest <= most:
        return _blasted(name, shapes, width)
    factor = -(-widest // most)
    narrow = tuple(_narrowed(shape, factor) for shape in shapes)
    nodes, levels = _blasted(name, narrow, -(-width // factor))
    return nodes * factor ** (2 if name in _QUADRATIC else 1), levels * factor


def _narrowed(shape: _Shape, factor: int) -> _Shape:
    bits = -(-shape[0] // factor)
    return bits, None if shape[1] is None else shape[1] & ((1 << bits) - 1)


def _blasted(name: str, shapes: tuple[_Shape, ...], width: int) -> tuple[int, int]:
    aig = Aig()
    words: list[Word] = [
        word_inputs(aig, f"x{number}", bits) if value is None else BitVec(value, bits)
        for number, (bits, value) in enumerate(shapes)
    ]
    if name in VARIADIC and len(words) > 1:
        result: Word = words[0]
        for word in words[1:]:
            result = blast(aig, name, result, word)
    elif name == "LUT":
        assert isinstance(words[1], BitVec)
        result = blast(aig, name, words[0], table=words[1])
    else:
        result = blast(aig, name, *words)
    word_outputs(aig, "y", result)
    needed = aig.cleanup()
    return needed.num_ands, needed.depth
