"""Arithmetic in plain AIGs: full and half adders, the word adders and adder trees they form, multipliers.

    >>> from dmt_dialect.aig import Aig
    >>> from dmt_dialect.arith import find_arithmetic
    >>> from dmt_dialect.bitblast import blast, word_inputs, word_outputs
    >>> aig = Aig()
    >>> a, b = word_inputs(aig, "a", 8), word_inputs(aig, "b", 8)
    >>> word_outputs(aig, "y", blast(aig, "UMULW", a, b))
    >>> print(find_arithmetic(aig))
    full adders 48, half adders 8, in 1 tree
    multiplier 8 x 8 -> 16: a[7:0] * b[7:0] -> y[15:0]

A cell is exact: its sum is the parity and its carry the majority of its inputs, by the truth tables of small
cuts, whatever gates they are made of. A tree is exact too: the weighted sum of its leaves is that of its
outputs. What prefix networks add, the bits of a product behind a tree, and products whose gates were changed
are found by values under 256 random patterns. The native report (`Arithmetic.report`) has the cells, leaves
and outputs as arrays of literals.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dmt_dialect.aig import Aig
from dynomite._native import word as _word
from dynomite._native.base import Stop
from dynomite._native.word import ArithReport

_CONSTANT = 2
"""AIGER numbers below are constants."""


@dataclass(frozen=True, kw_only=True)
class Adder:
    """A sum of two words (or of one word and a carry).

    Attributes:
        tree: Its tree in the report; None for one whose carries are not those of cells, such as those of a
            prefix network.
        width: Number of columns, the carry out included where there is one.
        operands: Literal names of each operand, bit 0 first; None where a column has no such bit.
        outputs: Names of the sum's bits, bit 0 first.
    """

    tree: int | None
    width: int
    operands: tuple[tuple[str | None, ...], ...]
    outputs: tuple[str | None, ...]


@dataclass(frozen=True, kw_only=True)
class Multiplier:
    """A product of two words.

    Attributes:
        tree: Its tree in the report.
        kind: "simple" (ANDs of bits), "booth" (radix 4) or "square".
        signed: Whether the operands count as signed.
        a: Names of the first operand's bits, bit 0 first.
        b: Names of the second operand's bits, bit 0 first.
        lowest: Weight in the product of the first of `outputs`.
        outputs: Names of the product's bits that come out of the tree.
    """

    tree: int
    kind: str
    signed: bool
    a: tuple[str, ...]
    b: tuple[str, ...]
    lowest: int
    outputs: tuple[str | None, ...]

    @property
    def width(self) -> int:
        """Number of bits of the product, as far as it is built."""
        return self.lowest + len(self.outputs)


@dataclass(frozen=True, kw_only=True)
class AdderTree:
    """A sum of more than two words, or of bits that form no words.

    Attributes:
        tree: Its number in the report.
        width: Number of columns.
        cells: Number of full and half adders.
        height: Most leaves in a column.
    """

    tree: int
    width: int
    cells: int
    height: int


@dataclass(frozen=True, kw_only=True)
class Arithmetic:
    """What `find_arithmetic` found; trees of a single cell are only counted.

    Attributes:
        full_adders: Number of full adders.
        half_adders: Number of half adders.
        adders: Word adders, widest first.
        multipliers: Multipliers, widest first.
        trees: Other trees, largest first.
        report: The native report: cells and trees as arrays of literals.
    """

    full_adders: int
    half_adders: int
    adders: tuple[Adder, ...]
    multipliers: tuple[Multiplier, ...]
    trees: tuple[AdderTree, ...]
    report: ArithReport = field(repr=False, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON has them."""
        return {
            "full_adders": self.full_adders,
            "half_adders": self.half_adders,
            "adders": [{"width": a.width, "operands": a.operands, "outputs": a.outputs} for a in self.adders],
            "multipliers": [
                {
                    "widths": [len(m.a), len(m.b), m.width],
                    "kind": m.kind,
                    "signed": m.signed,
                    "a": m.a,
                    "b": m.b,
                    "lowest_output": m.lowest,
                    "outputs": m.outputs,
                }
                for m in self.multipliers
            ],
            "trees": [{"width": t.width, "cells": t.cells, "height": t.height} for t in self.trees],
        }

    def __str__(self) -> str:
        """One line for the cells, one for each adder, multiplier and tree."""
        count = self.report.tree_count
        lines = [
            f"full adders {self.full_adders}, half adders {self.half_adders},"
            f" in {count} {'tree' if count == 1 else 'trees'}"
        ]
        for m in self.multipliers:
            kind = {"simple": "", "booth": "Booth ", "square": ""}[m.kind]
            product = (
                f"{word_name(m.a)} squared" if m.kind == "square" else f"{word_name(m.a)} * {word_name(m.b)}"
            )
            lines.append(
                f"{'signed ' if m.signed else ''}{kind}{'square' if m.kind == 'square' else 'multiplier'} "
                f"{len(m.a)} x {len(m.b)} -> {m.width}: {product} -> {word_name(m.outputs)}"
            )
        for a in self.adders:
            operands = " + ".join(word_name(operand) for operand in a.operands)
            lines.append(f"adder {a.width}: {operands} -> {word_name(a.outputs)}")
        lines.extend(
            f"adder tree {t.width}: {t.cells} cells, up to {t.height} bits in a column" for t in self.trees
        )
        return "\n".join(lines)


def word_name(bits: Sequence[str | None]) -> str:
    """The bits' names in short: `a[7:0]` for a whole bus, else the first and the last.

    >>> word_name(["a[0]", "a[1]", "a[2]"]), word_name(["x", None, "n12"])
    ('a[2:0]', 'n12..x')
    """
    known = [bit for bit in bits if bit is not None]
    if not known:
        return "nothing"
    if len(known) == 1:
        return known[0]
    parts = [re.fullmatch(r"(.+)\[(\d+)\]", bit) for bit in known]
    if all(parts):
        indexed = [(part[1], int(part[2])) for part in parts if part]
        first, last = indexed[0][1], indexed[-1][1]
        if indexed == [(indexed[0][0], index) for index in range(first, last + 1)]:
            return f"{indexed[0][0]}[{last}:{first}]"
    return f"{known[-1]}..{known[0]}"


def find_arithmetic(aig: Aig, *, stop: Stop | None = None) -> Arithmetic:
    """Finds the full and half adders of an AIG, and what they form.

    Args:
        aig: Any circuit; latches count as inputs and outputs.
        stop: Ends the search early; what is found then is nothing.

    Returns:
        The adders, multipliers and trees.

    Cost: near-linear in the nodes, some seconds a million.
    """
    report = _word.find_arithmetic(aig, stop=stop)
    return _Reader(aig, report).read()


class _Reader:
    """Turns the native report into words with names."""

    def __init__(self, aig: Aig, report: ArithReport) -> None:
        self.report = report
        self.sources: dict[int, str] = {}
        self.sinks: dict[int, str] = {}
        for section in ("inputs", "latches"):
            for index, raw in enumerate(aig.literals(section).tolist()):
                name = aig.get_name(section, index)
                self.sources[raw] = name if name is not None else f"{section[0]}{index}"
        for index, raw in enumerate(aig.literals("outputs").tolist()):
            name = aig.get_name("outputs", index)
            self.sinks.setdefault(raw, name if name is not None else f"o{index}")

    def source(self, raw: int) -> str:
        """Name of a literal that is read."""
        name = self.sources.get(raw & ~1, f"n{raw >> 1}")
        return f"~{name}" if raw & 1 else name

    def sink(self, raw: int) -> str:
        """Name of a literal that is made: that of an output, if it is one."""
        if raw in self.sinks:
            return self.sinks[raw]
        return f"~{self.sinks[raw ^ 1]}" if raw ^ 1 in self.sinks else self.source(raw)

    def read(self) -> Arithmetic:
        cells = self.report.cells
        half = int((cells[:, 2] < _CONSTANT).sum())
        multipliers = [self.multiplier(index) for index in range(self.report.multiplier_count)]
        taken = {m.tree for m in multipliers}
        adders = self.prefix_adders(taken)
        trees: list[AdderTree] = []
        for tree, (count, tops, width, _, is_adder) in enumerate(self.report.tree_sizes().tolist()):
            if tree in taken or count + tops < _CONSTANT:
                continue
            if is_adder:
                adders.append(self.adder(tree, width))
            else:
                columns = self.columns(tree, width)
                height = max(len(column) for column in columns)
                trees.append(AdderTree(tree=tree, width=width, cells=count, height=height))
        return Arithmetic(
            full_adders=len(cells) - half,
            half_adders=half,
            adders=tuple(sorted(adders, key=lambda adder: -adder.width)),
            multipliers=tuple(sorted(multipliers, key=lambda m: -m.width)),
            trees=tuple(sorted(trees, key=lambda tree: -tree.cells)),
            report=self.report,
        )

    def prefix_adders(self, taken: set[int]) -> list[Adder]:
        """Adders with other carries than those of cells; trees that are parts of them are `taken`.

        Those that only finish a product are left out.
        """
        products = {
            raw >> 1
            for index in range(self.report.multiplier_count)
            for raw in self.report.product(index).tolist()
        }
        found: list[Adder] = []
        sums: set[int] = set()
        for index in range(self.report.prefix_adder_count):
            *words, carry_in, sum_bits, carry_out = self.report.prefix_adder(index)
            a, b, total = (word.tolist() for word in (*words, sum_bits))
            nodes = {raw >> 1 for raw in total}
            sums |= nodes
            if nodes <= products:
                continue
            operands = self.dealt([[self.source(x), self.source(y)] for x, y in zip(a, b, strict=True)])
            if carry_in >= _CONSTANT:
                operands.append([self.source(carry_in), *[None] * (len(total) - 1)])
            outputs = [self.sink(raw) for raw in total]
            if carry_out:
                outputs.append(self.sink(carry_out))
                for operand in operands:
                    operand.append(None)
            found.append(
                Adder(
                    tree=None,
                    width=len(outputs),
                    operands=tuple(tuple(operand) for operand in operands),
                    outputs=tuple(outputs),
                )
            )
        cells: list[list[int]] = self.report.cells.tolist()
        own: dict[int, bool] = {}
        for _, _, _, total, _, tree, _ in cells:
            own[tree] = own.get(tree, True) and total >> 1 in sums
        taken |= {tree for tree, inside in own.items() if inside}
        return found

    def columns(self, tree: int, width: int) -> list[list[str]]:
        """Names of the leaves of each weight."""
        columns: list[list[str]] = [[] for _ in range(width)]
        for weight, raw in _pairs(self.report.leaves(tree)):
            columns[min(weight, width - 1)].append(self.source(raw))
        return columns

    def outputs(self, tree: int, width: int, *, inverted: bool = False) -> tuple[str | None, ...]:
        """Names of the output of each weight; None where there are two or none."""
        columns: list[list[str]] = [[] for _ in range(width)]
        for weight, raw in _pairs(self.report.outputs(tree)):
            columns[weight].append(self.sink(raw ^ inverted))
        return tuple(column[0] if len(column) == 1 else None for column in columns)

    def adder(self, tree: int, width: int) -> Adder:
        """A tree that adds two words."""
        operands = self.dealt(self.columns(tree, width))
        return Adder(
            tree=tree,
            width=width,
            operands=tuple(tuple(operand) for operand in operands),
            outputs=self.outputs(tree, width),
        )

    @staticmethod
    def dealt(columns: list[list[str]]) -> list[list[str | None]]:
        """Operands of the leaves in each column: bits of one bus stay together."""
        operands: list[list[str | None]] = [[] for _ in range(max(len(column) for column in columns))]
        buses: list[str | None] = [None] * len(operands)
        for weight, column in enumerate(columns):
            left = sorted(column)
            for index, operand in enumerate(operands):
                same = [name for name in left if name.partition("[")[0] == buses[index]]
                others = [name for name in left if name.partition("[")[0] not in buses]
                chosen = (same or others or [None])[0]
                if chosen is not None:
                    left.remove(chosen)
                    buses[index] = chosen.partition("[")[0]
                operand.append(chosen)
            for name in left:  # no place by its name: where there is room
                free = next(operand for operand in operands if operand[weight] is None)
                free[weight] = name
        return operands

    def multiplier(self, index: int) -> Multiplier:
        tree, offset, signed, square, booth, inverted = self.report.multiplier(index)
        width = self.report.tree_sizes()[tree].tolist()[2]
        raws: list[int] = self.report.product(index).tolist()
        product = tuple(self.sink(raw) for raw in raws)
        return Multiplier(
            tree=tree,
            kind="square" if square else "booth" if booth else "simple",
            signed=signed,
            a=tuple(self.source(raw) for raw in self.report.operand_a(index).tolist()),
            b=tuple(self.source(raw) for raw in self.report.operand_b(index).tolist()),
            lowest=0 if product else offset,
            outputs=product or self.outputs(tree, width, inverted=inverted),
        )


def _pairs(rows: NDArray[np.uint32]) -> list[tuple[int, int]]:
    return [(int(weight), int(raw)) for weight, raw in rows]
