"""Which shared circuits synthesis is tested on, by `index.csv`."""

from __future__ import annotations

import csv

from dynomite._native.aig import Aig
from dynomite.errors import ParseError
from dynomite.formats.base import read_circuit
from tests.support.shared_data import shared_folder

SUFFIXES = (".aig", ".aag", ".blif", ".bench", ".eblif")
# Wrong on purpose; their tests are those of the readers.
REFUSED = ("aiger/circt/delta-underflow.aig", "yosys/alu_constcells.blif")
QUICK_ANDS = 250


def _listed() -> list[tuple[int, str]]:
    """ANDs and path of each circuit file that is there, smallest first."""
    folder = shared_folder()
    if folder is None:
        return []
    with (folder / "circuits" / "index.csv").open(newline="", encoding="utf-8") as stream:
        rows = [
            (int(row["ands"]), row["file"])
            for row in csv.DictReader(stream)
            if row["ands"].isdigit()
            and row["file"].removesuffix(".xz").endswith(SUFFIXES)
            and row["file"] not in REFUSED
            and (folder / "circuits" / row["file"]).is_file()
        ]
    # A file in several rows is one circuit.
    return sorted(
        (ands, name) for name, ands in {name: ands for ands, name in sorted(rows, reverse=True)}.items()
    )


_LISTED = _listed()
CIRCUITS = [name for _, name in _LISTED]
QUICK_CIRCUITS = [name for ands, name in _LISTED if ands <= QUICK_ANDS]


def read_shared(name: str) -> Aig | None:
    """Reads one of them; None for one with black boxes or undriven signals, which is no whole circuit."""
    folder = shared_folder()
    assert folder is not None
    try:
        return read_circuit(folder / "circuits" / name)
    except ParseError as error:
        if "black boxes" in error.message or "is never driven" in error.message:
            return None
        raise
