"""File formats of the solver dialect."""
