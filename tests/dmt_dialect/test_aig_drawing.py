"""Export to networkx, drawings."""

from __future__ import annotations

import itertools
import random
import xml.etree.ElementTree as ElementTree

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmt_dialect.aig import Aig
from dmt_dialect.aig_drawing import MAX_NODES, to_svg
from tests.support.generators import random_aig

SVG = "{http://www.w3.org/2000/svg}"


@given(st.integers(0, 2**32))
def test_graph_holds_the_whole_circuit(seed: int) -> None:
    """The graph alone, read back by its attributes, computes the same."""
    aig = random_aig(random.Random(seed), 3, 20, 3, raw=True)
    graph = aig.to_networkx()
    assert graph.number_of_nodes() == aig.num_nodes + aig.num_outputs
    assert networkx.is_directed_acyclic_graph(graph)
    for row in itertools.product([False, True], repeat=3):
        values: dict[object, bool] = {}
        inputs = iter(row)
        for node in [*range(aig.num_nodes), *(("output", i) for i in range(3))]:
            kind = graph.nodes[node]["kind"]
            if kind == "const":
                values[node] = False
            elif kind == "input":
                values[node] = next(inputs)
            else:
                fanins = [
                    values[source] != complemented
                    for source, _, data in graph.in_edges(node, data=True)
                    for complemented in data.get("complements", [data["complemented"]])
                ]
                assert len(fanins) == (2 if kind == "and" else 1)
                values[node] = all(fanins)
        expected = aig.evaluate(aig.outputs, dict(zip(aig.inputs, row, strict=True)))
        assert [values["output", i] for i in range(3)] == expected


def test_graph_attributes() -> None:
    aig = Aig()
    aig.name = "top"
    a = aig.add_input("a")
    q = aig.add_latch(None, "q")
    aig.set_next(q, ~a)
    aig.add_output(~(a & ~q), "f")
    aig.add_bad(q)
    aig.add_justice([a, q], "j")
    graph = aig.to_networkx()
    assert graph.graph["name"] == "top"
    assert graph.nodes[1] == {"kind": "input", "level": 0, "name": "a"}
    assert graph.nodes[2] == {"kind": "latch", "level": 0, "name": "q", "reset": None}
    assert graph.nodes[3] == {"kind": "and", "level": 1}
    assert graph.nodes["output", 0] == {"kind": "output", "name": "f"}
    assert graph.edges[3, ("output", 0)] == {"complemented": True}
    assert graph.edges[1, ("next_state", 0)]["complemented"]
    assert graph.edges[2, 3]["complemented"]
    assert list(graph.predecessors(("justice", 0))) == [1, 2]
    assert list(graph.predecessors(("bad", 0))) == [2]


@pytest.mark.parametrize("seed", range(5))
def test_drawings_are_well_formed_and_complete(seed: int) -> None:
    aig = random_aig(random.Random(seed), 6, 40, 5, latches=2, raw=seed % 2 == 0)
    aig.set_names(
        "outputs", ["<&>", 'quo"te', b"\xff\x01".decode("utf-8", "surrogateescape"), "x" * 50, None]
    )
    svg = aig._repr_svg_()
    assert svg is not None
    assert svg == to_svg(aig)
    root = ElementTree.fromstring(svg)
    texts = [element.text or "" for element in root.iter(f"{SVG}text")]
    constant = any(lit.is_constant for lit in (*aig.outputs, *aig.next_states)) or any(
        lit.is_constant for node in aig.ands() for lit in node.operands
    )
    shapes = aig.num_nodes - (not constant) + aig.num_outputs + aig.num_latches
    assert len(texts) == shapes
    assert "<&>" in texts
    edges = 2 * aig.num_ands + aig.num_outputs + aig.num_latches
    assert len(list(root.iter(f"{SVG}path"))) == edges
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for element in root.iter(f"{SVG}text"):
        assert 0 < float(element.attrib["x"]) < width
        assert 0 < float(element.attrib["y"]) < height
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")


def test_large_graphs_are_shown_as_text() -> None:
    aig = Aig()
    aig.add_inputs(MAX_NODES - 1)
    assert to_svg(aig) is not None
    aig.add_input()
    assert to_svg(aig) is None
    assert to_svg(Aig()) is not None
