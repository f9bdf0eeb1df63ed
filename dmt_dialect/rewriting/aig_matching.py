"""Rewrite rules over the gates of an AIG: the same patterns, the same native matcher.

    >>> from dmt_dialect.aig import Aig
    >>> from dmt_dialect.rewriting.libraries import read_rules
    >>> rules = read_rules('''using op
    ... let exclusive_or = InstrPat {
    ...   match { AND %d:def, (NOT (AND %a / %b)) / (NOT (AND (NOT %a) / (NOT %b))) }
    ...   emit { XOR %d, %a, %b }
    ... }
    ... ''')
    >>> aig = Aig()
    >>> a, b, c = aig.add_inputs(3)
    >>> aig.add_output(a ^ b ^ c)
    >>> [(match.rule, match.lit == aig.outputs[0]) for match in aig_matches(aig, rules)]
    [('exclusive_or', False), ('exclusive_or', True)]

A literal of an AND is `op.AND %d:def, fanin, fanin`, the complement of any literal `op.NOT %d:def, literal`;
constants are those of one bit, and values have no types. Rules with Python conditions or actions are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmt_dialect.ops import OP
from dynomite._native.rewrite import aig_matches as _native_matches
from dynomite.ir import Context, load
from dynomite.rewriting.lowering import compile_rules

if TYPE_CHECKING:
    from dynomite._native.aig import Aig, Lit
    from dynomite._native.base import Stop
    from dynomite.rewriting import syntax


@dataclass(frozen=True, slots=True)
class AigMatch:
    """A rule that matches at a literal.

    Attributes:
        lit: The literal that the rule's root defines.
        rule: Name of the rule.
        names: The literals that each name is bound to; names of numbers and operations are left out.
    """

    lit: Lit
    rule: str
    names: Mapping[str, tuple[Lit, ...]]


def aig_matches(aig: Aig, rules: syntax.RuleSet, *, stop: Stop | None = None) -> list[AigMatch]:
    """The first match of each rule at each literal, by literal, then in the order of the rules.

    Args:
        aig: The circuit.
        rules: Rules over `op.AND` and `op.NOT`; others match nowhere.
        stop: Ends the call from another thread or at a deadline.

    Raises:
        UsageError: A rule has Python conditions or actions.
        LimitError: `stop` ended it.
    """
    context = Context()
    load(context, OP)
    found = _native_matches(compile_rules(context, rules), aig, stop=stop)
    return [
        AigMatch(aig.lit(lit), rule, {name: tuple(map(aig.lit, lits)) for name, lits in names.items()})
        for lit, rule, names in found
    ]
