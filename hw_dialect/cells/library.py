"""Libraries of cells that mapped netlists are made of: what each output computes, no areas, no timing.

`read_library` reads genlib (Berkeley SIS, "Genlib format") and Liberty files by their suffixes, .genlib or
.lib; `read_blif(..., library=...)` and `dynomite lec --library FILE` resolve `.gate` lines with them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dynomite.errors import UsageError
from dynomite.formats.streams import read_source

if TYPE_CHECKING:
    from hw_dialect.cells.expression import Postfix


@dataclass(frozen=True, kw_only=True)
class Register:
    """A flip-flop of a cell.

    Attributes:
        state: Net that is its state.
        inverted: Net that is the complement of the state, or empty.
        next_state: What it takes at the clock's edge.
        clock: Pin of the clock.
        falling: Whether it is the falling edge.
    """

    state: str
    inverted: str
    next_state: Postfix
    clock: str
    falling: bool


@dataclass(frozen=True, kw_only=True)
class LibraryCell:
    """One cell.

    Attributes:
        name: Its name.
        inputs: Input pins.
        outputs: What each output pin computes, over inputs and states.
        registers: Its flip-flops.
        problem: Why it cannot be used, such as an asynchronous reset; empty if it can.
        line: Line of the file.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: Mapping[str, Postfix]
    registers: tuple[Register, ...] = ()
    problem: str = ""
    line: int = 0

    def blif(self) -> str:
        """The cell as a model of BLIF.

        Raises:
            UsageError: It has a `problem`.
        """
        from hw_dialect.cells.expression import blif_of

        if self.problem:
            raise UsageError(f"the cell {self.name} cannot be used: {self.problem}")
        lines = [
            f".model {self.name}",
            f".inputs {' '.join(self.inputs)}",
            f".outputs {' '.join(self.outputs)}",
        ]
        for number, register in enumerate(self.registers):
            lines += blif_of(register.next_state, f"%next{number}", f"%next{number}_")
            edge = "fe" if register.falling else "re"
            lines.append(f".latch %next{number} {register.state} {edge} {register.clock} 3")
            if register.inverted:
                lines += [f".names {register.state} {register.inverted}", "0 1"]
        for number, (pin, expression) in enumerate(self.outputs.items()):
            lines += blif_of(expression, pin, f"%n{number}_")
        return "\n".join([*lines, ".end", ""])


@dataclass(frozen=True)
class CellLibrary:
    """Cells by name.

    Attributes:
        path: Name of the file.
        cells: The cells; of several with one name the first.
    """

    path: str
    cells: Mapping[str, LibraryCell] = field(default_factory=dict[str, LibraryCell])

    def models(self, names: Iterable[str]) -> str:
        """BLIF models of the cells of these names, those that there are.

        Raises:
            UsageError: One of them cannot be used.
        """
        return "".join(self.cells[name].blif() for name in names if name in self.cells)


def read_library(path: str | os.PathLike[str]) -> CellLibrary:
    """Reads a library of cells: genlib, or Liberty if the suffix is .lib (each also with .gz .xz .zst).

    Linear. Cells whose functions are not given or not supported are kept with the reason; using them is an
    error.

    Args:
        path: The file.

    Raises:
        ParseError: The file is not what its format says.
        UsageError: It cannot be read, or its suffix is neither .genlib nor .lib.
    """
    from hw_dialect.cells.genlib import read_genlib
    from hw_dialect.cells.liberty import read_liberty

    data, name = read_source(path)
    text = data.decode("utf-8", "surrogateescape")
    stem = name.lower()
    for packed in (".gz", ".xz", ".zst"):
        stem = stem.removesuffix(packed)
    if stem.endswith(".genlib"):
        cells = read_genlib(text, name)
    elif stem.endswith(".lib"):
        cells = read_liberty(text, name)
    else:
        raise UsageError(f"{name}: a cell library is a .genlib or a .lib (Liberty) file")
    found: dict[str, LibraryCell] = {}
    for cell in cells:
        found.setdefault(cell.name, cell)
    return CellLibrary(name, found)
