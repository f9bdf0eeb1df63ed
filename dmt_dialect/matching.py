"""Pairing the inputs, latches and outputs of two designs before they are compared.

By name when both sides are fully named; by position, with a note, when one side has no names (or only the
numbers that tools give to ports without names, while the other side has real names). Everything else is
refused with the list of what does not fit, because a wrong pairing gives a wrong answer: names that differ,
counts that differ, names given twice. `mode="order"` pairs by position whatever the names say.

Latches are cut: the present state of each counts as an input, its next state as an output, so that latches
pair under the same rules. Properties of AIGER 1.9 (bad, constraint, justice, fairness) are compared like
outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmt_dialect.pairing import Findings, MatchMode, Names, Pairing, Section, listed, pair_section, plural
from dmt_dialect.verdict import How, Kind, Matching, PortPairs, cut_list

if TYPE_CHECKING:
    from dynomite._native.aig import Aig


_RANK: tuple[How, ...] = ("function", "order", "name", "empty")
"""Of several ways, the first one here is that of all together."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two functions to be proved equal.

    Attributes:
        name: Name for people, unique among the compared functions.
        kind: What it is in the left design.
        left: Literal in the left design, as AIGER writes it.
        right: Literal in the right design.
        detail: Why the two differ whatever their functions are (resets of a latch); None otherwise.
    """

    name: str
    kind: Kind
    left: int
    right: int
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Matched:
    """All pairs of two designs.

    `input_names` and `latch_names` are unique, in the order of the pairs; `functions` are in the order of
    `outputs`, then the properties and the next states.
    """

    inputs: Pairing
    latches: Pairing
    input_names: tuple[str, ...]
    latch_names: tuple[str, ...]
    functions: tuple[Compared, ...]
    record: Matching
    assumptions: tuple[str, ...]
    outputs: Pairing


def match_ports(
    left: Aig,
    right: Aig,
    *,
    mode: MatchMode = "auto",
    free_inputs: bool = False,
    names: tuple[str, str] = ("the left design", "the right design"),
    given: Mapping[str, Pairing] | None = None,
) -> Matched:
    """Pairs the ports of two designs.

    Args:
        left: One design.
        right: The other.
        mode: "auto" as the module says; "name" refuses sides without names; "order" looks at positions only.
        free_inputs: Inputs that only one side has stay free instead of being refused; by name only.
        names: How messages call the two.
        given: Pairings of sections that are known already, by their names in an AIG.

    Raises:
        UsageError: They do not fit; the message lists what does not.
    """
    found = Findings(given=dict(given or {}))
    inputs = pair_section(
        Section("input", "i", left.names("inputs"), right.names("inputs"), "inputs"), mode, found, free_inputs
    )
    latches = pair_section(
        Section("latch", "l", left.names("latches"), right.names("latches"), "latches"), mode, found
    )
    outputs, functions, output_pairing = _pair_functions(left, right, mode, found)
    found.raise_errors(names)
    latch_names = left.names("latches"), right.names("latches")
    shown_latches = _shown("l", *latch_names, latches)
    functions += _next_states(left, right, latches, shown_latches)
    if latches.left:
        found.notes.append(
            f"the latches ({len(latches.left)}) are cut and paired by {latches.how}: their next states are "
            "compared for every present state, reachable or not, and their resets must be the same"
        )
    input_names = left.names("inputs"), right.names("inputs")
    return Matched(
        inputs=inputs,
        latches=latches,
        input_names=_unique(_shown("i", *input_names, inputs)),
        latch_names=_unique(shown_latches),
        functions=_with_unique_names(functions),
        record=Matching(
            inputs=_record("i", *input_names, inputs),
            outputs=outputs,
            latches=_record("l", *latch_names, latches),
        ),
        assumptions=found.all_notes(),
        outputs=output_pairing,
    )


def _pair_functions(
    left: Aig, right: Aig, mode: MatchMode, found: Findings
) -> tuple[PortPairs, list[Compared], Pairing]:
    """Pairs outputs and properties; the third result is that of the outputs alone."""
    output_pairing = Pairing("empty", (), ())
    rows: list[tuple[Kind, Section, list[int], list[int]]] = []
    kinds: list[tuple[Kind, str, str, str]] = [
        ("output", "outputs", "o", "output"),
        ("bad", "bad", "b", "bad-state property"),
        ("constraint", "constraints", "c", "constraint"),
        ("fairness", "fairness", "f", "fairness property"),
    ]
    for kind, section, letter, noun in kinds:
        lits = left.literals(section).tolist(), right.literals(section).tolist()
        rows.append((kind, Section(noun, letter, left.names(section), right.names(section), section), *lits))
    rows.append(_justice(left, right))

    # Before AIGER 1.9 outputs were the bad states; some writers still turn one into the other.
    (_, out, *out_lits), (_, bad, *bad_lits) = rows[0], rows[1]
    if (
        bool(out.left) != bool(out.right)
        and bool(bad.left) != bool(bad.right)
        and (bool(out.left) == bool(bad.right))
    ):
        side = "right" if out.left else "left"
        found.notes.append(
            f"the {side} design has bad-state properties and no outputs: "
            "they are compared with the outputs of the other"
        )
        merged = Section("output", "o", out.left or bad.left, out.right or bad.right)
        rows[:2] = [("output", merged, out_lits[0] or bad_lits[0], out_lits[1] or bad_lits[1])]

    functions: list[Compared] = []
    pairs: list[tuple[str | None, str | None]] = []
    hows: list[How] = []
    properties: list[str] = []
    for kind, section, left_lits, right_lits in rows:
        pairing = pair_section(section, mode, found)
        if not pairing.left:
            continue
        if kind == "output":
            output_pairing = pairing
        if kind == "justice" and pairing.how == "order" and _sizes(left) != _sizes(right):
            found.refuse(section, f"sets of {_sizes(left)} left, of {_sizes(right)} right")
        if kind != "output":
            properties.append(plural(section.noun))
        hows.append(pairing.how)
        pairs += _record(section.letter, section.left, section.right, pairing).pairs
        for name, i, j in zip(
            _shown(section.letter, section.left, section.right, pairing),
            pairing.left,
            pairing.right,
            strict=True,
        ):
            functions.append(Compared(name, kind, left_lits[i], right_lits[j]))
    if properties:
        found.notes.append(f"{listed(properties)} are compared like outputs and never assumed to hold")
    how = min(hows, key=_RANK.index) if hows else _RANK[-1]
    return PortPairs(how, tuple(pairs)), functions, output_pairing


def _justice(left: Aig, right: Aig) -> tuple[Kind, Section, list[int], list[int]]:
    """Justice properties are sets of literals: each literal is one compared function."""
    names: list[list[str | None]] = []
    lits: list[list[int]] = []
    for aig in (left, right):
        side_names: list[str | None] = []
        side_lits: list[int] = []
        for group, name in zip(aig.justice, aig.names("justice"), strict=True):
            side_names += [None if name is None else f"{name}[{k}]" for k in range(len(group))]
            side_lits += [lit.raw for lit in group]
        names.append(side_names)
        lits.append(side_lits)
    return "justice", Section("justice literal", "j", names[0], names[1]), lits[0], lits[1]


def _sizes(aig: Aig) -> str:
    return cut_list([str(len(group)) for group in aig.justice])


def _next_states(left: Aig, right: Aig, latches: Pairing, names: Sequence[str]) -> list[Compared]:
    nexts = left.literals("next_states").tolist(), right.literals("next_states").tolist()
    resets = left.resets, right.resets
    functions: list[Compared] = []
    for name, i, j in zip(names, latches.left, latches.right, strict=True):
        a, b = resets[0][i], resets[1][j]
        detail = None
        if a != b:
            detail = f"the resets differ: {_reset_text(a)} left, {_reset_text(b)} right"
        functions.append(Compared(f"next({name})", "latch", nexts[0][i], nexts[1][j], detail))
    return functions


def _reset_text(reset: int | None) -> str:
    return "uninitialised" if reset is None else str(reset)


def _name_at(letter: str, names: Names, position: int) -> str | None:
    return None if position < 0 else names[position] or f"{letter}{position}"


def _shown(letter: str, left: Names, right: Names, pairing: Pairing) -> list[str]:
    """The name of each pair: that of the left side, else of the right, else letter and left position."""
    return [
        (left[i] if i >= 0 else None) or (right[j] if j >= 0 else None) or f"{letter}{i if i >= 0 else j}"
        for i, j in zip(pairing.left, pairing.right, strict=True)
    ]


def _record(letter: str, left: Names, right: Names, pairing: Pairing) -> PortPairs:
    return PortPairs(
        pairing.how,
        tuple(
            (_name_at(letter, left, i), _name_at(letter, right, j))
            for i, j in zip(pairing.left, pairing.right, strict=True)
        ),
    )


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each made different from those before it by a number."""
    seen: set[str] = set()
    last_number: dict[str, int] = {}
    result: list[str] = []
    for name in names:
        shown = name
        while shown in seen:
            last_number[name] = number = last_number.get(name, 1) + 1
            shown = f"{name} #{number}"
        seen.add(shown)
        result.append(shown)
    return tuple(result)


def _with_unique_names(functions: Sequence[Compared]) -> tuple[Compared, ...]:
    return tuple(
        Compared(name, f.kind, f.left, f.right, f.detail)
        for name, f in zip(_unique(f.name for f in functions), functions, strict=True)
    )
