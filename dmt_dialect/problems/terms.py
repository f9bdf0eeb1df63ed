"""Questions as terms: out of code, back into code, out of SMT-LIB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dmt_dialect import dmt_ops as dmt
from dmt_dialect import ops as op
from dmt_dialect.bitblast import BitVec, WordOp
from dmt_dialect.problems.code import Code, shape_of, width_of_value
from dmt_dialect.problems.expand import Expander
from dmt_dialect.smt import Script
from dynomite._native.smt import CommandKind, Sort, Term, TermKind, Terms
from dynomite.errors import UsageError, VerifyError
from dynomite.ir import Builder, Const, Context, InstrRef, Module, Op, ValueRef, load
from dynomite.ir.operands import Operand


class Claim(NamedTuple):
    """A Boolean term that is asserted or assumed."""

    name: str
    term: Term


@dataclass(frozen=True, slots=True)
class Problem:
    """A question as terms.

    Attributes:
        terms: Their store.
        variables: The variables by name; each is a bit-vector.
        assertions: What has to hold.
        assumptions: What is taken to hold.
    """

    terms: Terms
    variables: dict[str, Term] = field(default_factory=dict[str, Term])
    assertions: list[Claim] = field(default_factory=list[Claim])
    assumptions: list[Claim] = field(default_factory=list[Claim])


def read_problem(module: Module, within: InstrRef | None = None) -> Problem:
    """The question of a module, or of the region of one of its instructions, as terms.

    Raises:
        VerifyError: It has other operations than variables, operators and statements, or a word is used
            before it is defined.

    Cost:
        Linear.
    """
    reader = _TermReader(Terms())
    problem = Problem(reader.terms)

    def variable(instr: InstrRef, name: str) -> None:
        made = reader.terms.variable(name, Sort.bits(width_of_value(instr.result)))
        reader.values[instr.result] = problem.variables[name] = made

    for statement in Code(module, within).statements(variable, reader.operator):
        word = reader.word(statement.word)
        one = reader.terms.constant(BitVec(1, 1))
        if word.sort != Sort.bits(1):
            raise VerifyError(f"{statement.name!r} is about a word of {word.sort.width} bits")
        claim = Claim(statement.name, reader.terms.op(WordOp.EQ, [word, one]))
        (problem.assumptions if statement.assumed else problem.assertions).append(claim)
    return problem


class _TermReader:
    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.expander = Expander(terms)
        self.values: dict[ValueRef, Term] = {}

    def word(self, operand: Operand) -> Term:
        if isinstance(operand, Const):
            return self.terms.constant(BitVec(operand.value, operand.width))
        if not isinstance(operand, ValueRef) or operand not in self.values:
            raise VerifyError(f"{operand!r} is no word defined before")
        return self.values[operand]

    def operator(self, instr: InstrRef) -> None:
        shape = shape_of(instr)
        words = [self.word(operand) for operand in shape.words]
        self.values[instr.result] = self.expander.operator(shape, words, width_of_value(instr.result))


def module_from_problem(problem: Problem, context: Context | None = None) -> Module:
    """A question as code. Booleans become words of one bit.

    Raises:
        UsageError: A term has an operator that code has not.

    Cost:
        Linear in the terms that are used.
    """
    context = Context() if context is None else context
    load(context, dmt.DMT, op.OP)
    writer = _TermWriter(Module(context))
    for name, term in problem.variables.items():
        writer.variable(name, term)
    writer.make([claim.term for claim in (*problem.assertions, *problem.assumptions)])
    for operation, claims in ((op.ASSERT, problem.assertions), (op.ASSUME, problem.assumptions)):
        for claim in claims:
            writer.builder.build(operation, writer.words[claim.term.index], attrs={"name": claim.name})
    return writer.builder.module


_OPERATIONS: dict[str, Op] = {operation.name: operation for operation in op.OP.ops}


class _TermWriter:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.builder = Builder(module)
        self.words: dict[int, Operand] = {}

    def variable(self, name: str, term: Term) -> None:
        kind = self.module.type(op.BITS, term.sort.width)
        self.words[term.index] = self.builder.value(dmt.VAR, kind, attrs={"name": name})

    def make(self, roots: Sequence[Term]) -> None:
        """Makes everything below some terms; operands have smaller numbers."""
        below: dict[int, Term] = {}
        stack = list(roots)
        while stack:
            term = stack.pop()
            if term.index not in below and term.index not in self.words:
                below[term.index] = term
                stack.extend(term.operands)
        for index in sorted(below):
            self.words[index] = self._word(below[index])

    def _word(self, term: Term) -> Operand:
        if term.kind is TermKind.CONSTANT:
            assert term.value is not None
            return Const(term.value.unsigned, term.value.width)
        if term.kind is not TermKind.OP:
            raise UsageError(f"module_from_problem: {term!r} is no variable of the question")
        assert term.op is not None
        words = [self.words[operand.index] for operand in term.operands]
        if term.op is WordOp.SLICE:
            words += [term.hi, term.lo]
        return self.builder.value(
            _OPERATIONS[term.op.name], self.module.type(op.BITS, term.sort.width), *words
        )


def problem_from_script(script: Script) -> Problem:
    """The question of an SMT-LIB script: all its assertions, and the assumptions of its only check.

    Raises:
        UsageError: The script asks several questions: it has several checks, or opens levels.
    """
    problem = Problem(script.terms)
    checked = False
    for command in script.commands:
        kind = command.kind
        if kind in _ENDS:
            raise UsageError(f"line {command.line}: a script with {kind.name.lower()} is not one question")
        if kind is CommandKind.DECLARE:
            for term in command.terms:
                problem.variables[term.name or f"v{len(problem.variables)}"] = term
        elif kind is CommandKind.ASSERT:
            if checked:
                raise UsageError(f"line {command.line}: the script goes on after its check")
            name = command.named[0] if command.named else f"assert{len(problem.assertions)}"
            problem.assertions.append(Claim(name, command.terms[0]))
        elif kind in (CommandKind.CHECK_SAT, CommandKind.CHECK_SAT_ASSUMING):
            if checked:
                raise UsageError(f"line {command.line}: a script with two checks is not one question")
            checked = True
            for term in command.terms:
                problem.assumptions.append(Claim(f"assume{len(problem.assumptions)}", term))
    return problem


_ENDS = (
    CommandKind.PUSH,
    CommandKind.POP,
    CommandKind.RESET,
    CommandKind.RESET_ASSERTIONS,
)
