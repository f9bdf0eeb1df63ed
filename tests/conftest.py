"""Fixtures of every test: the shared data, one seed a run."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import cast

import hypothesis
import pytest

from tests.support.shared_data import ABSENT, shared_folder

# No limit of time for an example: machines are busy with other work. Set before any test is decorated.
hypothesis.settings.register_profile("dynomite", deadline=None)
hypothesis.settings.load_profile("dynomite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--seed",
        type=int,
        default=int(os.environ.get("DYNOMITE_TEST_SEED", "1")),
        help="seed of the random tests that use the fixture `rng` (default: DYNOMITE_TEST_SEED or 1)",
    )
    parser.addoption(
        "--store",
        choices=("arena", "checked"),
        default=None,
        help="store of the IR's modules where a test asks for none: checked validates every access",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Before anything imports dynomite: modules of the IR get the wanted store."""
    store = cast("str | None", config.getoption("--store"))
    if store is not None:
        os.environ["DYNOMITE_STORE"] = store


def pytest_report_header(config: pytest.Config) -> str:
    folder, store = shared_folder(), os.environ.get("DYNOMITE_STORE", "arena")
    data = folder if folder else "absent"
    return f"dynomite: seed {config.getoption('--seed')}, store {store}, shared data: {data}"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the shared circuits and cases; skips the test when it is absent."""
    folder = shared_folder()
    if folder is None:
        pytest.skip(ABSENT)
    return folder


@pytest.fixture(scope="session")
def circuits(shared: Path) -> Path:
    """The folder of the shared circuits."""
    return shared / "circuits"


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """The run's seed; a failing test shows it in its captured output."""
    value = cast(int, request.config.getoption("--seed"))
    print(f"seed {value} (repeat with: pytest --seed {value})")
    return value


@pytest.fixture
def rng(seed: int, request: pytest.FixtureRequest) -> random.Random:
    """A generator that depends on the run's seed and on the test's name only."""
    return random.Random(f"{seed} {request.node.nodeid}")
