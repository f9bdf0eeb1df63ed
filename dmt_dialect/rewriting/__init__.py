"""Rewrite rules on word operators: their types, their proofs, and libraries of them."""
