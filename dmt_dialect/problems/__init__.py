"""Questions for solvers as code: variables, word operators, `op.ASSERT` and `op.ASSUME`.

    let question = CFG {
      dmt.VAR %x:def(op.bits(8)) {name = "x"}
      op.MUL %s:def(op.bits(8)) %x %x
      op.EQ %c:def(op.bits(1)) %s constant(17, 8)
      op.ASSERT %c {name = "square"}
      op.ULT %d:def(op.bits(1)) %x constant(64, 8)
      op.ASSUME %d {name = "small"}
    }

Asked is for values of the variables with which everything asserted and assumed is 1. In an answer "unsat" the
assertions and assumptions that contradict each other are named. (In a netlist or circuit `op.ASSERT` is a
property to be shown: there a solver looks for a state in which it fails; see docs/solving.md.)

Such code, terms (`dmt_dialect.smt`), SMT-LIB and circuits are turned into each other here.
"""

from __future__ import annotations

from dmt_dialect.problems.code import STATEMENTS
from dmt_dialect.problems.gates import circuit_from_problem
from dmt_dialect.problems.solving import Answer, solve_problem
from dmt_dialect.problems.terms import Claim, Problem, module_from_problem, problem_from_script, read_problem

__all__ = [
    "STATEMENTS",
    "Answer",
    "Claim",
    "Problem",
    "circuit_from_problem",
    "module_from_problem",
    "problem_from_script",
    "read_problem",
    "solve_problem",
]
