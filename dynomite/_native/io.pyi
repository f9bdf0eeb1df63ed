"""Readers and writers of circuit files."""

import dynomite._native.aig
import dynomite._native.base


def read_aiger(data: bytes, name: str = '<bytes>', *, stop: dynomite._native.base.Stop | None = None) -> dynomite._native.aig.Aig:
    """
    Reads an ASCII or binary AIGER file from bytes; `name` is its name in errors.

    Raises ParseError with a place; LimitError when `stop` ends the call. Linear, without the GIL.
    """

def aiger_bytes(aig: dynomite._native.aig.Aig, *, binary: bool, stop: dynomite._native.base.Stop | None = None) -> bytes:
    """The circuit as the bytes of an AIGER file. Linear, without the GIL."""

def write_aiger(aig: dynomite._native.aig.Aig, descriptor: int, name: str = '<stream>', *, binary: bool, stop: dynomite._native.base.Stop | None = None) -> None:
    """
    Writes the circuit as AIGER to an open file descriptor; `name` is for errors. Linear, without the GIL.
    """
