"""Pairs of circuits with a known answer, and an answer by exhaustion."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from dmt_dialect.verdict import Bit, Counterexample
from dynomite._native.aig import Aig, Lit
from tests.support.oracles import evaluate


def differing_outputs(left: Aig, right: Aig) -> set[int]:
    """Outputs whose functions differ, by trying every input."""
    found: set[int] = set()
    count = left.num_inputs
    for number in range(1 << count):
        inputs = [bool(number >> i & 1) for i in range(count)]
        values = zip(evaluate(left, inputs), evaluate(right, inputs), strict=True)
        found |= {k for k, (a, b) in enumerate(values) if a != b}
    return found


def restructured(aig: Aig, rng: random.Random) -> Aig:
    """The same functions by other gates: random gates are built as sums of cofactors or through XORs."""
    result = Aig()
    lits: list[Lit] = [result.false, *result.add_inputs(aig.num_inputs)]
    for left, right in gates(aig):
        a, b = copied(lits, left), copied(lits, right)
        kind = rng.randrange(4)
        if kind == 0:
            gate = a & b
        elif kind == 1:
            gate = ~((a ^ b) | ~a)
        elif kind == 2 and aig.num_inputs:
            pivot = lits[1 + rng.randrange(aig.num_inputs)]
            gate = (pivot & a & b) | (~pivot & b & a)
        else:
            gate = (a | b) & ~(a ^ b)
        lits.append(gate)
    for lit in aig.literals("outputs").tolist():
        result.add_output(copied(lits, lit))
    return result


def gates(aig: Aig) -> list[tuple[int, int]]:
    """Fanin literals of the ANDs of a circuit whose inputs come first and that has no latches."""
    return [(int(a), int(b)) for a, b in aig.fanins[1 + aig.num_inputs :]]


def copied(lits: Sequence[Lit], lit: int) -> Lit:
    """The copy of literal number `lit`, given the copies of all nodes."""
    return ~lits[lit >> 1] if lit & 1 else lits[lit >> 1]


def mutated(aig: Aig, rng: random.Random) -> Aig:
    """The circuit with one edge complemented, or one output when there is no gate."""
    rows = np.array(aig.fanins)
    first = 1 + aig.num_inputs
    flip_output = len(rows) == first
    if not flip_output:
        rows[rng.randrange(first, len(rows)), rng.randrange(2)] ^= 1
    result = Aig.from_fanins(rows)
    for k, lit in enumerate(aig.literals("outputs").tolist()):
        result.add_output(result.lit(lit ^ int(flip_output and k == 0)))
    return result


def multiplier(width: int, *, columns_first: bool, step: int = 1) -> Aig:
    """A multiplier as an array of adders, rows or columns first, of whose outputs every `step`th is there.

    They are equal, and hard to prove equal when wide and not all outputs are there: no word is left.
    """
    aig = Aig()
    a, b = aig.add_inputs(width), aig.add_inputs(width)
    columns: list[list[Any]] = [[] for _ in range(2 * width)]
    for i in range(width):
        for j in range(width):
            columns[i + j].append(a[i] & b[j])
    for k, column in enumerate(columns):
        while len(column) > 1:
            take = 3 if len(column) > 2 else 2
            if columns_first:
                bits, column[:take] = column[:take], []
            else:
                bits = [column.pop() for _ in range(take)]
            bits += [aig.false] * (3 - take)
            total = bits[0] ^ bits[1] ^ bits[2]
            carry = (bits[0] & bits[1]) | (bits[2] & (bits[0] | bits[1]))
            column.append(total) if columns_first else column.insert(0, total)
            if k + 1 < len(columns):
                columns[k + 1].append(carry)
        if k % step == 0:
            aig.add_output(column[0] if column else aig.false)
    return aig


def shows_difference(left: Aig, right: Aig, cex: Counterexample, rng: random.Random) -> bool:
    """Whether unnamed designs without latches differ as the counterexample says, whatever is free."""
    for _ in range(8):
        inputs = [filled(cex.inputs, f"i{k}", rng) for k in range(left.num_inputs)]
        for design, shown in ((left, cex.left), (right, cex.right)):
            values = evaluate(design, inputs)
            for k, value in enumerate(values):
                claimed = shown[f"o{k}"]
                if claimed is not None and claimed != value:
                    return False
    return cex.left[cex.output] is not None and cex.left[cex.output] == 1 - (cex.right[cex.output] or 0)


def filled(values: Mapping[str, Bit], name: str, rng: random.Random) -> bool:
    """The value of `name`; any if it is free."""
    value = values[name]
    return bool(rng.getrandbits(1)) if value is None else bool(value)


def miter_is_satisfiable(left: Aig, right: Aig) -> bool:
    """Whether some output differs, by a plain encoding and a solver of another family."""
    minisat: Any = import_module("pysat.solvers").Minisat22
    clauses: list[list[int]] = []
    top = 0

    def fresh() -> int:
        nonlocal top
        top += 1
        return top

    false = fresh()
    clauses.append([-false])
    shared = [fresh() for _ in range(left.num_inputs)]
    outputs: list[list[int]] = []
    for design in (left, right):
        variables = [false, *shared]
        for a, b in gates(design):
            x, y = (-variables[lit >> 1] if lit & 1 else variables[lit >> 1] for lit in (a, b))
            out = fresh()
            clauses += [[-out, x], [-out, y], [out, -x, -y]]
            variables.append(out)
        lits: list[int] = design.literals("outputs").tolist()
        outputs.append([-variables[lit >> 1] if lit & 1 else variables[lit >> 1] for lit in lits])
    some: list[int] = []
    for a, b in zip(*outputs, strict=True):
        differs = fresh()
        clauses += [[-differs, a, b], [-differs, -a, -b]]
        some.append(differs)
    clauses.append(some)
    with minisat(bootstrap_with=clauses) as solver:
        return bool(solver.solve())
