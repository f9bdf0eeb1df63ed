"""Circuits out of code of the dialect `dmt`, whatever it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmt_dialect.dmt_aig import only_block, read_region
from dmt_dialect.origins import NodeOrigins
from dynomite.ir import InstrRef, Module

if TYPE_CHECKING:
    from dynomite._native.aig import Aig
    from dynomite._native.base import Stop


def kind_of_code(module: Module, within: InstrRef | None = None) -> str | None:
    """What code is: "gates" (`dmt.AIG`), "diagrams" (`dmt.BDD`), a "question" (`dmt.VAR`); None for else.

    Cost:
        Linear, mostly until the first instruction that tells.
    """
    if within is not None and sum(len(list(region.blocks)) for region in within.regions) != 1:
        return None
    found = None
    for instr in only_block(module, within):
        match instr.name:
            case "dmt.VAR":
                return "question"
            case "dmt.AIG" | "dmt.AND" | "dmt.LATCH":
                return "gates"
            case "dmt.BDD_TRUE" | "dmt.BDD_IN" | "dmt.BDD":
                return "diagrams"
            case "dmt.INPUT" | "dmt.AIG_IN":
                found = "gates"
            case _:
                pass
    return found


def circuit_of_code(
    module: Module, within: InstrRef | None = None, *, architecture: str = "", stop: Stop | None = None
) -> tuple[Aig, NodeOrigins | None] | None:
    """The circuit that code of this dialect is, and the origins of its nodes where it has them.

    Args:
        module: Where the code is: its outermost block,
        within: or the one block of an instruction's region.
        architecture: How operators of a question are built.
        stop: Ends the call early.

    Returns:
        None if the code is of another kind, such as a netlist of words.
    """
    match kind_of_code(module, within):
        case "gates":
            return read_region(module, within)
        case "diagrams":
            from dmt_dialect.dmt_bdd import bdd_to_aig

            return bdd_to_aig(module, within), None
        case "question":
            from dmt_dialect.problems import circuit_from_problem

            return circuit_from_problem(module, within, architecture=architecture, stop=stop), None
        case _:
            return None
