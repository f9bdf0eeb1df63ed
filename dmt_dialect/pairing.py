"""Pairing one section of ports of two designs: by name, by order, or not at all with the reason.

See `dmt_dialect.matching` for the rules. Names like pi0, pi1... or bare numbers, which formats without
unnamed ports force upon tools, count as none when the other side has real names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dmt_dialect.verdict import How, cut_list
from dynomite.errors import UsageError

MatchMode = Literal["auto", "name", "order", "function"]
Names = Sequence[str | None]

_NUMBERED = re.compile(r"(pi|po|li|lo|[iol])(\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Pairing:
    """Partners of one section: positions in the left design and in the right one; -1 where there is none."""

    how: How
    left: tuple[int, ...]
    right: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One section of both designs.

    `letter` numbers ports without a name, as AIGER's symbol table does; `key` is its name in an AIG.
    """

    noun: str
    letter: str
    left: list[str | None]
    right: list[str | None]
    key: str = ""


@dataclass(slots=True)
class Findings:
    """What the pairing of all sections has found: notes for the verdict, and reasons to refuse.

    `by_order` has the sections paired by order under the reason for it; `given` pairings that are known.
    """

    notes: list[str] = field(default_factory=list[str])
    by_order: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    errors: list[str] = field(default_factory=list[str])
    advice: list[str] = field(default_factory=list[str])
    counts_differ: bool = False
    given: dict[str, Pairing] = field(default_factory=dict[str, Pairing])

    def refuse(self, section: Section, reason: str) -> None:
        """Notes why a section does not fit."""
        self.errors.append(f"{plural(section.noun)}: {reason}")
        self.counts_differ |= len(section.left) != len(section.right)

    def raise_errors(self, names: tuple[str, str]) -> None:
        """Raises if anything does not fit."""
        if not self.errors:
            return
        advice = "--match order (match='order') pairs them by position, --match function by what they do"
        if self.counts_differ:
            advice += ", but both need as many on both sides"
        lines = [f"the ports of {names[0]} and {names[1]} do not match:", *(f"  {e}" for e in self.errors)]
        raise UsageError("\n".join([*lines, *self.advice, advice]))

    def all_notes(self) -> tuple[str, ...]:
        """The notes, those on sections paired by order first and drawn together."""
        orders = [f"{listed(nouns)} are paired by order: {why}" for why, nouns in self.by_order.items()]
        return (*orders, *self.notes)


def pair_section(section: Section, mode: MatchMode, found: Findings, free: bool = False) -> Pairing:
    """Pairs one section; what does not fit is noted in `found`, and the pairing is then empty."""
    left, right = section.left, section.right
    if section.key in found.given:
        return found.given[section.key]
    if not left and not right:
        return Pairing("empty", (), ())
    if mode == "order":
        return _by_order(section, found, "as asked")
    unnamed = [side for side, names in (("left", left), ("right", right)) if not any(names)]
    if mode == "auto" and left and right and unnamed:
        who = (
            "neither design names them"
            if len(unnamed) == 2
            else f"the {unnamed[0]} design does not name them"
        )
        return _by_order(section, found, who)
    numbered = [side for side, names in (("left", left), ("right", right)) if _only_numbered(names)]
    if mode == "auto" and len(numbered) == 1 and len(left) == len(right) and not {*left} & {*right}:
        first = section.left[0] if numbered == ["left"] else section.right[0]
        return _by_order(
            section, found, f"the {numbered[0]} design only numbers them ({first}, ...)", quiet=True
        )
    if None in left or None in right:
        return _partly_named(section, mode, found)
    return _by_name(section, found, free)


def _only_numbered(names: Names) -> bool:
    """Whether the names are those that tools give to ports without one: pi0, pi1..., or node numbers."""
    if all(name is not None and name.isdecimal() for name in names):
        return bool(names)
    match = _NUMBERED.fullmatch(names[0] or "") if names else None
    if match is None:
        return False
    prefix, first = match[1], int(match[2])
    return first <= 1 and all(name == f"{prefix}{first + k}" for k, name in enumerate(names))


def _by_order(section: Section, found: Findings, reason: str, *, quiet: bool = False) -> Pairing:
    count = len(section.left)
    if count != len(section.right):
        found.refuse(section, f"{count} left, {len(section.right)} right")
        return Pairing("empty", (), ())
    if not quiet and any(a and b and a != b for a, b in zip(section.left, section.right, strict=True)):
        reason += " (some names disagree)"
    found.by_order.setdefault(reason, []).append(plural(section.noun))
    return Pairing("order", tuple(range(count)), tuple(range(count)))


def _partly_named(section: Section, mode: MatchMode, found: Findings) -> Pairing:
    """Some ports lack a name. By order if every name that both sides have stands at the same position."""
    left, right = section.left, section.right
    agree = (
        mode == "auto"
        and len(left) == len(right)
        and all(a is None or b is None or a == b for a, b in zip(left, right, strict=True))
        and not _moved(left, right)
    )
    if agree:
        return _by_order(section, found, "only some have names, and these agree")
    holes = [
        f"{side}: {names.count(None)} of {len(names)}" for side, names in (("left", left), ("right", right))
    ]
    found.refuse(section, f"some have no name ({', '.join(holes)})")
    return Pairing("empty", (), ())


def _moved(left: Names, right: Names) -> bool:
    """Whether a name stands at different positions on the two sides."""
    place = {name: i for i, name in enumerate(left) if name is not None}
    return any(name is not None and place.get(name, j) != j for j, name in enumerate(right))


def _by_name(section: Section, found: Findings, free: bool) -> Pairing:
    left = [name for name in section.left if name is not None]
    right = [name for name in section.right if name is not None]
    twice = [_twice(names) for names in (left, right)]
    if any(twice):
        if left == right:
            return _by_order(section, found, "names repeat, alike on both sides")
        for side, names in zip(("left", "right"), twice, strict=True):
            if names:
                found.refuse(section, f"names given more than once on the {side}: {cut_list(names)}")
        return Pairing("empty", (), ())

    place = {name: j for j, name in enumerate(right)}
    known = set(left)
    only_left = [i for i, name in enumerate(left) if name not in place]
    only_right = [j for j, name in enumerate(right) if name not in known]
    pairs = [(i, place[name]) for i, name in enumerate(left) if name in place]
    if only_left or only_right:
        if not free or not pairs:
            _refuse_names(section, [left[i] for i in only_left], [right[j] for j in only_right], pairs, found)
            return Pairing("empty", (), ())
        for side, names in (
            ("left", [left[i] for i in only_left]),
            ("right", [right[j] for j in only_right]),
        ):
            if names:
                found.notes.append(
                    f"{plural(section.noun)} that only the {side} design has are left free: {_cut(names)}"
                )
        pairs += [(i, -1) for i in only_left] + [(-1, j) for j in only_right]
    return Pairing("name", tuple(i for i, _ in pairs), tuple(j for _, j in pairs))


def _refuse_names(
    section: Section, left: list[str], right: list[str], common: Sequence[object], found: Findings
) -> None:
    parts: list[str] = []
    if not common and section.left and section.right:
        parts.append("no name is common to both")
    if left:
        parts.append(f"only left: {_cut(left)}")
    if right:
        parts.append(f"only right: {_cut(right)}")
    found.refuse(section, "; ".join(parts))
    if section.noun == "input" and common:
        found.advice.append("--free-inputs (free_inputs=True) leaves inputs that only one side has free")


def _twice(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _cut(names: list[str]) -> str:
    """The names, members of one bus drawn together, cut when long."""
    runs: list[tuple[str, int, int] | str] = []
    for name in names:
        base, bracket, rest = name.rpartition("[")
        if not (bracket and base and rest.endswith("]") and rest[:-1].isdecimal()):
            runs.append(name)
            continue
        index = int(rest[:-1])
        last = runs[-1] if runs else ""
        if isinstance(last, tuple) and last[0] == base and last[2] + 1 == index:
            runs[-1] = (base, last[1], index)
        else:
            runs.append((base, index, index))
    texts = [
        r if isinstance(r, str) else f"{r[0]}[{r[1]}]" if r[1] == r[2] else f"{r[0]}[{r[1]}..{r[2]}]"
        for r in runs
    ]
    return cut_list(texts)


def listed(nouns: Sequence[str]) -> str:
    """The nouns as text: "a, b and c"."""
    return nouns[0] if len(nouns) == 1 else f"{', '.join(nouns[:-1])} and {nouns[-1]}"


def plural(noun: str) -> str:
    """The plural of a noun of this module."""
    if noun.endswith("y"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("ch") else f"{noun}s"
