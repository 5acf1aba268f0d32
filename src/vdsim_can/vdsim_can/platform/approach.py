"""The way from an angle that the car has, or was sent, to the commanded one.

While the handshake runs the interface steers on, and the frames carry the angle that the car has.
So it does in a period without a frame, after which the next frame would make up for two. What lies
between is made up for no faster than the interface has steered meanwhile: so the limits of the
interface hold on the bus, which does not know their values.
"""

from __future__ import annotations

import math

LEAST_RADPS = 0.1
"""So fast a difference is made up for in which nobody has steered: a wheel turned by itself."""


class Approach:
    """Of one angle [rad]."""

    __slots__ = ("_asked_rad", "_last_rad", "_least_rad", "_sent_rad", "_step_rad")

    def __init__(self, period_s: float) -> None:
        self._least_rad = LEAST_RADPS * period_s
        self.end()

    def end(self) -> None:
        """The car is not steered: what is commanded next is sent."""
        self._asked_rad = self._sent_rad = self._last_rad = math.nan
        self._step_rad = 0.0

    def wait(self, asked_rad: float, measured_rad: float) -> None:
        """Note a period of the handshake, in which the car was sent its own angle."""
        self._note(asked_rad)
        self._sent_rad = measured_rad

    def angle(self, asked_rad: float) -> float:
        """Return what may be sent of an angle to a car that is enabled."""
        sent_rad = self._sent_rad
        if math.isnan(sent_rad):
            self._step_rad = 0.0
            self._note(asked_rad)
            return asked_rad
        self._note(asked_rad)
        step_rad = max(self._step_rad, self._least_rad)
        return min(max(asked_rad, sent_rad - step_rad), sent_rad + step_rad)

    def on_sent(self, sent_rad: float) -> None:
        """Go on from the angle that was sent; where it is the commanded one nothing is left."""
        self._last_rad = sent_rad
        if sent_rad == self._asked_rad:
            self._sent_rad = math.nan
        elif not math.isnan(self._sent_rad):
            self._sent_rad = sent_rad

    def on_unsent(self) -> None:
        """No frame had the angle of this period: go on from that of the last one."""
        if math.isnan(self._sent_rad):
            self._sent_rad = self._last_rad

    def _note(self, asked_rad: float) -> None:
        step_rad = abs(asked_rad - self._asked_rad)
        if step_rad > self._step_rad:  # not in the first period, which has nothing before it
            self._step_rad = step_rad
        self._asked_rad = asked_rad
