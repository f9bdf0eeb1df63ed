"""A real browser, headless, for pages the project writes."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def browser() -> str | None:
    """The program, or None."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


@dataclass(frozen=True)
class Opened:
    """A page as the browser had it after loading: the document, and what went to the console."""

    document: str
    console: list[str]


def open_page(page: Path, folder: Path, *options: str) -> Opened:
    """Opens a file; `folder` takes the browser's profile."""
    program = browser()
    assert program is not None
    done = subprocess.run(
        [
            program,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            f"--user-data-dir={folder / 'profile'}",
            "--enable-logging=stderr",
            "--window-size=1000,1400",
            *(options or ("--dump-dom",)),
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Opened(done.stdout, re.findall(r":CONSOLE[:(].*", done.stderr))
