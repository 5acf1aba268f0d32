"""What the adapter reports as diagnostics: problems that passed, and the rate of a topic."""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

from vdsim_interface.values import Severity

SHOWN_S = 3.0
"""A problem stays in the diagnostics for this time: they are published at 1 Hz."""
WINDOW_S = 1.0


class Line:
    """The state of one topic: the latest problem, until it is old."""

    def __init__(self) -> None:
        self._text = ""
        self._severity = Severity.INFO
        self._seen_s = -math.inf
        self.problems = 0

    def problem(self, text: str, severity: Severity, now: float) -> None:
        """Note a problem."""
        self._text, self._severity, self._seen_s = text, severity, now
        self.problems += 1

    def current(self, now: float) -> tuple[Severity, str]:
        """Return the problem, or INFO and an empty text."""
        if not 0.0 <= now - self._seen_s < SHOWN_S:
            return Severity.INFO, ""
        return self._severity, self._text


class RateWatch:
    """Rate of arrival over the last second."""

    def __init__(self, low_hz: float, high_hz: float) -> None:
        self._low_hz, self._high_hz = low_hz, high_hz
        self._arrivals_s: deque[float] = deque(maxlen=int(high_hz * WINDOW_S) + 2)

    def arrived(self, now: float) -> None:
        """Count one message."""
        if self._arrivals_s and now < self._arrivals_s[-1]:
            self._arrivals_s.clear()  # simulated time was reset
        self._arrivals_s.append(now)

    def rate_hz(self, now: float) -> float:
        """Return the rate; nan before two messages."""
        while self._arrivals_s and now - self._arrivals_s[0] > WINDOW_S:
            self._arrivals_s.popleft()
        if len(self._arrivals_s) < 2:
            return math.nan
        span_s = self._arrivals_s[-1] - self._arrivals_s[0]
        return (len(self._arrivals_s) - 1) / span_s if span_s > 0.0 else math.inf

    def problem(self, now: float) -> str:
        """Describe a rate outside its range; empty for one inside."""
        rate_hz = self.rate_hz(now)
        if math.isnan(rate_hz):
            return f"rate too low: fewer than 2 messages in {WINDOW_S:g} s"
        if rate_hz < self._low_hz:
            return f"rate too low: {rate_hz:.1f} Hz, must be >= {self._low_hz:g}"
        if rate_hz > self._high_hz:
            return f"rate too high: {rate_hz:.0f} Hz, must be <= {self._high_hz:g}"
        return ""


class DiagnosticLine(NamedTuple):
    """One line of /diagnostics; `problems` counts them since the start."""

    name: str
    severity: Severity
    text: str
    problems: int
