"""Benchmarks; each runs the rival tools in the same run where they are installed."""
