"""Word operators in all their forms, as gates, and proved against z3."""

from __future__ import annotations

from typing import Any

import pytest

from dmt_dialect.aig import Aig
from dmt_dialect.bitblast import (
    Architecture,
    BitVec,
    WordAttr,
    WordOpInfo,
    WordShape,
    blast,
    operators,
    word_inputs,
    word_outputs,
)
from tests.support import reference_words

ARCHITECTURES = {
    "adder": ["ripple", "kogge-stone", "brent-kung"],
    "multiplier": ["array", "wallace", "dadda", "booth"],
    "divider": ["restoring", "non-restoring"],
}
SQUARE = ("MUL", "DIV", "REM", "MOD")
"""Parts of the names of operators that grow with the square of the width, except SDIVO."""
Params = dict[str, Any]
Form = tuple[tuple[int, ...], Params]


def is_square(op: WordOpInfo) -> bool:
    return op.name != "SDIVO" and any(part in op.name for part in SQUARE)


def forms(op: WordOpInfo, width: int) -> list[Form]:
    """Operand widths and attributes to try, the first operand (MUX: the second) of `width` bits."""
    match op.shape:
        case WordShape.UNARY | WordShape.REDUCE:
            return [((width,), {})]
        case WordShape.BINARY | WordShape.COMPARE:
            return [((width, width), {})]
        case WordShape.MUX:
            return [((1, width, width), {})]
        case WordShape.WIDEN | WordShape.SHIFT | WordShape.INDEX:
            return [((width, other), {}) for other in range(1, 5)]
        case WordShape.CONCAT:
            return [((width,), {}), ((width, 2, 1), {})]
        case _:
            pass
    if op.attr == WordAttr.RANGE:
        return [((width,), {"hi": hi, "lo": lo}) for hi in range(width) for lo in range(hi + 1)]
    least = width if op.attr == WordAttr.WIDTH else 1
    return [((width,), {"number": number}) for number in range(least, least + 3)]


def info(name: str) -> WordOpInfo:
    return next(op for op in operators() if op.name == name)


def z3_of(aig: Aig, inputs: list[Any]) -> list[Any]:
    """The outputs of an AIG as z3 terms."""
    z3 = pytest.importorskip("z3")
    terms: list[Any] = []
    for left, right in aig.fanins.tolist():
        if left == 0xFFFFFFFF:
            terms.append(inputs[right] if terms else z3.BoolVal(False))
            continue
        pair = [z3.Not(terms[lit >> 1]) if lit & 1 else terms[lit >> 1] for lit in (left, right)]
        terms.append(z3.And(*pair))
    return [
        z3.Not(terms[lit >> 1]) if lit & 1 else terms[lit >> 1] for lit in aig.literals("outputs").tolist()
    ]


def prove_with_z3(op: WordOpInfo, widths: tuple[int, ...], params: Params, seconds: int = 60) -> None:
    """No operands give other bits in gates than in z3's term."""
    z3: Any = pytest.importorskip("z3")
    aig = circuit(op, widths, params)
    terms = [z3.BitVec(f"x{index}", width) for index, width in enumerate(widths)]
    bits = [
        z3.Extract(i, i, term) == 1 for term, width in zip(terms, widths, strict=True) for i in range(width)
    ]
    expected = reference_words.z3_term(op.name, terms, **params)
    outputs = z3_of(aig, bits)
    assert expected.size() == len(outputs)
    solver = z3.Solver()
    solver.set("timeout", seconds * 1000)
    solver.add(z3.Or(*(z3.Xor(out, z3.Extract(i, i, expected) == 1) for i, out in enumerate(outputs))))
    result = solver.check()
    assert result == z3.unsat, (result, op.name, widths, params)


def prove_lookup_with_z3(index: int, width: int, entries: list[int]) -> None:
    """A lookup table gives the entry of every index."""
    z3: Any = pytest.importorskip("z3")
    aig = Aig()
    table = BitVec(sum(entry << (i * width) for i, entry in enumerate(entries)), width * len(entries))
    word_outputs(aig, "y", blast(aig, "LUT", word_inputs(aig, "i", index), table=table))
    term = z3.BitVec("i", index)
    outputs = z3_of(aig, [z3.Extract(bit, bit, term) == 1 for bit in range(index)])
    assert len(outputs) == width
    solver = z3.Solver()
    wrong = [
        z3.And(term == number, outputs[bit] != bool(entry >> bit & 1))
        for number, entry in enumerate(entries)
        for bit in range(width)
    ]
    solver.add(z3.Or(*wrong))
    assert solver.check() == z3.unsat


def circuit(
    op: WordOpInfo, widths: tuple[int, ...], params: Params, architecture: Architecture | None = None
) -> Aig:
    """An operator on inputs x0, x1... with the output y."""
    aig = Aig()
    words = [word_inputs(aig, f"x{index}", width) for index, width in enumerate(widths)]
    architecture = architecture or Architecture()
    word_outputs(aig, "y", blast(aig, op.op, *words, architecture=architecture, **params))
    return aig
