"""Runs lit over this folder: the RUN lines of `run/*.dyn`, through the command line."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


@pytest.mark.skipif(importlib.util.find_spec("lit") is None, reason="the package lit is not installed")
@pytest.mark.skipif(
    importlib.util.find_spec("filecheck") is None and shutil.which("filecheck") is None,
    reason="the package filecheck is not installed",
)
def test_run_lines() -> None:
    command = [sys.executable, "-c", "from lit.main import main; main()", "-v", "-j", "2", str(FOLDER)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"Passed: {len(list((FOLDER / 'run').glob('*.dyn')))}" in run.stdout
