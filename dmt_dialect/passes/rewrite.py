"""Applying rules of the rewrite language.

    ADD %s %a constant(0, 8); OUT "y" %s    ->    OUT "y" %a        with rules=words

The rules are a library (`dmt_dialect.rewriting.libraries`) or a file; docs/rewriting.md is their language.
Limits: those of `dynomite.rewriting.driver.apply_rules`; where rules do not settle, an error names them.
"""

from __future__ import annotations

from dataclasses import dataclass

from dmt_dialect.ops import OP
from dmt_dialect.rewriting.libraries import load_rules
from dmt_dialect.verify_operators import verify_operators
from dynomite._native.base import Stop
from dynomite.errors import UsageError
from dynomite.ir import Builder, InstrRef, load
from dynomite.passes.base import Params, Pass, PassResult
from dynomite.rewriting.driver import Driver, apply_rules

DRIVERS: tuple[Driver, ...] = ("greedy", "sweep-down", "sweep-up")


@dataclass(frozen=True)
class RewriteParams(Params):
    """Parameters of `Rewrite`.

    Attributes:
        rules: A library or a file.
        driver: Order in which instructions are looked at: "greedy", "sweep-down" or "sweep-up".
        rounds: Sweeps at most; in greedy order, rewrites at most of one instruction.
        limit: Applications at most; -1 for all.
    """

    rules: str = "words"
    driver: str = "greedy"
    rounds: int = 1000
    limit: int = -1


class Rewrite(Pass[RewriteParams]):
    """Applies rules; see the head of this file."""

    name = "rewrite"
    Params = RewriteParams

    def run(self, builder: Builder, within: InstrRef | None, stop: Stop) -> PassResult:
        """Does the work.

        Raises:
            ParseError: The file of rules is wrong.
            UsageError: There is no such library or order, or a rule replaces a value by one of another type.
            VerifyError: A word operator has wrong operands or widths.
            LimitError: The rules do not settle.
        """
        if self.params.driver not in DRIVERS:
            raise UsageError(
                f"rewrite: there is no order {self.params.driver!r}; there are {', '.join(DRIVERS)}"
            )
        context = builder.module.context
        load(context, OP)
        rules = load_rules(self.params.rules, context=context)
        verify_operators(builder.module, stop=stop)
        report = apply_rules(
            builder,
            rules,
            driver=self.params.driver,
            max_rounds=self.params.rounds,
            limit=None if self.params.limit < 0 else self.params.limit,
            within=within,
            stop=stop,
        ).check_settled()
        stats = {f"rule {name}": count for name, count in report.applied.items()}
        stats |= {"applied": report.total, "visited": report.visited, "erased": report.erased}
        notes = ("the limit of applications was met",) if report.end == "limit" else ()
        return PassResult(report.changed, stats, stop.reason, notes)
