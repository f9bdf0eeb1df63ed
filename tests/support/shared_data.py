"""Where the shared circuits and cases lie, and the tables that describe them."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

REPOSITORY = Path(__file__).resolve().parents[2]


def shared_folder() -> Path | None:
    """The folder `shared` beside the repository, or what DYNOMITE_SHARED names; None when absent."""
    named = os.environ.get("DYNOMITE_SHARED")
    folder = Path(named) if named else REPOSITORY.parent / "shared"
    return folder if (folder / "circuits" / "pairs.csv").is_file() else None


ABSENT = (
    "the folder `shared` (circuits and cases) is neither beside the repository nor named by DYNOMITE_SHARED"
)


@dataclass(frozen=True)
class Pair:
    """One row of a table of equivalence pairs."""

    left: str
    right: str
    expected: str
    by_order: bool

    @property
    def name(self) -> str:
        """A readable test id."""
        return f"{self.left}--{self.right}"


@dataclass(frozen=True)
class Case:
    """One row of cases.json."""

    id: str
    kind: str
    files: tuple[str, ...]
    operation: str
    expected: str
    detail: str
    data: dict[str, Any]


def read_pairs(table: str) -> list[Pair]:
    """Rows of circuits/`table`; none when the shared folder is absent."""
    folder = shared_folder()
    if folder is None:
        return []
    with (folder / "circuits" / table).open(newline="", encoding="utf-8") as stream:
        return [
            Pair(
                left=row["left"],
                right=row["right"],
                expected=row["expected"],
                by_order=row["match"].startswith("order"),
            )
            for row in csv.DictReader(stream)
        ]


def read_cases() -> list[Case]:
    """Every row of cases.json; none when the shared folder is absent."""
    folder = shared_folder()
    if folder is None:
        return []
    text = (folder / "cases" / "cases.json").read_text(encoding="utf-8")
    rows = cast("list[dict[str, Any]]", json.loads(text))
    return [
        Case(
            id=row["id"],
            kind=row["kind"],
            files=tuple(row["files"]),
            operation=row["operation"],
            expected=row["expected"],
            detail=row.get("expected_detail") or "",
            data=row.get("data") or {},
        )
        for row in rows
    ]
