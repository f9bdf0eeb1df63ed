"""What is taken where nothing is said."""

from __future__ import annotations

DEFAULT_PIPELINE = "compress2rs"
"""A recipe."""
