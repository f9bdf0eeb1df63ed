"""Every row of the shared cases about reading, writing, simulation, equivalence, sweeping and diagrams.

A row is checked by its operation, through the command line, against what its fields say and, where its text
says more than its fields, against the tables below. Circuits are compared through independent models of the
file formats (`tests/support/reference_*.py`), never through the readers under test alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support import bdd_cases, reference_aiger, reference_blif, solve_cases
from tests.support.command import Outcome, run_command
from tests.support.shared_data import Case, read_cases

KINDS = re.compile(r"aiger.*|blif.*|lec.*|sweep.*|rewrite|deep|bdd|smt|sat")
CASES = [case for case in read_cases() if KINDS.fullmatch(case.kind) and not case.operation.endswith("-ir")]
by_id = {case.id: case for case in CASES}


@dataclass(frozen=True)
class Fault:
    """What the message about a bad file has to say: its place, and every one of `words`."""

    line: int | None = None
    offset: bool = False
    words: tuple[str, ...] = ()
    seconds: float = 5.0
    extra_bytes: int = 100_000_000


FAULTS: dict[str, Fault] = {
    "aag-undefined-literal": Fault(line=5, words=("9",)),
    "aag-never-defined": Fault(words=("4",)),
    "aig-m-mismatch": Fault(line=1, words=("9",)),
    "aag-cycle": Fault(words=("2", "3", "cycl|loop")),
    "aag-duplicate-def": Fault(line=3, words=("twice|already|defined",)),
    "aig-truncated": Fault(offset=True, words=("AND|and", "2", "end")),
    "aig-overlong-delta": Fault(offset=True),
    "aig-negative-operand": Fault(offset=True, words=("16", "6")),
    "aig-zero-delta": Fault(offset=True),
    "aiger-allocation-bomb": Fault(line=1, seconds=1.0),
    "aag-negative-header": Fault(line=1, words=("-1|negative",)),
    "aag-latch-bad-reset": Fault(line=3, words=("2",)),
    "aag-symbol-bad-index": Fault(line=4, words=("i7|7",)),
    "file-empty": Fault(words=("empty",)),
    "r-aig-hdr-short": Fault(line=1),
    "r-aig-bad-short": Fault(words=("bad",)),
    "r-aig-trunc-latch": Fault(words=("latch",)),
    "r-aig-bomb-inputs": Fault(line=1, seconds=1.0, extra_bytes=200_000_000),
    "r-aig-m-small": Fault(line=1),
    "r-aig-dup-latch-and": Fault(line=5, words=("latch|twice|already",)),
    "r-aig-cycle-unobserved": Fault(words=("3", "4", "cycl|loop")),
    "r-aig-odd-lhs": Fault(line=5, words=("7",)),
    "r-aig-reset-function": Fault(line=4, words=("4", "reset")),
    "blif-mixed-cover": Fault(line=6),
    "blif-undriven": Fault(words=(r"\bk\b",)),
    "blif-double-driver": Fault(line=6, words=(r"\by\b", "4")),
    "blif-cycle": Fault(words=(r"\by\b", r"\bx\b", "loop|cycl")),
    "blif-row-width": Fault(line=5, words=("1", "2")),
    "blif-subckt-recursive": Fault(words=(r"\ba\b", "itself|recurs")),
    "blif-subckt-missing": Fault(line=4, words=("ghost",)),
    "r-blif-drv-latch": Fault(words=(r"\bq\b",)),
    "r-blif-undriven-latch": Fault(words=("ghost",)),
    "r-blif-hier-cycle": Fault(words=(r"\bv\b", r"\bw\b", "loop|cycl")),
    "r-blif-row-wide": Fault(line=5, words=("4", "2")),
}

# What is right where a row has no `data`; for data's fields see the README of the cases.
DATA: dict[str, dict[str, Any]] = {
    "aag-hole-unused": {"truth": ["0001"]},
    "aag-const-outputs": {"truth": ["00", "11", "10"]},
    "aag-latch-reset": {"resets": [0, 1, None], "inputs": ["1", "0"], "outputs": ["010", "111"]},
    "aag-19-sections": {"sections": True},
    "aag-symbol-spaces": {
        "truth": ["0001"],
        "names": {"i0": "top.u0/data[3] (copy)", "i1": "\\escaped+name ", "o0": "ünïcode out"},
    },
    "aag-crlf": {"truth": ["0001"], "or_error": "line ending|carriage|CR"},
    "aag-empty": {"truth": []},
    "blif-constants": {"truth": ["00", "11", "00"]},
    "blif-tautology-cube": {"truth": ["1111", "0000"]},
    "blif-continuation": {"truth": ["00000001"]},
    "blif-no-end": {"truth": ["10"]},
    "blif-no-model": {"truth": ["01"], "model": "nomodel"},
    "blif-latch-forms": {
        "resets": [None, 1, 0, None, None],
        "blif_inits": [3, 1, 0, 2, 3],
        "clocks": [(None, None), (None, None), ("re", "clk"), ("re", "clk"), ("fe", "clk")],
    },
    "blif-names-odd": {
        "truth": ["00000001"],
        "names": {"i0": "$abc$1$n2", "i1": "u0/d[3]", "i2": "a.b<2>", "o0": "out[0]"},
    },
    "blif-exdc": {"truth": ["0001"], "note": "exdc|don't.care"},
    "blif-wide-and": {"stats": {"inputs": 5000, "outputs": 1, "ands": 4999, "levels": 13}},
    "r-aig-tab-header": {"truth": ["10"], "or_error": "blank|space|tab|header"},
    "r-aig-output-not-bad": {"resets": [1], "names": {"l0": "lamp", "o0": "lamp_out"}},
    "r-blif-cont-crlf": {"or_error": "line ending|carriage|CR"},
    "r-blif-spec-extras": {"note": "delay|area|skipped|ignored"},
    "r-conv-uninit-to-blif": {"resets": [None, 1, 0], "blif_inits": [3, 1, 0]},
}


@dataclass
class Bench:
    """What a checker works with: one case, the folder of its files, a folder to write to."""

    case: Case
    folder: Path
    scratch: Path

    @property
    def file(self) -> Path:
        return self.folder / self.case.files[0]

    @property
    def data(self) -> dict[str, Any]:
        return {**DATA.get(self.case.id, {}), **self.case.data}

    def run(self, *arguments: str | Path, timeout: float = 120.0) -> Outcome:
        return run_command(*arguments, timeout=timeout, folder=self.scratch)

    def convert(self, source: Path, suffix: str, stem: str = "out") -> Path:
        target = self.scratch / f"{stem}{suffix}"
        done = self.run("convert", source, target)
        assert done.status == 0, done.err
        return target

    def as_aiger(self, source: Path, stem: str = "seen") -> reference_aiger.Model:
        return reference_aiger.parse(self.convert(source, ".aag", stem).read_bytes())


@pytest.fixture
def bench(case: Case, shared: Path, tmp_path: Path) -> Bench:
    return Bench(case, shared / "cases", tmp_path)


def check_error(bench: Bench) -> None:
    """Exit status 2, one line that names file and place, bounded time and memory."""
    fault = FAULTS[bench.case.id]
    trivial = bench.scratch / "trivial.aag"
    trivial.write_text("aag 0 0 0 0 0\n")
    base = bench.run("stats", trivial)
    done = bench.run("stats", bench.file)
    assert done.status == 2, done.out
    assert not done.out, "nothing half-read is shown"
    place = r"byte \d+" if fault.offset else rf"{fault.line or '[0-9]+'}(?::\d+)?"
    if fault.line is None and not fault.offset:
        place = rf"(?:{place}|\s*byte \d+)"
    first = done.err.splitlines()[0]
    match = re.match(rf"dynomite: {re.escape(str(bench.file))}: ?{place}: error: (.*)", first)
    assert match, done.err
    for word in fault.words:
        assert re.search(word, match.group(1)), f"{word!r} is not in: {match.group(1)}"
    assert done.seconds - base.seconds < fault.seconds
    assert done.peak_bytes - base.peak_bytes < fault.extra_bytes


def check_logic(bench: Bench, source: Path, data: dict[str, Any]) -> None:
    """The circuit in `source`, seen through independent models of AIGER and of BLIF."""
    aiger = bench.convert(source, ".aag", "seen")
    model = reference_aiger.parse(aiger.read_bytes())
    check_facts(model, data)
    if "sections" in data:
        return  # BLIF has no properties
    blif = reference_blif.parse(bench.convert(aiger, ".blif", "flat").read_text("utf-8"))
    assert len(blif.inputs) == len(model.inputs)
    assert len(blif.outputs) == len(model.outputs)
    if "truth" in data:
        assert blif.truth() == data["truth"]
    if "outputs" in data:
        assert blif.trace(data["inputs"]) == data["outputs"]
    if "model" in data or "blif_inits" in data:  # straight from the file: more is kept than an AIG holds
        kept = reference_blif.parse(bench.convert(source, ".blif", "kept").read_text("utf-8"))
        assert kept.name == data.get("model", kept.name)
        assert [latch.init for latch in kept.latches] == data.get("blif_inits", [])
        if "clocks" in data:
            assert [(latch.type, latch.control) for latch in kept.latches] == data["clocks"]


def check_facts(model: reference_aiger.Model, data: dict[str, Any]) -> None:
    """The fields of `data` on one AIGER model."""
    if isinstance(data.get("inputs"), int):
        assert len(model.inputs) == data["inputs"]
    if "truth" in data:
        assert model.truth() == data["truth"]
    if "outputs" in data:
        assert model.trace(data["inputs"]) == data["outputs"]
    if "on_count" in data:
        assert [column.count("1") for column in model.truth()] == [data["on_count"]]
    if "resets" in data:
        assert [latch.reset for latch in model.latches] == data["resets"]
    if "names" in data:
        named = {key: name for key, name in model.symbols.items() if key in data["names"]}
        assert named == data["names"]
        assert "i0" in data["names"] or model.symbols.get("i0") is None
    if "order" in data:
        assert model.names("i") == data["order"]
    if "sections" in data:
        check_sections(model)


def check_sections(model: reference_aiger.Model) -> None:
    """The case with every section of AIGER 1.9."""
    assert (len(model.inputs), len(model.latches), len(model.outputs), len(model.bad)) == (2, 1, 1, 2)
    assert (len(model.constraints), [len(group) for group in model.justice]) == (1, [2])
    assert len(model.fairness) == 1
    assert model.symbols == {
        "i0": "a",
        "i1": "b",
        "l0": "q",
        "o0": "y",
        "b0": "bad zero",
        "b1": "bad one",
        "c0": "assume",
        "j0": "live",
        "f0": "fair",
    }
    assert "free text" in model.comment


def check_value(bench: Bench) -> None:
    """Reads right; some rows allow a clear error instead."""
    data = bench.data
    stats = bench.run("stats", bench.file, "--json")
    if "truth_if_accepted" in data:
        data = {**data, "truth": data["truth_if_accepted"]}
    if stats.status == 2 and "or_error" in data:
        assert re.search(data["or_error"], stats.err), stats.err
        return
    assert stats.status == 0, stats.err
    if "note" in data:
        assert re.search(data["note"], stats.err), "dropped without a word"
    if "stats" in data:
        numbers = stats.json()
        assert {key: numbers[key] for key in data["stats"]} == data["stats"]
    known = {"truth", "outputs", "resets", "on_count", "stats", "sections"}
    assert known & data.keys(), "this row checks nothing: add it to DATA"
    check_logic(bench, bench.file, data)


def check_simulate(bench: Bench) -> None:
    """As `check_value`, and the same through `dynomite sim`."""
    check_value(bench)
    data = bench.data
    if "outputs" in data:
        vectors, expected = list(data["inputs"]), list(data["outputs"])
    elif "truth" in data:
        count = len(bench.as_aiger(bench.file).inputs)
        vectors = [format(index, f"0{count}b")[::-1] if count else "" for index in range(1 << count)]
        expected = ["".join(column[index] for column in data["truth"]) for index in range(1 << count)]
    else:
        return
    lines = bench.scratch / "vectors.txt"
    lines.write_text("".join(f"{vector or '-'}\n" for vector in vectors))
    done = bench.run("sim", bench.file, "--vectors", lines)
    assert done.status == 0, done.err
    header = [line for line in done.out.splitlines() if line.startswith("#")][-1].split()[1:]
    rows = [line.split() for line in done.out.splitlines() if not line.startswith("#")]
    assert [row[header.index("outputs")] for row in rows] == expected


def check_roundtrip(bench: Bench) -> None:
    """Every format that can hold the circuit gives it back: function, resets, names, sections."""
    check_value(bench)
    data = bench.data
    suffixes = [".aag", ".aig"] if "sections" in data else [".aag", ".aig", ".blif"]
    for suffix in suffixes:
        written = bench.convert(bench.file, suffix, "first")
        again = bench.as_aiger(written)
        if suffix == ".blif":  # names with blanks and unnamed ports cannot survive in BLIF
            check_facts(again, {key: value for key, value in data.items() if key not in ("names", "order")})
        else:
            check_facts(again, data)
            assert again.symbols == bench.as_aiger(bench.file, "direct").symbols
        if bench.case.id == "blif-names-odd":
            check_facts(again, data)


def check_convert_to_blif(bench: Bench) -> None:
    """Latch values in BLIF, and back."""
    check_value(bench)
    written = bench.convert(bench.file, ".blif")
    assert [latch.reset for latch in bench.as_aiger(written).latches] == bench.data["resets"]


def check_lec(bench: Bench) -> None:
    """`dynomite lec --json` gives the expected verdict, with evidence."""
    operation = bench.case.operation
    if operation.startswith("lec-vs:"):
        left, right = bench.file, bench.folder / operation.removeprefix("lec-vs:")
    elif len(bench.case.files) == 2:
        left, right = bench.file, bench.folder / bench.case.files[1]
    else:
        left = right = bench.file
    done = bench.run("lec", left, right, "--json")
    if bench.case.expected == "error":
        assert done.status == 2, done.out
        assert re.match(r"dynomite: .*error: ", done.err), done.err
        for word in LEC_ERRORS[bench.case.id]:
            assert re.search(word, done.err), f"{word!r} is not in: {done.err}"
        return
    assert done.status == {"equivalent": 0, "different": 1}[bench.case.expected], done.err
    verdict = done.json()
    assert verdict["status"] == bench.case.expected
    if bench.case.expected == "different":
        check_counterexample(bench, left, right, verdict)
    LEC_DETAILS.get(bench.case.id, lambda _: None)(verdict)


LEC_ERRORS: dict[str, tuple[str, ...]] = {
    "lec-io-mismatch": (r"\bb\b", "input", "--free-inputs"),
    "r-lec-names-foreign": ("pi0", r"\b1\b", "--match order"),
    "r-lec-out-count": (r"\bz\b", "output"),
}


def statuses(verdict: dict[str, Any]) -> dict[str, str]:
    """Status of each output by name."""
    return {output["name"]: output["status"] for output in verdict["outputs"]}


def one_output_differs(verdict: dict[str, Any]) -> None:
    assert statuses(verdict) == {"s": "equivalent", "t": "equivalent", "u": "different"}
    inputs = verdict["counterexample"]["inputs"]
    assert (inputs["a"], inputs["c"]) == (1, 1)
    assert inputs["b"] not in (0, 1), "b does not matter"


def latches_cut_with_a_note(verdict: dict[str, Any]) -> None:
    assert re.search("latch", " ".join(verdict["assumptions"]))


def vacuous(verdict: dict[str, Any]) -> None:
    assert verdict["outputs"] == []
    assert re.search("no output", " ".join(verdict["assumptions"]))


def all_ones(verdict: dict[str, Any]) -> None:
    assert verdict["counterexample"]["inputs"] == {f"x{index}": 1 for index in range(28)}


def opposite_inputs(verdict: dict[str, Any]) -> None:
    assert sorted(verdict["counterexample"]["inputs"].values()) == [0, 1]


def by_name(verdict: dict[str, Any]) -> None:
    assert "name" in str(verdict["matching"])


LEC_DETAILS: dict[str, Callable[[dict[str, Any]], None]] = {
    "lec-one-output-differs": one_output_differs,
    "aig-latched-into-comb": latches_cut_with_a_note,
    "lec-zero-outputs": vacuous,
    "r-lec-rare-1": all_ones,
    "lec-order-unnamed": opposite_inputs,
    "r-lec-xor-forms": opposite_inputs,
    "r-lec-bus-order": by_name,
    "lec-order": by_name,
}


def check_counterexample(bench: Bench, left: Path, right: Path, verdict: dict[str, Any]) -> None:
    """The inputs shown give different outputs on both files, whatever the don't-cares are."""
    shown: dict[str, Any] = verdict["counterexample"]["inputs"]
    models = [bench.as_aiger(left, "left"), bench.as_aiger(right, "right")]
    for fill in (0, 1):
        outputs: list[list[int]] = []
        for model in models:
            names = model.names("i")
            keys = [name if name is not None else key for name, key in zip(names, shown, strict=True)]
            inputs = [shown[key] if shown[key] in (0, 1) else fill for key in keys]
            outputs.append(model.pick(model.values(inputs, [], 1), model.outputs, 1))
        assert outputs[0] != outputs[1]


def check_sweep(bench: Bench) -> None:
    """`dynomite sweep --verify`: same function, names and order kept, small enough."""
    data = bench.data
    swept = bench.scratch / "swept.aag"
    done = bench.run("sweep", bench.file, swept, "--verify")
    assert done.status == 0, done.err
    before, after = bench.as_aiger(bench.file), reference_aiger.parse(swept.read_bytes())
    assert after.symbols == before.symbols
    assert len(after.inputs) == len(before.inputs)
    assert [latch.reset for latch in after.latches] == [latch.reset for latch in before.latches]
    if before.latches:
        check_cut_equal(before, after)
    elif len(before.inputs) <= 14:
        assert after.truth() == before.truth()
    if "truth" in data:
        check_facts(after, data)
    if "max_ands" in data:
        assert len(after.ands) <= data["max_ands"]
    again = bench.scratch / "again.aag"
    assert bench.run("sweep", swept, again).status == 0
    assert len(reference_aiger.parse(again.read_bytes()).ands) <= len(after.ands)
    if bench.case.id == "r-sweep-rare":
        check_rare_points(after)


def check_cut_equal(before: reference_aiger.Model, after: reference_aiger.Model) -> None:
    """Outputs and next states agree for every value of inputs and latches: a combinational sweep."""
    count = len(before.inputs) + len(before.latches)
    columns = [reference_aiger.input_pattern(index, count) for index in range(count)]
    inputs, state = columns[: len(before.inputs)], columns[len(before.inputs) :]
    width = 1 << count
    seen = [
        model.pick(
            model.values(inputs, state, width),
            [
                *model.outputs,
                *model.bad,
                *model.constraints,
                *model.fairness,
                *(latch.next for latch in model.latches),
            ],
            width,
        )
        for model in (before, after)
    ]
    assert seen[0] == seen[1]


def check_rare_points(model: reference_aiger.Model) -> None:
    """All ones, and all ones but the last input."""
    count = len(model.inputs)
    for inputs, expected in (([1] * count, [1, 1, 0]), ([1] * (count - 1) + [0], [1, 0, 0])):
        assert model.pick(model.values(inputs, [], 1), model.outputs, 1) == expected


def check_deep(bench: Bench) -> None:
    """Reads, sweeps, writes and compares circuits a million levels deep."""
    swept = bench.scratch / "swept.aig"
    done = bench.run("sweep", bench.file, swept, "--verify", timeout=110)
    assert done.status == 0, done.err
    for left, right in ((bench.file, bench.file), (bench.file, swept)):
        verdict = bench.run("lec", left, right, timeout=110)
        assert verdict.status == 0, verdict.err
    if "truth" in bench.data:
        model = bench.as_aiger(swept)
        check_facts(model, bench.data)
        assert len(model.ands) <= 16, "a handful of ANDs is enough"
        check_facts(bench.as_aiger(bench.file), bench.data)


CHECKERS: dict[str, Callable[[Bench], None]] = {
    "build, count": lambda bench: bdd_cases.check_deep(bench.file),
    "build, compare": lambda bench: bdd_cases.check_laws(bench.file),
    "read": check_value,
    "simulate": check_simulate,
    "roundtrip": check_roundtrip,
    "convert to BLIF": check_convert_to_blif,
    "sweep": check_sweep,
    "rewrite": check_sweep,
    "rewrite until no change": check_sweep,
    "bitblast, solve": lambda bench: solve_cases.check_smt(bench.case, bench.folder, bench.scratch),
    "solve with assumptions": lambda bench: solve_cases.check_assumptions(bench.case, bench.folder),
    "read DIMACS, solve": lambda bench: solve_cases.check_formula(bench.case, bench.folder, bench.scratch),
}


def checker_of(case: Case) -> Callable[[Bench], None]:
    """The check of a row, by its kind, operation and expected outcome."""
    if case.kind == "deep":
        return check_deep
    if case.operation.startswith("lec"):
        return check_lec
    if case.expected == "error" and "or_error" not in DATA.get(case.id, {}):
        return check_error
    return CHECKERS[case.operation]


def test_tables_fit_the_cases(shared: Path) -> None:
    assert shared.is_dir()
    assert len(CASES) >= 90
    assert (FAULTS.keys() | DATA.keys() | LEC_ERRORS.keys() | LEC_DETAILS.keys()) <= by_id.keys()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case, bench: Bench) -> None:
    checker_of(case)(bench)
