"""Caching: hits by content, on disk too, damaged entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynomite import Aig
from dynomite.errors import UsageError
from dynomite.exec import Cache, Options, Report, run_plan
from dynomite.exec.cache import decode, encode
from dynomite.ir import InstrRef
from tests.support.exec_probes import calls
from tests.support.exec_runs import plan_of

STEPS = 'probe.exec.call def(%a) "one"\nprobe.exec.call def(%b) "one" %a\nprobe.exec.call def(%c) "one"\n'


def run(cache: Cache, steps: str = STEPS) -> Report:
    calls.clear()
    return run_plan(plan_of(steps), Options(jobs=1, cache=cache))


def states(report: Report) -> list[str]:
    return [record.state for record in report.records]


def test_equal_steps_run_once() -> None:
    cache = Cache()
    assert states(run(cache)) == ["done", "done", "cached"]
    assert len(calls) == 2
    report = run(cache)
    assert states(report) == ["cached"] * 3
    assert not calls
    assert report.results == {"a": 3, "b": 3, "c": 3}
    assert (cache.hits, cache.misses) == (4, 2)


def test_entries_on_disk_serve_other_runs(tmp_path: Path) -> None:
    run(Cache(tmp_path / "c"))
    assert states(run(Cache(tmp_path / "c"))) == ["cached"] * 3
    assert not calls


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "other key", "magic"])
def test_damaged_entries_are_noticed(tmp_path: Path, damage: str) -> None:
    run(Cache(tmp_path))
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert len(files) == 2
    for number, path in enumerate(files):
        data = path.read_bytes()
        path.write_bytes(
            {
                "flip": data[:-1] + bytes([data[-1] ^ 1]),
                "cut": data[:-1],
                "empty": b"",
                "other key": files[1 - number].read_bytes() if number == 0 else data[:-1],
                "magic": b"X" + data[1:],
            }[damage]
        )
    cache = Cache(tmp_path)
    report = run(cache)
    assert states(report) == ["done", "done", "cached"]
    assert cache.damaged == 2
    assert any("damaged" in note for record in report.records for note in record.notes)
    assert states(run(Cache(tmp_path))) == ["cached"] * 3


def test_code_counts_by_content(tmp_path: Path) -> None:
    steps = (
        "probe.exec.call def(%a) %prog\nprobe.exec.mark def(%m) %prog\n"
        "probe.exec.call def(%b) %prog\nprobe.exec.call def(%c) %other\n"
    )
    report = run(Cache(tmp_path), steps)
    # %other has another name; %prog after the mark another content.
    assert states(report) == ["done"] * 4
    assert states(run(Cache(tmp_path), steps)) == ["cached", "done", "cached", "cached"]


def test_circuits_keep_everything() -> None:
    aig = Aig()
    a, b = aig.add_input("a"), aig.add_input("b")
    aig.add_output(aig.and_(a, b), "y")
    data = encode(aig)
    assert data is not None
    assert encode(decode(data)) == data
    assert decode(data).stats() == aig.stats()


def test_what_has_no_codec_is_not_kept() -> None:
    assert encode(object()) is None
    assert encode(InstrRef) is None


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="no folder for a cache"):
        Cache(tmp_path / "file")
