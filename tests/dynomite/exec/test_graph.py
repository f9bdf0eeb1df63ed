"""Execution graphs through the command line: what is printed, what stays, and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dynomite.errors import ParseError, UsageError, VerifyError
from dynomite.tools.exec_command import command

CODE = """
dialect demo {
  let word = type { let params = list { %width:core.unsigned } }
  let IN = core.instr { let defs = 1 }
  let ADD = core.instr { let defs = 1; let uses = 2; let pure = true; let commutative = true }
  let USE = core.instr { let uses = 1; let variadic = true }
}
let prog = CFG {
  demo.IN %a:def(demo.word(32))
  demo.IN %z:def(demo.word(32))
  demo.ADD %b:def(demo.word(32)) %a %z
  demo.ADD %c:def(demo.word(32)) %z %a
  demo.ADD %e:def(demo.word(32)) %c %a
  demo.USE %b %c
}
let other = CFG {
  demo.IN %a:def(demo.word(32))
  demo.ADD %b:def(demo.word(32)) %a %a
}
"""


def run(tmp_path: Path, graph: str, *options: str) -> Result:
    file = tmp_path / "t.dyn"
    file.write_text(CODE + graph)
    return CliRunner().invoke(command, [str(file), *options], standalone_mode=False, catch_exceptions=True)


def test_steps_work_on_what_they_name(tmp_path: Path) -> None:
    steps = (
        "core.exec.cse def(%a) %prog\n core.exec.dce def(%b) %a\n core.exec.print %b\n core.exec.print %other"
    )
    result = run(tmp_path, f"let test = ExecutionGraph {{\n {steps}\n}}\n", "-q")
    assert result.exception is None, result.exception
    assert result.stdout == (
        "let prog = CFG {\n"
        "  demo.IN %a:def(demo.word(32))\n"
        "  demo.IN %z:def(demo.word(32))\n"
        "  demo.ADD %b:def(demo.word(32)) %a %z\n"
        "  demo.USE %b %b\n"
        "}\n"
        "let other = CFG {\n"
        "  demo.IN %a:def(demo.word(32))\n"
        "  demo.ADD %b:def(demo.word(32)) %a %a\n"
        "}\n"
    )


def test_attributes_are_parameters(tmp_path: Path) -> None:
    graph = "let test = ExecutionGraph {\n core.exec.cse def(%a) %prog {commutative = 0}\n}\n"
    result = run(tmp_path, graph, "--json")
    assert result.exception is None, result.exception
    (step,) = json.loads(result.stdout)
    assert step["pass"] == "cse"
    assert step["changed"] is False
    assert step["stats"]["merged"] == 0


def test_the_whole_module_without_an_operand(tmp_path: Path) -> None:
    steps = "core.exec.dce def(%a)\n core.exec.verify def(%b)\n core.exec.print"
    graph = f"let test = ExecutionGraph {{\n {steps}\n}}\n"
    result = run(tmp_path, graph, "-q")
    assert result.exception is None, result.exception
    assert result.stdout.count("demo.ADD") == 2
    assert "let test = ExecutionGraph" in result.stdout


def test_one_of_several_graphs(tmp_path: Path) -> None:
    graph = "let one = ExecutionGraph {}\nlet two = ExecutionGraph {\n core.exec.dce def(%a)\n}\n"
    assert isinstance(run(tmp_path, graph).exception, UsageError)
    assert isinstance(run(tmp_path, graph, "--graph", "three").exception, UsageError)
    result = run(tmp_path, graph, "--graph", "two", "--json")
    assert [step["pass"] for step in json.loads(result.stdout)] == ["dce"]


@pytest.mark.parametrize(
    ("step", "error", "message"),
    [
        ("core.exec.csee def(%a)", ParseError, "core.exec.cse"),
        ("demo.IN %a:def(demo.word(1))", UsageError, "no step"),
        ("core.exec.cse def(%a) {x = 1}", UsageError, "has no parameter 'x'"),
        ("core.exec.cse def(%a) {commutative = 7}", UsageError, "is true or false"),
        ("core.exec.print %prog %other", UsageError, "takes one operand"),
        ('core.exec.print "prog"', UsageError, "names no code"),
    ],
)
def test_bad_steps(tmp_path: Path, step: str, error: type[Exception], message: str) -> None:
    result = run(tmp_path, f"let test = ExecutionGraph {{\n {step}\n}}\n")
    assert isinstance(result.exception, error)
    assert message in str(result.exception)


def test_a_failing_step_is_named(tmp_path: Path) -> None:
    graph = "let test = ExecutionGraph {\n core.exec.verify def(%a)\n}\n"
    late = "let bad = CFG {\n demo.USE %y\n demo.IN %y:def(demo.word(1))\n}\n"
    result = run(tmp_path, late + graph)
    # The parser may find it first; whoever does names the place.
    assert isinstance(result.exception, (VerifyError, ParseError))
    assert "t.dyn:" in str(result.exception)


def test_a_missing_file() -> None:
    result = CliRunner().invoke(command, ["nowhere.dyn"], standalone_mode=False)
    assert isinstance(result.exception, UsageError)
