"""The dialect `op` declares what the table of operators has."""

from __future__ import annotations

from dmt_dialect.ops import OP
from dynomite._native import word

STATEMENTS = {"ASSERT", "ASSUME"}


def test_same_operators_as_the_table() -> None:
    declared = {op.name: op for op in OP.ops if op.name not in STATEMENTS}
    assert all(op.doc for op in OP.ops)
    for name, op in declared.items():
        found = word.find_word_op(name)
        assert found is not None, name
        info = word.info(found)
        assert ("commutative" in op.traits) == info.commutative, name
        assert "pure" in op.traits
    table = {word.info(found).name for found in word.WordOp}
    assert table == set(declared)
