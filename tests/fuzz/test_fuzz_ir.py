"""Mutated texts and bytecode of the IR through Python: refused with a ParseError, or read; nothing else."""

from __future__ import annotations

import random
import resource
import time
from pathlib import Path

import pytest

from dynomite.errors import ParseError
from dynomite.ir import Context, parse, print_module, read_bytecode, write_bytecode
from tests.fuzz.mutations import mutate

FOLDER = Path(__file__).parents[1] / "filecheck" / "ir"
DIALECTS = (FOLDER / "dialects.dyn.inc").read_bytes()
SEEDS = [path.read_bytes() for path in sorted(FOLDER.glob("*.dyn"))]
ROUNDS = 3000


def peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


@pytest.mark.parametrize("seed", [1, 2])
def test_mutated_texts(seed: int) -> None:
    before = peak_memory()
    accepted = 0
    for number in range(ROUNDS):
        text = DIALECTS + mutate(random.Random(f"ir {seed} {number}"), SEEDS)
        context = Context()
        refused: ParseError | None = None
        start = time.process_time()
        try:
            module = parse(text, context, check_symbols=number % 2 == 0)
            printed = print_module(module)
            assert print_module(parse(printed, Context(), check_symbols=False)) == printed
            accepted += 1
        except ParseError as error:
            refused = error
        assert refused is None or (refused.line > 0 and str(refused))
        assert time.process_time() - start < 5
    assert accepted > ROUNDS // 50
    assert peak_memory() - before < 256 << 20


@pytest.mark.parametrize("seed", [1, 2])
def test_mutated_bytecode(seed: int) -> None:
    context = Context()
    seeds: list[bytes] = []
    for text in SEEDS:
        try:
            seeds.append(write_bytecode(parse(DIALECTS + text, context)))
        except ParseError:
            continue  # a file of errors
    assert seeds
    before = peak_memory()
    for number in range(ROUNDS):
        data = mutate(random.Random(f"bytecode {seed} {number}"), seeds)
        refused: ParseError | None = None
        start = time.process_time()
        try:
            module = read_bytecode(data, Context())
            assert write_bytecode(module) == data
        except ParseError as error:
            refused = error
        assert refused is None or (refused.line == 0 and refused.offset <= len(data))
        assert time.process_time() - start < 5
    assert peak_memory() - before < 256 << 20
