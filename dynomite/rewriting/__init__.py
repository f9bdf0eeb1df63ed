"""Rewrite rules: their language, where they come from, and how they are applied.

    >>> from dmt_dialect.ops import OP
    >>> from dynomite.ir import Context, load, parse
    >>> from dynomite.rewriting import apply_rules, rules_of
    >>> context = Context()
    >>> load(context, OP)
    >>> text = "using op; let r = InstrPat { match { NOT %d:def, (NOT %x) } emit { REPLACE_USES %d, %x } }"
    >>> rules = rules_of(parse(text, context))
    >>> code = parse("op.NOT %n:def(op.bits(1)) true; op.NOT %m:def(op.bits(1)) %n; op.ASSERT %m", context)
    >>> apply_rules(code, [rules["r"]]).applied
    {'r': 1}

docs/rewriting.md defines the language. `declare` has the form in Python, `syntax` the trees that everything
becomes, `checks` what is refused, `driver` the ways to apply rules,
`saturation` equality saturation by them.
"""

from __future__ import annotations

from dynomite.rewriting.checks import check_declared
from dynomite.rewriting.driver import Application, RewriteReport, apply_rules
from dynomite.rewriting.functions import register_function
from dynomite.rewriting.ir_form import rules_of
from dynomite.rewriting.saturation import SaturationReport, saturate
from dynomite.rewriting.syntax import Rule, RuleSet

__all__ = [
    "Application",
    "RewriteReport",
    "Rule",
    "RuleSet",
    "SaturationReport",
    "apply_rules",
    "check_declared",
    "register_function",
    "rules_of",
    "saturate",
]
