"""Seeds of the reader fuzzer, and mutations of them: bytes, numbers, tokens, lines, splices."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from tests.support.shared_data import shared_folder

MAX_SEED_BYTES = 4096
MAX_INPUT_BYTES = 16384

BUILT_IN: dict[str, list[bytes]] = {
    "aag": [
        b"aag 5 2 1 1 1 2 1 1 1\n2\n4\n6 8\n8\n6\n9\n2\n2\n6\n7\n4\n8 2 4\n"
        b"i0 a\ni1 b\nl0 q\no0 y\nb0 bad zero\nb1 bad one\nc0 assume\nj0 live\nf0 fair\nc\nfree text\n",
        b"aag 9 3 2 2 4\n18\n2\n4\n6 11 6\n8 7 1\n10\n1\n16 14 3\n14 12 18\n12 6 9\n10 16 14\nc\n",
        b"aag 0 0 0 2 0\n0\n1\n",
    ],
    "aig": [
        b"aig 5 2 1 1 2 1\n8 6\n10\n9\n\x02\x02\x01\x06i0 a\nl0 q\nb0 no\nc\nx\n",
        b"aig 7 3 0 2 4\n14\n13\n\x02\x02\x04\x01\x03\x02\x02\x07c",
        b"aig 200 190 0 1 10\n401\n" + b"\x80\x01\x82\x02" * 10,
        b"aig 1 1 0 0 0\ncn\0\0\0\x04top\0\nThis file\n",
    ],
    "blif": [
        b".model top\n.inputs a b c\n.outputs x y\n.names a b x\n11 1\n.names b c y\n1- 0\n-1 0\n.end\n",
        b".model m\n.inputs d \\\n  e\n.outputs q\n.latch n q re clk 2\n.names d e q n\n--1 1\n11- 1\n"
        b".names k\n1\n.names z\n.exdc\n.names d q\n1 1\n.end\n",
        b".model a\n.inputs x\n.outputs y\n.subckt b p=x q=y\n.end\n.model b\n.inputs p\n.outputs q\n"
        b".names p q\n0 1\n.end\n",
    ],
    "eblif": [
        b".model t\n.inputs a b\n.outputs y\n.names a b y\n.cname g1\n.attr src \"a.v:1\"\n.param W 2\n11 1\n"
        b".conn y z\n.end\n",
    ],
    "bench": [
        b"# c\nINPUT(a)\nINPUT(b)\nOUTPUT(y)\nOUTPUT(z)\n"
        b"n = NAND(a, b)\ny = XOR(n, a)\nz = NOT(q)\nq = DFF(y)\n",
        b"INPUT(a)\nOUTPUT(o)\no = BUFF(m)\nm = OR(a, k, l)\nk = vdd\nl = LUT 0x6 ( a, k )\n",
    ],
    "dyno": [
        b'using op\nusing hw\nMODULE @m {\n IN %a:def(wire(4))\n ADD %s:def(wire(4))'
        b' %a constant(3, 4)\n SLICE %h:def(wire(2)) %s 3 2\n OUT "y" %h\n}\n',
        b'using op\nusing hw\nMODULE @k {\n IN %x:def(wire(2))\n REG %q:def(wire(2))'
        b' %x "enable" constant(1, 1) {init = constant(1, 2)}\n OUT "q" %q\n}\nMODU'
        b'LE @m {\n WIRE %w:def(wire(2))\n INSTANCE @k "u" "x" %w "q" %v:def(wire('
        b'2))\n DRIVE %w %v 1 1\n DRIVE %w %v 0 0\n OUT "v" %v\n}\n',
        b'using op\nusing hw\nMODULE @m {\n IN %a:def(wire(3))\n MEM %t:def(memory(5'
        b', 3)) {init = constant(9, 15)}\n READ %d:def(wire(3)) %t %a\n WRITE %t %'
        b'a %d "enable" constant(5, 3)\n OUT "d" %d\n ASSERT constant(1, 1)\n}',
    ],
    "json": [
        b'{"modules": {"m": {"ports": {"a": {"direction": "input", "bits": [2, 3'
        b']}, "y": {"direction": "output", "bits": [4, 5]}}, "cells": {"c": {"ty'
        b'pe": "$add", "parameters": {"A_SIGNED": 0, "B_SIGNED": 0}, "connection'
        b's": {"A": [2, 3], "B": [3, "1"], "Y": [4, 5]}}}, "netnames": {}}}}',
        b'{"modules": {"m": {"ports": {"d": {"direction": "input", "bits": [2]},'
        b' "q": {"direction": "output", "bits": [3]}}, "cells": {"r": {"type": "'
        b'$_DFFE_PP0N_", "connections": {"C": ["0"], "D": [2], "E": [2], "R": [3'
        b'], "Q": [3]}}}, "netnames": {"q": {"bits": [3], "attributes": {"init":'
        b' "1"}}}}}}',
    ],
}  # fmt: skip

_NUMBERS = [
    0, 1, 2, 3, 7, 127, 128, 255, 256, 65535, 65536, 1 << 20, (1 << 31) - 1, 1 << 31,
    (1 << 32) - 1, 1 << 32, (1 << 64) - 1, 1 << 64, 10**30,
]  # fmt: skip
_NUMBER = re.compile(rb"\d+")
_TOKEN = re.compile(rb"[^\s(),=]+")
_WORDS = [
    b".names", b".latch", b".inputs", b".outputs", b".subckt", b".model", b".end", b".exdc", b".search",
    b".gate", b".mlatch", b".clock", b".area", b".blackbox", b".attr", b".param", b".cname", b".conn",
    b"\\\n", b"#", b"aag", b"aig", b"c\n", b"\r\n", b"\0", b"\xff\xff\xff\xff\x0f", b"\x80", b"\xef\xbb\xbf",
    b"INPUT(", b"OUTPUT(", b"= AND(", b"= DFF(", b"vdd", b"gnd", b"-1", b"1-0", b" ", b"\t", b"\n\n",
]  # fmt: skip


def load_seeds(fmt: str) -> list[bytes]:
    """The built-in seeds, and the small files of this suffix among the shared ones, always in one order."""
    seeds = list(BUILT_IN[fmt])
    folder = shared_folder()
    for path in sorted(folder.rglob(f"*.{fmt}")) if folder else []:
        if path.stat().st_size <= MAX_SEED_BYTES:
            seeds.append(path.read_bytes())
    return seeds


def mutate(rng: random.Random, seeds: list[bytes]) -> bytes:
    """One to six mutations of one of the seeds."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4, 6))):
        rng.choice(_MUTATIONS)(rng, data, seeds)
    del data[MAX_INPUT_BYTES:]
    return bytes(data)


def _range(rng: random.Random, data: bytearray) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((1, 1, 2, 4, 16, 64)))


def _flip(rng: random.Random, data: bytearray, seeds: list[bytes]) -> None:
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _set(rng: random.Random, data: bytearray, seeds: list[bytes]) -> None:
    if data:
        data[rng.randrange(len(data))] = rng.choice(b"\x00\x01\x7f\x80\xff\n\r\t 0129-.\\#=()ac")


def _insert(rng: random.Random, data: bytearray, seeds: list[bytes]) -> None:
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.randbytes(rng.choice((1, 1, 2, 8)))


def _insert_word(rng: random.Random, data: bytearray, seeds: list[bytes]) -> None:
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.choice(_WORDS)


def _delete(rng: random.Random, data: bytearray, seeds: list[bytes]) -> None:
    start, stop = _range(rng, data)
    del data[start:stop]


def _repeat(rng: random.Random, data: bytearray, seeds: list[bytes]) -> None:
    start, stop = _range(rng, data)
    data[start:start] = data[start:stop] * rng.choice((1, 2, 50))


def _cut(rng: random.Random, data: bytearray, seeds: list[bytes]) -> None:
    del data[rng.randrange(len(data) + 1) :]


def _splice(rng: random.Random, data: bytearray, seeds: list[bytes]) -> None:
    other = rng.choice(seeds)
    data[rng.randrange(len(data) + 1) :] = other[rng.randrange(len(other) + 1) :]


def _insert_piece(rng: random.Random, data: bytearray, seeds: list[bytes]) -> None:
    start, stop = _range(rng, bytearray(other := rng.choice(seeds)))
    at = rng.randrange(len(data) + 1)
    data[at:at] = other[start:stop]


def _number(rng: random.Random, data: bytearray, seeds: list[bytes]) -> None:
    found = list(_NUMBER.finditer(data[:2048]))
    if not found:
        return
    # The first ones, which are the header's in AIGER, more often.
    match = found[min(rng.randrange(len(found)), rng.randrange(len(found)))]
    old = int(match.group()[:30])
    new = rng.choice((old + 1, old - 1, old + 2, old ^ 1, 2 * old, rng.choice(_NUMBERS), rng.randrange(20)))
    data[match.start() : match.end()] = str(new).encode()


def _swap_tokens(rng: random.Random, data: bytearray, seeds: list[bytes]) -> None:
    found = list(_TOKEN.finditer(data[:4096]))
    if len(found) < 2:
        return
    first, second = sorted(rng.sample(found, 2), key=lambda match: match.start())
    one, two = bytes(first.group()), bytes(second.group())
    data[second.start() : second.end()] = one
    data[first.start() : first.end()] = two


def _copy_token(rng: random.Random, data: bytearray, seeds: list[bytes]) -> None:
    found = list(_TOKEN.finditer(data[:4096]))
    if found:
        source, target = rng.choice(found), rng.choice(found)
        data[target.start() : target.end()] = bytes(source.group())


def _lines(rng: random.Random, data: bytearray, seeds: list[bytes]) -> None:
    lines = data.split(b"\n")
    kind, at = rng.randrange(4), rng.randrange(len(lines))
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[rng.randrange(len(lines))])
    elif kind == 2:
        other = rng.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    else:
        rng.shuffle(lines)
    data[:] = b"\n".join(lines)


_MUTATIONS: list[Callable[[random.Random, bytearray, list[bytes]], None]] = [
    _flip, _set, _insert, _insert_word, _delete, _repeat, _cut, _splice, _insert_piece,
    _number, _number, _number, _swap_tokens, _copy_token, _lines,
]  # fmt: skip
