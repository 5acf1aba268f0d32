"""How many streams are open: a newcomer ends the oldest, so that nobody can hold all. Pure."""

from __future__ import annotations

from collections.abc import Callable

LARGEST_STREAM_COUNT = 16
SAFE_AGE_S = 10.0
"""A stream younger than this is not ended for another one."""


class StreamSlots:
    """The open streams, the oldest first, each with what ends it."""

    def __init__(self) -> None:
        self._open: dict[object, tuple[float, Callable[[], None]]] = {}

    def __len__(self) -> int:
        return len(self._open)

    def take(self, stream: object, end: Callable[[], None], now: float) -> bool:
        """Open a stream at `now` [s]; False when every other one is too young to be ended."""
        if len(self._open) >= LARGEST_STREAM_COUNT:
            oldest, (opened_s, end_oldest) = next(iter(self._open.items()))
            if now - opened_s < SAFE_AGE_S:
                return False
            del self._open[oldest]
            end_oldest()
        self._open[stream] = (now, end)
        return True

    def give_back(self, stream: object) -> None:
        """The stream has ended, by itself or for another one."""
        self._open.pop(stream, None)
