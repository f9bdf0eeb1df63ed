"""Proofs of rules: wrong ones are found, what cannot be known is said, the libraries are proved."""

from __future__ import annotations

import importlib
import json
import random
from typing import Any

import pytest

from dmt_dialect.bitblast import BitVec, evaluate
from dmt_dialect.ops import OP
from dmt_dialect.rewriting.backends import Terms, Values
from dmt_dialect.rewriting.libraries import library_names, load_library, load_rules, read_rules
from dmt_dialect.rewriting.proving import RuleReport, check_rule
from dynomite._native.base import Stop
from dynomite.errors import UsageError
from dynomite.rewriting.functions import register_function
from dynomite.tools.cli import main


def report(body: str) -> RuleReport:
    return check_rule(read_rules(f"using op\nlet r = InstrPat {{ {body} }}\n").rules[0])


def always(*values: object) -> bool:
    return bool(values)


register_function("test_proving.always", always)

WRONG = [
    "match { ADD %d:def, %x, %x } emit { REPLACE_USES %d, %x }",
    "match { SUB %d:def, %x, %y } emit { SUB %d, %y, %x }",
    "match { UDIV %d:def, %x, %x } emit { REPLACE_USES %d, constant(1) }",
    "match { SDIV %d:def, %x, constant(-1) } emit { REPLACE_USES %d, %x }",
    "match { SHL %d:def, %x, constant(%k) } emit { MUL %d, %x, constant(2 * %k) }",
    "match { MUL %d:def, %x, constant(%c) } emit { SHL %d, %x, constant(1) }",
    "match { ASHR %d:def, %x, constant(%k) } emit { LSHR %d, %x, constant(%k) }",
    "match { SLT %d:def, %x, %y } emit { ULT %d, %x, %y }",
    "match { NOT %d:def, (AND %x, %y) } emit { AND %d, (NOT %x), (NOT %y) }",
    "match { MUX %d:def, %s, %x, %y } emit { MUX %d, %s, %y, %x }",
    "match { CONCAT %d:def, %x, %y } if { width(%x) == width(%y) } emit { CONCAT %d, %y, %x }",
    "match { SLICE %d:def, (SLICE %x, ., constant(%k)), constant(%h), constant(%l) } "
    "emit { SLICE %d, %x, number(%h), number(%l) }",
    "match { ADD %d:def, %xs:.+ / constant(0) } if { count(%xs) == 2 } emit { SUB %d, %xs }",
    "match { AND %d:def, %x, constant(%c) } if { power_of_two(%c) } emit { REPLACE_USES %d, constant(0) }",
    "match { UDIV %d:def, %x, constant(%c) } if { %c != 3 } emit { REPLACE_USES %d, constant(%c) }",
    "match { ADD %d:def, (SUB %x, %y), %z } emit { SUB %d, %x, %z }",
    "match { UREM %d:def, %x, constant(%c) } if { power_of_two(%c) } emit { AND %d, %x, constant(%c) }",
    "match { ADD %d:def(bits(40)), %x, constant(%c) } if { %c > 1099511627774 } emit { REPLACE_USES %d, %x }",
    "match { MUL %d:def, %x, constant(%c) } if { %c > 70000 && power_of_two(%c) } "
    "emit { SHL %d, %x, constant(3, 9) }",
]  # fmt: skip


@pytest.mark.parametrize("body", WRONG)
def test_wrong_rules_are_found(body: str) -> None:
    found = report(body)
    assert found.status == "wrong"
    assert found.counterexample is not None
    assert found.counterexample.left != found.counterexample.right
    assert "the match computes" in str(found.counterexample)


def test_a_counterexample_shows_values() -> None:
    found = report("match { ADD %d:def, %x, constant(%c) } if { %c == 2 } emit { REPLACE_USES %d, %x }")
    assert found.counterexample is not None
    x, width = found.counterexample.values["x"]
    assert found.counterexample.left == (x + 2) % (1 << width)
    assert found.counterexample.right == x


def test_rules_that_hold_only_up_to_8_bits_are_found() -> None:
    found = report("match { MUL %d:def, %x, %y } if { width(%x) > 16 } emit { ADD %d, %x, %y }")
    assert found.status == "wrong"
    assert found.counterexample is not None
    assert min(found.counterexample.widths.values()) > 16


UNDECIDED = [
    ("match { ADD %d:def, %x, %y } do { call \"test_proving.always\"() }", "calls a Python function"),
    ("match { ADD %d:def, %x, %y } if { call \"test_proving.always\"(%x) } emit { REPLACE_USES %d, %x }",
     "depends on a Python condition"),
    ("match { core.GRAPH %x:.* } emit { core.GRAPH %x }", "computes no word"),
    ("match { LUT %d:def, %x, %x } emit { REPLACE_USES %d, %x }", "op.LUT is not supported"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "reason"), UNDECIDED)
def test_what_cannot_be_known_is_said(body: str, reason: str) -> None:
    found = report(body)
    assert found.status == "undecided"
    assert reason in found.reason


def test_python_conditions_do_not_matter_to_rules_that_hold_anyway() -> None:
    body = "match { ADD %d:def, %x, constant(0) } if { CALL } emit { REPLACE_USES %d, %x }"
    assert report(body.replace("CALL", 'call "test_proving.always"(%x)')).status == "proved"


def test_a_stopped_run_is_undecided() -> None:
    stop = Stop()
    stop.cancel()
    rule = read_rules(
        "using op; let r = InstrPat { match { ADD %d:def, %x, %y } emit { ADD %d, %y, %x } }"
    ).rules[0]
    assert check_rule(rule, stop=stop).status == "undecided"


def _library_rules() -> list[tuple[str, str]]:
    return [(name, rule.name) for name in library_names() for rule in load_library(name).rules]


@pytest.mark.parametrize(("library", "name"), _library_rules())
def test_library_rules_are_proved(library: str, name: str) -> None:
    rule = next(rule for rule in load_library(library).rules if rule.name == name)
    found = check_rule(rule)
    assert found.status == "proved", (found.reason, found.counterexample)
    assert found.small_cases > 0
    assert found.large_cases > 0 or name == "reduce_one_bit", "it is about one bit only"


def test_libraries_are_large_enough() -> None:
    assert len(load_library("words").rules) >= 80


def test_loading() -> None:
    assert load_rules("boolean") == load_library("boolean")
    with pytest.raises(UsageError, match="there are boolean, smt, words"):
        load_rules("nothing")
    with pytest.raises(UsageError, match="there are boolean, smt, words"):
        load_library("nothing")


def _forms(name: str, rng: random.Random) -> tuple[list[int], int, int, int]:
    """Widths of operands, width of the result, bounds."""
    w, v = rng.randint(1, 9), rng.randint(1, 9)
    if name in ("REDAND", "REDOR", "REDXOR", "NEGO"):
        return [w], 1, 0, 0
    if name in ("NEG", "ABS", "NOT"):
        return [w], w, 0, 0
    if name in ("SHL", "LSHR", "ASHR", "ROL", "ROR"):
        return [w, v], w, 0, 0
    if name == "INDEX":
        return [w, v], 1, 0, 0
    if name == "SLICE":
        low = rng.randrange(w)
        high = rng.randrange(low, w)
        return [w], high - low + 1, high, low
    if name == "CONCAT":
        return [w, v, w], 2 * w + v, 0, 0
    if name in ("ZEXT", "SEXT"):
        return [w], w + v, 0, 0
    if name == "REPEAT":
        return [w], 3 * w, 0, 0
    if name == "MUX":
        return [1, w, w], w, 0, 0
    if name in ("SMULW", "UMULW"):
        return [w, w], 2 * w, 0, 0
    same = OP_BY_NAME[name].traits
    return [w, w], w if "same_type" in same else 1, 0, 0


OP_BY_NAME = {op.name: op for op in OP.ops}
COMPUTING = [op.name for op in OP.ops if op.defs == 1 and op.name != "LUT"]


@pytest.mark.parametrize("name", COMPUTING)
def test_terms_of_z3_compute_the_same(name: str) -> None:
    """Every operator: z3's term on constants has the value of the table."""
    rng = random.Random(name)
    z3: Any = importlib.import_module("z3")
    terms = Terms()
    for _ in range(60):
        widths, result, high, low = _forms(name, rng)
        values = [rng.choice((0, (1 << w) - 1, 1 << (w - 1), rng.getrandbits(w))) % (1 << w) for w in widths]
        number = {"REPEAT": result // widths[0], "ZEXT": result, "SEXT": result}.get(name, 0)
        words = [BitVec(value, width) for value, width in zip(values, widths, strict=True)]
        expected = evaluate(name, *words, hi=high, lo=low, number=number)
        assert Values({}).apply(name, words, result, high, low) == expected
        term = terms.apply(
            name, [z3.BitVecVal(v, w) for v, w in zip(values, widths, strict=True)], result, high, low
        )
        assert term.size() == result
        assert z3.simplify(term).as_long() == int(expected), (name, words)


def test_command(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    good = "let g = InstrPat { match { ADD %d:def, %x, constant(0) } emit { REPLACE_USES %d, %x } }\n"
    bad = "let b = InstrPat { match { SUB %d:def, %x, %y } emit { SUB %d, %y, %x } }\n"
    odd = 'let o = InstrPat { match { MUL %d:def, %x, %y } do { call "test_proving.always"() } }\n'
    wrong = "let w = InstrPat { match { SUB %d:def, %x, %y } emit { SUB %d, %z, %x } }\n"
    for text, status in ((good, 0), (good + bad, 1), (good + odd, 3), (good + odd + bad, 1), (wrong, 2)):
        path = tmp_path / "f.rules"
        path.write_text("using op\n" + text, "utf-8")
        assert main(["check-rules", str(path)]) == status
        captured = capsys.readouterr()
        if status == 1:
            assert f"{path}:" in captured.out
            assert "the match computes" in captured.out
        if status == 2:
            assert f"dynomite: {path}:2:" in captured.err
        if status < 2:
            assert main(["check-rules", str(path), "--json"]) == status
            data = json.loads(capsys.readouterr().out)
            assert data["proved"] == 1
            assert data["wrong"] == status
    assert main(["check-rules", "boolean", "--only", "not_not"]) == 0
    assert main(["check-rules", "boolean", "--only", "nothing"]) == 2
    assert main(["check-rules", str(tmp_path / "missing.rules")]) == 2
    assert main(["check-rules", "missing"]) == 2
