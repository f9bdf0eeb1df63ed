"""Bits of ports `a[0]` to `a[n]` as words, for people: decimal and hexadecimal.

    a[0]=1 a[1]=0 a[2]=1    ->    a=5 (0x5)

A bit that does not matter is an x; then the word is shown as a pattern of bits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_BIT = re.compile(r"(.+)\[(0|[1-9][0-9]{0,6})\]", re.DOTALL)


@dataclass(frozen=True)
class WordValue:
    """The value of a word.

    Attributes:
        name: Its name.
        width: Its bits.
        value: The number, None if some bit does not matter.
        bits: All bits, the highest first: 0, 1 or x.
    """

    name: str
    width: int
    value: int | None
    bits: str

    @property
    def text(self) -> str:
        """The value as text: `5 (0x05)`, a bit as `1`, a pattern as `0b1x01`."""
        if self.value is None:
            return f"0b{self.bits}"
        if self.width == 1:
            return str(self.value)
        return f"{self.value} (0x{self.value:0{(self.width + 3) // 4}x})"

    def to_dict(self) -> dict[str, object]:
        """Plain data; numbers above 53 bits stay exact in `hex` and `bits` whatever reads them."""
        number = self.value
        return {
            "width": self.width,
            "value": number,
            "hex": None if number is None else f"0x{number:0{(self.width + 3) // 4}x}",
            "bits": self.bits,
        }


def word_values(bits: Mapping[str, int | None]) -> list[WordValue]:
    """Bits by name as words, in the order of their first bits.

    Names `a[0]` to `a[n]`, two or more and without a gap, are the word `a`, unless something is called `a`;
    every other name is a word of one bit.
    """
    members: dict[str, dict[int, str]] = {}
    for name in bits:
        match = _BIT.fullmatch(name)
        if match is not None:
            members.setdefault(match[1], {})[int(match[2])] = name
    complete = {
        base: found
        for base, found in members.items()
        if len(found) > 1 and max(found) + 1 == len(found) and base not in bits
    }
    words: dict[str, WordValue] = {}
    for name, bit in bits.items():
        match = _BIT.fullmatch(name)
        if match is None or match[1] not in complete:
            words[name] = _word(name, [bit])
        elif match[1] not in words:
            found = complete[match[1]]
            words[match[1]] = _word(match[1], [bits[found[i]] for i in range(len(found))])
    return list(words.values())


def _word(name: str, bits: list[int | None]) -> WordValue:
    text = "".join("x" if bit is None else str(bit) for bit in reversed(bits))
    return WordValue(name, len(bits), None if "x" in text else int(text, 2), text)
