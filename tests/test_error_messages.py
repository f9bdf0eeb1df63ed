"""Every error message of the IR's parser, verifier, symbols and declarations has a test that provokes it.

The native sources are scanned for messages; a message counts as tested if its words stand in a test. So a new
message without a test fails here.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.shared_data import REPOSITORY

NATIVE = REPOSITORY / "dynomite" / "native"
SOURCES = [
    *sorted((NATIVE / "ir").glob("text_*.cpp")),
    NATIVE / "ir" / "declarations.cpp",
    NATIVE / "ir" / "symbols.cpp",
    NATIVE / "ir" / "registry.cpp",
    *sorted((NATIVE / "passes").glob("verify*.cpp")),
]
CALL = re.compile(r"\b(?:fail|fail_at|error|expect|report|wrong|UsageError|LimitError|ParseError)\(")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
ADJACENT = re.compile(r'"\s*(?:\n\s*(?://[^\n]*\n\s*)*)?"')
SHORTEST = 10  # shorter pieces say nothing alone

RULED_OUT = {
    # What parsers and builders never make: guards against faults of native code that goes around them.
    "print: a constant is stored as an attribute",
    "print: a type is unknown",
    "print: an attribute refers to an instruction, value, block or region",
    "print: an instruction has an unknown operation",
    "print: an operand defines a region or block that does not belong to its instruction",
    "print: an operand defines an object of another store",
    "a symbol without attributes has no name to change",
    "a text may have at most 4 GiB",  # takes more memory than a test should
}


def messages(source: str) -> list[str]:
    """The pieces of messages in the arguments of calls that report errors."""
    found: list[str] = []
    for call in CALL.finditer(source):
        arguments = ADJACENT.sub("", _arguments(source, call.end()))
        found += [
            _plain(piece) for piece in LITERAL.findall(arguments) if len(_plain(piece).strip()) >= SHORTEST
        ]
    return found


def _arguments(source: str, start: int) -> str:
    depth, at = 1, start
    while depth and at < len(source):
        if source[at] == '"':
            literal = LITERAL.match(source, at)
            assert literal is not None
            at = literal.end()
            continue
        if source.startswith("')'", at) or source.startswith("'('", at):
            at += 3
            continue
        depth += {"(": 1, ")": -1}.get(source[at], 0)
        at += 1
    return source[start : at - 1]


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def words_of_tests() -> str:
    """Everything the tests say, strings that go over several lines put together."""
    parts: list[str] = []
    for pattern in ("native/*.cpp", "native/*.hpp", "**/*.py", "filecheck/**/*.dyn"):
        for path in sorted((REPOSITORY / "tests").glob(pattern)):
            if path != Path(__file__):
                text = ADJACENT.sub("", path.read_text("utf-8"))
                parts.append(re.sub(r"\\([\"'\\.\[\](){}+*?^$|])", r"\1", text))
    return "\n".join(parts)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_every_message_is_provoked_somewhere(source: Path) -> None:
    words = words_of_tests()
    untested = {
        message
        for message in messages(source.read_text("utf-8"))
        if message.strip() not in words and message not in RULED_OUT
    }
    assert not untested


def test_the_scan_finds_messages() -> None:
    code = (
        'fail(at, "one " +\n  name + "the second " "message");\n'
        'report(x, good ? "or the third" : std::string("a fourth one"));'
    )
    assert messages(code) == ["the second message", "or the third", "a fourth one"]
    assert sum(len(messages(path.read_text("utf-8"))) for path in SOURCES) > 150
