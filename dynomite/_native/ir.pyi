"""The IR: contexts, modules, references, builders."""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray

import dynomite._native.base
import dynomite.ir.locations
import dynomite.ir.operands


class ObjKind:
    """Kind of an object: its dialect's id and its number there."""

    def __init__(self, dialect: int, type: int) -> None: ...

    @property
    def dialect(self) -> int:
        """Id of the dialect, 0 for core."""

    @property
    def type(self) -> int:
        """Number in the dialect."""

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class FatDynObjRef:
    """
    A reference that can hold every other: kind, id and 64 inline bits. 16 bytes.
    """

    def __init__(self, kind: ObjKind, id: int, payload: int = 0) -> None: ...

    @property
    def kind(self) -> ObjKind:
        """Kind of the object."""

    @property
    def id(self) -> int:
        """Number of the object in its store; the width of an inline constant."""

    @property
    def payload(self) -> int:
        """Inline bits."""

    def thin(self) -> DynObjRef:
        """
        The reference without inline bits.

        Raises:
            UsageError: There are some.
        """

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class DynObjRef:
    """A reference whose kind is known when running: kind and id. 8 bytes."""

    def __init__(self, kind: ObjKind, id: int) -> None: ...

    @property
    def kind(self) -> ObjKind:
        """Kind of the object."""

    @property
    def id(self) -> int:
        """Number of the object in its store."""

    def fat(self, payload: int = 0) -> FatDynObjRef:
        """The same object with inline bits."""

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

def structural_hash(refs: Sequence[FatDynObjRef], *, seed: int = 0) -> int:
    """
    Hash of a row of references: equal rows have equal hashes in every run of every machine.
    """

class Const:
    """
    An integer constant of any width. Up to 64 bits it lies in the operand itself.
    """

    def __init__(self, value: int, width: int) -> None: ...

    @property
    def value(self) -> int:
        """The bits as a number that is not negative."""

    @property
    def width(self) -> int:
        """Number of bits."""

    def __index__(self) -> int: ...

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class SymbolRef:
    """Names a symbol by its path: `SymbolRef('a', 'b')` is @a::@b."""

    def __init__(self, *path: str) -> None: ...

    @property
    def path(self) -> tuple[str, ...]:
        """The names, outermost first."""

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class Def:
    """
    An operand that defines: a new value of a type, or a region or block that exists.
    """

    def __init__(self, what: Type | RegionRef | BlockRef, name: str | None = None) -> None: ...

class Opcode:
    """An operation in a context: its dialect's id and its number there."""

    def __init__(self, dialect: int, number: int) -> None: ...

    @property
    def dialect(self) -> int:
        """Id of the dialect."""

    @property
    def number(self) -> int:
        """Number in the dialect."""

    def __index__(self) -> int:
        """Dialect and number as one number, for tables and arrays."""

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class Op:
    """
    Declaration of an operation. Contexts that load its dialect give it an opcode.
    """

    def __init__(self, dialect: str, name: str, *, defs: int = 0, uses: int = 0, doc: str = '', pure: bool = False, commutative: bool = False, terminator: bool = False, symbol: bool = False, symbol_table: bool = False, isolated: bool = False, forwards: bool = False, graph_region: bool = False, variadic: bool = False, same_type: bool = False) -> None:
        """Declares; see `Dialect.op`."""

    @property
    def dialect(self) -> str:
        """Name of the dialect."""

    @property
    def name(self) -> str:
        """Name in the dialect."""

    @property
    def full_name(self) -> str:
        """"dialect.NAME"."""

    @property
    def defs(self) -> int:
        """Number of leading definitions."""

    @property
    def uses(self) -> int:
        """Least number of uses behind them."""

    @property
    def doc(self) -> str:
        """What it does."""

    @property
    def traits(self) -> frozenset[str]:
        """Names of what passes may rely on."""

    def opcode(self, context: Context) -> Opcode:
        """
        Its opcode in a context.

        Raises:
            UsageError: The dialect is not loaded there.
        """

    def __repr__(self) -> str: ...

class TypeDecl:
    """Declaration of a type: call it with a module and parameters."""

    def __init__(self, dialect: str, name: str, *, params: Sequence[str] = [], token: bool = False, doc: str = '', kinds: Sequence[str] = []) -> None:
        """Declares; see `Dialect.type`."""

    @property
    def dialect(self) -> str:
        """Name of the dialect."""

    @property
    def name(self) -> str:
        """Name in the dialect."""

    @property
    def full_name(self) -> str:
        """"dialect.name"."""

    @property
    def params(self) -> tuple[str, ...]:
        """Names of the parameters."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What the parameters may be: "any", "unsigned", "type" or "string"."""

    @property
    def is_token(self) -> bool:
        """True for tokens, which carry no data."""

    @property
    def doc(self) -> str:
        """What it is."""

    def kind(self, context: Context) -> ObjKind:
        """
        Its kind in a context.

        Raises:
            UsageError: The dialect is not loaded there.
        """

    def __repr__(self) -> str: ...

class Context:
    """
    The dialects that modules know: dense tables of operations and types.

    At most 255 dialects with 256 operations and 256 types each. The dialect core is always there.
    """

    def __init__(self) -> None: ...

    def add_dialect(self, name: str) -> int:
        """
        Makes room for a dialect and returns its id; `load` is the way for declared ones.
        """

    def add_op(self, dialect: int, op: Op) -> Opcode:
        """Adds an operation to a dialect."""

    def add_type(self, dialect: int, type: TypeDecl) -> ObjKind:
        """Adds a type to a dialect."""

    def find_dialect(self, name: str) -> int | None:
        """Id of a dialect, or None."""

    @property
    def dialects(self) -> tuple[str, ...]:
        """Names of the dialects, by id."""

    def ops(self, dialect: int) -> tuple[Opcode, ...]:
        """Opcodes of a dialect."""

    def types(self, dialect: int) -> tuple[ObjKind, ...]:
        """Kinds of the types of a dialect."""

    def opcode(self, name: str) -> Opcode:
        """
        Opcode of "dialect.NAME".

        Raises:
            UsageError: It is unknown; names the nearest known one.
        """

    def kind(self, name: str) -> ObjKind:
        """
        Kind of the type "dialect.name".

        Raises:
            UsageError: It is unknown; names the nearest known one.
        """

    def op_name(self, opcode: Opcode) -> str:
        """"dialect.NAME" of an opcode."""

    def type_name(self, kind: ObjKind) -> str:
        """"dialect.name" of a kind."""

    def traits(self, op: Op | Opcode) -> frozenset[str]:
        """Names of an operation's traits."""

    def arity(self, op: Op | Opcode) -> tuple[int, int]:
        """Declared definitions and least uses."""

    def doc(self, op: Op | Opcode) -> str:
        """What an operation does."""

class InstrId:
    """Number of an instruction in its module."""

    def __init__(self, index: int) -> None: ...

    def __index__(self) -> int: ...

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class ValueId:
    """Number of a value in its module."""

    def __init__(self, index: int) -> None: ...

    def __index__(self) -> int: ...

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class BlockId:
    """Number of a block in its module."""

    def __init__(self, index: int) -> None: ...

    def __index__(self) -> int: ...

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class RegionId:
    """Number of a region in its module."""

    def __init__(self, index: int) -> None: ...

    def __index__(self) -> int: ...

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class TypeId:
    """Number of an interned type in its module."""

    def __init__(self, index: int) -> None: ...

    def __index__(self) -> int: ...

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class Type:
    """A type of values, interned in its module: equal types are one."""

    @property
    def module(self) -> Module:
        """The module it belongs to."""

    @property
    def id(self) -> TypeId:
        """Its id in the module."""

    @property
    def kind(self) -> ObjKind:
        """Which type."""

    @property
    def name(self) -> str:
        """"dialect.name"."""

    @property
    def is_token(self) -> bool:
        """True for tokens, which carry no data."""

    @property
    def params(self) -> tuple[dynomite.ir.operands.Operand, ...]:
        """Its parameters."""

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

class InstrRef:
    """An instruction of a module. Raises StaleRefError once it was deleted."""

    @property
    def module(self) -> Module:
        """The module it belongs to."""

    @property
    def id(self) -> InstrId:
        """Its id: dense in the module, for side tables."""

    @property
    def ref(self) -> FatDynObjRef:
        """The reference without its module."""

    @property
    def is_live(self) -> bool:
        """False once it was deleted."""

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    @property
    def opcode(self) -> Opcode:
        """What it does."""

    @property
    def name(self) -> str:
        """"dialect.NAME" of the opcode."""

    def is_op(self, op: Op | Opcode) -> bool:
        """True if this is its operation."""

    def __len__(self) -> int: ...

    def __bool__(self) -> bool: ...

    def operand(self, index: int) -> dynomite.ir.operands.Operand:
        """One operand, used or defined."""

    def is_def(self, index: int) -> bool:
        """True if the operand is defined here, false if it is used."""

    @property
    def operands(self) -> tuple[dynomite.ir.operands.Operand, ...]:
        """All operands, definitions and the attribute dictionary included."""

    @property
    def uses(self) -> tuple[dynomite.ir.operands.Operand, ...]:
        """The operands it uses, without the attribute dictionary."""

    @property
    def defs(self) -> tuple[ValueRef, ...]:
        """The values it defines."""

    @property
    def result(self) -> ValueRef:
        """
        The one value it defines.

        Raises:
            UsageError: None or several.
        """

    @property
    def regions(self) -> tuple[RegionRef, ...]:
        """The regions that belong to it."""

    def operand_def(self, index: int) -> InstrRef | None:
        """
        The instruction that defines the value at an operand; None if it is no value.
        """

    @property
    def attributes(self) -> dict[str, dynomite.ir.operands.Operand]:
        """A copy of its attribute dictionary."""

    def attribute(self, name: str) -> dynomite.ir.operands.Operand:
        """One attribute, None if absent."""

    @property
    def symbol_name(self) -> str | None:
        """Its name, if it is a symbol."""

    @property
    def references(self) -> tuple[tuple[InstrRef, int], ...]:
        """
        Instructions that refer to this one as an operand, with the operand's number.
        """

    @property
    def block(self) -> BlockRef | None:
        """The block that holds it, the latest if there are several."""

    @property
    def blocks(self) -> tuple[BlockRef, ...]:
        """All blocks that hold it."""

    @property
    def parent(self) -> InstrRef | None:
        """The instruction whose region holds it; None at the top."""

    def comes_before(self, other: InstrRef) -> bool:
        """
        True if it is in front of `other` in their block.

        Cost: constant, and linear in the block after it changed other than at its end.
        """

    @property
    def location(self) -> tuple[dynomite.ir.locations.Origin, ...]:
        """The places in sources it comes from."""

    def __repr__(self) -> str: ...

class ValueRef:
    """A value: what one instruction defines and others use."""

    @property
    def module(self) -> Module:
        """The module it belongs to."""

    @property
    def id(self) -> ValueId:
        """Its id: dense in the module, for side tables."""

    @property
    def ref(self) -> FatDynObjRef:
        """The reference without its module."""

    @property
    def is_live(self) -> bool:
        """False once it was deleted."""

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    @property
    def type(self) -> Type | None:
        """Its type."""

    @property
    def name(self) -> str | None:
        """Its name in the text, without '%'."""

    @property
    def instr(self) -> InstrRef:
        """The instruction that defines it."""

    @property
    def index(self) -> int:
        """The number of the operand that defines it."""

    @property
    def uses(self) -> tuple[tuple[InstrRef, int], ...]:
        """
        Instructions and operand numbers where it is used, latest use first.

        Cost: linear in them.
        """

    def latest_uses(self, count: int) -> tuple[tuple[InstrRef, int], ...]:
        """
        The first so many of `uses`.

        Cost: linear in `count`.
        """

    @property
    def has_uses(self) -> bool:
        """True if it is used. Constant time."""

    @property
    def use_count(self) -> int:
        """
        Number of uses.

        Cost: linear in it.
        """

    def __repr__(self) -> str: ...

class BlockWalk:
    """Iterator over the instructions of a block."""

    def __iter__(self) -> BlockWalk: ...

    def __next__(self) -> InstrRef: ...

class BlockRef:
    """A block: instructions in order."""

    @property
    def module(self) -> Module:
        """The module it belongs to."""

    @property
    def id(self) -> BlockId:
        """Its id: dense in the module, for side tables."""

    @property
    def ref(self) -> FatDynObjRef:
        """The reference without its module."""

    @property
    def is_live(self) -> bool:
        """False once it was deleted."""

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    @property
    def region(self) -> RegionRef:
        """The region that holds it."""

    @property
    def first(self) -> InstrRef | None:
        """The first instruction."""

    @property
    def last(self) -> InstrRef | None:
        """The last instruction."""

    def next_instr(self, instr: InstrRef) -> InstrRef | None:
        """The instruction behind another one."""

    def previous_instr(self, instr: InstrRef) -> InstrRef | None:
        """The instruction in front of another one."""

    @property
    def next(self) -> BlockRef | None:
        """The block behind it in the region."""

    @property
    def previous(self) -> BlockRef | None:
        """The block in front of it in the region."""

    @property
    def references(self) -> tuple[tuple[InstrRef, int], ...]:
        """Instructions that refer to it (branches), with the operand's number."""

    def __len__(self) -> int: ...

    def __bool__(self) -> bool: ...

    def __contains__(self, arg: InstrRef, /) -> bool: ...

    def __iter__(self) -> BlockWalk: ...

    def __repr__(self) -> str: ...

class RegionRef:
    """A region: blocks in order, the first one is the entry."""

    @property
    def module(self) -> Module:
        """The module it belongs to."""

    @property
    def id(self) -> RegionId:
        """Its id: dense in the module, for side tables."""

    @property
    def ref(self) -> FatDynObjRef:
        """The reference without its module."""

    @property
    def is_live(self) -> bool:
        """False once it was deleted."""

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    @property
    def owner(self) -> InstrRef | None:
        """The instruction it belongs to."""

    @property
    def blocks(self) -> tuple[BlockRef, ...]:
        """Its blocks in order."""

    @property
    def entry(self) -> BlockRef | None:
        """Its first block."""

    def __repr__(self) -> str: ...

class StoreKind(enum.Enum):
    """How a module gives out ids and memory."""

    ARENA = 0
    """Never uses ids and memory again; mutations can be taken back."""

    POOL = 1
    """Uses both again; deletions cannot be taken back."""

    CHECKED = 2
    """An arena that validates every access."""

class InstrWalk:
    """Iterator over the instructions of a module."""

    def __iter__(self) -> InstrWalk: ...

    def __next__(self) -> InstrRef: ...

DEFAULT_STORE: StoreKind = StoreKind.ARENA

class Module:
    """
    One unit of IR: instructions, blocks, regions, attributes, types, locations.

    Only a Builder changes it. A binary operation with its use lists takes 64 bytes.
    """

    def __init__(self, context: Context, *, store: StoreKind = StoreKind.ARENA) -> None: ...

    @property
    def context(self) -> Context:
        """The dialects it knows."""

    @property
    def store(self) -> StoreKind:
        """How it gives out ids."""

    @property
    def body(self) -> BlockRef:
        """The block of the outermost region."""

    def instr(self, id: InstrId) -> InstrRef:
        """
        The instruction with an id.

        Raises:
            StaleRefError: There is none.
        """

    def value(self, id: ValueId) -> ValueRef:
        """
        The value with an id.

        Raises:
            StaleRefError: There is none.
        """

    def block(self, id: BlockId) -> BlockRef:
        """
        The block with an id.

        Raises:
            StaleRefError: There is none.
        """

    def region(self, id: RegionId) -> RegionRef:
        """
        The region with an id.

        Raises:
            StaleRefError: There is none.
        """

    def resolve(self, ref: FatDynObjRef) -> dynomite.ir.operands.Operand:
        """
        What a reference without a module means here.

        Raises:
            UsageError: Nothing.
        """

    def reference(self, object: dynomite.ir.operands.Operand) -> FatDynObjRef:
        """
        The reference for an operand; strings, lists and wide constants are interned.
        """

    def instrs(self) -> InstrWalk:
        """Iterates over all instructions, those in no block included, by id."""

    def type(self, kind: TypeDecl | ObjKind, *params: dynomite.ir.operands.Operand) -> Type:
        """
        The type with these parameters.

        Raises:
            UsageError: Their number or kind is wrong, or the dialect is not loaded.
        """

    def __len__(self) -> int: ...

    def __bool__(self) -> bool: ...

    @property
    def instr_bound(self) -> int:
        """All instruction ids are below."""

    @property
    def value_bound(self) -> int:
        """All value ids are below."""

    @property
    def block_bound(self) -> int:
        """All block ids are below."""

    @property
    def region_bound(self) -> int:
        """All region ids are below."""

    @property
    def stamp(self) -> int:
        """
        Names the present state: a mutation changes it, taking the mutation back restores it.
        """

    def memory(self) -> dict[str, int]:
        """Bytes taken, by store."""

    def __repr__(self) -> str: ...

class Tracking(enum.Enum):
    """What a builder does with a mutation."""

    NONE = 0
    """Do it."""

    LAZY_TRACKING = 1
    """Do it and record it."""

    LAZY_UPDATE = 2
    """Record it; `execute` does it."""

    EAGER = 3
    """Do it, record it, and call the listeners."""

class UpdateKind(enum.Enum):
    """What an update does."""

    INSTR_CREATE = 0

    INSTR_DELETE = 1

    OPCODE_CHANGE = 2

    OPERAND_REPLACE = 3

    OPERAND_REPLACE_ALL_USES = 4

    TYPE_CHANGE = 5

    LOCATION_CHANGE = 6

    NAME_CHANGE = 7

    REGION_CREATE = 8

    REGION_DELETE = 9

    BLOCK_CREATE = 10

    BLOCK_DELETE = 11

    BLOCK_MOVE = 12

    INSTR_INSERT = 13

    INSTR_REMOVE = 14

    BLOCK_SPLICE = 15

class Update:
    """
    One mutation as a value. Which fields mean something depends on the kind.
    """

    @property
    def kind(self) -> UpdateKind:
        """What it does."""

    @property
    def instr(self) -> InstrRef | None:
        """The instruction; the first one of a splice."""

    @property
    def last(self) -> InstrRef | None:
        """The last instruction of a splice."""

    @property
    def operand(self) -> int:
        """Number of the operand; of uses moved for OPERAND_REPLACE_ALL_USES."""

    @property
    def old(self) -> FatDynObjRef:
        """What was there."""

    @property
    def new(self) -> FatDynObjRef:
        """What is there now."""

    @property
    def block(self) -> BlockRef | None:
        """The block; the target of a splice."""

    @property
    def old_block(self) -> BlockRef | None:
        """The source of a splice."""

    @property
    def region(self) -> RegionRef | None:
        """The region."""

    @property
    def previous(self) -> InstrRef | None:
        """The instruction in front of the place."""

    def revert(self) -> None:
        """
        Takes it back; it has to be the latest of its builder.

        Raises:
            UsageError: It is not, or another builder has changed the module since.
        """

    def __repr__(self) -> str: ...

class NativeInterface:
    """The table behind dynomite.ir.interface.Interface."""

    def __init__(self, name: str, default: object | None) -> None: ...

    @property
    def name(self) -> str:
        """What it is about."""

    @property
    def default(self) -> object:
        """The entry of operations that nobody spoke for."""

    def set_op(self, full_name: str, entry: object | None, override: bool) -> None:
        """Entry of one operation."""

    def set_dialect(self, dialect: str, entry: object | None, override: bool) -> None:
        """Default of a dialect's operations."""

    def lookup(self, context: Context, op: Op | Opcode) -> Any:
        """
        The entry of an operation.

        Cost: two array reads after the first time.
        """

class Mutator:
    """The only thing that changes modules; see Builder."""

    def erase(self, instr: InstrRef) -> None:
        """
        Deletes an instruction, which leaves its blocks first.

        Invalidates: references to it and its values.

        Raises:
            UsageError: It is still used, or its regions hold blocks.
        """

    def set_opcode(self, instr: InstrRef, op: Op | Opcode) -> None:
        """Makes another operation of an instruction."""

    def set_operand(self, instr: InstrRef, index: int, operand: dynomite.ir.operands.Operand) -> None:
        """
        Replaces one use.

        Raises:
            UsageError: The operand is a definition.
        """

    def set_attributes(self, instr: InstrRef, attrs: dict[str, dynomite.ir.operands.Operand]) -> None:
        """
        Replaces the attribute dictionary.

        Raises:
            UsageError: The instruction has none.
        """

    def replace_all_uses(self, old: ValueRef, new: ValueRef) -> None:
        """
        Makes all uses of one value uses of another.

        Cost: linear in the uses.
        """

    def set_type(self, value: ValueRef, type: Type) -> None:
        """Changes the type of a value."""

    def set_location(self, instr: InstrRef, loc: dynomite.ir.locations.Location) -> None:
        """Says where an instruction comes from."""

    def set_value_name(self, value: ValueRef, name: str | None) -> None:
        """Names a value in the text."""

    def create_region(self) -> RegionRef:
        """A new region. It belongs to the instruction built with `Def(region)`."""

    def erase_region(self, region: RegionRef) -> None:
        """Deletes a region without blocks."""

    def create_block(self, region: RegionRef) -> BlockRef:
        """A new block at the end of a region."""

    def erase_block(self, block: BlockRef) -> None:
        """Deletes a block without instructions."""

    def move_block(self, block: BlockRef, region: RegionRef, behind: BlockRef | None = None) -> None:
        """Moves a block behind another one, to the front without."""

    def insert(self, block: BlockRef, instr: InstrRef, behind: InstrRef | None = None) -> None:
        """Puts an instruction behind another one, to the front without."""

    def append(self, block: BlockRef, instr: InstrRef) -> None:
        """Puts an instruction at the end of a block."""

    def remove(self, block: BlockRef, instr: InstrRef) -> None:
        """Takes an instruction out of a block; it lives on."""

    def splice(self, block: BlockRef, source: BlockRef, first: InstrRef, last: InstrRef, behind: InstrRef | None = None) -> None:
        """
        Moves the instructions from `first` to `last` behind another one, to the front without.

        Cost: linear in the range.
        """

    @property
    def tracking(self) -> Tracking:
        """What it does with mutations."""

    def set_tracking(self, tracking: Tracking) -> None:
        """Changes what it does with mutations."""

    @property
    def mark(self) -> int:
        """The present end of the log, for `execute`, `rollback` and `updates`."""

    @property
    def pending(self) -> int:
        """Number of updates recorded but not done."""

    def updates(self, since: int = 0) -> list[Update]:
        """The log from a mark on."""

    def execute(self) -> None:
        """
        Does all updates that are only recorded.

        Raises:
            UsageError, StaleRefError: One of them is impossible; those in front of it are done, the rest waits.
        """

    def rollback(self, mark: int = 0) -> None:
        """
        Takes back everything since a mark, latest first: text, use lists and order are as they were.

        Raises:
            UsageError: Another builder has changed the module since, or the store is a pool and something was deleted.
        """

    def clear_log(self) -> None:
        """Forgets the log: what was done stays done."""

class Builder(Mutator):
    """
    Makes and changes instructions. New ones go to the end of `module.body` unless `set_place` says otherwise.
    """

    def __init__(self, module: Module, *, tracking: Tracking = Tracking.NONE, merging: bool = False, mutable: bool = True) -> None:
        """
        Args:
            module: What it changes.
            tracking: What it does with mutations.
            merging: A pure operation like a visible one is not made; the old one is returned.
            mutable: Instructions may be changed in place.
        """

    def value(
        self,
        op: Op | Opcode,
        type: Type | None,
        /,
        *uses: dynomite.ir.operands.Operand,
        attrs: dict[str, dynomite.ir.operands.Operand] | None = None,
        name: str | None = None,
        loc: dynomite.ir.locations.Location = None,
    ) -> ValueRef:
        """
        Builds an operation that defines one value and returns the value.

        With folding, what comes back may be a `Const` that folding found; see `set_folding`.
        """

    def build(
        self,
        op: Op | Opcode,
        /,
        *operands: dynomite.ir.operands.Operand | Def,
        attrs: dict[str, dynomite.ir.operands.Operand] | None = None,
        loc: dynomite.ir.locations.Location = None,
    ) -> InstrRef:
        """Builds an instruction and returns it."""

    def set_place(self, block: BlockRef | None, *, before: InstrRef | None = None) -> None:
        """
        Where new instructions go: the end of a block, in front of one of its instructions, or nowhere.
        """

    @property
    def block(self) -> BlockRef | None:
        """The block new instructions go to."""

    @property
    def before(self) -> InstrRef | None:
        """
        The instruction in front of which new ones go; None at the end of the block.
        """

    @property
    def module(self) -> Module:
        """The module it changes."""

    @property
    def merging(self) -> bool:
        """True if equal pure operations are merged."""

    @property
    def merged_count(self) -> int:
        """Operations found instead of made."""

    def replace(self, old: InstrRef, op: Op | Opcode, *operands: dynomite.ir.operands.Operand | Def, attrs: dict[str, dynomite.ir.operands.Operand] | None = None, loc: dynomite.ir.locations.Location = None) -> InstrRef:
        """
        Builds an instruction in place of another: same place, names and uses; the old one is deleted and their origins unite.

        Raises:
            UsageError: The new one defines another number of values, or uses the old one.
        """

    def update(self, old: InstrRef, op: Op | Opcode, *operands: dynomite.ir.operands.Operand | Def, attrs: dict[str, dynomite.ir.operands.Operand] | None = None, loc: dynomite.ir.locations.Location = None) -> InstrRef:
        """
        Makes this of an instruction: in place where the builder is mutable and operands and definitions match in number and place, otherwise by `replace`.

        Returns:
            The changed or the new instruction.
        """

    @property
    def mutable(self) -> bool:
        """True if instructions may be changed in place."""

    def listen(self, listener: Callable[[Update, bool], object]) -> None:
        """
        Calls `listener(update, reverted)` after every update done or taken back in mode EAGER.
        """

    @property
    def folding(self) -> object:
        """
        An `Interface` of functions `(builder, type, operands)` that return a value or constant for `value` to return instead of building, or None.
        """

    @folding.setter
    def folding(self, interface: object | None) -> None: ...

def parse(source: str | bytes, context: Context, *, path: str = '<text>', store: StoreKind = ..., locations: bool = False, check_symbols: bool = True, max_errors: int = 20, stop: dynomite._native.base.Stop | None = None) -> Module:
    """Reads a module from its text; see dynomite.ir.text."""

def print_module(module: Module, *, locations: bool = False, declarations: bool = True, stop: dynomite._native.base.Stop | None = None) -> str:
    """The text of a module; see dynomite.ir.text."""

def write_bytecode(module: Module, *, stop: dynomite._native.base.Stop | None = None) -> bytes:
    """The bytes of a module; see dynomite.ir.bytecode."""

def read_bytecode(data: bytes, context: Context, *, path: str = '<bytes>', store: StoreKind = ..., stop: dynomite._native.base.Stop | None = None) -> Module:
    """Reads a module from its bytes; see dynomite.ir.bytecode."""

def same_module(a: Module, b: Module) -> bool:
    """
    True if both are identical up to the ids of their objects.

    Linear in their sizes.
    """

class CStore:
    """
    Compressed instructions of a module: 12 bytes and 4 an operand, use counts instead of use lists, at most one value each.
    """

    def __init__(self, module: Module) -> None: ...

    @property
    def module(self) -> Module:
        """The module whose types, constants and attributes it uses."""

    def add(self, op: Op | Opcode, type: Type | None, *uses: CInstrRef | dynomite.ir.operands.Operand) -> CInstrRef:
        """
        A new instruction; it defines a value if a type is given. A ValueRef as operand is compressed on the way, if what it depends on is.
        """

    def compress(self, instr: InstrRef) -> CInstrRef:
        """
        The compressed form of an instruction.

        Raises:
            UsageError: It does not fit, or what it uses is not compressed yet.
        """

    def fits(self, instr: InstrRef) -> bool:
        """True if an instruction has a compressed form."""

    def compress_block(self, block: BlockRef) -> list[CInstrRef]:
        """The compressed forms of the instructions of a block."""

    def find(self, value: ValueRef) -> CInstrRef | None:
        """The compressed definition of a value."""

    def expand(self, instr: CInstrRef, builder: Builder) -> InstrRef:
        """
        The full form, built where the builder builds.

        Raises:
            UsageError: What it uses is not expanded yet.
        """

    def expand_all(self, builder: Builder) -> list[InstrRef]:
        """The full forms of all instructions, in the order of their ids."""

    def erase(self, instr: CInstrRef) -> None:
        """
        Deletes an instruction.

        Raises:
            UsageError: Its value is used.
        """

    def instrs(self) -> list[CInstrRef]:
        """All instructions by id: operands come before their uses."""

    def __len__(self) -> int: ...

    def __bool__(self) -> bool: ...

    @property
    def bound(self) -> int:
        """All ids are below."""

    def memory(self) -> int:
        """Bytes taken."""

class CInstrRef:
    """
    A compressed instruction, and the value it defines. Has what an InstrRef has but use lists.
    """

    @property
    def store(self) -> CStore:
        """Its store."""

    @property
    def id(self) -> int:
        """Its number in the store, for side tables."""

    @property
    def is_live(self) -> bool:
        """False once it was deleted."""

    @property
    def opcode(self) -> Opcode:
        """What it does."""

    @property
    def name(self) -> str:
        """"dialect.NAME" of the opcode."""

    @property
    def type(self) -> Type | None:
        """Type of the value it defines."""

    @property
    def has_value(self) -> bool:
        """True if it defines a value."""

    @property
    def use_count(self) -> int:
        """How often its value is used. Constant time."""

    def __len__(self) -> int: ...

    def __bool__(self) -> bool: ...

    def operand(self, index: int) -> CInstrRef | dynomite.ir.operands.Operand:
        """One operand; values appear as the instructions that define them."""

    @property
    def operands(self) -> tuple[CInstrRef | dynomite.ir.operands.Operand, ...]:
        """The operands it uses."""

    def operand_def(self, index: int) -> CInstrRef | None:
        """
        The instruction that defines the value at an operand; None if it is no value.
        """

    def __hash__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

def build_rows(builder: Builder, opcodes: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], types: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], operands: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_new: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
    """See dynomite.ir.arrays.build_rows."""

def opcode_table(module: Module) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')]:
    """See dynomite.ir.arrays.opcodes."""

def use_count_table(module: Module) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
    """See dynomite.ir.arrays.use_counts."""

def definer_table(module: Module) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
    """See dynomite.ir.arrays.definers."""

def type_table(module: Module) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
    """See dynomite.ir.arrays.types."""

def block_table(block: BlockRef) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
    """See dynomite.ir.arrays.block_instrs."""

def operand_rows(module: Module) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]]:
    """See dynomite.ir.arrays.operand_rows."""

class RegionNumbering:
    """The table behind dynomite.ir.analyses.InstrOrder and DominanceOrder."""

    def __init__(self, region: RegionRef, dominance: bool) -> None: ...

    def number(self, instr: InstrRef) -> int:
        """
        Its number.

        Cost: amortised constant.

        Raises:
            UsageError: It is not directly in the region.
        """

    def has_number(self, instr: InstrRef) -> bool:
        """True if it has a number already. Constant time."""

    def unnumbered(self) -> list[InstrRef]:
        """
        Instructions of the region without a number, in order. Linear in the region.
        """

    def consume(self, update: Update, reverted: bool) -> None:
        """Takes in an update that was done or taken back."""

    @property
    def renumberings(self) -> int:
        """How often a block was numbered anew."""
