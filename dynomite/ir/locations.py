"""Where instructions come from: an instruction carries a set of origins, which mutations unite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias


class Origin(NamedTuple):
    """One place in a source; line and column count from 1, 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0


Location: TypeAlias = Origin | Sequence[Origin] | None
"""What calls take as a location: one origin, several, or none."""
