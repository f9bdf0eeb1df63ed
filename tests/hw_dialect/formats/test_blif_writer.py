"""AIGs written as BLIF and .bench: the same function and the same names when read again."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynomite._native.aig import Aig, Lit
from dynomite._native.base import Stop
from dynomite.errors import LimitError, UsageError
from dynomite.formats import read_circuit, write_circuit
from hw_dialect.formats.bench import read_bench, write_bench
from hw_dialect.formats.blif import read_blif, write_blif
from tests.support import reference_blif
from tests.support.generators import random_aig
from tests.support.oracles import evaluate_nodes, lit_value, truth_tables

Write = Callable[[Aig, io.BytesIO], list[str]]
Read = Callable[[bytes], Aig]

FORMATS = pytest.mark.parametrize(
    ("write", "read"), [(write_blif, read_blif), (write_bench, read_bench)], ids=["blif", "bench"]
)


def written(write: Write, aig: Aig) -> tuple[bytes, list[str]]:
    stream = io.BytesIO()
    notes = write(aig, stream)
    return stream.getvalue(), notes


def port_names(aig: Aig) -> list[list[str | None]]:
    return [aig.names(section) for section in ("inputs", "latches", "outputs")]


def functions(aig: Aig) -> list[list[bool | None]]:
    """Outputs and next states for every value of inputs and latches."""
    count = aig.num_inputs + aig.num_latches
    lits = [*aig.literals("outputs").tolist(), *[lit.raw for lit in aig.next_states]]
    rows: list[list[bool | None]] = []
    for k in range(1 << count):
        values = [bool(k >> i & 1) for i in range(count)]
        nodes = evaluate_nodes(aig, values[: aig.num_inputs], values[aig.num_inputs :])
        rows.append([lit_value(nodes, lit) for lit in lits])
    return rows


@FORMATS
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), raw=st.booleans(), data=st.data())
def test_what_is_written_reads_back(
    write: Write, read: Read, seed: int, raw: bool, data: st.DataObject
) -> None:
    rng = random.Random(seed)
    aig = random_aig(rng, rng.randrange(5), rng.randrange(25), rng.randrange(5), rng.randrange(4), raw=raw)
    text = st.text(
        st.one_of(
            st.sampled_from("ab01n%#\\ =(),.[]\t%io3l"),
            st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]),
        ),
        max_size=6,
    )
    names = st.one_of(
        st.none(), st.sampled_from(["a", "q", "n5", "%i0", "q%o1", "%c0", "%b7"]), text.filter(bool)
    )
    for section, size in (
        ("inputs", aig.num_inputs),
        ("latches", aig.num_latches),
        ("outputs", aig.num_outputs),
    ):
        aig.set_names(section, [data.draw(names) for _ in range(size)])
    back = read(written(write, aig)[0])
    assert port_names(back) == port_names(aig)
    assert back.resets == aig.resets
    assert functions(back) == functions(aig)


def small() -> tuple[Aig, Lit, Lit, Lit]:
    aig = Aig()
    a, b = aig.add_inputs(2)
    q = aig.add_latch(0)
    return aig, a, b, q


def test_the_text_is_as_expected() -> None:
    aig, a, b, q = small()
    r = aig.add_latch(1)
    s = aig.add_latch(None)
    aig.name = "the circuit"
    aig.set_names("inputs", ["a", "in 1"])
    aig.set_names("latches", ["q", None, "n5"])
    g = ~(a & ~b)
    for output, name in ((g, "y"), (q, "q"), (aig.true, "one"), (aig.false, None), (a, "q")):
        aig.add_output(output, name)
    aig.set_next(q, g)
    aig.set_next(r, aig.true)
    aig.set_next(s, aig.false)
    data, notes = written(write_blif, aig)
    assert data.decode().splitlines() == [
        ".model the%20circuit",
        ".inputs a in%201",
        ".outputs y q one %o3 q%o4",
        ".latch %b6 q 0",
        ".latch %c1 %l1 1",
        ".latch %c0 n5 3",
        ".names in%201 a %n6",
        "01 1",
        ".names %n6 %b6",
        "0 1",
        ".names %n6 y",
        "0 1",
        ".names one",
        "1",
        ".names %o3",
        ".names a q%o4",
        "1 1",
        ".names %c0",
        ".names %c1",
        "1",
        ".end",
    ]
    assert notes == [
        "1 of 3 latches have no name and are written as %l0, %l1, ... by their number; "
        "reading drops such names again",
        "1 of 5 outputs have no name and are written as %o0, %o1, ... by their number; "
        "reading drops such names again",
        "1 of 5 outputs share their name with another signal and are written with a mark, the first as q%o4; "
        "reading drops the mark again",
    ]
    data, _ = written(write_bench, aig)
    assert data.decode().splitlines() == [
        "# the%20circuit",
        "INPUT(a)",
        "INPUT(in%201)",
        "OUTPUT(y)",
        "OUTPUT(q)",
        "OUTPUT(one)",
        "OUTPUT(%o3)",
        "OUTPUT(q%o4)",
        "q = DFF0(%b6)",
        "%l1 = DFF1(%c1)",
        "n5 = DFF(%c0)",
        "%n6 = AND(%b2, a)",
        "y = NOT(%n6)",
        "one = vdd",
        "%o3 = gnd",
        "q%o4 = BUFF(a)",
        "%c0 = gnd",
        "%c1 = vdd",
        "%b2 = NOT(in%201)",
        "%b6 = NOT(%n6)",
    ]


def test_net_names_are_written() -> None:
    text = b".model m\n.inputs a b\n.outputs y\n.names a b both\n11 1\n.names both y\n0 1\n.end\n"
    aig = read_blif(text, net_names=True)
    data, _ = written(write_blif, aig)
    assert b".names b a both\n11 1\n.names both y\n0 1\n" in data
    assert [name for _, name in read_blif(data, net_names=True).net_names] == ["both"]


def test_the_independent_reader_understands_it(rng: random.Random) -> None:
    for _ in range(20):
        aig = random_aig(rng, 4, 30, 3)
        model = reference_blif.parse(written(write_blif, aig)[0].decode())
        assert model.truth() == truth_tables(aig)


@FORMATS
def test_properties_need_an_explicit_option(write: Callable[..., list[str]], read: Read) -> None:
    aig, a, b, _ = small()
    aig.add_bad(a)
    aig.add_constraint(b)
    aig.add_output(a & b, "y")
    with pytest.raises(UsageError, match=r"cannot hold the circuit's properties \(1 bad, 1 constraint\)"):
        write(aig, io.BytesIO())
    stream = io.BytesIO()
    notes = write(aig, stream, drop_properties=True)
    assert notes[-1] == "properties were dropped: 1 bad, 1 constraint"
    assert read(stream.getvalue()).num_outputs == 1


@pytest.mark.parametrize("suffix", ["blif", "eblif", "bench", "blif.gz", "blif.xz", "blif.zst", "bench.xz"])
def test_files_by_suffix(suffix: str, tmp_path: Path, rng: random.Random) -> None:
    aig = random_aig(rng, 4, 30, 3, 2)
    path = tmp_path / f"c.{suffix}"
    write_circuit(aig, path)
    back = read_circuit(path)
    assert functions(back) == functions(aig)
    assert port_names(back) == port_names(aig)


def test_a_file_is_replaced_only_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "c.blif"
    path.write_text("old")
    aig, a, b, _ = small()
    for k in range(9000):
        b = a & ~b if k % 2 else ~(a & aig.add_input())
    stop = Stop()
    stop.cancel()
    for write in (write_blif, write_bench):
        with pytest.raises(LimitError, match="stopped"):
            write(aig, path, stop=stop)
    assert path.read_text() == "old"
    with pytest.raises(UsageError, match="cannot write"):
        write_blif(aig, tmp_path / "no" / "c.blif")
