"""Passes over AIGs: checking equivalence, sweeping."""
