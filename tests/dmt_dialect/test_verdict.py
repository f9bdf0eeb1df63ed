"""The verdict object and its JSON form."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any, cast

import pytest

from dmt_dialect.verdict import (
    SCHEMA,
    Counterexample,
    EngineRun,
    Matching,
    OutputVerdict,
    PortPairs,
    Status,
    Verdict,
    cut_list,
)
from dynomite.errors import UsageError

CEX = Counterexample("y", {"a": 1, "b": None}, {"q": 0}, {"y": 0, "z": None}, {"y": 1, "z": 1})


def full_verdict() -> Verdict:
    return Verdict(
        status="different",
        outputs=(
            OutputVerdict("y", "output", "different", "sweep-sat", 0.5, None, CEX),
            OutputVerdict("next(q)", "latch", "different", "resets", 0.1, "the resets differ"),
            OutputVerdict("z", "bad", "equivalent", "structure", 0.0),
            OutputVerdict("w", "output", "undecided", None, 1.0),
        ),
        matching=Matching(
            inputs=PortPairs("name", (("a", "a"), ("b", None))),
            outputs=PortPairs("order", (("y", "o0"),)),
            latches=PortPairs("empty"),
        ),
        assumptions=("inputs are paired by order: as asked",),
        engines=(EngineRun("sweep", "limit", 1, 1, 0.25, {"conflicts": 7, "seconds": 0.5}, None),),
        reason="timeout",
        left="a.aig",
        right="b.blif",
        proof=("p.drat",),
        seconds=1.5,
        peak_bytes=1 << 20,
    )


def test_json_holds_everything() -> None:
    verdict = full_verdict()
    assert Verdict.from_json(verdict.to_json()) == verdict
    assert Verdict.from_dict(json.loads(json.dumps(verdict.to_dict()))) == verdict


def test_schema_is_pinned() -> None:
    data = full_verdict().to_dict()
    assert list(data) == [
        "schema",
        "status",
        "reason",
        "left",
        "right",
        "outputs",
        "counterexample",
        "matching",
        "assumptions",
        "proof",
        "engines",
        "explanation",
        "residual",
        "log",
        "seconds",
        "peak_bytes",
    ]
    assert data["schema"] == SCHEMA == "dynomite.verdict/1"
    assert data["outputs"][2] == {
        "name": "z",
        "kind": "bad",
        "status": "equivalent",
        "engine": "structure",
        "seconds": 0.0,
        "detail": None,
        "counterexample": None,
        "residual": None,
    }
    assert data["counterexample"] == {
        "output": "y",
        "inputs": {"a": 1, "b": None},
        "latches": {"q": 0},
        "left": {"y": 0, "z": None},
        "right": {"y": 1, "z": 1},
        "words": {"inputs": {}, "latches": {}, "left": {}, "right": {}},
    }
    assert data["matching"]["inputs"] == {"how": "name", "pairs": [["a", "a"], ["b", None]]}
    assert set(data["engines"][0]) == {
        "name",
        "outcome",
        "equal",
        "different",
        "seconds",
        "stats",
        "detail",
    }


def test_a_verdict_has_no_truth_value() -> None:
    statuses: tuple[Status, ...] = ("equivalent", "different", "undecided")
    for status in statuses:
        verdict = Verdict(status=status, outputs=())
        with pytest.raises(TypeError, match=r"verdict\.equivalent"):
            bool(verdict)
        assert (verdict.equivalent, verdict.different, verdict.undecided) == tuple(
            s == status for s in statuses
        )


def test_it_is_frozen() -> None:
    verdict = full_verdict()
    with pytest.raises(FrozenInstanceError):
        verdict.status = "equivalent"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


def test_lookup() -> None:
    verdict = full_verdict()
    assert verdict["z"].kind == "bad"
    assert [o.name for o in verdict.with_status("different")] == ["y", "next(q)"]
    assert verdict.counterexample is CEX
    with pytest.raises(KeyError):
        verdict["nothing"]


def test_summaries() -> None:
    verdict = full_verdict()
    lines = str(verdict).splitlines()
    assert lines[0] == "different: 2 of 4 outputs differ, 1.50 s"
    assert "  undecided: w" in lines
    assert "  next(q): the resets differ" in lines
    assert any("a=1 q=0 (the other 1 do not matter): y is 0 left, 1 right" in line for line in lines)
    assert repr(verdict) == "<Verdict different: 1 equivalent, 2 different, 1 undecided, 1.50 s>"
    assert "vacuously" in str(Verdict(status="equivalent", outputs=()))
    one_open = Verdict(status="undecided", outputs=(verdict.outputs[3],), reason="timeout")
    assert str(one_open).startswith("undecided (timeout): 1 of 1 outputs are open")


def test_long_lists_are_cut() -> None:
    assert cut_list([str(i) for i in range(10)]) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
    assert cut_list([str(i) for i in range(13)]).endswith("9 and 3 more")
    many = Counterexample("y", {f"a{i}": 1 for i in range(100)}, {}, {"y": 0}, {"y": 1})
    assert "(60 more)" in str(many)
    assert str(Counterexample("y", {"a": None}, {}, {"y": 0}, {"y": 1})).startswith("any input: y is 0")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["schema"], "dynomite.verdict/99"),
        (["status"], "maybe"),
        (["outputs"], {}),
        (["outputs", 0, "status"], None),
        (["outputs", 0, "kind"], "input"),
        (["outputs", 0, "seconds"], "soon"),
        (["outputs", 0, "counterexample", "inputs", "a"], 2),
        (["outputs", 0, "counterexample", "inputs", "a"], True),
        (["matching", "inputs", "how"], "guess"),
        (["matching", "inputs", "pairs"], [["a"]]),
        (["matching", "inputs", "pairs"], [["a", 3]]),
        (["assumptions"], [1]),
        (["engines", 0, "equal"], True),
        (["engines", 0, "stats", "conflicts"], "7"),
        (["peak_bytes"], 1.5),
    ],
)
def test_wrong_data_is_refused(path: list[Any], value: object) -> None:
    data = json.loads(full_verdict().to_json())
    place: Any = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(UsageError, match="not a verdict"):
        Verdict.from_dict(cast("dict[str, Any]", data))


def test_unknown_keys_are_ignored() -> None:
    data = full_verdict().to_dict() | {"added_later": 1}
    assert Verdict.from_dict(data) == full_verdict()
