"""Applying rewrite rules to modules.

    >>> from dmt_dialect.ops import ADD, BITS, OP
    >>> from dynomite.ir import Builder, Const, Context, Dialect, Module, load
    >>> from dynomite.rewriting.driver import apply_rules
    >>> from dynomite.rewriting.syntax import *
    >>> zero = Rule(
    ...     "add_zero",
    ...     InstrMatch(
    ...         ("op.ADD",), Sequence((Named("d", AnyOperand()), Named("x", AnyOperand()), ConstMatch(0)))
    ...     ),
    ...     emits=(ReplaceUses("d", Capture("x")),),
    ... )
    >>> demo = Dialect("demo")
    >>> IN, USE = demo.op("IN", defs=1), demo.op("USE", uses=1)
    >>> context = Context()
    >>> load(context, OP)
    >>> load(context, demo)
    >>> module = Module(context)
    >>> builder = Builder(module)
    >>> word = module.type(BITS, 8)
    >>> a = builder.value(IN, word)
    >>> _ = builder.build(USE, builder.value(ADD, word, a, Const(0, 8)))
    >>> report = apply_rules(module, [zero])
    >>> report.applied, report.end, [instr.name for instr in module.body]
    ({'add_zero': 1}, 'fixed-point', ['demo.IN', 'demo.USE'])

At each instruction the rules are tried in their order; the first one whose first match holds is applied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from dynomite._native import rewrite as native
from dynomite._native.base import Stop
from dynomite.errors import LimitError
from dynomite.ir import Builder, InstrRef, Module
from dynomite.rewriting.lowering import compile_rules
from dynomite.rewriting.syntax import Rule, RuleSet

Driver: TypeAlias = Literal["greedy", "sweep-down", "sweep-up"]
"""In which order instructions are looked at."""

End: TypeAlias = Literal["fixed-point", "bound", "limit", "stopped"]
"""Why a run ended."""


@dataclass(frozen=True)
class Application:
    """One application of a rule, as a trace shows it.

    Attributes:
        rule: The name of the rule.
        before: The instructions that matched, the root first, one a line.
        after: What was made or changed, one a line.
    """

    rule: str
    before: str
    after: str

    def __str__(self) -> str:
        lines = [f"{self.rule}:"]
        lines += [f"  - {line}" for line in self.before.splitlines()]
        lines += [f"  + {line}" for line in self.after.splitlines()]
        return "\n".join(lines)


@dataclass(frozen=True)
class RewriteReport:
    """What a run did.

    Attributes:
        applied: How often each rule was applied, those never applied left out.
        end: Why it ended.
        still_applied: At a bound, the rules of the latest applications, most frequent first.
        tried: How often each rule was looked at closely, after the decisions that all rules share.
        gave_up: Searches for a match of a rule that were ended after 2^20 steps.
        visited: Instructions looked at.
        erased: Pure instructions that were not used any more.
        rounds: Sweeps; 1 for greedy order.
    """

    applied: dict[str, int]
    end: End
    still_applied: tuple[str, ...] = ()
    tried: dict[str, int] = field(default_factory=dict[str, int])
    gave_up: dict[str, int] = field(default_factory=dict[str, int])
    visited: int = 0
    erased: int = 0
    rounds: int = 0

    @property
    def changed(self) -> bool:
        """Whether the module is another one now."""
        return bool(self.applied) or self.erased > 0

    @property
    def total(self) -> int:
        """Number of applications."""
        return sum(self.applied.values())

    def check_settled(self) -> RewriteReport:
        """Itself, if it did not end at a bound.

        Raises:
            LimitError: It did; names the rules that were still applied.
        """
        if self.end == "bound":
            names = ", ".join(f"'{name}'" for name in self.still_applied)
            raise LimitError(f"rules do not settle after {self.total} applications: {names}")
        return self


def apply_rules(
    target: Module | Builder,
    rules: RuleSet | Sequence[Rule],
    *,
    driver: Driver = "greedy",
    max_rounds: int = 1000,
    limit: int | None = None,
    within: InstrRef | None = None,
    trace: Callable[[Application], object] | None = None,
    stop: Stop | None = None,
) -> RewriteReport:
    """Applies rules until none changes anything any more.

    Greedy order goes once from the first instruction to the last and looks again at what an application
    touches. Sweeps look at each instruction once a round. Pure instructions that nothing uses are erased on
    the way. Rules without Python functions run without the interpreter's lock.

    Cost: some 20 ns for an instruction that no rule fits, 100 ns more for a small rule that is applied,
    whatever the number of rules; a Python function adds about a microsecond. Linear in what applications
    touch, the uses of replaced values included.

    Args:
        target: What to rewrite; a builder, which keeps its place, makes all changes and logs them if it
            tracks.
        rules: The rules, earlier ones first at an instruction. A set is compiled once for a context.
        driver: The order.
        max_rounds: Sweeps at most; in greedy order, rewrites at most of one instruction and what came from
            it. In all there may be 64 applications an instruction and 10,000 more.
        limit: Applications at most: which one is wrong is found by bisection over this.
        within: Only what is in the regions of this instruction, and what rules make.
        trace: Called with each application.
        stop: Ends it early; the module stays as it is then, with every application whole.

    Raises:
        UsageError: A rule is wrong, or replaces a value by one of another type; names it. What that
            application did is undone, earlier ones stay. Likewise for whatever a Python function raises,
            with a note. Or the builder only records.
        LimitError: A rule nests too deep or emits a constant of more than 2^20 bits.
    """
    builder = target if isinstance(target, Builder) else Builder(target)
    if not isinstance(rules, RuleSet):
        rules = RuleSet("", tuple(rules))

    def watch(rule: str, before: str, after: str) -> None:
        if trace is not None:
            trace(Application(rule, before, after))

    data = native.apply(
        builder,
        compile_rules(builder.module.context, rules),
        order=driver,
        max_rounds=max_rounds,
        limit=limit,
        within=within,
        watcher=None if trace is None else watch,
        stop=stop,
    )
    of_rules: dict[str, tuple[int, int, int, int]] = data["rules"]
    recent = sorted(of_rules, key=lambda name: -of_rules[name][3])
    return RewriteReport(
        applied={name: counts[0] for name, counts in of_rules.items() if counts[0]},
        end=data["end"],
        still_applied=tuple(n for n in recent if of_rules[n][3]) if data["end"] == "bound" else (),
        tried={name: counts[1] for name, counts in of_rules.items() if counts[1]},
        gave_up={name: counts[2] for name, counts in of_rules.items() if counts[2]},
        visited=data["visited"],
        erased=data["erased"],
        rounds=data["rounds"],
    )
