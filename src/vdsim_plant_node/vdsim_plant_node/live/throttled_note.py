"""Says what may happen very often at most once a second, with how often it happened. Pure."""

from __future__ import annotations

_BETWEEN_LINES_S = 1.0


class ThrottledNote:
    """Collects texts about one matter; the newest of them stands for those in between."""

    def __init__(self) -> None:
        self._text = ""
        self._count = 0
        self._next_s: float | None = None

    def add(self, text: str) -> None:
        """It has happened."""
        self._text = text
        self._count += 1

    def due(self, now: float) -> str:
        """The line to say at `now` [s], or nothing."""
        if self._count == 0 or (self._next_s is not None and now < self._next_s):
            return ""
        more = f" (the last of {self._count})" if self._count > 1 else ""
        self._next_s, self._count = now + _BETWEEN_LINES_S, 0
        return self._text + more
