"""Watchdog on received packets: of the AutoHYU bridge for its inputs."""

from __future__ import annotations


def is_expired(age_s: float, timeout_s: float) -> bool:
    """Whether something received `age_s` [s] ago is too old; at exactly the timeout it is not."""
    return age_s > timeout_s


class Watchdog:
    """Expired until it is fed, and again when the last feeding is older than `timeout_s`."""

    def __init__(self, timeout_s: float) -> None:
        if not timeout_s > 0.0:
            raise ValueError(f"timeout_s={timeout_s!r}: must be > 0")
        self.timeout_s = timeout_s
        self._fed_at_s: float | None = None

    def fed(self, now: float) -> None:
        """A valid packet arrived at `now` [s]."""
        self._fed_at_s = now

    def expired(self, now: float) -> bool:
        """Whether the link is silent at `now` [s]; true before the first feeding."""
        return self._fed_at_s is None or is_expired(now - self._fed_at_s, self.timeout_s)
