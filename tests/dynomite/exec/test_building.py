"""Planning: what is refused before anything runs, and where; composition of stages; dropped clean-ups."""

from __future__ import annotations

import itertools
import time

import pytest

from dynomite.errors import ExecutionError, UsageError
from dynomite.exec import Stage, graphs, order_stages, plan_graph
from dynomite.exec.building import MAX_NESTING
from tests.support.exec_runs import CODE, module_of, plan_of, printed, run


@pytest.mark.parametrize(
    ("steps", "message", "stage"),
    [
        ("probe.NOP", "no step", "building"),
        ("core.exec.cse def(%a) %prog {x = 1}", "no parameter 'x' .there are: commutative", "building"),
        ("core.exec.cse def(%a) %prog {commutative = 7}", "is true or false", "building"),
        ('core.exec.verify def(%a) %prog {limit = "x"}', "is a number", "building"),
        ("core.exec.print %prog %other", "takes one operand, or none", "building"),
        ('core.exec.cse def(%a) "prog"', "has to be code", "building"),
        ("core.exec.print %prog {\n}", "no steps inside", "building"),
        ("core.exec.until_converge def(%a) %prog 0 {\n}", "is 1 to 1000", "building"),
        ("core.exec.until_converge def(%a) %prog 5", "one region", "building"),
        ("core.exec.if %prog", "region with steps", "building"),
        ("core.exec.call @test", "in a circle: test -> test", "building"),
        ("core.exec.stage 5 {\n}", "one operand, its name", "building"),
        ('core.exec.stage "a" {after = 3} {\n}', "list of names", "building"),
        (
            'core.exec.stage "a" {\n}\ncore.exec.print\ncore.exec.stage "b" {\n}',
            "stages have to follow each other",
            "building",
        ),
        ('core.exec.stage "a" {after = "c"} {\n}', "depends on 'c', which is not there", "scheduling"),
        (
            'core.exec.stage "a" {after = "b"} {\n}\ncore.exec.stage "b" {after = ["a"]} {\n}',
            "circle: a -> b -> a",
            "scheduling",
        ),
        ('core.exec.stage "a" {\n}\ncore.exec.stage "a" {\n}', "two stages 'a'", "scheduling"),
    ],
)
def test_errors_name_the_stage(steps: str, message: str, stage: str) -> None:
    with pytest.raises(ExecutionError, match=message) as caught:
        plan_of(steps)
    assert caught.value.stage == stage
    assert str(caught.value).startswith("t.dyno:8:1: error: " if stage == "scheduling" else "t.dyno:")
    assert str(caught.value).partition("error: ")[2].startswith(f"{stage} @test")


def test_errors_have_a_place() -> None:
    with pytest.raises(ExecutionError) as caught:
        plan_of("core.exec.print\ncore.exec.cse def(%a) %prog {x = 1}")
    assert str(caught.value).startswith("t.dyno:9:1: error: building @test, step 2: core.exec.cse: ")


def test_unknown_graph() -> None:
    module = module_of("")
    assert list(graphs(module)) == ["test"]
    with pytest.raises(UsageError, match=r"no execution graph 'x' .there are: test"):
        plan_graph(module, "x")


RFC = {
    "numpy": ((), ("bufferization",)),
    "torch": ((), ("bufferization",)),
    "bufferization": ((), ()),
    "cpu": (("bufferization",), ()),
    "gpu": (("bufferization",), ()),
}


def test_the_order_of_stages_does_not_depend_on_registration() -> None:
    for names in itertools.permutations(RFC):
        stages = [Stage(name, [], after=RFC[name][0], before=RFC[name][1]) for name in names]
        assert [stage.name for stage in order_stages(stages)] == [
            "numpy",
            "torch",
            "bufferization",
            "cpu",
            "gpu",
        ]


def _stage(name: str, print_text: str, rest: str = "", cleanup: str = "") -> str:
    return f'core.exec.stage "{name}" {rest} {{\ncore.exec.print "{print_text}"\n}} {cleanup}\n'


def test_stages_in_a_file_in_any_order() -> None:
    stages = [
        _stage("numpy", "n", '{before = ["buffers"]}'),
        _stage("torch", "t", '{before = "buffers"}'),
        _stage("buffers", "b"),
        _stage("cpu", "c", '{after = ["buffers"]}'),
    ]
    wanted = printed(run("".join(stages)))
    assert wanted == "n\nt\nb\nc\n"
    for order in itertools.permutations(stages):
        assert printed(run("".join(order))) == wanted
    around = 'core.exec.print "first"\n' + "".join(reversed(stages)) + 'core.exec.print "last"\n'
    assert printed(run(around)) == f"first\n{wanted}last\n"


@pytest.mark.parametrize(
    ("steps", "kept"),
    [
        ("cse; cse", "cse"),
        ("cse; print; cse", "cse print"),
        ("cse; dce; cse; dce", "cse dce"),
        ("cse; dce; cse", "cse dce cse"),
        ("cse; dce; symbol_dce; cse; dce; symbol_dce; print", "cse dce symbol_dce print"),
        ("verify; print; verify", "verify print"),
        ("verify; cse; verify", "verify cse verify"),
        ("cse; mark; cse", "cse mark cse"),
        ("cse; other; cse", "cse cse cse"),
        ("cse; cse; cse; cse", "cse"),
    ],
)
def test_repeated_cleanups_are_dropped(steps: str, kept: str) -> None:
    lines: list[str] = []
    for number, name in enumerate(steps.split("; ")):
        target = "%other" if name == "other" else "%prog"
        package = "probe" if name == "mark" else "core"
        name = "cse" if name == "other" else name
        lines.append(f"{package}.exec.{name} {'' if name == 'print' else f'def(%v{number})'} {target}")
    plan = plan_of("\n".join(lines))
    assert [step.name.rpartition(".")[2] for step in plan.steps] == kept.split()
    assert len(plan.dropped) == len(lines) - len(plan.steps)


def test_results_of_dropped_steps_are_those_of_the_earlier_ones() -> None:
    report = run("core.exec.cse def(%a) %prog\ncore.exec.cse def(%b) %a\ncore.exec.print %b")
    assert len(report.records) == 2
    assert "probe.NOP" in printed(report)


def test_cleanups_with_other_parameters_stay() -> None:
    assert (
        len(plan_of("core.exec.cse def(%a) %prog\ncore.exec.cse def(%b) %prog {commutative = 0}").steps) == 2
    )


def test_cleanups_of_stages_are_dropped_where_they_meet() -> None:
    text = "".join(
        f'core.exec.stage "{name}" {{\n}} {{\n'
        f"core.exec.cse def(%c_{name}) %prog\ncore.exec.dce def(%d_{name}) %prog\n}}\n"
        for name in ("one", "three", "two")
    )
    assert len(plan_of(text).steps) == 2


def test_calls_put_the_steps_of_another_graph_in() -> None:
    code = CODE + "let tidy = ExecutionGraph {\ncore.exec.dce def(%a) %prog\ncore.exec.print %a\n}\n"
    plan = plan_of("core.exec.call @tidy\ncore.exec.print %other", code)
    assert [(step.name, step.path) for step in plan.steps] == [
        ("core.exec.dce", ("tidy",)),
        ("core.exec.print", ("tidy",)),
        ("core.exec.print", ()),
    ]


def test_symbols_name_code() -> None:
    assert printed(run("core.exec.print @other")).startswith("let other")


def test_names_of_results_are_seen_behind_their_step_only() -> None:
    module = module_of("core.exec.if 1 {\ncore.exec.cse def(%x) %prog\n}")
    assert len(plan_graph(module, "test").every_step()) == 2


def test_steps_nest_up_to_a_limit() -> None:
    def nested(depth: int) -> str:
        return 'core.exec.if "x" {\n' * depth + 'core.exec.print "deep"\n' + "}\n" * depth

    assert printed(run(nested(MAX_NESTING - 1))) == "deep\n"
    for depth in (MAX_NESTING, 20_000):
        with pytest.raises(ExecutionError, match=f"nested more than {MAX_NESTING} deep"):
            plan_of(nested(depth))


def test_planning_takes_linear_time() -> None:
    def seconds(count: int) -> float:
        module = module_of("\n".join(f"core.exec.join def(%a{n}) @prog" for n in range(count)))
        start = time.process_time()
        plan_graph(module, "test")
        return time.process_time() - start

    seconds(1_000)
    assert seconds(20_000) < 40 * min(seconds(2_000) for _ in range(3))
