"""What is added in one place is added in all: the recipes of CONTRIBUTING.md, checked."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest

import dynomite
from dynomite.formats import known_formats
from dynomite.tools import cli
from tests.support.shared_data import REPOSITORY

PACKAGES = ("dynomite", "dmt_dialect", "hw_dialect")
STUBS = REPOSITORY / "dynomite" / "_native"


def modules(kind: str) -> list[Path]:
    """Modules in the folders `kind` of all packages."""
    return [
        path
        for package in PACKAGES[1:]
        for path in sorted((REPOSITORY / package / kind).glob("*.py"))
        if path.name != "__init__.py"
    ]


def dotted(path: Path) -> str:
    """Module name of a file."""
    return ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)


def has_tests(path: Path) -> bool:
    """Whether tests of a module lie where they belong, in one file or several."""
    relative = path.relative_to(REPOSITORY)
    return any((REPOSITORY / "tests" / relative.parent).glob(f"test_{relative.stem}*.py"))


def reads_circuits(path: Path) -> bool:
    """Whether a module offers a function `read_x(...) -> Aig`."""
    functions = inspect.getmembers(importlib.import_module(dotted(path)), inspect.isfunction)
    return any(n.startswith("read_") and f.__annotations__.get("return") == "Aig" for n, f in functions)


@pytest.mark.parametrize("path", modules("formats"), ids=dotted)
def test_format_is_complete(path: Path) -> None:
    functions = [function for f in known_formats() for function in (f.reader, f.writer) if function]
    if reads_circuits(path):
        assert dotted(path) in {f.partition(":")[0] for f in functions}, "no line in dynomite/formats/base.py"
    assert has_tests(path), f"no tests/**/test_{path.name}"


def test_every_registered_reader_is_fuzzed() -> None:
    assert "known_formats()" in (REPOSITORY / "tests/fuzz/fuzz_readers.py").read_text("utf-8")


@pytest.mark.parametrize("entry", known_formats(), ids=lambda entry: entry.name)
def test_registered_format_exists_and_is_documented(entry: dynomite.formats.Format) -> None:
    assert entry.reader is None or callable(entry.load_reader())
    assert entry.writer is None or callable(entry.load_writer())
    assert f"`.{entry.name}`" in (REPOSITORY / "docs/formats.md").read_text("utf-8")
    assert f'".{entry.name}"' in (REPOSITORY / "tests/test_shared_roundtrip.py").read_text("utf-8")


@pytest.mark.parametrize("path", modules("passes"), ids=dotted)
def test_pass_is_complete(path: Path) -> None:
    module = importlib.import_module(dotted(path))
    assert module.__doc__, "no docstring"
    assert "imit" in module.__doc__, "the docstring does not say its limits"
    assert has_tests(path), f"no tests/**/test_{path.name}"


@pytest.mark.parametrize("verb", cli.COMMANDS)
def test_verb_is_complete(verb: str) -> None:
    command = importlib.import_module(cli.COMMANDS[verb]).command
    assert f"  dynomite {verb} " in f"{command.help} {command.epilog}".replace("$ ", "  "), (
        "no example in --help"
    )
    documents = "".join(path.read_text("utf-8") for path in (REPOSITORY / "docs").glob("*.md"))
    assert f"dynomite {verb} " in documents, "no document shows it"


@pytest.mark.parametrize("name", [name for name in dynomite.__all__ if not name.startswith("_")])
def test_public_name_exists_and_is_documented(name: str) -> None:
    assert getattr(dynomite, name).__doc__
    assert name in (REPOSITORY / "docs/python-api.md").read_text("utf-8")


def native_areas() -> list[str]:
    """Areas that have a binding file of their own."""
    folders = (REPOSITORY / package / "native" for package in PACKAGES)
    return sorted(path.stem.removeprefix("bind_") for folder in folders for path in folder.glob("bind_*.cpp"))


@pytest.mark.parametrize("area", native_areas())
def test_native_area_is_complete(area: str) -> None:
    module = (REPOSITORY / "dynomite/native/module.cpp").read_text("utf-8")
    header = (REPOSITORY / "dynomite/native/module.hpp").read_text("utf-8")
    if f"void bind_{area}(" not in header:  # a part of another area, bound from there
        areas = re.findall(r"void bind_(\w+)\(", header)
        sources = "".join(path.read_text("utf-8") for path in REPOSITORY.glob("*/native/bind_*.cpp"))
        part = any(area.startswith(f"{whole}_") for whole in areas)
        assert part or len(re.findall(rf"\bbind_{area}\(", sources)) >= 2, "neither declared nor called"
        return
    name = re.search(rf"bind_{area}\((\w+)\);", module)
    assert name, "not called in module.cpp"
    submodule = re.search(rf'{name.group(1)} =\s+m\.def_submodule\("(\w+)"', module)
    assert submodule, "has no submodule"
    assert (STUBS / f"{submodule.group(1)}.pyi").exists(), "no stub: run tools/generate_stubs.py"
