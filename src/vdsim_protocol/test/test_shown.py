"""Values in error texts are short, and measured before they are formatted."""

from __future__ import annotations

from array import array

import pytest
from vdsim_protocol.shown import shortened, shown, shown_plainly


@pytest.mark.parametrize(
    "value",
    ["x" * 10**7, [0.0] * 10**6, (1,) * 10**6, array("d", bytes(8 * 10**6)), 10**10000],
    ids=["text", "list", "tuple", "array", "integer"],
)
def test_a_large_value_is_short(value: object) -> None:
    assert len(shown(value)) <= 120
    assert len(shown_plainly(value)) <= 120


def test_a_small_value_is_whole() -> None:
    assert shown("a b") == "'a b'"
    assert shown_plainly("a b") == "a b"
    assert shown_plainly((0.0, 1.5)) == "(0.0, 1.5)"
    assert shown_plainly(-1.0) == "-1.0"
    assert shortened("abcdef", 5) == "ab..."
