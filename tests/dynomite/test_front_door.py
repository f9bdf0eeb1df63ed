"""`dynomite` itself: names that load when they are used."""

from __future__ import annotations

import pytest

import dynomite


def test_names_load_when_used() -> None:
    assert set(dynomite.__all__) <= set(dir(dynomite))
    for name in dynomite.__all__:
        assert getattr(dynomite, name) is getattr(dynomite, name)
    assert dynomite.lec.__name__ == "lec"


def test_other_names_are_no_attributes() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(dynomite, "nothing")  # noqa: B009
