"""Limits frequent notes to one line a second, with their count. Pure."""

from __future__ import annotations

_BETWEEN_LINES_S = 1.0


class ThrottledNote:
    """Collects texts about one matter; the newest represents those in between."""

    def __init__(self) -> None:
        self._text = ""
        self._count = 0
        self._next_s: float | None = None

    def add(self, text: str) -> None:
        """Count one more occurrence."""
        self._text = text
        self._count += 1

    def due(self, now: float) -> str:
        """The line to log at `now` [s]; empty when there is none."""
        if self._count == 0 or (self._next_s is not None and now < self._next_s):
            return ""
        more = f" (the last of {self._count})" if self._count > 1 else ""
        self._next_s, self._count = now + _BETWEEN_LINES_S, 0
        return self._text + more
