"""Who may drive a stream: a session belongs to the address that opened it.

    packet from ...              the owner has been silent for   and the vehicle   it
    the owner                    any time                        any               is checked
    another address              less than `release_s`           any               is rejected
    another address              `release_s` or longer           moves             is rejected
    another address              `release_s` or longer           stands            opens a session
    a named address              any time, owner not named       any               opens a session
    a named address              `silence_s` or longer           any               opens a session

A named address is one that the allow-list holds with its port. Nothing here proves that a datagram
came from the address that it states: on a network where addresses can be forged, use a firewall.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeAlias

Source: TypeAlias = tuple[str, int]
"""Host and port of a sender."""


def _never(vehicle_id: int) -> bool:
    return False


class Ownership:
    """The rule above; the sessions themselves belong to the receiver."""

    def __init__(
        self,
        allowed: Collection[str | Source] | None,
        *,
        silence_s: float,
        release_s: float | None = None,
        is_moving: Callable[[int], bool] | None = None,
    ) -> None:
        """`release_s` None: the same as `silence_s`; `is_moving` None: never."""
        self._allowed = None if allowed is None else frozenset(allowed)
        self.named = frozenset(some for some in allowed or () if isinstance(some, tuple))
        """The allow-list's addresses with a port."""
        self._silence_s = silence_s
        self._release_s = silence_s if release_s is None else release_s
        self._is_moving = _never if is_moving is None else is_moving

    def allows(self, source: Source) -> bool:
        """Whether the allow-list lets the address send at all."""
        allowed = self._allowed
        return allowed is None or source[0] in allowed or source in allowed

    def may_take_over(self, source: Source, owner: Source, silent_s: float, vehicle: int) -> bool:
        """Whether `source` may open a session while `owner`'s last packet is `silent_s` old."""
        if source in self.named:
            return owner not in self.named or silent_s >= self._silence_s
        return silent_s >= self._release_s and not self._is_moving(vehicle)
