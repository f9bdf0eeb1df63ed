"""The command line as a whole: exit statuses, messages, help, start-up time."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

import dynomite
from dynomite.tools import cli
from dynomite.tools.cli import COMMANDS, Exit, main
from tests.support.command import run_command
from tests.support.patience import patience
from tests.support.shared_data import REPOSITORY

Capture = pytest.CaptureFixture[str]


def test_version(capsys: Capture) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"dynomite {dynomite.__version__}\n"
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == dynomite.__version__


def test_version_is_quick_and_loads_nothing_heavy() -> None:
    program = (
        "import sys\nfrom dynomite.tools.cli import main\nmain(['--version'])\n"
        "heavy = {'numpy', 'rich', 'networkx', 'pysat', 'z3', 'dd', 'dmt_dialect', 'hw_dialect',"
        " 'dynomite._native'}\nsys.exit(bool(heavy & set(sys.modules)))"
    )
    times: list[float] = []
    for _ in range(5):
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, check=False
        )
        times.append(time.perf_counter() - start)
        assert done.returncode == 0, done.stderr
    # The interpreter itself is a part of this time.
    assert min(times) < patience(0.15)


def test_help_of_every_verb(capsys: Capture) -> None:
    assert main(["--help"]) == 0
    overview = capsys.readouterr().out
    for verb in COMMANDS:
        assert f"\n  {verb} " in overview
        assert main([verb, "--help"]) == 0
        text = capsys.readouterr().out
        assert f"dynomite {verb} " in text.replace("Usage: ", "", 1), "an example"
        assert "Usage: dynomite " in text
    for verb in ("lec", "convert", "stats", "sweep"):
        main([verb, "--help"])
        text = capsys.readouterr().out
        assert "Example" in text
        assert "Exit status: 0 " in text


def test_no_verb_shows_help_and_fails(capsys: Capture) -> None:
    assert main([]) == Exit.BAD_INPUT
    streams = capsys.readouterr()
    assert streams.out == ""
    assert "Usage: dynomite" in streams.err
    assert "error:" not in streams.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["prove"], "No such command 'prove'"),
        (["lec"], "Missing argument 'A'"),
        (["lec", "a.aig"], "Missing argument 'B'"),
        (["lec", "--engine", "magic", "a", "b"], "'magic' is not one of"),
        (["lec", "--timeout", "-1", "a", "b"], "'--timeout'"),
        (["lec", "--frobnicate", "a", "b"], "No such option '--frobnicate'"),
        (["lec", "no.aig", "no.aig"], "no.aig: No such file"),
        (["lec", "file.txt", "file.txt"], "unknown suffix '.txt'"),
        (["stats", "no.blif"], "no.blif: No such file"),
        (["convert", "no.aig", "-"], "the format of standard input or output must be given"),
        (["sweep", "no.aig", "out.txt"], "unknown suffix '.txt'"),
    ],
)
def test_bad_usage(arguments: list[str], message: str, capsys: Capture) -> None:
    assert main(arguments) == Exit.BAD_INPUT
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith("dynomite: ")
    assert "error: " in streams.err
    assert message in streams.err


def test_bad_input_names_the_place_and_shows_the_line(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "bad.aag"
    path.write_text("aag 3 2 0 1 1\n2\n4\n6\n6 2 99\n")
    for verb in (
        ["lec", str(path), str(path)],
        ["stats", str(path)],
        ["sweep", str(path), str(tmp_path / "x.aig")],
    ):
        assert main(verb) == Exit.BAD_INPUT
        lines = capsys.readouterr().err.splitlines()
        assert lines[0].startswith(f"dynomite: {path}:5:")
        assert "error:" in lines[0]
        assert lines[1].strip() == "6 2 99"
    assert not (tmp_path / "x.aig").exists()


def test_a_bug_is_reported_as_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("never mind")

    monkeypatch.setattr(dynomite, "lec", broken, raising=False)
    assert main(["lec", "a", "b"]) == Exit.BUG == 70
    text = capsys.readouterr().err
    assert "internal error, please report it: ZeroDivisionError: never mind" in text
    assert "Traceback" not in text
    assert main(["--debug", "lec", "a", "b"]) == Exit.BUG
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status"), [(KeyboardInterrupt, Exit.INTERRUPTED), (MemoryError, Exit.UNDECIDED)]
)
def test_other_ends(
    error: type[BaseException], status: Exit, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def ends(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(dynomite, "lec", ends, raising=False)
    assert main(["lec", "a", "b"]) == status
    assert capsys.readouterr().err.strip().startswith("dynomite: ")


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "a.aag"
    path.write_text("aag 1 1 0 1 0\n2\n2\n")
    verbs = (["convert", path, "-", "--to", "aag"], ["lec", path, path], ["stats", path], ["--help"])
    for arguments in verbs:
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            [sys.executable, "-m", "dynomite", *map(str, arguments)],
            cwd=REPOSITORY,
            stdout=writer,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
        os.close(writer)
        assert done.stderr == b""
        assert done.returncode == Exit.CLOSED_PIPE


def test_names_with_odd_bytes(tmp_path: Path) -> None:
    path = tmp_path / "odd.aag"
    path.write_bytes(b"aag 1 1 0 1 0\n2\n3\ni0 a\xff\xc3\xa9 b\no0 \xfe\n")
    other = tmp_path / "other.aag"
    other.write_bytes(path.read_bytes().replace(b"\n3\n", b"\n2\n"))
    outcome = run_command("lec", path, other, folder=tmp_path)
    assert outcome.status == 1
    assert "a\udcffé b=0" in outcome.out
    as_json = run_command("lec", "--json", path, other, folder=tmp_path)
    assert as_json.json()["counterexample"]["inputs"] == {"a\udcffé b": 0}


def test_the_table_of_verbs_is_complete() -> None:
    folder = Path(cli.__file__).parent
    assert {f"dynomite.tools.{path.stem}" for path in folder.glob("*_command.py")} == set(COMMANDS.values())


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    ("verb", "status"), [("--help", 0), ("stats {a}", 0), ("lec {a} {b}", 1), ("solve -", 2)]
)
def test_streams_that_are_closed_already(closed: str, verb: str, status: int) -> None:
    a, b = (REPOSITORY / "examples" / name for name in ("adder_ripple.aag", "adder_buggy.blif"))
    arguments = verb.format(a=shlex.quote(str(a)), b=shlex.quote(str(b)))
    command = f"{shlex.quote(sys.executable)} -m dynomite {arguments} {closed}"
    paths = [str(REPOSITORY), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(command, shell=True, capture_output=True, env=environment, timeout=60, check=False)
    assert done.returncode == status, done.stderr
