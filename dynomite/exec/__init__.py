"""Running graphs of `core.exec` instructions; for now as the list of steps they are."""

from __future__ import annotations

from dynomite.exec.graph import EXEC, graphs, run_graph

__all__ = ["EXEC", "graphs", "run_graph"]
