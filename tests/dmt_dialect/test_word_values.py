"""Words shown for people."""

from __future__ import annotations

from dmt_dialect.counterexample_vcd import counterexample_vcd
from dmt_dialect.verdict import Counterexample
from dmt_dialect.word_values import word_values


def shown(**bits: int | None) -> list[str]:
    return [
        f"{w.name}={w.text}"
        for w in word_values({k.replace("_", "[") + ("]" if "_" in k else ""): v for k, v in bits.items()})
    ]


def test_words() -> None:
    assert shown(a_0=1, a_1=0, a_2=1, b=1) == ["a=5 (0x5)", "b=1"]
    assert shown(b=0, a_1=0, a_0=1) == ["b=0", "a=1 (0x1)"]
    assert shown(a_0=1, a_1=None) == ["a=0bx1"]
    # A gap, a word of one bit, a name that is taken.
    assert shown(a_0=1, a_2=1) == ["a[0]=1", "a[2]=1"]
    assert shown(a_0=1) == ["a[0]=1"]
    assert shown(a=1, a_0=1, a_1=1) == ["a=1", "a[0]=1", "a[1]=1"]
    assert shown(**{f"a_{i}": 1 for i in range(12)}) == ["a=4095 (0xfff)"]


CEX = Counterexample(
    "s[1]", {"a[0]": 1, "a[1]": 1, "b": None}, {}, {"s[0]": 0, "s[1]": 1}, {"s[0]": 0, "s[1]": 0}
)


def test_counterexample() -> None:
    assert str(CEX) == (
        "a=3 (0x3) (the other 1 do not matter): s[1] is 1 left, 0 right (s is 2 (0x2) left, 0 (0x0) right)"
    )
    words = CEX.to_dict()["words"]
    assert words["inputs"] == {"a": {"width": 2, "value": 3, "hex": "0x3", "bits": "11"}}
    assert Counterexample.from_dict(CEX.to_dict()) == CEX


def test_waveform() -> None:
    text = "\n".join(counterexample_vcd(CEX))
    assert "$var wire 2 ! a [1:0] $end" in text
    assert 'x"' in text
    assert "b11 !" in text
