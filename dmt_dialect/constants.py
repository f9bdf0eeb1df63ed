"""Operators of the dialect `op` on constants of the IR."""

from __future__ import annotations

from dynomite._native import word as native
from dynomite.ir import Const


def evaluate(operator: str, *operands: Const, number: int = 0) -> Const:
    """The value of an operator.

    Args:
        operator: Its name, such as "ADD".
        *operands: Its operands.
        number: Copies of REPEAT, bits of the result of ZEXT and SEXT.

    Raises:
        UsageError: The operands do not fit the operator.

    Example:
        >>> evaluate("ADD", Const(250, 8), Const(10, 8))
        Const(4, 8)
    """
    found = native.find_word_op(operator)
    assert found is not None
    words = [native.BitVec(operand.value, operand.width) for operand in operands]
    result = native.evaluate(found, words, number=number)
    return Const(result.unsigned, result.width)
