"""Random netlists against the independent evaluator, and through every writer."""

from __future__ import annotations

import io

from hypothesis import given, settings
from hypothesis import strategies as st

from dynomite._native import hw as native
from hw_dialect.formats.bench import read_bench, write_bench
from hw_dialect.formats.blif import read_blif, read_netlist, write_blif
from tests.support.netlist_files import assert_reads_as, netlists
from tests.support.reference_netlist import NetlistModel, to_blif


def written(write: object, circuit: object) -> bytes:
    stream = io.BytesIO()
    write(circuit, stream)  # pyright: ignore[reportCallIssue, reportUnknownVariableType]
    return stream.getvalue()


@settings(max_examples=300, deadline=None)
@given(netlists())
def test_flattened_netlists_compute_what_the_file_says(models: list[NetlistModel]) -> None:
    assert_reads_as(read_blif(to_blif(models).encode()), models)


@settings(max_examples=100, deadline=None)
@given(netlists())
def test_circuits_survive_blif_and_bench(models: list[NetlistModel]) -> None:
    aig = read_blif(to_blif(models).encode())
    for back in (read_blif(written(write_blif, aig)), read_bench(written(write_bench, aig))):
        for section in ("inputs", "outputs", "latches"):
            assert back.names(section) == aig.names(section)
        assert back.resets == aig.resets
        assert_reads_as(back, models)


@settings(max_examples=100, deadline=None)
@given(netlists())
def test_netlists_survive_writing(models: list[NetlistModel]) -> None:
    netlist = read_netlist(to_blif(models).encode())
    data = native.netlist_bytes(netlist)
    assert native.netlist_bytes(read_netlist(data)) == data
    assert_reads_as(read_blif(data), models)
    assert_reads_as(read_blif(netlist), models)


_LAYOUTS = st.sampled_from([" ", "  ", "\t", " \\\n", " \\\r\n\t", "\\\n "])


@settings(max_examples=100, deadline=None)
@given(netlists(), st.data())
def test_layout_does_not_matter(models: list[NetlistModel], data: st.DataObject) -> None:
    """Blanks, continuations, comments, empty lines, DOS line ends, missing .end."""
    end = data.draw(st.sampled_from(["\n", "\r\n", " \n", "\n\n# .names\n", " # c \\\n", "#\n"]))
    lines: list[str] = []
    for line in to_blif(models).splitlines():
        if line == ".end" and data.draw(st.booleans()):
            continue
        words = line.split(" ")
        text = words[0]
        for word in words[1:]:
            text += data.draw(_LAYOUTS) + word
        lines.append(data.draw(st.sampled_from(["", " ", "\t"])) + text)
    assert_reads_as(read_blif((end.join(lines) + data.draw(st.sampled_from(["", end]))).encode()), models)
