"""A small VCD parser, independent of the writer: names to values per time."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise


@dataclass
class Waveforms:
    """Parsed dump: hierarchical references (scopes joined by "/") to the value at each time of change."""

    end: int = 0
    widths: dict[str, int] = field(default_factory=dict[str, int])
    changes: dict[str, dict[int, str]] = field(default_factory=dict[str, dict[int, str]])

    def at(self, name: str, time: int) -> str:
        """The value of a variable at a time."""
        past = [t for t in self.changes[name] if t <= time]
        return self.changes[name][max(past)]


def parse_vcd(text: str) -> Waveforms:
    """Parses a dump strictly; asserts what the standard demands."""
    words = text.split()
    assert text.isascii()
    result = Waveforms()
    scopes: list[str] = []
    codes: dict[str, list[str]] = {}
    at = 0
    while True:
        keyword = words[at]
        end = words.index("$end", at)
        body = words[at + 1 : end]
        at = end + 1
        if keyword == "$enddefinitions":
            assert not body
            break
        if keyword == "$scope":
            kind, name = body
            assert kind == "module"
            scopes.append(name)
        elif keyword == "$upscope":
            assert not body
            scopes.pop()
        elif keyword == "$var":
            assert body[0] == "wire"
            width, code, reference = int(body[1]), body[2], " ".join(body[3:])
            assert all(33 <= ord(c) <= 126 for c in code)
            name = "/".join([*scopes, reference])
            assert name not in result.widths
            result.widths[name] = width
            result.changes[name] = {}
            codes.setdefault(code, []).append(name)
        else:
            assert keyword in ("$version", "$timescale", "$date", "$comment")
    assert not scopes
    time = -1
    words = [w for w in words[at:] if w not in ("$dumpvars", "$end")]
    for before, word in pairwise(["", *words]):
        # Behind the value of a vector a # belongs to its code.
        if word.startswith("#") and not before.startswith("b"):
            assert int(word[1:]) > time
            time = int(word[1:])
    result.end = time
    time, at = -1, 0
    while at < len(words):
        word = words[at]
        if word.startswith("#"):
            time = int(word[1:])
            at += 1
            continue
        if word.startswith("b"):
            value, code = word[1:], words[at + 1]
            at += 2
        else:
            value, code = word[0], word[1:]
            at += 1
        assert time >= 0
        assert not value.strip("01x")
        for name in codes[code]:
            assert len(value) == result.widths[name]
            assert time not in result.changes[name]
            result.changes[name][time] = value
    return result
