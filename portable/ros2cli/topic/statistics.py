"""What hz, bw and delay measure, without ROS: values in a sliding window, times as arguments."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class Summary:
    """Mean, extremes and standard deviation of the values in a window, in the values' unit."""

    mean: float
    minimum: float
    maximum: float
    deviation: float
    number: int

    @classmethod
    def of(cls, values: Collection[float]) -> Summary:
        """Summarise one or more values."""
        mean = sum(values) / len(values)
        variance = sum((value - mean) ** 2 for value in values) / len(values)
        return cls(mean, min(values), max(values), math.sqrt(variance), len(values))


class RateWindow:
    """The times between the latest messages."""

    def __init__(self, size: int) -> None:
        self._intervals_s: deque[float] = deque(maxlen=size)
        self._latest_s: float | None = None

    def add(self, now_s: float) -> None:
        """Take note of a message; a clock that went back starts the window afresh."""
        if self._latest_s is not None and now_s < self._latest_s:
            self._intervals_s.clear()
        elif self._latest_s is not None:
            self._intervals_s.append(now_s - self._latest_s)
        self._latest_s = now_s

    def report(self) -> str | None:
        """Return the text that `ros2 topic hz` prints; None before the second message."""
        if not self._intervals_s:
            return None
        summary = Summary.of(self._intervals_s)
        rate_hz = 1.0 / summary.mean if summary.mean > 0.0 else 0.0
        return _lines(f"average rate: {rate_hz:.3f}", summary, summary.number + 1)


class DelayWindow:
    """The times from a message's stamp to its arrival."""

    def __init__(self, size: int) -> None:
        self._delays_s: deque[float] = deque(maxlen=size)

    def add(self, delay_s: float) -> None:
        """Take note of a message."""
        self._delays_s.append(delay_s)

    def report(self) -> str | None:
        """Return the text that `ros2 topic delay` prints; None before the first message."""
        if not self._delays_s:
            return None
        summary = Summary.of(self._delays_s)
        return _lines(f"average delay: {summary.mean:.3f}", summary, summary.number)


class BandwidthWindow:
    """The sizes of the latest messages and when they came."""

    def __init__(self, size: int) -> None:
        self._messages: deque[tuple[float, int]] = deque(maxlen=size)

    def add(self, now_s: float, size_bytes: int) -> None:
        """Take note of a message."""
        self._messages.append((now_s, size_bytes))

    def report(self, now_s: float) -> str | None:
        """Return the text that `ros2 topic bw` prints; None before the second message."""
        if len(self._messages) < 2 or now_s <= self._messages[0][0]:
            return None
        sizes = Summary.of([size for _, size in self._messages])
        bytes_per_s = sizes.mean * sizes.number / (now_s - self._messages[0][0])
        # One unit for all figures: the bandwidth's.
        return (
            f"{_size_text(bytes_per_s, bytes_per_s)}/s from {sizes.number} messages\n"
            f"\tMessage size mean: {_size_text(sizes.mean, bytes_per_s)} "
            f"min: {_size_text(sizes.minimum, bytes_per_s)} "
            f"max: {_size_text(sizes.maximum, bytes_per_s)}"
        )


def _lines(headline: str, summary: Summary, window: int) -> str:
    return (
        f"{headline}\n\tmin: {summary.minimum:.3f}s max: {summary.maximum:.3f}s "
        f"std dev: {summary.deviation:.5f}s window: {window}"
    )


def _size_text(size_bytes: float, scale: float) -> str:
    if scale < 1e3:
        return f"{size_bytes:.0f} B"
    if scale < 1e6:
        return f"{size_bytes / 1e3:.2f} KB"
    return f"{size_bytes / 1e6:.2f} MB"
