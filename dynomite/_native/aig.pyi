"""And-inverter graphs."""

from collections.abc import Sequence
import enum
import types
from typing import Annotated, overload

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

    def __eq__(self, arg: NodeId, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class Lit:
    """
    A literal of an AIG: a node and whether it is complemented.

    `~ & | ^` build gates in the literal's `Aig`; a bool may stand for a constant. Literals are equal when they are the same literal of the same `Aig` object. A literal keeps its `Aig` alive.
    """

    def __repr__(self, /):
        """Return repr(self)."""

    def __hash__(self, /):
        """Return hash(self)."""

    def __lt__(self, value, /):
        """Return self<value."""

    def __le__(self, value, /):
        """Return self<=value."""

    def __eq__(self, value, /):
        """Return self==value."""

    def __ne__(self, value, /):
        """Return self!=value."""

    def __gt__(self, value, /):
        """Return self>value."""

    def __ge__(self, value, /):
        """Return self>=value."""

    def __bool__(self, /):
        """True if self else False"""

    def __invert__(self, /):
        """~self"""

    def __and__(self, value, /):
        """Return self&value."""

    def __rand__(self, value, /):
        """Return value&self."""

    def __xor__(self, value, /):
        """Return self^value."""

    def __rxor__(self, value, /):
        """Return value^self."""

    def __or__(self, value, /):
        """Return self|value."""

    def __ror__(self, value, /):
        """Return value|self."""

    mux: types.MethodDescriptorType = ...

    __reduce__: types.MethodDescriptorType = ...

    aig: getset_descriptor = ...

    node: getset_descriptor = ...

    is_complemented: getset_descriptor = ...

    is_constant: getset_descriptor = ...

    regular: getset_descriptor = ...

    raw: getset_descriptor = ...

class NodeRef:
    """
    A node of an AIG: the AIG and the node's id, nothing else.

    A reference keeps its `Aig` alive.
    """

    def __repr__(self, /):
        """Return repr(self)."""

    def __hash__(self, /):
        """Return hash(self)."""

    def __lt__(self, value, /):
        """Return self<value."""

    def __le__(self, value, /):
        """Return self<=value."""

    def __eq__(self, value, /):
        """Return self==value."""

    def __ne__(self, value, /):
        """Return self!=value."""

    def __gt__(self, value, /):
        """Return self>value."""

    def __ge__(self, value, /):
        """Return self>=value."""

    operand_def: types.MethodDescriptorType = ...

    __reduce__: types.MethodDescriptorType = ...

    aig: getset_descriptor = ...

    id: getset_descriptor = ...

    kind: getset_descriptor = ...

    opcode: getset_descriptor = ...

    operands: getset_descriptor = ...

    fanin0: getset_descriptor = ...

    fanin1: getset_descriptor = ...

    lit: getset_descriptor = ...

    is_and: getset_descriptor = ...

    is_input: getset_descriptor = ...

    is_latch: getset_descriptor = ...

    is_const: getset_descriptor = ...

    position: getset_descriptor = ...

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
    def add_inputs(self, count: int) -> tuple:
        """Adds `count` unnamed primary inputs and returns their literals."""

    @overload
    def add_inputs(self, names: Sequence[str]) -> tuple:
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
    def inputs(self) -> tuple:
        """Literals of the inputs, in order."""

    @property
    def latches(self) -> tuple:
        """Literals of the latches' outputs, in order."""

    @property
    def next_states(self) -> tuple:
        """Next-state literals of the latches, in order."""

    @property
    def resets(self) -> list[int | None]:
        """Reset values of the latches: 0, 1 or None (uninitialised)."""

    @property
    def outputs(self) -> tuple:
        """Literals of the outputs, in order."""

    @property
    def bad(self) -> tuple:
        """Literals of the bad-state properties."""

    @property
    def constraints(self) -> tuple:
        """Literals of the invariant constraints."""

    @property
    def fairness(self) -> tuple:
        """Literals of the fairness constraints."""

    @property
    def justice(self) -> tuple:
        """The justice properties, each a tuple of literals."""

    def literals(self, section: str) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """The AIGER literals of a section as an array."""

    @property
    def name(self) -> object:
        """Name of the circuit."""

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def comments(self) -> list:
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
    def net_names(self) -> list:
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
