"""SMT-LIB: terms, scripts, bit-blasting."""

from collections.abc import Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray

import dynomite._native.aig
import dynomite._native.base
import dynomite._native.cnf
import dynomite._native.word


class Sort:
    """Bool, or bit-vectors of one width."""

    @staticmethod
    def bool() -> Sort:
        """The sort Bool."""

    @staticmethod
    def bits(width: int) -> Sort:
        """The sort of bit-vectors of `width` bits."""

    @property
    def is_bool(self) -> bool:
        """Whether it is Bool."""

    @property
    def width(self) -> int:
        """Bits of a value; 1 for Bool."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object | None) -> bool: ...

    def __hash__(self) -> int: ...

class TermKind(enum.Enum):
    """What a term is."""

    CONSTANT = 0

    VARIABLE = 1

    PARAMETER = 2

    OP = 3

class Term:
    """A term of a store, which it keeps. Equal terms are one."""

    @property
    def store(self) -> Terms:
        """Its store."""

    @property
    def index(self) -> int:
        """Its number in the store."""

    @property
    def kind(self) -> TermKind:
        """What it is."""

    @property
    def sort(self) -> Sort:
        """Its sort."""

    @property
    def op(self) -> dynomite._native.word.WordOp | None:
        """The operator of an operation, else None."""

    @property
    def operands(self) -> list[Term]:
        """Its operands."""

    @property
    def hi(self) -> int:
        """Upper bit of a SLICE; number of a REPEAT; width of a ZEXT or SEXT."""

    @property
    def lo(self) -> int:
        """Lower bit of a SLICE."""

    @property
    def name(self) -> str | None:
        """The name of a variable, else None."""

    @property
    def value(self) -> dynomite._native.word.BitVec | None:
        """The value of a constant, else None."""

    def __eq__(self, other: object | None) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class Terms:
    """
    Bit-vector and Boolean terms; equal terms are one. Nothing is simplified here.
    """

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def variable(self, name: str, sort: Sort) -> Term:
        """A new variable, different from all others."""

    def constant(self, value: dynomite._native.word.BitVec) -> Term:
        """A bit-vector constant."""

    def boolean(self, value: bool) -> Term:
        """True or false."""

    def op(self, op: dynomite._native.word.WordOp, operands: Sequence[Term], *, sort: Sort | None = None, hi: int = 0, lo: int = 0, number: int = 0) -> Term:
        """
        An operation, of the operator's usual sort unless `sort` is given: comparisons may be one bit.

        Raises UsageError if sorts or attributes do not fit.
        """

    def to_smtlib(self, assertions: Sequence[Term], names: Sequence[str] = [], *, stop: dynomite._native.base.Stop | None = None) -> bytes:
        """
        An SMT-LIB script that asserts these terms, named where `names` has more than "", and checks them.
        """

    def to_z3(self, plain: Sequence[Term], guarded: Sequence[Term], *, stop: dynomite._native.base.Stop | None = None) -> tuple[bytes, list[Term]]:
        """
        Text for z3 and the variables in it, which are called "v!" and their index there.

        Guarded term k holds if the Boolean constant "guard!k" does.
        """

class CommandKind(enum.Enum):
    """The commands of a script."""

    SET_LOGIC = 0

    SET_INFO = 1

    SET_OPTION = 2

    DECLARE = 3

    DEFINE = 4

    ASSERT = 5

    CHECK_SAT = 6

    CHECK_SAT_ASSUMING = 7

    PUSH = 8

    POP = 9

    GET_MODEL = 10

    GET_VALUE = 11

    GET_UNSAT_CORE = 12

    GET_UNSAT_ASSUMPTIONS = 13

    GET_ASSERTIONS = 14

    GET_ASSIGNMENT = 15

    GET_INFO = 16

    GET_OPTION = 17

    GET_PROOF = 18

    ECHO = 19

    RESET = 20

    RESET_ASSERTIONS = 21

    EXIT = 22

class Command:
    """A command of a script, its terms read."""

    @property
    def kind(self) -> CommandKind:
        """Which."""

    @property
    def line(self) -> int:
        """Its line."""

    @property
    def column(self) -> int:
        """Its column."""

    @property
    def levels(self) -> int:
        """Levels of push and pop."""

    @property
    def terms(self) -> list[Term]:
        """Its terms."""

    @property
    def texts(self) -> list[str]:
        """Names, keywords, values and the texts of terms, as the kind has them."""

    @property
    def named(self) -> list[str]:
        """Names its terms and their parts were given."""

    @property
    def named_terms(self) -> list[Term]:
        """What these names mean."""

class Model:
    """Values of variables; those that have none are zero."""

    def __init__(self, terms: Terms) -> None: ...

    def set(self, variable: Term, value: dynomite._native.word.BitVec) -> None:
        """Gives a variable a value."""

    def values(self, terms: Sequence[Term], *, stop: dynomite._native.base.Stop | None = None) -> list[dynomite._native.word.BitVec]:
        """The values of terms, by the operators' definitions alone. Linear."""

class Circuit:
    """
    Terms as gates, as clauses (Plaisted and Greenbaum's), and a solver on the gates.

    Literals are AIGER numbers of its own AIG. All grows with what is asked for.
    """

    def __init__(self, terms: Terms, *, architecture: str = '') -> None: ...

    def literals(self, terms: Sequence[Term], *, stop: dynomite._native.base.Stop | None = None) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')] | None:
        """
        Simplifies and bit-blasts terms: the literals of all their bits, bit 0 first; None if stopped.
        """

    def solve(self, literals: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)], conflict_limit: int, *, stop: dynomite._native.base.Stop | None = None) -> str:
        """
        Looks for inputs that make all literals true: "sat", "unsat", or "unknown" at a limit.
        """

    def model(self) -> Model:
        """What `solve` found: values of the variables."""

    def encode(self, literals: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)], *, stop: dynomite._native.base.Stop | None = None) -> dynomite._native.cnf.Cnf:
        """The clauses below these literals that no call has given before."""

    def cnf_literals(self, literals: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """The literals of the clauses for encoded literals."""

    def model_of(self, values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', writable=False)]) -> Model:
        """
        Values of the variables from those of the clauses' variables (`values[v - 1]`, 0 or 1).
        """

    def aig(self, outputs: Sequence[Term], *, stop: dynomite._native.base.Stop | None = None) -> dynomite._native.aig.Aig:
        """A copy of the circuit whose outputs are the bits of these terms."""

    @property
    def stats(self) -> dict[str, int]:
        """Sizes."""

def read_script(data: bytes, name: str = '<bytes>', *, expansion: int = 2000000, stop: dynomite._native.base.Stop | None = None) -> tuple[Terms, list[Command]]:
    """
    Reads a whole SMT-LIB script: its terms and its commands, every name resolved, every sort checked.

    Raises ParseError with line and column; LimitError when `stop` ends it. Without the GIL.
    """

def value_text(sort: Sort, value: dynomite._native.word.BitVec) -> str:
    """A constant as SMT-LIB writes it."""

def symbol_text(name: str) -> str:
    """A symbol as SMT-LIB writes it, with bars where it needs them."""

def aig_to_smtlib(aig: dynomite._native.aig.Aig, *, stop: dynomite._native.base.Stop | None = None) -> bytes:
    """
    The circuit as an SMT-LIB script over Booleans, latches cut: can some bad state (output) be true?
    """
