"""Netlists: BLIF and ISCAS bench."""

import dynomite._native.aig
import dynomite._native.base
import dynomite._native.map


class Cell:
    """One element of a netlist's model, as the file has it."""

    @property
    def kind(self) -> str:
        """
        'names', 'latch', 'subckt', 'gate', 'mlatch', 'conn' or 'directive' (no logic).
        """

    @property
    def line(self) -> int:
        """Line of the file, from 1."""

    @property
    def inputs(self) -> list[str]:
        """Nets read by a .names, .latch or .conn."""

    @property
    def output(self) -> str | None:
        """Net driven by a .names, .latch or .conn, else None."""

    @property
    def rows(self) -> list[str]:
        """Input parts of a cover's rows."""

    @property
    def phase(self) -> bool:
        """Output value of a cover's rows."""

    @property
    def model(self) -> str | None:
        """Model that an instance names, else None."""

    @property
    def connections(self) -> list[tuple[str, str]]:
        """
        Pairs (formal, net) of an instance; the control of a .mlatch has the formal ''.
        """

    @property
    def latch_type(self) -> str | None:
        """'fe', 're', 'ah', 'al', 'as', or None if the line has none."""

    @property
    def control(self) -> str | None:
        """Clock net of a .latch, or None."""

    @property
    def init(self) -> int | None:
        """
        Initial value field of a latch, or None if the line has none (it then counts as 3).
        """

    @property
    def text(self) -> str:
        """Raw text of a directive, else empty."""

    @property
    def attributes(self) -> list[tuple[str, str, str]]:
        """
        Triples (kind, key, value) of the lines .cname, .attr and .param that follow it.
        """

class Model:
    """One model of a netlist."""

    @property
    def name(self) -> str:
        """Its name; of a file without .model: taken from the file's name."""

    @property
    def line(self) -> int:
        """Line of the file, from 1."""

    @property
    def inputs(self) -> list[str]:
        """In file order."""

    @property
    def outputs(self) -> list[str]:
        """In file order."""

    @property
    def clocks(self) -> list[str]:
        """Nets of .clock."""

    @property
    def is_black_box(self) -> bool:
        """Has a .blackbox line."""

    @property
    def exdc(self) -> Model | None:
        """Network of external don't-cares, or None."""

    @property
    def cells(self) -> list[Cell]:
        """Its elements in file order; a new list of views. Linear."""

    @property
    def attributes(self) -> list[tuple[str, str, str]]:
        """Triples (kind, key, value) that stand before the first element."""

class Netlist:
    """
    A BLIF file as it is: models with ports, elements and attributes. Immutable.
    """

    @property
    def path(self) -> str:
        """Name of the file."""

    @property
    def models(self) -> list[Model]:
        """In file order; the first is the top."""

    @property
    def notes(self) -> list[tuple[int, str]]:
        """
        Pairs (line, text) about lines that were skipped; line 0 is no particular one.
        """

    @property
    def memory(self) -> int:
        """Bytes held."""

def read_netlist(data: bytes, name: str = '<bytes>', *, stop: dynomite._native.base.Stop | None = None) -> Netlist:
    """
    Reads BLIF or EBLIF text as a netlist, nothing resolved. Linear, without the GIL.
    """

def read_blif(data: bytes, name: str = '<bytes>', *, black_boxes: bool = False, free_undriven: bool = False, net_names: bool = False, top: str = '', max_flattened: int = 16777216, stop: dynomite._native.base.Stop | None = None) -> tuple[dynomite._native.aig.Aig, list[tuple[int, str]]]:
    """
    Reads BLIF or EBLIF text as a flat AIG; returns it and notes (line, text). Linear, without the GIL.
    """

def elaborate(netlist: Netlist, *, black_boxes: bool = False, free_undriven: bool = False, net_names: bool = False, top: str = '', max_flattened: int = 16777216, stop: dynomite._native.base.Stop | None = None) -> tuple[dynomite._native.aig.Aig, list[tuple[int, str]]]:
    """
    Flattens a netlist into an AIG; returns it and notes (line, text). Errors show no text of the file.
    """

def read_bench(data: bytes, name: str = '<bytes>', *, free_undriven: bool = False, net_names: bool = False, stop: dynomite._native.base.Stop | None = None) -> tuple[dynomite._native.aig.Aig, list[tuple[int, str]]]:
    """
    Reads an ISCAS .bench file; returns the AIG and notes (line, text). Linear, without the GIL.
    """

def netlist_bytes(netlist: Netlist, *, stop: dynomite._native.base.Stop | None = None) -> bytes:
    """
    The netlist as BLIF text (EBLIF if it has such lines). Linear, without the GIL.
    """

def blif_bytes(aig: dynomite._native.aig.Aig, *, drop_properties: bool = False, stop: dynomite._native.base.Stop | None = None) -> tuple[bytes, list[str]]:
    """
    The circuit as the bytes of a file, and notes on names that were made up. Linear, without the GIL.
    """

def write_blif(aig: dynomite._native.aig.Aig, descriptor: int, name: str = '<stream>', *, drop_properties: bool = False, stop: dynomite._native.base.Stop | None = None) -> list[str]:
    """
    Writes the circuit to an open file descriptor; `name` is for errors. Returns notes on names that were made up. Linear, without the GIL.
    """

def lut_blif_bytes(network: dynomite._native.map.LutNetwork, *, drop_properties: bool = False, stop: dynomite._native.base.Stop | None = None) -> tuple[bytes, list[str]]:
    """
    The network of LUTs as the bytes of a file, and notes on names that were made up. Linear, without the GIL.
    """

def bench_bytes(aig: dynomite._native.aig.Aig, *, drop_properties: bool = False, stop: dynomite._native.base.Stop | None = None) -> tuple[bytes, list[str]]:
    """
    The circuit as the bytes of a file, and notes on names that were made up. Linear, without the GIL.
    """

def write_bench(aig: dynomite._native.aig.Aig, descriptor: int, name: str = '<stream>', *, drop_properties: bool = False, stop: dynomite._native.base.Stop | None = None) -> list[str]:
    """
    Writes the circuit to an open file descriptor; `name` is for errors. Returns notes on names that were made up. Linear, without the GIL.
    """
