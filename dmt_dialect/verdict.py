"""The verdict of an equivalence check: evidence or no answer.

A `Verdict` is frozen and says for every compared function what is known, by which engine, and after how long;
it holds the counterexample, how the ports were paired and everything that was taken for granted. `to_dict`
gives the same as plain data for JSON, `Verdict.from_dict` reads it back. The keys are described in
`docs/verdict.md` and only ever grow.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, cast, get_args

from dmt_dialect.explanation import Explanation
from dmt_dialect.run_log import LogEntry
from dmt_dialect.word_values import WordValue, word_values
from dynomite.errors import UsageError

SCHEMA = "dynomite.verdict/1"

Status = Literal["equivalent", "different", "undecided"]
Kind = Literal["output", "bad", "constraint", "justice", "fairness", "latch"]
How = Literal["name", "order", "function", "empty"]
Bit = Literal[0, 1] | None


@dataclass(frozen=True, slots=True)
class OpenCone:
    """The size of what is left of an undecided function, both sides together, after sweeping.

    Attributes:
        ands: ANDs.
        inputs: Inputs and latches that it depends on.
        levels: Levels of ANDs.
    """

    ands: int
    inputs: int
    levels: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data; see `docs/verdict.md`."""
        return {"ands": self.ands, "inputs": self.inputs, "levels": self.levels}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> OpenCone:
        """The inverse of `to_dict`."""
        return cls(*(_get(data, key, int) for key in ("ands", "inputs", "levels")))


@dataclass(frozen=True, slots=True)
class OutputVerdict:
    """What is known about one compared function.

    Attributes:
        name: Its name in the left design, else in the right one, else its position as AIGER writes it ("o3").
        kind: What it is: an output, a property of AIGER 1.9, or the next state of a latch.
        status: The answer for this function alone.
        engine: Who gave the answer; None while undecided.
        seconds: Time from the start of the call to the answer (to the end of the call while undecided).
        detail: More about the answer where there is more to say, such as two different resets.
        counterexample: Where the two sides differ; kept for the first failing functions only when there are
            very many (the status of each was confirmed by simulation all the same).
        residual: What is left of it while undecided; None if that was not measured.
    """

    name: str
    kind: Kind
    status: Status
    engine: str | None = None
    seconds: float = 0.0
    detail: str | None = None
    counterexample: Counterexample | None = None
    residual: OpenCone | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data; see `docs/verdict.md`."""
        cex = self.counterexample
        return {
            "name": self.name,
            "kind": self.kind,
            "status": self.status,
            "engine": self.engine,
            "seconds": self.seconds,
            "detail": self.detail,
            "counterexample": None if cex is None else cex.to_dict(),
            "residual": None if self.residual is None else self.residual.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> OutputVerdict:
        """The inverse of `to_dict`."""
        cex = _get(data, "counterexample", dict, optional=True)
        residual = _get(data, "residual", dict, optional=True)
        return cls(
            name=_get(data, "name", str),
            kind=_choice(data, "kind", Kind),
            status=_choice(data, "status", Status),
            engine=_get(data, "engine", str, optional=True),
            seconds=_number(data, "seconds"),
            detail=_get(data, "detail", str, optional=True),
            counterexample=None if cex is None else Counterexample.from_dict(cex),
            residual=None if residual is None else OpenCone.from_dict(residual),
        )


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input for which the two designs differ, confirmed by simulating each of them as it was read.

    A value of None means "whatever you put there": the values shown on both sides hold for every choice.

    Attributes:
        output: The failing function this was made for.
        inputs: Value of each input.
        latches: Value of each latch (latches are cut, so their present state is free).
        left: Value of every compared function in the left design.
        right: The same in the right design, under the same names.
    """

    output: str
    inputs: dict[str, Bit]
    latches: dict[str, Bit]
    left: dict[str, Bit]
    right: dict[str, Bit]

    def to_dict(self) -> dict[str, Any]:
        """Plain data; see `docs/verdict.md`."""
        return {
            "output": self.output,
            "inputs": dict(self.inputs),
            "latches": dict(self.latches),
            "left": dict(self.left),
            "right": dict(self.right),
            "words": {
                section: {word.name: word.to_dict() for word in word_values(bits) if word.width > 1}
                for section, bits in (
                    ("inputs", self.inputs),
                    ("latches", self.latches),
                    ("left", self.left),
                    ("right", self.right),
                )
            },
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Counterexample:
        """The inverse of `to_dict`."""
        return cls(
            output=_get(data, "output", str),
            inputs=_bits(data, "inputs"),
            latches=_bits(data, "latches"),
            left=_bits(data, "left"),
            right=_bits(data, "right"),
        )

    def __str__(self) -> str:
        """One line: the inputs that matter, then both values of the failing function.

        Ports `a[0]`, `a[1]`... are shown as words.
        """
        needed = [word for word in word_values(self.inputs | self.latches) if set(word.bits) != {"x"}]
        shown = [f"{word.name}={word.text}" for word in needed]
        free = [*self.inputs.values(), *self.latches.values()].count(None)
        if len(shown) > 40:
            shown[40:] = [f"... ({len(shown) - 40} more)"]
        where = " ".join(shown) if shown else "any input"
        rest = f" (the other {free} do not matter)" if free and shown else ""
        failing = f"{self.output} is {self.left[self.output]} left, {self.right[self.output]} right"
        left, right = (self._failing_word(bits) for bits in (self.left, self.right))
        if left is not None and right is not None:
            failing += f" ({left.name} is {left.text} left, {right.text} right)"
        return f"{where}{rest}: {failing}"

    def _failing_word(self, bits: Mapping[str, Bit]) -> WordValue | None:
        """The word that the failing bit is part of."""
        base = self.output.rpartition("[")[0]
        words = (word for word in word_values(bits) if word.name == base and word.width > 1)
        return next(words, None) if base else None


@dataclass(frozen=True, slots=True)
class PortPairs:
    """How one section of ports was paired.

    Attributes:
        how: By name, by order, by function, or "empty" when neither side has such ports.
        pairs: Names of the partners, (left, right); None where a side has no such port (a free input).
    """

    how: How
    pairs: tuple[tuple[str | None, str | None], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data; see `docs/verdict.md`."""
        return {"how": self.how, "pairs": [list(pair) for pair in self.pairs]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PortPairs:
        """The inverse of `to_dict`."""
        pairs: list[tuple[str | None, str | None]] = []
        for pair in cast("list[object]", _get(data, "pairs", list)):
            names = cast("list[object]", pair if isinstance(pair, list) else [])
            if len(names) != 2 or not all(name is None or isinstance(name, str) for name in names):
                _bad("pairs", "a list of pairs of names", names)
            pairs.append(cast("tuple[str | None, str | None]", tuple(names)))
        return cls(how=_choice(data, "how", How), pairs=tuple(pairs))


@dataclass(frozen=True, slots=True)
class Matching:
    """How the ports of the two designs were paired; `outputs` includes the properties of AIGER 1.9."""

    inputs: PortPairs
    outputs: PortPairs
    latches: PortPairs

    def to_dict(self) -> dict[str, Any]:
        """Plain data; see `docs/verdict.md`."""
        return {
            "inputs": self.inputs.to_dict(),
            "outputs": self.outputs.to_dict(),
            "latches": self.latches.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Matching:
        """The inverse of `to_dict`."""
        return cls(*(PortPairs.from_dict(_get(data, key, dict)) for key in ("inputs", "outputs", "latches")))


@dataclass(frozen=True, slots=True)
class EngineRun:
    """One run of one engine.

    Attributes:
        name: "structure", "sweep", "sweep-2", "cadical", "bdd", "z3"...
        outcome: How it ended: "done", "limit", "stopped", "failed".
        equal: Functions it proved equal.
        different: Functions it found different.
        seconds: Its time.
        stats: Counters of the engine, such as conflicts.
        detail: Why it failed, if it did.
    """

    name: str
    outcome: str
    equal: int
    different: int
    seconds: float
    stats: dict[str, int | float] = field(default_factory=dict[str, int | float])
    detail: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data; see `docs/verdict.md`."""
        return {
            "name": self.name,
            "outcome": self.outcome,
            "equal": self.equal,
            "different": self.different,
            "seconds": self.seconds,
            "stats": dict(self.stats),
            "detail": self.detail,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> EngineRun:
        """The inverse of `to_dict`."""
        stats = _get(data, "stats", dict)
        return cls(
            name=_get(data, "name", str),
            outcome=_get(data, "outcome", str),
            equal=_get(data, "equal", int),
            different=_get(data, "different", int),
            seconds=_number(data, "seconds"),
            stats={str(key): _number(stats, key) for key in stats},
            detail=_get(data, "detail", str, optional=True),
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to "are these two designs equal?", with its evidence.

    A verdict has no truth value: `if verdict:` raises, because "undecided" must never pass for an answer.
    Use `verdict.equivalent`, or compare `verdict.status`.

    Attributes:
        status: "different" if any function is, else "undecided" if any is, else "equivalent".
        outputs: Every compared function in the order of the left design.
        matching: How ports were paired; None if the run was stopped before that.
        assumptions: Everything taken for granted, as sentences.
        engines: What ran, in order.
        reason: Why an undecided run ended: "timeout", "cancelled", "limit"; else None.
        left: Name of the left design (its path).
        right: Name of the right design.
        proof: Paths of proofs an independent checker accepts; empty if none were asked for.
        explanation: Where the difference begins and what would repair it, when asked for.
        residual: Path of the file of what is left open; None if there is none.
        log: The decisions of the run: which engine was started, answered, was stopped.
        seconds: Time of the whole call, reading included.
        peak_bytes: Greatest memory of this process plus that of its greatest worker process, in bytes.
    """

    status: Status
    outputs: tuple[OutputVerdict, ...]
    matching: Matching | None = None
    assumptions: tuple[str, ...] = ()
    engines: tuple[EngineRun, ...] = ()
    reason: str | None = None
    left: str = ""
    right: str = ""
    proof: tuple[str, ...] = ()
    explanation: Explanation | None = None
    residual: str | None = None
    log: tuple[LogEntry, ...] = ()
    seconds: float = 0.0
    peak_bytes: int = 0

    @property
    def equivalent(self) -> bool:
        """True only if equality of every function was proved."""
        return self.status == "equivalent"

    @property
    def different(self) -> bool:
        """True only if a difference was found and confirmed."""
        return self.status == "different"

    @property
    def undecided(self) -> bool:
        """True if neither is known."""
        return self.status == "undecided"

    @property
    def counterexample(self) -> Counterexample | None:
        """That of the first failing function, if there is one."""
        return next((o.counterexample for o in self.outputs if o.counterexample is not None), None)

    def __getitem__(self, name: str) -> OutputVerdict:
        """The first compared function called `name`."""
        for output in self.outputs:
            if output.name == name:
                return output
        raise KeyError(name)

    def with_status(self, status: Status) -> tuple[OutputVerdict, ...]:
        """The functions that have this status."""
        return tuple(o for o in self.outputs if o.status == status)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a verdict has no truth value, because it may be undecided; "
            "use verdict.equivalent, verdict.different or verdict.status"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data; see `docs/verdict.md`."""
        cex = self.counterexample
        return {
            "schema": SCHEMA,
            "status": self.status,
            "reason": self.reason,
            "left": self.left,
            "right": self.right,
            "outputs": [o.to_dict() for o in self.outputs],
            "counterexample": None if cex is None else cex.to_dict(),
            "matching": None if self.matching is None else self.matching.to_dict(),
            "assumptions": list(self.assumptions),
            "proof": list(self.proof),
            "engines": [e.to_dict() for e in self.engines],
            "explanation": None if self.explanation is None else self.explanation.to_dict(),
            "residual": self.residual,
            "log": [e.to_dict() for e in self.log],
            "seconds": self.seconds,
            "peak_bytes": self.peak_bytes,
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """The same as JSON text."""
        return json.dumps(self.to_dict(), indent=indent)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Verdict:
        """The inverse of `to_dict`. Unknown keys are ignored, missing or mistyped ones raise `UsageError`."""
        schema = data.get("schema")
        if schema != SCHEMA:
            raise UsageError(f"not a verdict: its schema is {schema!r}, expected {SCHEMA!r}")
        matching = _get(data, "matching", dict, optional=True)
        explanation = _get(data, "explanation", dict, optional=True)
        return cls(
            status=_choice(data, "status", Status),
            outputs=tuple(OutputVerdict.from_dict(o) for o in _get(data, "outputs", list)),
            matching=None if matching is None else Matching.from_dict(matching),
            assumptions=tuple(_strings(data, "assumptions")),
            engines=tuple(EngineRun.from_dict(e) for e in _get(data, "engines", list)),
            reason=_get(data, "reason", str, optional=True),
            left=_get(data, "left", str),
            right=_get(data, "right", str),
            proof=tuple(_strings(data, "proof")),
            explanation=None if explanation is None else Explanation.from_dict(explanation),
            residual=_get(data, "residual", str, optional=True),
            log=tuple(LogEntry.from_dict(e) for e in _get(data, "log", list, optional=True) or ()),
            seconds=_number(data, "seconds"),
            peak_bytes=_get(data, "peak_bytes", int),
        )

    @classmethod
    def from_json(cls, text: str) -> Verdict:
        """The inverse of `to_json`."""
        return cls.from_dict(json.loads(text))

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.with_status(s))} {s}" for s in get_args(Status) if self.with_status(s))
        return f"<Verdict {self.status}: {counts or 'no outputs'}, {self.seconds:.2f} s>"

    def __str__(self) -> str:
        """A summary in words; the first line alone answers the question."""
        return "\n".join(_summary(self))


def _summary(verdict: Verdict) -> list[str]:
    total = len(verdict.outputs)
    if verdict.different:
        first = f"different: {len(verdict.with_status('different'))} of {total} outputs differ"
    elif verdict.undecided:
        why = f" ({verdict.reason})" if verdict.reason else ""
        first = f"undecided{why}: {len(verdict.with_status('undecided'))} of {total} outputs are open"
    elif total:
        first = f"equivalent: {_counted(total, 'output')}"
    else:
        first = "equivalent: vacuously, there are no outputs"
    lines = [f"{first}, {verdict.seconds:.2f} s"]
    for status in ("different", "undecided"):
        names = [o.name for o in verdict.with_status(status)]
        if names and not (status == verdict.status == "undecided" and len(names) == total):
            lines.append(f"  {status}: {cut_list(names)}")
    lines += [
        f"  left of {o.name}: {o.residual.ands} ANDs, {o.residual.inputs} inputs, {o.residual.levels} levels"
        for o in verdict.with_status("undecided")[:10]
        if o.residual is not None
    ]
    lines += [f"  {o.name}: {o.detail}" for o in verdict.with_status("different")[:10] if o.detail]
    lines += [f"  {run.name} failed: {run.detail}" for run in verdict.engines if run.outcome == "failed"]
    if verdict.counterexample is not None:
        lines.append(f"  counterexample: {verdict.counterexample}")
    if verdict.explanation is not None:
        lines += [f"  {line}" for line in verdict.explanation.lines()]
    lines += [f"  note: {text}" for text in verdict.assumptions]
    return lines


def cut_list(names: list[str], limit: int = 10) -> str:
    """`names` as text, cut after `limit` with the number of the rest."""
    text = ", ".join(names[:limit])
    return f"{text} and {len(names) - limit} more" if len(names) > limit else text


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _bad(key: str, wanted: str, value: object) -> NoReturn:
    raise UsageError(f"not a verdict: {key!r} must be {wanted}, not {value!r:.60}")


def _get(data: Mapping[str, Any], key: str, kind: type, *, optional: bool = False) -> Any:
    value = data.get(key)
    if value is None and optional:
        return None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        _bad(key, f"of type {kind.__name__}", value)
    return value


def _number(data: Mapping[str, Any], key: str) -> Any:
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        _bad(key, "a number", value)
    return value


def _choice(data: Mapping[str, Any], key: str, literal: Any) -> Any:
    value = data.get(key)
    if value not in get_args(literal):
        _bad(key, "one of " + ", ".join(get_args(literal)), value)
    return value


def _strings(data: Mapping[str, Any], key: str) -> list[str]:
    values = _get(data, key, list)
    for value in values:
        if not isinstance(value, str):
            _bad(key, "a list of texts", value)
    return values


def _bits(data: Mapping[str, Any], key: str) -> dict[str, Bit]:
    values = _get(data, key, dict)
    for value in values.values():
        if value is not None and (isinstance(value, bool) or value not in (0, 1)):
            _bad(key, "a table of 0, 1 and null", value)
    return values
