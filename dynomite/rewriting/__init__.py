"""Rewrite rules: their language, where they come from, and how they are applied."""
