"""Is a service request really one: the field `check` of our services.

A DDS implementation of another vendor may frame a request differently; read as the body, its frame
is a request with values at random. `check` comes first and has a default, so that every client of
our messages fills it in without knowing of it.
"""

from __future__ import annotations

from typing import Protocol


class Checked(Protocol):
    """A request with the field."""

    CHECK: int
    check: int


def refusal(request: Checked) -> str:
    """Return why a request does not count; empty when it does."""
    if request.check == request.CHECK:
        return ""
    return (
        f"check={request.check}: must be {request.CHECK}, the default; a DDS peer of another "
        "vendor may have sent this: use the same RMW_IMPLEMENTATION on both sides"
    )
