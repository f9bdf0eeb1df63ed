"""The pass and the command that apply rules: the same circuit, limits, traces, messages."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from dmt_dialect.passes.check_equiv import lec
from dmt_dialect.passes.rewrite import Rewrite, RewriteParams
from dmt_dialect.rewriting.libraries import library_names
from dynomite.errors import LimitError, ParseError, UsageError
from dynomite.ir import Context, Module, parse, print_module, same_module
from dynomite.passes.pipeline import Pipeline
from dynomite.passes.verify import verify
from dynomite.tools.cli import main
from hw_dialect.builder import context
from hw_dialect.elaborate import lower
from tests.support.word_modules import random_design

SOURCE = """\
using op
using hw
MODULE @m {
  IN %a:def(wire(8))
  IN %b:def(wire(8))
  ADD %s:def(wire(8)) %a constant(0, 8)
  MUL %p:def(wire(8)) %s constant(8, 8)
  NOT %n:def(wire(8)) %p
  NOT %q:def(wire(8)) %n
  XOR %x:def(wire(8)) %q %b
  OUT "y" %x
}
"""
PINGPONG = """\
using op
let ping = InstrPat { match { AND %d:def, %x, %y } emit { OR %d, %x, %y } }
let pong = InstrPat { match { OR %d:def, %x, %y } emit { AND %d, %x, %y } }
"""


def module(text: str = SOURCE) -> Module:
    return parse(text, context())


def test_a_module_gets_smaller() -> None:
    code = module()
    result = Rewrite(RewriteParams())(code)
    verify(code)
    assert result.changed
    assert result.stats["rule add_zero"] == result.stats["rule mul_power_of_two"] == 1
    assert "op.MUL" not in print_module(code)
    assert "op.NOT" not in print_module(code)
    assert lec(lower(module()), lower(code)).status == "equivalent"
    again = Rewrite(RewriteParams())(code)
    assert not again.changed
    assert again.stats["applied"] == 0


@pytest.mark.parametrize("library", library_names())
@pytest.mark.parametrize("driver", ["greedy", "sweep-down", "sweep-up"])
@pytest.mark.parametrize("seed", range(12))
def test_random_modules_stay_equal(library: str, driver: str, seed: int) -> None:
    design = random_design(random.Random(seed), operators=40, folding=False, registers=seed % 2)
    before = lower(design)
    result = Rewrite(RewriteParams(rules=library, driver=driver))(design.ir)
    verify(design.ir)
    assert lec(before, lower(design)).status == "equivalent", dict(result.stats)
    assert not Rewrite(RewriteParams(rules=library, driver=driver))(design.ir).changed


def test_pipeline(tmp_path: Path) -> None:
    path = tmp_path / "own.rules"
    path.write_text(
        "using op\nlet r = InstrPat { match { NOT %d:def, (NOT %x) } emit { REPLACE_USES %d, %x } }"
    )
    code = module()
    steps = Pipeline.parse(f'rewrite(rules="{path}"); rewrite(rules=words, limit=1); cse').run(code)
    assert steps[0].result.stats["rule r"] == 1
    assert steps[1].result.stats["applied"] == 1
    assert steps[1].result.notes == ("the limit of applications was met",)


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no order 'random'"):
        Rewrite(RewriteParams(driver="random"))(module())
    with pytest.raises(UsageError, match="there are boolean, smt, words"):
        Rewrite(RewriteParams(rules="nothing"))(module())
    path = tmp_path / "f.rules"
    path.write_text("let r = InstrPat { }")
    with pytest.raises(ParseError, match="a rule needs 'match'"):
        Rewrite(RewriteParams(rules=str(path)))(module())
    path.write_text(PINGPONG)
    with pytest.raises(LimitError, match=r"do not settle after .*'ping'"):
        Rewrite(RewriteParams(rules=str(path)))(module(SOURCE.replace("XOR", "AND")))


def test_modules_without_words() -> None:
    assert not Rewrite(RewriteParams())(Module(Context())).changed


def run(*arguments: object) -> int:
    return main(["rewrite", *map(str, arguments)])


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in.dyno", tmp_path / "out.dyno"
    source.write_text(SOURCE)
    assert run(source, target, "--rules", "words", "--trace") == 0
    captured = capsys.readouterr()
    assert re.search(r"\d applications, \d operations dropped", captured.out)
    assert "add_zero" in captured.out
    assert "- " in captured.err
    assert "op.ADD" in captured.err
    assert lec(str(source), str(target)).status == "equivalent"
    assert run(source, target, "--rules", "words", "--json", "--rewrite-limit", 1) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["total"] == 1
    assert data["end"] == "limit"
    assert run(source, target, "--rules", "words", "--rewrite-limit", 0) == 0
    assert same_module(parse(target.read_text(), context()), module())
    assert run(source, "-", "--rules", "words") == 0
    assert "MODULE @m" in capsys.readouterr().out


def test_command_with_rules_in_the_module(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in.dyno", tmp_path / "out.dyno"
    own = "let r = InstrPat { match { NOT %d:def, (NOT %x) } emit { REPLACE_USES %d, %x } }\n"
    source.write_text(SOURCE.replace("MODULE", own + "MODULE", 1))
    assert run(source, target) == 0
    assert "1 applications" in capsys.readouterr().out
    assert "let r = InstrPat" in target.read_text()
    source.write_text(SOURCE)
    assert run(source, target) == 2
    assert "has no rules" in capsys.readouterr().err


def test_command_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rules that never settle (row r-ir-pingpong of the shared cases) are named, nothing is written."""
    source, target, rules = tmp_path / "in.dyno", tmp_path / "out.dyno", tmp_path / "f.rules"
    source.write_text(SOURCE.replace("XOR", "AND"))
    rules.write_text(PINGPONG)
    assert run(source, target, "--rules", rules) == 2
    assert "do not settle" in capsys.readouterr().err
    assert not target.exists()
    assert run(source, "-", "--rules", "words", "--json") == 2
    assert run(tmp_path / "missing.dyno", target, "--rules", "words") == 2
    assert run(source, target, "--rules", "missing.rules") == 2


def test_command_saturates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in.dyno", tmp_path / "out.dyno"
    source.write_text(SOURCE)
    assert run(source, target, "--rules", "words", "--saturate", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["end"] == "saturated"
    assert data["applied"]["add_zero"] == 1
    assert data["not_applicable"]["add_regroup"] == "counts uses"
    assert data["cost_after"] <= data["cost_before"]
    assert lec(str(source), str(target)).status == "equivalent"
    assert run(source, target, "--rules", "words", "--saturate", "--cost", "levels", "--max-nodes", 1) == 0
    printed = capsys.readouterr().out
    assert "rules are not applicable" in printed
    assert re.search(r"cost \d+ -> \d+, \d+ operations", printed)
    assert run(source, target, "--rules", "words", "--saturate", "--ignore-use-counts", "--json") == 0
    assert "add_regroup" not in json.loads(capsys.readouterr().out)["not_applicable"]
    assert run(source, target, "--rules", "words", "--saturate", "--trace") == 2
    assert run(source, target, "--rules", "words", "--cost", "ands") == 2
    assert "need --saturate" in capsys.readouterr().err
