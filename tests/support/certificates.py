"""What an algebraic certificate says about its circuit, by evaluation of its gates."""

from __future__ import annotations

from collections.abc import Sequence


def words_are_equal(lines: Sequence[str]) -> bool:
    """Whether the words and pairs of a certificate are equal for all inputs. Cost: 2^inputs bits a gate."""
    inputs = 0
    gates: list[tuple[int, int]] = []
    words: list[tuple[int, int]] = []
    for kind, *numbers in (line.split() for line in lines if line.strip()):
        if kind == "inputs":
            inputs = int(numbers[0])
        elif kind in ("g", "w", "e"):
            (gates if kind == "g" else words).append((int(numbers[0]), int(numbers[1])))
    ones = (1 << (1 << inputs)) - 1
    values = [0]
    for step in (1 << index for index in range(inputs)):
        values.append(ones // ((1 << 2 * step) - 1) * (((1 << step) - 1) << step))

    def value(lit: int) -> int:
        return values[lit >> 1] ^ (ones if lit & 1 else 0)

    for a, b in gates:
        values.append(value(a) & value(b))
    return all(value(a) == value(b) for a, b in words)
