"""How many packets a second: those of the last one."""

from collections.abc import Iterable

_WINDOW_S = 1.0


def packet_rate_hz(stamps_s: Iterable[float], now: float) -> float:
    """Return the number in the last second; stamps of before time jumped back do not count."""
    return sum(1 for stamp_s in stamps_s if 0.0 <= now - stamp_s <= _WINDOW_S) / _WINDOW_S
