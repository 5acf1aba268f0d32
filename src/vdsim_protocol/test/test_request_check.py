"""A request counts when its `check` is the message's own default."""

from __future__ import annotations

from typing import NamedTuple

from vdsim_protocol.request_check import refusal


class Request(NamedTuple):
    """As a class of a service has it."""

    check: int
    CHECK: int = 1297302614


def test_the_default_counts() -> None:
    assert refusal(Request(Request(0).CHECK)) == ""


def test_any_other_number_is_refused_with_what_to_do() -> None:
    for number in (0, 1, 1297302613, 2**32 - 1):
        why = refusal(Request(number))
        assert why.startswith(f"check={number}: must be 1297302614, the default; ")
        assert "RMW_IMPLEMENTATION" in why
