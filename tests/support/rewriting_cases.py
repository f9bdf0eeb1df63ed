"""Rules and code as text, for tests of rewriting."""

from __future__ import annotations

from dmt_dialect.ops import OP
from dynomite.ir import Context, Dialect, Module, StoreKind, load, parse, print_module
from dynomite.rewriting.ir_form import rules_of
from dynomite.rewriting.syntax import Rule, RuleSet

PORTS = Dialect("io")
"""What a rule must leave alone: inputs, outputs, and operations of unusual shapes."""

IN = PORTS.op("IN", defs=1)
OUT = PORTS.op("OUT", variadic=True)
PAIR = PORTS.op("PAIR", defs=2, uses=1, variadic=True, pure=True)
ANY = PORTS.op("ANY", defs=1, variadic=True, pure=True)
WORD = PORTS.type("word", params=("kind", "width"))


def new_context() -> Context:
    """A context with word operators and ports."""
    context = Context()
    load(context, OP)
    load(context, PORTS)
    return context


def rules_from(text: str, context: Context) -> RuleSet:
    """All rules of a text, in order."""
    module = parse("using op\nusing io\n" + text, context)
    rules = [rule for rule in rules_of(module).values() if isinstance(rule, Rule)]
    return RuleSet("all", tuple(rules))


def code_from(text: str, context: Context, store: StoreKind = StoreKind.ARENA) -> Module:
    """A module."""
    return parse("using op\nusing io\n" + text, context, store=store)


def shown(module: Module) -> str:
    """The text of a module without names of dialects."""
    return print_module(module).replace("op.", "").replace("io.", "").strip()
