"""Packet rate over the last second."""

from collections.abc import Iterable

_WINDOW_S = 1.0


def packet_rate_hz(stamps_s: Iterable[float], now: float) -> float:
    """Return the number in the last second; stamps from before a backward jump do not count."""
    return sum(1 for stamp_s in stamps_s if 0.0 <= now - stamp_s <= _WINDOW_S) / _WINDOW_S
