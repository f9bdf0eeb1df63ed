"""And-inverter graphs."""

from collections.abc import Sequence
import enum
from typing import Annotated, Never, overload

import numpy
from numpy.typing import NDArray


class NodeKind(enum.Enum):
    """What a node is."""

    CONST = 0

    INPUT = 1

    LATCH = 2

    AND = 3

class NodeId:
    """
    Identity of a node in its AIG; an index into arrays with one row a node.
    """

    def __index__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class Lit:
    """
    A literal of an AIG: a node and whether it is complemented.

    `~ & | ^` build gates in the literal's `Aig`; a bool may stand for a constant. Literals are equal when they are the same literal of the same `Aig` object. A literal keeps its `Aig` alive.
    """

    def __hash__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __bool__(self) -> Never: ...
    def __invert__(self) -> Lit: ...
    def __and__(self, value: Lit | bool, /) -> Lit: ...
    def __rand__(self, value: bool, /) -> Lit: ...
    def __or__(self, value: Lit | bool, /) -> Lit: ...
    def __ror__(self, value: bool, /) -> Lit: ...
    def __xor__(self, value: Lit | bool, /) -> Lit: ...
    def __rxor__(self, value: bool, /) -> Lit: ...
    def __reduce__(self) -> tuple[object, ...]:
        """Pickles as the AIG and the literal."""

    def mux(self, then: Lit | bool, otherwise: Lit | bool, /) -> Lit:
        """The literal of `then` where this literal is 1 and of `otherwise` where it is 0."""

    @property
    def aig(self) -> Aig:
        """The `Aig` this literal belongs to."""

    @property
    def node(self) -> NodeRef:
        """The node, as a `NodeRef`."""

    @property
    def is_complemented(self) -> bool:
        """True when the literal is the negation of its node."""

    @property
    def is_constant(self) -> bool:
        """True for the literals `Aig.false` and `Aig.true`."""

    @property
    def regular(self) -> Lit:
        """The literal of the same node without complement."""

    @property
    def raw(self) -> int:
        """The AIGER literal: twice the node's index, plus one if complemented. For numpy arrays; `Aig.lit` is the way back."""

class NodeRef:
    """
    A node of an AIG: the AIG and the node's id, nothing else.

    A reference keeps its `Aig` alive.
    """

    def __hash__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __reduce__(self) -> tuple[object, ...]:
        """Pickles as the AIG and the node."""

    def operand_def(self, index: int, /) -> NodeRef:
        """The node that defines operand `index` (0 or 1) of an AND."""

    @property
    def aig(self) -> Aig:
        """The `Aig` this node belongs to."""

    @property
    def id(self) -> NodeId:
        """The `NodeId`: dense in its AIG, in topological order."""

    @property
    def kind(self) -> NodeKind:
        """What the node is, as a `NodeKind`."""

    @property
    def opcode(self) -> NodeKind:
        """The same as `kind`: every instruction-like reference has an opcode."""

    @property
    def operands(self) -> tuple[Lit, ...]:
        """The two fanin literals of an AND; empty for other nodes."""

    @property
    def fanin0(self) -> Lit:
        """First operand of an AND."""

    @property
    def fanin1(self) -> Lit:
        """Second operand of an AND."""

    @property
    def lit(self) -> Lit:
        """The literal of this node without complement."""

    @property
    def is_and(self) -> bool:
        """True for AND nodes."""

    @property
    def is_input(self) -> bool:
        """True for primary inputs."""

    @property
    def is_latch(self) -> bool:
        """True for latch outputs."""

    @property
    def is_const(self) -> bool:
        """True for the constant node."""

    @property
    def position(self) -> int:
        """Position of an input in `Aig.inputs`, of a latch in `Aig.latches`."""

class Aig:
    """An and-inverter graph."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def copy(self) -> Aig:
        """An independent copy."""

    def __copy__(self) -> Aig: ...

    def __deepcopy__(self, memo: object) -> Aig: ...

    @property
    def fanins(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, 2), order='C', writable=False)]:
        """
        Fanin literals, one row a node, as a read-only view without copying. Rows of nodes that are no AND begin with 0xFFFFFFFF. The view stays as it is when the AIG grows.
        """

    @staticmethod
    def from_fanins(fanins: Annotated[NDArray[numpy.uint32], dict(shape=(None, 2), order='C', writable=False)]) -> Aig:
        """An AIG of the rows `fanins` shows. Outputs are added afterwards."""

    def add_input(self, name: str | None = None) -> Lit:
        """Adds a primary input and returns its literal."""

    @overload
    def add_inputs(self, count: int) -> tuple[Lit, ...]:
        """Adds `count` unnamed primary inputs and returns their literals."""

    @overload
    def add_inputs(self, names: Sequence[str]) -> tuple[Lit, ...]:
        """Adds one primary input a name and returns their literals."""

    def add_latch(self, reset: int | None = 0, name: str | None = None) -> Lit:
        """
        Adds a latch whose next state is false until `set_next`; `reset` is 0, 1 or None (uninitialised).
        """

    def set_next(self, latch: Lit, next: Lit) -> None:
        """Sets the next-state literal of a latch."""

    def set_reset(self, latch: Lit, reset: int | None) -> None:
        """Sets the reset value of a latch: 0, 1 or None."""

    def add_output(self, lit: Lit, name: str | None = None) -> None:
        """Adds an output."""

    def set_output(self, index: int, lit: Lit) -> None:
        """Replaces the literal of an output."""

    def add_bad(self, lit: Lit, name: str | None = None) -> None:
        """Adds a bad-state property."""

    def add_constraint(self, lit: Lit, name: str | None = None) -> None:
        """Adds an invariant constraint."""

    def add_fairness(self, lit: Lit, name: str | None = None) -> None:
        """Adds a fairness constraint."""

    def add_justice(self, lits: Sequence[Lit], name: str | None = None) -> None:
        """Adds a justice property: a set of literals."""

    @property
    def num_inputs(self) -> int:
        """Number of inputs."""

    @property
    def num_latches(self) -> int:
        """Number of latches."""

    @property
    def num_outputs(self) -> int:
        """Number of outputs."""

    @property
    def num_ands(self) -> int:
        """Number of AND nodes."""

    @property
    def num_nodes(self) -> int:
        """Number of nodes: the constant, inputs, latches and ANDs."""

    @property
    def inputs(self) -> tuple[Lit, ...]:
        """Literals of the inputs, in order."""

    @property
    def latches(self) -> tuple[Lit, ...]:
        """Literals of the latches' outputs, in order."""

    @property
    def next_states(self) -> tuple[Lit, ...]:
        """Next-state literals of the latches, in order."""

    @property
    def resets(self) -> list[int | None]:
        """Reset values of the latches: 0, 1 or None (uninitialised)."""

    @property
    def outputs(self) -> tuple[Lit, ...]:
        """Literals of the outputs, in order."""

    @property
    def bad(self) -> tuple[Lit, ...]:
        """Literals of the bad-state properties."""

    @property
    def constraints(self) -> tuple[Lit, ...]:
        """Literals of the invariant constraints."""

    @property
    def fairness(self) -> tuple[Lit, ...]:
        """Literals of the fairness constraints."""

    @property
    def justice(self) -> tuple[tuple[Lit, ...], ...]:
        """The justice properties, each a tuple of literals."""

    def literals(self, section: str) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """The AIGER literals of a section as an array."""

    @property
    def name(self) -> str:
        """Name of the circuit."""

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def comments(self) -> list[str]:
        """
        Comment lines, as in the AIGER comment section. A copy; assign to change.
        """

    @comments.setter
    def comments(self, arg: Sequence[str], /) -> None: ...

    def get_name(self, section: str, index: int) -> str | None:
        """Name of a port, or None."""

    def set_name(self, section: str, index: int, name: str | None) -> None:
        """Sets the name of a port; None removes it."""

    def names(self, section: str) -> list[str | None]:
        """Names of a section's ports, None where there is none."""

    def set_names(self, section: str, names: Sequence[str | None]) -> None:
        """Replaces all names of a section."""

    def name_count(self, section: str) -> int:
        """Number of ports of a section that have a name."""

    def add_net_name(self, lit: Lit, name: str) -> None:
        """Names an internal literal (a net)."""

    @property
    def net_names(self) -> list[tuple[Lit, str]]:
        """Pairs of literal and net name."""

    @property
    def false(self) -> Lit:
        """Constant 0."""

    @property
    def true(self) -> Lit:
        """Constant 1."""

    def xor(self, a: Lit, b: Lit) -> Lit:
        """XOR, folded and hashed."""

    def mux(self, select: Lit, then: Lit, otherwise: Lit) -> Lit:
        """`then` where `select` is 1, else `otherwise`."""

    def lit(self, raw: int) -> Lit:
        """
        The literal with this AIGER number (twice the node's index, plus one if complemented).
        """

    def node(self, id: NodeId) -> NodeRef:
        """The node with this id."""
