"""A few bytes cannot ask for all memory."""

from __future__ import annotations

import pytest

from dynomite.errors import LimitError
from hw_dialect.elaborate import lower
from hw_dialect.formats.dyno import read_dyno, read_net

WIDE = b'using op\nusing hw\nMODULE @m {\n IN %a:def(wire(1000000))\n OUT "y" %a\n}\n'
OUTPUTS = (
    b"using op\nusing hw\nMODULE @m {\n IN %a:def(wire(100000))\n"
    + b"".join(b' OUT "y%d" %%a\n' % number for number in range(40))
    + b"}\n"
)


def product(operator: str, width: int) -> bytes:
    return (
        f"using op\nusing hw\nMODULE @m {{\n IN %a:def(wire({width}))\n IN %b:def(wire({width}))\n"
        f' {operator} %p:def(wire({width})) %a %b\n OUT "p" %p\n}}\n'
    ).encode()


@pytest.mark.parametrize("data", [WIDE, OUTPUTS])
def test_many_bits(data: bytes) -> None:
    with pytest.raises(LimitError, match="max_bits"):
        read_dyno(data)
    with pytest.raises(LimitError, match="max_bits"):
        lower(read_net(data), max_bits=99_999)


@pytest.mark.parametrize("operator", ["MUL", "UDIV", "UREM", "SDIV", "SREM", "SMOD"])
def test_products_are_refused_before_they_are_made(operator: str) -> None:
    with pytest.raises(LimitError, match="max_ands"):
        read_dyno(product(operator, 20_000))
    with pytest.raises(LimitError, match="max_ands"):
        lower(read_net(product(operator, 64)), max_ands=20_000)
    assert lower(read_net(product(operator, 8)), max_ands=20_000).num_ands > 100


def test_the_limits_leave_room() -> None:
    assert read_dyno(product("MUL", 512)).num_ands > 1_000_000
