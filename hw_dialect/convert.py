"""From one word-level file to another, words kept: `.dyno` and Yosys JSON to `.dyno`, Verilog and SMT-LIB."""

from __future__ import annotations

from dynomite.formats.streams import Source, Target
from hw_dialect.formats.dyno import read_module, read_net, write_dyno
from hw_dialect.formats.smtlib import write_smtlib
from hw_dialect.formats.verilog import write_verilog
from hw_dialect.formats.yosys_json import read_yosys_module, read_yosys_net

READ = ("dyno", "json")
"""Formats that hold words and can be read."""
WRITTEN = ("dyno", "v", "smt2")
"""Formats that hold words and can be written."""


def convert_words(source: Source, target: Target, given: str, wanted: str, *, top: str = "") -> list[str]:
    """Converts a file.

    Args:
        source: What to read.
        target: Where to write.
        given: Format of the source, one of `READ`.
        wanted: Format of the target, one of `WRITTEN`.
        top: The module to flatten for Verilog and SMT-LIB; by default the only one without instances.

    Returns:
        Notes on what was taken for granted or left out.
    """
    notes: list[str] = []
    if wanted == "dyno":
        # All modules, nothing flattened.
        module = read_module(source) if given == "dyno" else read_yosys_module(source, notes)[0]
        return notes + write_dyno(module, target)
    if given == "dyno":
        net = read_net(source, top=top)
        notes += net.notes
    else:
        net = read_yosys_net(source, top=top, notes=notes)
    write = write_verilog if wanted == "v" else write_smtlib
    return notes + write(net, target, drop_properties=True)
