"""Binary decision diagrams."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Never

import dynomite._native.aig
import dynomite._native.base


class BddRef:
    """
    A function in a `Bdd`.

    `~ & | ^` and `-` (and not) combine functions of one manager; a bool may stand for a constant. `==` compares functions in constant time, `<=` is implication. A reference keeps its function and its manager alive.
    """

    def __repr__(self) -> str: ...

    def __hash__(self) -> int: ...

    def __lt__(self, value: BddRef | bool, /) -> bool: ...

    def __le__(self, value: BddRef | bool, /) -> bool: ...

    def __eq__(self, value: object, /) -> bool: ...

    def __ne__(self, value: object, /) -> bool: ...

    def __gt__(self, value: BddRef | bool, /) -> bool: ...

    def __ge__(self, value: BddRef | bool, /) -> bool: ...

    def __sub__(self, value: BddRef | bool, /) -> BddRef: ...

    def __rsub__(self, value: bool, /) -> BddRef: ...

    def __bool__(self) -> Never: ...

    def __invert__(self) -> BddRef: ...

    def __and__(self, value: BddRef | bool, /) -> BddRef: ...

    def __rand__(self, value: bool, /) -> BddRef: ...

    def __xor__(self, value: BddRef | bool, /) -> BddRef: ...

    def __rxor__(self, value: bool, /) -> BddRef: ...

    def __or__(self, value: BddRef | bool, /) -> BddRef: ...

    def __ror__(self, value: bool, /) -> BddRef: ...

    def ite(self, then: BddRef | bool, otherwise: BddRef | bool) -> BddRef:
        """`then` where this is true, else `otherwise`."""

    def implies(self, other: BddRef | bool) -> BddRef:
        """The function `~self | other`; see `<=` for the question."""

    def equiv(self, other: BddRef | bool) -> BddRef:
        """The function that is true where both are equal."""

    def exist(self, *vars: str | int | BddRef | Iterable[str | int | BddRef]) -> BddRef:
        """
        True where the function is true for some value of the variables (names, numbers or functions).
        """

    def forall(self, *vars: str | int | BddRef | Iterable[str | int | BddRef]) -> BddRef:
        """True where the function is true for all values of the variables."""

    def and_exists(self, other: BddRef | bool, vars: str | int | BddRef | Iterable[str | int | BddRef]) -> BddRef:
        """
        `(self & other).exist(*vars)` without building the conjunction: the relational product.
        """

    def let(self, substitution: Mapping[str, BddRef | bool | str]) -> BddRef:
        """
        Functions, constants or other variables in place of variables, all at a time.
        """

    def restrict(self, care: BddRef | bool) -> BddRef:
        """
        Some function equal to this one wherever `care` is true, mostly smaller; of no further variables.
        """

    def constrain(self, care: BddRef | bool) -> BddRef:
        """
        Coudert and Madre's generalised cofactor: equal to this function wherever `care` is true.
        """

    def count(self, nvars: int | None = None) -> int:
        """
        Number of models over `nvars` variables (default: all of the manager), exact.
        """

    @property
    def support(self) -> tuple[str, ...]:
        """Names of the variables the function depends on, in the present order."""

    def __len__(self) -> int:
        """Number of nodes of the diagram, the constant included."""

    def pick(self) -> dict[str, bool] | None:
        """
        One partial assignment that makes the function true; variables left out do not matter. None for the constant false.
        """

    def cubes(self) -> CubeIterator:
        """
        Partial assignments, disjoint, that together are the function; variables left out do not matter.
        """

    def evaluate(self, values: Mapping[str, object]) -> bool:
        """
        The value for an assignment, which has to have all variables met on the way.
        """

    @property
    def bdd(self) -> Bdd:
        """The manager."""

    @property
    def var(self) -> str:
        """Name of the variable on top."""

    @property
    def level(self) -> int:
        """Place of the variable on top in the present order, from 0."""

    @property
    def high(self) -> BddRef:
        """The function where the variable on top is true."""

    @property
    def low(self) -> BddRef:
        """The function where the variable on top is false."""

    @property
    def is_complemented(self) -> bool:
        """Whether the arc to the node is complemented."""

    @property
    def is_constant(self) -> bool:
        """Whether the function is constant."""

    @property
    def is_true(self) -> bool:
        """Whether the function is the constant true."""

    @property
    def is_false(self) -> bool:
        """Whether the function is the constant false."""

    @property
    def node_id(self) -> int:
        """
        The node's number: dense, the same for a function and its complement, 0 for the constants.
        """

    @property
    def raw(self) -> int:
        """The arc: twice the node's number, plus one if complemented."""

    @property
    def opcode(self) -> str:
        """'ITE' for a node, 'TRUE' or 'FALSE' for the constants."""

    @property
    def operands(self) -> tuple[BddRef, ...]:
        """
        Variable, then-branch and else-branch of a node, as functions; empty for constants.
        """

    def operand_def(self, index: int) -> BddRef:
        """Operand `index` of a node."""

class Bdd:
    """
    A manager of reduced ordered binary decision diagrams with complement arcs.

    All functions of a manager share nodes; equal functions are the same node. An operation costs at most the
    product of its operands' sizes. Operations that take long let other threads run, end at Ctrl-C, and while
    they last refuse other use of the manager with a UsageError.

    Args:
        max_nodes: Operations that need more nodes at a time raise LimitError.
        max_cache: Entries of the operation cache at most (16 bytes each); it grows with the diagrams.
    """

    def __init__(self, *, max_nodes: int = 1073741568, max_cache: int = 67108864) -> None: ...

    @property
    def true(self) -> BddRef:
        """The constant true."""

    @property
    def false(self) -> BddRef:
        """The constant false."""

    def declare(self, *names: str) -> None:
        """Adds the variables that are not there yet, at the end of the order."""

    def add_vars(self, names: int | Iterable[str]) -> list[BddRef]:
        """
        New variables at the end of the order: of these names, or so many, named x and their number.
        """

    def var(self, which: str | int | BddRef) -> BddRef:
        """The function of a variable, by its name or number."""

    @property
    def vars(self) -> tuple[str, ...]:
        """Names of all variables, by number."""

    @property
    def order(self) -> tuple[str, ...]:
        """Names of all variables, the top of the order first."""

    def cube(self, values: Mapping[str, bool]) -> BddRef:
        """The conjunction of literals."""

    def node_count(self, roots: Iterable[BddRef]) -> int:
        """
        Nodes of the shared diagram of several functions, the constant included.
        """

    def support(self, roots: Iterable[BddRef]) -> tuple[str, ...]:
        """
        Names of the variables that some of the functions depend on, in the present order.
        """

    def __len__(self) -> int:
        """Nodes in use, garbage included."""

    def __repr__(self) -> str: ...

    def stats(self) -> dict[str, int]:
        """
        Figures: nodes now and at most, bytes, garbage collections, reorderings.
        """

    def collect(self) -> int:
        """
        Frees the nodes of functions that nothing refers to; returns their number. Runs by itself as nodes are made.
        """

    def clear(self) -> None:
        """
        Forgets all variables and nodes; references to them raise StaleRefError from now on.
        """

    def reorder(self, order: Iterable[str | int | BddRef] | None = None) -> None:
        """
        Brings the variables into this order, top first, or without one sifts for a small diagram. References keep their functions.
        """

    @property
    def auto_reorder(self) -> int:
        """
        Sift when so many nodes are in use and half of them alive, then again at twice what is left; 0, the default, for never.
        """

    @auto_reorder.setter
    def auto_reorder(self, arg: int, /) -> None: ...

    def check(self) -> None:
        """
        Checks the invariants of all nodes; raises RuntimeError naming the first broken one.
        """

    def set_checked(self, interval: int) -> None:
        """
        For tests: collects garbage and checks all invariants at every so many operations; 0 ends that.
        """

    def set_stop(self, stop: dynomite._native.base.Stop | None) -> None:
        """
        What may end long operations from now on, with a LimitError; None for nothing.
        """

    def build(self, aig: dynomite._native.aig.Aig, lits: Sequence[dynomite._native.aig.Lit], inputs: Sequence[BddRef], *, stop: dynomite._native.base.Stop | None = None) -> list[BddRef]:
        """
        The functions of literals of a circuit.

        Args:
            aig: The circuit; latches count as inputs.
            lits: Its literals.
            inputs: A function for each input, then each latch.
            stop: What may end the call, with a LimitError.

        Gates are built depth first and let go with their last reader.
        """

    def to_aig(self, aig: dynomite._native.aig.Aig, refs: Sequence[BddRef], inputs: Sequence[dynomite._native.aig.Lit]) -> list[dynomite._native.aig.Lit]:
        """
        Adds multiplexers for functions to a circuit, one for each node of their shared diagram.

        Args:
            aig: The circuit that grows.
            refs: The functions.
            inputs: A literal of the circuit for each variable, by number.

        Returns:
            A literal for each function.
        """

    def write_dddmp(self, refs: Sequence[BddRef], names: Sequence[str], *, binary: bool) -> bytes:
        """
        The functions as a DDDMP file, text or binary, with these names for them or none.
        """

    def read_dddmp(self, data: bytes, path: str = '<bytes>') -> tuple[list[BddRef], list[str]]:
        """
        The functions of a DDDMP file and their names, if any. Variables that are missing are added.
        """

class CubeIterator:
    """Walks over partial assignments; see `BddRef.cubes`."""

    def __iter__(self) -> CubeIterator: ...

    def __next__(self) -> dict[str, bool]: ...

def input_order(aig: dynomite._native.aig.Aig, lits: Sequence[dynomite._native.aig.Lit], *, force: bool = False, stop: dynomite._native.base.Stop | None = None) -> list[int]:
    """
    An order of a circuit's inputs (then latches, by number) for small diagrams, top first.

    Depth first from the literals, the deeper fanin first; with `force` then improved by FORCE, which draws
    connected gates together.
    """
