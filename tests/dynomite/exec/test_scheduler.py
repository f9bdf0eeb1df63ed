"""Running graphs: order, threads, failures, control, what stays after a failure."""

from __future__ import annotations

import time

import pytest

from dynomite._native.base import Stop
from dynomite.errors import ExecutionError, UsageError
from dynomite.exec import Options, Plan, plan_graph, run_plan
from tests.support.exec_probes import calls, threads
from tests.support.exec_runs import CODE, module_of, names, plan_of, printed, run, text_of

MIXED = """
  probe.exec.mark def(%a) %prog
  core.exec.print %a
  probe.exec.mark def(%b) %other {text = "o"}
  core.exec.snapshot def(%s) %b
  probe.exec.mark def(%t) %s {text = "copy"}
  core.exec.print %t
  core.exec.until_converge def(%c) %a 9 {
    probe.exec.mark def(%x) %a {upto = 4}
    core.exec.cse def(%y) %x
  }
  core.exec.print %c
  core.exec.print %b
  core.exec.count def(%n) %c "probe.MARK"
  core.exec.if %n {
    core.exec.print "some"
  } {
    core.exec.print "none"
  }
  probe.exec.edit %prog {insert = true}
  core.exec.print
"""


@pytest.mark.parametrize("jobs", [2, 8])
def test_any_number_of_threads_gives_the_same(jobs: int) -> None:
    one = run(MIXED)
    many = run(MIXED, jobs=jobs)
    assert printed(many) == printed(one)
    assert 'probe.MARK "inserted"' in printed(one)
    assert "some\n" in printed(one)
    assert printed(one).count('MARK "copy"') == 1
    assert [(r.number, r.name, r.stats) for r in many.records] == [
        (r.number, r.name, r.stats) for r in one.records
    ]


def test_independent_steps_run_at_the_same_time() -> None:
    threads.clear()
    steps = "\n".join(f"probe.exec.sleep def(%s{n}) {n} {{ms = 300}}" for n in range(4))
    start = time.monotonic()
    run(steps, jobs=4)
    assert time.monotonic() - start < 1.0
    assert len(threads) == 4


def test_steps_on_one_module_run_one_at_a_time() -> None:
    plan = plan_of("probe.exec.mark def(%a) %prog\nprobe.exec.mark def(%b) %other\ncore.exec.print %prog")
    assert [step.waits for step in plan.steps] == [0, 0, 0]
    assert str(plan).splitlines() == [
        "1: probe.exec.mark",
        "2: probe.exec.mark after 1",
        "3: core.exec.print after 2",
    ]


def test_a_snapshot_has_a_module_of_its_own() -> None:
    steps = "core.exec.snapshot def(%s) %prog\nprobe.exec.mark def(%a) %prog\nprobe.exec.mark def(%b) %s"
    assert str(plan_of(steps)).splitlines()[1:] == [
        "2: probe.exec.mark after 1",
        "3: probe.exec.mark after 1",
    ]


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_step_that_raises_leaves_the_code_untouched(jobs: int) -> None:
    module = module_of(
        "probe.exec.mark def(%a) %prog\nprobe.exec.mark def(%b) %a {fail = true}\ncore.exec.print %b"
    )
    plan = plan_graph(module, "test")
    before = text_of(module).replace("probe.NOP\n}\nlet other", 'probe.NOP\n  probe.MARK "m"\n}\nlet other')
    with pytest.raises(ExecutionError, match="RuntimeError: as told") as caught:
        run_plan(plan, Options(jobs=jobs))
    assert text_of(module) == before
    assert (caught.value.stage, caught.value.step) == ("running", "2: probe.exec.mark")
    assert caught.value.place == "t.dyno:9:1"
    assert [step.is_done for step in plan.steps] == [True, False, False]


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_the_earliest_failure_is_reported_and_what_is_printed_before_it(jobs: int) -> None:
    steps = """
      probe.exec.sleep def(%s) 1 {ms = 60}
      core.exec.print "first"
      probe.exec.fail "early" %s
      core.exec.print "never"
      probe.exec.fail "late"
    """
    shown: list[str] = []
    with pytest.raises(ExecutionError, match="failed early"):
        run_plan(plan_of(steps), Options(jobs=jobs, on_record=lambda record: shown.append(record.text)))
    assert "".join(shown) == "first\n"


def test_failure_inside_a_loop_names_the_step() -> None:
    steps = "core.exec.until_converge def(%a) %prog 3 {\nprobe.exec.mark def(%b) %prog {fail = true}\n}"
    with pytest.raises(ExecutionError) as caught:
        run(steps, jobs=2)
    assert caught.value.step == "1.1: probe.exec.mark"


def test_a_loop_ends_at_its_bound_with_a_note() -> None:
    report = run("core.exec.until_converge def(%a) %prog 3 {\nprobe.exec.mark def(%b) %prog\n}")
    (loop,) = report.records
    assert loop.stats == {"rounds": 3, "converged": False}
    assert "round 3" in loop.notes[0]
    assert loop.changed
    assert [record.number for record in loop.inner] == ["1.1", "1.1@2", "1.1@3"]


def test_a_loop_that_changes_nothing_runs_once() -> None:
    report = run(
        "core.exec.until_converge def(%a) %prog 9 {\ncore.exec.dce def(%b) %prog\n}\n"
        "core.exec.changed def(%c) %a"
    )
    assert report.records[0].stats == {"rounds": 1, "converged": True}
    assert report.results["c"] is False


def test_loops_nest() -> None:
    steps = """
      core.exec.until_converge def(%a) %prog 9 {
        core.exec.until_converge def(%b) %prog 2 {
          probe.exec.mark def(%c) %prog {upto = 5}
        }
      }
      core.exec.count def(%n) %prog "probe.MARK"
    """
    report = run(steps, jobs=3)
    assert report.results["n"] == 5
    assert report.records[0].stats == {"rounds": 4, "converged": True}


def test_conditions() -> None:
    branch = ' {\ncore.exec.print "then"\n} {\ncore.exec.print "else"\n}\n'
    assert printed(run(f'core.exec.count def(%n) %prog "probe.MARK"\ncore.exec.if %n{branch}')) == "else\n"
    assert printed(run(f'core.exec.count def(%n) %prog "probe.NOP"\ncore.exec.if %n{branch}')) == "then\n"
    assert (
        printed(run(f"probe.exec.mark def(%a) %prog\ncore.exec.changed def(%c) %a\ncore.exec.if %c{branch}"))
        == "then\n"
    )
    assert (
        printed(run('core.exec.count def(%n) %prog "probe.MARK"\ncore.exec.if %n {\ncore.exec.print "x"\n}'))
        == ""
    )


def test_expectations() -> None:
    run('core.exec.count def(%n) %prog "probe.NOP"\ncore.exec.expect %n\ncore.exec.expect %n "1"')
    with pytest.raises(ExecutionError, match="'2' was expected, this is: 1"):
        run('core.exec.count def(%n) %prog "probe.NOP"\ncore.exec.expect %n "2"')


@pytest.mark.parametrize("jobs", [1, 4])
def test_steps_skip_repeat_and_insert_later_ones(jobs: int) -> None:
    steps = """
      probe.exec.edit %prog {skip = "core.exec.cse", repeat = "probe.exec.mark", insert = true}
      core.exec.cse def(%a) %prog
      probe.exec.mark def(%b) %a
      core.exec.print %b
    """
    report = run(steps, jobs=jobs)
    assert names(report) == ["edit", "mark", "cse", "mark", "mark", "print"]
    assert [record.state for record in report.records] == ["done", "done", "skipped", "done", "done", "done"]
    assert printed(report).count("MARK") == 3
    assert report.records[1].number == "1+1"


def test_skipping_what_has_nothing_to_do() -> None:
    steps = (
        'core.exec.skip_unless_used %prog "probe.MARK" "core.exec.dce"\n'
        "core.exec.dce def(%a) %prog\ncore.exec.print %a"
    )
    assert [record.state for record in run(steps).records] == ["done", "skipped", "done"]
    steps = "probe.exec.mark def(%m) %prog\n" + steps
    assert [record.state for record in run(steps).records] == ["done"] * 4


def test_a_step_cannot_be_put_in_front_of_what_it_uses() -> None:
    from dynomite.exec.editing import GraphEditor

    plan = plan_of("probe.exec.edit %prog\nprobe.exec.call def(%a) 1\nprobe.exec.call def(%b) %a")
    editor = GraphEditor(plan.steps[0], plan.steps)
    editor.repeat(plan.steps[2], before=plan.steps[1])
    with pytest.raises(UsageError, match="in front of a step whose result it uses"):
        editor.check()
    with pytest.raises(UsageError, match="its result is used"):
        editor.skip(plan.steps[1])
    with pytest.raises(UsageError, match="not one of the steps to come"):
        editor.skip(plan.steps[0])
    with pytest.raises(UsageError, match="no step that can be inserted"):
        editor.insert("core.exec.until_converge")


def test_only_declared_steps_may_edit() -> None:
    from dynomite.exec.kinds import Task

    with pytest.raises(UsageError, match="edits=True"):
        _ = Task("x", [], {}, Stop()).graph


@pytest.mark.parametrize("jobs", [1, 3])
def test_stopping_leaves_the_rest(jobs: int) -> None:
    stop = Stop()
    stop.set_timeout(0.2)
    start = time.monotonic()
    steps = 'probe.exec.sleep def(%s) 1 {ms = 9000}\nprobe.exec.call def(%c) "after" %s'
    calls.clear()
    report = run_plan(plan_of(steps), Options(jobs=jobs, stop=stop))
    assert time.monotonic() - start < 3
    assert report.stop == "deadline"
    assert report.records[1].state == "waiting"
    assert not calls


def test_a_plan_runs_once() -> None:
    plan = plan_of("core.exec.print %prog")
    run_plan(plan)
    with pytest.raises(UsageError, match="was run already"):
        run_plan(plan)


def test_an_empty_graph() -> None:
    assert run_plan(Plan("empty", []), Options(jobs=4)).records == []
    assert run("", CODE, jobs=2).records == []


def test_report_as_tree_and_data() -> None:
    report = run('core.exec.group "tidy" {\ncore.exec.cse def(%a) %prog\ncore.exec.dce def(%b) %prog\n}')
    assert "tidy\n" in str(report)
    data = report.to_dict()
    assert [step["path"] for step in data["steps"]] == [["tidy"], ["tidy"]]
    assert data["steps"][0]["stats"]["merged"] == 0
    assert data["seconds"] > 0


def test_ten_thousand_steps_cost_little() -> None:
    steps = "\n".join(f"core.exec.join def(%a{n}) %prog" for n in range(5_000))
    plan = plan_of(steps)
    start = time.process_time()
    run_plan(plan, Options(jobs=2))
    assert (time.process_time() - start) / 5_000 < 300e-6
