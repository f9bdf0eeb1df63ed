"""Solvers outside the native sweeper, each run in a worker process that can be ended at once."""
