"""`dynomite exec` and `dyno-cli`: what is printed, exit statuses, reproducers, Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dynomite.tools import dyno_cli
from dynomite.tools.cli import Exit, main
from dynomite.tools.dyno_cli import translate
from tests.support.command import run_command
from tests.support.patience import patience
from tests.support.shared_data import REPOSITORY

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
CIRCUITS = f"""
  core.exec.read def(%a) "{REPOSITORY}/examples/adder_ripple.aag"
  core.exec.read def(%b) "{REPOSITORY}/examples/adder_kogge_stone.blif"
  core.exec.read def(%c) "{REPOSITORY}/examples/adder_buggy.blif"
"""


def write(folder: Path, steps: str, code: str = CODE, graph: str = "test") -> str:
    file = folder / "t.dyno"
    file.write_text(f"{code}let {graph} = ExecutionGraph {{\n{steps}\n}}\n")
    return str(file)


@pytest.mark.parametrize("jobs", ["1", "2", "8"])
def test_steps_work_on_what_they_name(tmp_path: Path, capsys: pytest.CaptureFixture[str], jobs: str) -> None:
    file = write(
        tmp_path,
        "core.exec.cse def(%a) %prog\n core.exec.dce def(%b) %a\ncore.exec.print %b\n core.exec.print %other",
    )
    assert main(["exec", file, "-q", "-j", jobs]) == Exit.YES
    done = capsys.readouterr()
    assert done.out == (
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
    assert done.err == ""


def test_counts_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, "core.exec.cse def(%a) %prog {commutative = 0}")
    assert main(["exec", file, "--json"]) == Exit.YES
    data = json.loads(capsys.readouterr().out)
    assert data["graph"] == "test"
    assert data["steps"][0]["stats"] == {"visited": 6, "merged": 0}
    assert main(["exec", file]) == Exit.YES
    assert capsys.readouterr().err == "core.exec.cse: visited 6, merged 0\n"
    assert main(["exec", file, "--stats"]) == Exit.YES
    assert "1: core.exec.cse: visited 6" in capsys.readouterr().err


def test_the_plan_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, "core.exec.cse def(%a) %prog\ncore.exec.cse def(%b) %a\ncore.exec.print %b")
    assert main(["exec", file, "--plan"]) == Exit.YES
    assert capsys.readouterr().out.splitlines() == [
        "1: core.exec.cse",
        "2: core.exec.print after 1",
        "dropped core.exec.cse: it repeats what was done, and nothing was written between",
    ]


@pytest.mark.parametrize(
    "arguments", [[], ["--graph", "three"], ["--scheduler", "tcp://x"], ["--load", "no.such"]]
)
def test_bad_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    file = write(tmp_path, "", CODE + "let two = ExecutionGraph {\n core.exec.dce def(%a) %prog\n}\n")
    graph = ["--graph", "two"] if arguments[:1] in (["--scheduler"], ["--load"]) else []
    assert main(["exec", file, *arguments, *graph]) == Exit.BAD_INPUT
    assert capsys.readouterr().err.startswith("dynomite: error: ")


def test_errors_show_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, "  core.exec.cse def(%a) %prog {x = 1}")
    assert main(["exec", file]) == Exit.BAD_INPUT
    assert capsys.readouterr().err.splitlines() == [
        f"dynomite: {file}:21:3: error: building @test, step 1: core.exec.cse: "
        "core.exec.cse has no parameter 'x' (there are: commutative)",
        "      core.exec.cse def(%a) %prog {x = 1}",
        "      ^",
    ]


@pytest.mark.parametrize(
    ("steps", "status", "text"),
    [
        ("dmt.exec.lec def(%r) %a %b\ncore.exec.print %r", Exit.YES, "equivalent: 9 outputs\n"),
        ('dmt.exec.lec def(%r) %a %c\ncore.exec.expect %r "different"', Exit.DIFFERENT, ""),
        ("dmt.exec.AIG_SWEEP def(%s) %b\ndmt.exec.lec def(%r) %s %a\ncore.exec.expect %r", Exit.YES, ""),
        ('dmt.exec.stats def(%s) %b\ncore.exec.expect %s "x"', Exit.BAD_INPUT, ""),
    ],
)
def test_verdicts_and_the_exit_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], steps: str, status: Exit, text: str
) -> None:
    file = write(tmp_path, CIRCUITS + steps, "")
    assert main(["exec", file, "-q", "--reproducer", str(tmp_path / "r.dyno")]) == status
    assert capsys.readouterr().out == text


def test_writing_circuits(tmp_path: Path) -> None:
    steps = f'core.exec.write %b "{tmp_path}/x.aig"\ncore.exec.read def(%x) "{tmp_path}/x.aig"\n'
    file = write(tmp_path, CIRCUITS + steps + "dmt.exec.lec def(%r) %x %a\ncore.exec.expect %r", "")
    assert main(["exec", file, "-q", "-j", "4"]) == Exit.YES


def test_results_are_cached_on_disk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, CIRCUITS + "dmt.exec.lec def(%r) %a %c\ncore.exec.print %r", "")
    cache = str(tmp_path / "cache")
    assert main(["exec", file, "--cache", cache]) == Exit.DIFFERENT
    first = capsys.readouterr()
    assert main(["exec", file, "--cache", cache, "--json"]) == Exit.DIFFERENT
    again = capsys.readouterr().out
    assert again.startswith(first.out)
    steps = json.loads(again.splitlines()[-1])["steps"]
    assert [step["state"] for step in steps] == ["done", "done", "done", "cached", "done"]


def test_a_reproducer_runs_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = CIRCUITS + (
        "core.exec.cse def(%p) %prog\n"
        "dmt.exec.AIG_SWEEP def(%s) %b\n"
        "dmt.exec.lec def(%r) %s %c {seed = 7}\n"
        'core.exec.expect %r "equivalent"\n'
        "core.exec.until_converge def(%l) %p 3 {\ncore.exec.dce def(%d) %p\n}\n"
        "core.exec.print %l\n"
    )
    file = write(tmp_path, steps)
    repro = tmp_path / "repro.dyno"
    assert main(["exec", file, "-j", "1", "--reproducer", str(repro)]) == Exit.BAD_INPUT
    err = capsys.readouterr().err
    assert f"note: the reproducer is {repro}" in err
    text = repro.read_text()
    assert text.startswith("// RUN: dynomite exec repro.dyno --graph test -j 1\n")
    assert "// command: " in text
    assert text.count("demo.ADD") == CODE.count("demo.ADD %") - 1, "cse was done already"
    # The verdict cannot be kept, so its consumer is left out; the rest runs.
    assert "left out, its operand is not kept: core.exec.expect" in text
    assert main(["exec", str(repro), "-q"]) == Exit.YES
    assert capsys.readouterr().out.startswith("let prog = CFG")


def test_a_failing_step_fails_again_in_the_reproducer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = CIRCUITS + 'dmt.exec.AIG_SWEEP def(%s) %b\ndmt.exec.lec def(%r) %s %c {match = "no"}\n'
    file = write(tmp_path, steps)
    repro = tmp_path / "repro.dyno"
    assert main(["exec", file, "-q", "-j", "1", "--reproducer", str(repro)]) == Exit.BAD_INPUT
    first = capsys.readouterr().err
    assert "match must be one of" in first
    assert "core.exec.read" in repro.read_text()
    assert (
        main(["exec", str(repro), "-q", "-j", "1", "--reproducer", str(tmp_path / "2.dyno")])
        == Exit.BAD_INPUT
    )
    again = capsys.readouterr().err
    assert "running @test, step 3: dmt.exec.lec: " in again
    assert (
        again.splitlines()[0].partition("match must")[2] == first.splitlines()[0].partition("match must")[2]
    )


def test_timeout_leaves_the_rest(tmp_path: Path) -> None:
    file = write(tmp_path, "core.exec.cse def(%a) %prog")
    assert main(["exec", file, "--timeout", "0", "-q"]) == Exit.UNDECIDED


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_interruption_ends_all_threads(tmp_path: Path, jobs: str) -> None:
    steps = "\n".join(f"probe.exec.sleep def(%s{n}) {n} {{ms = 60000}}" for n in range(4))
    file = write(tmp_path, steps + '\ncore.exec.print "end"', "")
    process = subprocess.Popen(
        [sys.executable, "-m", "dynomite", "exec", file, "-j", jobs, "--load", "tests.support.exec_probes"],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(patience(1.5))
    assert process.poll() is None
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert time.monotonic() - sent < patience(1.0)
    assert process.returncode == Exit.INTERRUPTED
    assert b"Traceback" not in err


def test_dyno_cli() -> None:
    assert translate(["-exec=test", "f.dyno", "-j", "2"]) == ["exec", "--graph", "test", "f.dyno", "-j", "2"]
    assert translate(["-exec", "test", "f.dyno"]) == ["exec", "--graph", "test", "f.dyno"]
    assert translate(["lec", "a", "b"]) == ["lec", "a", "b"]


def test_a_missing_file(tmp_path: Path) -> None:
    outcome = run_command("exec", "nowhere.dyn", folder=tmp_path)
    assert outcome.status == Exit.BAD_INPUT


def test_dyno_cli_says_what_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert dyno_cli.main([]) == Exit.BAD_INPUT
    assert "dyno-cli -exec=GRAPH FILE" in capsys.readouterr().err
    assert dyno_cli.main(["--help"]) == Exit.YES
    assert "dyno-cli -exec=GRAPH FILE" in capsys.readouterr().out
