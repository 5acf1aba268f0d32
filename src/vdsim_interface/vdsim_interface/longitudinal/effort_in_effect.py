"""Which effort the pedals give now: the one that the vehicle reports, as far as it can be true.

A vehicle may brake by itself, in its fail-safe or by a person. It does not drive by itself: more
effort than was sent during the last second is not in effect, whatever the vehicle says. A claim of
that kind would be taken for a slope or for weak brakes, and the loop would add drive or ease the
brake against it. In its place counts what was sent, with the lag of the pedals.
"""

from math import inf, isfinite

SLICE_S = 0.5
"""What was sent is kept for one to two such slices: a report answers an earlier packet."""
ROOM_MPS2 = 0.3
"""Noise of a pedal sensor, and the change of the pedal map between packet and report."""


class EffortInEffect:
    """`value_mps2`: along the travel direction; positive drives, negative brakes."""

    def __init__(self, lag_s: float) -> None:
        self._lag_s = lag_s
        self.reset()

    def reset(self) -> None:
        """Discard what was sent: someone else may have driven until now."""
        self.value_mps2 = 0.0
        self._most = self._most_before = inf
        self._slice_s = 0.0

    def on_sent(self, effort_mps2: float, dt_s: float) -> None:
        """Add the effort of one packet, `dt_s` after the last one."""
        self._slice_s += dt_s
        if self._slice_s >= SLICE_S:
            self._most_before, self._most, self._slice_s = self._most, effort_mps2, 0.0
        elif effort_mps2 > self._most:
            self._most = effort_mps2

    def report(self, reported_mps2: float, sent_mps2: float, dt_s: float) -> float:
        """Use a report, nan for one without pedals; return the effort in effect."""
        most = self._most if self._most > self._most_before else self._most_before
        if reported_mps2 <= most + ROOM_MPS2 and isfinite(reported_mps2):
            self.value_mps2 = reported_mps2
        else:
            self.value_mps2 += (sent_mps2 - self.value_mps2) * dt_s / (self._lag_s + dt_s)
        return self.value_mps2
