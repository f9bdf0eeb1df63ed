"""Running graphs that are written as text."""

from __future__ import annotations

from dynomite.exec import Options, Plan, Report, graph_context, plan_graph, run_plan
from dynomite.ir import Module, parse, print_module
from tests.support import exec_probes as exec_probes

CODE = "let prog = CFG {\n  probe.NOP\n}\nlet other = CFG {\n  probe.NOP\n}\n"


def module_of(steps: str, code: str = CODE) -> Module:
    """A module with code and the graph `test`."""
    text = f"{code}let test = ExecutionGraph {{\n{steps}\n}}\n"
    return parse(text, graph_context(), path="t.dyno", locations=True)


def plan_of(steps: str, code: str = CODE) -> Plan:
    return plan_graph(module_of(steps, code), "test")


def run(steps: str, code: str = CODE, jobs: int = 1) -> Report:
    return run_plan(plan_of(steps, code), Options(jobs=jobs))


def printed(report: Report) -> str:
    """All that was printed, in order."""
    texts: list[str] = []
    waiting = list(reversed(report.records))
    while waiting:
        record = waiting.pop()
        texts.append(record.text)
        waiting += reversed(record.inner)
    return "".join(texts)


def text_of(module: Module) -> str:
    return print_module(module, declarations=False)


def names(report: Report) -> list[str]:
    return [record.name.rpartition(".")[2] for record in report.records]
