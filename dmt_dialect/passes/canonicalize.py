"""Canonicalising: folds every word operator of a module until nothing folds any more.

    ADD %s %a constant(0, 8); NOT %n %s; NOT %m %n; OUT "y" %m    ->    OUT "y" %a

The rules are those of `dmt_dialect.folding`, which a builder applies to what it builds. An operation that
folds to itself (a multiplexer that chooses its own result) is left for the verifier. Limits: at most 20 folds
an operation; where that is met the result says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from dmt_dialect.folding import FOLDING
from dmt_dialect.ops import OP
from dmt_dialect.verify_operators import verify_operators
from dynomite._native import passes as native
from dynomite._native.base import Stop
from dynomite.ir import Builder, Const, InstrRef, ValueRef
from dynomite.passes.base import Params, Pass, PassResult

FOLDS_AN_OPERATION = 20


@dataclass(frozen=True)
class CanonicalizeParams(Params):
    """Parameters of `Canonicalize`.

    Attributes:
        dead: Erase what is not used afterwards.
    """

    dead: bool = True


class Canonicalize(Pass[CanonicalizeParams]):
    """Folds word operators; see the head of this file."""

    name = "canonicalize"
    Params = CanonicalizeParams

    def run(self, builder: Builder, within: InstrRef | None, stop: Stop) -> PassResult:
        """Does the work.

        Raises:
            VerifyError: An operator has wrong operands or widths.
        """
        verify_operators(builder.module, stop=stop)
        folding, block = builder.folding, builder.block
        builder.folding = FOLDING.native
        try:
            visited, folded, settled = _fold_all(builder, within, stop)
        finally:
            builder.folding = folding
            builder.set_place(block)
        erased = 0
        while self.params.dead and not stop.poll():
            # In a graph region uses may stand in front of definitions: until nothing is left.
            found = native.dce(builder, within=within, stop=stop)[1]
            erased += found
            if not found:
                break
        stats = {"visited": visited, "folded": folded, "erased": erased}
        notes = () if settled else ("the limit of folds was met before all operations were settled",)
        return PassResult(folded + erased > 0, stats, stop.reason, notes)


def _instructions(builder: Builder, within: InstrRef | None) -> list[InstrRef]:
    """Instructions of a scope, those inside of others included."""
    if within is None:
        return list(builder.module.instrs())
    found: list[InstrRef] = []
    regions = list(within.regions)
    while regions:
        for block in regions.pop().blocks:
            for instr in block:
                found.append(instr)
                regions += instr.regions
    return found


def _fold_all(builder: Builder, within: InstrRef | None, stop: Stop) -> tuple[int, int, bool]:
    context = builder.module.context
    if context.find_dialect(OP.name) is None:
        return 0, 0, True
    known = {op.opcode(context) for op in OP.ops if op.defs == 1}
    waiting = [instr for instr in _instructions(builder, within) if instr.opcode in known]
    waiting.reverse()
    visited = folded = 0
    limit = FOLDS_AN_OPERATION * len(waiting) + 100
    while waiting:
        if stop.poll():
            break
        instr = waiting.pop()
        if not instr.is_live or instr.opcode not in known or instr.block is None:
            continue
        visited += 1
        if folded >= limit:
            return visited, folded, False
        users = _fold(builder, instr)
        if users is not None:
            folded += 1
            waiting += [user for user in users if user.is_live]
    return visited, folded, True


def _fold(builder: Builder, instr: InstrRef) -> list[InstrRef] | None:
    """Replaces an operation by what it folds to; returns its users, or None if it does not fold."""
    value = instr.result
    if not value.has_uses:
        return None
    fold = FOLDING.for_instr(instr)
    if fold is None:
        return None
    builder.set_place(instr.block, before=instr)
    found = fold(builder, value.type, instr.uses)
    if found is None or (isinstance(found, ValueRef) and (found == value or found.type != value.type)):
        return None
    uses = value.uses
    if isinstance(found, Const):
        for user, index in uses:
            builder.set_operand(user, index, found)
    else:
        if found.name is None and value.name is not None:
            builder.set_value_name(found, value.name)
        builder.replace_all_uses(value, found)
        if instr.location:
            builder.set_location(found.instr, [*found.instr.location, *instr.location])
    builder.erase(instr)
    return list(dict.fromkeys(user for user, _ in uses))
