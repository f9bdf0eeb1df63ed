"""Writes the type stubs of `dynomite._native`, or checks that they are up to date.

    python tools/generate_stubs.py            write dynomite/_native/*.pyi
    python tools/generate_stubs.py --check    exit status 1 and a diff when they differ from the extension

The stubs are generated from the built extension, so build it first. They lie in `dynomite/_native/`, a
folder without `__init__.py`: Python's import system prefers the extension module of the same name, type
checkers prefer the stub package. Never edit them by hand; change the binding's docstring or signature.
"""

from __future__ import annotations

import argparse
import difflib
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PATTERNS = REPOSITORY / "tools" / "stub_patterns.txt"
STUBS = REPOSITORY / "dynomite" / "_native"


def generate(folder: Path) -> dict[str, str]:
    """Runs nanobind's generator in `folder`; returns the text of each stub by file name."""
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-r", "-m", "dynomite._native"]
    command += ["-O", str(folder), "-p", str(PATTERNS)]
    subprocess.run(command, check=True, cwd=REPOSITORY)
    return {path.name: tidy(path.read_text("utf-8")) for path in sorted((folder / "_native").glob("*.pyi"))}


def tidy(text: str) -> str:
    """No trailing blanks, at most two empty lines in a row, one newline at the end."""
    lines: list[str] = []
    for line in text.splitlines():
        stripped = line.rstrip()
        if stripped or lines[-2:] != ["", ""]:
            lines.append(stripped)
    return "\n".join(lines).strip("\n") + "\n"


def committed() -> dict[str, str]:
    """The stubs as they lie in the tree."""
    return {path.name: path.read_text("utf-8") for path in sorted(STUBS.glob("*.pyi"))}


def show_difference(old: dict[str, str], new: dict[str, str]) -> bool:
    """Prints the differences; true when there are any."""
    differs = False
    for name in sorted(old.keys() | new.keys()):
        before = old.get(name, "").splitlines()
        after = new.get(name, "").splitlines()
        titles = f"{name} (committed)", f"{name} (generated)"
        for line in difflib.unified_diff(before, after, *titles, lineterm=""):
            print(line)
            differs = True
    return differs


def main() -> int:
    """Writes or checks."""
    parser = argparse.ArgumentParser(description="Type stubs of dynomite._native.")
    parser.add_argument("--check", action="store_true", help="compare only")
    check: bool = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        stubs = generate(Path(folder))
    if check:
        if show_difference(committed(), stubs):
            print("stubs are out of date: run `python tools/generate_stubs.py`", file=sys.stderr)
            return 1
        return 0
    STUBS.mkdir(exist_ok=True)
    for name in committed().keys() - stubs.keys():
        (STUBS / name).unlink()
    for name, text in stubs.items():
        (STUBS / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
