"""And-inverter graphs."""

from collections.abc import Sequence
import enum
from typing import Annotated, Never, overload

import networkx
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
    Identity of a node in its AIG, dense and in topological order.

    No number to calculate with; it may index lists and arrays that have one row a node (`Aig.levels`...).
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

class NodeWalk:
    """Iterator over nodes of an AIG."""

    def __iter__(self) -> NodeWalk: ...

    def __next__(self) -> NodeRef: ...

class Aig:
    """
    An and-inverter graph with latches and the properties of AIGER 1.9, 8 bytes a node.

    Node 0 is the constant; ids are dense and in topological order, and never reused. Gates are made by `and_`, `or_`, `xor`, `mux` or by the operators of `Lit`; they are simplified and hashed. Nodes are never changed or deleted: `cleanup`, `strash` and `cone` return a new AIG.

    Threads: any number may read at a time. A call that meets one in another thread that it would disturb raises UsageError.

    The class is final: methods and handles stay fast, and handles need no garbage collection.
    """

    def __init__(self) -> None: ...

    def and_(self, a: Lit | bool, b: Lit | bool, /) -> Lit:
        """
        The AND of two literals: constants folded, two-level rules applied, hashed.
        """

    def or_(self, a: Lit | bool, b: Lit | bool, /) -> Lit:
        """The OR of two literals; see `and_`."""

    def xor(self, a: Lit | bool, b: Lit | bool, /) -> Lit:
        """The exclusive OR of two literals, up to three ANDs; see `and_`."""

    def mux(self, select: Lit | bool, then: Lit | bool, otherwise: Lit | bool, /) -> Lit:
        """`then` where `select` is 1, else `otherwise`; see `and_`."""

    def __len__(self) -> int: ...

    def __bool__(self) -> bool: ...

    def __repr__(self) -> str: ...

    def copy(self) -> Aig:
        """An independent copy with the same numbering."""

    def __copy__(self) -> Aig: ...

    def __deepcopy__(self, memo: object) -> Aig: ...

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
        Adds a latch and returns the literal of its output.

        The next state is constant 0 until `set_next`.

        Args:
            reset: Value in the first cycle: 0, 1 or None (uninitialised).
            name: Name, or None.
        """

    def set_next(self, latch: Lit, next: Lit) -> None:
        """Sets the next-state literal of a latch."""

    def set_reset(self, latch: Lit, reset: int | None) -> None:
        """Sets the reset value of a latch: 0, 1 or None."""

    def add_output(self, lit: Lit, name: str | None = None) -> None:
        """Adds an output."""

    def set_output(self, index: int, lit: Lit) -> None:
        """Replaces the literal of an output; its name stays."""

    def add_bad(self, lit: Lit, name: str | None = None) -> None:
        """Adds a bad-state property: `lit` must never be 1."""

    def add_constraint(self, lit: Lit, name: str | None = None) -> None:
        """Adds an invariant constraint: `lit` is always 1."""

    def add_fairness(self, lit: Lit, name: str | None = None) -> None:
        """Adds a fairness constraint: `lit` is 1 infinitely often."""

    def add_justice(self, lits: Sequence[Lit], name: str | None = None) -> None:
        """Adds a justice property: each of the literals is 1 infinitely often."""

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
        """Number of ANDs."""

    @property
    def num_nodes(self) -> int:
        """Number of nodes: the constant, inputs, latches and ANDs."""

    @property
    def inputs(self) -> tuple[Lit, ...]:
        """
        Literals of the inputs, in order. A new tuple at each call, as all properties of this kind.
        """

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

    @property
    def false(self) -> Lit:
        """Constant 0."""

    @property
    def true(self) -> Lit:
        """Constant 1."""

    def and_all(self, lits: Sequence[Lit]) -> Lit:
        """The AND of all literals as a balanced tree; true for none."""

    def or_all(self, lits: Sequence[Lit]) -> Lit:
        """The OR of all literals as a balanced tree; false for none."""

    def xor_all(self, lits: Sequence[Lit]) -> Lit:
        """The parity of all literals as a balanced tree; false for none."""

    def lit(self, raw: int) -> Lit:
        """
        The literal with an AIGER number (`Lit.raw`).

        Args:
            raw: Twice the node's index, plus one if complemented.

        Raises:
            UsageError: The AIG has no such node.
        """

    def node(self, id: NodeId) -> NodeRef:
        """The node with this id."""

    def nodes(self) -> NodeWalk:
        """
        Iterates over all nodes in topological order, the constant first.

        Nodes added meanwhile are not visited.
        """

    def ands(self) -> NodeWalk:
        """Iterates over the ANDs in topological order; see `nodes`."""

    @property
    def name(self) -> str:
        """Name of the circuit; may be empty."""

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
        """
        Name of a port, or None.

        Args:
            section: inputs, latches, outputs, bad, constraints, justice or fairness.
            index: Position of the port in its section.
        """

    def set_name(self, section: str, index: int, name: str | None) -> None:
        """Sets the name of a port; None removes it. See `get_name`."""

    def names(self, section: str) -> list[str | None]:
        """Names of a section's ports, None where there is none. See `get_name`."""

    def set_names(self, section: str, names: Sequence[str | None]) -> None:
        """Replaces all names of a section. See `get_name`."""

    def name_count(self, section: str) -> int:
        """Number of ports of a section that have a name. See `get_name`."""

    def add_net_name(self, lit: Lit, name: str) -> None:
        """Names an internal literal (a net)."""

    @property
    def net_names(self) -> list[tuple[Lit, str]]:
        """Pairs of literal and net name."""

    @property
    def fanins(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, 2), order='C', writable=False)]:
        """
        AIGER literals of the fanins, one row a node, as a read-only array that shares the AIG's memory.

        Rows of nodes that are no AND begin with 0xFFFFFFFF. The array stays valid and as it is when the AIG grows or goes.
        """

    @staticmethod
    def from_fanins(fanins: NDArray[numpy.uint32], outputs: NDArray[numpy.uint32] | None = None) -> Aig:
        """
        An AIG that uses the memory of an array as its nodes, without copying, folding or hashing.

        The array and the arrays it is a view of become read-only; do not change their memory through other views. The first node added later moves the nodes to memory of the AIG's own.

        Args:
            fanins: C-contiguous (n, 2) array of uint32 as the property `fanins` shows it: row 0 is the constant; an input has 0xFFFFFFFF and its number, a latch 0xFFFFFFFF and its number plus 2**31, an AND two AIGER literals of earlier rows.
            outputs: AIGER literals of the outputs.

        Raises:
            UsageError: The array has another form, or a row breaks these rules.
        """

    @staticmethod
    def from_arrays(num_inputs: int, ands: Annotated[NDArray[numpy.uint32], dict(shape=(None, 2), order='C', writable=False)], outputs: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)], *, next_states: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)] | None = None, resets: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', writable=False)] | None = None, strash: bool = True) -> Aig:
        """
        An AIG of arrays of AIGER literals, numbered as in a binary AIGER file.

        Literal 2v (2v + 1 complemented) means node v: 0 the constant, 1 to `num_inputs` the inputs, then the latches, then one node a row of `ands`. A row may use earlier nodes only.

        Args:
            num_inputs: Number of inputs.
            ands: Two literals a row.
            outputs: Literals of the outputs.
            next_states: Next-state literals, one a latch.
            resets: 0, 1 or 2 (uninitialised), one a latch; zero by default.
            strash: Fold, simplify and hash the ANDs. Otherwise they are taken as they are, with the array's numbering.

        Raises:
            UsageError: A literal has no node, or a row uses a later one.
        """

    def add_ands(self, fanins: Annotated[NDArray[numpy.uint32], dict(shape=(None, 2), order='C', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """
        Bulk `and_`: folds, simplifies and hashes one AND a row.

        With N nodes in the AIG at the time of the call, literals of nodes below N mean these nodes, and literal 2(N + i) (plus one if complemented) means the result of row i, whatever node that has become. So a circuit can be written down in its own numbering, without waiting for results.

        Args:
            fanins: (n, 2) array of uint32; row i may use nodes below N and rows below i.

        Returns:
            The AIGER literals of the rows in this AIG.

        Raises:
            UsageError: A row uses a literal that is not defined before it; nothing is added then.
        """

    def add_outputs(self, literals: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)]) -> None:
        """Adds unnamed outputs from an array of AIGER literals."""

    def literals(self, section: str) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """
        The AIGER literals of a section as a new array.

        Args:
            section: inputs, latches, next_states, outputs, bad, constraints or fairness.
        """

    def lits(self, raws: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)]) -> tuple[Lit, ...]:
        """The literals with these AIGER numbers; see `lit`."""

    def memory(self) -> dict[str, int]:
        """Bytes held: nodes, hash, ports_and_names, total."""

    def drop_hash(self) -> None:
        """
        Gives the memory of the hash table back. The next gate builds it again, in linear time.
        """

    def to_bytes(self) -> bytes:
        """
        The whole AIG as bytes: compact, versioned, with a checksum. Pickling uses this.
        """

    @staticmethod
    def from_bytes(data: bytes) -> Aig:
        """
        The AIG that `to_bytes` made.

        Raises:
            ParseError: The bytes are of another version, cut, or changed.
        """

    def __reduce__(self) -> tuple[object, ...]: ...

    def fanin_cone(self, lits: Sequence[Lit]) -> tuple[NodeRef, ...]:
        """
        The transitive fanin of `lits`: every node they depend on, themselves included, in topological order.

        Latches are leaves. Cost: linear in the cone, plus one bit a node of the AIG.
        """

    def support(self, lits: Sequence[Lit]) -> tuple[Lit, ...]:
        """
        The inputs and latches that `lits` depend on by structure, in the order of their nodes.
        """

    def cone(self, lits: Sequence[Lit], *, follow_latches: bool = True, keep_inputs: bool = False) -> Aig:
        """
        A new AIG with `lits` as its outputs and nothing that they do not need.

        Inputs keep their order and names; an output has the name of the first output here with the same literal. The structure is copied as it is. Properties (bad...) and comments are left out.

        Args:
            lits: The literals that become outputs, in this order.
            follow_latches: Latches that are met stay latches, and the cone goes on into their next states. Otherwise they become inputs, behind the real ones, and keep their names.
            keep_inputs: Keep the inputs outside of the cone too.
        """

    def cleanup(self) -> Aig:
        """
        A new AIG without the ANDs that no output, next state or property needs.

        All ports, names and comments stay. Inputs are numbered first, then latches, then ANDs.
        """

    def strash(self) -> Aig:
        """
        A new AIG with every AND folded, simplified and hashed anew, and dangling ones removed; see `cleanup`.
        """

    def levels(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """
        Level of every node, an array indexed by node: inputs, latches and the constant have level 0, an AND one more than its higher fanin.
        """

    @property
    def depth(self) -> int:
        """Highest level of an output, next state or property. Cost: linear."""

    def fanout_counts(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """
        For every node the number of fanins, outputs, next states and properties that refer to it.
        """

    def evaluate(self, lits: Sequence[Lit], assignment: dict[Lit, bool]) -> list[bool]:
        """
        Values of `lits` under one assignment of inputs and latches; for many use simulation.

        Args:
            lits: What to evaluate.
            assignment: Values by literals of inputs and latches.

        Raises:
            UsageError: A value hangs on an input or latch without one.
        """

    def stats(self) -> dict[str, int]:
        """
        Counts of what the circuit consists of, by name: inputs, outputs, latches, ands, levels...

        Cost: linear.
        """

    def to_networkx(self) -> networkx.DiGraph[int | tuple[str, int]]:
        """
        The AIG as a `networkx.DiGraph`; see `dmt_dialect.aig_graph.to_networkx`.
        """

    def _repr_svg_(self) -> str | None:
        """
        A drawing for notebooks; None for large graphs, which are shown as text.
        """

def first_difference(a: Aig, b: Aig, *, names: bool = True) -> str | None:
    """
    One sentence about the first place where two circuits differ in structure, or None; see `same_circuit`.
    """

def same_circuit(a: Aig, b: Aig, *, names: bool = True) -> bool:
    """
    True if two AIGs are the same circuit.

    The same up to the numbering of nodes, the order of fanins, duplicate ANDs and dangling ANDs; with the same ports, reset values and properties in the same order. Comments and net names do not matter. This compares structure: circuits that compute the same in different ways are not the same. Cost: linear.

    Args:
        names: Names of ports and properties must agree too.
    """

def circuit_hash(aig: Aig, *, names: bool = True) -> int:
    """
    64-bit hash of a circuit, equal for what `same_circuit` calls the same; stable over runs and platforms.
    """
