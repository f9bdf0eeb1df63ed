"""Folding of operators bit by bit, reductions and comparisons."""

from __future__ import annotations

from dmt_dialect import ops as op
from dmt_dialect.folding.words import (
    Fold,
    Rule,
    Word,
    complement_of,
    complementary,
    is_constant,
    merged,
    rebuilt,
    width_of,
    words_of,
)
from dynomite.ir import Const, Op, ValueRef


def fold_and_or(fold: Fold) -> Word | None:
    """AND, OR."""
    neutral, absorbing = (fold.ones, fold.zero) if fold.op is op.AND else (fold.zero, fold.ones)
    words, total = merged(fold, neutral)
    if total == absorbing:
        return absorbing
    words = list(dict.fromkeys(words))
    seen = set(words)
    if any(complement_of(word) in seen for word in words):
        return absorbing
    if total != neutral or not words:
        words.append(total)
    return rebuilt(fold, words)


def fold_xor(fold: Fold) -> Word | None:
    """XOR."""
    words, total = merged(fold, fold.zero)
    once: dict[Word, None] = {}
    for word in words:
        # Pairs cancel; a word and its complement give all ones.
        other = (
            next((known for known in once if complementary(word, known)), None) if len(words) <= 8 else None
        )
        if word in once:
            del once[word]
        elif other is not None:
            del once[other]
            total = fold.constant(~total.value)
        else:
            once[word] = None
    words = list(once)
    if words and total == fold.ones:
        rest = words[0] if len(words) == 1 else fold.make(op.XOR, *words)
        return fold.make(op.NOT, rest)
    if total.value or not words:
        words.append(total)
    return rebuilt(fold, words)


def complemented_rule(plain: Op) -> Rule:
    """NAND, NOR, XNOR where the plain operation folds."""

    def rule(fold: Fold) -> Word | None:
        a, b = fold.words
        extreme = any(is_constant(word, 0) or is_constant(word, -1) for word in (a, b))
        if a != b and not extreme and not complementary(a, b):
            return None
        return fold.make(op.NOT, fold.make(plain, a, b))

    return rule


_INVERSE = {
    op.EQ.name: op.NE,
    op.NE.name: op.EQ,
    op.ULT.name: op.UGE,
    op.UGE.name: op.ULT,
    op.ULE.name: op.UGT,
    op.UGT.name: op.ULE,
    op.SLT.name: op.SGE,
    op.SGE.name: op.SLT,
    op.SLE.name: op.SGT,
    op.SGT.name: op.SLE,
}


def fold_not(fold: Fold) -> Word | None:
    """NOT."""
    word = fold.words[0]
    inner = complement_of(word)
    if inner is not None:
        return inner
    if isinstance(word, ValueRef):
        instr = word.instr
        inverse = _INVERSE.get(instr.name.removeprefix("op.")) if instr.name.startswith("op.") else None
        if inverse is not None:
            return fold.make(inverse, *words_of(instr))
    return None


def fold_reduce(fold: Fold) -> Word | None:
    """REDAND, REDOR, REDXOR."""
    return fold.words[0] if width_of(fold.words[0]) == 1 else None


def fold_equal(fold: Fold) -> Word | None:
    """EQ, NE."""
    a, b = fold.words
    equal = fold.op is op.EQ
    if a == b:
        return fold.constant(equal)
    if complementary(a, b):
        return fold.constant(not equal)
    if isinstance(a, Const):
        a, b = b, a
    if width_of(a) == 1 and isinstance(b, Const):
        return a if bool(b.value) == equal else fold.make(op.NOT, a)
    return None


def fold_less(fold: Fold) -> Word | None:
    """Comparisons by size."""
    a, b = fold.words
    name = fold.op.name
    strict = name.endswith("T")
    if a == b:
        return fold.constant(not strict)
    if name[1] == "G":
        a, b = b, a
    # Now a < b or a <= b.
    top = 1 << (width_of(a) - 1)
    least, most = (0, -1) if name[0] == "U" else (top, top - 1)
    if strict and (is_constant(a, most) or is_constant(b, least)):
        return fold.zero
    if not strict and (is_constant(a, least) or is_constant(b, most)):
        return fold.ones
    if strict and name[0] == "U" and (is_constant(b, 1) or is_constant(a, 0)):
        return fold.make(op.EQ, a, Const(0, width_of(a))) if is_constant(b, 1) else fold.make(op.NE, b, a)
    if not strict and name[0] == "U" and is_constant(b, 0):
        return fold.make(op.EQ, a, b)
    return None
