"""Cells that mapped netlists are made of: libraries in genlib and Liberty, their functions as BLIF models."""

from hw_dialect.cells.library import CellLibrary, LibraryCell, Register, read_library

__all__ = ["CellLibrary", "LibraryCell", "Register", "read_library"]
