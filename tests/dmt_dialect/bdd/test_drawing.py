"""Pictures: every node and arc is there."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from dmt_dialect.bdd import Bdd, drawing, to_dot, to_svg
from dynomite.errors import LimitError


def test_dot_shows_all_nodes_and_arcs() -> None:
    bdd = Bdd()
    a, b, c = bdd.add_vars(['a"', "b", "c"])
    f = (a & b) | ~c
    functions = {"f": f, "not f": ~f}
    text = to_dot(functions)
    inner = bdd.node_count([f]) - 1
    assert text.count("[label=") == inner + 1 + len(functions)
    assert text.count("->") == 2 * inner + len(functions)
    assert text.count("style=dashed") == inner
    assert '\\"' in text
    complemented = text.count("odot")
    assert complemented >= 1
    assert to_dot({"one": bdd.true}).count("->") == 1


def test_svg_is_well_formed(monkeypatch: pytest.MonkeyPatch) -> None:
    bdd = Bdd()
    a, b, c = bdd.add_vars(["a<", "b", "c"])
    f = a ^ b ^ c
    root = ElementTree.fromstring(to_svg({"f & g": f}))
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}rect")) == len(f)
    assert len(root.findall(f"{space}line")) == 2 * (len(f) - 1) + 1
    monkeypatch.setattr(drawing, "MAX_NODES", 3)
    with pytest.raises(LimitError, match="3 nodes"):
        to_svg({"f": f})
