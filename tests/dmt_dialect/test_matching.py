"""Pairing ports: every rule, and every way in which two sides do not fit."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from dmt_dialect.matching import Matched, match_ports
from dmt_dialect.pairing import MatchMode
from dynomite._native.aig import Aig
from dynomite.errors import UsageError

Names = Sequence[str | None]


def circuit(
    inputs: Names = (), outputs: Names = (), latches: Names = (), resets: Sequence[int | None] = ()
) -> Aig:
    """Output k is input k (or false), a latch holds its value."""
    aig = Aig()
    lits = [aig.add_input(name) for name in inputs]
    for k, name in enumerate(latches):
        latch = aig.add_latch(resets[k] if k < len(resets) else 0, name)
        aig.set_next(latch, latch)
    for k, name in enumerate(outputs):
        aig.add_output(lits[k] if k < len(lits) else aig.false, name)
    return aig


def refusal(left: Aig, right: Aig, mode: MatchMode = "auto", *, free_inputs: bool = False) -> str:
    with pytest.raises(UsageError) as caught:
        match_ports(left, right, mode=mode, free_inputs=free_inputs)
    return str(caught.value)


def pairs(matched: Matched) -> list[tuple[int, int]]:
    return list(zip(matched.inputs.left, matched.inputs.right, strict=True))


def test_by_name_in_any_order() -> None:
    left = circuit(["a", "b", "c"], ["x", "y"])
    right = circuit(["c", "a", "b"], ["y", "x"])
    matched = match_ports(left, right)
    assert matched.inputs.how == "name"
    assert pairs(matched) == [(0, 1), (1, 2), (2, 0)]
    assert [f.name for f in matched.functions] == ["x", "y"]
    # Output x is input 0 on the left; on the right it is the second output, which is input 1.
    assert (matched.functions[0].left, matched.functions[0].right) == (2, 4)
    assert matched.assumptions == ()
    assert matched.record.outputs.pairs == (("x", "x"), ("y", "y"))


def test_buses_by_name_not_by_text_order() -> None:
    names = [f"a[{i}]" for i in range(12)]
    matched = match_ports(circuit(names, ["y"]), circuit(sorted(names), ["y"]))
    place = {name: i for i, name in enumerate(sorted(names))}
    assert pairs(matched) == [(i, place[name]) for i, name in enumerate(names)]


def test_one_side_without_names() -> None:
    matched = match_ports(circuit(["a", "b"], ["y"]), circuit([None, None], [None]))
    assert matched.inputs.how == "order"
    assert matched.assumptions == (
        "inputs and outputs are paired by order: the right design does not name them",
    )
    assert matched.input_names == ("a", "b")
    assert matched.record.inputs.pairs == (("a", "i0"), ("b", "i1"))
    other_way = match_ports(circuit([None, None], [None]), circuit(["a", "b"], ["y"]))
    assert other_way.input_names == ("a", "b")
    assert [f.name for f in other_way.functions] == ["y"]


def test_neither_side_has_names() -> None:
    matched = match_ports(circuit([None, None], [None]), circuit([None, None], [None]))
    assert "neither design names them" in matched.assumptions[0]
    assert matched.input_names == ("i0", "i1")


def test_each_section_by_its_own_rule() -> None:
    matched = match_ports(circuit(["a", "b"], [None]), circuit(["b", "a"], ["y"]))
    assert matched.inputs.how == "name"
    assert matched.record.outputs.how == "order"
    assert matched.assumptions == ("outputs are paired by order: the left design does not name them",)


def test_names_that_differ() -> None:
    text = refusal(circuit(["a", "b"], ["y"]), circuit(["a", "c"], ["y"]))
    assert "inputs: only left: b; only right: c" in text
    assert "outputs" not in text
    assert "--match order" in text


def test_no_name_in_common() -> None:
    text = refusal(circuit(["a", "b"], ["y"]), circuit(["p", "q"], ["z"]))
    assert "inputs: no name is common to both" in text
    assert "outputs: no name is common to both" in text
    matched = match_ports(circuit(["a", "b"], ["y"]), circuit(["p", "q"], ["z"]), mode="order")
    assert matched.assumptions == ("inputs and outputs are paired by order: as asked (some names disagree)",)


@pytest.mark.parametrize(
    "numbers", [["pi0", "pi1"], ["pi1", "pi2"], ["1", "2"], ["28", "12"], ["i0", "i1"]], ids=" ".join
)
def test_names_that_only_number(numbers: list[str]) -> None:
    real, numbered = circuit(["a", "b"], ["y"]), circuit(numbers, ["y"])
    for left, right, side in ((real, numbered, "right"), (numbered, real, "left")):
        matched = match_ports(left, right)
        assert pairs(matched) == [(0, 0), (1, 1)]
        assert matched.assumptions == (
            f"inputs are paired by order: the {side} design only numbers them ({numbers[0]}, ...)",
        )
    assert "no name is common" in refusal(real, numbered, "name")


@pytest.mark.parametrize(
    "names", [["pi1", "pi0"], ["pi0", "pi2"], ["x0", "x1"], ["pi2", "pi3"], ["pi0", "7"]]
)
def test_names_that_do_more_than_number(names: list[str]) -> None:
    assert "no name is common" in refusal(circuit(["a", "b"]), circuit(names))


def test_two_ways_of_numbering_are_not_paired() -> None:
    assert "no name is common" in refusal(circuit(["pi0", "pi1"], ["po0"]), circuit(["1", "2"], ["3"]))


def test_counts_that_differ() -> None:
    text = refusal(circuit(["a"], ["y"]), circuit(["a", "b"], ["y"]))
    assert "inputs: only right: b" in text
    assert "need as many on both sides" in text
    assert "--free-inputs" in text
    assert "outputs: only left: z" in refusal(circuit(["a"], ["y", "z"]), circuit(["a"], ["y"]))
    for mode in ("auto", "order"):
        assert "inputs: 1 left, 2 right" in refusal(
            circuit([None], [None]), circuit([None, None], [None]), mode
        )
    assert "outputs: 0 left, 1 right" in refusal(circuit(["a"]), circuit(["a"], ["y"]), "order")


def test_free_inputs_on_request() -> None:
    matched = match_ports(circuit(["a", "x"], ["y"]), circuit(["b", "a"], ["y"]), free_inputs=True)
    assert pairs(matched) == [(0, 1), (1, -1), (-1, 0)]
    assert matched.input_names == ("a", "x", "b")
    assert matched.record.inputs.pairs == (("a", "a"), ("x", None), (None, "b"))
    assert any("only the left design has are left free: x" in note for note in matched.assumptions)
    assert any("only the right design has are left free: b" in note for note in matched.assumptions)


def test_free_inputs_never_graft_unrelated_designs() -> None:
    text = refusal(circuit(["a"], ["y"]), circuit(["b"], ["y"]), free_inputs=True)
    assert "no name is common to both" in text


def test_names_given_twice() -> None:
    text = refusal(circuit(["a", "a"], ["y"]), circuit(["a", "b"], ["y"]))
    assert "inputs: names given more than once on the left: a" in text
    alike = match_ports(circuit(["a", "a"], ["y"]), circuit(["a", "a"], ["y"]))
    assert pairs(alike) == [(0, 0), (1, 1)]
    assert "names repeat, alike on both sides" in alike.assumptions[0]
    assert alike.input_names == ("a", "a #2")


def test_partly_named_sides() -> None:
    agreeing = match_ports(circuit(["a", None], ["y"]), circuit(["a", "b"], ["y"]))
    assert pairs(agreeing) == [(0, 0), (1, 1)]
    assert "only some have names" in agreeing.assumptions[0]
    # "a" stands elsewhere: position would contradict the name.
    assert "some have no name (left: 1 of 2" in refusal(
        circuit(["a", None], ["y"]), circuit(["b", "a"], ["y"])
    )
    assert "some have no name" in refusal(circuit(["a", None], ["y"]), circuit([None, "a"], ["y"]))
    assert "some have no name" in refusal(circuit(["a", None], ["y"]), circuit(["a", None], ["y"]), "name")


def test_mode_name_refuses_unnamed_sides() -> None:
    text = refusal(circuit([None], ["y"]), circuit(["a"], ["y"]), "name")
    assert "inputs: some have no name (left: 1 of 1, right: 0 of 1)" in text


def test_all_misfits_are_reported_at_once() -> None:
    text = refusal(circuit(["a"], ["y"], ["q"]), circuit(["b"], ["z"], ["r"]))
    assert text.count("no name is common to both") == 3
    assert "latches: no name is common to both; only left: q; only right: r" in text


def test_long_lists_are_cut_and_buses_drawn_together() -> None:
    text = refusal(circuit([f"d[{i}]" for i in range(32)] + ["a"]), circuit(["a"]))
    assert "only left: d[0..31]" in text
    text = refusal(circuit([f"n{i}" for i in range(100)] + ["a"]), circuit(["a"]))
    assert "n9 and 90 more" in text
    assert "n10" not in text


def test_names_with_brackets_that_are_no_bus() -> None:
    text = refusal(circuit(["x[1]", "x[3]", "[4]", "y[z]", "a"]), circuit(["a"]))
    assert "only left: x[1], x[3], [4], y[z]" in text


def test_latches_are_cut() -> None:
    left = circuit(["a"], ["y"], ["q", "r"])
    right = circuit(["a"], ["y"], ["r", "q"])
    matched = match_ports(left, right)
    assert matched.latch_names == ("q", "r")
    assert [(f.name, f.kind) for f in matched.functions] == [
        ("y", "output"),
        ("next(q)", "latch"),
        ("next(r)", "latch"),
    ]
    assert matched.functions[1].left == left.latches[0].raw
    assert matched.functions[1].right == right.latches[1].raw
    assert any("the latches (2) are cut and paired by name" in note for note in matched.assumptions)
    unnamed = match_ports(circuit(["a"], ["y"], ["q"]), circuit(["a"], ["y"], [None]))
    assert any("paired by order" in note and "latches" in note for note in unnamed.assumptions)
    assert "latches: 1 left, 2 right" in refusal(circuit([], ["y"], [None]), circuit([], ["y"], [None, None]))
    assert "latches: only left: q" in refusal(circuit([], ["y"], ["q"]), circuit([], ["y"]))


@pytest.mark.parametrize("a", [0, 1, None])
@pytest.mark.parametrize("b", [0, 1, None])
def test_resets_are_compared(a: int | None, b: int | None) -> None:
    matched = match_ports(circuit([], [], ["q"], [a]), circuit([], [], ["q"], [b]))
    detail = matched.functions[0].detail
    if a == b:
        assert detail is None
    else:
        words = {0: "0", 1: "1", None: "uninitialised"}
        assert detail == f"the resets differ: {words[a]} left, {words[b]} right"


def properties() -> Aig:
    aig = Aig()
    a, b = aig.add_inputs(["a", "b"])
    aig.add_output(a, "y")
    aig.add_bad(b, "wrong")
    aig.add_constraint(a, "given")
    aig.add_fairness(b)
    aig.add_justice([a, b], "live")
    return aig


def test_properties_are_compared() -> None:
    matched = match_ports(properties(), properties())
    assert [(f.name, f.kind) for f in matched.functions] == [
        ("y", "output"),
        ("wrong", "bad"),
        ("given", "constraint"),
        ("f0", "fairness"),
        ("live[0]", "justice"),
        ("live[1]", "justice"),
    ]
    assert any("never assumed to hold" in note for note in matched.assumptions)


def test_properties_only_one_side_has() -> None:
    text = refusal(properties(), circuit(["a", "b"], ["y"]))
    assert "bad-state properties: only left: wrong" in text
    assert "constraints: only left: given" in text
    assert "justice literals" in text


def test_justice_sets_of_other_sizes() -> None:
    left, right = Aig(), Aig()
    for aig, sizes in ((left, (2, 1)), (right, (1, 2))):
        a = aig.add_input("a")
        for size in sizes:
            aig.add_justice([a] * size)
    assert "sets of 2, 1 left, of 1, 2 right" in refusal(left, right)


def test_outputs_against_bad_states() -> None:
    right = Aig()
    right.add_bad(right.add_input("a"))
    matched = match_ports(circuit(["a"], ["y"]), right)
    assert [(f.name, f.kind) for f in matched.functions] == [("y", "output")]
    assert any("bad-state properties and no outputs" in note for note in matched.assumptions)
    mixed = circuit(["a"], ["y"])
    mixed.add_bad(mixed.inputs[0])
    assert "outputs" in refusal(mixed, right)


def test_function_names_are_unique() -> None:
    aig = circuit(["a"], ["q", "q", "next(q)"], ["q"])
    matched = match_ports(aig, aig)
    assert [f.name for f in matched.functions] == ["q", "q #2", "next(q)", "next(q) #2"]


def test_random_renamings_pair_as_they_should(rng: random.Random) -> None:
    for _ in range(50):
        count = rng.randrange(1, 30)
        names = [f"n{i}" for i in range(count)]
        order = rng.sample(range(count), count)
        matched = match_ports(circuit(names), circuit([names[i] for i in order]))
        assert all(order[j] == i for i, j in pairs(matched))
