"""Passes over netlists of words."""
