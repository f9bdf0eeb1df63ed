"""Imports go hw_dialect -> dmt_dialect -> dynomite, never back; the front door loads nothing heavy."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.shared_data import REPOSITORY

LAYERS = ("dynomite", "dmt_dialect", "hw_dialect")
HEAVY = ("numpy", "networkx", "pysat", "z3", "dd", "pyeda", "rich", "dmt_dialect", "hw_dialect")


def python_files() -> list[Path]:
    return [path for layer in LAYERS for path in sorted((REPOSITORY / layer).rglob("*.py"))]


def imported_at_run_time(tree: ast.AST) -> Iterator[str]:
    """Modules named in import statements, without those for type checkers only."""
    if isinstance(tree, ast.If) and "TYPE_CHECKING" in ast.unparse(tree.test):
        for node in tree.orelse:
            yield from imported_at_run_time(node)
        return
    if isinstance(tree, ast.Import):
        yield from (alias.name for alias in tree.names)
    elif isinstance(tree, ast.ImportFrom):
        assert tree.level == 0, "relative imports hide the arrow"
        yield tree.module or ""
    for node in ast.iter_child_nodes(tree):
        yield from imported_at_run_time(node)


@pytest.mark.parametrize("path", python_files(), ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_imports_go_one_way(path: Path) -> None:
    own = LAYERS.index(path.relative_to(REPOSITORY).parts[0])
    for module in imported_at_run_time(ast.parse(path.read_text("utf-8"))):
        package = module.partition(".")[0]
        assert package not in LAYERS[own + 1 :], f"{path.name} imports {module}"
        assert package not in ("tests", "benchmarks", "examples"), f"{path.name} imports {module}"


def test_native_includes_go_one_way() -> None:
    for own, layer in enumerate(LAYERS):
        for path in sorted((REPOSITORY / layer / "native").rglob("*.[ch]pp")):
            for line in path.read_text("utf-8").splitlines():
                if line.startswith('#include "'):
                    package = line.split('"')[1].partition("/")[0]
                    assert package not in LAYERS[own + 1 :], f"{path.name}: {line}"


def test_importing_the_front_door_loads_nothing_heavy() -> None:
    program = "import sys, dynomite; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & set(HEAVY)
