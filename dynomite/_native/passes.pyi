"""Generic passes over modules, symbols, dominance."""

import dynomite._native.base
import dynomite._native.ir


def cse(builder: dynomite._native.ir.Mutator, *, commutative: bool = True, within: dynomite._native.ir.InstrRef | None = None, stop: dynomite._native.base.Stop | None = None) -> tuple[int, int]:
    """Merges common subexpressions; returns instructions visited and merged."""

def dce(builder: dynomite._native.ir.Mutator, *, within: dynomite._native.ir.InstrRef | None = None, stop: dynomite._native.base.Stop | None = None) -> tuple[int, int]:
    """Erases dead instructions; returns instructions visited and erased."""

def symbol_dce(builder: dynomite._native.ir.Mutator, *, within: dynomite._native.ir.InstrRef | None = None, stop: dynomite._native.base.Stop | None = None) -> tuple[int, int, int, list[tuple[dynomite._native.ir.InstrRef, int, dynomite._native.ir.SymbolRef]]]:
    """
    Erases dead symbols; returns symbols visited and erased, instructions erased, unresolved references.
    """

def clone_module(module: dynomite._native.ir.Module) -> dynomite._native.ir.Module:
    """A module of its own in the same context, with the same ids."""

def clone_only(instr: dynomite._native.ir.InstrRef) -> dynomite._native.ir.Module:
    """
    A module of its own that holds, at the top, only the instruction with everything below; what it used there is cut off.

    Cost: linear in the module.
    """

def clone_region(builder: dynomite._native.ir.Mutator, region: dynomite._native.ir.RegionRef, *, names: bool = True, locations: bool = True, stop: dynomite._native.base.Stop | None = None) -> dynomite._native.ir.RegionRef:
    """
    Copies a region with everything below; the copy belongs to no instruction yet.
    """

def verify(module: dynomite._native.ir.Module, *, limit: int = 1000, stop: dynomite._native.base.Stop | None = None) -> int:
    """
    Checks all invariants; returns the number of instructions.

    Raises:
        VerifyError: Lists all violations, up to `limit`.
    """

def violations(module: dynomite._native.ir.Module, *, limit: int = 1000, stop: dynomite._native.base.Stop | None = None) -> tuple[int, int, list[tuple[str, dynomite._native.ir.InstrRef | None, list[tuple[str, dynomite._native.ir.InstrRef | None]]]]]:
    """
    What `verify` would raise: number of instructions, number of violations; message, instruction and notes of each up to `limit`.
    """

def statistics(module: dynomite._native.ir.Module) -> tuple[dict[str, int], dict[str, int]]:
    """Counts of the module, and of its operations by full name."""

def symbol_lookup(origin: dynomite._native.ir.InstrRef, reference: dynomite._native.ir.SymbolRef | str) -> dynomite._native.ir.InstrRef | None:
    """
    The symbol that a reference held by `origin` reaches, or None.

    Cost: linear in the module.
    """

def symbol_table(module: dynomite._native.ir.Module, table: dynomite._native.ir.InstrRef | None) -> dict[str, dynomite._native.ir.InstrRef]:
    """
    Names and symbols of a table, in order; of the module itself for None.

    Cost: linear in the module.
    """

def symbol_uses(symbol: dynomite._native.ir.InstrRef) -> list[tuple[dynomite._native.ir.InstrRef, int, dynomite._native.ir.SymbolRef]]:
    """
    Instruction, operand number and reference of everything that reaches `symbol`, also on the way.

    Cost: linear in the module.
    """

def replace_all_symbol_uses(builder: dynomite._native.ir.Mutator, symbol: dynomite._native.ir.InstrRef, name: str) -> int:
    """
    Makes all references to `symbol` references to `name` in the same table; returns how many there were.

    Cost: linear in the module.
    """

def rename_symbol(builder: dynomite._native.ir.Mutator, symbol: dynomite._native.ir.InstrRef, name: str) -> int:
    """
    Renames a symbol and all references to it; returns how many there were.

    Raises:
        UsageError: The table has the name already.
    """

def set_visibility(builder: dynomite._native.ir.Mutator, symbol: dynomite._native.ir.InstrRef, visibility: str) -> None:
    """Makes a symbol 'public', 'nested' or 'private'."""

def token_origin(user: dynomite._native.ir.InstrRef, operand: int) -> dynomite._native.ir.InstrRef | None:
    """
    The operation that a token operand stands for; None if the operand is no token, or laundered.
    """

class Dominance:
    """
    Control flow and dominance of all regions of a module, as it is now.

    Cost: O(n log n) in blocks to make; constant a question.
    """

    def __init__(self, module: dynomite._native.ir.Module) -> None: ...

    def successors(self, block: dynomite._native.ir.BlockRef) -> list[dynomite._native.ir.BlockRef]:
        """Blocks its terminator goes to."""

    def predecessors(self, block: dynomite._native.ir.BlockRef) -> list[dynomite._native.ir.BlockRef]:
        """Blocks whose terminators go to it."""

    def immediate_dominator(self, block: dynomite._native.ir.BlockRef) -> dynomite._native.ir.BlockRef | None:
        """None for entry blocks and unreachable ones."""

    def dominates(self, a: dynomite._native.ir.BlockRef, b: dynomite._native.ir.BlockRef) -> bool:
        """Whether every way to `b` goes through `a`."""

    def tree_order(self, region: dynomite._native.ir.RegionRef) -> list[dynomite._native.ir.BlockRef]:
        """Blocks, dominators first."""
