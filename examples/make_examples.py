"""Makes the circuits of this folder: small adders that show each job of the toolkit.

    python examples/make_examples.py [FOLDER]

| file | what it is |
| --- | --- |
| adder_ripple.aag | 8-bit ripple-carry adder, ASCII AIGER |
| adder_kogge_stone.blif | the same function as a Kogge-Stone adder, BLIF |
| adder_select.aig | the same function as a carry-select adder, binary AIGER |
| adder_checked.aig | a self-checking adder: two adders, and an output that says whether they disagree |
| adder_buggy.blif | the Kogge-Stone adder with one carry that forgets a case |
| adder_hierarchy.blif | the same function, 8 instances of a full adder |
| broken.aag | an AND that reads a literal beyond the maximum |
| accumulator.blif | adds its input to an 8-bit register each cycle |

All adders have the ports a[0..7], b[0..7], cin and s[0..7], cout; adder_checked has the output alarm as well.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import dynomite
from dynomite import Aig, Lit

WIDTH = 8


def ports(aig: Aig) -> tuple[Sequence[Lit], Sequence[Lit], Lit]:
    """The inputs of every adder, in one order."""
    a = aig.add_inputs([f"a[{i}]" for i in range(WIDTH)])
    b = aig.add_inputs([f"b[{i}]" for i in range(WIDTH)])
    return a, b, aig.add_input("cin")


def finish(aig: Aig, total: Sequence[Lit], carry: Lit) -> Aig:
    """The outputs of every adder."""
    for i, bit in enumerate(total):
        aig.add_output(bit, f"s[{i}]")
    aig.add_output(carry, "cout")
    return aig


def ripple_bits(a: Sequence[Lit], b: Sequence[Lit], carry: Lit) -> tuple[list[Lit], Lit]:
    """Sum bits and the carry out of a chain of full adders."""
    total: list[Lit] = []
    for x, y in zip(a, b, strict=True):
        half = x ^ y
        total.append(half ^ carry)
        carry = (x & y) | (half & carry)
    return total, carry


def ripple_adder() -> Aig:
    """A carry that ripples through all bits."""
    aig = Aig()
    a, b, cin = ports(aig)
    return finish(aig, *ripple_bits(a, b, cin))


def kogge_stone_bits(
    a: Sequence[Lit], b: Sequence[Lit], cin: Lit, *, bug: bool = False
) -> tuple[list[Lit], Lit]:
    """Sum bits and the carry out; carries by a prefix tree of logarithmic depth."""
    half = [x ^ y for x, y in zip(a, b, strict=True)]
    generate = [x & y for x, y in zip(a, b, strict=True)]
    propagate = list(half)
    distance = 1
    while distance < WIDTH:
        before, alive = list(generate), list(propagate)
        for i in range(distance, WIDTH):
            if bug and distance == 4 and i == 6:
                continue  # the carry into bit 7 forgets what comes from bits 0 to 2
            generate[i] = before[i] | (alive[i] & before[i - distance])
            propagate[i] = alive[i] & alive[i - distance]
        distance *= 2
    carries = [cin, *((g | (p & cin)) for g, p in zip(generate, propagate, strict=True))]
    return [h ^ c for h, c in zip(half, carries, strict=False)], carries[-1]


def kogge_stone_adder(*, bug: bool = False) -> Aig:
    """An adder of logarithmic depth."""
    aig = Aig()
    a, b, cin = ports(aig)
    return finish(aig, *kogge_stone_bits(a, b, cin, bug=bug))


def select_adder() -> Aig:
    """The upper half twice, for either carry, and a choice: fast, and redundant."""
    aig = Aig()
    a, b, cin = ports(aig)
    middle = WIDTH // 2
    low, carry = ripple_bits(a[:middle], b[:middle], cin)
    without, carry0 = ripple_bits(a[middle:], b[middle:], aig.false)
    with_carry, carry1 = ripple_bits(a[middle:], b[middle:], aig.true)
    high = [carry.mux(one, zero) for one, zero in zip(with_carry, without, strict=True)]
    return finish(aig, [*low, *high], carry.mux(carry1, carry0))


def checked_adder() -> Aig:
    """Adds twice and compares: the alarm never rings, and sweeping finds that out."""
    aig = Aig()
    a, b, cin = ports(aig)
    first, first_carry = ripple_bits(a, b, cin)
    second, second_carry = kogge_stone_bits(a, b, cin)
    alarm = first_carry ^ second_carry
    for x, y in zip(first, second, strict=True):
        alarm = alarm | (x ^ y)
    finish(aig, first, first_carry).add_output(alarm, "alarm")
    return aig


def accumulator() -> Aig:
    """A register that adds the input in each cycle; `clear` empties it."""
    aig = Aig()
    data = aig.add_inputs([f"d[{i}]" for i in range(WIDTH)])
    clear = aig.add_input("clear")
    register = [aig.add_latch(0, f"acc[{i}]") for i in range(WIDTH)]
    total, _ = ripple_bits(register, data, aig.false)
    for bit, value in zip(register, total, strict=True):
        aig.set_next(bit, value & ~clear)
    for i, bit in enumerate(register):
        aig.add_output(bit, f"q[{i}]")
    return aig


def hierarchical_adder() -> str:
    """BLIF text with a full adder as a model of its own."""
    bits = range(WIDTH)
    names = " ".join
    lines = [
        ".model adder",
        f".inputs {names(f'a[{i}]' for i in bits)} {names(f'b[{i}]' for i in bits)} cin",
        f".outputs {names(f's[{i}]' for i in bits)} cout",
    ]
    for i in bits:
        carry_in = "cin" if i == 0 else f"c{i}"
        carry_out = "cout" if i == WIDTH - 1 else f"c{i + 1}"
        lines.append(f".subckt full_adder x=a[{i}] y=b[{i}] z={carry_in} sum=s[{i}] carry={carry_out}")
    lines += [
        ".end",
        "",
        ".model full_adder",
        ".inputs x y z",
        ".outputs sum carry",
        ".names x y z sum",
        *("100 1", "010 1", "001 1", "111 1"),
        ".names x y z carry",
        *("11- 1", "1-1 1", "-11 1"),
        ".end",
    ]
    return "\n".join(lines) + "\n"


def main(folder: Path) -> None:
    """Writes every file."""
    dynomite.write(ripple_adder(), folder / "adder_ripple.aag")
    dynomite.write(kogge_stone_adder(), folder / "adder_kogge_stone.blif")
    dynomite.write(select_adder(), folder / "adder_select.aig")
    dynomite.write(checked_adder(), folder / "adder_checked.aig")
    dynomite.write(kogge_stone_adder(bug=True), folder / "adder_buggy.blif")
    dynomite.write(accumulator(), folder / "accumulator.blif")
    (folder / "adder_hierarchy.blif").write_text(hierarchical_adder(), "utf-8")
    (folder / "broken.aag").write_text("aag 3 2 0 1 1\n2\n4\n6\n6 9 4\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent)
