"""The one watchdog that both ends of the link use: no valid packet for so long means silence."""

from __future__ import annotations


class Watchdog:
    """Expired until it is fed, and again `timeout_s` after the last feeding."""

    def __init__(self, timeout_s: float) -> None:
        if not timeout_s > 0.0:
            raise ValueError(f"timeout_s={timeout_s!r}: must be > 0")
        self.timeout_s = timeout_s
        self._deadline: float | None = None

    def fed(self, now: float) -> None:
        """A valid packet arrived at `now` [s]."""
        self._deadline = now + self.timeout_s

    def expired(self, now: float) -> bool:
        """Whether the link is silent at `now` [s]; true before the first feeding."""
        return self._deadline is None or now >= self._deadline

    def next_deadline(self) -> float | None:
        """When it expires if it is not fed [s]; None before the first feeding."""
        return self._deadline
