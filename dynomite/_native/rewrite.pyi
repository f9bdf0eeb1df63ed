"""Rewrite rules: compiling, matching, applying."""

from collections.abc import Callable, Sequence
from typing import Any

import dynomite._native.aig
import dynomite._native.base
import dynomite._native.ir


class NativeRule:
    """
    A rule under construction, for the operations of one context. Parts are numbers that calls return.
    """

    def __init__(self, context: dynomite._native.ir.Context, name: str) -> None: ...

    def any(self) -> int:
        """Any operand."""

    def type(self, name: str, params: list[int | str | None]) -> int:
        """
        A value of a type; of each parameter a number, a name that captures it, or None.
        """

    def constant(self, value: int | str | None, width: int | str | None) -> int:
        """A constant."""

    def instr(self, ops: Sequence[str], operands: int, op_name: str | None, instr_name: str | None, result: str | None) -> int:
        """An instruction, of any operation if there is none."""

    def same(self, name: str) -> int:
        """What a name is bound to."""

    def named(self, name: str, part: int) -> int:
        """Binds a name."""

    def repeat(self, part: int, at_least_one: bool) -> int:
        """`X*` or `X+`."""

    def sequence(self, parts: Sequence[int]) -> int:
        """`X, Y`."""

    def alternatives(self, parts: Sequence[int]) -> int:
        """`X | Y`."""

    def unordered(self, parts: Sequence[int]) -> int:
        """`X / Y`."""

    def defs(self, part: int) -> int:
        """`def(X)`."""

    def uses(self, part: int) -> int:
        """`use(X)`."""

    def set_root(self, node: int) -> None:
        """The instruction that the pattern is tried at."""

    def one_use(self, name: str) -> int:
        """A condition."""

    def power_of_two(self, name: str) -> int:
        """A condition."""

    def is_constant(self, name: str) -> int:
        """A condition."""

    def compare(self, left: list[tuple[str, Any]], relation: str, right: list[tuple[str, Any]]) -> int:
        """A condition; expressions in reverse Polish notation."""

    def same_operand(self, a: str, b: str) -> int:
        """A condition."""

    def same_type(self, a: str, b: str) -> int:
        """A condition."""

    def negated(self, condition: int) -> int:
        """The contrary of a condition."""

    def any_of(self, conditions: Sequence[int]) -> int:
        """One of several conditions."""

    def call(self, function: Callable[..., object], names: list[str]) -> int:
        """A function's opinion of what names are bound to."""

    def check(self, condition: int) -> None:
        """Makes the rule depend on a condition."""

    def emit(self, op: str | None, op_name: str | None, defs: list[Any], operands: list[Any]) -> int:
        """Makes an instruction; returns the number of its first new value."""

    def replace_uses(self, name: str, operand: Any) -> None:
        """REPLACE_USES."""

    def replace_all(self, name: str, operands: list[Any]) -> None:
        """REPLACE_ALL."""

    def delete(self, name: str) -> None:
        """DELETE."""

    def act(self, function: Callable[..., object]) -> None:
        """Called as `function(builder, match)` after the rest."""

class NativeRuleSet:
    """
    Rules compiled together; earlier ones go first at an instruction.

    Raises:
        UsageError: A rule is not whole, or two have one name.
    """

    def __init__(self, context: dynomite._native.ir.Context, rules: list[NativeRule]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def tree_size(self) -> int:
        """Nodes of the decision tree."""

class Match:
    """
    What a rule matched, for the function it is given to; over when that returns.
    """

    def __getitem__(self, name: str) -> Any:
        """
        What a name is bound to: an operand as builders take them, a tuple of operands, a number, an instruction, or the name of an operation; None if an alternative left it out.

        Raises:
            KeyError: The rule has no such name.
        """

    @property
    def root(self) -> dynomite._native.ir.InstrRef:
        """The instruction it was found at."""

    @property
    def rule(self) -> str:
        """The name of the rule."""

    @property
    def names(self) -> list[str]:
        """The names of the rule."""

def apply(builder: dynomite._native.ir.Builder, rules: NativeRuleSet, *, order: str = 'greedy', max_rounds: int = 1000, limit: int | None = None, within: dynomite._native.ir.InstrRef | None = None, watcher: Callable[[str, str, str], object] | None = None, stop: dynomite._native.base.Stop | None = None) -> dict[str, Any]:
    """Applies rules; see `dynomite.rewriting.driver`."""

def matches(rules: NativeRuleSet, instr: dynomite._native.ir.InstrRef, *, most: int = 1) -> list[tuple[str, dict[str, Any]]]:
    """
    Rules that match at an instruction and what names are bound to, up to `most` matches of each; conditions that Python decides are left out.
    """

def aig_matches(rules: NativeRuleSet, aig: dynomite._native.aig.Aig, *, stop: dynomite._native.base.Stop | None = None) -> list[tuple[int, str, dict[str, list[int]]]]:
    """
    The first match of each rule at each literal of an AIG: the literal, the rule, the literals that names are bound to; see `dmt_dialect.rewriting.aig_matching`. Without the GIL.
    """
