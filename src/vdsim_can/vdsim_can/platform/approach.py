"""The way from a car's own wheel angle to the commanded one, when the car has just been enabled.

While the handshake runs the interface steers on, and the frames carry the angle that the car has.
What lies between is made up for no faster than the interface has steered since the handshake began:
so the limits of the interface hold on the bus, which does not know their values.
"""

from __future__ import annotations

import math

LEAST_RADPS = 0.1
"""So fast a difference is made up for in which nobody has steered: a wheel turned by itself."""


class Approach:
    """Of one angle [rad]."""

    __slots__ = ("_asked_rad", "_least_rad", "_sent_rad", "_step_rad")

    def __init__(self, period_s: float) -> None:
        self._least_rad = LEAST_RADPS * period_s
        self.end()

    def end(self) -> None:
        """Nothing is made up for: what is commanded is sent."""
        self._asked_rad = self._sent_rad = math.nan
        self._step_rad = 0.0

    def wait(self, asked_rad: float, measured_rad: float) -> None:
        """Note a period of the handshake, in which the car was sent its own angle."""
        self._note(asked_rad)
        self._sent_rad = measured_rad

    def angle(self, asked_rad: float) -> float:
        """Return what may be sent of an angle to a car that is enabled."""
        sent_rad = self._sent_rad
        if math.isnan(sent_rad):
            return asked_rad
        self._note(asked_rad)
        step_rad = max(self._step_rad, self._least_rad)
        return min(max(asked_rad, sent_rad - step_rad), sent_rad + step_rad)

    def on_sent(self, sent_rad: float) -> None:
        """Go on from the angle that was sent, or end where it is the commanded one."""
        if sent_rad == self._asked_rad:
            self.end()
        elif not math.isnan(self._sent_rad):
            self._sent_rad = sent_rad

    def _note(self, asked_rad: float) -> None:
        step_rad = abs(asked_rad - self._asked_rad)
        if step_rad > self._step_rad:  # not in the first period, which has nothing before it
            self._step_rad = step_rad
        self._asked_rad = asked_rad
