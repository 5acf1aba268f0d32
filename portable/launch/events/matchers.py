"""Choose events by what they are about."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..event import Event

if TYPE_CHECKING:
    from ..action import Action


def matches_action(target_action: Action) -> Callable[[Event], bool]:
    """Return a predicate for events about ``target_action``."""
    return lambda event: getattr(event, "action", None) is target_action
