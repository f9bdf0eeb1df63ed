r"""Execution graphs: planning, scheduling on threads, caching, the steps. See docs/execution.md.

>>> from dynomite.exec import Options, graph_context, plan_graph, run_plan
>>> from dynomite.ir import parse
>>> text = '''
... let prog = CFG {}
... let test = ExecutionGraph {
...   core.exec.cse def(%a) %prog
...   core.exec.print %a
... }
... '''
>>> module = parse(text, graph_context())
>>> report = run_plan(plan_graph(module, "test"), Options(jobs=2))
>>> [record.state for record in report.records]
['done', 'done']
>>> report.records[1].text
'let prog = CFG {}\n'
"""

from __future__ import annotations

from dynomite.exec.building import graphs, plan_graph
from dynomite.exec.cache import Cache, register_codec
from dynomite.exec.composing import Stage, compose, order_stages
from dynomite.exec.core_steps import EXEC
from dynomite.exec.editing import GraphEditor
from dynomite.exec.kinds import (
    Code,
    Outcome,
    StepKind,
    Task,
    dialects,
    known_steps,
    register_dialect,
    register_step,
)
from dynomite.exec.plan import Plan, PlannedStep, Slot
from dynomite.exec.report import Record, Report
from dynomite.exec.scheduler import Executor, Options, run_plan
from dynomite.ir import Context, load

__all__ = [
    "EXEC",
    "Cache",
    "Code",
    "Executor",
    "GraphEditor",
    "Options",
    "Outcome",
    "Plan",
    "PlannedStep",
    "Record",
    "Report",
    "Slot",
    "Stage",
    "StepKind",
    "Task",
    "compose",
    "graph_context",
    "graphs",
    "known_steps",
    "order_stages",
    "plan_graph",
    "register_codec",
    "register_dialect",
    "register_step",
    "run_plan",
]


def graph_context() -> Context:
    """A new context that knows all steps, and the dialects of code that come with the project."""
    context = Context()
    load(context, *dialects())
    return context
