"""Instruction selection by rewrite rules: `python examples/select_instructions.py`.

The target's instructions are declared in `dsp.rules`, and so is what each of them does. The design in
`filter.dyno` is covered, printed, expanded again and proved equal to what it was.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from dmt_dialect.passes.check_equiv import lec
from dynomite.ir import Module, parse, print_module
from dynomite.rewriting.checks import check_declared
from dynomite.rewriting.driver import Driver, apply_rules
from dynomite.rewriting.ir_form import rules_of
from dynomite.rewriting.syntax import RuleSet
from hw_dialect.builder import context
from hw_dialect.elaborate import lower

HERE = Path(__file__).parent


def main() -> None:
    """Selects, shows, expands and proves."""
    known = context()
    text = (HERE / "dsp.rules").read_text("utf-8")
    sets = rules_of(parse(text, known, path="dsp.rules", locations=True))
    design = (HERE / "filter.dyno").read_text("utf-8")
    module, before = (parse(design, known, path="filter.dyno") for _ in range(2))
    passes: tuple[tuple[str, Driver], ...] = (("select", "sweep-up"), ("expand", "greedy"))
    for name, order in passes:
        rules = sets[name]
        assert isinstance(rules, RuleSet)
        check_declared(rules, known, text)
        apply_rules(module, rules, driver=order).check_settled()
        if name == "select":
            print(print_module(module, declarations=False))
            print(instructions(module))
    verdict = lec(lower(before), lower(module))
    print(f"expanded again: {verdict.status}")
    assert verdict.status == "equivalent"


def instructions(module: Module) -> dict[str, int]:
    """How many instructions of each kind the design has."""
    names = (instr.name for instr in module.instrs())
    return dict(Counter(name for name in names if name.startswith(("dsp.", "op."))).most_common())


if __name__ == "__main__":
    main()
