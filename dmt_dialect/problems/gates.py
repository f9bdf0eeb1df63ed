"""Questions as circuits."""

from __future__ import annotations

from typing import cast

from dmt_dialect.aig import Aig, Lit
from dmt_dialect.bitblast import Architecture, BitVec, Word, WordOp, blast, word_inputs
from dmt_dialect.problems.code import CHAINS, Code, Shape, shape_of, width_of_value
from dynomite._native.base import Stop
from dynomite.errors import VerifyError
from dynomite.ir import Const, InstrRef, Module, ValueRef
from dynomite.ir.operands import Operand


def circuit_from_problem(
    module: Module,
    within: InstrRef | None = None,
    *,
    architecture: Architecture | str = "",
    stop: Stop | None = None,
) -> Aig:
    """A question as a circuit: an input for each bit of the variables, an output `holds`, constraints.

    The output is the conjunction of the assertions, the constraints are the assumptions: the question is
    satisfiable if the output can be 1 (`dmt_dialect.solve.solve_aig`).
    """
    aig, asserted = Aig(), list[Lit]()
    chosen = architecture if isinstance(architecture, Architecture) else Architecture.parse(architecture)
    reader = _GateReader(aig, chosen, stop)

    def variable(instr: InstrRef, name: str) -> None:
        reader.values[instr.result] = word_inputs(aig, name, width_of_value(instr.result))

    for statement in Code(module, within).statements(variable, reader.operator):
        word = reader.word(statement.word)
        lit = (aig.true if word.unsigned else aig.false) if isinstance(word, BitVec) else word[0]
        if statement.assumed:
            aig.add_constraint(lit, statement.name)
        else:
            asserted.append(lit)
    aig.add_output(aig.and_all(asserted), "holds")
    return aig


class _GateReader:
    def __init__(self, aig: Aig, architecture: Architecture, stop: Stop | None) -> None:
        self.aig = aig
        self.architecture = architecture
        self.stop = stop
        self.values: dict[ValueRef, tuple[Lit, ...]] = {}

    def word(self, operand: Operand) -> Word:
        if isinstance(operand, Const):
            return BitVec(operand.value, operand.width)
        if not isinstance(operand, ValueRef) or operand not in self.values:
            raise VerifyError(f"{operand!r} is no word defined before")
        return self.values[operand]

    def operator(self, instr: InstrRef) -> None:
        shape = shape_of(instr)
        words = [self.word(operand) for operand in shape.words]
        if shape.operation is WordOp.LUT:
            self.values[instr.result] = self._blast(shape, words[:1], cast("BitVec", words[1]))
        elif shape.operation in CHAINS:
            made = words[0]
            for word in words[1:]:
                made = self._blast(shape, [made, word], None)
            self.values[instr.result] = self._lits(made)
        else:
            self.values[instr.result] = self._blast(shape, words, None)

    def _lits(self, word: Word) -> tuple[Lit, ...]:
        if not isinstance(word, BitVec):
            return tuple(word)
        return tuple(self.aig.true if bit == "1" else self.aig.false for bit in reversed(word.binary))

    def _blast(self, shape: Shape, words: list[Word], table: BitVec | None) -> tuple[Lit, ...]:
        return blast(
            self.aig,
            shape.operation,
            *words,
            hi=shape.hi,
            lo=shape.lo,
            number=shape.number,
            table=table,
            architecture=self.architecture,
            stop=self.stop,
        )
