"""What is taken where nothing is said."""

from __future__ import annotations

DEFAULT_PIPELINE = "clean-up"
"""A recipe."""
