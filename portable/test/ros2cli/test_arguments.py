from __future__ import annotations

import argparse
from collections.abc import Callable

import pytest
from ros2cli.arguments import count, positive_count, positive_rate, positive_seconds


def test_numbers_in_range() -> None:
    assert (positive_seconds("0.5"), positive_rate("1e2")) == (0.5, 100.0)
    assert (count("0"), positive_count("3")) == (0, 3)


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (positive_seconds, "0"),
        (positive_rate, "nan"),
        (positive_rate, "fast"),
        (positive_count, "0"),
        (positive_count, "1.5"),
        (count, "-1"),
        (count, "few"),
    ],
)
def test_numbers_out_of_range_name_value_and_bound(
    parse: Callable[[str], float], text: str
) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=f"^'{text}': must be .*>"):
        parse(text)
