"""The benchmark of hard pairs: processes are measured and ended, answers are told apart."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

import pytest

from benchmarks.hard_pairs import abc_ways, decided, fastest_of_abc, run_process
from tests.support.shared_data import REPOSITORY

needs_abc = pytest.mark.skipif(shutil.which("berkeley-abc") is None, reason="berkeley-abc is not installed")
RIPPLE, SELECT = (REPOSITORY / "examples" / name for name in ("adder_ripple.aag", "adder_select.aig"))


def test_a_process_is_measured_and_ended() -> None:
    run = run_process([sys.executable, "-c", "x = bytearray(50_000_000); print('done')"], 60)
    assert run is not None
    assert run.text == "done\n"
    assert run.peak_bytes > 50_000_000
    start = time.monotonic()
    assert run_process([sys.executable, "-c", "import time; time.sleep(60)"], 0.2) is None
    assert time.monotonic() - start < 20


def test_answers_are_told_apart() -> None:
    assert decided("fraig", "i/o =   24/    1  lat =    0  and =      0  lev =  0")
    assert not decided("fraig", "i/o =   24/    1  lat =    0  and =     10  lev =  3")
    assert decided("cec", "Networks are equivalent.  Time = 0.1 sec")
    assert not decided("cec", "Networks are UNDECIDED.")


@needs_abc
def test_abc_decides_an_easy_pair(tmp_path: Path) -> None:
    copy = tmp_path / "ripple.aig"
    import dynomite

    dynomite.write(dynomite.read(RIPPLE), copy)
    assert len(abc_ways(copy, SELECT)) == 3
    found = fastest_of_abc(copy, SELECT, 30)
    assert found is not None
    assert found[1] < 30
