"""Verification of word operators outside of netlists."""

from __future__ import annotations

import pytest

from dmt_dialect.passes.canonicalize import Canonicalize, CanonicalizeParams
from dmt_dialect.verify_operators import verify_operators
from dynomite.errors import VerifyError
from dynomite.ir import parse
from hw_dialect.builder import context

TEXT = """using op
let f = CFG {
  ADD %a:def(bits(8)) constant(1, 8) constant(2, 8)
  EQ %b:def(bits(1)) %a constant(0, 7)
  MUX %c:def(bits(8)) %a %a %a
}
"""


def test_everything_is_listed() -> None:
    module = parse(TEXT, context(), path="f.dyn", locations=True)
    with pytest.raises(VerifyError) as caught:
        verify_operators(module)
    lines = str(caught.value).splitlines()
    assert [line.partition(": error: ")[0] for line in lines] == ["f.dyn:4:3", "f.dyn:5:3"]
    with pytest.raises(VerifyError):
        Canonicalize(CanonicalizeParams())(module)
    verify_operators(parse("using op\nADD %a:def(bits(8)) constant(1, 8) constant(2, 8)", context()))
