"""Circuit files: registry of formats, opening and replacing of files, transparent compression."""

from __future__ import annotations

from dynomite.formats.base import (
    Format,
    detect_format,
    known_formats,
    read_circuit,
    register_format,
    write_circuit,
)

__all__ = ["Format", "detect_format", "known_formats", "read_circuit", "register_format", "write_circuit"]
