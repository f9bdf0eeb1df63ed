"""And-inverter graphs."""


class Lit:
    """A literal of an AIG: a node and whether it is complemented."""

    def __and__(self, arg: Lit, /) -> Lit: ...

    def __invert__(self) -> Lit: ...

class Aig:
    """An and-inverter graph."""

    def __init__(self) -> None: ...

    def add_input(self) -> Lit: ...

    def __len__(self) -> int: ...
