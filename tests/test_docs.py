"""Code blocks of the README and of docs/ do what they show; links between documents lead somewhere."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.support.documents import blocks, documents, run_block
from tests.support.shared_data import REPOSITORY


@pytest.mark.parametrize("document", documents(), ids=lambda path: path.name)
def test_code_blocks(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one document run in order, in a folder that holds a copy of `examples/`."""
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(document):
        run_block(block, tmp_path, namespace)


@pytest.mark.parametrize(
    "document", [*documents(), *sorted(REPOSITORY.glob("*.md"))], ids=lambda path: path.name
)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text("utf-8")):
        assert (document.parent / target).exists(), f"{document.name}: no such file: {target}"


def test_readme_has_the_commands_ci_runs() -> None:
    text = (REPOSITORY / "README.md").read_text("utf-8")
    for mark in ("main job", "tests"):
        assert re.search(rf"<!-- command: {mark} -->\n```\w*\n[^`]+```", text), mark
