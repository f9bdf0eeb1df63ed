"""Solver dialect: AIGs, SAT, BDD and SMT, and the checks and passes built on them."""
